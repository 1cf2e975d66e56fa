"""Invites: links that let voters into an arena that is not open to everyone."""

import asyncio
from urllib.parse import quote

from fastapi import Path, Request, Response
from fastapi.responses import JSONResponse

from sparring.web import bodies
from sparring.web.access import router_for, service_of
from sparring.web.bodies import ArenaName, NewInviteBody

PATH = "/api/v1/arenas/{name}/invites"
NUMBER = Path(ge=1, le=2**53, examples=[1])

admin = router_for("admin")


@admin.get(PATH, responses={200: {"model": bodies.InvitesReply}})
async def list_invites(request: Request, name: ArenaName) -> JSONResponse:
    """The invites of an arena and how often each was used, without their secrets."""
    service = service_of(request)
    service.front(name)
    found = await asyncio.to_thread(service.invites.all, name)
    return JSONResponse({"invites": [invite._asdict() for invite in found]})


@admin.post(PATH, status_code=201, responses={201: {"model": bodies.NewInviteReply}})
async def make_invite(request: Request, name: ArenaName, body: NewInviteBody) -> JSONResponse:
    """Make an invite for a number of voters. This is the only time that its link is shown."""
    service = service_of(request)
    service.front(name)

    def make() -> dict[str, object]:
        made, text = service.invites.make(name, body.label, uses=body.uses, expires=body.expires)
        # Behind #, which browsers send to nobody: it is in no log and no Referer.
        link = f"{service.config.url}/a/{quote(name, safe='')}#invite={text}"
        return {**made._asdict(), "invite": text, "link": link}

    return JSONResponse(await asyncio.to_thread(make), 201)


@admin.delete(PATH + "/{number}", status_code=204)
async def end_invite(request: Request, name: ArenaName, number: int = NUMBER) -> Response:
    """End an invite: it lets no one in, and those it let in are out again. Their answers stay."""
    service = service_of(request)
    service.front(name)
    await asyncio.to_thread(service.invites.end, name, number)
    service.gate.forget()
    return Response(status_code=204)
