"""Refusals of certificates: coupled arms, bad duels and bad settings, and no others."""

import copy
import math

import numpy as np
import pytest

from learner_factories import FACTORIES, coupled
from logged_duels import PROPERTIES, certified, draw, logged, play
from sparring import Duel
from sparring.certificates import Certificate, CouplingError
from sparring.certificates import _estimates as kernels
from worlds import ladder

pytestmark = pytest.mark.compiled


# --- Coupled arms ---------------------------------------------------------------------------------


def uniform(K):
    return np.full((1, K), 1 / K)


def assert_refuses_ever_after(certificate):
    for name in PROPERTIES:
        with pytest.raises(CouplingError, match="not drawn independently"):
            getattr(certificate, name)
    K = certificate.K
    with pytest.raises(CouplingError):
        certificate.add(Duel(1, 0, 1, uniform(K)), 1)
    with pytest.raises(CouplingError):
        _ = Certificate.from_snapshot(certificate.snapshot()).static


def first_refusal(K, arms, limit):
    """After how many duels with uniform p a certificate refuses; it must."""
    certificate = Certificate(K)
    for t in range(1, limit + 1):
        row, col = arms(t)
        try:
            certificate.add(Duel(t, row, col, uniform(K)), float(row <= col))
        except CouplingError as error:
            message = str(error)
            assert f"of {t:,} duels" in message and "independently" in message
            assert_refuses_ever_after(certificate)
            return t
    raise AssertionError(f"not refused in {limit} duels")


def test_a_learner_without_distributions_is_refused():
    certificate = Certificate(3)
    before = certificate.snapshot()
    with pytest.raises(CouplingError, match="no distributions"):
        certificate.add(Duel(1, 0, 1, np.empty((0, 3))), 1.0)
    with pytest.raises(CouplingError, match="no distributions"):
        certificate.add_many([0], [1], [1.0], np.empty((1, 0, 3)))
    assert certificate.snapshot() == before


def needed(factor):
    """Duels until the bets together have 1e4, if a bet on the share s wins factor(s) in each."""
    wealth, n = dict.fromkeys(kernels.SHARES, 1.0), 0
    stakes = dict(zip(kernels.SHARES, kernels.STAKES, strict=True))
    while sum(stakes[share] * wealth[share] for share in wealth) < 1e4:
        wealth, n = {share: wealth[share] * factor(share) for share in wealth}, n + 1
    return n


def test_always_the_same_arm_twice_is_refused(rng):
    """The counterexample: K = 2, arm 0 wins surely, a = b, uniform marginals: nothing is learnt.

    The regret to arm 0 is a quarter a round, and the estimate is 0 for ever. Whoever believes in a
    share s of the duels of two arms wins 1 / (1/2 + s/2) with each of one.
    """
    draws = rng.integers(2, size=1_000).tolist()
    expected = needed(lambda share: 1 / (0.5 + share / 2))
    assert first_refusal(2, lambda t: (draws[t], draws[t]), 1_000) == expected == 23


@pytest.mark.parametrize(("K", "expected"), [(3, 33), (10, 123)])
def test_arms_that_always_differ_are_refused(K, expected, rng):
    """Each duel wins s / (1/K + s (1 - 1/K))."""
    assert expected == needed(lambda share: share / (1 / K + share * (1 - 1 / K)))
    rows = rng.integers(K, size=2_000)
    cols = (rows + rng.integers(1, K, size=2_000)) % K
    arms = list(zip(rows.tolist(), cols.tolist(), strict=True))
    assert first_refusal(K, lambda t: arms[t], 2_000) == expected


def test_a_refusal_within_many_duels_is_not_forgotten_by_the_end_of_them(rng):
    """Equal in 40 duels, and then in every other one, at which the bets lose what they won."""
    arms = rng.integers(2, size=3_000)
    cols = arms.copy()
    cols[40::2] = 1 - cols[40::2]
    certificate = Certificate(2)
    with pytest.raises(CouplingError):
        certificate.add_many(arms, cols, np.ones(3_000), np.full((3_000, 1, 2), 0.5))
    bets = np.array(certificate.snapshot()["coupling"])[kernels.BETS :]
    assert np.exp(bets) @ kernels.STAKES < 1e4  # at the end; the highest is what counts
    assert_refuses_ever_after(certificate)


@pytest.mark.parametrize("name", FACTORIES)
@pytest.mark.parametrize("seed", range(4))
def test_no_learner_of_ours_is_refused_but_those_that_choose_both_arms_together(name, seed, rng):
    """A false alarm in 1e-4 of certificates at most (Ville): 4e-4 for the four of a learner."""
    learner = FACTORIES[name](seed)
    if coupled(learner):
        with pytest.raises(CouplingError, match="p has no player"):
            Certificate(learner.K).add(learner.ask(), 1)
        return
    certificate = certified(play(learner, ladder(learner.K), 3_000, rng), learner.K)
    assert certificate.rounds == 3_000
    assert np.isfinite(certificate.regret_bounds).all()


def test_concentrated_arms_are_not_refused(rng):
    """One arm has all but 1/1000 of p: nearly all duels are self-duels, as p says; rate 1e-4."""
    p = np.broadcast_to([0.999, 0.0005, 0.0005], (20_000, 2, 3))
    rows, cols = draw(p[:, 0], rng), draw(p[:, 1], rng)
    assert (rows == cols).mean() > 0.99
    assert certified((rows, cols, rng.integers(2, size=20_000), p), 3).rounds == 20_000


def test_false_alarms_are_as_rare_as_stated(rng):
    """200 logs of 500 duels with many self-duels: none is refused; false alarm 2e-4 at most.

    A bet that counted equal arms by the wrong expectation (1/K for p that is not uniform) would
    refuse every one of them.
    """
    p = np.broadcast_to([[0.7, 0.1, 0.1, 0.1]], (500, 1, 4))
    for _ in range(200):
        rows, cols = draw(p[:, 0], rng), draw(p[:, 0], rng)
        certified((rows, cols, np.full(500, 0.5), p), 4, beta=0.1)


# --- Refusals -------------------------------------------------------------------------------------


FINE = {"row": 0, "col": 1, "outcome": 1.0, "p": [[0.5, 0.25, 0.25], [0.2, 0.3, 0.5]]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"outcome": 2}, r"outcome must be a number in \[0, 1\]; got 2\. 1 is a win of the row"),
        ({"outcome": -0.1}, "outcome must be"),
        ({"outcome": math.nan}, "outcome must be"),
        ({"outcome": None}, "outcome must be"),
        ({"outcome": "1"}, "outcome must be"),
        ({"outcome": [1.0]}, "outcome must be"),
        ({"row": 3}, "row must be an arm from 0 to 2; got 3"),
        ({"row": -1}, "row must be"),
        ({"col": 3}, "col must be an arm from 0 to 2; got 3"),
        ({"col": -1}, "col must be"),
        ({"row": 0.5}, "row"),
        ({"col": None}, "col"),
        ({"row": "0"}, "row"),
        ({"row": 2**70}, "row"),
        (
            {"p": [[0.0, 0.5, 0.5]]},
            "of the row arm must be at least 1e-12, as it was",
        ),
        (
            {"p": [[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]},
            "of the col arm must be at least",
        ),
        ({"p": [[0.5, 0.25, 0.2]]}, r"p must be probabilities that sum to 1; got \[\[0.5, 0.25"),
        ({"p": [[0.5, 0.25, 0.25], [0.5, 0.5, 0.5]]}, "p must be probabilities that sum to 1"),
        ({"p": [[1.5, -0.25, -0.25]]}, "p must be probabilities"),
        ({"p": [[0.5, 0.5, math.nan]]}, "p must be probabilities"),
        ({"p": [[math.inf, 0.5, 0.5]]}, "p must be probabilities"),
        ({"p": [[0.5, 0.5]]}, r"p must be .* of shape \(1, any, 3\); got shape \(1, 1, 2\)"),
        ({"p": [[0.25] * 4]}, r"p must be .*; got shape \(1, 1, 4\)"),
        ({"p": [0.5, 0.25, 0.25]}, "p must be .* of shape"),
        ({"p": [[1 / 3] * 3] * 3}, "p must be of one or two players"),
        ({"p": [["a", "b", "c"]]}, "p must be"),
        ({"p": None}, "p must be"),
        ({"p": [[0.5, 0.5, 0.0], [1.0]]}, "p must be"),
    ],
    ids=str,
)
def test_a_bad_duel_is_refused_and_not_added(change, message, rng):
    certificate = certified(logged(3, 20, rng), 3)
    before = certificate.snapshot()
    bad = {**FINE, **change}
    certificate_fine = copy.copy(certificate)
    certificate_fine.add(Duel(1, 0, 1, np.array(FINE["p"])), 1.0)
    p = bad["p"]
    with pytest.raises(ValueError, match=message):
        certificate.add(Duel(1, bad["row"], bad["col"], p), bad["outcome"])
    assert certificate.snapshot() == before


@pytest.mark.parametrize("not_a_duel", [None, (1, 0, 1, [[0.5, 0.5]]), {"row": 0}, 3])
def test_what_is_no_duel_is_refused(not_a_duel):
    with pytest.raises(ValueError, match=r"duel must be a sparring\.Duel"):
        Certificate(2).add(not_a_duel, 1)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("outcomes", 2.0, "duel 13 of 20: outcome must be in"),
        ("outcomes", math.nan, "duel 13 of 20: outcome must be in"),
        ("rows", 3, "duel 13 of 20: row must be an arm from 0 to 2; got 3"),
        ("cols", -1, "duel 13 of 20: col must be an arm from 0 to 2; got -1"),
        ("p", 0.9, "duel 13 of 20: p must be probabilities that sum to 1"),
        ("p", math.nan, "duel 13 of 20: p must be probabilities"),
    ],
)
def test_if_one_of_many_is_refused_none_is_added(name, value, message, rng):
    duels = dict(zip(("rows", "cols", "outcomes", "p"), logged(3, 20, rng), strict=True))
    certificate = Certificate(3)
    duels[name][12] = value
    before = certificate.snapshot()
    with pytest.raises(ValueError, match=message):
        certificate.add_many(**duels)
    assert certificate.snapshot() == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", [0.5] * 5),
        ("rows", [[0]] * 5),
        ("rows", ["a"] * 5),
        ("cols", [0] * 4),
        ("cols", 0),
        ("outcomes", [1.0] * 6),
        ("outcomes", ["1"] * 5),
        ("p", np.full((5, 3), 1 / 3)),
        ("p", np.full((4, 1, 3), 1 / 3)),
        ("p", np.full((5, 1, 2), 1 / 2)),
        ("p", [[[1.0]]] * 4 + [[[0.5, 0.5]]]),
    ],
)
def test_arrays_of_the_wrong_shape_or_kind_are_refused_by_name(name, value):
    fine = {"rows": [0] * 5, "cols": [1] * 5, "outcomes": [1] * 5, "p": np.full((5, 1, 3), 1 / 3)}
    certificate = Certificate(3)
    certificate.add_many(**fine)
    before = certificate.snapshot()
    with pytest.raises(ValueError, match=f"{name} must be an array of"):
        certificate.add_many(**{**fine, name: value})
    assert certificate.snapshot() == before


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        *(({"beta": beta}, "beta") for beta in (0, -1, math.nan, math.inf, 2, 1.0001, "x", [], ())),
        *(({"beta": beta}, "beta") for beta in ([0.1, 0], [0.1, None], np.array([]), [[0.1]])),
        *(({"delta": delta}, "delta") for delta in (0, -1, math.nan, math.inf, 2, "x", None, [])),
        *(({"K": K}, "K") for K in (1, 0, -2, 2.5, math.nan, "x", None, 2**40)),
    ],
    ids=str,
)
def test_bad_settings_are_refused(arguments, name):
    with pytest.raises(ValueError, match=f"{name} must be"):
        Certificate(**{"K": 3, **arguments})


def test_probabilities_rounded_in_a_log_are_let_pass():
    """As many digits as a float of four bytes has."""
    certificate = Certificate(3)
    certificate.add(Duel(1, 0, 1, np.array([[0.3333333, 0.3333333, 0.3333333]])), 1)
    assert certificate.rounds == 1
