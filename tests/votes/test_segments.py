"""One sweep of the sampler of strengths over time: exact on tiny cases, and equal to slow twins."""

import hashlib
import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import segments_twin as twin
from sparring._jit import JIT_OFF
from sparring.votes import Votes
from sparring.votes import _segments as kernels
from sparring.votes.histories import PACES, Sampler, arranged, count, cuts

STORM, CALM = 1, 0


def sampler(first, second, bins, met, won, K, share, side=False, seed=0):
    """A sampler of these cells."""
    arrays = (np.array(one, kind) for one, kind in ((first, int), (second, int), (bins, int)))
    numbers = (np.array(one, float) for one in (met, won))
    cells = arranged(*arrays, *numbers, K, np.array(share, float))
    votes = Votes(tuple(f"m{k}" for k in range(K)), [0], [1], [1.0])
    return Sampler(cells, votes, side=side, seed=seed)


@pytest.fixture
def case(rng):
    """Two arms in six bins of which one saw no vote, and all that is not known, at random."""
    at = np.array([0, 1, 2, 4, 5])
    met = rng.integers(3, 30, len(at))
    found = sampler(
        at * 0, at * 0 + 1, at, met, rng.binomial(met, 0.6), 2, [0, 0.1, 0.2, 0.3, 0.2, 0.2]
    )
    chains = found.chains
    chains.theta[:] = rng.normal(0, 0.7, chains.theta.shape)
    chains.omega[:] = rng.uniform(0.5, 5, chains.omega.shape)
    chains.tau2[:], chains.jumps[:], chains.side[:] = [0.6, 0.3], [2.0, 0.7], [0.2, -0.1]
    chains.storm[1, 3], chains.storm[0, 1] = STORM, STORM
    chains.pace[:] = 0
    for one in found.luck[:-1]:
        one[:] = rng.random(one.shape)
    found.luck.path[:] = rng.normal(size=found.luck.path.shape)
    found.luck.weight[:] = rng.gamma(found.cells.votes, size=found.luck.weight.shape)
    return found


def votes_on_first(found, h):
    """What the first arm's filter sees, from the model: o, y, gap and stay of its steps."""
    cells, chains = found.cells, found.chains
    B, at = len(cells.share), [0, 1, 2, 4, 5]
    o = chains.omega[h]
    other = chains.theta[h, B + np.array(at)]
    y = cells.kappa / o + other - chains.side[h]
    gap = np.array(
        [0, cells.share[1], cells.share[2], cells.share[3] + cells.share[4], cells.share[5]]
    )
    stay = [1.0]
    for before, b in itertools.pairwise(at):
        calm = 1.0
        for c in range(before + 1, b + 1):
            calm *= 0.5 if chains.storm[h, c] else math.exp(-chains.jumps[h] * cells.share[c])
        stay.append(calm)
    return o.copy(), y, gap, np.array(stay)


@pytest.mark.parametrize("pace", [0.0, 1.5])
def test_the_filter_has_the_evidence_of_all_ways_to_jump(case, pace):
    """Against the sum over all 16 patterns of jumps of a normal density in five dimensions."""
    paces = np.array([pace])
    wanted = [
        twin.exactly(*votes_on_first(case, h), pace**2, case.chains.tau2[h]) for h in range(2)
    ]
    seen = [votes_on_first(case, h) for h in range(2)]
    kernels.draw_paths(
        case.cells._replace(steps=np.array([5, 0])), case.chains, case.luck, paces, 1, case.filter
    )
    for h in range(2):
        evidence, chances, jumps, moments = wanted[h]
        assert case.filter.evidence[h, 0] == pytest.approx(evidence, abs=1e-7)
        starts = [max(np.flatnonzero(pattern)) for pattern in jumps]
        for s in range(5):
            those = [n for n, start in enumerate(starts) if start == s]
            chance = chances[those].sum()
            assert case.filter.chance[h, 0, 4, s] == pytest.approx(chance, abs=1e-7)
            mean = sum(chances[n] * moments[n][0][4] for n in those) / chance
            assert case.filter.mean[h, 0, 4, s] == pytest.approx(mean, abs=1e-7)
        o, y, gap, stay = seen[h]
        steps, log = twin.filtered(o, y, gap, stay, pace**2, case.chains.tau2[h])
        assert log == pytest.approx(evidence, abs=1e-9)
        path, begun = twin.drawn(steps, gap, pace**2, case.luck.start[h, :5], case.luck.path[h, :5])
        bins = np.array([0, 1, 2, 4, 5])
        assert case.chains.theta[h, bins] == pytest.approx(path, abs=1e-6)
        assert np.flatnonzero(case.chains.jumped[h, bins]).tolist() == begun


def test_paths_have_the_moments_of_all_ways_to_jump(case, rng):
    """3,000 paths of each of two chains: each of 30 statistics is within 4.5 standard errors of its
    exact value, which fails by chance once in 5,000 times."""
    cells = case.cells._replace(steps=np.array([5, 0]))
    wanted = [twin.exactly(*votes_on_first(case, h), 0.64, case.chains.tau2[h]) for h in range(2)]
    runs, bins = 3_000, np.array([0, 1, 2, 4, 5])
    strengths, jumped = np.empty((2, 2, runs, 5))
    for run in range(runs):
        case.luck.path[:] = rng.normal(size=case.luck.path.shape)
        case.luck.start[:] = rng.random(case.luck.start.shape)
        kernels.draw_paths(cells, case.chains, case.luck, np.array([0.8]), 1, case.filter)
        strengths[:, run] = case.chains.theta[:, bins]
        jumped[:, run] = case.chains.jumped[:, bins]
    for h in range(2):
        _, chances, jumps, moments = wanted[h]
        mean = sum(chance * one[0] for chance, one in zip(chances, moments, strict=True))
        square = sum(
            chance * (np.diag(one[1]) + one[0] ** 2)
            for chance, one in zip(chances, moments, strict=True)
        )
        for found, exact in (
            (strengths[h], mean),
            (strengths[h] ** 2, square),
            (jumped[h][:, 1:], chances @ np.array(jumps)[:, 1:]),
        ):
            error = found.std(0) / math.sqrt(runs)
            assert (np.abs(found.mean(0) - exact) < 4.5 * error).all()


def test_another_pace_is_taken_as_often_as_it_explains_the_votes(case):
    """By the ratio of evidences and of how common the two paces are."""
    paces = np.array([0.0, 1.5])
    cells = case.cells._replace(steps=np.array([5, 0]))
    chains = case.chains._replace(belief=np.log(np.tile([0.7, 0.3], (2, 1))))
    for accepted in (True, False):
        for h in range(2):
            seen, tau2 = votes_on_first(case, h), chains.tau2[h]
            ratio = twin.exactly(*seen, 1.5**2, tau2)[0] - twin.exactly(*seen, 0.0, tau2)[0]
            chance = min(1.0, math.exp(ratio) * 0.3 / 0.7)
            case.luck.accept[h, 0] = chance * (1 - 1e-6 if accepted else 1 + 1e-6)
        chains.pace[:] = 0
        kernels.draw_paths(cells, chains, case.luck, paces, 0, case.filter)
        assert (chains.pace[:, 0] == 1).all() == accepted or chance >= 1
        assert chains.pace[0, 0] in ((1,) if accepted else (0, 1))
    chains.pace[:] = 0
    kernels.draw_paths(cells, chains, case.luck, paces, 1, case.filter)
    assert (chains.pace[:, 0] == 0).all()  # it is the turn of the others


def test_a_storm_comes_by_what_all_arms_do(rng):
    """Four arms shown in all of four bins; each bin's uniform is put just below and above."""
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    first, second = (np.array(one * 4) for one in zip(*pairs, strict=True))
    bins = np.repeat(np.arange(4), 6)
    found = sampler(first, second, bins, bins * 0 + 2, bins * 0 + 1, 4, [0, 0.3, 0.3, 0.4])
    chains, luck = found.chains, found.luck
    assert found.cells.alive.tolist() == [0, 4, 4, 4]
    jumped = rng.integers(2, size=(4, 4))
    chains.jumps[:], chains.storms[:] = [0.8, 2.0], [0.5, 0.1]
    luck.events[:] = 0.0
    for off, storm in ((-1e-9, 1), (1e-9, 0)):
        chains.jumped[:] = jumped.ravel()
        for h in range(2):
            for b in range(1, 4):
                leapt = int(jumped[:, b].sum())
                rates = chains.jumps[h], chains.storms[h], found.cells.share[b]
                luck.storm[h, b] = twin.storm_chance(leapt, 4 - leapt, *rates) + off
        kernels.draw_storms(found.cells, chains, luck)
        assert (chains.storm[:, 1:] == storm).all()
        leaps = 0 if storm else jumped[:, 1:].sum()
        assert chains.sums[:, kernels.JUMPS].tolist() == [leaps, leaps]
        exposed = 0.0 if storm else 4 * 1.0
        assert chains.sums[:, kernels.EXPOSED] == pytest.approx([exposed] * 2)
        assert chains.sums[:, kernels.STORMS].tolist() == [3 * storm] * 2
        assert chains.sums[:, kernels.BRAVED] == pytest.approx([1.0, 1.0])


def test_two_arms_have_no_storm(case):
    case.luck.storm[:] = 0.0
    case.chains.storm[:] = CALM
    kernels.draw_storms(case.cells, case.chains, case.luck)
    assert not case.chains.storm.any() and not case.chains.sums[:, kernels.BRAVED].any()


def test_a_jump_that_nobody_saw_is_put_into_one_of_the_bins_passed(case, rng):
    """Between bins 2 and 4 both arms were not shown. 4,000 placings, within 4.5 standard errors."""
    chains, runs, B = case.chains, 4_000, 6
    chains.storm[:] = CALM
    hazard = 1 - np.exp(-chains.jumps[:, None] * case.cells.share[3:5])
    some = 1 - (1 - hazard).prod(1)
    found = np.zeros((2, runs, 2))
    for run in range(runs):
        chains.jumped[:] = 0
        chains.jumped[:, 4] = 1  # the first arm's; the second's did not jump
        case.luck.gap[:] = rng.random(case.luck.gap.shape)
        kernels.draw_storms(case.cells, chains, case.luck)
        found[:, run] = chains.jumped[:, 3:5]
        assert not chains.jumped[:, B + 3 : B + 5].any()
    assert (found.sum(2) >= 1).all()
    for h in range(2):
        error = found[h].std(0) / math.sqrt(runs)
        assert (np.abs(found[h].mean(0) - hazard[h] / some[h]) < 4.5 * error).all()


def test_events_are_poisson_numbers_that_are_not_zero():
    assert kernels.counted(1e-12, 0.999999) == 1
    for rate in (0.3, 4.0):
        chances = [math.exp(-rate) * rate**n / math.factorial(n) for n in range(1, 4)]
        below = np.cumsum(chances) / -math.expm1(-rate)
        for n, u in enumerate(below, start=1):
            assert kernels.counted(rate, u - 1e-9) == n
            assert kernels.counted(rate, u + 1e-9) == n + 1


@pytest.mark.parametrize("votes", [0.3, 1.0, 7.0, 4_000.0])
@pytest.mark.parametrize("lead", [0.0, 0.1, 0.499999, 0.500001, -1.0, 3.0, 12.0])
def test_weights_have_the_moments_of_a_polya_gamma(votes, lead):
    """A weight is a gamma's linear function, so its moments are at the gamma's moments."""
    mean, variance = twin.polya_gamma_moments(votes, lead)
    at = [float(kernels.weigh(votes, lead, gamma)) for gamma in (votes, votes + math.sqrt(votes))]
    assert at[0] == pytest.approx(mean, rel=1e-6)
    assert (at[1] - at[0]) ** 2 == pytest.approx(variance, rel=1e-4)
    assert kernels.weigh(votes, lead, 0.0) > 0
    for gamma in (0.0, votes, 2 * votes):
        one = kernels.weigh_number(votes, np.float64(lead), gamma)
        assert one == kernels.weigh(votes, lead, gamma)


def test_the_exponential_is_right_to_nine_digits():
    x = np.linspace(-kernels.FARTHEST, kernels.FARTHEST, 4_001)
    np.testing.assert_allclose(kernels.exponential(x), np.exp(x), rtol=2e-9)


def swept(path):
    """A digest of some sweeps, of votes with ties on both sides and pauses."""
    rng = np.random.default_rng(5)
    n, K = 1_500, 6
    first = rng.integers(K, size=n)
    second = (first + rng.integers(1, K, size=n)) % K
    kept = (first != 5) | (second == 4) | (np.arange(n) > 900)
    outcome = rng.integers(3, size=n) / 2
    votes = Votes(tuple("abcdef"), first[kept], second[kept], outcome[kept])
    cells = count(votes, cuts(len(votes), 24), directed=True)
    drawn = Sampler(cells, votes, side=True, seed=3).run(25)
    path.write_text(hashlib.sha256(b"".join(one.tobytes() for one in drawn)).hexdigest())


@pytest.mark.compiled
def test_interpreted_sweeps_are_compiled_ones_to_the_last_bit(tmp_path):
    assert not JIT_OFF
    swept(tmp_path / "compiled")
    plain = str(tmp_path / "plain")
    script = f"import pathlib, test_segments as own; own.swept(pathlib.Path({plain!r}))"
    here = os.pathsep.join([os.path.dirname(__file__), *filter(None, sys.path)])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": here}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    assert (tmp_path / "plain").read_text() == (tmp_path / "compiled").read_text()


def test_both_forms_of_each_loop_give_the_same_bits(case):
    """The loops that the compiler takes, run as Python, beside NumPy's forms."""
    kernels.gather(case.cells, case.chains, 0, case.filter)
    gathered = [case.filter.precision.copy(), case.filter.value.copy()]
    kernels.gather_loop(case.cells, case.chains, 0, case.filter)
    assert np.array_equal(gathered, [case.filter.precision, case.filter.value])
    case.filter.gap[:], case.filter.walk[:] = 0.1, [[0.0, 0.5], [0.2, 1.0]]
    case.filter.stay[:] = 0.9
    kernels.condition(5, 2, case.chains.tau2, case.filter)
    names = ("mean", "variance", "chance", "evidence")
    wanted = [getattr(case.filter, name).copy() for name in names]
    kernels.condition_loop(5, 2, case.chains.tau2, case.filter)
    lower = np.tril(np.ones((6, 6), bool)) & (np.arange(6) < 5)[:, None]
    for name, one in zip(names, wanted, strict=True):
        other = getattr(case.filter, name)
        assert (
            np.array_equal(one[..., lower], other[..., lower])
            if one.ndim == 4
            else np.array_equal(one, other)
        )
    kernels.weigh_cells(case.cells, case.chains, case.luck)
    weighed = [case.chains.omega.copy(), case.chains.sums.copy()]
    for form in (kernels.weigh_cells_loop, kernels.draw_weights):
        case.chains.omega[:] = case.chains.sums[:] = 0.0
        form(case.cells, case.chains, case.luck)
        assert np.array_equal(weighed[0], case.chains.omega)
        assert np.array_equal(weighed[1], case.chains.sums)
    assert [kernels.exponential_of_number(x) for x in (-3.0, 0.1)] == kernels.exponential(
        np.array([-3.0, 0.1])
    ).tolist()
    assert PACES[0] == 0
