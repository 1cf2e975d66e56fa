"""Data in and out: export, import, backup."""

import asyncio
import os
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse, StreamingResponse
from pydantic import ValidationError
from starlette.background import BackgroundTask

from sparring import addresses
from sparring.arena import Arena, Record
from sparring.arena.database import SQLiteReader
from sparring.web import bodies
from sparring.web.access import router_for, service_of
from sparring.web.bodies import ArenaName, ImportBody
from sparring.web.listing import csv_lines, flat, json_lines, read_comparisons
from sparring.web.problems import ProblemError, invalid
from sparring.web.routes.items import text_of

PATH = "/api/v1/arenas/{name}"
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
}
LINES = 500  # in one piece of a reply
Format = Literal["csv", "jsonl", "parquet"]
SOURCE = Query(None, min_length=1, max_length=200, description="Of CSV: where it is from.")
IMPORTS: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": ImportBody.model_json_schema()},
            "text/csv": {
                "schema": {"type": "string"},
                "example": "first,second,outcome,at\nterse,polite,1,1700000000\n",
            },
        },
    }
}

reader, writer, admin = router_for("reader"), router_for("writer"), router_for("admin")


@reader.get(
    PATH + "/export",
    response_class=Response,
    responses={200: {"content": {media: {} for media in TYPES.values()}}},
)
async def export(
    request: Request, name: ArenaName, kind: Annotated[Format, Query(alias="format")] = "csv"
) -> Response:
    """Every answer, with the probability of its pair; voters by pseudonym."""
    front = service_of(request).front(name)
    headers = {"Content-Disposition": f'attachment; filename="votes.{kind}"'}
    if kind == "parquet":
        path = await front.call(_parquet)
        return _passing(path, TYPES[kind], headers)
    lines = csv_lines if kind == "csv" else json_lines
    pieces = _pieces(lines(front.arena.records()))
    return StreamingResponse(pieces, media_type=TYPES[kind], headers=headers)


@writer.post(
    PATH + "/import", responses={200: {"model": bodies.ImportReply}}, openapi_extra=IMPORTS
)
async def import_votes(
    request: Request, name: ArenaName, source: str | None = SOURCE
) -> JSONResponse:
    """Import comparisons from outside, marked with their source; all or none."""
    front = service_of(request).front(name)
    if "json" in request.headers.get("content-type", ""):
        try:
            given = await request.body()
            body = await asyncio.to_thread(ImportBody.model_validate_json, given)
        except ValidationError as error:
            raise invalid(error.errors(include_url=False, include_input=False)) from None
        source, rows = body.source, [tuple(row.model_dump().values()) for row in body.rows]
    else:
        rows = await asyncio.to_thread(read_comparisons, await text_of(request))
    if source is None:
        raise ProblemError(422, "bad-input", "A source is needed: /import?source=...")
    marked, checked = source, rows
    number = await front.call(lambda arena: arena.import_votes(checked, source=marked))
    return JSONResponse({"imported": number})


@admin.get(
    "/api/v1/backup",
    response_class=Response,
    responses={200: {"content": {"application/vnd.sqlite3": {}}}},
)
async def backup(request: Request) -> Response:
    """A copy of the whole database, including ticket keys and webhook secrets."""
    service = service_of(request)
    address = service.config.address
    if address.startswith(addresses.SERVERS):
        detail = "The arenas are in PostgreSQL: use pg_dump there."
        raise ProblemError(409, "not-a-file", detail)
    path = await service.front(service.names()[0]).call(lambda _: _copied(address))
    headers = {"Content-Disposition": 'attachment; filename="arena-backup.db"'}
    return _passing(path, "application/vnd.sqlite3", headers)


def _copied(address: str) -> str:
    """A copy of a database in use; voting does not wait for it."""
    path = _temporary(".db")
    source = SQLiteReader(address)
    try:
        source.back_up(path)
    except BaseException:
        os.unlink(path)  # it has secrets
        raise
    finally:
        source.close()
    return path


def _parquet(arena: Arena) -> str:
    import polars  # only now: it takes a while, and few ask for it

    columns: dict[str, Any] = dict.fromkeys(flat(EXAMPLE), polars.String)
    columns |= dict.fromkeys(("number", "first_version", "second_version"), polars.Int64)
    columns |= dict.fromkeys(("at", "asked_at", "outcome", "chance"), polars.Float64)
    columns |= dict.fromkeys(("counted", "uniform"), polars.Boolean)
    path = _temporary(".parquet")
    polars.DataFrame((flat(record) for record in arena.records()), columns).write_parquet(path)
    return path


EXAMPLE = Record(1, 0.0, 0.0, "", "", (0, 0), 1.0, "", True, "", None, False, None, "")


def _temporary(suffix: str) -> str:
    handle, path = tempfile.mkstemp(suffix, "sparring-")  # which nobody else can read
    os.close(handle)
    return path


def _passing(path: str, media_type: str, headers: dict[str, str]) -> FileResponse:
    """A file that is deleted when it has been sent."""
    done = BackgroundTask(os.unlink, path)
    return FileResponse(path, media_type=media_type, headers=headers, background=done)


def _pieces(lines: Iterable[str]) -> Iterator[bytes]:
    """Lines in larger pieces, each of which a thread fetches."""
    remaining = iter(lines)
    while piece := "".join(islice(remaining, LINES)):
        yield piece.encode()
