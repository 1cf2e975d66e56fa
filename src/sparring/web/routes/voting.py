"""Asking and voting: the routes that everyone may call, and that are called most."""

import json
import time
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Header, Request, Response
from pydantic import ValidationError
from starlette.routing import Route

from sparring.arena import AnswerConflictError, TicketError
from sparring.web import bodies
from sparring.web.access import Caller, Credentials, caller_of, count_call, role_of, service_of
from sparring.web.bodies import ArenaName, AskBody, Body, TicketBody, VoteBody
from sparring.web.front import Asked, Front
from sparring.web.problems import ProblemError, conflict, invalid
from sparring.web.service import Service
from sparring.web.showing import Showing

CONFLICT = "This ticket was answered before, and otherwise: an answer cannot be changed."
SIDES = {"first": 1.0, "second": 0.0}
PREFIX = "/api/v1/arenas/{name}"


def _voter_headers(
    x_voter: Annotated[
        str | None,
        Header(description="Without a key: a random text of 8 to 128 letters and digits."),
    ] = None,
    x_invite: Annotated[
        str | None, Header(description="Of an arena for invited people: until a call succeeded.")
    ] = None,
) -> None:
    """What voters send, for the OpenAPI document; `caller_of` reads it."""


VOTERS = [Depends(_voter_headers)]
router = APIRouter(prefix=PREFIX, tags=["public"])
showing = Showing()
Kind = TypeVar("Kind", bound=Body)


def lean(
    path: str, kind: type[Kind], work: Callable[[Request, str, Kind], Any], *, is_vote: bool = False
) -> Route:
    """A route past FastAPI, which would take longer for each request than the arena for a vote.

    The same functions are FastAPI's routes of `router`; that is for the OpenAPI document alone. A
    call is counted before its body is looked at.
    """

    async def endpoint(request: Request) -> Response:
        await count_call(request, is_vote=is_vote)
        try:
            body = kind.model_validate_json(await request.body())
        except ValidationError as error:
            raise invalid(
                error.errors(include_url=False, include_input=False, include_context=False)
            ) from None
        reply: Response = await work(request, request.path_params["name"], body)
        return reply

    return Route(PREFIX + path, endpoint, methods=["POST"])


@router.post(
    "/ask",
    responses={200: {"model": bodies.PairsReply}},
    response_class=Response,
    dependencies=VOTERS,
)
async def ask(request: Request, name: ArenaName, body: AskBody, _: Credentials = None) -> Response:
    """Pairs to show. A voter who has not answered yet gets the same pairs again."""
    began = time.perf_counter()
    service = service_of(request)
    front = service.front(name)
    _demand_small(service, body.n)
    caller = await caller_of(request, body.voter, is_vote=False, pairs=body.n)
    asked = await front.ask(caller.voter, body.n, caller.address)
    service.metrics.pairs.labels(name).inc(len(asked.tickets))
    reply = _json(f'{{"pairs":{await _pairs(asked, caller)}}}')
    service.metrics.seconds.labels("ask").observe(time.perf_counter() - began)
    return reply


@router.post(
    "/vote",
    responses={200: {"model": bodies.VoteReply}},
    response_class=Response,
    dependencies=VOTERS,
)
async def vote(
    request: Request, name: ArenaName, body: VoteBody, _: Credentials = None
) -> Response:
    """Answer a ticket; it is on disk when the reply comes. Sent again, it gets the same reply."""
    began = time.perf_counter()
    service = service_of(request)
    front = service.front(name)
    _demand_small(service, body.next)
    caller = await caller_of(request, body.voter, is_vote=True, pairs=body.next)
    if not isinstance(body.answer, str) and not caller.is_trusted:
        raise ProblemError(401, "key-needed", "A number as an answer needs a writer key.")
    answer = SIDES.get(body.answer, body.answer) if isinstance(body.answer, str) else body.answer
    counted = service.metrics.votes
    try:
        voted = await front.vote(
            body.ticket, answer, caller.voter, ahead=body.next, address=caller.address
        )
    except AnswerConflictError as error:
        counted.labels(name, "conflict").inc()
        if caller.is_trusted:
            raise
        raise conflict(error, CONFLICT) from error  # it tells no name
    except TicketError:
        counted.labels(name, "no ticket").inc()
        raise
    except Exception:
        counted.labels(name, "failed").inc()
        raise
    number, learnt, why = voted.answer
    counted.labels(name, ("learnt" if learnt else "kept") if voted.is_new else "duplicate").inc()
    page = voted.asked.settings.page
    told = caller.is_trusted or (page.get("reveal") is True and page.get("blind") is True)
    names = {"first": voted.first, "second": voted.second} if told else None
    reply = _json(
        f'{{"number":{number},"learnt":{"true" if learnt else "false"},"why":{json.dumps(why)},'
        f'"reveal":{json.dumps(names)},"pairs":{await _pairs(voted.asked, caller)}}}'
    )
    service.metrics.seconds.labels("vote").observe(time.perf_counter() - began)
    return reply


@router.post(
    "/undo",
    responses={200: {"model": bodies.PairReply}},
    response_class=Response,
    dependencies=VOTERS,
)
async def undo(
    request: Request, name: ArenaName, body: TicketBody, _: Credentials = None
) -> Response:
    """Take an answer back, within the time that the arena allows: the same pair, a new ticket."""
    front = service_of(request).front(name)
    caller = await caller_of(request, body.voter, is_vote=False)
    asked = await front.undo(body.ticket, caller.voter)
    return _json((await _pairs(asked, caller))[1:-1])


@router.post("/seen", status_code=204, response_class=Response, dependencies=VOTERS)
async def seen(
    request: Request, name: ArenaName, body: TicketBody, _: Credentials = None
) -> Response:
    """Say that the pair is on the screen now; the time to look at it counts from here."""
    front = service_of(request).front(name)
    caller = await caller_of(request, body.voter, is_vote=False)
    await front.seen(body.ticket, caller.voter)
    return Response(status_code=204)


@router.get("", responses={200: {"model": bodies.FactsReply}}, response_class=Response)
async def facts(request: Request, name: ArenaName) -> Response:
    """What everyone may know: whether it is open, which answers there are, what pages show."""
    settings = await service_of(request).front(name).look(lambda state: state.settings)
    return _json(
        json.dumps(
            {
                "name": name,
                "status": settings.status,
                "answers": ["first", "second", *settings.answers],
                "page": settings.page,
                "grace": settings.grace,
            }
        )
    )


@router.get("/serve", responses={200: {"model": bodies.FavouriteReply}}, response_class=Response)
async def serve(request: Request, name: ArenaName, _: Credentials = None) -> Response:
    """The favourite, for someone who is not asked."""
    front: Front = service_of(request).front(name)
    role = await role_of(request)
    arm, page = await front.look(lambda state: (state.arms[state.favourite()], state.settings.page))
    item = await showing.item(arm.name, arm.content, page, names=False)
    told = role is not None or page.get("blind") is not True
    return _json(f'{{"name":{json.dumps(arm.name if told else None)},"item":{item}}}')


async def _pairs(asked: Asked, caller: Caller) -> str:
    return await showing.pairs(asked.tickets, asked.settings, names=caller.is_trusted)


def _json(text: str) -> Response:
    return Response(text.encode(), media_type="application/json")


def _demand_small(service: Service, n: int) -> None:
    most = service.config.limits.batch
    if n > most:
        raise ProblemError(422, "bad-input", f"At most {most} pairs can be asked for at once.")


LEAN = [
    lean("/vote", VoteBody, vote, is_vote=True),
    lean("/ask", AskBody, ask),
    lean("/seen", TicketBody, seen),
    lean("/undo", TicketBody, undo),
]
