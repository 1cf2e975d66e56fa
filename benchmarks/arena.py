"""Durable votes a second, of one caller and of many, beside bare commits on the same disk.

    python benchmarks/arena.py [--votes 500] [--repeats 15] [--callers 1 8 32] [--batches 8 32]
        [--json]

A bare file gets the very rows that the arena wrote, in groups of the mean size that the arena's
had. All take turns, so that a busy machine is busy for all; ratios are of one turn, and the median
of all turns is shown. The goal is judged on `together`: as many threads as the arena had, each
waiting for its own row (bare.py). `alone` is shown beside it: one thread that waits for nobody.
The last three columns are processor time, in microseconds a vote, of the arena and of `together`:
those can be compared on a busy machine, too.

Then batches: one thread that performs many calls at once, as for an event loop, beside one thread
that writes the same rows, ready before, in groups of the same size into the same tables.

The folder is that of TMPDIR. With --address the arena is on a PostgreSQL server, and the bare file
on this machine.
"""

import argparse
import json
import os
import statistics
import tempfile
import threading
import time

import bare
import sparring
from sparring.arena import Arena

ARMS = [f"arm {n}" for n in range(10)]


def shared_out(items, callers, work):
    """Seconds that so many threads took, each with its share of the items."""

    def each(mine):
        for item in mine:
            work(item)

    threads = [threading.Thread(target=each, args=(items[n::callers],)) for n in range(callers)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begun


def processor(work, *arguments):
    """What it returns, and the seconds of processor time that it took."""
    begun = time.process_time()
    return work(*arguments), time.process_time() - begun


def count_commits(arena):
    """A list that grows by one with each commit of calls from now on."""
    commits, together = [], arena._group._together

    def counted(calls):
        commits.append(len(calls))
        together(calls)

    arena._group._together = counted
    return commits


def rows_since(arena, number):
    """The rows of the log after this number, those of questions and those of answers."""
    select = f"SELECT {bare.COLUMNS} FROM sparring_events WHERE arena = ? AND number > ?"
    rows = arena._database.rows(f"{select} ORDER BY number", (arena._arena, number))
    return [row for row in rows if row[3] == "asked"], [row for row in rows if row[3] == "told"]


def measured(address, number, callers, repeats):
    """For each turn: votes a second of the arena, of threads with a bare file, of one thread.

    And votes a second of processor time, of the first two.
    """
    turns = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Arena(address or os.path.join(folder, "arena.db"), ARMS, name=str(callers)) as arena,
    ):
        threads = bare.connected(os.path.join(folder, "together.db"), plain=False)
        threads.execute(bare.ARENA)
        one = bare.connected(os.path.join(folder, "alone.db"), plain=True)
        if not address:
            bare.grow(arena._database.rows)
        commits = count_commits(arena)
        for repeat in range(repeats + 1):
            last = arena._look(lambda state: state.number)
            tickets = []
            shared_out(range(number), callers, lambda _: tickets.append(arena.ask()))  # noqa: B023
            commits.clear()
            took, used = processor(
                shared_out, tickets, callers, lambda it: arena.tell(it, it.first)
            )
            mean = number / len(commits)
            asked, told = rows_since(arena, last)
            for connection in (threads, one):  # as large as the arena's file, and as used
                bare.alone(connection, [(1, *row[1:]) for row in asked], mean)
            told = [(1, *row[1:]) for row in told]
            together, spent = processor(bare.together, threads, told, mean, callers)
            seconds = (took, together, bare.alone(one, told, mean), used, spent)
            if repeat:  # the first is to warm up
                turns.append([mean, *(number / it for it in seconds)])
        threads.close()
        one.close()
    return turns


def batched(address, number, size, repeats):
    """For each turn: votes a second of one thread that performs batches, and of a bare file."""
    turns = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Arena(address or os.path.join(folder, "arena.db"), ARMS, name=f"by {size}") as arena,
    ):
        file = bare.connected(os.path.join(folder, "bare.db"), plain=False)
        file.execute(bare.ARENA)
        if not address:
            bare.grow(arena._database.rows)
        for repeat in range(repeats + 1):
            last = arena._look(lambda state: state.number)
            asks = [arena.asking() for _ in range(number)]
            arena.perform(asks)
            tickets = [ask.outcome()[0] for ask in asks]
            begun = time.perf_counter()
            for first in range(0, number, size):
                calls = [arena.telling(it, it.first) for it in tickets[first : first + size]]
                arena.perform(calls)
                for call in calls:
                    call.outcome()
            took = time.perf_counter() - begun
            asked, told = rows_since(arena, last)
            bare.alone(file, [(1, *row[1:]) for row in asked], size)
            alone = bare.alone(file, [(1, *row[1:]) for row in told], size)
            if repeat:  # the first is to warm up
                turns.append([number / took, number / alone])
        file.close()
    votes, alone = (statistics.median(column) for column in zip(*turns, strict=True))
    ratio = statistics.median(turn[0] / turn[1] for turn in turns)
    return {"batch": size, "votes": votes, "alone": alone, "ratio": ratio}


def summary(callers, turns):
    """What is shown: medians, those of ratios over the ratios of each turn."""
    mean, votes, together, alone, used, spent = (
        statistics.median(column) for column in zip(*turns, strict=True)
    )
    return {
        "callers": callers,
        "group": mean,
        "votes": votes,
        "together": together,
        "ratio": statistics.median(turn[1] / turn[2] for turn in turns),
        "alone": alone,
        "ratio alone": statistics.median(turn[1] / turn[3] for turn in turns),
        "processor": 1e6 / used,
        "processor together": 1e6 / spent,
        "ratio processor": statistics.median(turn[4] / turn[5] for turn in turns),
    }


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--address", help="of a PostgreSQL server; a file if not given")
    parser.add_argument("--votes", type=int, default=500, help="in each turn")
    parser.add_argument("--repeats", type=int, default=15, help="turns")
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--batches", type=int, nargs="*", default=[8, 32])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sparring.warm("tracker")
    found = [
        summary(callers, measured(options.address, options.votes, callers, options.repeats))
        for callers in options.callers
    ]
    batches = [
        batched(options.address, options.votes, size, options.repeats) for size in options.batches
    ]
    if options.json:
        print(json.dumps({"callers": found, "batches": batches}))
        return
    print(
        "callers  votes a commit  votes/s  bare together  ratio  bare alone  ratio"
        "  us a vote  bare  ratio"
    )
    for row in found:
        print(
            f"{row['callers']:7} {row['group']:15.1f} {row['votes']:8,.0f} {row['together']:14,.0f}"
            f" {row['ratio']:6.2f} {row['alone']:11,.0f} {row['ratio alone']:6.2f}"
            f" {row['processor']:10.0f} {row['processor together']:5.0f}"
            f" {row['ratio processor']:6.2f}"
        )
    if batches:
        print("one thread, votes a batch  votes/s  bare alone  ratio")
    for row in batches:
        print(f"{row['batch']:25} {row['votes']:8,.0f} {row['alone']:11,.0f} {row['ratio']:6.2f}")


if __name__ == "__main__":
    main()
