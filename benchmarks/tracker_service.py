"""What a service meets: answers that come late, two different arms, a change after a long calm."""

import math
import statistics

import numpy as np

import sparring
from sparring import preferences
from sparring.lab.league.contenders import contenders
from sparring.lab.league.few import CASES, KINDS, few
from sparring.lab.measures import around
from sparring.simulation.observers import FAVOURITE
from tracker_regret import LUCK, percent, regrets, values, worlds

STEP, HELD = 10, 10  # rounds between looks at the favourite; looks at which it must be the same
PATIENCE = 300_000  # rounds in which a newcomer must have become the favourite
OLDEST = {"10 K": 10, "100 K": 100, "1,000 K": 1000, "10,000 K (default)": None, "inf": math.inf}


class Inside:
    """A learner with another one in it, which does all it is asked."""

    def __init__(self, learner):
        self.learner, self.K = learner, learner.K

    @property
    def p(self):
        """What the other one draws from."""
        return self.learner.p

    def ask(self):
        """The other one's pair."""
        return self.learner.ask()

    def tell(self, duel, outcome):
        """Hand on the answer."""
        self.learner.tell(duel, outcome)


class Counted(Inside):
    """Counts the rounds whose row arm is the best, and those in which an arm meets itself."""

    def __init__(self, learner, notes):
        super().__init__(learner)
        self.note = {"right": 0, "alone": 0}
        notes.append(self.note)

    def play(self, block, coins):
        """Play a block, and count."""
        plays = self.learner.play(block, coins)
        matrix = np.repeat(np.arange(len(block.P)), block.hold)
        self.note["right"] += int(preferences.best_arms(block.P)[matrix, plays.rows].sum())
        self.note["alone"] += int((plays.rows == plays.cols).sum())
        return plays


def late(T=20_000, K=10, runs=5, delays=(0, 100, 1000)):
    """Regret with answers that come late: a row for each world and learner."""
    rows = []
    for fixture in worlds(("stationary", "fresh-10", "rotating-10", "newcomers", "walk"), K, T):
        entrants = {"RAND": "rand", "tracker": "tracker", "steady": "steady"}
        found = {
            delay: regrets(
                sparring.worlds.Late(fixture.world, delay, law="fixed"),
                entrants,
                fixture.regret,
                runs,
            )
            for delay in delays
        }
        for name in ("tracker", "steady"):
            cells = {
                f"{delay:,} late": percent(here[name], here["RAND"])
                for delay, here in found.items()
            }
            rows.append({"world": fixture.name, "learner": name, **cells})
    return {f"% of RAND's regret at T = {T:,}, K = {K}, {runs} runs": rows}


def differ(T=20_000, K=10, runs=20):
    """What two different arms in every round change."""
    rows, weak = [], sparring.Regret("preference", "condorcet", "weak")
    for fixture in worlds(("stationary", "fresh-10", "rotating-10", "newcomers"), K, T):
        both, notes = fixture.regret, {True: [], False: []}
        names = {False: "tracker(K)", True: "tracker(K, differ=True)"}
        entrants = {"RAND": "rand"}
        for apart, name in names.items():
            entrants[name] = lambda problem, rng, apart=apart, notes=notes: Counted(
                sparring.tracker(problem.K, differ=apart, seed=rng), notes[apart]
            )
        table = sparring.simulate(fixture.world, entrants, [both, weak], runs=runs, experiment=LUCK)
        for apart, name in names.items():
            regret, alone = values(table, name, both), column(notes[apart], "alone")
            right = 100 * column(notes[apart], "right") / T
            rows.append(
                {
                    "world": fixture.name,
                    "learner": name,
                    "row is the winner, %": mean(right),
                    "meets itself, %": float(100 * alone.mean() / T),
                    "regret, % of RAND's": percent(regret, values(table, "RAND", both)),
                    "weak regret, % of RAND's": percent(
                        values(table, name, weak), values(table, "RAND", weak)
                    ),
                    "regret a visible pair": mean(regret / (T - alone)),
                }
            )
    many = 5 * runs
    title = f"few votes, right favourites in the end, % of {many} runs on each of 54 worlds"
    return {f"T = {T:,}, K = {K}, {runs} runs": rows, title: named(many)}


def named(runs):
    """How often the winner is named in the end where votes are few, by what it does."""
    names = ("tracker(K)", "tracker(K, differ=True)", "SYM-EXP3.S, told S")
    right = {name: {kind: [] for kind in KINDS} for name in names}
    regrets = {name: [] for name in ("RAND", *names)}
    for name, fixture in few().items():
        told = contenders(fixture)["SYM-EXP3.S"]  # T only, where it has no tuning for S
        alike = sparring.Entrant("tracker"), sparring.Entrant("tracker", differ=True), told
        entrants = {"RAND": "rand", **dict(zip(names, alike, strict=True))}
        table = sparring.simulate(
            fixture.world, entrants, fixture.regret, runs=runs, favourites=True, experiment=LUCK
        )
        for label in names:
            right[label][CASES[name].kind].append(100 * values(table, label, FAVOURITE))
        for label, found in regrets.items():
            found.append(values(table, label, fixture.regret).mean())
    chance = np.array(regrets["RAND"])
    return [
        {
            "learner": name,
            "all": mean(np.mean([runs for kind in kinds.values() for runs in kind], axis=0)),
            **{kind: float(np.mean(runs)) for kind, runs in kinds.items()},
            "regret, % of RAND's": 100 * statistics.geometric_mean(regrets[name] / chance),
        }
        for name, kinds in right.items()
    ]


def column(notes, name):
    """(runs,): a count, run by run."""
    return np.array([note[name] for note in notes], float)


def mean(numbers):
    """A mean with its interval."""
    return around(float(numbers.mean()), [numbers])


def oldest(T=1_000_000, K=10, runs=10):
    """One winner stays for T rounds, then another arm rises: a row for each `oldest`."""
    calm = {name: [] for name in OLDEST}
    waited = {name: [] for name in OLDEST}
    for child in np.random.SeedSequence(1).spawn(runs):
        rng = np.random.default_rng(child)
        before, after = next(sparring.Newcomer(K, T=2, S=2).blocks(rng)).P
        coins, later = rng.random(T), rng.random(PATIENCE)
        for name, factor in OLDEST.items():
            age = factor * K if factor is not None and factor < math.inf else factor
            learner = sparring.tracker(K, oldest=age, seed=rng.spawn(1)[0])
            learner.play(block(before, T - T // 10), coins[: T - T // 10])
            plays = learner.play(block(before, T // 10), coins[T - T // 10 :])
            gap = before[preferences.condorcet_winner(before)] - 0.5
            calm[name].append(float((gap[plays.rows] + gap[plays.cols]).mean() / 2))
            waited[name].append(wait(learner, after, later))
    rows = [
        {
            "oldest": name,
            "regret in 1,000 rounds at the end of the calm": mean(1000 * np.array(calm[name])),
            "rounds until the newcomer is the favourite, median": float(np.median(waited[name])),
            "mean": mean(np.array(waited[name])),
            "most": max(waited[name]),
        }
        for name in OLDEST
    ]
    return {f"after {T:,} calm rounds, K = {K}, margin 0.2, {runs} runs": rows}


def block(P, rounds):
    """A matrix that lasts so many rounds."""
    return sparring.Block(P[None], np.array([rounds]))


def wait(learner, P, coins):
    """Rounds until the favourite is the winner of P, and stays it; all there are if it never is."""
    winner, held = preferences.condorcet_winner(P), 0
    for start in range(0, len(coins), STEP):
        learner.play(block(P, STEP), coins[start : start + STEP])
        held = held + 1 if learner.favourite == winner else 0
        if held == HELD:
            return start - (HELD - 2) * STEP
    return len(coins)
