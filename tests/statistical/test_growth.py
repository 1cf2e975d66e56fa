"""How regret grows with T, and that nobody beats a cycle.

Seeds are fixed, so a test that passes goes on passing; the rate says how likely a right program
was to fail on a seed chosen blindly.
"""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sparring
from regret_definitions import gap
from sparring import Regret

pytestmark = pytest.mark.compiled

ROUND = Regret("preference", "round")
HORIZONS = (10_000, 31_623, 100_000, 316_228, 1_000_000)
RUNS, MARGIN = 8, 0.25


def corrected(problem, rng):
    """DEX3.S with the share that the proofs need."""
    return sparring.dex3s(problem.K, problem.T, V_T=problem.V_T, corrected=True, seed=rng)


@pytest.fixture(scope="module")
def regrets():
    """By entrant, the logarithm of the round regret: (horizons, runs)."""
    with ThreadPoolExecutor(2) as executor:
        tables = [
            sparring.simulate(
                sparring.RotatingWinner(K=5, T=T, V_T=5, largest_margin=MARGIN),
                ["dex3s", corrected, "rex3"],
                ROUND,
                runs=RUNS,
                executor=executor,
            )
            for T in HORIZONS
        ]
    return {
        label: np.log([table.filter(entrant=label)["value"].to_numpy() for table in tables])
        for label in ("dex3s", "corrected", "rex3")
    }


def slope(logs, horizons=HORIZONS):
    """The slope of log regret in log T, least squares in each run; mean and standard error."""
    x = np.log(horizons) - np.mean(np.log(horizons))
    slopes = x @ logs / (x @ x)
    return slopes.mean(), slopes.std(ddof=1) / np.sqrt(len(slopes))


@pytest.mark.parametrize("label", ["dex3s", "corrected"])
def test_the_fitted_slope_of_dex3s_is_near_two_thirds_at_this_margin(label, regrets):
    """Slope over T from 1e4 to 1e6, 8 runs at each of 5 horizons: within 0.1 of 2/3, by 5 errors.

    This is no evidence for the rate of Theorem 4.4, an upper bound: the growth is no power of T.
    The slope falls from 0.88, near RAND's 1, to below 1/2, and a margin of 1/2 fits to 0.53 (see
    docs/errata.md, E6). So the last decade is held to 2/3 from above only. The means were 0.66 as
    printed and 0.64 corrected, each to 0.003. False alarms: no bound is nearer than 20 errors,
    below 1e-6 by Student's t with 7 degrees of freedom.
    """
    mean, error = slope(regrets[label])
    assert abs(mean - 2 / 3) + 5 * error < 0.1, (mean, error)
    late, error = slope(regrets[label][2:], HORIZONS[2:])
    assert late + 5 * error < 2 / 3, (late, error)


def test_the_round_regret_of_rex3_grows_like_t(regrets):
    """The same fit: above 0.95 by 5 errors, and above that of DEX3.S by 0.25.

    REX3 has no share and does not follow; RAND's slope is 1. The mean was 0.99. False alarms: the
    bounds are more than 10 errors off, below 1e-5.
    """
    mean, error = slope(regrets["rex3"])
    assert mean - 5 * error > 0.95, (mean, error)
    for label in ("dex3s", "corrected"):
        assert mean - slope(regrets[label])[0] > 0.25
    assert (regrets["rex3"][-1] > regrets["dex3s"][-1] + np.log(3)).all(), (
        "in every run, at T = 1e6"
    )


def best_pair(P):
    """The pair whose best response gains least."""
    arms = range(len(P))
    pairs = itertools.product(arms, arms)
    return min(pairs, key=lambda pair: max(P[j, pair[0]] + P[j, pair[1]] for j in arms))


@pytest.mark.parametrize(("K", "margin"), [(3, 1.0), (4, 0.5), (7, 0.2)])
def test_on_a_cycle_nobody_beats_a_quarter_of_the_gap(K, margin):
    """Round regret >= t gap / 4, for every learner, in every run, at every checkpoint: exact.

    No chance, no false alarms. Even who knows the matrix and plays its best pair only meets it.
    """
    T = 50_000
    world = sparring.Cyclic(K, T, gap=margin)
    row, col = best_pair(world.matrix)

    class Knowing:
        def __init__(self, problem, rng):
            self.K, self.p = problem.K, np.full((1, problem.K), 1 / problem.K)

        def ask(self):
            raise AssertionError("it plays")

        def tell(self, duel, outcome):
            raise AssertionError("it plays")

        def play(self, block, coins):
            return sparring.Plays(np.full(len(coins), row), np.full(len(coins), col))

    entrants = {name: name for name in sparring.LEARNERS} | {"knowing": Knowing}
    table = sparring.simulate(world, entrants, ROUND, runs=3, checkpoints=10)
    floor = table["t"].to_numpy() * margin / 4
    assert (table["value"].to_numpy() >= floor - 1e-9 * T).all()
    met = table.filter(entrant="knowing")
    np.testing.assert_allclose(met["value"], met["t"].to_numpy() * margin / 4, rtol=1e-9)
    said = sparring.describe(world)
    assert said.irreducible == pytest.approx(T * margin / 4) == pytest.approx(T * gap(world.matrix))
    assert "no learner avoids it" in str(said) and f"{T * margin / 4:g}" in str(said)


def test_where_somebody_dominates_nothing_is_irreducible():
    said = sparring.describe(sparring.RotatingWinner(K=5, T=2_000, V_T=5))
    assert said.irreducible == pytest.approx(0, abs=1e-9)
    assert "no learner avoids it" not in str(said), str(said)
