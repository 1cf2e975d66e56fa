"""The evidence on voters: how much, how fast, which side, how often like the others."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from fastapi import Request

from sparring.web.access import router_for, service_of
from sparring.web.bodies import ArenaName
from sparring.web.window import Told

MOST = 200  # voters in the list, those with the most answers
SIDES = ("first", "second")

router = router_for("reader")


@router.get("/api/v1/arenas/{name}/voters/evidence")
async def voters_evidence(request: Request, name: ArenaName) -> dict[str, Any]:
    """The voters with the most recent answers, and what helps to tell whether they are honest."""
    service = service_of(request)
    arena = service.arena(name)

    def work() -> list[dict[str, Any]]:
        return evidence(service.readings.of(name).told(), arena.verdicts())

    return {"voters": await asyncio.to_thread(work)}


def evidence(answers: Iterable[Told], verdicts: Mapping[str, str]) -> list[dict[str, Any]]:
    """What each voter did.

    Parameters
    ----------
    answers
        The latest of an arena.
    verdicts
        Verdicts by pseudonym. Voters with one are always in the list.

    Returns
    -------
    By voter: answers, how many count, the share of chosen sides that were left, the median of
    seconds to answer, and the share of choices that agree with most others' on the same pair.
    """
    mine: dict[str, list[Told]] = defaultdict(list)
    won: dict[tuple[str, str], float] = defaultdict(float)  # by winner and loser
    for one in answers:
        mine[one.voter].append(one)
        if one.answer in SIDES:
            won[_choice(one)] += 1
    often = sorted(mine, key=lambda voter: -len(mine[voter]))
    listed = dict.fromkeys([*verdicts, *often[:MOST]])
    return [
        {**_of(voter, mine[voter], won), "verdict": verdicts.get(voter, "free")} for voter in listed
    ]


def _of(voter: str, records: list[Told], won: Mapping[tuple[str, str], float]) -> dict[str, Any]:
    chosen = [one for one in records if one.answer in SIDES]
    waits = [one.wait for one in records]
    agreed: list[float] = []
    own: dict[tuple[str, str], int] = defaultdict(int)
    for one in chosen:
        own[_choice(one)] += 1
    for one in chosen:
        winner, loser = _choice(one)
        same = won.get((winner, loser), 0) - own[winner, loser]
        other = won.get((loser, winner), 0) - own[loser, winner]
        if same != other:  # where the others are not split
            agreed.append(same > other)
    return {
        "voter": voter,
        "answers": len(records),
        "counted": sum(one.counted for one in records),
        "left": _mean([one.answer == "first" for one in chosen]),
        "seconds": median(waits) if waits else None,
        "agrees": _mean(agreed),
    }


def _choice(one: Told) -> tuple[str, str]:
    return (one.first, one.second) if one.answer == "first" else (one.second, one.first)


def _mean(values: list[Any]) -> float | None:
    return sum(values) / len(values) if values else None
