"""Regret and right favourites against m, the number of arms shown, for the same answers.

    python benchmarks/choices.py [--runs 20] [--answers 3000] [--jobs 2] [--json]
    python benchmarks/choices.py --times [--answers 3000]

K = 10 arms. Regret is that of a shown set, the mean over its arms i of P(best, i) - 1/2, less what
the m best arms have, in thousandths an answer; behind it how often the favourite is the best arm,
at 30 looks; both with half of a 95% interval over runs. People choose by strengths (Plackett and
Luce) where utilities switch or walk, and by a pair drawn from the set where one winner beats
unordered others.
With --times it plays nothing of that, and prints the microseconds of processor time that `simulate`
takes for each arm shown, all included. In brackets are those of a learner without `glimpse` and
`teach`, as one of your own may be, which is asked, forgotten, shown duels and told instead. Both
take turns in one run.
"""

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import polars as pl

import sparring
from clock import best_of
from sparring.choices import ShowingEntrant
from tracker import markdown

K, LOOKS = 10, 30
SHOWN = (2, 3, 4, 6, 8)
TURNS = 5  # the fastest counts
WORLDS = {
    "switches": (lambda T: sparring.worlds.UtilitySwitches(K, T, S=3), "plackett-luce"),
    "walk": (lambda T: sparring.UtilityWalk(K, T), "plackett-luce"),
    "fresh, pairs decide": (lambda T: sparring.FreshWinner(K, T, S=3), "pairs"),
}
TRACKER = sparring.Entrant("tracker", differ=True)
STEADY = sparring.Entrant("steady", differ=True)
LEARNERS = {
    "tracker, all pairs": (TRACKER, "winner", "all"),
    "tracker, its pair": (TRACKER, "winner", "pair"),
    "tracker, rankings": (TRACKER, "ranking", "all"),
    "steady, its pair": (STEADY, "winner", "pair"),
    "steady, rankings": (STEADY, "ranking", "pair"),
}


class Best:
    """Who knows P, and shows the m best arms: what no set of m different arms can avoid."""

    def __init__(self, m, K):
        self.m, self.K, self.t, self.p, self.shown = m, K, 0, np.empty((0, K)), []

    def ask(self):
        """Never called: it plays whole blocks."""
        raise TypeError("it plays whole blocks")

    def tell(self, duel, outcome):
        """Learn nothing: it knows."""

    def play(self, block, coins):
        """Each arm of the m best twice in m rounds, as a `ShowingEntrant` shows its own."""
        rows, cols = [], []
        for P, hold in zip(block.P, block.hold.tolist(), strict=True):
            winner = int(sparring.preferences.best_arms(P).argmax())
            arms = np.argsort(P[winner], kind="stable")[: self.m].tolist()
            for _ in range(hold):
                if not self.shown:
                    self.shown = list(zip(arms, arms[1:] + arms[:1], strict=True))
                row, col = self.shown.pop()
                rows.append(row)
                cols.append(col)
        return sparring.Plays(np.array(rows), np.array(cols))


def interval(values):
    """The mean and half of a 95% interval, normal, over runs."""
    return float(values.mean()), float(1.96 * values.std(ddof=1) / np.sqrt(len(values)))


def found(world, m, answers, runs):
    """For each learner: mean regret and the share of right favourites, both with half intervals."""
    make, model = WORLDS[world]
    entrants = {
        name: ShowingEntrant(inside, m, answer=answer, model=model, learn=learn)
        for name, (inside, answer, learn) in LEARNERS.items()
    }
    entrants["best"] = lambda problem, rng: Best(m, problem.K)
    table = sparring.simulate(
        make(answers * m), entrants, "dynamic", runs=runs, favourites=True, checkpoints=LOOKS
    )
    last = table.filter(regret="dynamic", t=answers * m).sort("run")
    floor = last.filter(entrant="best")["value"].to_numpy()
    rows = {}
    for name in LEARNERS:
        excess = last.filter(entrant=name)["value"].to_numpy() - floor
        each = 1000 * excess / (answers * m)
        looks = table.filter((pl.col("regret") == "favourite") & (pl.col("entrant") == name))
        right = looks.group_by("run").agg(pl.col("value").mean())["value"].to_numpy()
        rows[name] = [*interval(each), *interval(100 * right)]
    return rows


class Plain:
    """A learner without `glimpse` and `teach`."""

    def __init__(self, learner):
        self._learner = learner

    def __getattr__(self, name):
        if name in ("glimpse", "teach"):
            raise AttributeError(name)
        return getattr(self._learner, name)


def times(answers):
    """Microseconds of processor time for each arm shown, by learner and m."""
    rows = []
    for name, (inside, answer, learn) in LEARNERS.items():
        row = {"learner": name}
        for m in SHOWN:
            world = sparring.worlds.UtilitySwitches(K, answers * m, S=1)
            makers = {"": inside, "plain": lambda problem, rng, it=inside: Plain(it(problem, rng))}
            calls = {
                way: partial(
                    sparring.simulate,
                    world,
                    {name: ShowingEntrant(maker, m, answer=answer, learn=learn)},
                    "dynamic",
                    runs=1,
                )
                for way, maker in makers.items()
            }
            best = {
                way: 1e6 * taken / (answers * m) for way, taken in best_of(TURNS, calls).items()
            }
            row[f"m = {m}"] = f"{best['']:.0f} ({best['plain']:.0f})"
        rows.append(row)
    return rows


def main():
    """Measure, and print a table for each world."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--answers", type=int, default=3000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--times", action="store_true", help="of an arm shown, and nothing else")
    options = parser.parse_args()
    if options.times:
        print(markdown(times(options.answers)))
        return
    begun, cases = time.monotonic(), [(world, m) for world in WORLDS for m in SHOWN]
    measured = {world: {} for world in WORLDS}
    with ProcessPoolExecutor(options.jobs) as pool:
        jobs = {case: pool.submit(found, *case, options.answers, options.runs) for case in cases}
        for done, (world, m) in enumerate(cases, 1):
            measured[world][m] = jobs[world, m].result()
            left = (time.monotonic() - begun) / done * (len(cases) - done)
            print(f"{world}, m = {m}; about {left:.0f} s left", file=sys.stderr)
    if options.json:
        print(json.dumps(measured))
        return
    for world, by_m in measured.items():
        print(f"| {world} | {' | '.join(f'm = {m}' for m in by_m)} |")
        print("| --- " * (len(by_m) + 1) + "|")
        for name in LEARNERS:
            cells = [by_m[m][name] for m in by_m]
            shown = ["{:.0f} ± {:.0f}, {:.0f} ± {:.0f}%".format(*cell) for cell in cells]
            print(f"| {name} | {' | '.join(shown)} |")
        print()


if __name__ == "__main__":
    main()
