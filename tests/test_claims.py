"""Claims: data that names what exists, and verdicts that follow from the numbers alone."""

import json

import numpy as np
import polars
import pytest

from sparring import claims, panels
from sparring.claims import CLAIMS, FAILS, HOLDS, OPEN
from sparring.claims import decisions as kinds
from sparring.results import Contents
from sparring.summaries import Summary

pytestmark = pytest.mark.compiled  # no kernel is tested here

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
        fields = claim.to_json()["test"]
        labels = [fields[key] for key in ("label", "other") if key in fields]
        labels += fields.get("labels", ())
        assert set(labels) <= {*panel.labels, *panel.lines}, claim.name
        if claim.origin == "paper":
            assert panel.source and panel.source in claim.source, claim.name
        json.dumps(claim.to_json())
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)


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
    assert kinds.GrowsAtMost("DEX3.P", 0.5)(panel).verdict == HOLDS


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


def test_what_is_said_of_large_T_is_not_decided_by_small_T():
    laws = {"DEX3P": power(0.5), "REX3": power(1)}
    claim = kinds.Below("DEX3.P", "REX3", T=10**6)
    assert claim(summary(scale="quick", **laws)).verdict == OPEN
    assert claim(summary(scale="full", **laws)).verdict == HOLDS


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
    assert reading.verdict == FAILS and "REX3" in reading.note
    assert reading.estimate.value == pytest.approx(0.9)


def test_negative_regrets_are_counted():
    panel = summary(DEX3P=lambda x, rng: np.r_[-1.0, np.ones(RUNS - 1)])
    claim = kinds.CanBeNegative(("DEX3.P", "REX3"))
    assert claim(panel).estimate.value == len(panel.points)
    assert claim(panel).verdict == HOLDS
    assert claim(summary()).verdict == OPEN


def test_judge_decides_what_there_are_panels_for():
    verdicts = claims.judge([summary(DEX3P=power(0.5), REX3=power(1))])
    assert {verdict.claim.panel for verdict in verdicts} == {"static-vs-T"}
    by_name = {verdict.claim.name: verdict.verdict for verdict in verdicts}
    assert by_name["static-dex3p-T"] == HOLDS
    assert by_name["static-rex3-T"] == FAILS
    json.dumps([verdict.to_json() for verdict in verdicts], allow_nan=False)


def test_one_run_decides_nothing_about_chance():
    panel = summary(DEX3P=lambda x, rng: [x**0.5], REX3=lambda x, rng: [x**0.5])
    assert kinds.Grows("DEX3.P", 0.5)(panel).verdict == OPEN
    assert kinds.Below("DEX3.P", "REX3")(panel).verdict == OPEN
