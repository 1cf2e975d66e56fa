"""How soon votes that never came are found in a log, and how often a clean log is refused.

    python benchmarks/missing_votes.py [RUNS] [CLEAN]
    python benchmarks/missing_votes.py wealth RUNS
    python benchmarks/missing_votes.py most RUNS

A learner is asked and told; self-duels are always told, and of the votes on two different arms a
share never comes. Printed is in how many of RUNS logs this is found within 10,000 duels that were
told, and after how many in the median; of CLEAN logs each, how many were refused; and how often the
arms were equal.
With `wealth`, how often the bets on clean logs of REX3 ever reach 10, 100, 1,000 and 10,000.
With `most`, how often any test at all can find it at the rate of false alarms that certificates
have, where the log has no round numbers (docs/theory.md, "Votes that never came").
"""

import math
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

import sparring
from sparring.certificates import Certificate, CouplingError
from sparring.certificates._estimates import HIGHEST
from sparring.certificates.conditions import FALSE_ALARM

DUELS, PIECE = 10_000, 250
LEARNERS: dict[str, Callable[[int, int], Any]] = {
    "steady": lambda K, seed: sparring.steady(K, seed=seed),
    "sym_exp3s": lambda K, seed: sparring.sym_exp3s(K, 20_000, S=4, seed=seed),
    "dex3s": lambda K, seed: sparring.dex3s(K, 20_000, S=4, corrected=True, seed=seed),
    "dex3p": lambda K, seed: sparring.dex3p(K, 20_000, seed=seed),
    "rex3": lambda K, seed: sparring.rex3(K, 20_000, seed=seed),
    "rand": lambda K, seed: sparring.rand(K, seed=seed),
}


def worlds(K: int) -> dict[str, np.ndarray]:
    """A winner by 0.2, one that always wins, and Bradley-Terry utilities from 1 to -1."""
    winner, certain = np.full((K, K), 0.5), np.full((K, K), 0.5)
    winner[0, 1:], winner[1:, 0] = 0.7, 0.3
    certain[0, 1:], certain[1:, 0] = 1.0, 0.0
    utilities = np.linspace(1, -1, K)
    ladder = 1 / (1 + np.exp(utilities[None] - utilities[:, None]))
    return {"winner": winner, "certain": certain, "ladder": ladder}


def pieces(learner: Any, P: np.ndarray, rng: np.random.Generator, missing: float) -> Iterator[Any]:
    """The duels that were told, some hundred at a time."""
    told: list[Any] = []
    while True:
        duel = learner.ask()
        if duel.row != duel.col and rng.random() < missing:
            learner.forget(duel)
            continue
        outcome = float(rng.random() < P[duel.row, duel.col])
        learner.tell(duel, outcome)
        told.append((duel.row, duel.col, outcome, duel.p))
        if len(told) == PIECE:
            yield [np.array(part) for part in zip(*told, strict=True)]
            told = []


def run(name: str, K: int, world: str, missing: float, seed: int) -> tuple[float, float]:
    """After how many duels the log is refused, or infinity; and how often arms were equal."""
    learner, certificate = LEARNERS[name](K, seed), Certificate(K, beta=0.01)
    rng, equal = np.random.default_rng((seed, 63)), 0
    for piece in pieces(learner, worlds(K)[world], rng, missing):
        equal += int((piece[0] == piece[1]).sum())
        try:
            certificate.add_many(*piece)
        except CouplingError:
            told = certificate._sums.rounds
            return told, equal / told
        if certificate.rounds >= DUELS:
            return math.inf, equal / DUELS
    raise AssertionError("pieces do not end")


def highest(seed: int, K: int = 10) -> float:
    """The most that the bets on a clean log of REX3 ever had, as a logarithm."""
    certificate, told = Certificate(K, beta=0.01), 0
    rng = np.random.default_rng((seed, 63))
    for piece in pieces(LEARNERS["rex3"](K, seed), worlds(K)["ladder"], rng, 0.0):
        with suppress(CouplingError):
            certificate.add_many(*piece)
        told += PIECE
        if told >= DUELS:
            break
    return float(certificate._sums.coupling[HIGHEST])


def wealth(runs: int) -> None:
    """Print how often a wealth is reached, by Ville's inequality at most as often as 1 of it."""
    with ProcessPoolExecutor(2) as pool:
        found = np.array(list(pool.map(highest, range(1000, 1000 + runs), chunksize=5)))
    for most in (10, 100, 1_000, 10_000):
        print(f"{most:6,}: {(found >= math.log(most)).sum()} of {runs}")


def ratio(seed: int, name: str, K: int, world: str, missing: float) -> tuple[float, float]:
    """ln of the likelihood ratio after all duels, missing against not; and the most it ever was."""
    learner, rng = LEARNERS[name](K, seed), np.random.default_rng((seed, 63))
    sums, total = [], 0.0
    for rows, cols, _, p in pieces(learner, worlds(K)[world], rng, missing):
        equal = (p[:, 0] * p[:, -1]).sum(axis=1)
        steps = np.where(rows == cols, 0.0, math.log1p(-missing)) - np.log1p(
            -missing * (1.0 - equal)
        )
        sums.append(total + steps.cumsum())
        total = float(sums[-1][-1])
        if len(sums) * PIECE >= DUELS:
            return total, float(np.concatenate(sums).max())
    raise AssertionError("pieces do not end")


def most(runs: int, name: str = "rex3", K: int = 5, missing: float = 0.2) -> None:
    """Print how often the best test finds it, by Neyman and Pearson, and the best single bet.

    The chance of a ratio of at least c in a clean log is the mean of 1 / ratio over logs with
    votes missing, where it is at least c: so the c of a given rate is known from these alone.
    """
    with ProcessPoolExecutor(2) as pool:
        played = partial(ratio, name=name, K=K, world="certain", missing=missing)
        found = list(pool.map(played, range(1000, 1000 + runs), chunksize=5))
    last, highest = (np.sort(column) for column in zip(*found, strict=True))
    clean = np.exp(-last)[::-1].cumsum()[::-1] / runs
    best = int(np.argmax(clean <= FALSE_ALARM))
    found_by_it, c = 100 * (1 - best / runs), last[best]
    print(f"any test: at most {found_by_it:.1f} of 100, from a ratio of e^{c:.1f}")
    print(f"a bet on what is true: {100 * (highest >= -math.log(FALSE_ALARM)).mean():.1f} of 100")


def main(runs: int, clean: int) -> None:
    """Print a line for each learner, world and share."""
    columns = ("missing", "found", "median", "equal")
    widths = (7, 12, 7, 6)
    heads = (f"{name:>{width}}" for name, width in zip(columns, widths, strict=True))
    print(f"{'learner':10} {'K':>3} {'world':8}", *heads, flush=True)
    with ProcessPoolExecutor(2) as pool:
        for K in (5, 10):
            for name in LEARNERS:
                for world in worlds(K):
                    for missing, n in ((0.2, runs), (0.7, runs // 4), (0.0, clean)):
                        if name == "rand" and world != "winner":
                            continue  # it does not look
                        told = partial(run, name, K, world, missing)
                        found = list(pool.map(told, range(n), chunksize=5))
                        after = [one for one, _ in found]
                        hits = sum(math.isfinite(one) for one in after)
                        middle = np.median(after) if 2 * hits > n else math.inf
                        equal = np.mean([share for _, share in found])
                        print(
                            f"{name:10} {K:3} {world:8} {missing:7.1f} {hits:5} of {n:4}"
                            f" {middle:7.0f} {equal:6.2f}",
                            flush=True,
                        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["most"]:
        sys.exit(most(int(sys.argv[2])))
    if sys.argv[1:2] == ["wealth"]:
        sys.exit(wealth(int(sys.argv[2])))
    arguments = [int(word) for word in sys.argv[1:]]
    main(*(arguments + [100, 13][len(arguments) :]))
