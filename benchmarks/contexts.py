"""The league of contexts: features that stay or drift, and groups of voters.

    python benchmarks/contexts.py [--runs 20] [--rounds 10000] [--part features|groups] [--json]

Features: K = 20 arms with d = 16 features, new ones in every round; regret of a round to its best
arm, in percent of what random pairs have, with a 95% interval over runs. Groups: K = 8 arms, five
groups of which one likes another arm and one is tiny; regret of a pair shown in thousandths.
"""

import argparse
import json
import math
import sys
import time

import numpy as np

import sparring
from sparring.contexts import FeaturesEntrant, Grouped

K, D = 20, 16
FEATURES = {
    "still": {},
    "switch 4 times": {"segments": 5},
    "walk": {"segments": 2, "walk": True},
}
RULES = ("colstim", "max_pair", "max_informative", "thompson")
ARMS, MARGIN = 8, 0.2
VOTES = {"a": 0.4, "b": 0.3, "c": 0.2, "odd": 0.08, "tiny": 0.02}
LIKES = {"a": 0, "b": 0, "c": 0, "odd": 5, "tiny": 0}


def interval(values):
    """The mean and half of a 95% interval, normal, over runs."""
    return float(values.mean()), float(1.96 * values.std(ddof=1) / math.sqrt(len(values)))


def features(runs, rounds, tell):
    """Percent of RAND's regret, by world and learner."""
    found = {}
    for name, options in FEATURES.items():
        world = sparring.worlds.LinearUtilities(K, rounds, D, **options)
        entrants = {"rand": "rand", "tracker, without features": "tracker"}
        for rule in RULES:
            entrants[f"{rule}, forgets nothing"] = FeaturesEntrant(world, rule, math.inf)
            entrants[f"{rule}, told nothing"] = FeaturesEntrant(world, rule)
        regret = sparring.Regret("preference", "round")
        table = sparring.simulate(world, entrants, regret, runs=runs)
        of = {label: table.filter(entrant=label)["value"].to_numpy() for label in entrants}
        shares = {label: interval(100 * of[label] / of["rand"]) for label in list(of)[1:]}
        found[name] = shares
        tell(f"features, {name}")
    return found


def preferences(best):
    """One arm beats the others, which are in order."""
    u = -0.05 * np.arange(ARMS)
    P = 0.5 + (u[:, None] - u[None, :]) / 2
    P[best], P[:, best] = 0.5 + MARGIN, 0.5 - MARGIN
    np.fill_diagonal(P, 0.5)
    return P


class Alone:
    """A learner for each group, or one for all of them."""

    def __init__(self, pooled, seed):
        self.pooled, self.seed, self.learners = pooled, seed, {}

    def ask(self, group):
        """A pair of the group's learner."""
        key = "" if self.pooled else group
        if key not in self.learners:
            seed = [self.seed, len(self.learners)]
            self.learners[key] = sparring.tracker(
                ARMS, differ=True, seed=np.random.default_rng(seed)
            )
        self.asked = self.learners[key]
        return self.asked.ask()

    def tell(self, duel, outcome):
        """Teach the one that asked."""
        self.asked.tell(duel, outcome)


def groups(runs, rounds, tell):
    """Regret of a pair in thousandths, by learner and group."""
    makers = {
        "one for all": lambda seed: Alone(True, seed),
        "one for each": lambda seed: Alone(False, seed),
        "Grouped": lambda seed: Grouped(ARMS, seed=seed, differ=True),
    }
    tastes = {group: preferences(best) for group, best in LIKES.items()}
    names, shares = list(VOTES), np.cumsum(list(VOTES.values()))
    found = {}
    for label, make in makers.items():
        rows = []
        for run in range(runs):
            rng, learner = np.random.default_rng(run), make(run)
            lost, shown = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0)
            for _ in range(rounds):
                group = names[min(int(np.searchsorted(shares, rng.random())), len(names) - 1)]
                P, best = tastes[group], LIKES[group]
                pair = learner.ask(group)
                learner.tell(pair, float(rng.random() < P[pair.row, pair.col]))
                lost[group] += (P[best, pair.row] + P[best, pair.col] - 1) / 2
                shown[group] += 1
            rows.append([1000 * lost[name] / max(shown[name], 1) for name in names])
        values = np.array(rows)
        found[label] = {name: interval(values[:, n]) for n, name in enumerate(names)}
        tell(f"groups, {label}")
    return found


def seconds():
    """Microseconds of processor time a round, without drawing features, by rule."""
    world = sparring.worlds.LinearUtilities(K, 5_000, D)
    found = {}
    for rule in RULES:
        for memory, label in ((math.inf, "forgets nothing"), (None, "told nothing")):
            player = FeaturesEntrant(world, rule, memory)(
                sparring.Problem(K, 5_000), np.random.default_rng(1)
            )
            block = next(world.blocks(np.random.default_rng(1)))
            rounds = int(block.hold.sum())
            coins = np.random.default_rng(2).random(rounds)
            player.play(block, coins)  # compiles
            player.t, begun = 0, time.process_time()
            player.play(block, coins)
            played = time.process_time()
            world.features(0, rounds)
            drawn = time.process_time() - played
            found[f"{rule}, {label}"] = 1e6 * (played - begun - drawn) / rounds
    return found


def printed(title, columns, rows):
    """A table as Markdown writes it."""
    print(f"| {title} | {' | '.join(columns)} |")
    print("| --- " * (len(columns) + 1) + "|")
    for label, cells in rows.items():
        shown = [f"{mean:.1f} ± {half:.1f}" for mean, half in cells]
        print(f"| {label} | {' | '.join(shown)} |")
    print()


def main():
    """Measure, and print a table for each part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--part", choices=["features", "groups"])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    parts = [options.part] if options.part else ["features", "groups"]
    begun, done, steps = time.monotonic(), 0, 3 * len(parts)

    def tell(what):
        nonlocal done
        done += 1
        left = (time.monotonic() - begun) / done * (steps - done)
        print(f"{what} done; about {left:.0f} s left", file=sys.stderr)

    work = {"features": features, "groups": groups}
    found = {part: work[part](options.runs, options.rounds, tell) for part in parts}
    if "features" in found:
        found["microseconds a round"] = seconds()
    if options.json:
        print(json.dumps(found))
        return
    if "features" in found:
        worlds = found["features"]
        labels = list(next(iter(worlds.values())))
        rows = {label: [worlds[world][label] for world in worlds] for label in labels}
        printed("% of random pairs", list(worlds), rows)
        took = found["microseconds a round"].items()
        print("microseconds a round:", ", ".join(f"{label} {us:.1f}" for label, us in took))
        print()
    if "groups" in found:
        rows = {label: list(by.values()) for label, by in found["groups"].items()}
        printed("thousandths a pair", [f"{name}, {VOTES[name]:.0%}" for name in VOTES], rows)


if __name__ == "__main__":
    main()
