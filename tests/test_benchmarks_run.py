"""Benchmarks that use what is private still run: a change inside must not leave them behind."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.parametrize(
    ("script", "options", "found"),
    [
        (
            "arena.py",
            ["--votes", "16", "--repeats", "1", "--callers", "2", "--batches", "4"],
            "callers",
        ),
        ("serving.py", ["--pairs", "32", "--repeats", "1", "--callers", "4"], "pairs/s"),
    ],
)
def test_a_benchmark_of_the_service_runs(script, options, found):
    pytest.importorskip("fastapi")
    command = [sys.executable, BENCHMARKS / script, *options, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[found]
