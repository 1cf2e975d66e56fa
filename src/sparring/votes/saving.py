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
from sparring.votes.memories import Memories
from sparring.votes.values import Votes
from sparring.worlds import Recorded

Floats = NDArray[np.float64]

ROUNDS = 20_000
FEWER, MANY = 5_000, 30  # rounds with more arms than this, as each takes longer
RUNS = 4


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
        return 1 - self.learnt / self.regret if self.regret > 0 else 0.0

    def __str__(self) -> str:
        if self.regret <= 0:
            return "there was nothing to save: all arms are equally good"
        return (
            f"{self.learner} would have shown inferior arms {100 * self.saved:.0f}% less: regret "
            f"{self.learnt:.3f} instead of {self.regret:.3f} a vote"
        )

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return {**asdict(self), "saved": self.saved}


def saving(votes: Votes, found: Memories, *, learner: str = "tracker", seed: int = 0) -> Saving:
    """What a learner would have saved, in a world like that of the votes.

    The world has the strengths that the mixture of memories had at its marks, so sampling noise
    counts as drift, which makes it harder for the learner than it was.

    Parameters
    ----------
    votes
        The votes.
    found
        What `memories` found in them.
    learner
        Its name; it shows two different arms in every round.
    seed
        Seed of the simulation.
    """
    matrices = np.array([chances(one) for one in found.past])
    paid = _regret(votes, found, matrices)
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


def _regret(votes: Votes, found: Memories, matrices: Floats) -> float:
    """The mean over votes of the best arm's lead over the two that were shown."""
    period = np.searchsorted(found.marks, np.arange(len(votes)), side="right")
    period = np.minimum(period, len(matrices) - 1)
    best = found.past.argmax(1)[period]
    ahead = matrices[period, best, votes.first] + matrices[period, best, votes.second] - 1
    return float(ahead.mean() / 2)
