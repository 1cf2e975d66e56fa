"""Summaries: means, deviations, slopes and sizes are those of the table, whatever its order."""

import numpy as np
import polars
import pytest

from sparring import BudgetedDrift, CondorcetSwitches, Regret, describe
from sparring.lab.experiments import Experiment, run
from sparring.lab.measures import growth
from sparring.lab.results import ResultsError, Shelf
from sparring.lab.summaries import Summary, read

pytestmark = [pytest.mark.oldest, pytest.mark.compiled]  # no kernel is tested here

RUNS = 4


def experiment(**changes):
    fields = {
        "name": "mine",
        "title": "Drift",
        "axis": "T",
        "worlds": [BudgetedDrift(K=4, T=T, V_T=3) for T in (800, 200, 400)],  # not in order
        "entrants": {"DEX3.S": "dex3s", "RAND": "rand"},
        "regret": Regret("preference", "round"),
        "lines": ["irreducible"],
    }
    return Experiment(**(fields | changes))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("results")
    run(experiment(), found, runs=RUNS)
    return found


@pytest.fixture
def summary(folder):
    return read(folder)[0]


def by_hand(summary, label, x, t):
    """Regrets of a learner, run by run, picked row by row."""
    rows = summary.table.iter_rows(named=True)
    found = {
        row["run"]: row["value"]
        for row in rows
        if (row["entrant"], row["x"], row["t"]) == (label, x, t)
    }
    return np.array([found[number] for number in range(RUNS)])


def test_curves_are_means_and_deviations_over_runs(summary):
    assert summary.points == (200, 400, 800)
    for curve in (*summary.curves, *summary.lines):
        assert curve.x.tolist() == [200, 400, 800]
        for x, mean, sd in zip(curve.x, curve.mean, curve.sd, strict=True):
            values = by_hand(summary, curve.label, x, x)
            assert (summary.values(curve.label, x) == values).all()
            assert mean == pytest.approx(values.mean())
            assert sd == pytest.approx(values.std(ddof=1))


def test_curves_over_time_are_those_of_the_largest_point(summary):
    for curve in summary.over_time:
        assert len(curve.x) == 40 and curve.x[-1] == 800
        for t, mean in zip(curve.x[::13], curve.mean[::13], strict=True):
            assert mean == pytest.approx(by_hand(summary, curve.label, 800, t).mean())


def test_slopes_are_over_all_points_and_over_the_last_two(summary):
    labels = [slope.label for slope in summary.slopes]
    assert labels == ["DEX3.S", "RAND", "irreducible"]
    for slope in summary.slopes:
        values = [by_hand(summary, slope.label, x, x) for x in (200, 400, 800)]
        assert slope.fitted == pytest.approx(growth([200, 400, 800], values))
        assert slope.last == pytest.approx(growth([400, 800], values[1:]))


def test_realised_sizes_are_those_of_the_paths(summary):
    for realised in summary.realised:
        paths = [
            describe(BudgetedDrift(K=4, T=int(realised.x), V_T=3), run=run, experiment="mine")
            for run in range(RUNS)
        ]
        assert (realised.K, realised.T, realised.runs) == (4, realised.x, RUNS)
        assert pytest.approx(np.mean([path.S for path in paths])) == realised.S
        assert pytest.approx(np.mean([path.V_T for path in paths])) == realised.V_T


def test_the_order_of_the_rows_changes_no_bit(folder, summary):
    contents = Shelf(folder / "mine").read()
    for seed in range(3):
        shuffled = contents.table.sample(fraction=1, shuffle=True, seed=seed)
        other = Summary(contents._replace(table=shuffled))
        assert other.realised == summary.realised
        assert other.slopes == summary.slopes


def test_a_lower_bound_is_a_line_known_exactly(tmp_path):
    worlds = [CondorcetSwitches(K=4, T=T, S=2) for T in (200, 400)]
    run(experiment(worlds=worlds, lines=["lower bound"]), tmp_path, runs=1)
    (line,) = read(tmp_path)[0].lines
    assert line.mean.tolist() == [world.lower_bound for world in worlds]
    assert not line.sd.any()


def test_complete_means_every_run_that_was_asked_for(folder, tmp_path):
    contents = Shelf(folder / "mine").read()
    assert Summary(contents).complete
    without = contents.table.filter(~((polars.col("x") == 400) & (polars.col("run") == 2)))
    assert not Summary(contents._replace(table=without)).complete
    fewer = contents.table.filter(polars.col("run") < 2)
    assert not Summary(contents._replace(table=fewer)).complete
    larger = contents.table.filter(polars.col("x") > 200)
    assert not Summary(contents._replace(table=larger)).complete


@pytest.mark.parametrize("label", ["RAND", "irreducible"])
def test_complete_means_everybody(folder, label):
    contents = Shelf(folder / "mine").read()
    named = polars.col("entrant") == label
    for lacking in (named, named & (polars.col("x") == 400) & (polars.col("run") == 2)):
        assert not Summary(contents._replace(table=contents.table.filter(~lacking))).complete


def test_what_is_not_there_is_said(folder, tmp_path):
    with pytest.raises(ResultsError, match="has no panel 'yours'; it has mine"):
        read(folder, ("yours",))
    with pytest.raises(ResultsError, match="has no results of sparring"):
        read(tmp_path)


def test_rubbish_in_the_history_does_not_count(folder):
    contents = Shelf(folder / "mine").read()
    for rubbish in (None, "x", [1], 10**30, -1, True):
        noted = [*contents.history, {"runs": rubbish}, {}]
        assert Summary(contents._replace(history=noted)).complete


def test_points_with_other_runs_are_not_paired(tmp_path):
    worlds = [BudgetedDrift(K=4, T=300, V_T=V_T) for V_T in (2, 4, 8)]
    run(experiment(axis="V_T", worlds=worlds), tmp_path, runs=6)
    contents = Shelf(tmp_path / "mine").read()
    paired = Summary(contents).growth("RAND")
    odd = polars.col("x").cast(int) + polars.col("run")
    unpaired = Summary(contents._replace(table=contents.table.filter(odd % 4 != 0))).growth("RAND")
    assert paired.high - paired.low < unpaired.high - unpaired.low


def test_a_summary_shows_the_regret_that_is_drawn_and_keeps_the_others(tmp_path):
    """Every number is that of the experiment without regrets beside; `everything` has all."""
    also = (Regret("borda", "round"), Regret("preference", "condorcet", "weak"))
    run(experiment(luck="clover"), tmp_path / "alone", runs=2)
    run(experiment(luck="clover", also=also), tmp_path / "beside", runs=2)
    (alone,), (beside,) = read(tmp_path / "alone"), read(tmp_path / "beside")
    timeless = [name for name in alone.table.columns if name != "seconds"]
    assert beside.table.select(timeless).equals(alone.table.select(timeless))
    assert set(beside.table["regret"]) == {str(experiment().regret)}
    assert set(beside.everything["regret"]) == {str(experiment().regret), *map(str, also)}
    lines = alone.everything.filter(polars.col("entrant") == "irreducible")
    learners = len(alone.everything) - len(lines)
    assert len(beside.everything) == 3 * learners + len(lines)
    assert beside.complete and beside.realised == alone.realised
    for one, other in zip(
        (*beside.curves, *beside.lines), (*alone.curves, *alone.lines), strict=True
    ):
        assert one.label == other.label
        np.testing.assert_array_equal(one.mean, other.mean)
    assert beside.slopes == alone.slopes


def test_panels_of_the_same_luck_are_compared_run_by_run(tmp_path):
    """A learner that is played later, alone, has the regret that it would have had with others."""
    run(experiment(name="all", luck="clover"), tmp_path, runs=3)
    run(experiment(name="late", luck="clover", entrants={"RAND": "rand"}), tmp_path, runs=3)
    every, late = read(tmp_path, ("all", "late"))
    for x in every.points:
        np.testing.assert_array_equal(every.values("RAND", x), late.values("RAND", x))
    assert every.realised == late.realised
