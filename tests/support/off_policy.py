"""Logs of every learner whose probabilities are known, on a world that is known, and the truth.

Run as a program it measures how often the intervals of docs/off-policy.md hold:
python tests/support/off_policy.py --runs 200
"""

import argparse
import collections

import numpy as np

import sparring
from learner_factories import ALL, coupled
from sparring._jit import compile_from_now_on
from sparring.votes import borda, evaluate, from_duels

K, ROUNDS = 4, 1_500
SMALL = {"K": K, "T": ROUNDS}
OPTIONS = {
    "rand": {"K": K},
    "rex3": SMALL,
    "dex3p": SMALL,
    "dex3s": {**SMALL, "S": 3},
    "borda_dex3s": {**SMALL, "S": 2},
    "sym_exp3s": {**SMALL, "S": 3},
    "sym_exp3six": {**SMALL, "S": 3},
    "sparring_exp3": SMALL,
    "sparring_exp3ix": SMALL,
    "sparring_exp3six": {**SMALL, "S": 3},
    "versatile_db": {"K": K},
    "d_exp3": SMALL,
    "anaconda": SMALL,
    "metaswift": SMALL,
    "steady": {"K": K},
    "sturdy": {"K": K},
    "periodic_restarts": {**SMALL, "S": 5},
}
DIFFERING = {
    "sym_exp3s, differ": lambda seed: sparring.sym_exp3s(**SMALL, S=3, differ=True, seed=seed),
    "steady, differ": lambda seed: sparring.steady(K, differ=True, seed=seed),
    "periodic_restarts, differ": lambda seed: sparring.learners.Restarting(
        K, "sym_exp3s", options={"differ": True}, every=300, seed=seed
    ),
}


def loggers():
    """Every learner of the registry that says what it draws its arms from, by name."""
    known = {name for name in sparring.LEARNERS if not coupled(ALL[name](0))}
    assert known == set(OPTIONS), "a learner is new or gone: it needs a line in OPTIONS"
    made = {
        name: lambda seed, name=name: sparring.LEARNERS[name](**OPTIONS[name], seed=seed)
        for name in OPTIONS
    }
    return {**made, **DIFFERING}


def drifting(rounds, margin=1.0):
    """(rounds, K, K): Bradley-Terry, the arms' strengths going round slowly."""
    angle = np.linspace(0, np.pi, rounds)[:, None] + 2 * np.pi * np.arange(K) / K
    theta = margin * np.cos(angle)
    return 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))


def logged(learner, P, rng):
    """The votes of a learner on a world, and the matrices of just these votes."""
    duels, coins = [], rng.random(len(P))
    for now, coin in zip(P, coins, strict=True):
        duel = learner.ask()
        outcome = 0.5 if duel.row == duel.col else float(coin < now[duel.row, duel.col])
        learner.tell(duel, outcome)
        duels.append((duel, outcome))
    seen = np.array([duel.row != duel.col for duel, _ in duels])
    return from_duels(duels), P[seen]


def scores(P):
    """(votes, K): Borda scores."""
    return (P.sum(axis=2) - 0.5) / (P.shape[1] - 1)


def true_value(P, pi):
    """The mean over votes of how often an arm from pi, (K,) or (votes, K), beats another arm."""
    return float((scores(P) * pi).sum(axis=1).mean())


POLICIES = {
    "arm 0": np.eye(K)[0],
    "half and half": np.array([0.5, 0.5, 0, 0]),
}


def measure(make, runs, *, delta=0.1, rounds=ROUNDS):
    """Counts over the runs: how often intervals failed, also narrower ones, and out of how many."""
    P, counts, widths = drifting(rounds), collections.Counter(), collections.Counter()
    for seed in range(runs):
        rng = np.random.default_rng((seed, 65))
        votes, seen = logged(make(seed), P, rng)
        found = borda(votes, delta=delta)
        counts["runs"] += 1
        for name, part in (("borda fails", 1), ("borda fails, a third as wide", 1 / 3)):
            counts[name] += any(
                misses(window.lower[i], window.estimate[i], window.upper[i], truth, part)
                for window in found.windows
                for i, truth in enumerate(scores(seen[window.start :]).mean(axis=0))
            )
        counts["borda says"] += bool(found.windows[0].above.any())
        for policy in POLICIES.values():
            try:
                value = evaluate(votes, policy, delta=delta)
            except ValueError:
                counts["refused"] += 1
                continue
            counts["values"] += 1
            truth = true_value(seen, policy)
            first = policy is POLICIES["arm 0"]
            counts["first values"] += first
            for kind, estimate, low, high, _ in value.estimates:
                missed = misses(low, estimate, high, truth)
                counts[f"{kind} fails"] += missed
                widths[kind] += high - low
                if first:
                    counts[f"{kind} fails, first"] += missed
                    for name, part in (("half", 1 / 2), ("a quarter", 1 / 4)):
                        narrow = misses(low, estimate, high, truth, part)
                        counts[f"{kind} fails, {name} as wide"] += narrow
    counts.update({f"{kind} width": width for kind, width in widths.items()})
    return counts


def misses(low, estimate, high, truth, part=1):
    """Whether the interval, drawn to its estimate so that only a part is left, is without it."""
    low, high = (estimate + part * (end - estimate) for end in (low, high))
    return not low - 1e-12 <= truth <= high + 1e-12


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--delta", type=float, default=0.1)
    parser.add_argument("--only", nargs="*")
    given = parser.parse_args()
    compile_from_now_on()
    print("| logged by | Borda | refused | weighting | self-normalised | doubly robust |")
    print("| --- | --- | --- | --- | --- | --- |")
    total = collections.Counter()
    for name, make in [*loggers().items(), ("all", None)]:
        if given.only and name not in given.only:
            continue
        found = total if make is None else measure(make, given.runs, delta=given.delta)
        total.update(found if make else {})
        cells = [f"{1 - found['borda fails'] / found['runs']:.3f}"]
        cells.append(f"{found['refused'] / (len(POLICIES) * found['runs']):.3f}")
        cells += [
            f"{1 - found[f'{kind} fails'] / values:.3f}, {found[f'{kind} width'] / values:.2f}"
            if (values := found["values"])
            else "-"
            for kind in ("importance weighting", "self-normalised", "doubly robust")
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
