"""Votes that never came are found, and clean logs are left alone: as often as promised.

benchmarks/missing_votes.py measures the same for more learners, worlds and shares.
"""

import contextlib
import math

import numpy as np
import pytest
from scipy import stats

import sparring
from logged_duels import logged
from sparring.certificates import Certificate, CouplingError
from sparring.certificates import _estimates as kernels
from worlds import ladder

pytestmark = pytest.mark.compiled

K, DUELS = 5, 10_000
LEARNERS = {
    "steady": lambda seed: sparring.steady(K, seed=seed),
    "sym_exp3s": lambda seed: sparring.sym_exp3s(K, 20_000, S=4, seed=seed),
    "dex3s": lambda seed: sparring.dex3s(K, 20_000, S=4, corrected=True, seed=seed),
}


def found_after(learner, rng, missing):
    """After how many duels the log is refused; self-duels are always told; None if never."""
    P, certificate = ladder(K), Certificate(K, beta=0.01)
    rows, cols, p = [], [], []
    while certificate.rounds < DUELS:
        duel = learner.ask()
        if duel.row != duel.col and rng.random() < missing:
            learner.forget(duel)
            continue
        learner.tell(duel, float(rng.random() < P[duel.row, duel.col]))
        for sequence, one in ((rows, duel.row), (cols, duel.col), (p, duel.p)):
            sequence.append(one)
        if len(rows) == 250:
            try:
                certificate.add_many(rows, cols, np.ones(250), np.array(p))
            except CouplingError:
                return certificate.rounds + 250
            rows, cols, p = [], [], []
    return None


@pytest.mark.parametrize("name", LEARNERS)
def test_one_vote_in_five_missing_is_found_within_ten_thousand_duels(name):
    """40 runs; at least 38 must be found. The runs are seeded, so there is no chance of alarm.

    If only four in five were found, 38 would be with probability 0.008. The same learner with all
    votes is not found, in 10 runs: rate 1e-4 each, by Ville.
    """
    rng = np.random.default_rng(5)
    found = [found_after(LEARNERS[name](seed), rng, 0.2) for seed in range(40)]
    assert sum(after is not None for after in found) >= 38
    assert all(found_after(LEARNERS[name](seed), rng, 0.0) is None for seed in range(10))


def test_clean_logs_are_refused_no_more_often_than_promised(rng):
    """400 logs of 4,000 duels of independent arms, 1 and 2 players, p from even to nearly certain.

    The bets together reach 1/a in at most a of the logs, by Ville's inequality: for a = 1e-4, at
    which certificates refuse, at most 1 of 400 (8e-4); for a = 0.1 and 0.02 by binomial tail with
    a false alarm of 1e-6. Power: some do reach 10; and where p is nearly certain and logged a tenth
    more even than it is, all reach 1e4.
    """
    highest, tilted = [], []
    for run in range(400):
        players, concentration = 1 + run % 2, (0.05, 0.3, 1.0, 10.0)[run % 4]
        duels = logged(4, 4_000, rng, players, concentration)
        for p, into in ((duels[3], highest), (0.9 * duels[3] + 0.1 / 4, tilted)):
            if into is tilted and (concentration > 0.05 or run >= 40):
                continue
            certificate = Certificate(4, beta=0.01)
            with contextlib.suppress(CouplingError):
                certificate.add_many(*duels[:3], p)
            into.append(certificate._sums.coupling[kernels.HIGHEST])
    counts = {a: sum(one >= math.log(1 / a) for one in highest) for a in (0.1, 0.02, 1e-4)}
    assert counts[1e-4] <= 1
    for a in (0.1, 0.02):
        assert counts[a] <= stats.binom.isf(1e-6, 400, a)
    assert counts[0.1] > 0
    assert len(tilted) == 10 and min(tilted) > math.log(1e4)
