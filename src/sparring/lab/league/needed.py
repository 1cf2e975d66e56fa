"""How many votes until a learner's favourite is right nine times out of ten.

This is measured from a new start, and after a change of the winner that follows a calm. At
checkpoints on a geometric grid, the share of runs in which the favourite is the best arm is noted.
"""

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sparring import checks, streams
from sparring.formats import Estimate
from sparring.lab.experiments import entrant as lab_entrant
from sparring.lab.league.contenders import BY_LABEL
from sparring.lab.measures import LEVEL, Values
from sparring.regret import Regret
from sparring.simulation import Entrant
from sparring.simulation.match import COLUMNS, Match, Row, Run
from sparring.simulation.observers import FAVOURITE
from sparring.simulation.progress import progress_bar
from sparring.simulation.simulate import match_of
from sparring.simulation.workers import completed
from sparring.worlds import FreshWinner, Storm

ARMS = (3, 5, 10, 20, 50)
MARGINS = (0.05, 0.1, 0.2, 0.3)
CALM = 10_000  # duels before a change
RIGHT = 0.9  # of the runs
RUNS = 200
FIRST, RATIO = 5, 1.2  # of the grid of checkpoints
PATIENCE = 4.0  # times K / margin^2 votes are waited for: most learners need about 1 at the start
DRAWS = 1000  # of runs, for an interval
LUCK = "votes"
LESS = "Fewer runs, fewer arms or wider margins take less"


class Case(NamedTuple):
    """A number of arms, a margin, and how many duels were calm before the winner changed."""

    K: int
    margin: float
    """By how much the winner's chance exceeds 1/2."""
    calm: int
    """0 for a new start."""

    @property
    def most(self) -> int:
        """How many votes are waited for: 4 K / margin^2, and after a change twice the calm."""
        return max(math.ceil(PATIENCE * self.K / self.margin**2), 2 * self.calm, 2 * FIRST)

    @property
    def grid(self) -> tuple[int, ...]:
        """After how many votes to look: each number is about 1.2 times the one before."""
        steps = math.ceil(math.log(self.most / FIRST) / math.log(RATIO))
        points = {round(FIRST * (self.most / FIRST) ** (i / steps)) for i in range(steps + 1)}
        return tuple(sorted(points))

    @property
    def world(self) -> Any:
        """Where it is played: the round behind the last vote is the last one."""
        T = self.calm + self.most + 1
        if not self.calm:
            return FreshWinner(self.K, T, S=1, margin=self.margin)
        return Storm(self.K, T, S=2, calm=self.calm / T, margin=self.margin)


@dataclass(frozen=True)
class Needed:
    """How many votes a learner needs in one case."""

    K: int
    margin: float
    calm: int
    runs: int
    votes: Estimate
    """Infinite if they are more than were waited for; the interval is of the bootstrap."""
    grid: tuple[int, ...]
    """After how many votes it was looked."""
    shares: tuple[float, ...]
    """In which share of the runs the favourite was right then."""

    def to_json(self) -> dict[str, Any]:
        """The numbers as a dictionary for `json.dumps`; infinity is None."""
        ends = [None if math.isinf(number) else number for number in self.votes]
        return {**vars(self), "votes": ends, "grid": list(self.grid), "shares": list(self.shares)}


def entrant_of(name: str) -> Entrant:
    """A learner by the league's label, by its name, or "module:function" for your own.

    Examples
    --------
    >>> entrant_of("D-TS, window"), entrant_of("tracker")
    (Entrant('double_thompson', forget='window'), Entrant('tracker'))
    """
    return BY_LABEL[name].entrant if name in BY_LABEL else lab_entrant(name)


def cases(arms: Sequence[int], margins: Sequence[float], calm: int) -> list[Case]:
    """Every number of arms with every margin, from a new start and after a change.

    Examples
    --------
    >>> [tuple(case) for case in cases([3], [0.1], 500)]
    [(3, 0.1, 0), (3, 0.1, 500)]
    """
    calm = checks.whole("calm", calm, low=1, high=10**9)
    arms = [checks.whole("arms", K, low=2, high=10**4) for K in arms]
    margins = [checks.real("margins", margin, low=0.001, high=0.5) for margin in margins]
    found = [Case(K, margin, when) for when in (0, calm) for margin in margins for K in arms]
    if len(set(found)) < len(found) or not found:
        raise checks.refuse("arms and margins", "one or more, all different", (arms, margins))
    return found


def votes_needed(
    learner: str,
    *,
    arms: Sequence[int] = ARMS,
    margins: Sequence[float] = MARGINS,
    calm: int = CALM,
    runs: int = RUNS,
    seed: int = 0,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> list[Needed]:
    """The least number of votes after which the favourite is right in nine of ten runs.

    That is where the non-decreasing curve that fits the shares best, over the logarithm of the
    votes, passes 90%, with a straight line between the two checkpoints. The winner beats all
    others with 1/2 + margin, as in `FreshWinner`. A learner that takes T and S is told them: T is
    the last round, and S is 1, or 2 if the winner changes.

    Parameters
    ----------
    learner
        As in `entrant_of`.
    arms, margins
        Every number of arms with every margin, from a new start and after a change.
    calm
        How many duels come before the change.
    runs
        How many runs of each case.
    seed
        The same seed gives the same numbers.
    executor
        As in `simulate`.
    progress
        As in `simulate`.

    Examples
    --------
    >>> start, change = votes_needed("tracker", arms=[3], margins=[0.3], calm=100, runs=20)
    >>> start.votes.value < change.votes.value
    True
    """
    entrant, runs = entrant_of(learner), checks.whole("runs", runs, low=1, high=10**5)
    planned = cases(arms, margins, calm)
    matches = [_match(case, learner, entrant, seed) for case in planned]
    tasks = [Run(match, run) for match in matches for run in range(runs)]
    order = sorted(range(len(tasks)), key=lambda place: -tasks[place].work)
    work = sum(task.work for task in tasks)
    with progress_bar(work, f"{len(tasks):,} runs", shown=progress, less=LESS) as tick:
        done = dict(completed([tasks[place] for place in order], executor, tick))
    right = {order[number]: _right(rows) for number, rows in done.items()}
    return [
        _needed(case, np.array([right[place * runs + run] for run in range(runs)]), learner, seed)
        for place, case in enumerate(planned)
    ]


def _right(rows: Sequence[Row]) -> list[float]:
    """Whether the favourite was right, checkpoint by checkpoint."""
    regret, value = COLUMNS.index("regret"), COLUMNS.index("value")
    return [row[value] for row in rows if row[regret] == FAVOURITE]


def _match(case: Case, learner: str, entrant: Entrant, seed: int) -> Match:
    return match_of(
        case.world,
        {learner: entrant},
        Regret("preference", "condorcet"),
        seed=seed,
        # Favourites are asked for as a round begins: behind n votes, the next one.
        checkpoints=[case.calm + votes + 1 for votes in case.grid],
        favourites=True,
        experiment=LUCK,
    )


def _needed(case: Case, right: Values, learner: str, seed: int) -> Needed:
    """From right (runs, checkpoints): 1 where the favourite was right."""
    if np.isnan(right).any():
        remedy = "Give it a property favourite, the arm it thinks best"
        raise checks.refuse("learner", "one that tells its favourite", learner, remedy)
    runs, T = len(right), case.world.T
    rng = streams.keyed(seed, "bootstrap", experiment=LUCK, label=learner, K=case.K, T=T, run=0)
    again = right[rng.integers(runs, size=(DRAWS, runs))].mean(axis=1)
    drawn = [passed(case.grid, shares) for shares in again]
    ends = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    low, high = np.quantile(drawn, ends, method="inverted_cdf").tolist()
    shares = right.mean(axis=0)
    votes = Estimate(passed(case.grid, shares), low, high)
    return Needed(*case, runs, votes, case.grid, tuple(shares.tolist()))


def passed(grid: Sequence[int], shares: Values, level: float = RIGHT) -> float:
    """Where the non-decreasing curve that fits the shares best passes a level; infinite if nowhere.

    It is at or above the level from the checkpoint where the sum of share - level over all earlier
    checkpoints is least.

    Examples
    --------
    >>> f"{passed([10, 100, 1000], np.array([0.5, 0.85, 0.95])):.1f}"
    '316.2'
    """
    sums = np.concatenate([[0.0], np.cumsum(shares - level)])
    at = int(np.argmin(sums))
    if at in (0, len(grid)):
        return math.inf if at else float(grid[0])
    part = (level - shares[at - 1]) / (shares[at] - shares[at - 1])
    return float(grid[at - 1] * (grid[at] / grid[at - 1]) ** part)
