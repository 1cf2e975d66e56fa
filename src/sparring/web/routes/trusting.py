"""Keys and webhooks: who may do what, and who is notified of what."""

import asyncio

from fastapi import Path, Request, Response
from fastapi.responses import JSONResponse

from sparring.web import bodies
from sparring.web.access import router_for, service_of
from sparring.web.bodies import ArenaName, NewHookBody, NewKeyBody
from sparring.web.deliveries import demand_open
from sparring.web.hooks import demand_url

KEYS = "/api/v1/keys"
HOOKS = "/api/v1/arenas/{name}/hooks"
NUMBER = Path(ge=1, le=2**53, examples=[1])

admin = router_for("admin")


@admin.get(KEYS, responses={200: {"model": bodies.KeysReply}})
async def list_keys(request: Request) -> JSONResponse:
    """The keys in use, without their secrets."""
    found = await asyncio.to_thread(service_of(request).keys.all)
    return JSONResponse({"keys": [record._asdict() for record in found]})


@admin.post(KEYS, status_code=201, responses={201: {"model": bodies.NewKeyReply}})
async def make_key(request: Request, body: NewKeyBody) -> JSONResponse:
    """Make a key. This is the only time that it is shown."""
    record, key = await asyncio.to_thread(service_of(request).keys.make, body.role, body.label)
    return JSONResponse({**record._asdict(), "key": key}, 201)


@admin.delete(KEYS + "/{number}", status_code=204)
async def end_key(request: Request, number: int = NUMBER) -> Response:
    """End a key. Repeating it changes nothing; the last admin key stays."""
    await asyncio.to_thread(service_of(request).keys.end, number)
    return Response(status_code=204)


@admin.get(HOOKS, responses={200: {"model": bodies.HooksReply}})
async def list_hooks(request: Request, name: ArenaName) -> JSONResponse:
    """The webhooks of an arena, without their secrets."""
    service = service_of(request)
    service.front(name)
    found = await asyncio.to_thread(service.hooks.all, name)
    shown = [{**hook._asdict()} for hook in found]
    for hook in shown:
        del hook["secret"]
    return JSONResponse({"hooks": shown})


@admin.post(HOOKS, status_code=201, responses={201: {"model": bodies.NewHookReply}})
async def make_hook(request: Request, name: ArenaName, body: NewHookBody) -> JSONResponse:
    """Make a webhook. This is the only time that its secret, which signs messages, is shown."""
    service = service_of(request)
    service.front(name)
    demand_url(body.url)
    if not service.config.private_hooks:
        await asyncio.to_thread(demand_open, body.url)
    hook = await asyncio.to_thread(service.hooks.make, name, body.url, body.kinds)
    return JSONResponse(hook._asdict(), 201)


@admin.delete(HOOKS + "/{number}", status_code=204)
async def end_hook(request: Request, name: ArenaName, number: int = NUMBER) -> Response:
    """End a webhook. Repeating it changes nothing."""
    service = service_of(request)
    service.front(name)
    await asyncio.to_thread(service.hooks.end, name, number)
    return Response(status_code=204)
