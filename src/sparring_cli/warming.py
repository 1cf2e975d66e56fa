"""What `warm` does: it calls the library and returns the result. It needs no `lab`."""

import argparse
from collections.abc import Sequence

from sparring.warming import Warmed
from sparring.warming import warm as warm_up
from sparring_cli.outcome import Outcome


def warm(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """Compile what the learners of a service need."""
    done = warm_up(*options.learners)
    return Outcome(done, lambda: _show(done))


def _show(done: Warmed) -> None:
    for name, seconds in done.seconds.items():
        print(f"{name:20} {seconds:6.2f} s")
    print(f"machine code of {', '.join(done.kernels)}")
    if done.folder is None:
        print("for this process only: set NUMBA_CACHE_DIR to a folder that can be written")
    else:
        print(f"in {done.folder}, where every later process finds it")
