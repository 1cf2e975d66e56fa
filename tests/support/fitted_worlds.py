"""Walks seen through noise, and what `sparring.votes.world` makes of them.

Run as a program it measures how often the error bars of docs/off-policy.md hold:
python tests/support/fitted_worlds.py --runs 400
"""

import argparse

import numpy as np

from sparring.votes.world import FittedWorld, _matrices, _variation, world_of

DRIFTS = 0.0, 0.02, 0.1, 0.3


def walk(drift: float, seed: int, periods: int = 25, K: int = 5):
    """True strengths, the world that was fitted to what noise left of them, and the true V_T."""
    rng = np.random.default_rng((seed, round(1_000 * drift)))
    theta = np.linspace(1, -1, K) + np.cumsum(drift * rng.standard_normal((periods, K)), axis=0)
    sigma = rng.uniform(0.1, 0.3, theta.shape)
    found: FittedWorld = world_of(theta + sigma * rng.standard_normal(theta.shape), sigma, T=100)
    return theta, found, _variation(_matrices(theta))


def holds(found, truth):
    return found.V_T_low - 1e-9 <= truth <= found.V_T_high + 1e-9


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    runs = parser.parse_args().runs
    print("| drift | true V_T | observed | smoothed | noise removed | bars hold | strengths hold |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for drift in DRIFTS:
        rows = []
        for seed in range(runs):
            theta, found, truth = walk(drift, seed)
            inside = np.abs(theta - found.strengths) < 1.6449 * found.errors
            rows.append(
                (truth, found.observed, found.smooth, found.V_T, holds(found, truth), inside.mean())
            )
        means = " | ".join(f"{mean:.2f}" for mean in np.mean(rows, axis=0))
        print(f"| {drift:g} | {means} |", flush=True)


if __name__ == "__main__":
    main()
