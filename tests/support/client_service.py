"""A whole service on a port of this machine, for tests of what calls it."""

import threading
import time
from contextlib import contextmanager
from typing import NamedTuple

import uvicorn

from sparring.arena import Arena
from sparring.web.app import create_app
from sparring.web.config import ServiceConfig
from sparring.web.keys import Keys


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
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.005)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Served(f"http://127.0.0.1:{port}", **made)
    finally:
        server.should_exit = True
        thread.join()
