"""What bounds are asked: conditions on tunings, arrays, bad input, and from which T on."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

from bound_twins import (
    CLOSE,
    DRIFTING,
    SENSES,
    SWITCHING,
    UPPER,
    WITH_A_SHARE,
    every_upper,
    sizes_of,
    twin,
)
from sparring import Problem, Tuning, bounds, tunings

pytestmark = pytest.mark.compiled

inf = math.inf


# --- Conditions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [*SWITCHING, *DRIFTING, bounds.dex3p])
@pytest.mark.parametrize(
    ("tuning", "condition"),
    [
        (Tuning(0.1, 0.5, 0.1, 1e-4), "gamma + phi(zeta) (1 + beta) eta K < 1"),
        (Tuning(0.0, 0.1, 0.1, 1e-4), "eta > 0"),
        (Tuning(0.01, 1.0, 0.1, 1e-4), "gamma < 1"),
    ],
)
def test_a_tuning_outside_the_conditions_has_no_bound(function, tuning, condition):
    found = function(10, 10**9, **sizes_of(function), tuning=tuning)
    assert found.unmet == condition
    for sense in SENSES:
        assert getattr(found, sense).raw == inf
        assert getattr(found, sense).value == 10**9 / 2
        assert getattr(found, sense).vacuous
    met = function(10, 10**9, **sizes_of(function), tuning=Tuning(0.01, 0.11, 0.1, 1e-4))
    assert met.unmet == ""
    assert met.probable.raw < inf


def test_each_condition_is_named():
    usable = Tuning(1e-3, 0.1, 0.01, 1e-6)
    for change, S, condition in (
        ({}, 2, ""),
        ({"eta": 0.0}, 2, "eta > 0"),
        ({"gamma": 1.0}, 2, "gamma < 1"),
        ({"eta": 0.02}, 2, ""),
        ({"eta": 0.02, "gamma": 0.03}, 2, "gamma + phi(zeta) (1 + beta) eta K < 1"),
        ({"eta": 0.07, "gamma": 0.7}, 2, "gamma + phi(zeta) (1 + beta) eta K < 1"),
        ({"alpha": 0.0}, 1, ""),
        ({"alpha": 0.0}, 2, "alpha > 0 for S > 1"),
        ({"beta": 0.0}, 2, "beta > 0"),
    ):
        found = bounds.dex3s_known(10, 10**6, S, tuning=replace(usable, **change))
        assert found.unmet == condition
        assert (found.probable.raw == inf) is bool(condition)
    too_short = bounds.dex3s_known(10, 20, 10)
    assert too_short.tuning is None
    assert "T >= 400 would do" in too_short.unmet


def test_borda_has_no_condition_on_the_rate():
    """Where estimates may be large the bound is large."""
    fast, faster = (
        bounds.borda_dex3s(10, 10**9, 2, tuning=Tuning(eta, 0.5, 0.4, 1e-9)) for eta in (1 / 48, 1)
    )
    assert fast.unmet == faster.unmet == ""
    assert fast.probable.raw < faster.probable.raw < inf
    for tuning, condition in (
        (Tuning(0.0, 0.5, 0.4, 1e-9), "eta > 0"),
        (Tuning(0.01, 1.0, 0.4, 1e-9), "gamma < 1"),
    ):
        found = bounds.borda_dex3s(10, 10**9, 2, tuning=tuning)
        assert found.unmet == condition
        assert found.mean_fixed.raw == inf
        assert found.mean_fixed.value == 10**9


def test_without_a_bias_only_the_mean_to_a_fixed_comparator_is_bounded():
    for function, tuning in (
        (bounds.dex3s_known, Tuning(1e-4, 1e-2, 0.0, 1e-9)),
        (bounds.borda_dex3s, Tuning(1e-5, 0.1, 0.0, 1e-9)),
    ):
        found = function(10, 10**9, 2, tuning=tuning)
        assert found.unmet == "beta > 0"
        assert found.probable.raw == found.mean.raw == found.printed.raw == inf
        assert not found.mean_fixed.vacuous


def test_without_a_share_only_one_segment_is_followed():
    for function, tuning in (
        (bounds.dex3s_known, Tuning(1e-4, 1e-2, 1e-4)),
        (bounds.borda_dex3s, Tuning(1e-5, 0.1, 1e-4)),
    ):
        assert not function(10, 10**9, 1, tuning=tuning).probable.vacuous
        several = function(10, 10**9, 2, tuning=tuning)
        assert several.probable.raw == several.mean.raw == several.mean_fixed.raw == inf
    drifting = bounds.dex3s_continuous(10, 10**9, 1e-4, tuning=Tuning(1e-4, 1e-2, 1e-4))
    assert drifting.block == 10**9  # one block, whose arm may be left behind
    assert drifting.probable.raw == pytest.approx(
        2 * 1e-4 * (10**9 // 2) + twin(10, 10**9, 1, Tuning(1e-4, 1e-2, 1e-4)), **CLOSE
    )


@every_upper
def test_without_a_usable_tuning_nothing_is_said(function):
    found = function(100, 10, **sizes_of(function))
    if function is bounds.borda_dex3s_continuous:  # its rule always gives a tuning
        assert found.tuning is not None
        assert found.unmet == ""
    else:
        assert found.tuning is None
        assert found.unmet != ""
    assert all(bound.vacuous for bound in found[:5])
    assert all(bound.value == bound.trivial for bound in found[:5])


# --- Arrays ---------------------------------------------------------------------------------------


def assert_same(stacked, single, index, shape):
    """Every field, and fields of fields, at an index equal those of the single call."""
    if isinstance(single, tuple):
        assert type(stacked) is type(single)
        for many, one in zip(stacked, single, strict=True):
            assert_same(many, one, index, shape)
    else:
        assert stacked.shape == shape
        assert stacked[index] == single
        kinds = {bool: "b", int: "i", float: "f"}
        assert stacked.dtype.kind == kinds.get(type(single), "O")


@pytest.mark.parametrize(
    ("function", "sizes"),
    [
        (bounds.dex3p, {"K": [2, 10], "T": np.array([[1], [10**4], [10**6]])}),
        (bounds.dex3p, {"K": 10, "T": 1e6, "delta": [0.01, 0.1]}),
        (bounds.dex3s_known, {"K": [2.0, 10.0], "T": 10**6, "S": np.array([[1], [10]])}),
        (bounds.dex3s_unknown, {"K": np.int32(10), "T": [1e3, 1e6], "S": (1, 5)}),
        (bounds.dex3s_continuous, {"K": 10, "T": [10**4, 10**9], "V_T": [[1], [2.5]]}),
        (bounds.dex3s_condorcet, {"K": [3, 5], "T": 10**9, "V_T": 1e-3}),
        (bounds.borda_dex3s, {"K": 3, "T": [10, 10**9], "S": 2, "delta": [[0.1], [1e-3]]}),
        (bounds.borda_dex3s_continuous, {"K": 3, "T": [1e4], "V_T": 1}),
        (bounds.lower_switching, {"K": [2, 10], "T": 10**6, "S": [[1], [10]]}),
        (bounds.lower_continuous, {"K": 10, "T": [10**3, 10**6], "V_T": [[0.0], [1.0]]}),
    ],
)
def test_arrays_equal_the_loop_of_numbers(function, sizes):
    found = function(**sizes)
    names, arrays = list(sizes), np.broadcast_arrays(*map(np.asarray, sizes.values()))
    shape = arrays[0].shape
    for index in np.ndindex(shape):
        point = {name: array[index].item() for name, array in zip(names, arrays, strict=True)}
        assert_same(found, function(**point), index, shape)


def test_sizes_may_be_given_by_position():
    K, T, S = [2, 10], [[10**4], [10**6]], 2
    by_position, by_name = bounds.dex3s_known(K, T, S), bounds.dex3s_known(S=S, T=T, K=K)
    np.testing.assert_array_equal(by_position.probable, by_name.probable)
    assert by_position.probable.raw.shape == (2, 2)


def test_a_rule_is_asked_for_each_point():
    asked = []

    def rule(problem):
        asked.append(problem)
        return tunings.best(problem)

    found = bounds.dex3s_known([3, 10], [[10**5], [10**6]], 2, tuning=rule)
    assert asked == [Problem(K, T, S=2) for T in (10**5, 10**6) for K in (3, 10)]
    assert found.tuning[1, 0] == tunings.best(Problem(3, 10**6, S=2))


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"K": [], "T": 10}, "sizes must be one or more; got none"),
        ({"K": [2, 3], "T": [10, 20, 30]}, r"fit together; got K \(2,\), T \(3,\)"),
        ({"K": ["2", "3"], "T": 10}, "K must be numbers"),
        ({"K": 2, "T": [True, False]}, "T must be numbers"),
        ({"K": 2, "T": [10, None]}, "T must be numbers"),
        ({"K": 2, "T": 10, "delta": ["x"]}, "delta must be numbers"),
        ({"K": 2, "T": [[10], [10, 20]]}, "T must be"),
        ({"K": [2, 1], "T": 10}, "K must be a whole number of at least 2"),
        ({"K": 2, "T": [10, 2.5]}, "T must be a whole number"),
        ({"K": 2, "T": 10, "delta": [0.1, math.nan]}, "delta must be a number in"),
    ],
)
def test_bad_arrays_are_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        bounds.dex3p(**sizes)


# --- Bad input ------------------------------------------------------------------------------------


@every_upper
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"K": 1}, "K must be a whole number of at least 2; got 1"),
        ({"K": "10"}, "K must be a whole number"),
        ({"T": 0}, "T must be a whole number of at least 1; got 0"),
        ({"T": 10.5}, "T must be a whole number"),
        ({"T": 1e19}, "T must be at most"),
        ({"delta": 0}, r"delta must be a number in \[1e-300, 1\]; got 0"),
        ({"delta": 2}, "delta must be a number in"),
        ({"delta": math.nan}, "delta must be a number in"),
        ({"delta": None}, "delta must be a number in"),
        ({"tuning": "x"}, "tuning must be"),
        ({"tuning": lambda problem: 0.1}, r"tuning must be a sparring.Tuning; got 0\.1"),
    ],
)
def test_bad_input_is_refused_by_name(function, bad, message):
    with pytest.raises(ValueError, match=message):
        function(**{"K": 10, "T": 1000, **sizes_of(function), **bad})


@pytest.mark.parametrize("function", UPPER)
@pytest.mark.parametrize("tuning", [None, Tuning(1e-3, 0.1, 1e-3, 1e-4)])
def test_bad_segments_and_variations_are_refused(function, tuning):
    """None too, also where a tuning is given and no rule asks for the size."""
    bad = {None: [], "S": [0, 1001, 1.5, None], "V_T": [-1, 1001, math.nan, None]}
    name, _ = UPPER[function]
    for size in bad[name]:
        with pytest.raises(ValueError, match=f"{name} must be|give S or V_T"):
            function(10, 1000, size, tuning=tuning)


@pytest.mark.parametrize("function", WITH_A_SHARE)
def test_a_tuning_and_a_correction_exclude_each_other(function):
    tuning = Tuning(1e-3, 0.1, 1e-3, 1e-4)
    with pytest.raises(ValueError, match="give tuning or corrected, not both"):
        function(10, 10**6, 1, tuning=tuning, corrected=True)
    with pytest.raises(ValueError, match="corrected must be True or False"):
        function(10, 10**6, 1, corrected="yes")


def test_few_winners_hold_for_as_many_rounds_as_is_said():
    """A block is no longer than that, and one winner within T is one comparator of one segment."""
    tuning = tunings.dex3s_known(Problem(10, 10**8, S=1), corrected=True)
    one = bounds.dex3s_condorcet(10, 10**8, 10.0, winners=1, within=10**8, tuning=tuning)
    assert one.probable.raw == bounds.dex3s_known(10, 10**8, 1, tuning=tuning).probable.raw
    assert one.block == 10**8
    short = bounds.dex3s_condorcet(10, 10**8, 10.0, winners=1, within=1000, tuning=tuning)
    assert short.block == 1000
    assert short.probable.raw == bounds.dex3s_known(10, 10**8, 10**5, tuning=tuning).probable.raw
    for half in ({"winners": 2}, {"within": 10}):
        with pytest.raises(ValueError, match="give both winners and within, or neither"):
            bounds.dex3s_condorcet(10, 10**8, 10.0, **half)
    with pytest.raises(ValueError, match="within must be"):
        bounds.dex3s_condorcet(10, 10**8, 10.0, winners=2, within=0)


@pytest.mark.parametrize("V_T", [1e-300, 5e-324])
@pytest.mark.parametrize("T", [1, 10, 10**18])
def test_next_to_no_variation_is_no_trouble(T, V_T):
    for function in (bounds.dex3s_continuous, bounds.dex3s_condorcet):
        assert not math.isnan(function(2, T, V_T, corrected=True).probable.raw)
    found = bounds.lower_continuous(3, T, V_T)
    assert not math.isnan(found.value) and not math.isnan(found.printed.value)


def test_a_rule_is_given_the_delta_of_the_bound():
    fixed = tunings.best(Problem(10, 10**6, S=10), 1e-12)
    found = bounds.dex3s_known(10, 10**6, 10, tuning=tunings.best, delta=1e-12)
    assert found.tuning == fixed != tunings.best(Problem(10, 10**6, S=10))
    assert bounds.dex3s_known(10, 10**6, 10, tuning=lambda it: fixed, delta=0.5).tuning == fixed


@pytest.mark.parametrize("winners", [0, 11, 1.5, "2"])
def test_bad_winners_are_refused(winners):
    with pytest.raises(ValueError, match="winners must be"):
        bounds.dex3s_condorcet(10, 10**6, 1.0, winners=winners, within=100)


def test_K_is_named_though_winners_depend_on_it():
    for K in (1, "10", 2.5):
        with pytest.raises(ValueError, match="K must be"):
            bounds.dex3s_condorcet(K, 10**6, 1.0, winners=2, within=100)


@pytest.mark.parametrize("function", [bounds.lower_switching, bounds.lower_continuous])
def test_bad_input_of_lower_bounds_is_refused(function):
    name = "S" if function is bounds.lower_switching else "V_T"
    for size in (-1, 1001, None, "x"):
        with pytest.raises(ValueError, match=f"{name} must be"):
            function(10, 1000, size)
    with pytest.raises(ValueError, match="family must be one of 'simple', 'paper'; got 'x'"):
        function(10, 1000, 1, family="x")
    with pytest.raises(ValueError, match="K must be at least 3 for the family 'paper'"):
        function(2, 1000, 1, family="paper")


def test_a_static_bound_takes_the_best_tuning_as_a_rule():
    """DEX3.P's benchmark has one segment, so `best` knows which bound to minimise."""
    found = bounds.dex3p(10, 10**6, tuning=tunings.best)
    assert found.tuning == tunings.best(Problem(10, 10**6, S=1))


def test_the_theorems_warnings_are_not_repeated():
    """Where gamma is above 1/2 the rule warns; the bound says it by being vacuous."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = bounds.dex3s_known(10, 1000, 10)
    assert 0.5 < found.tuning.gamma < 1
    assert found.probable.vacuous


# --- From which T on ------------------------------------------------------------------------------


@pytest.mark.parametrize("sense", [*SENSES, "printed"])
@pytest.mark.parametrize(
    ("function", "K", "options"),
    [
        (bounds.dex3p, 10, {}),
        (bounds.dex3p, 2, {"delta": 1e-6}),
        (bounds.dex3s_known, 10, {"S": 10}),
        (bounds.dex3s_known, 3, {"S": 2, "corrected": True}),
        (bounds.dex3s_known, 10, {"S": 10, "tuning": tunings.best}),
        (bounds.dex3s_unknown, 10, {"S": 3}),
        (bounds.dex3s_continuous, 3, {"V_T": 2.5, "corrected": True}),
        (bounds.borda_dex3s, 3, {"S": 2}),
    ],
)
def test_a_bound_says_something_from_that_T_on(function, K, options, sense):
    least = bounds.informative_from(function, K, sense=sense, **options)
    for T in (least, least + 1, 2 * least, 10 * least):
        assert not getattr(function(K, T, **options), sense).vacuous
    assert getattr(function(K, least - 1, **options), sense).vacuous


def test_a_bound_on_borda_regret_says_something_from_that_T_on_with_the_best_tuning():
    def rule(problem):
        return tunings.best(problem, gain="borda")

    least = bounds.informative_from(bounds.borda_dex3s, 3, S=2, tuning=rule)
    found = bounds.borda_dex3s(3, [least - 1, least], 2, tuning=rule)
    assert found.probable.vacuous.tolist() == [True, False]


def test_an_exponent_of_any_size_is_no_trouble():
    """Where e^zeta is no number there is no bound; a switch costs nothing at least."""
    for gain in (bounds.dex3s_known, bounds.borda_dex3s, bounds.sym_exp3s):
        beta = 0.0 if gain is bounds.sym_exp3s else 0.1
        found = gain(10, 1000, 2, tuning=Tuning(1.0, 1e-50, beta, 0.1))
        assert found.mean_fixed.raw == inf
    shared = Tuning(1e-3, 0.5, 0.1, 1.0)
    one, two = (bounds.dex3s_known(10, 1000, S, tuning=shared).mean_fixed.raw for S in (1, 2))
    assert one == two


def test_where_no_T_will_do_there_is_none():
    assert bounds.informative_from(bounds.dex3s_known, 2**31, S=10**9) is None
    assert bounds.informative_from(bounds.dex3s_known, 10, S=10**18) is None
    assert (
        bounds.informative_from(bounds.dex3s_condorcet, 10, V_T=1.0, sense="mean_fixed") is not None
    )


def test_the_errata_say_from_which_T_on():
    """Section 5, with looser constants: 5e3, 2e5 and 1.7e7 at K = S = V = 10."""
    assert 1000 < bounds.informative_from(bounds.dex3p, 10) < 5000
    known = bounds.informative_from(bounds.dex3s_known, 10, S=10, corrected=True)
    assert 20_000 < known < 200_000
    drifting = bounds.informative_from(bounds.dex3s_continuous, 10, V_T=10, corrected=True)
    assert 10**5 < drifting < 1.7e7


@pytest.mark.parametrize(
    ("function", "K", "options", "message"),
    [
        (bounds.dex3p, 10, {"sense": "x"}, "sense must be one of 'probable', .*; got 'x'"),
        (bounds.dex3p, 1, {}, "K must be"),
        (bounds.dex3p, 10, {"tuning": Tuning(1e-3, 0.1)}, "give a rule, or no tuning"),
        (bounds.dex3s_known, 10, {"S": 0}, "S must be"),
        (bounds.dex3s_known, 10, {"S": None}, "S must be"),
        (bounds.dex3s_known, 10, {"S": "x"}, "S must be"),
        (bounds.dex3s_continuous, 10, {"V_T": -1.0}, "V_T must be"),
        (bounds.dex3s_continuous, 10, {"V_T": math.nan}, "V_T must be"),
    ],
)
def test_informative_from_refuses_by_name(function, K, options, message):
    with pytest.raises(ValueError, match=message):
        bounds.informative_from(function, K, **options)
