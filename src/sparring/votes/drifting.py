"""How fast strengths move, and how far a memory lags behind them."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import extras
from sparring._kernels import strengths as kernels
from sparring.simulation.workers import cores
from sparring.votes.fitting import Fit
from sparring.votes.following import Walker
from sparring.votes.values import Votes

Floats = NDArray[np.float64]

SLOWEST, FASTEST, PACES = 0.003, 100.0, 12  # variance over all votes; and none at all
PRIOR = 0.5  # of a strength, at the first vote
SEEN = 0.1  # of its first belief, in no drift
SELDOM = 0.1  # about so many times, in e as many votes, the pace changes


@dataclass(frozen=True, eq=False)
class Drift:
    """How fast strengths move, as if each walked randomly."""

    paces: tuple[float, ...]
    """The variance that a strength may gain in a unit of the clock; the first is 0."""
    beliefs: tuple[float, ...]
    """How probable each pace is after the last vote; the pace itself may change at times."""
    unit: str
    """What the clock counts: days or votes."""

    @property
    def pace(self) -> float:
        """The pace to use: the square of the mean of its root, since errors are roots."""
        return float(np.dot(self.beliefs, np.sqrt(self.paces)) ** 2)

    @property
    def seen(self) -> bool:
        """Whether the votes make no drift at all ten times less probable than it was at first."""
        return self.beliefs[0] * len(self.beliefs) < SEEN

    def __str__(self) -> str:
        many, unit = (30.4, "a month") if self.unit == "days" else (1000, "in 1,000 votes")
        return f"strengths move by about {np.sqrt(self.pace * many):.2f} {unit}"

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return {
            "unit": self.unit,
            "pace": self.pace,
            "paces": list(self.paces),
            "beliefs": list(self.beliefs),
        }

    def to_table(self) -> Any:
        """A polars table with one row for each pace."""
        polars = extras.demand("polars", "a table")
        return polars.DataFrame({"pace": self.paces, "belief": self.beliefs})


def drift(votes: Votes, *, side: bool = False) -> Drift:
    """How fast strengths move, from how well each pace predicts the votes.

    Strengths are taken to walk randomly, all at one pace. However they really moved, this measures
    how much they moved overall; after one large change it reports a slower, steady drift.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=2000)
    >>> tea = rng.random(2000) < 0.7
    >>> outcome = np.where(first == 0, tea, ~tea)
    >>> drift(Votes(("tea", "coffee"), first, 1 - first, outcome)).pace < 1e-4  # hardly any
    True
    """
    span = float(votes.clock[-1]) if len(votes) else 0.0
    paces = np.zeros(1)
    if span > 0:
        paces = np.append(paces, np.geomspace(SLOWEST, FASTEST, PACES) / span)
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight

    losses = np.empty((len(paces), len(votes)), np.float32)

    def play(m: int) -> None:
        walker = Walker(votes.K, float(paces[m]), prior=PRIOR, side=side)
        nowhere = np.empty((0, votes.K))
        walker.follow(votes, weight, losses[m], np.empty(0, np.int64), nowhere, nowhere)

    with ThreadPoolExecutor(min(cores(), len(paces))) as threads:
        list(threads.map(play, range(len(paces))))
    beliefs, nowhere = np.full(len(paces), 1 / len(paces)), np.empty(0, np.int64)
    mixed, past = np.empty(len(votes)), np.empty((0, len(paces)))
    kernels.blend(losses, weight, SELDOM, beliefs.copy(), beliefs, mixed, nowhere, past)
    return Drift(tuple(paces.tolist()), tuple(beliefs.tolist()), votes.unit)


def lags(votes: Votes, fits: Sequence[Fit], shares: Sequence[float]) -> Floats:
    """(K,): how far an arm's strength now is from that in its votes, at a pace of 1.

    A weighted mean of an arm's votes is a mean of its past strengths. If its strength walks
    randomly, the variance of the difference from its present strength is the pace times a sum over
    the times from one vote on the arm to the next (and from the last to now). Each time counts with
    the square of the share of weight on earlier votes: all of it, for an arm not shown lately.
    """
    arm = np.stack([votes.first, votes.second], axis=1).ravel()
    order = np.argsort(arm.astype(np.int16) if votes.K < 2**15 else arm, kind="stable")
    arm, place = arm[order], order // 2
    ends = np.searchsorted(arm, np.arange(votes.K), side="right")
    begins = np.searchsorted(arm, np.arange(votes.K))
    weight = 1.0 if votes.weight is None else votes.weight
    older = np.zeros(len(arm))
    for share, one in zip(shares, fits, strict=True):
        sums = np.concatenate([[0.0], np.cumsum((one.fading * weight)[place])])
        own = np.maximum(sums[ends] - sums[begins], 1e-300)
        older += share * (sums[1:] - sums[begins][arm]) / own[arm]
    when = votes.clock[place]
    after = np.append(when[1:], 0.0)
    after[ends[ends > begins] - 1] = votes.clock[-1]
    found = np.bincount(arm, older**2 * (after - when), votes.K)
    found[ends == begins] = votes.clock[-1]
    return np.asarray(found)
