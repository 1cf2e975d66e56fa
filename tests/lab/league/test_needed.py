"""Votes until the favourite is right: the crossing, the cases, the command."""

import json
import math
import sys

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from sparring import Entrant, Regret, simulate
from sparring.lab.draw import needed_figure
from sparring.lab.league.needed import DRAWS, Case, entrant_of, passed, votes_needed
from sparring.simulation.observers import FAVOURITE
from sparring_cli import main

pytestmark = pytest.mark.compiled  # no kernel is tested here


@hypothesis.given(shares=st.lists(st.integers(0, 20), min_size=1, max_size=12))
def test_the_level_is_passed_where_the_best_non_decreasing_fit_passes_it(shares):
    """Against SciPy's isotonic regression; shares are twentieths, and 0.925 is none of them."""
    x = np.array(shares) / 20
    grid = [10 * 2**i for i in range(len(x))]
    above = np.flatnonzero(isotonic_regression(x).x >= 0.925)
    found = passed(grid, x, 0.925)
    if len(above) == 0:
        assert math.isinf(found)
    elif above[0] == 0:
        assert found == grid[0]
    else:
        at = above[0]
        assert grid[at - 1] < found <= grid[at]
        line = np.interp(math.log(found), np.log(grid[at - 1 : at + 1]), x[at - 1 : at + 1])
        assert line == pytest.approx(0.925)


@pytest.mark.parametrize("calm", [0, 700])
@pytest.mark.parametrize(("K", "margin"), [(3, 0.3), (50, 0.05), (2, 0.5)])
def test_a_case_waits_long_enough_and_looks_often_enough(K, margin, calm):
    case = Case(K, margin, calm)
    assert calm + case.most + 1 == case.world.T
    assert case.world.changes == ((calm + 1,) if calm else ())
    assert case.grid[0] == 5 and case.grid[-1] == case.most >= 4 * K / margin**2
    steps = np.array(case.grid[1:]) / np.array(case.grid[:-1])
    assert (steps > 1).all() and (steps[np.array(case.grid[1:]) > 30] < 1.25).all()


def test_numbers_are_those_of_simulate():
    """The shares, by hand: the favourite behind n votes is asked for in round calm + n + 1."""
    found = votes_needed("D-TS, window", arms=[3], margins=[0.3], calm=50, runs=12, seed=4)
    for one in found:
        case = Case(one.K, one.margin, one.calm)
        table = simulate(
            case.world,
            {"D-TS, window": Entrant("double_thompson", forget="window")},
            Regret("preference", "condorcet"),
            runs=12,
            seed=4,
            checkpoints=[one.calm + n + 1 for n in one.grid],
            favourites=True,
            experiment="votes",
        ).filter(regret=FAVOURITE)
        by_hand = table.sort("t", "run")["value"].to_numpy().reshape(-1, 12).mean(axis=1)
        np.testing.assert_allclose(one.shares, by_hand)
        assert one.votes.value == passed(one.grid, by_hand)
        assert one.votes.low <= one.votes.high
    assert [one.calm for one in found] == [0, 50]
    again = votes_needed("D-TS, window", arms=[3], margins=[0.3], calm=50, runs=12, seed=4)
    assert again == found


def test_who_never_learns_is_never_right():
    (start, change) = votes_needed("rand", arms=[5], margins=[0.3], calm=20, runs=8)
    assert math.isinf(start.votes.value) and math.isinf(change.votes.value)
    assert start.to_json()["votes"] == [None, None, None]
    assert needed_figure("rand", [start, change]) is not None


def test_one_run_has_an_interval_of_one_number():
    (start, _) = votes_needed("double_thompson", arms=[2], margins=[0.5], calm=20, runs=1)
    assert start.votes.low == start.votes.value == start.votes.high
    assert DRAWS >= 1000  # for an interval of 95%


def test_a_learner_has_a_label_or_a_name():
    assert entrant_of("D-TS, window") == Entrant("double_thompson", forget="window")
    assert entrant_of("tracker") == Entrant("tracker")
    with pytest.raises(ValueError, match="learner must be one of"):
        entrant_of("nobody")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"arms": [1]}, "arms must be"),
        ({"margins": [0.0]}, "margins must be"),
        ({"margins": [0.6]}, "margins must be"),
        ({"arms": [3, 3]}, "arms and margins must be one or more, all different"),
        ({"arms": []}, "arms and margins must be"),
        ({"runs": 0}, "runs must be"),
        ({"calm": 0}, "calm must be"),
    ],
)
def test_what_cannot_be_played_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        votes_needed("rand", **{"arms": [3], "margins": [0.3], "runs": 1, **options})


FEW = ["--arms", "2", "3", "--margins", "0.3", "0.5", "--calm", "30", "--runs", "10"]


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def test_the_command_prints_tables_and_draws(home, capsys):
    assert main(["votes-needed", "--learner", "D-TS", *FEW]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("D-TS: votes until its favourite is right nine times out of ten")
    assert "From a new start (10 runs)" in printed
    assert "After a change that follows 30 calm votes (10 runs)" in printed
    assert max(map(len, printed.splitlines())) <= 80
    files = {path.name for path in (home / "results/votes").iterdir()}
    assert files == {f"votes-D-TS.{ending}" for ending in ("svg", "pdf", "png", "json")}
    assert main(["votes-needed", "--learner", "D-TS", *FEW, "--json", "--out", "there"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["needed"]) == 8 and told["learner"] == "D-TS"
    kept = json.loads((home / "results/votes/votes-D-TS.json").read_text())
    assert kept["needed"] == told["needed"] == json.loads(json.dumps(told["needed"]))


def test_what_over_means_is_said_where_it_stands(home, capsys):
    given = ["--arms", "2", "--margins", "0.5", "--calm", "30", "--runs", "5"]
    for learner, over in (("rand", True), ("tracker", False)):
        assert main(["votes-needed", "--learner", learner, *given]) == 0
        printed = capsys.readouterr().out
        assert ("over N: not yet right that often after N votes" in printed) is over


def test_learners_of_ones_own_are_counted_and_must_tell_a_favourite(home, capsys):
    assert main(["votes-needed", "--learner", "own_learners:Guess", *FEW, "--quiet"]) == 0
    assert main(["votes-needed", "--learner", "own_learners:Stubborn", *FEW]) == 1
    assert "learner must be one that tells its favourite" in capsys.readouterr().err


def test_a_name_that_is_wrong_begins_nothing(home, capsys):
    assert main(["votes-needed", "--learner", "trakcer"]) == 2
    told = capsys.readouterr().err
    assert "learner must be one of" in told and "Did you mean 'tracker'?" in told
    assert not (home / "results").exists()


def test_a_learner_whose_module_ends_the_program_and_no_threads_are_refused(home, capsys):
    """Once the first left without a word, as if all were well."""
    (home / "leaving.py").write_text("raise SystemExit(0)")
    assert main(["votes-needed", "--learner", "leaving:f", *FEW]) == 1
    assert "leaving:f cannot be imported: SystemExit" in capsys.readouterr().err
    assert main(["votes-needed", "--jobs", "0", *FEW]) == 1
    assert "jobs must be" in capsys.readouterr().err
