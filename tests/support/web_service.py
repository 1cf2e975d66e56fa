"""A service in this process, with a key of each role, for tests."""

import asyncio
import threading
from contextlib import contextmanager

import httpx

from sparring.arena import Arena
from sparring.web.app import create_app
from sparring.web.config import Limits, ServiceConfig
from sparring.web.keys import Keys

ARMS = ["ash", "birch", "cedar", "elm"]
FREE = Limits(ahead=50, voter_minute=0, voter_day=0, address_minute=0, address_day=0)
API = "/api/v1/arenas/arena"


class LoopThread:
    """An app in an event loop of its own, called from this thread over ASGI."""

    def __init__(self, app, peer):
        self.app = app
        self._transport = httpx.ASGITransport(app, client=(peer, 5000))
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever)

    def run(self, coroutine):
        """What a coroutine comes to."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(120)

    def request(self, method, path, **more):
        async def send():
            async with httpx.AsyncClient(
                transport=self._transport, base_url="http://127.0.0.1"
            ) as client:
                return await client.request(method, path, **more)

        return self.run(send())

    def post(self, path, **more):
        return self.request("POST", path, **more)

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def __enter__(self):
        self._thread.start()
        self._lifespan = self.app.router.lifespan_context(self.app)
        self.run(self._lifespan.__aenter__())
        return self

    def __exit__(self, *_):
        try:
            self.run(self._lifespan.__aexit__(None, None, None))
        finally:
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join()
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
            self.loop.close()


class Caller:
    """Calls the API as somebody: a voter, or the holder of a key."""

    def __init__(self, client, *, key=None, voter=None):
        self._client = client
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.headers |= {"X-Voter": voter} if voter else {}

    def __call__(self, method, path, body=None, **more):
        path = path if path.startswith("/") else f"{API}/{path}".rstrip("/")
        headers = self.headers | more.pop("headers", {})
        more = more if body is None else more | {"json": body}
        return self._client.request(method, path, headers=headers, **more)

    def ask(self, n=1):
        reply = self("POST", "ask", {"n": n})
        assert reply.status_code == 200, reply.text
        return reply.json()["pairs"]

    def vote(self, ticket, answer="first", **more):
        return self("POST", "vote", {"ticket": ticket, "answer": answer, **more})


class Hosted:
    """A service, and who may call it."""

    def __init__(self, client, keys, address):
        self.client, self.keys, self.address = client, keys, address
        self.reader, self.writer, self.admin = (
            Caller(client, key=keys[role]) for role in ("reader", "writer", "admin")
        )

    def voter(self, name="voter-one"):
        return Caller(self.client, voter=name)

    def arena(self, name="arena"):
        return self.client.app.state.service.arena(name)


def made_keys(address):
    """A key of each role."""
    keys = Keys(str(address))
    try:
        return {role: keys.make(role, role)[1] for role in ("admin", "writer", "reader")}
    finally:
        keys.close()


@contextmanager
def hosted(address, *, arms=ARMS, seed=1, peer="127.0.0.1", keys=None, **config):
    """A service that runs while the block does; the arena is made if it is not there."""
    Arena(address, arms, seed=seed).close()
    keys = keys or made_keys(address)
    config.setdefault("limits", FREE)
    app = create_app(ServiceConfig(str(address), **config))
    with LoopThread(app, peer) as client:
        yield Hosted(client, keys, address)


def assert_problem(reply, status, kind=None):
    """The reply is a problem document that says what it should."""
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    document = reply.json()
    assert {"type", "title", "status", "detail", "instance"} <= document.keys()
    assert document["status"] == status
    if kind is not None:
        assert document["type"] == f"urn:sparring:problem:{kind}"
    return document
