"""What a person sees of a league in the terminal: the answer first, then why."""

import math
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from sparring.formats import many, percent
from sparring.lab.league import Advice, League, Ranking, wording
from sparring.lab.league.advice import KINDS, KNOWLEDGE, overall
from sparring.lab.league.favourites import noting
from sparring_cli import favourites
from sparring_cli.screen import Table, line, wrapped

LONGEST = 26  # letters of a learner's name


def league(found: League, ranking: Ranking, advice: Sequence[Advice]) -> None:
    """Everything, for 80 columns."""
    _answers(found, ranking, advice)
    _choices(advice)
    _ranks(found, ranking)
    if noting(found):
        favourites.show(found)
    else:
        _worlds(found)
    _duels(found, ranking)


def _answers(found: League, ranking: Ranking, advice: Sequence[Advice]) -> None:
    _head("Which learner to run")
    for answer in wording.answers(found, ranking, advice):
        Console(highlight=False).print(Text(f"{answer.when}: ").append(answer.label, "bold green"))
        line(f"    {answer.call}")
        wrapped(answer.why, "    ")
    for warning in wording.warnings(found, ranking, advice):
        wrapped(warning, "  ! ")
    print()


def _choices(advice: Sequence[Advice]) -> None:
    _head("By what you can tell it, and what the world is like")
    table = _table("", *(f"told {told}" for told in KNOWLEDGE.values()), numeric=())
    for kind in KINDS:
        here = {one.knows: one for one in advice if one.kind == kind}
        if here:
            cells = [_choice(here[knows]) if knows in here else "" for knows in KNOWLEDGE]
            table.add_row(kind, *cells)
    Console().print(table)
    wrapped("Regret in percent of RAND's; ~ where the next best is not told apart.")
    print()


def _choice(one: Advice) -> Text:
    close = "" if one.sure or not one.second else " ~"
    return Text(_short(one.label)).append(f" {percent(one.to_chance.value)}{close}", "dim")


def _ranks(found: League, ranking: Ranking) -> None:
    _head(f"Ranking over {many(len(ranking.worlds), 'world')}")
    names = ("", "learner", "mean rank", "best on", "% of RAND", "ns a round", "told")
    table = _table(*names, numeric=("", "mean rank", "best on", "% of RAND", "ns a round"))
    shares, wins = overall(found), ranking.wins
    for place, (label, rank) in enumerate(ranking.mean_rank.items(), 1):
        share = percent(shares[label].value) if label in shares else ""
        taken = found.nanoseconds(label)
        table.add_row(
            str(place),
            Text(_short(label), "bold" if label in found.own else ""),
            f"{rank:.1f}",
            str(wins[label]),
            share,
            "" if math.isnan(taken) else f"{taken:,.0f}",
            found.told(label),
        )
    Console().print(table)
    wrapped("ns a round: nanoseconds of processor time that the learner took, as played here.")
    wrapped(wording.tested(ranking))
    yardsticks = [label for label in found.labels if not found.ranked(label)]
    if yardsticks:
        wrapped(f"Not ranked, as they know the change points: {', '.join(yardsticks)}.")
    print()


def _worlds(found: League) -> None:
    _head("World by world")
    table = _table("world", "best", "% of RAND", "next", "", numeric=("% of RAND",))
    for meeting in found.meetings:
        first, *others = [one for one in meeting.standings if found.ranked(one.label)]
        ratio = first.to_chance.value
        second = others[0].label if others else ""
        close = bool(second) and found_apart(found, meeting.name, first.label, second)
        table.add_row(
            Text(_short(meeting.title if meeting in found.given else meeting.name)),
            Text(_short(first.label)),
            percent(ratio) if ratio == ratio else "≤ 0" if first.regret.value <= 0 else "",
            Text(_short(second)),
            "" if close or not second else "~",
        )
    Console().print(table)
    for history in wording.histories(found):
        wrapped(history)
    print()


def found_apart(found: League, world: str, first: str, second: str) -> bool:
    """Whether two learners are told apart on a world."""
    (duel,) = (one for one in found.duel(first, second) if one.world == world)
    return duel.winner >= 0


def _duels(found: League, ranking: Ranking) -> None:
    for first, second in wording.pairs(found, ranking):
        wrapped(f"{first} against {second}: {wording.counted(found.duel(first, second))}.")


def _head(text: str) -> None:
    Console().print(text, style="bold")


def _short(label: str) -> str:
    return label if len(label) <= LONGEST else f"…{label[-LONGEST + 1 :]}"


def _table(*columns: str, numeric: Sequence[str]) -> Table:
    table = Table()
    for column in columns:
        table.add_column(column, justify="right" if column in numeric else "left", overflow="fold")
    return table
