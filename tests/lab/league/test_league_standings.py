"""Standings: every number is that of the definition, run by run, and own learners are merged."""

import numpy as np
import polars
import pytest

import tiny_league
from sparring.lab import league, measures
from sparring.lab.league.contenders import ORACLE
from sparring.lab.results import Shelf

pytestmark = pytest.mark.compiled  # no kernel is tested here


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_league.played(tmp_path_factory)


@pytest.fixture(scope="module")
def found(folder):
    return league.read(folder)


def by_hand(folder, world, label, regret):
    """Regrets at the end, picked row by row out of all parts of all experiments of a world."""
    values = {}
    for path in sorted(folder.glob(f"league-{world}*/parts/*/*.parquet")):
        for row in polars.read_parquet(path).iter_rows(named=True):
            wanted = (row["entrant"], row["regret"], row["t"]) == (label, regret, row["T"])
            if wanted:
                values[row["run"]] = row["value"]
    return np.array([values[run] for run in sorted(values)])


def test_worlds_are_in_the_order_of_the_suite_and_ones_own_last(found):
    names = [meeting.name for meeting in found.meetings]
    assert names[:-1] == [name for name in league.suite("quick") if name in tiny_league.WORLDS]
    assert [one.name for one in found.given] == names[-1:]
    assert found.labels == (*tiny_league.LABELS, tiny_league.OWN)
    assert found.own == (tiny_league.OWN,)
    assert found.told("REX3") == "T" and found.told(tiny_league.OWN) == "nothing"
    assert found.ranked(tiny_league.OWN) and not found.ranked(ORACLE)


def test_every_number_is_that_of_the_definition(folder, found):
    for meeting in found.meetings:
        regret = str(meeting.regret)
        values = {label: by_hand(folder, meeting.name, label, regret) for label in meeting.labels}
        means = {label: runs.mean() for label, runs in values.items()}
        may = [label for label in means if label != ORACLE]
        best = min(may, key=means.__getitem__)
        assert meeting.best == best
        assert [one.label for one in meeting.standings] == sorted(means, key=means.__getitem__)
        for one in meeting.standings:
            assert one.regret.value == pytest.approx(means[one.label])
            assert one.runs == tiny_league.RUNS and one.complete
            pairs = ((one.to_best, best), (one.to_chance, "RAND"))
            for ratio, other in pairs:
                expected = measures.ratio(values[one.label], values[other])
                assert ratio == pytest.approx(expected, nan_ok=True)


def test_a_learner_of_ones_own_met_the_same_paths(folder, found):
    """It always duels the first two arms: what that costs is what the path says, coins or not."""
    for meeting in found.meetings:
        assert tiny_league.OWN in meeting.labels
        paths = meeting.summary.everything.select("run", "S", "V_T").unique()
        assert len(paths) == len(meeting.runs)


def test_duels_are_paired_by_run(folder, found):
    duels = found.duel("SYM-EXP3.S", "DEX3.S corrected")
    assert [duel.world for duel in duels] == [
        one.name for one in found.meetings if {"SYM-EXP3.S", "DEX3.S corrected"} <= set(one.labels)
    ]
    for duel in duels:
        regret = str(next(one for one in found.meetings if one.name == duel.world).regret)
        first, second = (
            by_hand(folder, duel.world, label, regret)
            for label in ("SYM-EXP3.S", "DEX3.S corrected")
        )
        assert duel.difference == pytest.approx(measures.difference(first, second))
        assert duel.runs == tiny_league.RUNS
        low, high = duel.difference[1:]
        assert duel.winner == (0 if high < 0 else 1 if low > 0 else -1)
    with pytest.raises(ValueError, match="label must be one of"):
        found.duel("RAND", "nobody")


def test_nanoseconds_are_the_median_over_worlds_and_runs(folder, found):
    taken = []
    for path in folder.glob("*/parts/*/*.parquet"):
        rows = polars.read_parquet(path).filter(entrant="RAND").unique("run")
        taken += [row["seconds"] * 1e9 / row["T"] for row in rows.iter_rows(named=True)]
    assert found.nanoseconds("RAND") == pytest.approx(np.median(taken))


def test_borda_regret_is_read_beside_the_one_that_decides(folder, found):
    meeting = found.meetings[1]
    values = by_hand(folder, meeting.name, "REX3", str(meeting.borda))
    assert meeting.values("REX3", meeting.borda) == pytest.approx(values)
    assert str(meeting.borda).startswith("borda/") and values.mean() > 0


def test_who_lacks_runs_is_not_complete_and_not_ranked(tmp_path):
    tiny_league.play(tmp_path, own=False, runs=2)
    tiny_league.play(tmp_path, own=True, runs=1)
    found = league.read(tmp_path)
    assert not any(meeting.complete(tiny_league.OWN) for meeting in found.meetings)
    ranking = league.rank(found)
    assert ranking.left_out == (tiny_league.OWN,) and tiny_league.OWN not in ranking.labels
    duel = found.duel(tiny_league.OWN, "RAND")[0]
    assert duel.runs == 1 and duel.winner == -1  # one run tells nothing about chance


def test_a_folder_without_a_league_is_refused(folder):
    with pytest.raises(ValueError, match="experiments of a league"):
        league.League([])


def test_damaged_parts_only_make_a_learner_incomplete(tmp_path):
    tiny_league.play(tmp_path, own=False, runs=2)
    shelf = Shelf(tmp_path / "league-walk")
    part = next(shelf.folder.glob("parts/*/run-00001-*.parquet"))
    part.write_bytes(b"")
    walk = league.read(tmp_path).meetings[0]
    assert walk.runs == (0,) and walk.summary.damaged == (part,)
