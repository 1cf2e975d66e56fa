"""The command `sparring` in a process of its own, as a user would run it."""

import os
import subprocess
import sys

SPARRING = [sys.executable, "-m", "sparring_cli"]


def sparring(*arguments, cwd, encoding_of_output="utf-8", **options):
    """Run it to its end, without a terminal; what it printed and returned."""
    return subprocess.run(
        [*SPARRING, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "120", "PYTHONIOENCODING": encoding_of_output},
        **options,
    )
