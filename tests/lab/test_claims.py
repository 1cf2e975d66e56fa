"""Claims: data that names what exists, and verdicts that follow from the numbers alone."""

import json

import numpy as np
import polars
import pytest

from sparring.lab import claims, panels
from sparring.lab.claims import CLAIMS, FAILS, HOLDS, OPEN, SO_FAR
from sparring.lab.claims import decisions as kinds
from sparring.lab.results import Contents
from sparring.lab.summaries import Summary

pytestmark = [pytest.mark.core, pytest.mark.compiled]  # no kernel is tested here

RUNS = 10


def summary(panel="static-vs-T", scale="quick", **laws):
    """A panel with regrets that are made up: law(x, rng) gives those of all runs at x."""
    experiment = panels.panels(scale)[panel]
    rng, rows = np.random.default_rng(7), []
    for x, world in zip(experiment.points, experiment.worlds, strict=True):
        for label in (*experiment.labels, *experiment.lines):
            law = laws.get(
                label.replace(".", "").replace(" ", "_"), lambda x, rng: np.full(RUNS, x)
            )
            for run, value in enumerate(law(x, rng)):
                rows.append(
                    {
                        "x": float(x),
                        "entrant": label,
                        "K": world.K,
                        "T": world.T,
                        "S": 10,
                        "V_T": 1.0,
                        "run": run,
                        "regret": str(experiment.regret),
                        "t": world.T,
                        "value": float(value),
                    }
                )
    about = {"experiment": experiment.to_json(), "seed": 0}
    return Summary(Contents(about, [], polars.DataFrame(rows), ()))


def power(exponent, factor=1.0, noise=0.02):
    return lambda x, rng: factor * x**exponent * rng.normal(1, noise, RUNS)


def test_every_claim_is_about_a_panel_and_learners_that_exist():
    known = panels.panels("full")
    for claim in CLAIMS:
        panel = known[claim.panel]
        fields = claim.to_json()["decision"]
        labels = [fields[key] for key in ("label", "other") if key in fields]
        labels += fields.get("labels", ())
        assert set(labels) <= {*panel.labels, *panel.lines}, claim.name
        if claim.origin == "paper":
            assert panel.source and panel.source in claim.source, claim.name
        json.dumps(claim.to_json())
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)


def test_runs_are_paired_by_their_number():
    """Entrants may have different runs, as parts are stored by entrant."""
    whole = summary(RAND=power(1.0), REX3=power(0.9))
    last = polars.col("x") == whole.points[-1]
    rex3, run = polars.col("entrant") == "REX3", polars.col("run")
    for runs, kept in [((3, 7), run.is_in([3, 7])), ((5,), run == 5), ((), run < 0)]:
        there = whole.table.filter(~rex3 | kept | ~last)
        contents = Contents({"experiment": whole.experiment.to_json(), "seed": 0}, [], there, ())
        panel = Summary(contents)
        rand, found = panel.paired(panel.points[-1], "RAND", "REX3")
        np.testing.assert_array_equal(rand, whole.values("RAND", whole.points[-1])[list(runs)])
        assert len(found) == len(runs)
        reading = kinds.Below("REX3", "RAND")(panel)
        assert reading.estimate == pytest.approx(kinds.difference(rand, found), nan_ok=True)
        assert reading.verdict == (HOLDS if len(runs) > 1 else OPEN)
        for decision in (kinds.Close, kinds.GapNarrows, kinds.Below):
            decision("REX3", "RAND")(panel), decision("RAND", "REX3")(panel)
        for decision in (kinds.Grows, kinds.GrowsAtMost):
            decision("REX3", 1.0)(panel)
        kinds.AboveBound()(panel)


def test_every_figure_of_the_paper_has_claims():
    sources = {panel.name for panel in panels.panels("full").values() if panel.source}
    assert sources == {claim.panel for claim in CLAIMS if claim.origin == "paper"}


@pytest.mark.parametrize(
    ("exponent", "verdict"), [(0.5, HOLDS), (0.45, HOLDS), (1.0, FAILS), (0.2, FAILS)]
)
def test_growth_is_decided_by_the_exponent(exponent, verdict):
    reading = kinds.Grows("DEX3.P", 0.5)(summary(DEX3P=power(exponent)))
    assert reading.verdict == verdict
    assert reading.estimate.value == pytest.approx(exponent, abs=0.03)
    assert ("slower" in reading.note) == (exponent == 0.2)


def test_growth_is_open_where_the_runs_do_not_tell():
    reading = kinds.Grows("DEX3.P", 0.5)(summary(DEX3P=power(0.5, noise=0.8)))
    assert reading.verdict == OPEN
    assert reading.estimate.high - reading.estimate.low > 0.2


def test_a_bent_curve_is_no_power_law_though_its_fit_is_right():
    """From T = 1e4 to 1e5: exponent 0.75 at first and 0.25 in the end, 0.5 in all."""
    middle = 10**4.5

    def bent(x, rng):
        return (x / middle) ** (0.75 if x < middle else 0.25) * rng.normal(1, 0.01, RUNS)

    panel = summary(DEX3P=bent)
    reading = kinds.Grows("DEX3.P", 0.5)(panel)
    assert 0.4 < reading.estimate.low < reading.estimate.high < 0.6
    assert reading.verdict == FAILS and "bends" in reading.note


def test_a_curve_that_bends_at_first_is_no_power_law_either():
    def bent(x, rng):  # exponents 0.8, 0.45, 0.45, 0.45
        first = 10**4.25
        return (x / first) ** (0.8 if x < first else 0.45) * rng.normal(1, 0.01, RUNS)

    reading = kinds.Grows("DEX3.P", 0.5)(summary(DEX3P=bent))
    assert 0.4 < reading.estimate.low < reading.estimate.high < 0.6
    assert reading.verdict == FAILS and "bends" in reading.note


def test_who_has_not_learnt_bears_out_no_bound():
    """RAND's regret does not grow along K, S or V_T, and that proves nothing."""
    flat = {"RAND": power(0, 100), "REX3": power(0, 90), "DEX3P": power(0, 50)}
    for panel in ("static-vs-K", "fresh-vs-S", "rotating-vs-V_T"):
        found = summary(panel, **flat)
        assert kinds.GrowsAtMost("RAND", 0.5)(found).verdict == OPEN
        assert kinds.GrowsAtMost("REX3", 0.5)(found).verdict == OPEN
        assert kinds.GrowsAtMost("DEX3.P", 0.5)(found).verdict == HOLDS
    late = summary("static-vs-K", RAND=power(0, 100), DEX3P=power(0.7, 8))
    reading = kinds.GrowsAtMost("DEX3.P", 0.5)(late)  # near RAND from K = 40 on
    assert reading.verdict == OPEN and reading.estimate.value == pytest.approx(0.7, abs=0.05)
    assert "from 5 to 20" in reading.measured


def test_equal_learners_are_not_below_each_other_and_a_gap_that_stays_does_not_narrow():
    same = summary(DEX3P=power(0.5, noise=0), REX3=power(0.5, noise=0))
    assert kinds.Below("DEX3.P", "REX3")(same).verdict == FAILS
    stays = summary("static-vs-K", RAND=power(0, 9, noise=0), DEX3P=power(0, 5, noise=0))
    assert kinds.GapNarrows("DEX3.P", "RAND")(stays).verdict == FAILS
    assert kinds.Falls("RAND")(stays).verdict == FAILS


def test_a_negative_mean_does_not_grow():
    negative = summary(DEX3P=lambda x, rng: rng.normal(-50 if x > 9e4 else 50, 1, RUNS))
    reading = kinds.Grows("DEX3.P", 0.5)(negative)
    assert reading.verdict == FAILS and "negative" in reading.note
    unclear = summary(DEX3P=lambda x, rng: np.linspace(-1, 1, RUNS) - 0.1)
    assert kinds.Grows("DEX3.P", 0.5)(unclear).verdict == OPEN


def test_no_finite_size_refutes_a_bound_from_above():
    assert kinds.GrowsAtMost("DEX3.P", 0.5)(summary(DEX3P=power(1.0))).verdict == OPEN
    assert kinds.GrowsAtMost("DEX3.P", 0.5)(summary(DEX3P=power(0.3))).verdict == HOLDS


def test_below_is_decided_on_the_same_paths():
    """The paths differ by 1000 from run to run, the learners on one path by 5: pairs tell."""

    def on_paths(shift):
        return lambda x, rng: np.linspace(0, 1000, RUNS) + shift + rng.normal(0, 1, RUNS)

    panel = summary(DEX3P=on_paths(0), REX3=on_paths(5))
    assert kinds.Below("DEX3.P", "REX3")(panel).verdict == HOLDS
    assert kinds.Below("REX3", "DEX3.P")(panel).verdict == FAILS
    same = summary(DEX3P=power(0.5, noise=0.5), REX3=power(0.5, noise=0.5))
    assert kinds.Below("DEX3.P", "REX3")(same).verdict == OPEN


def test_what_is_said_of_large_T_is_borne_out_by_small_T_only_so_far():
    laws = {"DEX3P": power(0.5), "REX3": power(1)}
    small, large = (
        {verdict.claim.name: verdict for verdict in claims.judge([summary(scale=scale, **laws)])}
        for scale in ("quick", "full")
    )
    assert large["static-dex3p-T"].verdict == HOLDS
    assert small["static-dex3p-T"].verdict == SO_FAR
    assert "T goes to 100,000 here" in small["static-dex3p-T"].note
    assert large["static-dex3p-below-rex3"].verdict == HOLDS
    assert small["static-dex3p-below-rex3"].verdict == SO_FAR
    # But a curve that is no power law on a part of the axis is none on the whole of it.
    assert small["static-rex3-T"].verdict == large["static-rex3-T"].verdict == FAILS


def test_what_is_said_of_another_T_is_not_decided_along_K():
    laws = {"DEX3P": power(1.5), "REX3": power(1.5), "RAND": power(-0.2)}
    small = {
        one.claim.name: one.verdict
        for one in claims.judge([summary("static-vs-K", scale="quick", **laws)])
    }
    assert small.pop("static-rand-falls") == SO_FAR
    assert set(small.values()) <= {OPEN, SO_FAR} and OPEN in small.values()
    found = claims.judge([summary("static-vs-K", scale="full", **laws)])
    assert {verdict.verdict for verdict in found} == {HOLDS, FAILS}


def test_falling_and_narrowing():
    panel = summary("static-vs-K", RAND=power(-0.2), DEX3P=power(0.5, 0.01), REX3=power(-0.2, 0.5))
    assert kinds.Falls("RAND")(panel).verdict == HOLDS
    assert kinds.Falls("DEX3.P")(panel).verdict == FAILS
    assert kinds.GapNarrows("DEX3.P", "RAND")(panel).verdict == HOLDS
    widening = summary("static-vs-K", RAND=power(0.5), DEX3P=power(-0.2))
    assert kinds.GapNarrows("DEX3.P", "RAND")(widening).verdict == FAILS


@pytest.mark.parametrize(("factor", "verdict"), [(1.05, HOLDS), (0.9, HOLDS), (2, FAILS)])
def test_close_means_close_at_every_point(factor, verdict):
    def once(x, rng):  # at one point only
        return x * (factor if x == 10**4 else 1.0) * rng.normal(1, 0.01, RUNS)

    panel = summary("continuous-vs-T", REX3=once, DEX3S=power(1))
    reading = kinds.Close("REX3", "DEX3.S")(panel)
    assert reading.verdict == verdict
    assert reading.estimate.value == pytest.approx(factor, rel=0.05)


def test_close_shows_the_ratio_that_decided():
    def laws(x, rng):  # far and certain at first, farther and uncertain at last
        if x == 10**4:
            return 1.5 * x * rng.normal(1, 0.01, RUNS)
        return x * (1.7 + np.linspace(-1.5, 1.5, RUNS) if x == 10**5 else 1.0) * np.ones(RUNS)

    panel = summary("continuous-vs-T", REX3=laws, DEX3S=power(1, noise=0))
    reading = kinds.Close("REX3", "DEX3.S")(panel)
    assert reading.verdict == FAILS and "T = 10,000" in reading.measured
    assert reading.estimate.low > kinds.CLOSE


def test_nobody_can_be_below_a_lower_bound_unnoticed():
    bound = summary("hard-switching-vs-T").lines[0]
    assert bound.label == "lower bound"
    above = dict(zip(bound.x.tolist(), bound.mean.tolist(), strict=True))
    labels = ("RAND", "REX3", "DEX3P", "DEX3S", "DEX3S_corrected")

    def laws(factor):
        return {label: lambda x, rng: factor * above[x] * np.ones(RUNS) for label in labels}

    assert kinds.AboveBound()(summary("hard-switching-vs-T", **laws(1.5))).verdict == HOLDS
    one_below = {**laws(1.5), "REX3": laws(0.9)["REX3"]}
    reading = kinds.AboveBound()(summary("hard-switching-vs-T", **one_below))
    assert reading.verdict == FAILS and "REX3" in reading.measured
    assert reading.estimate.value == pytest.approx(0.9)
    negative = {**laws(1.5), "REX3": laws(-1)["REX3"]}
    reading = kinds.AboveBound()(summary("hard-switching-vs-T", **negative))
    assert reading.verdict == FAILS and reading.estimate.value == pytest.approx(-1)
    last = {**above, bound.x[-1]: 0.0}  # one learner at one point, uncertain

    def unclear(x, rng):
        return above[x] * (np.full(RUNS, 1.5) if last[x] else 1 + np.linspace(-0.5, 0.6, RUNS))

    reading = kinds.AboveBound()(summary("hard-switching-vs-T", **{**laws(1.5), "REX3": unclear}))
    assert reading.verdict == OPEN and "REX3" in reading.measured


def test_negative_regrets_are_counted():
    panel = summary(DEX3P=lambda x, rng: np.r_[-1.0, np.ones(RUNS - 1)])
    claim = kinds.CanBeNegative(("DEX3.P", "REX3"))
    assert claim(panel).estimate.value == len(panel.points)
    assert claim(panel).verdict == HOLDS
    assert claim(summary()).verdict == OPEN


def test_judge_decides_what_there_are_panels_for():
    verdicts = claims.judge([summary(scale="full", DEX3P=power(0.5), REX3=power(1))])
    assert {verdict.claim.panel for verdict in verdicts} == {"static-vs-T"}
    by_name = {verdict.claim.name: verdict.verdict for verdict in verdicts}
    assert by_name["static-dex3p-T"] == HOLDS
    assert by_name["static-rex3-T"] == FAILS
    json.dumps([verdict.to_json() for verdict in verdicts], allow_nan=False)


def test_one_run_decides_nothing_about_chance():
    panel = summary(DEX3P=lambda x, rng: [x**0.5], REX3=lambda x, rng: [x**0.5])
    assert kinds.Grows("DEX3.P", 0.5)(panel).verdict == OPEN
    assert kinds.Below("DEX3.P", "REX3")(panel).verdict == OPEN
