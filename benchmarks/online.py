"""What a service waits for: size, import, first ask, and microseconds of asking and telling.

    python benchmarks/online.py [--warm]

In processor time, so that it means something on a busy machine. Run it where the package is
installed alone (`make plain` leaves .venv-plain/bin/python) to see what it costs without Numba.
"""

import argparse
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import sparring

SIZES = {"dex3s": {"T": 1_000_000, "S": 10}, "sym_exp3s": {"T": 1_000_000, "S": 10}}
OURS = ("sparring", "numpy", "numba", "llvmlite")  # what the package and the extra fast install
START = "import time; import sparring; imported = time.process_time(); {}; "
START += "print(imported, time.process_time())"


def installed():
    """Megabytes in site-packages of the package and what it needs."""
    folder = Path(sysconfig.get_paths()["purelib"])
    parts = [part for part in folder.iterdir() if part.name.startswith(OURS)]
    return sum(file.stat().st_size for part in parts for file in part.rglob("*")) / 1e6


def starting(learner):
    """Seconds from the start of a process until it has imported, and asked; the best of five."""
    program = START.format(f"sparring.{learner}(10).ask()")
    turns = [
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
        for _ in range(5)
    ]
    seconds = [[float(number) for number in turn.stdout.split()] for turn in turns]
    return [min(turn[0] for turn in seconds), min(turn[1] for turn in seconds)]


def round_trip(name, K, turns=10):
    """Microseconds of one ask and one tell, the best of so many turns."""
    learner, best = sparring.LEARNERS[name](K, **SIZES.get(name, {}), seed=1), 1.0
    for _ in range(turns):
        start = time.process_time()
        for t in range(100):
            learner.tell(learner.ask(), float(t % 2))
        best = min(best, (time.process_time() - start) / 100)
    return best * 1e6


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--warm", action="store_true", help="with machine code (extra fast)")
    if parser.parse_args().warm:
        sparring.warm()
    print(f"installed: {installed():.0f} MB")
    for learner in ("tracker", "steady"):
        imported, asked = starting(learner)
        print(f"{learner}: imported after {imported:.2f} s, asked after {asked:.2f} s")
    for name, K in (
        *((name, 10) for name in ("steady", "sym_exp3s", "dex3s", "tracker")),
        *((name, 1000) for name in ("steady", "sym_exp3s", "dex3s")),
    ):
        print(f"{name}, K = {K}: {round_trip(name, K):.0f} µs")


if __name__ == "__main__":
    main()
