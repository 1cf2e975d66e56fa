"""Certificates: as the formulas say, right as often as promised, refused where none holds."""

import contextlib
import copy
import itertools
import json
import math
import pickle
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import sparring
from sparring import Certificate, CouplingError, Duel
from worlds import ladder

pytestmark = pytest.mark.compiled


def logged(K, n, rng, players=2, concentration=1.0):
    """n duels of arms drawn independently: rows, cols, outcomes (ties among them), p."""
    p = rng.dirichlet(np.full(K, concentration), (n, players))
    p = 0.95 * p + 0.05 / K
    rows, cols = draw(p[:, 0], rng), draw(p[:, -1], rng)
    return rows, cols, rng.integers(3, size=n) / 2, p


def draw(p, rng):
    """An arm from each row of p."""
    below = p.cumsum(axis=-1) < rng.random((*p.shape[:-1], 1))
    return np.minimum(below.sum(axis=-1), p.shape[-1] - 1)


def tokens(rows, cols, outcomes, p):
    """The same as duels for `add`."""
    for t, (row, col, outcome) in enumerate(zip(rows, cols, outcomes, strict=True)):
        yield Duel(t + 1, int(row), int(col), p[t]), float(outcome)


def certified(duels, K, *arguments, **options):
    certificate = Certificate(K, *arguments, **options)
    certificate.add_many(*duels)
    return certificate


ARRAYS = ("estimates", "standard_errors", "regret_bounds", "lemma_bounds")
NUMBERS = ("static", "dynamic", "vacuous", "rounds", "segments", "K", "delta")
PROPERTIES = (*ARRAYS, "static", "dynamic", "vacuous")


def assert_same(certificate, again):
    """Bit for bit: all that is remembered, and all that is said."""
    assert again.snapshot() == certificate.snapshot()
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(again, name), getattr(certificate, name))
    for name in NUMBERS:
        assert getattr(again, name) == getattr(certificate, name), name


# --- Against plain Python, from the mathematics ---------------------------------------------------


def twin_psi(rate, p):
    """min(p (e^x - 1 - x), rate/2 + x), x = rate / (2 p)."""
    x = rate / (2 * p)
    if x < 1:
        terms, term = [], x
        for n in range(2, 25):
            term *= x / n
            terms.append(term)
        return p * math.fsum(reversed(terms))
    surely = rate / 2 + x
    return surely if x > 500 else min(p * (math.exp(x) - 1 - x), surely)


class Twin:
    """What a certificate says of duels (row, col, o, p_row, p_col), by the definitions."""

    def __init__(self, K, delta, betas, duels, cuts=()):
        self.K, self.delta, self.betas, self.cuts = K, delta, betas, cuts
        self.duels = [(a, b, 0.5 if a == b else o, *p) for a, b, o, *p in duels]  # no news there
        self.T, self.arms = len(duels), range(K)

    def centred(self, j, duel):
        """(y_+ + y_-) / 2."""
        a, b, o, p_row, p_col = duel
        return ((a == j) * (o - 0.5) / p_row[j] + (b == j) * (0.5 - o) / p_col[j]) / 2

    def charge(self, j, duel, beta):
        """(psi_+ + psi_-) / (2 lambda), with lambda = 8 beta."""
        *_, p_row, p_col = duel
        return (twin_psi(8 * beta, p_row[j]) + twin_psi(8 * beta, p_col[j])) / (16 * beta)

    def slack(self, beta, nats):
        """Both players' chances come together up to lambda = 1/2, and by Cauchy-Schwarz beyond."""
        return nats / (16 * beta) if 8 * beta <= 0.5 else nats / (8 * beta)

    @property
    def estimates(self):
        return [math.fsum(self.centred(j, duel) for duel in self.duels) for j in self.arms]

    @property
    def standard_errors(self):
        """An arm that meets itself adds nothing, so each 1/p counts when the other is another."""
        variance = [
            [
                (1 - p_col[j]) / p_row[j] + (1 - p_row[j]) / p_col[j]
                for *_, p_row, p_col in self.duels
            ]
            for j in self.arms
        ]
        return [math.sqrt(math.fsum(part) / 16) for part in variance]

    @property
    def regret_bounds(self):
        nats = math.log(self.K * len(self.betas) / self.delta)
        found = []
        for j, estimate in enumerate(self.estimates):
            chance = min(
                math.fsum(self.charge(j, duel, beta) for duel in self.duels)
                + self.slack(beta, nats)
                for beta in self.betas
            )
            found.append(min(estimate + chance, self.T / 2))
        return found

    @property
    def lemma_bounds(self):
        """1/2 [sum ghat_+ + sum ghat_- - T] + ln(2 K / delta) / beta; Algorithm 1, eq. (g-hat)."""
        nats = math.log(2 * self.K * len(self.betas) / self.delta)
        found = []
        for j in self.arms:
            bounds = [self.T / 2]
            for beta in self.betas:
                gains = []
                for a, b, o, p_row, p_col in self.duels:
                    gains += [((a == j) * o + beta) / p_row[j]]
                    gains += [((b == j) * (1 - o) + beta) / p_col[j]]
                bounds.append((math.fsum(gains) - self.T) / 2 + nats / beta)
            found.append(min(bounds))
        return found

    @property
    def dynamic(self):
        """The best arm of each segment, S ln K + ln(1 / delta) nats."""
        edges = [0, *self.cuts, self.T]
        nats = (len(edges) - 1) * math.log(self.K) + math.log(len(self.betas) / self.delta)
        bounds = [self.T / 2]
        for beta in self.betas:
            best = [
                max(
                    math.fsum(
                        self.centred(j, duel) + self.charge(j, duel, beta)
                        for duel in self.duels[begin:end]
                    )
                    for j in self.arms
                )
                for begin, end in itertools.pairwise(edges)
            ]
            bounds.append(math.fsum(best) + self.slack(beta, nats))
        return min(bounds)


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


# --- Many are one, saved and restored -------------------------------------------------------------


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


THROUGH = {
    "json": lambda it: Certificate.from_snapshot(json.loads(json.dumps(it.snapshot()))),
    "pickle": lambda it: pickle.loads(pickle.dumps(it)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.mark.parametrize("beta", [None, 0.01, (0.5, 0.01)], ids=str)
@pytest.mark.parametrize("through", THROUGH)
def test_a_restored_certificate_goes_on_bit_for_bit(through, beta, rng):
    """Also with an arm that could not be drawn, whose sums are infinite; the two are apart."""
    rows, cols, outcomes, p = logged(3, 120, rng)
    p[40, 0] = [0, 0.25, 0.75]
    rows[40] = 2
    duels = list(tokens(rows, cols, outcomes, p))
    certificate = Certificate(3, 0.01, beta)
    for duel, outcome in duels[:60]:
        certificate.add(duel, outcome)
    certificate.cut()
    certificate.add(*duels[60])
    again = THROUGH[through](certificate)
    assert_same(certificate, again)
    before = certificate.snapshot()
    for duel, outcome in duels[60:]:
        again.add(duel, outcome)
    again.cut()
    assert certificate.snapshot() == before
    for duel, outcome in duels[60:]:
        certificate.add(duel, outcome)
    certificate.cut()
    assert_same(certificate, again)


def test_a_certificate_of_no_duel_can_be_saved():
    assert_same(Certificate(5), THROUGH["json"](Certificate(5)))


SAVED = certified(logged(3, 60, np.random.default_rng(3)), 3).snapshot()
FIELDS = sorted(SAVED.keys() - {"release"})


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [None, [], {}, -1, "x", ...], ids=str)
def test_every_field_missing_or_replaced_is_noticed(field, value):
    damaged = {name: part for name, part in SAVED.items() if name != field}
    if value is not ...:
        damaged[field] = value
    Certificate.from_snapshot(SAVED)
    with pytest.raises(sparring.SnapshotError) as error:
        Certificate.from_snapshot(damaged)
    if field not in ("format", "version", "kind", "digest"):
        assert repr(field) in str(error.value)


def nudged(value):
    """A value of the same kind that is another in one place."""
    if isinstance(value, list):
        return [*value[:-1], nudged(value[-1])]
    if isinstance(value, float):
        return math.nextafter(value, math.inf)
    return value + 1 if isinstance(value, int) else value + "x"


@pytest.mark.parametrize("field", FIELDS)
def test_a_last_digit_changed_in_any_field_is_noticed(field):
    with pytest.raises(sparring.SnapshotError):
        Certificate.from_snapshot({**SAVED, field: nudged(SAVED[field])})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("delta", 0.0),
        ("delta", 2.0),
        ("delta", math.nan),
        ("betas", [0.0]),
        ("betas", [0.1, math.nan]),
        ("rounds", 1.5),
        ("segments", 0),
        ("wins", [math.nan] * 3),
        ("wins", [0.0] * 2),
        ("wins", ["a"] * 3),
        ("charges", [[0.0] * 3] * 23),
        ("closed", [[0.0]] * 24),
        ("estimate", [[0.0], [0.0, 1.0], []]),
        ("K", 1),
        ("K", 2**31),
        ("K", 150_000_000),
    ],
)
def test_impossible_values_are_refused_with_the_name_of_the_field(field, value):
    """And without filling the memory first."""
    with pytest.raises(sparring.SnapshotError, match=f"field '{field}' is damaged"):
        Certificate.from_snapshot({**SAVED, field: value})


def test_snapshots_of_others_are_refused():
    for other in (None, [], {}, json.dumps(SAVED), sparring.rand(3, seed=1).snapshot()):
        with pytest.raises(sparring.SnapshotError):
            Certificate.from_snapshot(other)
    with pytest.raises(sparring.SnapshotError):
        sparring.restore(SAVED)
    with pytest.raises(sparring.SnapshotError, match="colour"):
        Certificate.from_snapshot({**SAVED, "colour": "red"})
    assert Certificate.from_snapshot({**SAVED, "release": "0.0.9"}).rounds == 60


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


def test_always_the_same_arm_twice_is_refused(rng):
    """The counterexample: K = 2, arm 0 wins surely, a = b, uniform marginals: nothing is learnt.

    The regret to arm 0 is a quarter a round, and the estimate is 0 for ever. Arms are equal in
    twice as many duels as p says: half a stake at these odds wins 1.25 a duel, 2e6 after 66.
    """
    draws = rng.integers(2, size=1_000).tolist()
    assert first_refusal(2, lambda t: (draws[t], draws[t]), 1_000) == 66


@pytest.mark.parametrize(("K", "expected"), [(3, 95), (10, 298)])
def test_arms_that_always_differ_are_refused(K, expected, rng):
    """Each duel wins 1 + 1/(2 K), and 2e6 are reached after ln 2e6 / ln(1 + 1/(2 K)) duels."""
    assert expected == math.ceil(math.log(2e6) / math.log1p(1 / (2 * K)))
    rows = rng.integers(K, size=2_000)
    cols = (rows + rng.integers(1, K, size=2_000)) % K
    arms = list(zip(rows.tolist(), cols.tolist(), strict=True))
    assert first_refusal(K, lambda t: arms[t], 2_000) == expected


def test_a_refusal_within_many_duels_is_not_forgotten_by_the_end_of_them(rng):
    """Equal in 100 duels, and then in every other one, at which both bets lose what they won."""
    arms = rng.integers(2, size=500)
    cols = arms.copy()
    cols[100::2] = 1 - cols[100::2]
    assert 100 * math.log(1.25) + 200 * (math.log(1.25) + math.log(0.75)) < math.log(2e6)
    certificate = Certificate(2)
    with pytest.raises(CouplingError):
        certificate.add_many(arms, cols, np.ones(500), np.full((500, 1, 2), 0.5))
    assert_refuses_ever_after(certificate)


SIZES = {
    "rand": {"K": 4},
    "rex3": {"K": 4, "T": 3_000},
    "dex3p": {"K": 4, "T": 3_000},
    "dex3s": {"K": 4, "T": 3_000, "S": 2},
    "borda_dex3s": {"K": 4, "T": 300_000, "S": 2},
}


def play(learner, P, n, rng):
    """n rounds of ask and tell on a matrix: rows, cols, outcomes, p."""
    duels, outcomes, coins = [], [], rng.random(n)
    for coin in coins:
        duel = learner.ask()
        outcomes.append(float(coin < P[duel.row, duel.col]))
        learner.tell(duel, outcomes[-1])
        duels.append(duel)
    rows, cols = (np.array([getattr(duel, name) for duel in duels]) for name in ("row", "col"))
    return rows, cols, np.array(outcomes), np.array([duel.p for duel in duels])


@pytest.mark.parametrize("name", sparring.LEARNERS)
@pytest.mark.parametrize("seed", range(4))
def test_no_learner_of_ours_is_refused(name, seed, rng):
    """A false alarm in 1e-6 of certificates at most (Ville): 2e-5 for the twenty."""
    learner = sparring.LEARNERS[name](**SIZES[name], seed=seed)
    certificate = certified(play(learner, ladder(4), 3_000, rng), 4)
    assert certificate.rounds == 3_000
    assert np.isfinite(certificate.regret_bounds).all()


def test_concentrated_arms_are_not_refused(rng):
    """One arm has all but 1/1000 of p: nearly all duels are self-duels, as p says; rate 1e-6."""
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


# --- As good as promised --------------------------------------------------------------------------

CYCLE = np.array([[0.5, 0.9, 0.2], [0.1, 0.5, 0.7], [0.8, 0.3, 0.5]])


def regret(P, rows, cols):
    """(n, K): 1/2 (P(j, a) + P(j, b) - 1)."""
    return (P[:, rows] + P[:, cols] - 1).T / 2


def one_duel_s_error(j, P, p_row, p_col):
    """E (estimate - regret)^2 of one duel, over all arms and outcomes."""
    total = 0.0
    for a, b, o in itertools.product(range(len(P)), range(len(P)), (0, 1)):
        chance = p_row[a] * p_col[b] * (P[a, b] if o else 1 - P[a, b])
        told = 0.5 if a == b else o
        estimate = ((a == j) * (told - 0.5) / p_row[j] + (b == j) * (0.5 - told) / p_col[j]) / 2
        total += chance * (estimate - (P[j, a] + P[j, b] - 1) / 2) ** 2
    return total


def test_estimates_are_unbiased_and_standard_errors_tell_how_far_off(rng):
    """2,000 runs of 50 duels, K = 3: mean error within 4 standard errors of 0 for each arm.

    False alarm of the means: 3 arms, 6e-5 each. The mean squared error, enumerated for one duel, is
    between half of what `standard_errors` says and all of it: not too small, and not for nothing.
    That of 2,000 runs is within 16 % of it, five deviations (sqrt(2 / 2000) is one): 2e-6.
    """
    runs, T, K = 2_000, 50, 3
    p = np.array([[0.5, 0.3, 0.2], [0.25, 0.25, 0.5]])
    errors, squares = np.empty((runs, K)), np.empty((runs, K))
    for run in range(runs):
        rows, cols = (draw(np.broadcast_to(q, (T, K)), rng) for q in p)
        outcomes = rng.random(T) < CYCLE[rows, cols]
        duels = (rows, cols, outcomes, np.broadcast_to(p, (T, 2, K)))
        certificate = certified(duels, K, beta=0.1)
        errors[run] = certificate.estimates - regret(CYCLE, rows, cols).sum(axis=0)
        squares[run] = certificate.standard_errors**2
    deviation = errors.std(axis=0, ddof=1) / math.sqrt(runs)
    assert (np.abs(errors.mean(axis=0)) < 4 * deviation).all()
    exact = T * np.array([one_duel_s_error(j, CYCLE, *p) for j in range(K)])
    assert (squares.mean(axis=0) / 2 <= exact).all() and (exact <= squares.mean(axis=0)).all()
    np.testing.assert_allclose((errors**2).mean(axis=0), exact, rtol=0.16)


def test_the_bounds_are_sharper_than_the_lemma_s(rng):
    """rand, K = 10, T = 20,000: what chance adds is less than a third of what the lemma adds.

    By the formulas 2 sqrt(K T L / 16) against 2 sqrt(K T L'), so a fourth; 0.23 to 0.27 here.
    """
    P, T, K = ladder(10, margin=0.2), 20_000, 10
    rows, cols = rng.integers(K, size=T), rng.integers(K, size=T)
    outcomes = rng.random(T) < P[rows, cols]
    certificate = certified((rows, cols, outcomes, np.full((T, 1, K), 1 / K)), K)
    true = regret(P, rows, cols).sum(axis=0)
    sharp, lemma = certificate.regret_bounds, certificate.lemma_bounds
    assert (true <= sharp).all()
    assert (sharp < lemma).all() and (lemma < T / 2).all()
    assert ((sharp - certificate.estimates) / (lemma - certificate.estimates) < 1 / 3).all()
    assert not certificate.vacuous
    assert certificate.static < 1.3 * true.max(), "the true regret is 3,597"


def smallest_unlikely(n, chance, alarm):
    """The least count that a binomial variable reaches with probability below `alarm`."""
    tail, count = 1.0, 0
    while tail >= alarm:
        tail -= math.comb(n, count) * chance**count * (1 - chance) ** (n - count)
        count += 1
    return count


def test_the_bounds_hold_at_every_moment():
    """201 runs of 250 duels; the bound of an arm is below its regret at some moment in few runs.

    At most delta = 0.2 of the runs, by binomial tail with a false alarm of 1e-6. Power: estimates
    alone are below the regret at some moment in nearly all runs, and the bounds say something in
    the end.
    """
    P, K, T, delta = ladder(3), 3, 250, 0.2
    beta = math.sqrt(math.log(K / delta) / (16 * K * T))
    failed = bare = telling = 0
    makers = {
        "rand": lambda seed: sparring.rand(K, seed=seed),
        "rex3": lambda seed: sparring.rex3(K, T, seed=seed),
        "dex3s": lambda seed: sparring.dex3s(
            K, tuning=sparring.Tuning(0.03, 0.3, 0.01, 1e-4), seed=seed
        ),
    }
    for make in makers.values():
        for seed in range(67):
            duels = play(make(seed), P, T, np.random.default_rng((seed, 5)))
            true = regret(P, *duels[:2]).cumsum(axis=0)
            certificate = Certificate(K, delta, beta)
            gaps, bare_gaps = np.empty((2, T))
            for t, (duel, outcome) in enumerate(tokens(*duels)):
                certificate.add(duel, outcome)
                gaps[t] = (true[t] - certificate.regret_bounds).max()
                bare_gaps[t] = (true[t] - certificate.estimates).max()
            failed += gaps.max() > 1e-9
            bare += bare_gaps.max() > 1e-9
            telling += not certificate.vacuous
    assert failed < smallest_unlikely(201, delta, 1e-6)
    assert bare > 190
    assert telling > 100
