"""Memory, file and opening time of an arena in which pairs are asked for and never answered.

    python benchmarks/unanswered.py [--pairs 300000] [--addresses 200] [--unlimited]

Each voter asks for five pairs through the code of the service, without HTTP; a hundred voters at a
time share a transaction. With --unlimited no pair lapses before its time. The arena is thrown away.
"""

import argparse
import asyncio
import gc
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sparring.arena import Arena
from sparring.web.config import Limits
from sparring.web.front import Front

ARMS = [f"arm {n}" for n in range(20)]
AHEAD = 5  # pairs of one voter
TOGETHER = 100  # voters
OPENING = """
import resource, sys, time
from sparring.arena import Arena
begun = time.perf_counter()
with Arena(sys.argv[1]) as arena:
    arena.tallies()
    print(time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def memory():
    """Of this process, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def address_of(number):
    """An address, each in a neighbourhood of its own."""
    return f"10.{number // 256}.{number % 256}.1"


async def ask(front, pairs, addresses):
    """Ask for so many pairs, and answer none."""
    front.desk.open()
    voters = pairs // AHEAD
    for start in range(0, voters, TOGETHER):
        await asyncio.gather(
            *(
                front.ask(f"voter-{number}", AHEAD, address_of(number % addresses))
                for number in range(start, min(start + TOGETHER, voters))
            )
        )
    await front.desk.close()


def main():
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=300_000)
    parser.add_argument("--addresses", type=int, default=200, help="of callers, /24 each")
    parser.add_argument("--unlimited", action="store_true", help="let no pair lapse")
    options = parser.parse_args()
    most = {"open": 10**9, "address_ahead": 10**9} if options.unlimited else {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "arena.db")
        arena = Arena(path, ARMS, seed=1)
        front = Front("arena", arena, Limits(waiting=TOGETHER, **most))
        arena.ask("somebody")
        gc.collect()
        before, begun = memory(), time.perf_counter()
        asyncio.run(ask(front, options.pairs, options.addresses))
        gc.collect()
        seconds, grown, left = time.perf_counter() - begun, memory() - before, front.open_pairs
        arena.close()
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6
        command = [sys.executable, "-c", OPENING, path]
        opened = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    print(f"asked {options.pairs:,} in {seconds:.0f} s; open {left:,}")
    print(f"memory {grown:.0f} MB more; file {size:.0f} MB")
    print(f"opening {float(opened[0]):.1f} s, {float(opened[1]):.0f} MB in all")


if __name__ == "__main__":
    main()
