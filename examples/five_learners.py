"""Every learner of the paper plays a million duels on one world whose winner changes half-way."""

import time
from itertools import pairwise

import numpy as np

import sparring

K, T, S = 10, 1_000_000, 2
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


def played(plays, stop, arm):
    """How often the arm was shown in the twentieth of all rounds before a stop."""
    return np.mean([arms[stop - T // 20 : stop] == arm for arms in plays])


def main():
    """Play them all on the same coins and print a table."""
    learners = {
        "RAND": sparring.rand(K, seed=1),
        "REX3": sparring.rex3(K, T, seed=1),
        "DEX3.P": sparring.dex3p(K, T, seed=1),
        "DEX3.S": sparring.dex3s(K, T, S=S, seed=1),
        "DEX3.S corrected": sparring.dex3s(K, T, S=S, corrected=True, seed=1),
        "Borda-DEX3.S": sparring.borda_dex3s(K, T, S=S, seed=1),
    }
    block, coins = world(), np.random.default_rng(2).random(T)
    first, second = WINNERS
    print(f"K = {K}, T = {T:,}: arm {first} wins in the first half, arm {second} in the second")
    print(f"{'':18}{'dynamic':>10}{'winner played at the end of':>32}")
    print(f"{'learner':18}{'regret':>10}{'first half':>18}{'second half':>14}")
    start = time.perf_counter()
    for name, learner in learners.items():
        plays = learner.play(block, coins)
        first, second = (
            played(plays, stop, arm) for stop, arm in zip((T // 2, T), WINNERS, strict=True)
        )
        print(f"{name:18}{regret(block, plays):>10,.0f}{first:>18.0%}{second:>14.0%}", flush=True)
    seconds = time.perf_counter() - start
    print(f"{len(learners)} million duels in {seconds:.1f} s; `make bench` measures speed properly")


if __name__ == "__main__":
    main()
