"""Many votes over HTTP: growth of memory, votes stored, and the time of the next start.

    python benchmarks/soak.py [--votes 1000000] [--callers 16] [--json]

A service in a process of its own, loopback only; each vote is asked for and on disk before the
next. Memory is what the process has resident. The first tenth of the votes warms up; growth is
from the tenth after it to the last one, in medians. Then the service is stopped as an operator
stops it, started again, killed, and started once more. Linux only: memory is read from /proc.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress

import sparring
from serving import API, ARMS, FREE, SERVE, Connection, free_port
from sparring.arena import Arena
from sparring.web.app import ENVIRONMENT
from sparring.web.config import ServiceConfig

VOTERS = 50  # of each caller
SAMPLES = 200  # of memory, over all votes
LINE = 5.0  # seconds between two lines of progress


class Service:
    """`sparring serve`, without limits on voters, as all of them are on this machine."""

    def __init__(self, address):
        self.address, self.port = address, free_port()

    def start(self):
        """Start; the seconds until it is ready."""
        config = ServiceConfig(self.address, port=self.port, limits=FREE).to_json()
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVE], env=os.environ | {ENVIRONMENT: config}
        )
        while True:
            with suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/ready").close()
                return time.perf_counter() - began
            assert self.process.poll() is None, "the service has ended"
            time.sleep(0.01)

    def stop(self, number=signal.SIGTERM):
        """Stop it."""
        self.process.send_signal(number)
        self.process.wait()

    @property
    def memory(self):
        """Bytes that it has resident."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Progress:
    """How far it is, and samples of memory."""

    def __init__(self, votes, service, quiet):
        self.votes, self.done, self.samples = votes, 0, []
        self._service, self._quiet = service, quiet
        self._began = self._said = time.perf_counter()

    def vote(self):
        """One more."""
        self.done += 1
        if self.done % max(1, self.votes // SAMPLES) == 0:
            self.samples.append(self._service.memory)
        now = time.perf_counter()
        if now - self._said > LINE and not self._quiet:
            self._said = now
            rate = self.done / (now - self._began)
            left = (self.votes - self.done) / rate
            print(
                f"{self.done:>10,} votes, {rate:6,.0f} a second, "
                f"{self._service.memory / 1e6:5.0f} MB, {left / 60:5.1f} minutes left",
                file=sys.stderr,
                flush=True,
            )

    @property
    def growth(self):
        """From the second tenth of the votes to the last."""
        tenth = len(self.samples) // 10
        before = statistics.median(self.samples[tenth : 2 * tenth])
        return statistics.median(self.samples[-tenth:]) / before - 1


async def caller(port, number, turns, progress):
    """Ask and vote so many times; of each pair the earlier name is better, seven times in ten."""
    luck = random.Random(number)
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(Connection, "127.0.0.1", port)
    for turn in range(turns):
        voter = f"voter-{number:03d}-{turn % VOTERS:03d}"
        status, reply = await connection.post(f"{API}/ask", '{"n":1}', voter)
        assert status == 200, reply
        (pair,) = json.loads(reply)["pairs"]
        names = [ARMS.index(pair[side]["text"]) for side in ("first", "second")]
        is_better = (names[0] < names[1]) == (luck.random() < 0.7)
        body = {"ticket": pair["ticket"], "answer": "first" if is_better else "second"}
        status, reply = await connection.post(f"{API}/vote", json.dumps(body), voter)
        assert status == 200 and json.loads(reply)["learnt"], reply
        progress.vote()
    connection.transport.close()


async def soak(service, callers, progress):
    """All callers at once."""
    turns = progress.votes // callers
    await asyncio.gather(*(caller(service.port, n, turns, progress) for n in range(callers)))


def measured(votes, callers, quiet):
    """What came of it."""
    with tempfile.TemporaryDirectory() as folder:
        address = os.path.join(folder, "arena.db")
        Arena(address, ARMS).close()
        service = Service(address)
        empty = service.start()
        progress = Progress(votes, service, quiet)
        began = time.perf_counter()
        try:
            asyncio.run(soak(service, callers, progress))
            seconds = time.perf_counter() - began
            service.stop()
            stopped = service.start()
            service.stop(signal.SIGKILL)
            killed = service.start()
        finally:
            service.stop()
        opening = time.perf_counter()
        with Arena(address) as arena:
            opening = time.perf_counter() - opening
            learnt = arena.votes
        size = os.path.getsize(address)
    return {
        "votes": progress.done,
        "learnt": learnt,
        "votes a second": round(progress.done / seconds),
        "memory after warm-up, MB": round(progress.samples[len(progress.samples) // 10] / 1e6, 1),
        "memory at the end, MB": round(progress.samples[-1] / 1e6, 1),
        "growth, %": round(100 * progress.growth, 2),
        "start of an empty arena, s": round(empty, 2),
        "start after a stop, s": round(stopped, 2),
        "start after kill -9, s": round(killed, 2),
        "of that to open the arena, s": round(opening, 2),
        "bytes a vote": round(size / progress.done),
    }


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--votes", type=float, default=1e6)
    parser.add_argument("--callers", type=int, default=16)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sparring.warm("tracker")
    found = measured(int(options.votes), options.callers, options.json)
    if options.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:>30} {value:12,}")


if __name__ == "__main__":
    main()
