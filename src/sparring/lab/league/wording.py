"""What a league says, in sentences: the answer, and what to beware of."""

from collections.abc import Sequence
from typing import NamedTuple

import sparring
from sparring.formats import listed, many, share
from sparring.lab.league.advice import ANY, GIVEN, HALVED, KNOWLEDGE, Advice
from sparring.lab.league.contenders import BY_LABEL
from sparring.lab.league.ranking import ALPHA, Ranking
from sparring.lab.league.standings import HeadToHead, League
from sparring.simulation import Entrant
from sparring.simulation.entrants import known

RIVALS = (("SYM-EXP3.S", "DEX3.S"), ("SYM-EXP3.S", "DEX3.S corrected"))
ALWAYS = "whatever you can tell it"


class Answer(NamedTuple):
    """Which learner to run, given what it can be told."""

    when: str
    label: str
    call: str
    """What to type."""
    why: str


def answers(league: League, ranking: Ranking, advice: Sequence[Advice]) -> list[Answer]:
    """Which learner to run on an unknown kind of world; those that are told the most come first.

    Answers about the user's own data come before those about the league's worlds.
    """
    found = list[Answer]()
    kinds = [GIVEN, ANY] if any(one.kind == GIVEN for one in advice) else [ANY]
    for kind in kinds:
        here = [one for one in reversed(advice) if one.kind == kind]
        for label in dict.fromkeys(one.label for one in here):
            same = [one for one in here if one.label == label]
            told = ", or ".join(KNOWLEDGE[one.knows] for one in reversed(same))
            when = f"if you can tell it {told}" if len(same) < len(KNOWLEDGE) else ALWAYS
            when = f"On your data, {when}" if kind == GIVEN else f"{when[0].upper()}{when[1:]}"
            call = called(league.entrants[label], league.told(label), label)
            found.append(Answer(when, label, call, _why(same[0], league, ranking)))
    return found


def called(entrant: Entrant, told: str, label: str = "") -> str:
    """How to make a learner, given what it can be told.

    Examples
    --------
    >>> called(Entrant("double_thompson", forget="window"), "S or V_T")
    "sparring.learners.double_thompson(K, T, S=..., forget='window')"
    """
    if label in BY_LABEL and BY_LABEL[label].call:
        return BY_LABEL[label].call
    if entrant.source:
        return entrant.learner
    sizes = {"nothing": ["K"], "T": ["K", "T"]}.get(told, ["K", "T", "S=..."])
    options = [f"{name}={value!r}" for name, value in entrant.options]
    home = "sparring" if entrant.learner in sparring.__all__ else "sparring.learners"
    return f"{home}.{entrant.learner}({', '.join(sizes + options)})"


def _why(one: Advice, league: League, ranking: Ranking) -> str:
    """How good it is, whether another is as good, and which is if all worlds count the same."""
    worlds = "" if one.kind == GIVEN else f" over {many(len(one.worlds), 'world')}"
    text = f"{share(one.to_chance)} of RAND's regret{worlds}"
    if one.second:
        text += f"; next is {one.second}, {'' if one.sure else 'not '}clearly worse"
    if one.kind == ANY and one.label in ranking.mean_rank:
        levels = list(KNOWLEDGE)
        enough = levels[: levels.index(one.knows) + 1]
        first = next(label for label in ranking.labels if league.told(label) in enough)
        also = "also first" if first == one.label else f"first is {first}"
        text += f"; by mean rank {also}"
    return text


def warnings(league: League, ranking: Ranking, advice: Sequence[Advice]) -> list[str]:
    """Where the advised learners do worse than RAND, and what the numbers cannot say."""
    found = []
    chosen = dict.fromkeys(one.label for one in advice if one.kind in (ANY, GIVEN))
    for label in chosen:
        worse = [
            f"{one.title} ({share(standing.to_chance)})"
            for one in league.meetings
            for standing in one.standings
            if standing.label == label and standing.to_chance.value > 1
        ]
        if worse:
            found.append(f"{label} has more regret than RAND, on average, on: {listed(worse)}.")
    if not all(one.honest for one in advice):
        found.append(
            "The runs that chose a learner also measured it, which flatters it; from "
            f"{HALVED} runs on, one half chooses and the other measures."
        )
    if ranking.left_out:
        found.append(f"Not ranked, as they lack a world or runs: {listed(ranking.left_out)}.")
    short = [one.title for one in league.meetings if not all(map(one.complete, one.labels))]
    if short:
        found.append(f"Some learners lack runs on: {listed(short)}.")
    return found


def histories(league: League) -> list[str]:
    """What learners were told about each recorded history."""
    found = []
    for one in league.given:
        told, stated = one.summary.experiment.told, known(one.world)
        if told is not None and told.S and stated.S:
            changes = "never changes" if told.S == 1 else f"changes {_times(told.S - 1)}"
            found.append(
                f"{one.title}: its preferences change {_times(stated.S - 1)}, its best arm "
                f"{changes}; learners are told S = {told.S:,}."
            )
    return found


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def tested(ranking: Ranking) -> str:
    """What the tests of ranks say, and what they assume."""
    if len(ranking.labels) < 2:
        return "There is no other learner to compare with."
    p = ranking.p_value
    chance = "p below 0.001" if p < 0.001 else f"p = {p:.3f}"
    differ = "differ" if p < ALPHA else "do not differ by more than chance"
    return (
        f"Mean ranks over {many(len(ranking.worlds), 'world')} {differ} (Iman and Davenport: "
        f"{chance}); two learners are told apart if theirs differ by more than "
        f"{ranking.distance:.2f} (Nemenyi, 5%). Both take the worlds for a sample of all worlds, "
        "which these are not: they were chosen, and some are alike."
    )


def pairs(league: League, ranking: Ranking) -> list[tuple[str, str]]:
    """The pairs to show head to head."""
    best = ranking.labels[0] if ranking.labels else ""
    found = [*RIVALS, *((label, best) for label in league.own if best not in ("", label))]
    return [pair for pair in found if set(pair) <= set(league.labels)]


def counted(duels: Sequence[HeadToHead]) -> str:
    """On how many worlds the first of two did better and worse.

    Examples
    --------
    >>> from sparring.formats import Estimate
    >>> counted([HeadToHead("walk", Estimate(-3.0, -4.0, -2.0), Estimate(0.5, 0.4, 0.6), 5)])
    'better on 1, worse on 0, not told apart on 0 of 1 world'
    """
    better, worse, open_ = (sum(one.winner == who for one in duels) for who in (0, 1, -1))
    of = many(len(duels), "world")
    return f"better on {better}, worse on {worse}, not told apart on {open_} of {of}"
