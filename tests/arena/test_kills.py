"""Killed at random moments under load, an arena loses no answer and learns none twice."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

import arena_log
import arena_voter
from sparring.arena import Arena
from sparring.arena.saving import fingerprint

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

KILLS = int(os.environ.get("SPARRING_KILLS", "5"))  # for each database


def run(address, late, threads, votes):
    command = [sys.executable, arena_voter.__file__, address, str(late), str(threads), str(votes)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_nothing_acknowledged_is_lost(address, tmp_path):
    luck = random.Random(7)
    Arena(address, arena_voter.ARMS).close()
    acknowledged, waiting = {}, {}
    late = tmp_path / "late"
    for _ in range(KILLS):
        lines = (f"{text} {first} {second}\n" for text, (first, second) in waiting.items())
        late.write_text("".join(lines))
        voter = run(address, late, threads=4, votes=100_000)
        heard = [voter.stdout.readline() for _ in range(luck.randrange(20, 90))]
        time.sleep(luck.uniform(0.0, 0.02))  # not only when it has just said something
        os.kill(voter.pid, signal.SIGKILL)
        heard += voter.stdout.read().splitlines()
        voter.stdout.close()
        voter.wait()
        for line in heard:
            match line.split():
                case ["asked", text, first, second]:
                    waiting[text] = (first, second)
                case ["told", text, winner, number, learnt]:
                    acknowledged[text] = (winner, int(number), learnt == "True")
                    waiting.pop(text, None)
    assert len(acknowledged) > 10 * KILLS
    arena_log.demand_kept(address, acknowledged)


@pytest.mark.parametrize("processes", [4])
def test_processes_share_an_arena(address, tmp_path, processes):
    Arena(address, arena_voter.ARMS).close()
    late = tmp_path / "late"
    late.write_text("")
    voters = [run(address, late, threads=2, votes=40) for _ in range(processes)]
    acknowledged = {}
    for voter in voters:
        said, _ = voter.communicate(timeout=300)
        assert voter.returncode == 0
        assert said.endswith("done\n")
        for line in said.splitlines():
            match line.split():
                case ["told", text, winner, number, learnt]:
                    acknowledged[text] = (winner, int(number), learnt == "True")
    assert len(acknowledged) == processes * 2 * 30
    assert len({number for _, number, _ in acknowledged.values()}) == len(acknowledged)
    arena_log.demand_kept(address, acknowledged)


def test_processes_agree_at_every_number(address):
    """Two that take turns have the same state whenever both have read the same events."""
    one, other = Arena(address, arena_voter.ARMS), Arena(address)
    for turn in range(60):
        asking, telling = (one, other) if turn % 2 else (other, one)
        ticket = asking.ask()
        telling.tell(ticket, min(ticket.first, ticket.second))
        if turn == 30:
            one.add("oak")
            other.withdraw("ash")
        assert one._look(fingerprint) == other._look(fingerprint)
    one.close()
    other.close()


def test_a_forked_child_has_a_connection_of_its_own(tmp_path):
    path = tmp_path / "arena.db"
    arena = Arena(path, arena_voter.ARMS)
    child = os.fork()
    if child == 0:
        try:
            ticket = arena.ask()
            arena.tell(ticket, ticket.first)
        finally:
            os._exit(0 if arena.votes == 1 else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0
    ticket = arena.ask()
    arena.tell(ticket, ticket.first)
    assert arena.votes == 2
    arena.close()
