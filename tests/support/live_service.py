"""A service on a port of this machine, in a thread, for tests in a browser."""

import threading
import time
from contextlib import contextmanager

import uvicorn

from sparring.web.app import create_app
from sparring.web.config import ServiceConfig
from sparring.web.connections import Connections
from sparring_cli.serving import DAY
from web_service import FREE, made_keys


class Live:
    """A service that listens."""

    def __init__(self, app, url, keys):
        self.url, self.keys = url, keys
        self.address = app.state.service.config.address
        self.arena = app.state.service.arena


@contextmanager
def listening(address, *, http=None, **config):
    """Serve the arenas of a database while the block runs, as `sparring serve` does.

    `http` may be connections with other limits.
    """
    keys = made_keys(address)
    app = create_app(ServiceConfig(str(address), **{"limits": FREE, **config}))
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=http or Connections(2000, by_address=False),
            ws="none",
            port=0,
            log_level="error",
            proxy_headers=False,
            timeout_keep_alive=DAY,
            timeout_graceful_shutdown=1,
        )
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Live(app, f"http://127.0.0.1:{port}", keys)
    finally:
        server.should_exit = True
        thread.join()
