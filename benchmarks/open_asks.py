"""How long a vote takes beside 100,000 open questions, against an arena with none, over HTTP.

    python benchmarks/open_asks.py [--open 100000] [--votes 2000] [--repeats 5] [--json]

One service has two arenas; in one of them so many pairs were asked for and not answered. Votes on
both take turns, with the same callers, so that a busy machine is busy for both. The ratio is of
the 99th percentiles in one turn; medians of the turns are shown. There are more turns if no
checkpoint was written in the first ones, as its making must not be left out; the worst turn and the
slowest of all votes show it. Loopback only.
"""

import argparse
import asyncio
import json
import os
import sqlite3
import statistics
import tempfile
import time

import sparring
from serving import ARMS, Connection
from soak import Service
from sparring.arena import Arena

MANY, FEW = "many", "few"
BATCH = 1000  # pairs asked for at once while it is prepared
PATIENCE = 10  # times the turns wanted, in which there must be a checkpoint


async def caller(port, arena, number, turns, seconds):
    """Ask and vote so many times; the seconds of each vote."""
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(Connection, "127.0.0.1", port)
    voter, path = f"voter-{number:04d}", f"/api/v1/arenas/{arena}"
    for _ in range(turns):
        status, reply = await connection.post(f"{path}/ask", '{"n":1}', voter)
        assert status == 200, reply
        body = {"ticket": json.loads(reply)["pairs"][0]["ticket"], "answer": "first"}
        begun = time.perf_counter()
        status, reply = await connection.post(f"{path}/vote", json.dumps(body), voter)
        seconds.append(time.perf_counter() - begun)
        assert status == 200, reply
    connection.transport.close()


async def turn(port, arena, callers, votes):
    """The 99th percentile of the seconds of a vote, and the longest."""
    seconds = []
    each = [caller(port, arena, number, votes // callers, seconds) for number in range(callers)]
    await asyncio.gather(*each)
    return sorted(seconds)[int(0.99 * len(seconds))], max(seconds)


def latest_checkpoint(address):
    """The event of the latest checkpoint of the arena with many open questions."""
    with sqlite3.connect(address) as connection:
        found = connection.execute(
            "SELECT max(number) FROM sparring_checkpoints WHERE arena ="
            " (SELECT id FROM sparring_arenas WHERE name = ?)",
            (MANY,),
        ).fetchone()[0]
    connection.close()
    return found


def measured(wanted, votes, repeats, callers):
    """The 99th percentile and the longest of each turn: with many open, and with none."""
    with tempfile.TemporaryDirectory() as folder:
        address = os.path.join(folder, "arena.db")
        Arena(address, ARMS, name=FEW).close()
        with Arena(address, ARMS, name=MANY) as arena:
            for number in range(wanted // BATCH):
                arena.ask_many(f"asker {number}", BATCH)
        service, before = Service(address), latest_checkpoint(address)
        service.start()
        try:
            turns = []
            for repeat in range(PATIENCE * repeats + 1):
                found = [
                    asyncio.run(turn(service.port, arena, callers, votes)) for arena in (MANY, FEW)
                ]
                if repeat:  # the first is to warm up
                    turns.append(found)
                if repeat >= repeats and latest_checkpoint(address) != before:
                    break
        finally:
            service.stop()
    return turns


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--open", type=int, default=100_000)
    parser.add_argument("--votes", type=int, default=2000, help="in each turn")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--callers", type=int, default=32)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sparring.warm("tracker")
    turns = measured(options.open, options.votes, options.repeats, options.callers)
    found = {
        "open": options.open,
        "vote p99 ms": 1000 * statistics.median(many for (many, _), _ in turns),
        "with none, ms": 1000 * statistics.median(few for _, (few, _) in turns),
        "ratio": statistics.median(many / few for (many, _), (few, _) in turns),
        "worst turn, ms": 1000 * max(many for (many, _), _ in turns),
        "slowest, ms": 1000 * max(slowest for pair in turns for _, slowest in pair),
    }
    if options.json:
        print(json.dumps(found | {"turns": turns}))
        return
    for name, value in found.items():
        print(f"{name:>14} {value:10,.2f}")


if __name__ == "__main__":
    main()
