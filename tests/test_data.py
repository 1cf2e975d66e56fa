"""Data sets are preferences, have the winners that are published, and come with the package."""

import os
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from page_tables import shipped

import sparring
from places import ROOT
from sparring import data, preferences
from sparring.votes.data import example

SETS = {name: data.load(name) for name in data.names()}
FOLDER = Path(os.environ.get("SPARRING_DATA", "/nowhere"))


def matrices(found):
    return found.P.reshape(-1, found.K, found.K)


@pytest.mark.parametrize("name", SETS)
def test_every_set_is_preferences_with_named_arms(name):
    found = SETS[name]
    P = matrices(found)
    assert np.allclose(P + P.transpose(0, 2, 1), 1, rtol=0, atol=1e-15)
    assert (np.diagonal(P, axis1=1, axis2=2) == 0.5).all()
    assert found.name == name
    assert name.endswith(str(found.K))
    assert len(set(found.arms)) == found.K
    assert found.about and found.source and found.licence
    with pytest.raises(ValueError, match="read-only"):
        found.P[0] = 0


@pytest.mark.parametrize(
    ("name", "winner"),
    [
        ("arxiv6", 0),
        ("arithmetic8", 0),
        ("cyclic4", 0),
        ("cycle5", None),
        ("borda3", 0),
        ("utilities10", 0),
        ("steps10", 0),
    ],
)
def test_the_winner_is_the_published_one(name, winner):
    assert preferences.condorcet_winner(SETS[name].P) == winner


def test_of_borda3_the_two_notions_of_the_best_differ():
    assert preferences.borda_scores(SETS["borda3"].P).argmax() == 1


def test_cyclic4_has_its_circle_below_the_winner():
    P = SETS["cyclic4"].P
    assert preferences.condorcet_winner(P[1:, 1:]) is None
    assert sorted(P[1:, 1:][np.triu_indices(3, 1)].round(12)) == [0.1, 0.9, 0.9]


def test_the_names_of_cycle5_tell_who_beats_whom():
    found = SETS["cycle5"]
    beaten = {
        "scissors": {"paper", "lizard"},
        "paper": {"rock", "Spock"},
        "rock": {"lizard", "scissors"},
        "lizard": {"Spock", "paper"},
        "Spock": {"scissors", "rock"},
    }
    for row, arm in enumerate(found.arms):
        assert {found.arms[col] for col in np.flatnonzero(found.P[row] > 0.5)} == beaten[arm]


def test_steps10_is_strongly_transitive_but_has_no_worths():
    P = SETS["steps10"].P
    for i in range(10):
        for j in range(i + 1, 10):
            for k in range(j + 1, 10):
                assert P[i, k] >= max(P[i, j], P[j, k])
    # With worths, the margin over two steps would exceed that over the larger one alone.
    assert P[0, 2] == P[0, 1] > P[1, 2] > 0.5


def test_models8_is_what_the_example_of_votes_is_drawn_from():
    """Each pair's share of wins in each part is within 5 standard errors; 84 tests, about 5e-5."""
    found = SETS["models8"]
    lines = [line.split(",") for line in example(60_000).splitlines()[1:]]
    day = np.array([line[0][:10] for line in lines], "datetime64[D]") - np.datetime64("2025-01-01")
    period = day.astype(int) // 5
    first, second = (
        np.array([found.arms.index(line[place]) for line in lines]) for place in (1, 2)
    )
    won = np.array([line[3] == "model_a" for line in lines])
    decided = np.array([line[3] != "tie" for line in lines])
    for low, high in ((0, 24), (24, 52), (52, 73)):
        assert (found.P[low:high] == found.P[low]).all()
        part = (period >= low) & (period < high) & decided
        for i in range(8):
            for j in range(i + 1, 8):
                there = part & (first == i) & (second == j)
                P, n = found.P[low, i, j], there.sum()
                assert n > 100
                assert abs(won[there].mean() - P) < 5 * np.sqrt(P * (1 - P) / n)


def test_a_set_is_played_on_as_a_world():
    world = SETS["models8"].world(T=7_300)
    assert isinstance(world, sparring.worlds.Recorded)
    assert world.changes == (2401, 5201)
    assert world.arms == SETS["models8"].arms
    assert SETS["models8"].world(T=100, interpolate=True).S is None
    still = SETS["arxiv6"].world(T=100)
    assert (still.P == SETS["arxiv6"].P).all()
    assert still.name == "arxiv6"


def test_votes_follow_the_preferences_of_their_time():
    """The wins of all votes together are within 5 standard deviations; the rate is below 1e-6."""
    found, n = SETS["league12"], 40_000
    votes = found.votes(n, seed=3)
    P = found.P[np.arange(n) * found.periods // n, votes.first, votes.second]
    upper = P > 0.5
    gap = votes.outcome[upper] - P[upper]
    assert abs(gap.sum()) < 5 * np.sqrt((P * (1 - P))[upper].sum())
    assert votes.names == found.arms
    assert (found.votes(50).first == found.votes(50).first).all()
    assert (found.votes(50).first != found.votes(50, seed=1).first).any()


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(ValueError, match=r"Did you mean 'arxiv6'\?"):
        data.load("arxiv")
    with pytest.raises(ValueError, match="name must be one of"):
        data.load(6)


def test_it_is_small_and_has_the_licence_beside_it():
    folder = resources.files("sparring.data")
    files = [file for file in folder.iterdir() if file.is_file()]
    assert sum(len(file.read_bytes()) for file in files) < 200_000
    said = SETS["arxiv6"].licence
    (licence,) = [file for file in files if file.name.startswith("LICENSE")]
    assert licence.name in said
    assert "Copyright (c) 2015 Junpei Komiyama" in licence.read_text()


def test_the_page_lists_what_there_is():
    assert f"<!-- sets -->\n{shipped()}<!-- end of sets -->" in (ROOT / "docs/data.md").read_text()


@pytest.mark.parametrize("name", ["arxiv6", "arithmetic8", "cyclic4"])
def test_matrices_are_those_of_a_folder_of_classical_ones(name):
    """Beside files that others made of the same sources: SPARRING_DATA says where they are."""
    file = FOLDER / "matrices" / f"{name}.csv"
    if not file.exists():
        pytest.skip("SPARRING_DATA names no folder with such a file")
    lines = file.read_text().splitlines()[1:]
    theirs = np.array([line.split(",")[1:] for line in lines], float)
    assert np.allclose(SETS[name].P, theirs, rtol=0, atol=1e-12)
