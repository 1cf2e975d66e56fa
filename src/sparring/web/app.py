"""create_app: the whole service as an ASGI app."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from sparring.version import __version__
from sparring.web import problems
from sparring.web.config import ServiceConfig
from sparring.web.guard import Guard
from sparring.web.metrics import Metrics
from sparring.web.routes import voting
from sparring.web.service import Service

ENVIRONMENT = "SPARRING_SERVE"  # where worker processes find how to serve


def create_app(config: ServiceConfig) -> FastAPI:
    """The service of all arenas in a database.

    Parameters
    ----------
    config
        Which database, and how it is served.
    """
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with Service(config, metrics) as app.state.service:
            yield

    app = FastAPI(
        title="sparring", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None
    )
    app.add_middleware(Guard, config=config, metrics=metrics)
    problems.add_to(app)
    for router in (voting.router,):
        app.include_router(router)
    return app


def from_environment() -> FastAPI:
    """The app of a worker process."""
    return create_app(ServiceConfig.from_json(os.environ[ENVIRONMENT]))
