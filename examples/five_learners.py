"""Every learner of the paper plays a million duels on one world whose winner changes half-way."""

import time
from itertools import pairwise

import numpy as np

import sparring

K, T, S, RUNS = 10, 1_000_000, 2, 9
WINNERS = (3, 7)  # of the first and of the second half


def world():
    """Two matrices: the winner beats every arm with probability 0.7, the others tie."""
    P = np.full((S, K, K), 0.5)
    for matrix, winner in zip(P, WINNERS, strict=True):
        matrix[winner], matrix[:, winner] = 0.7, 0.3
        matrix[winner, winner] = 0.5
    return sparring.Block(P, np.full(S, T // S))


def regret(block, plays):
    """Dynamic regret: how much more often the winner of the half would have won."""
    total = 0.0
    for m, (start, stop) in enumerate(pairwise(np.append(0, np.cumsum(block.hold)))):
        best = block.P[m, WINNERS[m]]
        for arms in plays:
            total += (best[arms[start:stop]] - 0.5).sum() / 2
    return total


def spread(values, form):
    """Median, lowest and highest."""
    median, low, high = (format(f(values), form) for f in (np.median, np.min, np.max))
    return f"{median} ({low} to {high})"


def played(plays, stop, arm):
    """How often the arm was shown in the twentieth of all rounds before a stop."""
    return np.mean([arms[stop - T // 20 : stop] == arm for arms in plays])


def main():
    """Play them all on the same coins, RUNS times, and print a table."""
    learners = {
        "RAND": lambda seed: sparring.rand(K, seed=seed),
        "REX3": lambda seed: sparring.rex3(K, T, seed=seed),
        "DEX3.P": lambda seed: sparring.dex3p(K, T, seed=seed),
        "DEX3.S": lambda seed: sparring.dex3s(K, T, S=S, seed=seed),
        "DEX3.S corrected": lambda seed: sparring.dex3s(K, T, S=S, corrected=True, seed=seed),
        "Borda-DEX3.S": lambda seed: sparring.borda_dex3s(K, T, S=S, seed=seed),
    }
    block = world()
    print(f"K = {K}, T = {T:,}: arm {WINNERS[0]} wins at first, arm {WINNERS[1]} after half of it")
    print(f"median of {RUNS} runs (lowest to highest)")
    print(f"{'learner':18}{'dynamic regret':^32}{'winner played at the end':^28}")
    start = time.perf_counter()
    for name, make in learners.items():
        regrets, ends = [], []
        for seed in range(RUNS):
            coins = np.random.default_rng(seed).random(T)
            plays = make(seed).play(block, coins)
            regrets.append(regret(block, plays))
            ends.append(played(plays, T, WINNERS[1]))
        row = f"{name:18}{spread(regrets, ',.0f'):^32}{spread(ends, '.0%'):^28}"
        print(row.rstrip(), flush=True)
    seconds = time.perf_counter() - start
    print(f"{len(learners) * RUNS} million duels in {seconds:.1f} s")


if __name__ == "__main__":
    main()
