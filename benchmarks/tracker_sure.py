"""Whether tracker knows how sure it may be: its confidence against how often it is right."""

import math
from itertools import pairwise

import numpy as np

import sparring
from sparring.formats import Estimate
from sparring.lab.draw.axes import name as write_names
from sparring.lab.draw.panels import empty, fitted
from sparring.lab.draw.saving import save
from sparring.lab.draw.settings import MUTED, SHADE, settings
from sparring.lab.draw.styles import COLOURS, DASHES, MARKERS
from sparring.lab.league.few import CASES, CHECKPOINTS, KINDS, few
from sparring.lab.league.suite import Size, suite
from sparring.simulation.observers import FAVOURITE
from tracker_regret import LUCK
from tracker_service import Inside

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.0)
AGES = (0, 3, 10, 30, 100, 300, 1000, math.inf)  # rounds for each arm
LEAGUE, HARD = "league", "league, hard"  # hard: whose winners hardly differ from the others
LOOKS = 20  # at each run of the league
GOLDEN = (math.sqrt(5) - 1) / 2
DRAWN = 50  # pairs in a bin that is drawn


class Sure(Inside):
    """Notes its confidence whenever it is asked for its favourite."""

    def __init__(self, learner, notes):
        super().__init__(learner)
        self.notes, self.latest = notes, None

    @property
    def favourite(self):
        """The other one's favourite."""
        if self.learner.t != self.latest:  # whoever looks whether it has one asks twice
            self.notes.append(self.learner.confidence)
            self.latest = self.learner.t
        return self.learner.favourite

    def play(self, block, coins):
        """Let the other one play."""
        return self.learner.play(block, coins)


def looked(world, runs, checkpoints):
    """Rows of run, round, confidence, and 1 if the favourite is right, else 0."""
    notes, regret = [], sparring.Regret("preference", "condorcet")
    entrant = {"tracker": lambda problem, rng: Sure(sparring.tracker(problem.K, seed=rng), notes)}
    told = {"runs": runs, "checkpoints": checkpoints, "favourites": True, "experiment": LUCK}
    table = sparring.simulate(world, entrant, regret, **told)
    table = table.filter(table["regret"] == FAVOURITE)  # in the order of runs and rounds
    return np.column_stack([table["run"], table["t"], notes, table["value"]])


def pairs(T, runs):
    """By kind of world: rows of run, rounds for each arm since a change, confidence, right."""
    found = {kind: [] for kind in (*KINDS, LEAGUE, HARD)}
    for number, (name, fixture) in enumerate({**few(), **dict(long(T))}.items()):
        kind = CASES[name].kind if fixture.few else HARD if "hard" in name else LEAGUE
        # At even tenths the league's worlds would mostly be seen just before they change.
        places = {math.ceil(T * (i * GOLDEN % 1)) for i in range(1, LOOKS + 1)}
        rows = looked(fixture.world, runs, CHECKPOINTS if fixture.few else places)
        rows[:, 0] += number * runs
        changes = np.array(getattr(fixture.world, "changes", None) or ())
        last = np.searchsorted(changes, rows[:, 1], side="right")
        since = rows[:, 1] - np.append(np.nan, changes)[last]  # of the first none is known
        rows[:, 1] = since / fixture.world.K
        found[kind].append(rows)
    return {kind: np.concatenate(parts) for kind, parts in found.items()}


def long(T):
    """The league's worlds that have a winner."""
    return ((name, one) for name, one in suite(Size(T, 1)).items() if one.winner)


def row(where, rows):
    """Mean confidence, share right and number of pairs; looks at one run are not independent."""
    number, right = len(rows), rows[:, 3]
    if not number:
        return {**where, "mean confidence": None, "share right": None, "pairs": 0}
    share = float(right.mean())
    _, run = np.unique(rows[:, 0], return_inverse=True)
    half = 1.96 * math.sqrt(np.square(np.bincount(run, right - share)).sum()) / number
    share = Estimate(share, max(share - half, 0.0), min(share + half, 1.0))
    sure = float(rows[:, 2].mean())
    return {**where, "mean confidence": sure, "share right": share, "pairs": number}


def binned(found):
    """A row for each kind and bin of confidence."""
    for kind, rows in found.items():
        for low, high in pairwise(EDGES):
            here = (rows[:, 2] >= low) & ((rows[:, 2] < high) | (high == 1.0))
            yield row({"worlds": kind, "confidence": f"{low:g} to {high:g}"}, rows[here])
        yield row({"worlds": kind, "confidence": "all"}, rows)


def aged(found):
    """A row for each age of the last change, where changes are sudden."""
    rows = np.concatenate([found["changes"], found[LEAGUE]])
    for low, high in pairwise(AGES):
        here = (rows[:, 1] >= low) & (rows[:, 1] < high)
        text = f"{low:,} to {high:,}" if high < math.inf else f"{low:,} or more"
        yield row({"rounds for each arm since the change": text}, rows[here])


def sure(T=20_000, runs=20, figure=None):
    """Confidence and whether the favourite is right: by bins, and by the age of the change."""
    found = pairs(T, runs)
    bins = list(binned(found))
    if figure is not None:
        save(drawn(bins, runs), figure.parent, figure.stem, formats=["svg"])
    return {
        f"by confidence; few votes and the league at T = {T:,}, {runs} runs of each world": bins,
        "after a sudden change (few votes that change, and the league, not hard)": list(
            aged(found)
        ),
    }


def drawn(bins, runs):
    """The share of right favourites against the mean confidence, a line for each kind."""
    with settings():
        figure, axes = empty()
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=1, linestyle=":")
        kinds = list(dict.fromkeys(one["worlds"] for one in bins))
        for place, kind in enumerate(kinds):
            mine = [one for one in bins if one["worlds"] == kind and one["confidence"] != "all"]
            mine = [one for one in mine if one["pairs"] >= DRAWN]
            x, y = [one["mean confidence"] for one in mine], [one["share right"] for one in mine]
            low, high = [one.low for one in y], [one.high for one in y]
            axes.fill_between(x, low, high, color=COLOURS[place], alpha=SHADE, linewidth=0)
            look = {"color": COLOURS[place], "marker": MARKERS[place], "label": kind}
            axes.plot(x, [one.value for one in y], linestyle=(0, DASHES[place]), **look)
        axes.set_xlim(0, 1.02)
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("confidence")
        axes.set_ylabel("share of right favourites")
        axes.set_title("How sure tracker is, and how often it is right")
        about = f"means of bins, {runs} runs of each world; bands are 95% intervals"
        axes.text(0, 1.03, about, transform=axes.transAxes, color=MUTED, fontsize="small")
        legend = axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1), borderaxespad=0)
        write_names(legend, *kinds)
        return fitted(figure, axes)
