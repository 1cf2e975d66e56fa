"""A whole service on a port of this machine, for tests of what calls it."""

import threading
import time
from contextlib import contextmanager
from typing import NamedTuple

import httpx
import uvicorn

from sparring.arena import Arena
from sparring.web.app import create_app
from sparring.web.config import ServiceConfig
from sparring.web.keys import Keys
from sparring.web.routes import standing


class Served(NamedTuple):
    """Where it is, and a key of each role."""

    address: str
    admin: str
    writer: str
    reader: str


@contextmanager
def served(path, arms, **options):
    """Serve a new arena until the end of the block."""
    Arena(path, arms, **options).close()
    keys = Keys(str(path))
    made = {role: keys.make(role, role)[1] for role in ("admin", "writer", "reader")}
    keys.close()
    app = create_app(ServiceConfig(str(path)))
    if not any(getattr(route, "path", "").endswith("/standing") for route in app.routes):
        for router in (standing.reader, standing.writer):
            app.include_router(router)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.005)
        port = server.servers[0].sockets[0].getsockname()[1]
        address = f"http://127.0.0.1:{port}"
        # The first call reads the keys; others that come meanwhile would not find theirs.
        httpx.get(f"{address}/api/v1/arenas", headers={"Authorization": f"Bearer {made['admin']}"})
        yield Served(address, **made)
    finally:
        server.should_exit = True
        thread.join()
