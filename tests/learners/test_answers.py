"""The log of a learner without an arena: locked, durable, and whole after a crash."""

import os
import signal
import subprocess
import sys

import pytest

import sparring
from sparring.learners import AnswerLog

PROGRAM = """
import sys, sparring
from sparring.learners import AnswerLog
learner = sparring.steady(4, seed=1)
with AnswerLog(sys.argv[1]) as log:
    while True:
        duel = learner.ask()
        log.write(duel, 1.0)
        print(duel.t, flush=True)
"""


def start(path):
    command = [sys.executable, "-c", PROGRAM, str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_what_was_acknowledged_is_there_after_a_kill(tmp_path):
    path = tmp_path / "answers.jsonl"
    writer = start(path)
    said = [int(writer.stdout.readline()) for _ in range(30)]
    os.kill(writer.pid, signal.SIGKILL)
    said += [int(line) for line in writer.stdout.read().splitlines()]
    writer.stdout.close()
    writer.stderr.close()
    writer.wait()
    with AnswerLog(path) as log:
        rounds = [event["duel"]["t"] for event in log]
    assert rounds[: len(said)] == said
    assert len(rounds) <= len(said) + 1


def test_a_second_process_fails_loudly(tmp_path):
    path = tmp_path / "answers.jsonl"
    with AnswerLog(path):
        second = start(path)
        out, error = second.communicate(timeout=300)
    assert second.returncode != 0
    assert out == ""
    assert "in use by another process" in error
    AnswerLog(path).close()


def test_a_torn_line_was_not_acknowledged(tmp_path):
    path = tmp_path / "answers.jsonl"
    learner = sparring.steady(4, seed=1)
    with AnswerLog(path) as log:
        log.write(learner.ask(), 1.0)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    with AnswerLog(path) as log:
        assert len(list(log)) == 1
        log.write(learner.ask(), 0.0)
        assert len(list(log)) == 2


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("{}\nnonsense\n{}\n")
    with AnswerLog(path) as log, pytest.raises(ValueError, match="line 2 is damaged"):
        list(log)


def test_bad_answers_are_not_written(tmp_path):
    path = tmp_path / "answers.jsonl"
    learner = sparring.steady(2, seed=1).named(["a", "b"])
    with AnswerLog(path) as log:
        for outcome in (2, "c", None):
            with pytest.raises(ValueError, match="outcome"):
                log.write(learner.ask(), outcome)
        log.write(learner.ask(), "tie")
        assert [event["outcome"] for event in log] == ["tie"]
