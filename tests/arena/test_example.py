"""The example of a service: typed, and nothing that it acknowledged is lost when it is killed."""

import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import arena_log
from places import ROOT
from sparring.arena import Arena, tickets

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

httpx = pytest.importorskip("httpx")
EXAMPLES = ROOT / "examples"


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(path, port):
    command = [sys.executable, "-m", "uvicorn", "service:app", "--port", str(port)]
    env = {**os.environ, "ARENA": str(path), "PYTHONPATH": os.pathsep.join(sys.path)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=EXAMPLES, env=env, **quiet)
    while True:
        try:
            httpx.get(f"http://127.0.0.1:{port}/best", timeout=300)
            return process
        except httpx.ConnectError:
            assert process.poll() is None
            time.sleep(0.05)


def vote(client, heard):
    """Vote until the service dies; keep what it acknowledged."""
    while True:
        try:
            pair = client.get("/pair").json()
            answer = {"ticket": pair["ticket"], "answer": min(pair["first"], pair["second"])}
            reply = client.post("/vote", json=answer)
        except httpx.HTTPError:
            return
        assert reply.status_code == 200
        heard[pair["ticket"]] = (answer["answer"], reply.json())


def test_kill_9_loses_nothing(tmp_path, port):
    path, heard = tmp_path / "prompts.db", {}
    for round_number in range(1, 4):
        process = start(path, port)
        address = f"http://127.0.0.1:{port}"
        with httpx.Client(base_url=address, timeout=300) as client, ThreadPoolExecutor(4) as pool:
            voters = [pool.submit(vote, client, heard) for _ in range(4)]
            while len(heard) < 40 * round_number:
                assert process.poll() is None
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            for voter in voters:
                voter.result()
    with Arena(path) as arena:
        key = arena._key
    found, _ = arena_log.answers(path)
    for text, (winner, reply) in heard.items():
        told = found[tickets.read(text, key).name]
        assert told.number == reply["number"]
        assert winner == (told.first if told.outcome == 1.0 else told.second)
    opened, folded = arena_log.fold_again(path)
    assert opened == folded


def test_replies(tmp_path, port):
    process = start(tmp_path / "prompts.db", port)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=300) as client:
            pair = client.get("/pair", params={"voter": "ann"}).json()
            assert client.get("/pair", params={"voter": "ann"}).json() == pair
            answer = {"ticket": pair["ticket"], "answer": pair["first"]}
            reply = client.post("/vote", json=answer)
            assert reply.json() == {"number": 3, "learnt": True, "why": ""}
            assert client.post("/vote", json=answer).json() == reply.json()
            for changed, status, text in [
                ({"answer": pair["second"]}, 409, "cannot be changed"),
                ({"ticket": "x" + pair["ticket"][1:]}, 404, "not a ticket of this arena"),
                ({"answer": "none of it"}, 422, "answer must be one of"),
            ]:
                refused = client.post("/vote", json={**answer, **changed})
                assert refused.status_code == status
                assert text in refused.json()["detail"]
    finally:
        process.terminate()
        process.wait()


def test_types():
    command = [sys.executable, "-m", "mypy", "--strict", "service.py"]
    done = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
