"""Regret of tracker beside others, in % of RAND's: halves of the league, real data, many arms."""

import math
import statistics
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import sparring
from constants import CHOSEN_ON
from sparring.formats import Estimate
from sparring.lab.league.contenders import BY_LABEL, contenders
from sparring.lab.league.fixtures import Fixture
from sparring.lab.league.suite import Size, given, suite
from sparring.lab.measures import around, ratio

HALVES = {  # of the league's worlds: the constants of tracker were chosen on the first
    "chosen on": CHOSEN_ON,
    "judged on": (
        *("fresh-2", "fresh-50", "rotating-2", "rotating-50"),
        *("storm", "switching", "drift", "hard-paper"),
    ),
}
DATA = (
    ("football, 8 years", "international_football/pref_yearly.csv", "p_bt_h8"),
    ("football, 4 years", "international_football/pref_yearly.csv", "p_bt_h4"),
    ("NFL", "nfl/pref_season.csv", "p_bt"),
    ("NFL, with cycles", "nfl/pref_season.csv", "p_shrunk"),
    ("Swedish polls", "swedish_polls/monthly_support.csv", "M,L,C,KD,S,V,MP,SD"),
    ("sushi", "matrices/sushi16.csv", None),
    ("MSLR", "matrices/mslr_informational_16.csv", None),
)
RIVALS = {  # as tables call them, by their labels in the league
    "tracker": "tracker",
    "steady": "Steady SYM-EXP3.S",
    "D-TS": "D-TS",
    "D-TS discount, told S": "D-TS, discount",
    "D-TS window, told S": "D-TS, window",
    "SYM-EXP3.S, told S": "SYM-EXP3.S",
}
LEAST = 1.0  # %: less counts as this in a geometric mean
LUCK = "benchmark of tracker"  # part of every seed


def worlds(names, K, T):
    """Worlds of the league by name, of so many arms and rounds."""
    found = suite(Size(T, 1))
    for name in names:
        world = found[name].world
        least = {"S": min(world.S, K)} if name == "newcomers" else {}
        yield replace(found[name], world=replace(world, K=K, **least))


def regrets(world, entrants, regret, runs):
    """By entrant, the regret of each run."""
    table = sparring.simulate(world, entrants, regret, runs=runs, experiment=LUCK)
    return {name: values(table, name, regret) for name in entrants}


def values(table, entrant, regret):
    """(runs,): the last column of a table of `simulate`, for an entrant and a regret."""
    mine = (table["entrant"] == entrant) & (table["regret"] == str(regret))
    return table.filter(mine).sort("run")["value"].to_numpy()


def percent(mine, rand):
    """What part of RAND's regret mine is, in %, with a 95% interval where both are positive."""
    found = ratio(mine, rand)
    if math.isnan(found.value):
        return Estimate(100 * float(mine.mean() / rand.mean()), math.nan, math.nan)
    return Estimate(*(100 * x for x in found))


def played(fixture, names, runs, regret=None):
    """By name, the regrets of RAND and of those that can play there, run by run."""
    can, told = contenders(fixture), fixture.told
    field = {name: can[RIVALS[name]] for name in names if RIVALS[name] in can}
    entrants = {
        name: lambda _, rng, entrant=entrant: entrant(told, rng)
        for name, entrant in {"RAND": BY_LABEL["RAND"].entrant, **field}.items()
    }
    return regrets(fixture.world, entrants, regret or fixture.regret, runs)


def compared(fixture, names, runs, regret=None):
    """By name, the percentage of those that can play there."""
    found = played(fixture, names, runs, regret)
    rand = found.pop("RAND")
    return {name: percent(mine, rand) for name, mine in found.items()}


def geometric(values):
    """The geometric mean, each at least 1%."""
    return statistics.geometric_mean(max(value, LEAST) for value in values)


def beside_the_best(label, found):
    """A row with all regrets, and tracker's over the least of D-TS and of those told S."""
    told = {name: it.value for name, it in found.items() if name not in ("tracker", "steady")}
    best = min(told, key=told.get)
    mine, other = found["tracker"].value, told[best]
    over = mine / other if mine > 0 and other > 0 else None
    cells = {name: found.get(name) for name in RIVALS}
    return {"world": label, **cells, "best of the last four": best, "tracker / best": over}


def means(where, T, runs, found):
    """A row of geometric means; none of a learner that cannot play everywhere."""
    row = {"worlds": where, "T": T, "runs": runs}
    for name in RIVALS:
        values = [one[name].value for one in found if name in one]
        row[name] = geometric(values) if len(values) == len(found) else None
    return row


def halves(T=(2000, 20_000, 200_000), K=10, runs=5):
    """Geometric means of both halves of the league, and each world at the last T."""
    rows, last = [], []
    for rounds in T:
        for half, names in HALVES.items():
            found = {
                fixture.name: compared(fixture, RIVALS, runs)
                for fixture in worlds(names, K, rounds)
            }
            rows.append(means(half, rounds, runs, list(found.values())))
            if rounds == T[-1]:
                last += [{"half": half, **beside_the_best(*one)} for one in found.items()]
    return {
        "geometric means over worlds, % of RAND's regret": rows,
        f"each world at T = {T[-1]:,}, % of RAND's regret, {runs} runs": last,
    }


def data(folder, T=(2000, 20_000, 200_000), runs=10):
    """Geometric means over real data, and each at the last T."""
    rows, last = [], []
    for rounds in T:
        found = {}
        for name, file, columns in DATA:
            world = sparring.worlds.world_from_csv(Path(folder) / file, rounds, columns=columns)
            regret = sparring.Regret("preference", "round")
            found[name, world.K] = compared(given(name, world), RIVALS, runs, regret)
        rows.append(means("all seven", rounds, runs, list(found.values())))
        if rounds == T[-1]:
            last += [beside_the_best(f"{name}, K = {K}", one) for (name, K), one in found.items()]
    return {
        "geometric means over data, % of RAND's regret": rows,
        f"each at T = {T[-1]:,}, % of RAND's regret, {runs} runs": last,
    }


def arms(K=(3, 5, 10, 20, 50, 100), T=20_000, runs=5):
    """Regret by the number of arms, and what a round costs."""
    names = ("tracker", "steady", "D-TS", "SYM-EXP3.S, told S")
    rows, cycles, costs = [], [], []
    for number in K:
        for fixture in worlds(("stationary", "fresh-10", "newcomers"), number, T):
            found = compared(fixture, names, runs)
            cells = {name: found.get(name) for name in names}
            rows.append({"K": number, "world": fixture.name, **cells})
        cycles.append({"K": number, **in_circles(number, T, names, runs)})
        costs.append({"K": number, **cost(number, T, names)})
    return {
        f"% of RAND's regret at T = {T:,}, {runs} runs": rows,
        f"a cycle at T = {T:,}, regret in 1,000 rounds, {runs} runs": cycles,
        "microseconds of processor time a round in `play`, and memory": costs,
    }


def in_circles(K, T, names, runs):
    """Regret on a cycle: not in % of RAND's, which is by luck all but the best if K is odd."""
    cycle = Fixture("cycle", "Cycle", sparring.Cyclic(K, T, gap=0.4), "horizon", False)
    found = played(cycle, names, runs)
    means = {name: 1000 * values / T for name, values in found.items()}
    return {name: around(float(mean.mean()), [mean]) for name, mean in means.items()}


def cost(K, T, names, turns=3):
    """Microseconds a round on fresh winners, the median of the turns, and tracker's megabytes."""
    (fixture,) = worlds(["fresh-10"], K, T)
    world, can = fixture.world, contenders(fixture)
    block = next(world.blocks(np.random.default_rng(0)))
    coins = np.random.default_rng(1).random(int(block.hold.sum()))
    row = {}
    for name in names:
        spent = []
        for _ in range(turns if RIVALS[name] in can else 0):
            learner = can[RIVALS[name]](fixture.told, np.random.default_rng(2))
            begun = time.thread_time()
            learner.play(block, coins)
            spent.append((time.thread_time() - begun) / len(coins) * 1e6)
        row[name] = statistics.median(spent) if spent else None
    # No public name tells it, and a snapshot is text.
    row["MB of tracker"] = sum(part.nbytes for part in sparring.tracker(K)._memory) / 1e6
    return row
