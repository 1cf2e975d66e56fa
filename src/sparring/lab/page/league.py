"""The page of a league: the answer, whom to choose when, ranks, standings, world by world."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring.lab.draw import words
from sparring.lab.draw.alarms import alarms_figure
from sparring.lab.draw.favourites import favourites_figure
from sparring.lab.draw.league import coloured, highlighted, ranks_figure, speed_figure
from sparring.lab.draw.panels import over_time_chart
from sparring.lab.league import Advice, League, Meeting, Ranking, favourites
from sparring.lab.league import wording as said
from sparring.lab.league.advice import KINDS, KNOWLEDGE, overall
from sparring.lab.league.contenders import BY_LABEL
from sparring.lab.league.detection import Detected
from sparring.lab.league.few import KINDS as FEW_KINDS
from sparring.lab.league.standings import Standing
from sparring.lab.measures import UNKNOWN, Estimate
from sparring.lab.numbers import NONE, many, number, percent, share, spread
from sparring.lab.page import build

FILE = "league.html"
TOLD = {"nothing": "nothing", "T": "only $T$", "S or V_T": "$T$, and $S$ or $V_T$"}


class Cell(NamedTuple):
    """A cell of the standings."""

    value: float
    """What to sort by."""
    text: str
    kind: str = ""
    """The class of its colour."""


def league_page(
    league: League,
    ranking: Ranking,
    advice: Sequence[Advice],
    *,
    command: str,
    alarms: Sequence[Detected] = (),
    report: str = "",
) -> str:
    """One HTML page: no network, no other file, safe for any label.

    Parameters
    ----------
    league, ranking, advice
        From `sparring.lab.league`: `read`, `rank`, `advise`.
    command
        What makes the results again.
    alarms
        What learners noticed that detect changes.
    report
        Where the report is, to link to; empty if there is none.
    """
    labels = coloured(league)
    rounds = [one.T for one in league.meetings]
    parts = [one.summary for one in league.meetings]
    return build.build(
        "league.html",
        title="Which learner to run",
        learners=many(len(league.labels), "learner"),
        worlds=many(len(league.meetings), "world"),
        rounds=spread(rounds),
        runs=many(max(len(one.runs) for one in league.meetings), "run"),
        answers=said.answers(league, ranking, advice),
        warnings=said.warnings(league, ranking, advice),
        report=report,
        honest=all(one.honest for one in advice),
        told=[f"told {text}" for text in TOLD.values()],
        advice=_advice(advice),
        favourites=_favourites(league),
        tested=said.tested(ranking),
        ranks=_ranks(ranking),
        standings=_standings(league, ranking),
        duels=_duels(league, ranking),
        swatches=build.swatches(labels),
        meetings=[_meeting(one, league, labels) for one in league.meetings],
        alarms=_alarms(alarms),
        speed=_speed(league, ranking),
        entrants=_entrants(league),
        command=command,
        facts=build.facts(parts),
        history=build.history(parts),
    )


def write_league(
    folder: str | Path,
    league: League,
    ranking: Ranking,
    advice: Sequence[Advice],
    *,
    command: str,
    alarms: Sequence[Detected] = (),
) -> Path:
    """Write the page as league.html into a folder, which is made if need be; where it is now."""
    path = Path(folder) / FILE
    usual = path.parent.resolve().name.removeprefix("league-")
    report = build.link(path.parent, "report.html", usual)
    page = league_page(league, ranking, advice, command=command, alarms=alarms, report=report)
    return build.write(path, page)


def _advice(advice: Sequence[Advice]) -> list[dict[str, Any]]:
    """A row for each kind of world, a choice for each kind of knowledge."""
    rows = []
    for kind in KINDS:
        here = {one.knows: one for one in advice if one.kind == kind}
        if here:
            worlds = many(len(next(iter(here.values())).worlds), "world")
            choices = [here.get(knows) for knows in KNOWLEDGE]
            shares = [share(one.to_chance) if one else NONE for one in choices]
            cells = list(zip(choices, shares, strict=True))
            rows.append({"kind": kind, "worlds": worlds, "choices": cells})
    return rows


def _favourites(league: League) -> dict[str, Any]:
    """How often favourites are right: a figure, all worlds, and each kind by arms and rounds."""
    if not favourites.noting(league):
        return {}
    kinds = {
        kind: {f"$K$ = {K}, $T$ = {number(T)}": some for (K, T), some in worlds.items()}
        for kind in FEW_KINDS
        if (worlds := favourites.cells(league, kind))
    }
    figure = build.drawing(favourites_figure(league), "favourites-figure", "Right favourites")
    return {
        "figure": figure,
        "all": _scores(league, favourites.parts(league)),
        "kinds": {kind: _scores(league, worlds) for kind, worlds in kinds.items()},
    }


def _scores(league: League, worlds: Mapping[str, Sequence[Meeting]]) -> dict[str, Any]:
    """Of each learner and part of the worlds: right in the end, throughout, and its regret."""

    def of(score: favourites.Score | None) -> tuple[str, ...]:
        if score is None or not score.runs:
            return ()
        return share(score.right), _percent(score.over), _percent(score.to_chance)

    found = favourites.scores(league, dict(worlds))
    rows = {label: [of(scores[name]) for name in worlds] for label, scores in found.items()}
    return {"columns": list(worlds), "rows": rows}


def _percent(found: Estimate) -> str:
    return f"{percent(found.value)} %" if found.value == found.value else NONE


def _ranks(ranking: Ranking) -> str:
    if len(ranking.labels) < 2:
        return ""
    about = ", ".join(f"{label} {rank:.1f}" for label, rank in ranking.mean_rank.items())
    return build.drawing(ranks_figure(ranking), "ranks-figure", f"Mean ranks: {about}")


def _standings(league: League, ranking: Ranking) -> dict[str, Any]:
    """Learners by worlds, coloured by regret relative to RAND's."""
    others = [label for label in league.labels if label not in ranking.labels]
    shares, wins = overall(league), ranking.wins
    columns = [{one.label: one for one in meeting.standings} for meeting in league.meetings]
    best = [meeting.best for meeting in league.meetings]
    rows = []
    for label in (*ranking.labels, *others):
        ranked = label in ranking.labels
        rank = ranking.mean_rank.get(label, math.nan)
        whole = shares.get(label, UNKNOWN).value
        cells = [
            Cell(rank, f"{rank:.1f}" if ranked else NONE),
            Cell(-wins[label], str(wins[label])) if ranked else Cell(math.nan, NONE),
            Cell(whole, NONE) if whole != whole else Cell(whole, percent(whole), _shade(whole)),
            *(
                _heat(column.get(label), label == first)
                for column, first in zip(columns, best, strict=True)
            ),
        ]
        rows.append({"label": label, "ranked": ranked, "cells": cells})
    heads = ["mean rank", "best on", "% of RAND, all worlds"]
    return {"columns": [*heads, *(one.title for one in league.meetings)], "rows": rows}


def _heat(standing: Standing | None, first: bool) -> Cell:
    if standing is None:
        return Cell(math.nan, NONE)
    best = " best" if first else ""
    if standing.regret.value <= 0:
        return Cell(-1, "≤\N{NO-BREAK SPACE}0", f"below-6{best}")
    ratio = standing.to_chance.value
    if ratio != ratio:
        return Cell(ratio, "?", best.strip())
    return Cell(ratio, percent(ratio), f"{_shade(ratio)}{best}".strip())


def _shade(ratio: float) -> str:
    """The class of a colour: six of less regret than RAND's, three of more.

    Examples
    --------
    >>> _shade(0.02), _shade(0.5), _shade(0.99), _shade(1.5)
    ('below-6', 'below-2', '', 'above-2')
    """
    far = math.log2(ratio)
    level = round(abs(far) if far < 0 else 3 * far)
    if level == 0:
        return ""
    return f"below-{1 + min(level, 5)}" if far < 0 else f"above-{min(level, 3)}"


def _duels(league: League, ranking: Ranking) -> list[dict[str, Any]]:
    """Who is wanted head to head, on every world."""
    titles = {one.name: one.title for one in league.meetings}
    found = []
    for first, second in said.pairs(league, ranking):
        duels = league.duel(first, second)
        rows = [
            (
                titles[duel.world],
                build.estimate(duel.ratio) if duel.ratio.value == duel.ratio.value else NONE,
                ("better", "worse", "not told apart")[duel.winner],
            )
            for duel in duels
        ]
        title = f"{first} against {second}"
        found.append({"title": title, "counted": said.counted(duels), "rows": rows})
    return found


def _meeting(meeting: Meeting, league: League, labels: Sequence[str]) -> dict[str, Any]:
    """What the section of a world shows."""
    shown = highlighted(meeting, league.own)
    curves = [meeting.curves[label] for label in shown]
    experiment = meeting.summary.experiment
    caption = f"{words.regret_to(meeting.regret)}; {words.means([len(meeting.runs)])}."
    if experiment.told is not None:
        caption += f" Learners are told $S$ = {number(experiment.told.S or 1)}."
    chart = over_time_chart(curves, labels, meeting.regret)
    about = f"{meeting.title}, regret over time"
    return {
        "name": meeting.name,
        "title": meeting.title,
        "lacking": [label for label in meeting.labels if not meeting.complete(label)],
        "labels": [words.plain(label) for label in shown],
        "chart": build.drawing(chart, f"chart-{meeting.name}", about, curves=curves, along="t"),
        "caption": f"{caption} {words.world(experiment)}.",
        "rows": [
            (
                one.label,
                build.estimate(one.regret),
                build.estimate(one.to_best) if one.to_best.value == one.to_best.value else NONE,
                share(one.to_chance) if one.to_chance.value == one.to_chance.value else NONE,
                number(one.runs),
            )
            for one in meeting.standings
        ],
        "negative": any(one.regret.value <= 0 for one in meeting.standings),
    }


def _alarms(found: Sequence[Detected]) -> dict[str, Any]:
    if not found:
        return {}
    rows = [
        (
            one.title,
            one.label,
            f"{len(one.delays)} of {number(one.changes)}" if one.changes else NONE,
            _delay(one),
            f"{one.false_rate:.2g}",
        )
        for one in found
    ]
    about = "How soon changes were noticed"
    return {"figure": build.drawing(alarms_figure(found), "alarms-figure", about), "rows": rows}


def _delay(one: Detected) -> str:
    """The median delay and the middle half."""
    if not one.delays:
        return NONE
    low, middle, high = (number(round(x)) for x in np.quantile(one.delays, (0.25, 0.5, 0.75)))
    return f"{middle} ({low} to {high})"


def _speed(league: League, ranking: Ranking) -> dict[str, Any]:
    taken = {label: league.nanoseconds(label) for label in league.labels}
    noted = sorted((label for label in taken if taken[label] > 0), key=taken.__getitem__)
    if not any(label in ranking.labels for label in noted):
        return {}
    figure = build.drawing(speed_figure(league, ranking), "speed-figure", "Speed against rank")
    return {"figure": figure, "rows": [(one, number(round(taken[one]))) for one in noted]}


def _entrants(league: League) -> list[tuple[str, ...]]:
    return [
        (
            label,
            str(league.entrants[label]),
            build.prose(TOLD.get(league.told(label), league.told(label))),
            _remark(league, label),
        )
        for label in league.labels
    ]


def _remark(league: League, label: str) -> str:
    if label in league.own:
        return "your own"
    if not league.ranked(label):
        return "a yardstick, not ranked"
    return "means Borda scores" if BY_LABEL[label].borda else ""
