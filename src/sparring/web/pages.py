"""The pages: to vote, to look, to run an arena; what they are made of, and what they may do."""

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from functools import cache
from importlib import resources
from typing import Any, Protocol
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, StreamingResponse
from jinja2 import Environment, PackageLoader, StrictUndefined

from sparring.arena import Arena
from sparring.web import evidence
from sparring.web.access import is_for_everybody
from sparring.web.contents import origins_of
from sparring.web.problems import ProblemError
from sparring.web.readings import Readings
from sparring.web.studio import Board, NoBoardError, Studio
from sparring.web.workers import Workers

QUESTION = "Which one is better?"
KEYS = {"tie": "T", "both good": "G", "both bad": "B", "skip": "S"}
NOWHERE = "frame-ancestors 'none'"
PLAIN = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; "
)
UNKEPT = {"Cache-Control": "no-store"}
TYPES = {"js": "text/javascript", "css": "text/css"}
WAIT = 0.2  # seconds between looks for a new board
PATIENCE = 20.0  # seconds to wait for the first board
CATCH_UP = 5.0  # seconds to wait for a newer one, if votes have come since the last was drawn
PING = 15.0  # seconds without news, after which a stream says that it lives
STREAM = 300.0  # seconds of one stream: then the page opens another
STREAMS = 200  # at a time


class Hall(Protocol):
    """Where the arenas are."""

    workers: Workers

    def arena(self, name: str) -> Arena:
        """The arena of a name; an error that the app explains if there is none."""

    def names(self) -> list[str]:
        """The names of all."""


Reader = Callable[[Request, Arena], Awaitable[object]]


def pages(
    hall: Hall, reader: Reader, readings: Readings, frames: tuple[str, ...]
) -> tuple[APIRouter, Studio]:
    """The routes of all pages, and the studio that draws boards: close it at the end.

    Parameters
    ----------
    hall
        Where the arenas are.
    reader
        A function that raises unless the caller may see the arena's board.
    readings
        What was read from the logs of the arenas.
    frames
        The origins whose pages may show the voting page in a frame.
    """
    router, studio = APIRouter(), Studio(readings, hall.workers)
    router.include_router(evidence.router)
    looking = 0

    @router.get("/", response_class=HTMLResponse, include_in_schema=False)
    def home_page() -> Response:
        settings = {name: hall.arena(name).settings for name in hall.names()}
        if len(settings) == 1 and not any(one.invited for one in settings.values()):
            (name,) = settings
            return RedirectResponse(f"a/{quote(name, safe='')}", 302, headers=UNKEPT)
        shown = _for_everybody(hall)
        heading = "Where people vote" if shown else "Nothing to see without a link"
        return _closed_page(render("home.html", root="", heading=heading, arenas=shown))

    @router.get("/a/{name}", response_class=HTMLResponse, include_in_schema=False)
    def vote_page(name: str) -> Response:
        if name not in hall.names():
            return _no_arena(hall, root="../")
        settings = hall.arena(name).settings
        page = settings.page
        html = render(
            "vote.html",
            root="../",
            name=name,
            title=text_of(page, "title", name),
            question=text_of(page, "question", QUESTION),
            others=[(answer, KEYS[answer]) for answer in settings.answers],
            settings=settings,
            board=is_for_everybody(page),
        )
        return HTMLResponse(
            html, headers=UNKEPT | {"Content-Security-Policy": policy(page, frames)}
        )

    @router.get("/a/{name}/board", response_class=HTMLResponse, include_in_schema=False)
    def board_page(name: str) -> Response:
        if name not in hall.names():
            return _no_arena(hall, root="../../")
        page = hall.arena(name).settings.page
        title = text_of(page, "title", name) if is_for_everybody(page) else name
        return _closed_page(render("board.html", root="../../", name=name, title=title))

    @router.get("/a/{name}/embed.js", include_in_schema=False)
    def widget(request: Request, name: str) -> Response:
        hall.arena(name)
        return _file(request, "embed.js")

    @router.get("/admin", response_class=HTMLResponse, include_in_schema=False)
    def admin_page() -> Response:
        return _closed_page(render("admin.html", root=""))

    @router.get("/static/{file}", include_in_schema=False)
    def static(request: Request, file: str) -> Response:
        return _file(request, file)

    @router.get("/api/v1/arenas/{name}/board", tags=["reader"])
    async def board(request: Request, name: str) -> JSONResponse:
        """Who leads now, whether it is settled, and all else that the board shows."""
        arena = hall.arena(name)
        await reader(request, arena)
        found = await _drawn(studio, name, arena)
        return JSONResponse(found.facts, headers=UNKEPT)

    @router.get("/api/v1/arenas/{name}/board/part", tags=["reader"], response_class=HTMLResponse)
    async def board_part(request: Request, name: str) -> HTMLResponse:
        """The same as the page shows it."""
        arena = hall.arena(name)
        await reader(request, arena)
        found = await _drawn(studio, name, arena)
        headers = UNKEPT | {"X-Board": str(found.version)}
        return HTMLResponse(found.part, headers=headers)

    @router.get("/api/v1/arenas/{name}/board/events", tags=["reader"])
    async def board_events(request: Request, name: str) -> Response:
        """Server-sent events: a new board is there."""
        nonlocal looking
        arena = hall.arena(name)
        await reader(request, arena)
        if looking >= STREAMS:
            many = "Too many people follow boards: try again in half a minute."
            raise ProblemError(503, "busy", many, {"Retry-After": "30"})

        async def news() -> AsyncIterator[str]:
            nonlocal looking
            looking += 1
            try:
                async for line in _news(studio, name, arena):
                    yield line
            finally:
                looking -= 1

        return StreamingResponse(news(), media_type="text/event-stream", headers=UNKEPT)

    return router, studio


async def _drawn(studio: Studio, name: str, arena: Arena) -> Board:
    """The newest board, drawn again if it is old and votes have come since.

    The first caller waits until there is one; a caller who would wait long gets the old one, with
    its `drawn_at`.
    """
    began = time.monotonic()
    while (waited := time.monotonic() - began) < PATIENCE:
        # Before it is taken: the board may be drawn between the two.
        is_stale = waited < CATCH_UP and await asyncio.to_thread(studio.is_stale, name)
        with suppress(NoBoardError):
            if (found := studio.newest(name, arena)) is not None and not is_stale:
                return found
        await asyncio.sleep(WAIT)
    late = "The board is still being drawn: try again in a few seconds."
    raise ProblemError(503, "busy", late, {"Retry-After": "5"})


async def _news(studio: Studio, name: str, arena: Arena) -> AsyncIterator[str]:
    began = spoke = time.monotonic()
    version = -1
    while not studio.closed and (now := time.monotonic()) < began + STREAM:
        found = await _drawn(studio, name, arena) if version < 0 else studio.newest(name, arena)
        if found is not None and found.version != version:
            version, spoke = found.version, now
            data = json.dumps({"version": version, "votes": found.facts["votes"]})
            yield f"event: board\nid: {version}\ndata: {data}\n\n"
        elif now > spoke + PING:
            spoke = now
            yield ": still here\n\n"
        await asyncio.sleep(WAIT)


def policy(page: dict[str, Any], frames: tuple[str, ...]) -> str:
    """What the voting page may do: fetch only from here, and media from where the owner allows."""
    media = " ".join(["'self'", "data:", *origins_of(page)])
    return (
        PLAIN.replace("img-src 'self' data:", f"img-src {media}; media-src {media}")
        + f"frame-ancestors {' '.join(frames)}"
    )


def text_of(page: dict[str, Any], name: str, usual: str) -> str:
    """A text of the page's settings."""
    found = page.get(name)
    return found if isinstance(found, str) and found.strip() else usual


def render(template: str, **fields: Any) -> str:
    """A template, filled; whatever is put in is escaped."""
    return _environment().get_template(template).render(**fields)


def _for_everybody(hall: Hall) -> list[tuple[str, str]]:
    """The names and titles of the arenas that anyone may know of."""
    settings = {name: hall.arena(name).settings for name in hall.names()}
    return [
        (name, text_of(one.page, "title", name))
        for name, one in settings.items()
        if is_for_everybody(one.page) and not one.invited
    ]


def _no_arena(hall: Hall, root: str) -> HTMLResponse:
    """What people see who mistyped a link; a problem document is for programs."""
    heading, shown = "There is no arena of this name", _for_everybody(hall)
    return _closed_page(render("home.html", root=root, heading=heading, arenas=shown), 404)


def _closed_page(html: str, status: int = 200) -> HTMLResponse:
    headers = UNKEPT | {"Content-Security-Policy": PLAIN + NOWHERE}
    return HTMLResponse(html, status, headers=headers)


def _file(request: Request, name: str) -> Response:
    data = _static(name)
    if data is None:
        raise HTTPException(404)
    tag = f'"{hashlib.sha256(data).hexdigest()[:20]}"'
    # Any page may load them: a frame within a sandbox has an origin of its own.
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Access-Control-Allow-Origin": "*"}
    headers |= {"Cross-Origin-Resource-Policy": "cross-origin"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=TYPES[name.rpartition(".")[2]], headers=headers)


LOOKS = ("page.css", "page.js", "course.css", "course.js", "standing.css")


@cache
def _static(name: str) -> bytes | None:
    """A file that pages load; the look and the charts are those of all pages of results."""
    ours = {
        file.name: file for file in resources.files("sparring.web").joinpath("static").iterdir()
    }
    look = resources.files("sparring.charts").joinpath("templates")
    files = ours | {file: look.joinpath(file) for file in LOOKS}
    return files[name].read_bytes() if name in files else None


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("sparring.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
