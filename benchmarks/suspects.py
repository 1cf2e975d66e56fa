"""How often the test of voters holds somebody, and after how many answers, by kind of voter.

python benchmarks/suspects.py          the table of docs/arena.md
python benchmarks/suspects.py --json   the same for a program

One voter among 60 honest ones answers on uniform pairs of K = 8 arms; each arm beats the next with
0.62. The promise is one honest voter in 1,000.
"""

import argparse
import json

import numpy as np

from sparring.arena.suspects import Suspects

K, CROWD = 8, 60
UTILITIES = np.linspace(0.5 * (K - 1), 0, K)
WEAK = K - 1
OWN, BEFORE, SHARE = 300, 2000, 0.1  # answers of the voter; votes before; its share of the others


def chance(first, second):
    """That the crowd prefers the first."""
    return 1 / (1 + np.exp(UTILITIES[second] - UTILITIES[first]))


def as_others(rng, first, second):
    """As the others."""
    return rng.random() < chance(first, second)


def at_random(rng, first, second):
    """Without looking, on either side."""
    return rng.random() < 0.5


def moderate(rng, first, second):
    """With a chance of 0.65 for the weakest arm, against whichever."""
    if WEAK in (first, second):
        return (rng.random() < 0.65) == (first == WEAK)
    return as_others(rng, first, second)


def own_taste(rng, first, second):
    """A middling arm is the one they like best; else as the others."""
    favourite = K // 2
    return first == favourite if favourite in (first, second) else as_others(rng, first, second)


def planted(rng, first, second):
    """Always for the weakest arm; else as the others."""
    return first == WEAK if WEAK in (first, second) else as_others(rng, first, second)


def planted_mostly(rng, first, second):
    """The same in four of five cases."""
    return (planted if rng.random() < 0.8 else as_others)(rng, first, second)


def reversed_(rng, first, second):
    """Always for what the others do not prefer."""
    return chance(first, second) < 0.5


def left(rng, first, second):
    """Always the first."""
    return True


KINDS = {
    "as the others": as_others,
    "at random": at_random,
    "0.65 for the weakest arm, whatever the others say": moderate,
    "a firm taste: always for a middling arm": own_taste,
    "planted: always for the weakest arm": planted,
    "planted in four of five cases": planted_mostly,
    "always for what the others do not prefer": reversed_,
    "always the first side": left,
}


def run(kind, seed):
    """After how many answers of its own the voter is held, and how many others are."""
    rng, tested = np.random.default_rng((seed, 3)), Suspects()
    own, others, vote = 0, 0, 0
    while own < OWN:
        first = int(rng.integers(K))
        second = (first + int(rng.integers(1, K))) % K
        is_own = vote >= BEFORE and rng.random() < SHARE
        voter = "one" if is_own else f"v{rng.integers(CROWD)}"
        answer = (KINDS[kind] if is_own else as_others)(rng, first, second)
        own += is_own
        vote += 1
        found = tested.hear(voter, str(first), str(second), float(answer))
        if found is not None and found.voter == "one":
            return own, others
        others += found is not None
    return None, others


def row(kind, runs):
    """What came of a kind of voter."""
    found = [run(kind, seed) for seed in range(runs)]
    held = [own for own, _ in found if own is not None]
    return {
        "voter": kind,
        "held": f"{len(held)} of {runs}",
        "after, in the median": int(np.median(held)) if held else "never",
        "honest voters held beside": f"{sum(others for _, others in found)} of {CROWD * runs:,}",
    }


def main():
    """Run, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--json", action="store_true", help="print rows instead of a table")
    given = parser.parse_args()
    rows = [row(kind, given.runs) for kind in KINDS]
    if given.json:
        print(json.dumps(rows, indent=1))
        return
    for line in (rows[0].keys(), ["---"] * len(rows[0]), *(one.values() for one in rows)):
        print(f"| {' | '.join(map(str, line))} |")


if __name__ == "__main__":
    main()
