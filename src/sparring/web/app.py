"""create_app: the whole service as an ASGI app."""

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.responses import RedirectResponse

from sparring.version import __version__
from sparring.web import document, problems
from sparring.web.access import may_look
from sparring.web.config import ServiceConfig
from sparring.web.ending import told_at_once
from sparring.web.guard import Guard
from sparring.web.metrics import Metrics
from sparring.web.pages import pages
from sparring.web.routes import (
    inviting,
    items,
    moving,
    running,
    standing,
    trusting,
    voting,
    watching,
)
from sparring.web.service import Service

ENVIRONMENT = "SPARRING_SERVE"  # where worker processes find how to serve
ROUTERS = (
    *(voting.router, watching.public),
    *(items.reader, running.reader, moving.reader, standing.reader),
    *(items.writer, moving.writer, standing.writer),
    *(running.admin, trusting.admin, inviting.admin, moving.admin),
)


def create_app(config: ServiceConfig, opened: Callable[[], None] | None = None) -> FastAPI:
    """The service of all arenas in a database.

    Parameters
    ----------
    config
        Which database, and how it is served.
    opened
        Called once the arenas are open, before the first request.
    """
    metrics = Metrics(config.shared)
    service = Service(config, metrics)
    frames = config.origins or ("'self'",)
    shown, studio = pages(service, may_look, service.readings, frames)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with service:
            if opened is not None:
                opened()
            with told_at_once(studio.stop):
                yield
            await asyncio.to_thread(studio.close)

    app = FastAPI(
        title="sparring",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    app.add_middleware(Guard, service=service)
    problems.add_to(app)
    app.router.routes[:0] = voting.LEAN  # before the routes of the same paths
    for router in (*ROUTERS, shown):
        app.include_router(router)
    document.add_to(app)
    app.add_route("/{path:path}/", without_slash, methods=["GET"], include_in_schema=False)
    return app


async def without_slash(request: Request) -> Response:
    """Send a browser to the same address without the slash at its end.

    By a relative address, as it may have come here by https and another name: only the proxy knows.
    """
    last = quote(request.path_params["path"].rpartition("/")[2], safe="")
    query = request.url.query
    return RedirectResponse(f"../{last}" + (f"?{query}" if query else ""))


def app_of_a_process(config: ServiceConfig) -> FastAPI:
    """The service, where this process does nothing else."""
    return create_app(config, opened=spare_the_collector)


def spare_the_collector() -> None:
    """Let the garbage collector pass over all there is by now: imports and open arenas stay.

    Left to it, they would be searched every second or two, and all callers would wait 80 ms.
    """
    gc.collect()
    gc.freeze()


def from_environment() -> FastAPI:
    """The app of a worker process."""
    return app_of_a_process(ServiceConfig.from_json(os.environ[ENVIRONMENT]))
