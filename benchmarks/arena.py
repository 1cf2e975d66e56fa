"""Durable votes a second, of one caller and of many, beside bare commits on the same disk.

    python benchmarks/arena.py [--address postgresql://...] [--votes 2000] [--json]

Both take turns, so that a busy disk is busy for both. A bare commit writes as many rows of the same
size as the arena's groups had on average.
"""

import argparse
import json
import os
import sqlite3
import statistics
import tempfile
import threading
import time

import sparring
from sparring.arena import Arena

ARMS = [f"arm {n}" for n in range(10)]
CALLERS = (1, 8, 32)


def votes(arena, tickets, callers):
    """Seconds that it took to tell all, by so many threads; and how many commits."""
    commits, together = [0], arena._together

    def counted(calls):
        commits[0] += 1
        together(calls)

    arena._group._together = counted

    def tell(mine):
        for ticket in mine:
            arena.tell(ticket, ticket.first)

    threads = [threading.Thread(target=tell, args=(tickets[n::callers],)) for n in range(callers)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - begun
    arena._group._together = together
    return took, commits[0]


def bare(path, rows, group):
    """Seconds for as many rows, so many in a commit, as SQLite writes them without an arena."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS votes (number INTEGER, body TEXT)")
    row = (1, "x" * 160)  # an event of an answer
    begun = time.perf_counter()
    for done in range(0, rows, group):
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO votes VALUES (?, ?)", [row] * min(group, rows - done))
        connection.execute("COMMIT")
    took = time.perf_counter() - begun
    connection.close()
    return took


def measured(address, number, callers, repeats):
    """Votes a second, bare rows a second at the same size of groups, and that size."""
    rates, bare_rates, sizes = [], [], []
    with (
        tempfile.TemporaryDirectory() as folder,
        Arena(address or os.path.join(folder, "arena.db"), ARMS, name=str(callers)) as arena,
    ):
        arena.tell(arena.ask(), "tie")
        for repeat in range(repeats):
            tickets = [arena.ask() for _ in range(number)]
            took, commits = votes(arena, tickets, callers)
            size = max(1, round(number / commits))
            rates.append(number / took)
            path = os.path.join(folder, f"bare{repeat}.db")
            bare_rates.append(number / bare(path, number, size))
            sizes.append(size)
    found = [statistics.median(numbers) for numbers in (rates, bare_rates, sizes)]
    return dict(zip(("votes", "bare", "group"), found, strict=True), callers=callers)


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--address", help="of a PostgreSQL server; a file if not given")
    parser.add_argument("--votes", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sparring.warm("tracker")
    found = [
        measured(options.address, options.votes, callers, options.repeats) for callers in CALLERS
    ]
    if options.json:
        print(json.dumps(found))
        return
    print("callers  votes a commit  votes/s  bare rows/s  ratio")
    for row in found:
        ratio = row["votes"] / row["bare"]
        print(
            f"{row['callers']:7} {row['group']:15.0f} {row['votes']:8,.0f} {row['bare']:12,.0f}"
            f" {ratio:6.2f}"
        )


if __name__ == "__main__":
    main()
