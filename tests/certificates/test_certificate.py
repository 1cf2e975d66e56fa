"""Certificates: as the formulas say, in any pieces, with cuts, in threads and at the edges."""

import contextlib
import json
import math
import sys
import threading
import tracemalloc

import numpy as np
import pytest

from certificate_twin import Twin
from logged_duels import ARRAYS, PROPERTIES, assert_same, certified, draw, logged, tokens
from sparring import Duel
from sparring.certificates import Certificate

pytestmark = [pytest.mark.core, pytest.mark.compiled]


# --- Against plain Python, from the mathematics ---------------------------------------------------


@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize(
    ("beta", "K", "n", "cuts"),
    [
        (0.02, 3, 400, ()),
        (0.02, 3, 400, (1, 150, 399)),
        (1.0, 2, 40, (20,)),
        ((0.01, 1 / 16, 0.0626, 0.003), 3, 300, (10, 11)),
        (None, 4, 300, (100, 200)),
        *((beta, 2, 1_500, (700,)) for beta in (0.035, 1 / 16, 0.07, (0.1, 0.03))),  # none clipped
    ],
)
def test_the_certificate_is_what_the_formulas_say(players, beta, K, n, cuts, rng):
    """To 1e-9, from the duels and in plain Python; clipped at T/2 in some of the cases only."""
    duels = logged(K, n, rng, players, concentration=20 if n > 1_000 else 1)
    certificate = Certificate(K, 0.1, beta)
    for part in np.split(np.arange(n), cuts):
        if part[0]:
            certificate.cut()
        certificate.add_many(*(column[part] for column in duels))
    betas = certificate.snapshot()["betas"]
    assert beta is None or betas == np.atleast_1d(beta).tolist()
    rows, cols, outcomes, p = (column.tolist() for column in duels)
    plain = [(*duel, q[0], q[-1]) for *duel, q in zip(rows, cols, outcomes, p, strict=True)]
    twin = Twin(K, 0.1, betas, plain, cuts)
    for name in ARRAYS:
        found = getattr(certificate, name)
        assert found.shape == (K,)
        np.testing.assert_allclose(found, getattr(twin, name), rtol=1e-9, atol=1e-9)
    assert certificate.dynamic == pytest.approx(twin.dynamic, rel=1e-9)
    assert certificate.static == max(certificate.regret_bounds)
    assert (certificate.rounds, certificate.segments) == (n, len(cuts) + 1)
    assert certificate.vacuous == (max(twin.regret_bounds) >= n / 2)
    if n > 1_000:
        for name in ("regret_bounds", "lemma_bounds", "dynamic"):
            assert np.max(getattr(certificate, name)) < n / 2, name


def test_the_default_beta_are_many_and_suit_any_number_of_duels():
    """At the best of a wide range of horizons, some beta of the grid is within a factor of 2."""
    betas = np.array(Certificate(2).snapshot()["betas"])
    assert len(betas) == 24
    for K, T in ((2, 1_000), (10, 10_000), (500, 10**6), (1_000, 10**11)):
        best = math.sqrt(math.log(K / 0.05) / (16 * K * T))
        assert np.abs(np.log2(betas / best)).min() <= 1, (K, T)


def test_without_cuts_the_dynamic_bound_is_one_over_all_arms(rng):
    """With one beta it is the static one; with more it is no better."""
    duels = logged(3, 500, rng)
    one = certified(duels, 3, 0.05, 0.03)
    assert one.dynamic == pytest.approx(one.static, rel=1e-12)
    several = certified(duels, 3)
    assert several.dynamic >= several.static - 1e-9


def test_a_cut_leaves_all_but_the_dynamic_bound_as_it_was(rng):
    certificate = certified(logged(3, 500, rng), 3)
    before = {name: getattr(certificate, name) for name in (*ARRAYS, "static")}
    certificate.cut()
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(certificate, name), value)


# --- In pieces ------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize("sizes", [[1] * 300, [299, 1], [7] * 42 + [6], [100, 0, 200]], ids=str)
def test_in_any_pieces_the_certificate_is_the_same(players, sizes, rng):
    duels = logged(4, 300, rng, players)
    whole, parts = certified(duels, 4), Certificate(4)
    for part in np.split(np.arange(300), np.cumsum(sizes)[:-1]):
        parts.add_many(*(column[part] for column in duels))
    assert_same(whole, parts)
    one_by_one = Certificate(4)
    for duel, outcome in tokens(*duels):
        one_by_one.add(duel, outcome)
    assert_same(whole, one_by_one)


def test_what_is_added_is_not_changed_nor_kept(rng):
    """A caller may use its arrays again."""
    duels = logged(3, 50, rng)
    kept = [column.copy() for column in duels]
    certificate = certified(duels, 3)
    before = certificate.snapshot()
    for column, copied in zip(duels, kept, strict=True):
        np.testing.assert_array_equal(column, copied)
        column[:] = 0
    assert certificate.snapshot() == before
    certificate.estimates[:] = 9
    certificate.regret_bounds[:] = 9
    assert certificate.snapshot() == before


def test_lists_and_other_layouts_do_as_well(rng):
    rows, cols, outcomes, p = logged(3, 50, rng)
    lists = certified([part.tolist() for part in (rows, cols, outcomes, p)], 3)
    assert_same(certified((rows, cols, outcomes, p), 3), lists)
    frozen = p.copy()
    frozen.flags.writeable = False
    other = certified((rows.astype(np.uint8), cols.astype(np.int32), outcomes, frozen), 3)
    assert_same(lists, other)
    strided = np.asfortranarray(p)
    assert_same(lists, certified((rows, cols, outcomes.astype(np.float32), strided), 3))


def test_adding_none_changes_nothing(rng):
    certificate = certified(logged(3, 50, rng), 3)
    before = certificate.snapshot()
    certificate.add_many([], [], [], np.empty((0, 2, 3)))
    assert certificate.snapshot() == before


# --- Size and threads -----------------------------------------------------------------------------


def test_memory_does_not_grow_with_the_duels(rng):
    """1e5 duels leave less than a few objects behind; as many bytes as one each would be 100 kB."""
    duels = logged(5, 1_000, rng)
    certificate = certified(duels, 5)
    certificate.cut()
    tracemalloc.start()
    try:
        certificate.add_many(*duels)
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(100):
            certificate.add_many(*duels)
            certificate.cut()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert certificate.rounds == 102_000
    assert after - before < 10_000
    assert len(json.dumps(certificate.snapshot())) < 30_000


def test_threads_lose_nothing():
    """Four threads, 8,000 duels. p is dyadic, so sums are exact and their order plays no part."""
    p = np.array([[0.25, 0.75], [0.5, 0.5]])
    certificate = Certificate(2, beta=0.25)
    seen = []

    def work(thread):
        rng = np.random.default_rng(thread)
        for t in range(2_000):
            row, col = int(rng.random() < 0.75), int(rng.random() < 0.5)
            certificate.add(Duel(t, row, col, p), t % 3 / 2)
            seen.append((row, col, t % 3 / 2))
            if t % 100 == 0:
                Certificate.from_snapshot(certificate.snapshot())

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert certificate.rounds == len(seen) == 8_000
    rows, cols, outcomes = (np.array(column) for column in zip(*seen, strict=True))
    alone = certified((rows, cols, outcomes, np.broadcast_to(p, (8_000, 2, 2))), 2, beta=0.25)
    np.testing.assert_array_equal(certificate.estimates, alone.estimates)
    np.testing.assert_allclose(certificate.regret_bounds, alone.regret_bounds, rtol=1e-12)


# --- Edges ----------------------------------------------------------------------------------------


def test_before_the_first_duel_nothing_is_known_and_nothing_lost():
    certificate = Certificate(3)
    for name in ARRAYS:
        assert getattr(certificate, name).tolist() == [0, 0, 0]
    assert (certificate.static, certificate.dynamic) == (0, 0)
    assert (certificate.rounds, certificate.segments) == (0, 1)
    assert certificate.vacuous
    with pytest.raises(ValueError, match="nothing to cut"):
        certificate.cut()
    assert "0 duels" in repr(certificate)


@pytest.mark.parametrize("outcome", [0.0, 0.5, 1.0])
def test_a_self_duel_tells_nothing_but_is_counted(outcome):
    """Whatever is logged of it: a service may well write 0 where nobody was asked."""
    certificate = Certificate(2, beta=0.1)
    for t in range(50):
        certificate.add(Duel(t, t % 2, t % 2, np.array([[0.5, 0.5], [0.8, 0.2]])), outcome)
        certificate.add(Duel(t, 0, 1, np.array([[0.5, 0.5]])), 0.5)
    assert certificate.estimates.tolist() == [0, 0]
    assert certificate.rounds == 100


def test_a_tie_is_half_a_win_of_each():
    certificate = Certificate(2, beta=0.5)
    certificate.add(Duel(1, 0, 1, np.array([[0.25, 0.75]])), 0.5)
    assert certificate.estimates.tolist() == [0, 0]
    np.testing.assert_allclose(certificate.standard_errors, np.sqrt([6, 2 / 3]) / 4)


@pytest.mark.parametrize(("K", "players"), [(2, 1), (2, 2), (500, 1), (500, 2)])
def test_few_arms_and_many(K, players, rng):
    certificate = certified(logged(K, 200, rng, players), K)
    assert certificate.regret_bounds.shape == (K,)
    for name in ARRAYS:
        assert np.isfinite(getattr(certificate, name)).all()
    assert (certificate.regret_bounds <= 100).all()
    assert (certificate.estimates < certificate.regret_bounds).any()


@pytest.mark.parametrize("side", [0, 1])
def test_an_arm_that_cannot_be_drawn_has_the_trivial_bound_and_only_that_arm(side, rng):
    """p(j) = 0 once, and nothing is known of j in that round: T/2, ever after; never nan."""
    rows, cols, outcomes, p = logged(3, 4_000, rng, concentration=20)
    usual = certified((rows, cols, outcomes, p), 3)
    p[7, side] = [0.0, 0.5, 0.5]
    (rows, cols)[side][7] = 1
    certificate = Certificate(3)
    for part in (slice(0, 8), slice(8, 4_000)):
        certificate.add_many(rows[part], cols[part], outcomes[part], p[part])
        certificate.cut()
        T = certificate.rounds
        assert certificate.regret_bounds[0] == certificate.lemma_bounds[0] == T / 2
        assert certificate.static == certificate.dynamic == T / 2
        assert certificate.standard_errors[0] == math.inf
        assert certificate.vacuous
        for name in ARRAYS:
            assert not np.isnan(getattr(certificate, name)).any()
    assert (certificate.regret_bounds[1:] < 2_000).all(), "the other arms are none the worse"
    np.testing.assert_allclose(certificate.regret_bounds[1:], usual.regret_bounds[1:], atol=5)


@pytest.mark.parametrize("outcomes", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("tiny", [1e-12, 1e-50, 1e-300, 1e-308, 1e-320, 5e-324])
def test_an_arm_drawn_against_all_odds_gives_numbers(tiny, outcomes):
    """No bound is nan or above T/2. Below 1e-12 the duel is refused: beside so large an estimate
    sums have no room for what all others add, and a certificate could be far too low.
    """
    p = np.array([[tiny, 1.0], [0.5, 0.5]])
    certificate = Certificate(2)
    for t, outcome in enumerate(outcomes):
        with (
            contextlib.nullcontext() if tiny >= 1e-12 else pytest.raises(ValueError, match="1e-12")
        ):
            certificate.add(Duel(t, 0, 1, p), outcome)
        for name in PROPERTIES:
            assert not np.isnan(getattr(certificate, name)).any(), name
        assert (certificate.regret_bounds <= certificate.rounds / 2).all()


def test_an_arm_that_one_player_never_draws_has_no_finite_standard_error():
    """Also where the other always draws it; and what is infinite survives JSON, strictly."""
    certificate = Certificate(2)
    certificate.add(Duel(1, 1, 0, np.array([[0.0, 1.0], [1.0, 0.0]])), 1)
    assert certificate.standard_errors.tolist() == [math.inf, math.inf]
    text = json.dumps(certificate.snapshot(), allow_nan=False)
    assert Certificate.from_snapshot(json.loads(text)).snapshot() == certificate.snapshot()


def test_self_duels_logged_as_losses_do_not_make_a_false_certificate(rng):
    """A service may well write 0 where nobody was asked; all arms tie here, so regret is 0."""
    p = np.array([[0.9, 0.1], [0.98, 0.02]])
    for _ in range(20):
        rows, cols = (draw(np.broadcast_to(q, (5_000, 2)), rng) for q in p)
        outcomes = np.where(rows == cols, 0.0, rng.random(5_000) < 0.5)
        certificate = Certificate(2)
        certificate.add_many(rows, cols, outcomes, np.broadcast_to(p, (5_000, 2, 2)))
        assert certificate.regret_bounds.min() >= 0


def test_counters_only_rise_and_no_bound_is_above_half_a_round_each(rng):
    rounds, inverse = 0, np.zeros(3)
    certificate = Certificate(3)
    for duel, outcome in tokens(*logged(3, 300, rng)):
        certificate.add(duel, outcome)
        assert certificate.rounds == rounds + 1
        assert (certificate.standard_errors > inverse).all()
        rounds, inverse = certificate.rounds, certificate.standard_errors
        for name in ("regret_bounds", "lemma_bounds", "static", "dynamic"):
            assert np.max(getattr(certificate, name)) <= rounds / 2, name
        assert certificate.vacuous == (certificate.static >= rounds / 2)
