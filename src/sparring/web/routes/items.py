"""Items: listed, added, edited, withdrawn, one by one and in bulk."""

import asyncio
from typing import Any

from fastapi import Path, Request, Response
from fastapi.responses import JSONResponse
from starlette.convertors import Convertor, register_url_convertor

from sparring import checks
from sparring.arena import Arena as LiveArena
from sparring.arena import Item
from sparring.web import bodies
from sparring.web.access import router_for, service_of
from sparring.web.bodies import ArenaName, ContentBody, NewItemBody
from sparring.web.contents import checked, origins_of
from sparring.web.listing import read_items
from sparring.web.problems import ProblemError

PATH = "/api/v1/arenas/{name}/items"
ITEM = Path(max_length=checks.LONGEST_NAME, examples=["terse"])
TEXT_BODIES: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "text/csv": {
                "schema": {"type": "string"},
                "example": "name,kind,text\nterse,text,Be brief.\n",
            },
            "application/jsonl": {
                "schema": {"type": "string"},
                "example": '{"name": "terse", "kind": "text", "text": "Be brief."}\n',
            },
        },
    }
}


class NameConvertor(Convertor[str]):
    """The name of an item at the end of an address: any text, also several lines and slashes."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        """As it is."""
        return value

    def to_string(self, value: str) -> str:
        """As it is."""
        return value


register_url_convertor("item", NameConvertor())

reader, writer = router_for("reader"), router_for("writer")


@reader.get(PATH, responses={200: {"model": bodies.ItemsReply}})
async def list_items(request: Request, name: ArenaName) -> JSONResponse:
    """All items, also withdrawn ones, with what is shown for them and how they do."""
    found = await service_of(request).front(name).call(lambda arena: arena.items())
    return JSONResponse({"items": [item_json(item) for item in found]})


@writer.post(
    PATH,
    status_code=201,
    responses={201: {"model": bodies.ItemReply}, 200: {"model": bodies.ItemReply}},
)
async def add_item(request: Request, name: ArenaName, body: NewItemBody) -> JSONResponse:
    """Add an item. Adding the same one again changes nothing and returns 200."""
    service = service_of(request)
    most = service.config.limits.items

    def work(arena: LiveArena) -> tuple[Item, bool]:
        present = {item.name: item for item in arena.items() if item.withdrawn is None}
        content = checked_content(arena, body)
        if body.name in present:
            if present[body.name].content != content:
                detail = "There is an item of this name with another content: edit it with PUT."
                raise ProblemError(409, "item-differs", detail)
            return present[body.name], False
        if len(present) >= most:
            raise ProblemError(409, "too-many-items", f"An arena has at most {most} items.")
        arena.add(body.name, boost=body.boost, content=content)
        return find(arena, body.name), True

    item, is_new = await service.front(name).call(work)
    return JSONResponse(item_json(item), 201 if is_new else 200)


@writer.put(PATH + "/{item:item}", responses={200: {"model": bodies.ItemReply}})
async def edit_item(
    request: Request, name: ArenaName, body: ContentBody, item: str = ITEM
) -> JSONResponse:
    """Change what is shown for an item. Questions record which version they showed."""

    def work(arena: LiveArena) -> Item:
        find(arena, item)
        content = checked_content(arena, body)
        if content is None:
            raise ProblemError(422, "bad-input", "A content is needed: what to show.")
        arena.edit(item, content)
        return find(arena, item)

    return JSONResponse(item_json(await service_of(request).front(name).call(work)))


@writer.delete(PATH + "/{item:item}", status_code=204)
async def withdraw_item(request: Request, name: ArenaName, item: str = ITEM) -> Response:
    """Withdraw an item: it is not shown again. Repeating it changes nothing."""

    def work(arena: LiveArena) -> None:
        known = arena.items()
        if item not in [one.name for one in known]:
            raise ProblemError(404, "no-such-item", "There is no item of this name.")
        present = [one.name for one in known if one.withdrawn is None]
        if item in present and len(present) == 2:
            detail = "An arena needs two items: add another one first."
            raise ProblemError(409, "too-few-items", detail)
        arena.withdraw(item)

    await service_of(request).front(name).call(work)
    return Response(status_code=204)


@writer.post(
    PATH + "/bulk", responses={200: {"model": bodies.BulkReply}}, openapi_extra=TEXT_BODIES
)
async def add_many_items(request: Request, name: ArenaName) -> JSONResponse:
    """Add and edit many items, all or none; those that are left out stay as they are."""
    text = await text_of(request)
    is_csv = "json" not in request.headers.get("content-type", "")
    service = service_of(request)
    front, most = service.front(name), service.config.limits.items
    page = await front.look(lambda state: state.settings.page)
    given = await asyncio.to_thread(read_items, text, is_csv=is_csv, origins=origins_of(page))
    return JSONResponse(await front.take_in(given, most))


def checked_content(arena: LiveArena, body: ContentBody) -> dict[str, Any] | None:
    """The content of a body, as it is stored."""
    if body.content is None:
        return None
    return checked(body.content, origins_of(arena.settings.page))


def find(arena: LiveArena, name: str) -> Item:
    """An item that is present."""
    for item in arena.items():
        if item.name == name and item.withdrawn is None:
            return item
    raise ProblemError(404, "no-such-item", "There is no item of this name.")


def item_json(item: Item) -> dict[str, Any]:
    """An item for JSON, times in seconds since 1970."""
    withdrawn = None if item.withdrawn is None else item.withdrawn.timestamp()
    return {**item._asdict(), "since": item.since.timestamp(), "withdrawn": withdrawn}


async def text_of(request: Request) -> str:
    """The body of a request that is text."""
    try:
        return (await request.body()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ProblemError(422, "bad-input", "The body must be text in UTF-8.") from None
