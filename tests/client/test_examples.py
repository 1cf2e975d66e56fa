"""The examples run, find what they should, are typed, and do the same here and over HTTP."""

import importlib.util
import subprocess
import sys
from collections import Counter
from random import Random

import pytest

import sparring
from client_service import served
from places import ROOT

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

EXAMPLES = ROOT / "examples"
NAMES = ("prompts_with_judge", "interleaved_rankings")


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_judge_chooses_the_same_prompt_here_and_there(tmp_path):
    example = load("prompts_with_judge")
    with sparring.Arena(tmp_path / "here.db", example.PROMPTS, seed=2) as arena:
        assert example.choose(arena, 250, Random(3)) == "stepwise"
    with (
        served(tmp_path / "there.db", example.PROMPTS, seed=2) as service,
        sparring.Client(service.address, key=service.writer) as client,
    ):
        assert example.choose(client, 250, Random(3)) == "stepwise"


def test_the_judge_of_the_example_favours_what_it_reads_first():
    judge, luck = load("prompts_with_judge").judge, Random(4)
    seen = Counter(judge("plain", "polite", luck) for _ in range(2000))
    assert seen["plain"] > seen["polite"] > seen["tie"] > 0


def test_the_best_ranking_leads(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    load("interleaved_rankings").main()
    assert capsys.readouterr().out.startswith("by meaning has led since")


def test_a_draft_is_fair_and_whole():
    example, luck = load("interleaved_rankings"), Random(5)
    one, other = list(range(30)), list(range(29, -1, -1))
    for _ in range(50):
        drafted = example.team_draft(one, other, luck)
        assert len({result for result, _ in drafted}) == len(drafted) == example.SHOWN
        assert Counter(captain for _, captain in drafted) == {0: 5, 1: 5}
        assert [result for result, captain in drafted if captain == 0] == [0, 1, 2, 3, 4]
    assert example.outcome([(3, 0), (4, 1)], {3}) == 1.0
    assert example.outcome([(3, 0), (4, 1)], {4}) == 0.0
    assert example.outcome([(3, 0), (4, 1)], set()) == 0.5


def test_types_of_the_examples():
    files = [f"{name}.py" for name in NAMES]
    command = [sys.executable, "-m", "mypy", "--strict", *files]
    done = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
