"""Who calls: the role of a key, or a voter without one, and what is allowed."""

import re
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.datastructures import Headers

from sparring.arena import Arena
from sparring.web.keys import reaches
from sparring.web.limits import caller_address, retry_after
from sparring.web.problems import ProblemError
from sparring.web.service import Service

VOTER_HEADER = "x-voter"
INVITE_HEADER = "x-invite"
VOTER = re.compile(r"[A-Za-z0-9_.~+/=-]{8,128}")
SCHEME = HTTPBearer(
    scheme_name="key",
    description="A key of the service, such as spk_...; the tag of an operation says which role.",
    auto_error=False,
)
CHALLENGE = {"WWW-Authenticate": "Bearer"}
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(SCHEME)]


class Caller(NamedTuple):
    """Who asks or votes."""

    voter: str | None
    is_trusted: bool
    """Whether it is a server with a writer key, which may know names and pass voters on."""
    address: str | None = None
    """Where a voter calls from."""


def service_of(request: Request) -> Service:
    """The service that an app was made for."""
    found: Service = request.app.state.service
    return found


async def role_of(request: Request) -> str | None:
    """The role of the key that a request has; None if it has none."""
    return await role_in(service_of(request), request.headers)


async def role_in(service: Service, headers: Headers) -> str | None:
    """The role of the key in the headers of a request; None if there is none."""
    given = headers.get("authorization")
    if given is None:
        return None
    scheme, _, key = given.partition(" ")
    role = await service.keys.role(key.strip()) if scheme.lower() == "bearer" else None
    if role is None:
        raise ProblemError(401, "unknown-key", "This is no key, or it was ended.", CHALLENGE)
    return role


async def demand(request: Request, needed: str) -> None:
    """Refuse a request without a key of this role."""
    role = await role_of(request)
    if role is None:
        detail = f"This needs a key of the role {needed}: Authorization: Bearer ..."
        raise ProblemError(401, "key-needed", detail, CHALLENGE)
    if not reaches(role, needed):
        detail = f"This needs a key of the role {needed}; yours is for a {role}."
        raise ProblemError(403, "role-too-low", detail)


async def may_look(request: Request, _: Arena) -> None:
    """Refuse a look at a board that is not open to everyone."""
    service = service_of(request)
    if service.config.open_board:
        return
    page = await service.front(request.path_params["name"]).look(lambda state: state.settings.page)
    if not is_for_everybody(page):
        await demand(request, "reader")


def is_for_everybody(page: dict[str, Any]) -> bool:
    """Whether the settings of a page let everyone see its board."""
    return page.get("board") == "public"


def router_for(role: str) -> APIRouter:
    """Routes that need a key of a role, which is also their tag."""
    return APIRouter(tags=[role], dependencies=[Depends(_demanding(role))])


def _demanding(role: str) -> Callable[..., Awaitable[None]]:
    async def check(request: Request, _: Credentials) -> None:
        await demand(request, role)

    return check


async def count_call(request: Request, *, is_vote: bool) -> None:
    """Count a call of whoever has no key, before anything is done for it."""
    service = service_of(request)
    service.front(request.path_params["name"])
    request.state.role = await role_of(request)
    if request.state.role is not None:
        return
    given = request.headers.get(VOTER_HEADER, "")
    if not VOTER.fullmatch(given):
        detail = "The header X-Voter must have 8 to 128 letters and digits, random for each voter."
        raise ProblemError(422, "bad-voter", detail)
    address = caller_address(request.scope, service.config.proxy_hops)
    request.state.voter, request.state.address = given, address
    _demand_patience(service, service.throttle.wait(given, address, is_vote=is_vote))


async def caller_of(
    request: Request, voter: str | None, *, is_vote: bool, pairs: int = 0
) -> Caller:
    """Who asks or votes: a server with a key, or a voter, whose further pairs are counted now."""
    role = request.state.role
    if role is not None:
        if not reaches(role, "writer"):
            detail = f"To vote with a key you need a writer's; yours is for a {role}."
            raise ProblemError(403, "role-too-low", detail)
        return Caller(voter, is_trusted=True)
    if voter is not None:
        detail = "To name a voter in the body needs a key of the role writer."
        raise ProblemError(401, "key-needed", detail, CHALLENGE)
    service, given = service_of(request), request.state.voter
    most = service.config.limits.ahead
    if pairs > most:
        detail = f"Without a key at most {most} pairs can be open."
        raise ProblemError(422, "bad-input", detail)
    if pairs > 1:
        address = request.state.address
        seconds = service.throttle.wait(given, address, is_vote=is_vote, cost=pairs, back=1)
        _demand_patience(service, seconds)
    front = service.front(request.path_params["name"])
    await service.gate.demand(front, given, request.headers.get(INVITE_HEADER))
    return Caller(given, is_trusted=False, address=request.state.address)


def _demand_patience(service: Service, seconds: float) -> None:
    if seconds > 0:
        service.metrics.limited.inc()
        detail = "That was too often. Nothing was stored: try again later."
        raise ProblemError(429, "too-often", detail, {"Retry-After": retry_after(seconds)})
