"""The service, killed at random moments under load, loses no vote and learns none twice."""

import json
import math
import os
import random
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import arena_log
from sparring.arena import Arena, tickets
from web_process import free_port, served, start
from web_service import API, ARMS, made_keys

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

KILLS = int(os.environ.get("SPARRING_KILLS", "8"))  # of SQLite; PostgreSQL has a quarter of it
CALLERS = 4


def vote(base, number, waiting, heard, times, seed):
    """Ask and vote until the service dies; some pairs are left for a later life of it."""
    luck = random.Random(seed)
    headers = {"X-Voter": f"voter-{number:04d}"}
    with httpx.Client(base_url=base + API, headers=headers, timeout=60) as client:
        while True:
            try:
                if waiting and luck.random() < 0.3:
                    ticket = waiting.pop()
                else:
                    (pair,) = client.post("/ask", json={"n": 1}).json()["pairs"]
                    ticket = pair["ticket"]
                    if luck.random() < 0.1:
                        waiting.append(ticket)
                        continue
                answer = luck.choice(["first", "second"])
                # A vote that was sent and not acknowledged is sent again, as a page does.
                answer = heard.setdefault(ticket, [answer, None])[0]
                times.setdefault(ticket, [time.monotonic(), math.inf])
                reply = client.post("/vote", json={"ticket": ticket, "answer": answer})
            except httpx.TransportError:
                return
            if reply.status_code == 503:
                continue
            assert reply.status_code == 200, reply.text
            heard[ticket][1] = reply.json()
            times[ticket][1] = min(times[ticket][1], time.monotonic())


def test_kill_9_under_load_loses_nothing(address):
    luck = random.Random(11)
    Arena(address, ARMS).close()
    made_keys(address)
    port, heard, times = free_port(), {}, {}
    waiting = [[] for _ in range(CALLERS)]
    for life in range(KILLS if address.endswith(".db") else max(1, KILLS // 4)):
        process = start(address, port)
        with ThreadPoolExecutor(CALLERS) as pool:
            base = f"http://127.0.0.1:{port}"
            voters = [
                pool.submit(
                    vote, base, number, waiting[number], heard, times, life * CALLERS + number
                )
                for number in range(CALLERS)
            ]
            enough = len(heard) + luck.randrange(10, 60)
            while len(heard) < enough:
                assert process.poll() is None
                time.sleep(0.001)
            time.sleep(luck.uniform(0.0, 0.02))
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            for voter in voters:
                voter.result()
    with Arena(address) as arena:
        key = arena._key
    found, _ = arena_log.answers(address)
    acknowledged = {ticket: said for ticket, said in heard.items() if said[1] is not None}
    assert len(acknowledged) > 5
    for ticket, (answer, reply) in acknowledged.items():
        told = found[tickets.read(ticket, key).name]
        assert (told.number, told.learnt) == (reply["number"], reply["learnt"])
        assert told.outcome == (answer == "first")
    for ticket, (answer, _) in heard.items():  # sent: stored as it was sent, or not at all
        told = found.get(tickets.read(ticket, key).name)
        assert told is None or told.outcome == (answer == "first")
    assert_order_is_kept([(said[1]["number"], *times[one]) for one, said in acknowledged.items()])
    opened, folded = arena_log.fold_again(address)
    assert opened == folded


def assert_order_is_kept(times):
    """A vote that was acknowledged before another was first sent has the lower number."""
    soonest = math.inf  # acknowledged, of those with higher numbers
    for _, sent, acknowledged in sorted(times, reverse=True):
        assert sent <= soonest
        soonest = min(soonest, acknowledged)


@pytest.mark.skipif(sys.platform == "win32", reason="processes share no socket there")
def test_four_workers_serve_one_arena(address):
    Arena(address, ARMS).close()
    made_keys(address)
    with served(address, "--workers", "4") as base, ThreadPoolExecutor(8) as pool:

        def turns(number):
            headers = {"X-Voter": f"voter-{number:04d}", "Connection": "close"}
            numbers = []
            with httpx.Client(base_url=base + API, headers=headers, timeout=60) as client:
                for _ in range(10):
                    (pair,) = client.post("/ask", json={"n": 1}).json()["pairs"]
                    body = {"ticket": pair["ticket"], "answer": "first"}
                    first = client.post("/vote", json=body)
                    again = client.post("/vote", json=body)
                    assert first.status_code == 200 and again.json() == first.json()
                    numbers.append(first.json()["number"])
            return numbers

        numbers = [number for found in pool.map(turns, range(8)) for number in found]
        metrics = httpx.get(f"{base}/metrics").text  # whichever process answers
    assert len(set(numbers)) == 80
    assert 'sparring_votes_total{arena="arena",result="learnt"} 80.0' in metrics
    assert 'sparring_votes_total{arena="arena",result="duplicate"} 80.0' in metrics
    with Arena(address) as arena:
        assert (arena.votes, arena.duplicates()) == (80, 80)
    opened, folded = arena_log.fold_again(address)
    assert opened == folded


def test_sigterm_ends_cleanly_and_saves(tmp_path):
    path, port = tmp_path / "arena.db", free_port()
    Arena(path, ARMS).close()
    made_keys(path)
    process = start(path, port)
    headers = {"X-Voter": "voter-one"}
    for _ in range(5):
        reply = httpx.post(f"http://127.0.0.1:{port}{API}/ask", json={}, headers=headers)
        body = {"ticket": reply.json()["pairs"][0]["ticket"], "answer": "tie"}
        httpx.post(f"http://127.0.0.1:{port}{API}/vote", json=body, headers=headers)
    process.terminate()
    assert process.wait(300) in (0, -signal.SIGTERM)
    with Arena(path) as arena:
        rows = arena._database.rows("SELECT number FROM sparring_checkpoints")
        assert (arena._look(lambda state: state.number),) in rows
        assert json.dumps(arena.tallies().told) == "5"
