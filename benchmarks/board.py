"""Seconds of processor time for a look at the board of an arena, the first one and a later one.

    python benchmarks/board.py [--votes 10000 100000] [--learner steady]

The first look reads the whole log; a later one what is new, here one vote. Drawing is apart: it
takes the same whatever was read. Wall time is beside it, and means little on a busy machine.
"""

import argparse
import os
import random
import tempfile
import time

import sparring
from sparring.arena import Arena
from sparring.web import board
from sparring.web.reading import Reading

ARMS = [f"item {n}" for n in range(20)]
VOTERS, TOGETHER = 2000, 500


def fill(arena, votes):
    """Votes of people who like early items best."""
    rng = random.Random(1)
    while arena.votes < votes:
        asks = [arena.asking(f"voter {rng.randrange(VOTERS)}") for _ in range(TOGETHER)]
        arena.perform(asks)
        tickets = {it.text: it for ask in asks for it in ask.outcome()}.values()
        likes = [rng.random() < (0.7 if it.first < it.second else 0.3) for it in tickets]
        pairs = zip(tickets, likes, strict=True)
        arena.perform([arena.telling(it, 1.0 if first else 0.0) for it, first in pairs])


def timed(work):
    """What it returns, and the seconds it took of the processor and of the clock."""
    used, begun = time.process_time(), time.perf_counter()
    found = work()
    return found, time.process_time() - used, time.perf_counter() - begun


def measured(votes, learner):
    """Print one line for each look."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "arena.db")
        with Arena(path, ARMS, learner=learner, seed=1) as arena:
            arena.set(uniform=0.05)
            fill(arena, votes)
            warm = Reading(path, arena.name)
            board.compose(warm, arena)  # imports and compiles
            reading, standing = Reading(path, arena.name), arena.standing()
            leads = standing.favourite, standing.since.timestamp()
            looks = {"first look, reading": lambda: reading.see(*leads)}
            looks["first look, drawing"] = lambda: board.compose(reading, arena)
            for what, work in looks.items():
                _, used, took = timed(work)
                print(f"{arena.votes:9,} {what:22} {used:8.2f} {took:8.2f}")
            arena.tell(arena.ask(), "tie")
            _, used, took = timed(lambda: board.compose(reading, arena))
            print(f"{arena.votes:9,} {'later look, all of it':22} {used:8.2f} {took:8.2f}")


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--votes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--learner", default="steady")
    options = parser.parse_args()
    sparring.warm(options.learner)
    print("    votes what                   processor   wall  (seconds)")
    for votes in options.votes:
        measured(votes, options.learner)


if __name__ == "__main__":
    main()
