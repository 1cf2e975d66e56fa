"""A process that only serves spares its callers the search of all it has imported."""

import subprocess
import sys

import pytest

pytest.importorskip("fastapi")

SERVED = """
import gc, sys
from fastapi.testclient import TestClient
from sparring.arena import Arena
from sparring.web import app
from sparring.web.config import ServiceConfig

Arena(sys.argv[1], ["plain", "polite"]).close()
with TestClient(getattr(app, sys.argv[2])(ServiceConfig(sys.argv[1]))):
    print(gc.get_freeze_count(), sum(map(len, map(gc.get_objects, range(3)))))
"""


@pytest.mark.parametrize(("made_by", "spared"), [("app_of_a_process", True), ("create_app", False)])
def test_only_a_serving_process_freezes_what_it_has(tmp_path, made_by, spared):
    command = [sys.executable, "-c", SERVED, tmp_path / "arena.db", made_by]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    frozen, searched = map(int, told)
    assert (frozen > 0) == spared
    assert (frozen > searched) == spared
