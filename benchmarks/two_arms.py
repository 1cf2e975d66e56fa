"""Which way to show two different arms is best: regret and right favourites per pair shown.

    python benchmarks/two_arms.py --runs 12

Half of the worlds have utilities, as Bradley and Terry's model wants it; in the others nothing
orders the arms but that one beats all. Everybody is told as little as the number of arms, except
Bradley-Terry top-two, which is told how many pairs to remember.
"""

import argparse
import json

import numpy as np
from numba import njit

import sparring

LOOKS = 40  # at the favourite in each run
MEMORIES = (150, 300, 500, 2000)


def logistic(utilities):
    """Bradley and Terry's preferences."""
    return 1 / (1 + np.exp(utilities[None, :] - utilities[:, None]))


def antisymmetric(noise):
    """Preferences with the part above the diagonal of this noise around 1/2."""
    return 0.5 + np.triu(noise, 1) - np.triu(noise, 1).T


def crowned(P, winner, margin):
    """The same where the winner beats all others by a margin."""
    P = P.copy()
    P[winner], P[:, winner] = 0.5 + margin, 0.5 - margin
    P[winner, winner] = 0.5
    return P


def other_winners(K, parts, rng):
    """An arm for each part, never the same twice in a row."""
    return np.cumsum(np.r_[rng.integers(K), rng.integers(1, K, parts - 1)]) % K


def fresh(K, rng):
    """A new winner by 0.15 in each quarter; the others beat each other by up to 0.1, at random."""
    return [
        (crowned(antisymmetric(rng.uniform(-0.1, 0.1, (K, K))), w, 0.15), w)
        for w in other_winners(K, 4, rng)
    ]


def circles(K, rng):
    """A new winner by 0.1 in each quarter; the others beat each other by 0.3, in circles."""
    step = (np.arange(K)[None, :] - np.arange(K)[:, None]) % K
    P = antisymmetric(np.where(step <= K // 2, 0.3, -0.3))
    return [(crowned(P, w, 0.1), w) for w in other_winners(K, 4, rng)]


def upset(K, rng):
    """In each third an arm beats the others by 0.4, and the winner beats all, also it, by 0.1."""
    found = []
    for w in other_winners(K, 3, rng):
        loud = (w + rng.integers(1, K)) % K
        found.append((crowned(crowned(np.full((K, K), 0.5), loud, 0.4), w, 0.1), w))
    return found


def stay(K, rng):
    """Utilities from 0.6 to -0.6, for ever."""
    utilities = rng.permutation(np.linspace(0.6, -0.6, K))
    return [(logistic(utilities), utilities.argmax())]


def walk(K, rng):
    """Normal utilities that walk in twenty steps."""
    utilities, found = rng.normal(0, 0.5, K), []
    for _ in range(20):
        found.append((logistic(utilities), utilities.argmax()))
        utilities = 0.9 * utilities + rng.normal(0, 0.5 * np.sqrt(0.19), K)
    return found


def close(K, rng):
    """Two utilities above the others, 0.15 apart; other two in each sixth."""
    rest, found = rng.normal(-0.5, 0.2, K), []
    for _ in range(6):
        utilities = rest.copy()
        first, second = rng.choice(K, 2, replace=False)
        utilities[first], utilities[second] = 0.5, 0.35
        found.append((logistic(utilities), first))
    return found


WORLDS = {one.__name__: one for one in (fresh, circles, upset, stay, walk, close)}


@njit(cache=True)
def top_two(P, memory, sweeps, wins, theta, coins, rows, cols):
    """Play Bradley-Terry top-two: the two best by a discounted fit with ridge 1, ties at random.

    wins and theta are what it knows; coins are (n, 2), one for the outcome and one for ties.
    """
    K = len(theta)
    for t in range(len(coins)):
        for _ in range(sweeps):
            for i in range(K):
                slope, curve = -theta[i], 1.0
                for j in range(K):
                    met = wins[i, j] + wins[j, i]
                    if met > 0:
                        q = 1 / (1 + np.exp(theta[j] - theta[i]))
                        slope += wins[i, j] - met * q
                        curve += met * q * (1 - q)
                theta[i] += slope / curve
        first, second = -1, -1
        start = int(coins[t, 1] * K)
        for step in range(K):
            k = (start + step) % K
            if first < 0 or theta[k] > theta[first]:
                first, second = k, first
            elif second < 0 or theta[k] > theta[second]:
                second = k
        won = coins[t, 0] < P[first, second]
        wins *= 1 - 1 / memory
        wins[first, second] += won
        wins[second, first] += not won
        rows[t], cols[t] = first, second


class TopTwo:
    """A discounted Bradley-Terry model that shows its two best arms."""

    def __init__(self, K, memory, seed):
        self.memory, self.rng = memory, np.random.default_rng(seed)
        self.wins, self.theta = np.zeros((K, K)), np.zeros(K)

    @property
    def favourite(self):
        """The arm of the largest utility."""
        return int(self.theta.argmax())

    def show(self, P, n):
        """Show n pairs to voters of these preferences."""
        rows, cols = np.empty((2, n), np.int64)
        coins = self.rng.random((n, 2))
        top_two(P, self.memory, 3, self.wins, self.theta, coins, rows, cols)
        return rows, cols


class Asked:
    """A learner that is asked for two different arms."""

    def __init__(self, learner, seed):
        self.learner, self.rng = learner, np.random.default_rng(seed)

    @property
    def favourite(self):
        """The learner's favourite."""
        return self.learner.favourite

    def show(self, P, n):
        """Show n pairs to voters of these preferences."""
        coins = self.rng.random(n)
        if self.learner.differ:
            return self.learner.play(sparring.Block(P[None], np.array([n])), coins)
        pairs = np.empty((2, n), np.int64)
        for t, coin in enumerate(coins):
            duel = self.learner.ask(distinct=True)
            self.learner.tell(duel, float(coin < P[duel.row, duel.col]))
            pairs[:, t] = duel.row, duel.col
        return pairs


WAYS = {
    "steady, redrawn": lambda K, seed: Asked(sparring.steady(K, seed=seed), seed),
    "steady, differ": lambda K, seed: Asked(sparring.steady(K, differ=True, seed=seed), seed),
    "tracker, differ": lambda K, seed: Asked(sparring.tracker(K, differ=True, seed=seed), seed),
    **{
        f"top-two, {memory:,}": lambda K, seed, memory=memory: TopTwo(K, memory, seed)
        for memory in MEMORIES
    },
}


def played(make, parts, K, T, seed):
    """Regret per pair to the winner, and the share of looks at which the favourite is it."""
    one, regret, right = make(K, seed), 0.0, []
    looks = np.arange(1, LOOKS + 1) * T // LOOKS
    ends = np.arange(1, len(parts) + 1) * T // len(parts)
    done = 0
    for stop in np.union1d(looks, ends):
        P, winner = parts[np.searchsorted(ends, done, side="right")]
        rows, cols = one.show(P, stop - done)
        regret += (P[winner, rows] + P[winner, cols] - 1).sum() / 2
        if stop in looks:
            right.append(one.favourite == winner)
        done = stop
    return regret / T, float(np.mean(right))


def measured(arms, T, runs, ways, worlds):
    """A row for each K, world and way."""
    for K in arms:
        for name in worlds:
            for way in ways:
                found = []
                for run in range(runs):
                    parts = WORLDS[name](K, np.random.default_rng((K, run)))
                    found.append(played(WAYS[way], parts, K, T, 1000 + run))
                (regret, right), spread = np.mean(found, axis=0), np.std(found, axis=0, ddof=1)
                yield {
                    "K": K,
                    "world": name,
                    "way": way,
                    "regret": float(regret),
                    "right": float(right),
                    "regret error": float(spread[0] / np.sqrt(runs)),
                    "right error": float(spread[1] / np.sqrt(runs)),
                }


def table(rows, arms, worlds, ways):
    """Markdown: regret per pair in thousandths, and the percentage of right favourites."""
    cells = {(row["K"], row["world"], row["way"]): cell(row) for row in rows}
    lines = []
    for K in arms:
        lines += [f"| K = {K} | {' | '.join(worlds)} |", "| --- |" + " --- |" * len(worlds)]
        for way in ways:
            lines.append(f"| {way} | {' | '.join(cells[K, name, way] for name in worlds)} |")
        lines.append("")
    return "\n".join(lines)


def cell(row):
    """Regret with its standard error, and how often the favourite is right."""
    regret, error = 1000 * row["regret"], 1000 * row["regret error"]
    return f"{regret:.0f} ± {error:.0f}, {100 * row['right']:.0f}%"


def main():
    """Measure, and print tables or rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, nargs="+", default=[5, 8, 20])
    parser.add_argument("--pairs", type=int, default=20_000, help="shown in each run")
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--worlds", nargs="+", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--json", action="store_true", help="print the rows instead of tables")
    chosen = parser.parse_args()
    rows = list(measured(chosen.arms, chosen.pairs, chosen.runs, chosen.ways, chosen.worlds))
    shown = table(rows, chosen.arms, chosen.worlds, chosen.ways)
    print(json.dumps(rows, indent=1) if chosen.json else shown)


if __name__ == "__main__":
    main()
