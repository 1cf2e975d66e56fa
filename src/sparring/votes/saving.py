"""What a learner would have saved by choosing the pairs, in a world like that of the votes."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.regret import Regret
from sparring.simulation import Entrant
from sparring.simulation.simulate import simulate
from sparring.simulation.workers import cores
from sparring.votes.fitting import chances
from sparring.votes.standings import Standings
from sparring.votes.values import Votes
from sparring.worlds import Recorded

Floats = NDArray[np.float64]

ROUNDS = 20_000
FEWER, MANY = 5_000, 30  # rounds with more arms than this, as each takes longer
RUNS = 4
NOTHING = 0.001  # regret of a vote: draws of equal arms differ a little
PERIODS = 200


@dataclass(frozen=True)
class Saving:
    """The regret of a vote: of the pairs shown, and of those a learner would have shown."""

    learner: str
    rounds: int
    """How many votes the learner had: at most as many as there are."""
    regret: float
    """The mean regret of a vote in the file: by how much the best arm at the time beats the two
    shown, as a chance."""
    learnt: float
    """The same, with pairs that the learner chooses."""

    @property
    def saved(self) -> float:
        """The share of the regret that the learner saves; negative if it loses."""
        return 1 - self.learnt / self.regret if self.regret > NOTHING else 0.0

    def __str__(self) -> str:
        if self.regret <= NOTHING:
            return "there was nothing to save: all arms are equally good"
        return (
            f"{self.learner} would have shown inferior arms {100 * self.saved:.0f}% less: regret "
            f"{self.learnt:.3f} instead of {self.regret:.3f} a vote"
        )

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return {**asdict(self), "saved": self.saved}


def saving(votes: Votes, now: Standings, *, learner: str = "tracker", seed: int = 0) -> Saving:
    """What a learner would have saved, in a world like that of the votes.

    The world has the mean strengths of all arms over time; an arm that is not there is as weak as
    the weakest.

    Parameters
    ----------
    votes
        The votes.
    now
        Their standings.
    learner
        Its name; it shows two different arms in every round.
    seed
        Seed of the simulation.
    """
    past = now.past.strength.T
    past = np.where(np.isnan(past), np.nanmin(past, axis=1, keepdims=True), past)
    edges = now.histories.edges
    paid = _regret(votes, past, np.repeat(np.arange(len(past)), np.diff(edges)))
    even = np.searchsorted(edges, np.linspace(0, len(votes), PERIODS, endpoint=False), "right") - 1
    matrices = np.array([chances(one) for one in past[even]])
    T = min(len(votes), ROUNDS if votes.K <= MANY else FEWER)
    world = Recorded(matrices, T, label="votes")
    with ThreadPoolExecutor(min(cores(), RUNS)) as threads:
        table = simulate(
            world,
            {learner: Entrant(learner, differ=True)},
            Regret("preference", "stretch"),
            runs=RUNS,
            seed=seed,
            executor=threads,
        )
    return Saving(learner, T, paid, float(table["value"].to_numpy().mean()) / T)


def _regret(votes: Votes, past: Floats, period: NDArray[np.int64]) -> float:
    """The mean over votes of the best arm's lead over the two that were shown."""
    lead = past.max(1)[period][:, None] - np.stack(
        [past[period, votes.first], past[period, votes.second]], axis=1
    )
    return float((1 / (1 + np.exp(-lead)) - 0.5).mean())
