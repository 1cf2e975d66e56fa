"""Bad input: a clear error with name, rule, value and remedy, and the learner as it was before."""

import inspect
import json
import math

import numpy as np
import pytest

import sparring
from sparring.learners import LEARNERS
from sparring.learners import weights as kernels
from worlds import random_matrices

FINE = {"K": 10, "T": 10_000}


@pytest.mark.parametrize("name", ["rex3", "dex3p", "dex3s"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"K": 1}, r"K must be a whole number of at least 2; got 1\. A duel needs two arms"),
        ({"K": 0}, "K must be"),
        ({"K": -3}, "K must be"),
        ({"K": 2.5}, "K must be"),
        ({"K": math.nan}, "K must be"),
        ({"K": math.inf}, "K must be"),
        ({"K": "ten"}, "K must be"),
        ({"K": None}, "K must be"),
        ({"K": True}, "K must be"),
        ({"K": 2**40}, "K must be at most 2,147,483,648; got 1099511627776"),
        ({"T": 0}, "T must be a whole number of at least 1"),
        ({"T": -5}, "T must be"),
        ({"T": math.nan}, "T must be"),
        ({"T": "many"}, "T must be"),
        ({"T": 10**400}, "T must be"),
        ({"T": 10**5000}, "T must be .*; got a huge number"),
        ({"T": None}, r"T must be given.*tuning=sparring\.Tuning"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"seed": 1.5}, "seed must be"),
        ({"seed": "lucky"}, "seed must be"),
        # Refused at once: such a seed could be saved, and then not be restored.
        ({"seed": np.random.SeedSequence(1, pool_size=2048)}, "pool_size must be from 4 to 1024"),
        ({"tuning": (0.1, 0.2)}, "not both"),
        ({"T": None, "tuning": (0.1, 0.2)}, r"tuning must be a sparring\.Tuning"),
    ],
)
def test_bad_sizes_are_refused(name, change, message):
    with pytest.raises(ValueError, match=message):
        sparring.LEARNERS[name](**{**FINE, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"S": 0}, r"S must be a whole number of at least 1; got 0\. S counts segments"),
        ({"S": -1}, "S must be"),
        ({"S": 1.5}, "S must be"),
        ({"S": 10_001}, r"S must be at most T = 10000; got 10001"),
        ({"V_T": -0.1}, r"V_T must be a number in \[0, 10000\]; got -0.1"),
        ({"V_T": math.nan}, "V_T must be"),
        ({"V_T": math.inf}, "V_T must be"),
        ({"V_T": 10_001}, "No entry moves by more than 1"),
        ({"V_T": 0.0}, "V_T must be well above 0.*dex3p, or corrected=True"),
        ({"V_T": "wild"}, "V_T must be"),
        ({"V_T": 1e-200}, "V_T must be well above 0"),
        ({"S": 2, "corrected": "no"}, "corrected must be True or False; got 'no'"),
        ({"S": 2, "V_T": 1.0}, "give S or V_T, not both"),
    ],
)
def test_bad_variation_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        sparring.dex3s(**FINE, **change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"S": None}, "S must be given"),
        ({"S": 0}, "S must be"),
        ({"delta": 0}, "delta must be"),
        ({"delta": 1.5}, "delta must be"),
        ({"delta": math.nan}, "delta must be"),
    ],
)
def test_bad_borda_arguments_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        sparring.borda_dex3s(**{"K": 10, "T": 100_000, "S": 3, **change})


@pytest.mark.parametrize(
    ("name", "beside"),
    [
        ("dex3s", {"corrected": True}),
        ("dex3s", {"T": 0}),
        ("dex3s", {"V_T": 0.0}),
        ("borda_dex3s", {"delta": 0.1}),
        ("borda_dex3s", {"S": 3}),
        ("rex3", {"T": 100}),
    ],
)
def test_what_a_tuning_replaces_is_refused_beside_it(name, beside):
    with pytest.raises(ValueError, match=f"give tuning or {next(iter(beside))}, not both"):
        sparring.LEARNERS[name](3, tuning=sparring.Tuning(0.01, 0.1), **beside)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((-0.1, 0.2), "eta must be"),
        ((math.inf, 0.2), "eta must be"),
        ((0.1, 0.0), "gamma must be"),
        ((0.1, 1.1), r"gamma must be a number in \[1e-50, 1\]; got 1.1"),
        ((0.1, math.nan), "gamma must be"),
        ((0.1, 0.2, -1), "beta must be"),
        ((0.1, 0.2, 1.01), "beta must be"),
        ((0.1, 0.2, 0, 1.5), "alpha must be"),
        ((0.1, 0.2, 0, 1e-200), "alpha must be 0 or at least 1e-100"),
        (("much", 0.2), "eta must be"),
        ((10**400, 0.2), "eta must be"),
    ],
)
def test_bad_tunings_are_refused(numbers, message):
    with pytest.raises(ValueError, match=message):
        sparring.Tuning(*numbers)


def test_tunings_that_a_learner_cannot_use_are_refused():
    with pytest.raises(
        ValueError, match=r"eta must be at most .* at gamma = 0.01.*more than e\^350"
    ):
        sparring.dex3p(10, tuning=sparring.Tuning(1.0, 0.01))
    with pytest.raises(ValueError, match="alpha must be 0 for dex3p, which has no share"):
        sparring.dex3p(10, tuning=sparring.Tuning(0.01, 0.1, 0.0, 0.1))
    with pytest.raises(ValueError, match="alpha must be 0 for rex3"):
        sparring.rex3(10, tuning=sparring.Tuning(0.01, 0.1, 0.0, 0.1))
    with pytest.raises(ValueError, match="beta must be 0 for the relative estimate"):
        sparring.rex3(10, tuning=sparring.Tuning(0.01, 0.1, 0.1))
    with pytest.raises(ValueError, match="estimate must be one of"):
        sparring.learners.ExponentialWeights(3, sparring.Tuning(0.01, 0.1), estimate="guess")


def test_what_is_no_block_no_problem_or_no_duel_is_named():
    learner = sparring.rand(3)
    with pytest.raises(ValueError, match=r"block must be a sparring\.Block.*Block\(P, hold\)"):
        learner.play(np.full((1, 3, 3), 0.5), np.zeros(1))
    with pytest.raises(ValueError, match=r"got shape \(3, 3\)\. .*pass P\[None\]"):
        learner.play(sparring.Block(np.full((3, 3), 0.5), np.ones(1, int)), np.zeros(1))
    with pytest.raises(ValueError, match=r"problem must be a sparring\.Problem; got 10"):
        sparring.tunings.dex3p(10)
    with pytest.raises(sparring.DuelError, match=r"from_json\(fields\).*open\[round\]"):
        learner.tell(learner.ask().to_json(), 1.0)
    with pytest.raises(sparring.DuelError, match=r"got str: text goes through json\.loads first"):
        sparring.Duel.from_json("{}")
    with pytest.raises(sparring.SnapshotError, match=r"text goes through json\.loads"):
        sparring.restore("{}")


def test_a_mixing_above_one_says_which_T_would_do():
    with pytest.raises(ValueError, match=r"gamma = 2 .*T >= 400 would do, and T >= 1600 makes"):
        sparring.dex3s(10, 100, S=10)
    with pytest.warns(sparring.TheoremWarning):
        sparring.dex3s(10, 400, S=10)
    sparring.dex3s(10, 1600, S=10)


def test_the_warning_points_at_the_line_of_the_user():
    for call in (
        lambda: sparring.dex3p(10, 50),
        lambda: sparring.tunings.dex3p(sparring.Problem(10, 50)),
        lambda: sparring.dex3s(10, tuning=sparring.Tuning(0.01, 0.6)),
    ):
        with pytest.warns(sparring.TheoremWarning) as caught:
            call()
        assert [warning.filename for warning in caught] == [__file__]


def test_a_mixing_above_one_half_warns_that_the_theorem_does_not_apply():
    message = r"3.3 does not apply.*above 0\.5\. It does for T >= 93"
    with pytest.warns(sparring.TheoremWarning, match=message):
        sparring.dex3p(10, 50)
    with pytest.warns(
        sparring.TheoremWarning, match="no theorem of the paper applies: gamma = 0.6"
    ):
        sparring.dex3s(10, tuning=sparring.Tuning(0.01, 0.6, 0.01, 0.001))


@pytest.mark.parametrize(
    "outcome",
    [
        bytearray(b"1"),
        memoryview(b"1"),
        np.complex128(1),
        np.timedelta64(1, "s"),
        np.array("1"),
        -0.01,
        1.01,
        math.nan,
        math.inf,
        -math.inf,
        "1",
        b"1",
        None,
        [1],
        1j,
    ],
)
def test_bad_outcomes_change_nothing(outcome):
    learner = sparring.dex3s(**FINE, seed=1)
    duel = learner.ask()
    before = json.dumps(learner.snapshot())
    with pytest.raises(ValueError, match=r"outcome must be a number in \[0, 1\]; got .* 0.5 a tie"):
        learner.tell(duel, outcome)
    assert json.dumps(learner.snapshot()) == before


class Interrupt(BaseException):
    """Ctrl-C in the middle of a call."""


@pytest.mark.parametrize("method", ["ask", "tell", "play", "distributions"])
def test_an_interrupted_call_leaves_the_learner_usable(method, monkeypatch):
    """Interrupted in the kernel, as while it compiles: nothing learnt, nothing lost, p intact.

    To ask is to draw: once the uniforms are drawn, it is done when the kernel is there.
    """
    learner, twin = sparring.dex3s(**FINE, seed=1), sparring.dex3s(**FINE, seed=1)
    for one in (learner, twin):
        one.ask()
        one.tell(one.ask(), 1.0)
    if method == "ask":
        twin.ask()
    duel = learner.open[1]

    def interrupt(*arguments):
        raise Interrupt

    calls = {
        "ask": learner.ask,
        "tell": lambda: learner.tell(duel, 1.0),
        "play": lambda: learner.play(sparring.Block(np.full((1, 10, 10), 0.5), [1]), [0.5]),
        "distributions": lambda: learner.p,
    }
    with monkeypatch.context() as patch:
        if method == "distributions":
            patch.setattr(kernels, method, interrupt)
        else:
            rounds = learner.KERNELS._replace(**{method: interrupt})
            patch.setattr(type(learner), "KERNELS", rounds)
        with pytest.raises(Interrupt):
            calls[method]()
    own = {"id": "", "digest": ""}
    assert {**learner.snapshot(), **own} == {**twin.snapshot(), **own}
    np.testing.assert_allclose(learner.p.sum(axis=1), 1)
    learner.tell(duel, 1.0)


@pytest.mark.parametrize(
    "outcome", [True, False, 1, 0, 0.5, np.float32(0.25), np.int64(1), np.bool_(True)]
)
def test_any_number_in_the_unit_interval_is_an_outcome(outcome):
    learner, twin = sparring.dex3s(**FINE, seed=1), sparring.dex3s(**FINE, seed=1)
    learner.tell(learner.ask(), outcome)
    twin.tell(twin.ask(), float(outcome))
    np.testing.assert_array_equal(learner.p, twin.p)


def blocks(K=10):
    P = random_matrices(2, K, np.random.default_rng(1))
    hold, coins = np.array([3, 4]), np.full(7, 0.5)
    bad = P.copy()
    bad[1] = np.nan
    above = P.copy()
    above[1] = 1.5
    return {
        "P of two dimensions": (
            (P[0], hold, coins),
            r"block.P must be an array of numbers of shape",
        ),
        "P of other K": ((P[:, :9, :9], hold, coins), r"block.P must be .*\(any, 10, 10\); got"),
        "P of text": ((P.astype(str), hold, coins), "block.P must be"),
        "P masked": ((np.ma.masked_array(P), hold, coins), "block.P must be .* masked array"),
        "coins masked": ((P, hold, np.ma.masked_array(coins)), "coins must be .* masked array"),
        "P complex": ((P.astype(complex), hold, coins), "block.P must be"),
        "P ragged": (([[1], [1, 2]], hold, coins), "block.P must be"),
        "P is NaN": ((bad, hold, coins), r"block.P\[1, \d, \d\] must be a probability .*; got nan"),
        "P above 1": ((above, hold, coins), r"block.P\[1, \d, \d\] must be .*; got 1.5"),
        "hold too short": ((P, hold[:1], coins), r"block.hold must be .* of shape \(2\)"),
        "hold of fractions": (
            (P, hold + 0.5, coins),
            "block.hold must be an array of whole numbers",
        ),
        "hold of zero": ((P, np.array([0, 7]), coins), "block.hold must be at least 1 everywhere"),
        "hold negative": (
            (P, np.array([-1, 8]), coins),
            "block.hold must be at least 1 everywhere",
        ),
        "coins too few": (
            (P, hold, coins[:6]),
            "coins must be one for each of the block's 7 rounds; got",
        ),
        "coins too many": ((P, hold, np.full(8, 0.5)), "coins must be one for each"),
        "coins of two dimensions": ((P, hold, coins[None]), "coins must be an array"),
        "hold that wraps": (
            (np.repeat(P[:1], 5, axis=0), np.array([2**62] * 4 + [7]), coins),
            "coins must be one for each of the block's 18446744073709551623 rounds",
        ),
        "coins NaN": ((P, hold, coins * np.nan), r"coins must be in \[0, 1\]"),
        "coins above 1": ((P, hold, coins + 1), r"coins must be in \[0, 1\]"),
    }


@pytest.mark.parametrize("case", blocks())
@pytest.mark.parametrize("name", ["dex3s", "rex3"])
def test_bad_blocks_change_nothing(case, name):
    """Not even the generator: what was drawn for the refused block is drawn again."""
    learner = sparring.LEARNERS[name](**FINE, seed=1)
    learner.tell(learner.ask(), 1.0)
    learner.ask()
    before = json.dumps(learner.snapshot())
    (P, hold, coins), message = blocks()[case]
    with pytest.raises(ValueError, match=message):
        learner.play(sparring.Block(P, hold), coins)
    assert json.dumps(learner.snapshot()) == before
    assert learner.t == 2


def test_an_empty_block_plays_nothing():
    learner = sparring.dex3p(**FINE, seed=1)
    block = sparring.Block(np.empty((0, 10, 10)), np.empty(0, np.int64))
    rows, cols = learner.play(block, np.empty(0))
    assert rows.size == cols.size == learner.t == 0


def test_blocks_of_other_layouts_are_the_same_block(rng):
    """Fortran order, float32 and integer dtypes, read-only arrays, lists."""
    P = random_matrices(2, 10, rng, extreme=True)
    coins = rng.random(7).astype(np.float32)
    plays = []
    read_only = P.copy()
    read_only.flags.writeable = False
    for matrices in (P, np.asfortranarray(P), P.astype(np.float32), read_only, P.tolist()):
        learner = sparring.dex3p(**FINE, seed=1)
        plays.append(learner.play(sparring.Block(matrices, np.array([3, 4], np.int32)), coins))
    for play in plays[1:]:
        np.testing.assert_array_equal(play, plays[0])


def test_problem_checks_and_normalises():
    problem = sparring.Problem(K=np.int64(5), T=1e6, S=3.0, V_T=1)
    assert (problem.K, problem.T, problem.S, problem.V_T) == (5, 1_000_000, 3, 1.0)
    assert hash(problem) == hash(sparring.Problem(5, 1_000_000, 3, 1.0))
    assert {type(problem.T), type(problem.K), type(problem.S)} == {int}


def planned(name):
    """What a learner needs besides K, in a plan that any K has."""
    wanted = inspect.signature(LEARNERS[name]).parameters
    return {
        option: value
        for option, value in {"T": 10**18, "S": 3}.items()
        if option in wanted and (option == "T" or "V_T" in wanted or name in FIXED)
    }


FIXED = ("borda_dex3s", "monitored_db")  # in the number of segments


@pytest.mark.filterwarnings("ignore::sparring.TheoremWarning")
@pytest.mark.parametrize("name", LEARNERS)
def test_more_arms_than_memory_holds_are_refused(name):
    """Each says how many it takes; none tries to find out how much memory there is."""
    for K in (20_000_000, 10**9, 2**31 - 1):
        with pytest.raises(ValueError, match=rf"K must be at most [\d,]+; got {K}"):
            LEARNERS[name](K, **planned(name))
    for K in ("3", None, [3], 2.5, 1, -1):
        with pytest.raises(ValueError, match="K must be a whole number of at least 2"):
            LEARNERS[name](K, **planned(name))


@pytest.mark.parametrize(
    "name", ["rucb", "rmed1", "double_thompson", "bradley_terry", "anaconda", "seasoned", "tracker"]
)
def test_learners_that_count_pairs_say_which_takes_more_arms(name):
    with pytest.raises(
        ValueError, match=r"K must be at most [25],000; got 100000.*sparring\.steady"
    ):
        LEARNERS[name](100_000, **planned(name))
