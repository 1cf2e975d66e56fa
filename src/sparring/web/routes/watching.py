"""Whether the service is alive and well, and its metrics."""

import asyncio

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from sparring.arena import StorageError
from sparring.web import bodies
from sparring.web.access import Credentials, demand, service_of
from sparring.web.desk import DeskFullError
from sparring.web.limits import is_from_here
from sparring.web.metrics import MEDIA_TYPE
from sparring.web.problems import SOON, ProblemError

PATIENCE = 2.0  # seconds for a database to answer

public = APIRouter(tags=["public"])


@public.get("/health", responses={200: {"model": bodies.StatusReply}})
async def health() -> JSONResponse:
    """The process is alive."""
    return JSONResponse({"status": "alive"})


@public.get("/ready", responses={200: {"model": bodies.StatusReply}})
async def ready(request: Request) -> JSONResponse:
    """The database of every arena answers, and everything works that must."""
    service = service_of(request)
    if gone := service.workers.gone():
        detail = f"A part of the service has ended: {', '.join(gone)}. Restart it."
        raise ProblemError(503, "not-ready", detail, {"Retry-After": SOON})
    looks = [service.front(name).be_ready() for name in service.names()]
    try:
        await asyncio.wait_for(asyncio.gather(*looks), PATIENCE)
    except (StorageError, DeskFullError, TimeoutError):
        detail = "The database does not answer."
        raise ProblemError(503, "not-ready", detail, {"Retry-After": SOON}) from None
    return JSONResponse({"status": "ready"})


@public.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(request: Request, _: Credentials) -> Response:
    """Prometheus metrics of this process; from another machine only with a reader key."""
    if not is_from_here(request.scope):
        await demand(request, "reader")
    return Response(service_of(request).metrics.text(), media_type=MEDIA_TYPE)
