"""The health of an arena: how many answer, what is set aside, sides, better than chance or not."""

import math
from typing import Any, NamedTuple

from sparring.arena.settings import Settings
from sparring.arena.standing import Standing
from sparring.arena.tallies import Tallies
from sparring.formats import isolated

TELLING = 10  # votes, below which an interval is not to be relied on
Z = 1.96  # standard errors to either side of a 95% interval
# What is kept and not learnt, in words, in the order of the table.
KEPT = {
    "skip": "skipped",
    "late": "too late",
    "withdrawn": "on an item withdrawn meanwhile",
    "fast": "too fast to have looked",
    "cap": "over a voter's cap for the day",
    "held": "held until a person has looked",
    "banned": "void: the voter is banned",
    "frozen": "while frozen",
    "closed": "after closing",
    "unknown": "of a question that is not in the log",
}


class Share(NamedTuple):
    """A share with its 95% interval (Wilson's)."""

    value: float
    low: float
    high: float
    of: int

    def __str__(self) -> str:
        return f"{self.value:.0%} (95%: {self.low:.0%} to {self.high:.0%})"


def share(wins: float, of: int) -> Share | None:
    """A share of a number, if that is not 0.

    Examples
    --------
    >>> print(share(30, 40))
    75% (95%: 60% to 86%)
    """
    if of == 0:
        return None
    p, n = wins / of, of
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n))
    return Share(p, max(0.0, middle - half), min(1.0, middle + half), of)


class Counted(NamedTuple):
    """A row of the table of answers."""

    what: str
    number: int
    share: str


def answered(tallies: Tallies, duplicates: int) -> list[Counted]:
    """What happened to questions and answers; there are no empty rows.

    Shares are of the answers; that of duplicates is of all that arrived.
    """
    told = tallies.told
    always = [
        Counted("pairs shown", tallies.asked, ""),
        Counted("answered", told, _percent(told, tallies.asked)),
        Counted("learnt", tallies.learnt, _percent(tallies.learnt, told)),
    ]
    words = {
        "ties": tallies.ties,
        "both good": tallies.both_good,
        "both bad": tallies.both_bad,
        "taken back": tallies.undone,
        **{KEPT[why]: tallies.kept.get(why, 0) for why in KEPT},
    }
    rows = [Counted(what, count, _percent(count, told)) for what, count in words.items() if count]
    if duplicates:
        share = _percent(duplicates, told + duplicates)
        rows.append(Counted("sent again, counted once", duplicates, share))
    if tallies.imported:
        rows.append(Counted("imported from outside", tallies.imported, ""))
    return always + rows


def sides(tallies: Tallies) -> tuple[Share | None, str]:
    """How often the left one won, and whether that is more than chance."""
    found = share(tallies.first_won, tallies.first_won + tallies.second_won)
    if found is None:
        return None, "No one has chosen a side yet."
    if found.low <= 0.5 <= found.high:
        return found, f"The left one won {found}: no sign that the side matters."
    more = "left" if found.value > 0.5 else "right"
    return found, (
        f"The left one won {found}: people lean to the {more}. Sides are drawn by a fair coin, so "
        "no item gains by it."
    )


def against_chance(
    won: tuple[float, int], standing: Standing, settings: Settings, *, any_: bool
) -> tuple[Share | None, str]:
    """Whether the learner's favourite beats a random item, from the uniform pairs.

    `won` is what it won there since it leads, and of how many; `any_`, whether there are uniform
    pairs. These are drawn whatever the learner thinks, so the favourite's share of them is what it
    wins against a random item. Only votes since it leads count: those that made it the favourite
    were lucky.
    """
    name, found = isolated(standing.favourite), share(*won)
    if found is None:
        drawn = 1.0 if settings.mode == "shadow" else settings.uniform
        if not any_ and drawn > 0:
            return None, f"No vote yet on the {100 * drawn:g}% of pairs that are drawn uniformly."
        if not any_:
            return None, (
                "No pairs are drawn uniformly, so nothing tells what a random choice would get. "
                "Set a uniform share, such as 5%, to know."
            )
        return None, f"No vote yet on {name} in uniformly drawn pairs since it leads."
    many = f"{found.of:,} uniformly drawn pair{'' if found.of == 1 else 's'}"
    watching = " (shadow: all pairs are drawn so)" if settings.mode == "shadow" else ""
    said = f"Since it leads, {name} won {found} of its {many}{watching}; a random item wins 50%."
    if found.of >= TELLING and found.low > 0.5:
        return found, f"{said} The learner shows better items than chance."
    if found.of >= TELLING and found.high < 0.5:
        return found, f"{said} The favourite does worse than chance: look at what changed."
    return found, f"{said} Too few votes to tell."


def as_json(found: tuple[Share | None, str]) -> dict[str, Any]:
    """A share and what it means."""
    return {"share": None if found[0] is None else found[0]._asdict(), "text": found[1]}


def _percent(count: float, of: float) -> str:
    return f"{count / of:.1%}" if of else ""
