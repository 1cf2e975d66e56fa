"""How often standings are right: intervals, rank sets and leaders, where strengths are known.

python benchmarks/standings.py [--runs 400] [--markdown]

Strengths of K arms (standard deviation 0.6 at first) stay, walk at random by 0.01 a vote, are
permuted once between a quarter and three quarters of the votes, or move in straight lines by 1 in
all; pairs are drawn evenly. After the last vote: the share of the 95% intervals that hold the true
strength, of runs in which all rank sets hold the true ranks, of runs whose leader is the best, and
how probable they said that is. Errors are two standard errors over runs. An interval that is right
in 95% passes "between 92 and 98" in all but one of 1,000 such studies of 400 runs.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import drifting_votes
from sparring.votes import standings

SIZES = ((3_000, 8), (10_000, 20))
HEAD = ("strengths", "votes", "arms", "intervals", "rank sets", "leader right", "said to be")


def judged(kind, n, K, run):
    """Of one run: the share of intervals that hold, whether rank sets do, the leader."""
    rng = np.random.default_rng([run, n, K])
    strengths = drifting_votes.path(kind, n, K, rng)
    votes = drifting_votes.votes(strengths, rng)
    truth = strengths[-1] - strengths[-1].mean()
    found = standings(votes)
    rank = dict(zip(votes.names, ((-truth).argsort().argsort() + 1).tolist(), strict=True))
    value = dict(zip(votes.names, truth.tolist(), strict=True))
    return (
        np.mean([place.low <= value[place.name] <= place.high for place in found.places]),
        all(place.ranks[0] <= rank[place.name] <= place.ranks[1] for place in found.places),
        rank[found.leader] == 1,
        found.leads,
    )


def row(kind, n, K, runs):
    """One line of the table."""
    with ProcessPoolExecutor() as workers:
        found = np.array(list(workers.map(partial(judged, kind, n, K), range(runs), chunksize=10)))
    mean, error = found.mean(0), 2 * found.std(0, ddof=1) / runs**0.5
    shown = [f"{100 * m:.1f} ± {100 * e:.1f}" for m, e in zip(mean, error, strict=True)]
    return [kind, f"{n:,}", str(K), *shown]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    print(line(HEAD, options.markdown))
    if options.markdown:
        print(line(["---"] * len(HEAD), options.markdown))
    for kind in drifting_votes.KINDS:
        for n, K in SIZES:
            print(line(row(kind, n, K, options.runs), options.markdown), flush=True)


def line(cells, markdown):
    """A line of the table."""
    if markdown:
        return f"| {' | '.join(cells)} |"
    return "".join(f"{cell:<14}" for cell in cells).rstrip()


if __name__ == "__main__":
    main()
