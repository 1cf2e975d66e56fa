"""Who leads, counts of answers, and pseudonyms: what `sparring.Client` asks for."""

from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse
from pydantic import Field

from sparring.web.access import router_for, service_of
from sparring.web.bodies import ArenaName, Body, Voter

PATH = "/api/v1/arenas/{name}"

reader, writer = router_for("reader"), router_for("writer")


class ArmReply(Body):
    """How an arm does."""

    name: str
    share: float = Field(description="Of the places in recent pairs.")
    votes: int
    wins: float
    since: str = Field(description="ISO 8601.")


class StandingReply(Body):
    """Who leads, since when, and how the arms do."""

    favourite: str
    confidence: float | None
    since: str = Field(description="ISO 8601.")
    votes: int
    arms: list[ArmReply]


class TalliesReply(Body):
    """Counts of what happened to questions and answers since the arena was made."""

    asked: int
    uniform: int
    told: int
    learnt: int
    undone: int
    imported: int
    first_won: int
    second_won: int
    ties: int
    both_good: int
    both_bad: int
    kept: dict[str, int] = Field(description="Answers that were not learnt, by reason.")


class PseudonymBody(Body):
    """A voter."""

    voter: Voter


class PseudonymReply(Body):
    """The pseudonym of a voter in the log and in exports."""

    pseudonym: str


@reader.get(PATH + "/standing", responses={200: {"model": StandingReply}})
async def standing(request: Request, name: ArenaName) -> JSONResponse:
    """Who leads, since when, and how the arms do."""
    found = await service_of(request).front(name).call(lambda arena: arena.standing())
    return JSONResponse(found.to_json())


@reader.get(PATH + "/tallies", responses={200: {"model": TalliesReply}})
async def tallies(request: Request, name: ArenaName) -> JSONResponse:
    """Counts of what happened to questions and answers."""
    found = await service_of(request).front(name).call(lambda arena: arena.tallies())
    return JSONResponse(found.to_json())


@writer.post(PATH + "/pseudonym", responses={200: {"model": PseudonymReply}})
async def pseudonym(request: Request, name: ArenaName, body: PseudonymBody) -> JSONResponse:
    """The pseudonym of your voter in the log and in exports."""
    arena: Any = service_of(request).arena(name)
    return JSONResponse({"pseudonym": arena.pseudonym(body.voter)})
