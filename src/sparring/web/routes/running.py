"""Running an arena: its settings, and verdicts on voters."""

import asyncio
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse

from sparring.arena import Arena, Settings
from sparring.web import bodies
from sparring.web.access import router_for, service_of
from sparring.web.bodies import ArenaBody, ArenaName, SettingsBody, VerdictBody
from sparring.web.founding import found_arena

PATH = "/api/v1/arenas/{name}"

reader, admin = router_for("reader"), router_for("admin")


@reader.get("/api/v1/arenas", responses={200: {"model": bodies.ArenasReply}})
async def list_arenas(request: Request) -> JSONResponse:
    """The names of all arenas of this service."""
    return JSONResponse({"arenas": service_of(request).names()})


@admin.post("/api/v1/arenas", status_code=201, responses={201: {"model": bodies.ArenasReply}})
async def make_arena(request: Request, body: ArenaBody) -> JSONResponse:
    """Make an arena; an existing one with the same items stays as it is."""
    service = service_of(request)
    known = body.name in service.names()
    items = dict.fromkeys(body.items)
    address, learner = service.config.address, body.learner
    await asyncio.to_thread(found_arena, address, items, name=body.name, learner=learner)
    await service.open_new()
    return JSONResponse({"arenas": service.names()}, 200 if known else 201)


@reader.get(PATH + "/settings", responses={200: {"model": bodies.SettingsReply}})
async def settings(request: Request, name: ArenaName) -> JSONResponse:
    """How the arena asks and what it learns."""
    found = await service_of(request).front(name).look(lambda state: state.settings)
    return JSONResponse(found.to_json())


@admin.patch(PATH + "/settings", responses={200: {"model": bodies.SettingsReply}})
async def change_settings(request: Request, name: ArenaName, body: SettingsBody) -> JSONResponse:
    """Change some settings; those that are left out stay as they are."""
    changes: dict[str, Any] = body.model_dump(exclude_unset=True)
    if "answers" in changes:
        changes["answers"] = tuple(changes["answers"])

    def work(arena: Arena) -> Settings:
        if "page" in changes:
            changes["page"] = {**arena.settings.page, **changes["page"]}
        return arena.set(**changes)

    changed = await service_of(request).front(name).call(work)
    return JSONResponse(changed.to_json())


@reader.get(PATH + "/voters", responses={200: {"model": bodies.VotersReply}})
async def list_voters(request: Request, name: ArenaName) -> JSONResponse:
    """The voters that are held or banned, by pseudonym."""
    found = await service_of(request).front(name).call(lambda arena: arena.verdicts())
    voters = [{"voter": voter, "verdict": verdict} for voter, verdict in found.items()]
    return JSONResponse({"voters": voters})


@admin.post(PATH + "/voters", status_code=204)
async def judge_voter(request: Request, name: ArenaName, body: VerdictBody) -> Response:
    """Hold a voter (later answers are set aside), ban one (no answer counts), or free one."""
    front = service_of(request).front(name)
    await front.call(lambda arena: arena.judge(body.voter, body.verdict))
    return Response(status_code=204)
