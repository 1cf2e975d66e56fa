"""Pairs asked and voted a second over HTTP, durable, beside a bare FastAPI route with one commit.

    python benchmarks/serving.py [--pairs 2000] [--repeats 5] [--callers 32] [--json]
        [--database sqlite | postgresql] [--address postgresql://...]

The load is made on the same machine, by one process with so many connections that stay open, each
of which asks, votes and asks again. Both services take turns, so that a busy machine is busy for
both; the ratio is of one turn, and medians of all turns are shown. A pair is two requests, a bare
vote is one. Nothing but 127.0.0.1 is called.

With --database postgresql the arena is in a cluster that is made for it and thrown away after, on
this machine and durable (fsync and synchronous_commit are on); with --address it is on a server of
yours. The bare file is on this machine in any case.
"""

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path

import sparring
from sparring.arena import Arena
from sparring.web.app import ENVIRONMENT
from sparring.web.config import Limits, ServiceConfig

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "support"))
import postgres  # noqa: E402

ARMS = [f"arm {n}" for n in range(20)]
LONGEST = 60.0  # seconds of one turn
MANY = 10**9
FREE = Limits(
    voter_minute=0, voter_day=0, address_minute=0, address_day=0, address_ahead=MANY, open=MANY
)
# `sparring serve`, but for limits, and for what is printed and made before.
SERVE = f"""
import os
from sparring.web.config import ServiceConfig
from sparring_cli.serving import bound, run
config = ServiceConfig.from_json(os.environ[{ENVIRONMENT!r}])
run(config, bound(config.host, config.port)[1])
"""
API = "/api/v1/arenas/arena"


class Connection(asyncio.Protocol):
    """A connection that stays open: one request at a time, with little work for each."""

    def __init__(self):
        self._received, self._waiter = b"", None

    def connection_made(self, transport):
        """It is open."""
        self.transport = transport

    def data_received(self, data):
        """Wait for the end of the body, then wake whoever waits."""
        self._received += data
        head, found, rest = self._received.partition(b"\r\n\r\n")
        if not found:
            return
        length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        if len(rest) >= int(length or 0):
            self._received = b""
            self._waiter.set_result((int(head[9:12]), rest))

    def connection_lost(self, error):
        """Whoever waits must not wait for ever."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(ConnectionError("the service is gone"))

    async def post(self, path, body, voter):
        """The status and the body of a reply."""
        self._waiter = asyncio.get_running_loop().create_future()
        self.transport.write(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Voter: {voter}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        return await self._waiter


async def caller(port, number, turns, seconds):
    """Ask and vote so many times."""
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(Connection, "127.0.0.1", port)
    voter = f"voter-{number:06d}"
    for _ in range(turns):
        status, reply = await connection.post(f"{API}/ask", '{"n":1}', voter)
        assert status == 200, reply
        ticket = reply.split(b'"', 6)[5].decode()
        begun = time.perf_counter()
        body = f'{{"ticket":"{ticket}","answer":"first"}}'
        status, reply = await connection.post(f"{API}/vote", body, voter)
        seconds.append(time.perf_counter() - begun)
        assert status == 200, reply
    connection.transport.close()


async def bare_caller(port, number, turns, seconds):
    """Vote so many times."""
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(Connection, "127.0.0.1", port)
    body = json.dumps({"ticket": "t" * 60, "answer": "first"})
    for _ in range(turns):
        begun = time.perf_counter()
        status, reply = await connection.post("/vote", body, "nobody")
        seconds.append(time.perf_counter() - begun)
        assert status == 200, reply
    connection.transport.close()


async def turn(work, port, callers, number):
    """How many a second, and the seconds of each vote, sorted."""
    seconds = []
    begun = time.perf_counter()
    each = [work(port, one, number // callers, seconds) for one in range(callers)]
    await asyncio.wait_for(asyncio.gather(*each), LONGEST)
    return len(seconds) / (time.perf_counter() - begun), sorted(seconds)


@contextmanager
def serving(port, *command, **environment):
    """A service in a process of its own."""
    environment = os.environ | environment
    process = subprocess.Popen([sys.executable, *command], cwd=HERE, env=environment)
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                assert process.poll() is None
                time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


def free_port():
    """A port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def measured(address, callers, pairs, repeats):
    """For each turn: pairs a second, votes of the bare route, their ratio, p50 and p99 in ms."""
    turns = []
    with tempfile.TemporaryDirectory() as folder:
        address = address or os.path.join(folder, "arena.db")
        Arena(address, ARMS).close()
        ours, bare = free_port(), free_port()
        config = ServiceConfig(address, port=ours, limits=FREE).to_json()
        one = ("-m", "uvicorn", "bare_service:app", "--port", str(bare), "--no-access-log")
        with (
            serving(ours, "-c", SERVE, **{ENVIRONMENT: config}),
            serving(bare, *one, "--log-level", "warning", BARE=os.path.join(folder, "bare.db")),
        ):
            for repeat in range(repeats + 1):
                found, seconds = asyncio.run(turn(caller, ours, callers, pairs))
                least, _ = asyncio.run(turn(bare_caller, bare, callers, pairs))
                if repeat:  # the first is to warm up
                    at = [1000 * seconds[int(part * len(seconds))] for part in (0.5, 0.99)]
                    turns.append([found, least, found / least, *at])
    return turns


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--address", help="of a PostgreSQL server of yours")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--pairs", type=int, default=2000, help="in each turn")
    parser.add_argument("--repeats", type=int, default=5, help="turns")
    parser.add_argument("--callers", type=int, default=32)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sparring.warm("tracker")
    throw_away = options.database == "postgresql" and options.address is None
    with postgres.server() if throw_away else nullcontext(options.address) as address:
        turns = measured(address, options.callers, options.pairs, options.repeats)
    names = ("pairs/s", "bare votes/s", "ratio", "vote p50 ms", "vote p99 ms")
    medians = [statistics.median(column) for column in zip(*turns, strict=True)]
    found = dict(zip(names, medians, strict=True))
    if options.json:
        print(json.dumps(found | {"callers": options.callers, "turns": turns}))
        return
    for name, value in found.items():
        print(f"{name:>14} {value:10,.2f}")


if __name__ == "__main__":
    main()
