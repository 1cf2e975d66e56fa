"""What each regret is, by definition and with plain loops, and who is needed to put it to the test.

Written from the paper (Sec. 2, 3.2, 4.1, 6 and Remark 4.2) and not from the code: matrices are
expanded round by round, and a regret is a sum over rounds of what a benchmark would have gained.
"""

import itertools
import math

import numpy as np

import sparring
from sparring import Regret
from sparring.regret import Arms, Mixture


def expand(blocks):
    """P_1, ..., P_T, one matrix a round."""
    return [P for block in blocks for P, hold in zip(*block, strict=True) for _ in range(hold)]


def stretches(P):
    """(start, stop) of each maximal run of equal matrices."""
    starts = [t for t in range(len(P)) if t == 0 or not np.array_equal(P[t], P[t - 1])]
    return list(zip(starts, [*starts[1:], len(P)], strict=True))


def segments(P):
    """S: one more than the rounds with P_t unlike P_{t-1} (Sec. 2, and errata section 0)."""
    return len(stretches(P))


def variation(P):
    """V_T of Sec. 2."""
    return math.fsum(np.abs(after - before).max() for before, after in itertools.pairwise(P))


def borda(P, i):
    """b(i) of Sec. 6: the mean of P(i, j) over the others."""
    others = [P[i, j] for j in range(len(P)) if j != i]
    return math.fsum(others) / len(others)


def winner(P):
    """The Condorcet winner, or None."""
    for i in range(len(P)):
        if all(P[i, j] > 0.5 for j in range(len(P)) if j != i):
            return i
    return None


def gap(P):
    """min over a, b of max over j of r(j) (errata E5)."""
    arms = range(len(P))
    return min(
        max((P[j, a] + P[j, b] - 1) / 2 for j in arms) for a, b in itertools.product(arms, arms)
    )


def gain(regret, P, j, row, col):
    """What arm j would have gained over the pair, in one round."""
    if regret.gain == "borda":
        return {
            "both": (2 * borda(P, j) - borda(P, row) - borda(P, col)) / 2,
            "row": borda(P, j) - borda(P, row),
            "column": borda(P, j) - borda(P, col),
        }[regret.side]
    return {
        "both": (P[j, row] + P[j, col] - 1) / 2,
        "row": P[j, col] - P[row, col],
        "column": P[j, row] - P[col, row],
        "weak": min(P[j, row], P[j, col]) - 0.5,
        "strong": max(P[j, row], P[j, col]) - 0.5,
    }[regret.side]


def maximin(P):
    """The mixture that no arm beats, by trying all supports; there must be only one."""
    A, K = P - 0.5, len(P)
    found = []
    for size in range(1, K + 1, 2):  # a game without ties has a support of odd size
        for support in map(list, itertools.combinations(range(K), size)):
            system = np.vstack([A[np.ix_(support, support)], np.ones(size)])
            x = np.linalg.lstsq(system, np.append(np.zeros(size), 1.0), rcond=None)[0]
            pi = np.zeros(K)
            pi[support] = x
            if x.min() > -1e-12 and (pi @ A).min() > -1e-12:
                found.append(pi)
    assert found and all(np.allclose(pi, found[0], atol=1e-9) for pi in found), "not one winner"
    return found[0]


def definition(regret, P, rows, cols):
    """The regret of the plays on P_1, ..., P_t, and the rounds where it is not defined."""
    arms, rounds = range(len(P[0])), range(len(P))
    gains = [[gain(regret, P[t], j, rows[t], cols[t]) for j in arms] for t in rounds]

    def total(j, start=0, stop=None):
        return math.fsum(of_round[j] for of_round in gains[start:stop])

    benchmark = regret.benchmark
    if benchmark == "horizon":
        return max(total(j) for j in arms), 0
    if benchmark == "stretch":
        return math.fsum(max(total(j, *part) for j in arms) for part in stretches(P)), 0
    if benchmark == "round":
        return math.fsum(max(gains[t]) for t in rounds), 0
    if benchmark == "condorcet":
        winners = [winner(matrix) for matrix in P]
        known = [t for t in rounds if winners[t] is not None]
        if not known:
            return math.nan, len(P)
        return math.fsum(gains[t][winners[t]] for t in known), len(P) - len(known)
    if isinstance(benchmark, Arms):
        runs = zip(benchmark.arms, benchmark.rounds, strict=True)
        followed = [arm for arm, length in runs for _ in range(length)]
        return math.fsum(gains[t][followed[t]] for t in rounds), 0
    pi = benchmark.pi if isinstance(benchmark, Mixture) else maximin(np.mean(P, axis=0))
    return math.fsum(pi[j] * total(j) for j in arms), 0


def every_regret(K, T, rng):
    """All there are, by label; given arms and mixtures are drawn."""
    pi = rng.random(K)
    benchmarks = {name: name for name in ("horizon", "stretch", "round", "condorcet")}
    benchmarks["von neumann"] = "von neumann"
    benchmarks["arms"] = Arms(rng.integers(K, size=T))
    benchmarks["mixture"] = Mixture(pi / pi.sum())
    regrets = {
        f"{gain}/{name}/{side}": Regret(gain, benchmark, side)
        for gain in ("preference", "borda")
        for name, benchmark in benchmarks.items()
        for side in ("both", "row", "column")
    }
    known = {
        f"preference/{name}/{side}": Regret("preference", benchmarks[name], side)
        for name in ("condorcet", "arms")
        for side in ("weak", "strong")
    }
    return regrets | known


class Listed:
    """A user's world: the blocks it was given, whatever the generator."""

    def __init__(self, *blocks, T=None):
        self.given = [sparring.Block(np.array(P), np.array(hold)) for P, hold in blocks]
        self.K = self.given[0].P.shape[-1]
        self.T = int(sum(block.hold.sum() for block in self.given)) if T is None else T

    def __repr__(self):
        return f"Listed(K={self.K}, T={self.T})"

    def blocks(self, rng):
        yield from self.given


class Asked:
    """A learner that has no more than ask and tell: any arms, and it writes down what happens."""

    def __init__(self, problem, rng):
        self.problem, self.K, self.rng = problem, problem.K, rng
        self.p = np.full((1, self.K), 1 / self.K)
        self.rows, self.cols, self.outcomes = [], [], []

    def ask(self):
        row, col = (int(arm) for arm in self.rng.integers(self.K, size=2))
        self.rows.append(row)
        self.cols.append(col)
        return sparring.Duel(len(self.rows), row, col, self.p)

    def tell(self, duel, outcome):
        assert (duel.row, duel.col) == (self.rows[-1], self.cols[-1])
        self.outcomes.append(outcome)


class Played(Asked):
    """The same with `play`: it draws the same arms, and sees the matrices and the coins as well."""

    def __init__(self, problem, rng):
        super().__init__(problem, rng)
        self.P, self.coins = [], []

    def play(self, block, coins):
        matrices = [P.copy() for P in expand([block])]
        start = len(self.rows)
        for P, coin in zip(matrices, coins, strict=True):
            duel = self.ask()
            self.tell(duel, float(coin < P[duel.row, duel.col]))
        self.P += matrices
        self.coins += coins.tolist()
        return sparring.Plays(np.array(self.rows[start:]), np.array(self.cols[start:]))


class Made:
    """An entrant that keeps every learner it made, in the order of the runs."""

    def __init__(self, kind):
        self.kind, self.learners = kind, []

    def __call__(self, problem, rng):
        self.learners.append(self.kind(problem, rng))
        return self.learners[-1]
