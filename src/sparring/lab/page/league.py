"""The page of a league: the answer, which learner to choose when, ranks, standings, worlds."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from sparring.charts import page as build
from sparring.formats import NONE, number, percent
from sparring.lab.draw import words
from sparring.lab.draw.alarms import alarms_figure
from sparring.lab.draw.favourites import favourites_figure
from sparring.lab.draw.league import coloured, highlighted, ranks_figure, speed_figure
from sparring.lab.draw.panels import over_time_chart
from sparring.lab.league import Advice, League, Meeting, Ranking, favourites, wording
from sparring.lab.league.advice import KINDS, overall
from sparring.lab.league.contenders import BY_LABEL
from sparring.lab.league.detection import Detected
from sparring.lab.league.few import KINDS as FEW_KINDS
from sparring.lab.league.standings import Standing
from sparring.lab.measures import UNKNOWN
from sparring.lab.page import figures, provenance

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
        The command that makes the results again.
    alarms
        What learners that detect changes noticed.
    report
        Where the report is, to link to; empty if there is none.
    """
    labels = coloured(league)
    parts = [one.summary for one in league.meetings]
    taken = {label: league.nanoseconds(label) for label in league.labels}
    noted = sorted((label for label in taken if taken[label] > 0), key=taken.__getitem__)
    return build.build(
        "sparring.lab.page",
        "league.html",
        colours=figures.colours(),
        words=words,
        title="Which learner to run",
        league=league,
        ranking=ranking,
        advice=advice,
        said=wording,
        kinds=KINDS,
        told=TOLD,
        figures=_figures(league, ranking, alarms, timed=set(noted) & set(ranking.labels)),
        scores=_scores(league, favourites.parts(league)),
        by_sizes={kind: _by_sizes(league, kind) for kind in FEW_KINDS},
        standings=_standings(league, ranking),
        swatches=figures.swatches(labels),
        shown={one.name: highlighted(one, league.own) for one in league.meetings},
        charts={one.name: _chart(one, league, labels) for one in league.meetings},
        alarms=alarms,
        delay=_delay,
        nanoseconds=[(label, number(round(taken[label]))) for label in noted],
        remarks={label: _remark(league, label) for label in league.labels},
        report=report,
        command=command,
        facts=provenance.facts(parts),
        history=provenance.history(parts),
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
    """Write the page as league.html into a folder, which is created if needed; return its path."""
    path = Path(folder) / FILE
    usual = path.parent.resolve().name.removeprefix("league-")
    report = provenance.link(path.parent, "report.html", usual)
    page = league_page(league, ranking, advice, command=command, alarms=alarms, report=report)
    return build.write(path, page)


def _figures(
    league: League, ranking: Ranking, alarms: Sequence[Detected], *, timed: set[str]
) -> dict[str, Markup]:
    """The figures of the league that have something to show."""
    made = {}
    if favourites.noting(league):
        made["favourites"] = favourites_figure(league)
    if len(ranking.labels) > 1:
        made["ranks"] = ranks_figure(ranking)
    if alarms:
        made["alarms"] = alarms_figure(alarms)
    if timed:
        made["speed"] = speed_figure(league, ranking)
    return {name: figures.drawing(made[name], f"{name}-figure", name) for name in made}


def _by_sizes(league: League, kind: str) -> dict[str, Any]:
    """How often favourites are right on one kind of world, by arms and rounds."""
    cells = favourites.cells(league, kind) if favourites.noting(league) else {}
    worlds = {f"$K$ = {K}, $T$ = {number(T)}": some for (K, T), some in cells.items()}
    return _scores(league, worlds)


def _scores(league: League, worlds: Mapping[str, Sequence[Meeting]]) -> dict[str, Any]:
    """Scores of favourites by parts of the worlds and by label; nothing if none were noted."""
    if not worlds or not favourites.noting(league):
        return {}
    return {"columns": list(worlds), "rows": favourites.scores(league, dict(worlds))}


def _standings(league: League, ranking: Ranking) -> dict[str, list[Cell]]:
    """By label the mean rank, on how many worlds it is best, and regret over RAND's."""
    shares, rows = overall(league), {}
    columns = [(one.best, {each.label: each for each in one.standings}) for one in league.meetings]
    for label in dict.fromkeys((*ranking.labels, *league.labels)):
        ranked = label in ranking.labels
        rank, wins = ranking.mean_rank.get(label, math.nan), ranking.wins.get(label, math.nan)
        whole = shares.get(label, UNKNOWN).value
        rows[label] = [
            Cell(rank, f"{rank:.1f}" if ranked else NONE),
            Cell(-wins, str(wins) if ranked else NONE),
            Cell(whole, percent(whole), _shade(whole)) if whole > 0 else Cell(whole, NONE),
            *(_heat(found.get(label), label == best) for best, found in columns),
        ]
    return rows


def _heat(standing: Standing | None, first: bool) -> Cell:
    if standing is None:
        return Cell(math.nan, NONE)
    best = " best" if first else ""
    if standing.regret.value <= 0:
        return Cell(-1, "≤\N{NO-BREAK SPACE}0", f"below-6{best}")
    ratio = standing.to_chance.value
    if ratio != ratio:
        return Cell(ratio, "?", best)
    return Cell(ratio, percent(ratio), f"{_shade(ratio)}{best}")


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


def _chart(meeting: Meeting, league: League, labels: Sequence[str]) -> Markup:
    """The regret of some learners on a world, round by round."""
    curves = [meeting.curves[label] for label in highlighted(meeting, league.own)]
    figure = over_time_chart(curves, labels, meeting.regret)
    about = f"{meeting.title}, regret over time"
    return figures.drawing(figure, f"chart-{meeting.name}", about, curves=curves, along="t")


def _delay(one: Detected) -> str:
    """The median delay and the middle half."""
    if not one.delays:
        return NONE
    low, middle, high = (number(round(x)) for x in np.quantile(one.delays, (0.25, 0.5, 0.75)))
    return f"{middle} ({low} to {high})"


def _remark(league: League, label: str) -> str:
    if label in league.own:
        return "your own"
    if not league.ranked(label):
        return "a yardstick, not ranked"
    return "means Borda scores" if BY_LABEL[label].borda else ""
