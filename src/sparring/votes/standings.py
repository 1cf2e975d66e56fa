"""Who leads now and how sure: Bradley-Terry with the memory that predicts, as one value."""

from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks, extras, streams
from sparring.votes import ranks
from sparring.votes.fitting import RIDGE, Fit, fit
from sparring.votes.memories import Memories, memories, tells_sides
from sparring.votes.values import Votes

Floats = NDArray[np.float64]

DRAWS = 10_000
BELIEVED = 0.01  # a memory in which the mixture believes less is left out


class Place(NamedTuple):
    """Where an arm stands."""

    name: str
    strength: float
    """In units of log-odds, the mean of all arms at 0."""
    low: float
    high: float
    """Its interval: 95 % unless another level was asked for."""
    ranks: tuple[int, int]
    """The best and the worst rank that it may have."""
    leads: float
    """How probable it is that it is the best."""
    votes: int
    """On pairs that it was in, ever."""


@dataclass(frozen=True, eq=False)
class Standings:
    """Who leads now, and how sure."""

    places: tuple[Place, ...]
    """The arms, the strongest first."""
    names: tuple[str, ...]
    """The arms in the order of the votes, as are the arrays."""
    strengths: Floats
    covariance: Floats
    above: NDArray[np.bool_]
    """(K, K): whether the arm of the row is certainly above that of the column."""
    side: float
    """How much it helps to be shown first, in units of strength; 0 if it was not estimated."""
    side_error: float
    alpha: float
    votes: int
    counted: float
    """How many votes they are worth, as old ones count less."""
    at: datetime | None
    """Of the last vote, if votes have times."""
    memories: Memories | None
    """How the memory was found, if it was."""

    @property
    def leader(self) -> str:
        """The strongest arm."""
        return self.places[0].name

    @property
    def leads(self) -> float:
        """How probable it is that the leader is the best."""
        return self.places[0].leads

    @property
    def settled(self) -> bool:
        """Whether the leader is certainly above all others."""
        return self.places[0].ranks == (1, 1)

    def chance(self, first: str, second: str) -> float:
        """The probability that the first beats the second."""
        i, j = (self._place(name) for name in (first, second))
        return float(1 / (1 + np.exp(self.strengths[j] - self.strengths[i])))

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise checks.unknown("name", name, self.names)
        return self.names.index(name)

    def __str__(self) -> str:
        lead = f"{self.leader} leads (best with probability {self.leads:.2f})"
        width = max(len(place.name) for place in self.places)
        lines = [lead]
        for place in self.places:
            low, high = place.ranks
            rank = str(low) if low == high else f"{low}-{high}"
            lines.append(
                f"  {place.name:<{width}}  rank {rank:<7} strength {place.strength:+.2f} "
                f"({place.low:+.2f} to {place.high:+.2f})  {place.votes:,} votes"
            )
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`, the strongest first."""
        return {
            "leader": self.leader,
            "leads": self.leads,
            "settled": self.settled,
            "votes": self.votes,
            "counted": self.counted,
            "at": None if self.at is None else self.at.isoformat(),
            "level": 1 - self.alpha,
            "side": {"effect": self.side, "error": self.side_error},
            "places": [place._asdict() for place in self.places],
            "memory": None if self.memories is None else self.memories.to_json(),
        }

    def to_table(self) -> Any:
        """A polars table with a row an arm, the strongest first."""
        polars = extras.demand("polars", "a table")
        rows = [
            {**place._asdict(), "best_rank": place.ranks[0], "worst_rank": place.ranks[1]}
            for place in self.places
        ]
        return polars.DataFrame(rows).drop("ranks")


def standings(
    votes: Votes,
    memory: float | str | Memories | None = "mixed",
    *,
    alpha: float = 0.05,
    ridge: float = RIDGE,
    side: bool | None = None,
) -> Standings:
    """Who leads after the last vote.

    Bradley-Terry strengths in which old votes count less. Intervals are asymptotic, for the moment
    of the last vote, and take the pairs as given; rank sets hold together. Where strengths move,
    the error has two parts: noise of the votes, and drift that the memory does not follow yet.

    Parameters
    ----------
    votes
        The votes.
    memory
        "mixed": the mixture of twelve memories, each weighed by how well it predicts. "best": the
        one that predicts best, which never forgets if that is not clearly worse. A number: the
        half-life in days, or in votes if votes have no times. None: nothing is forgotten. Or what
        `memories` returned.
    alpha
        How often an interval may miss, and how often some rank set may.
    ridge
        The precision of the prior on strengths.
    side
        Whether to estimate how much it helps to be shown first. None: if that can be told.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=400)
    >>> tea = rng.random(400) < 0.7
    >>> outcome = np.where(first == 0, tea, ~tea)
    >>> found = standings(Votes(("tea", "coffee"), first, 1 - first, outcome), memory=None)
    >>> found.leader, found.settled, round(found.chance("tea", "coffee"), 1)
    ('tea', True, 0.7)
    """
    if not len(votes):
        raise checks.refuse("votes", "at least one", checks.Shown("none"))
    alpha = checks.real("alpha", alpha, low=1e-9, high=0.5)
    side = tells_sides(votes) if side is None else checks.flag("side", side)
    looked, parts = _parts(votes, memory, ridge, side)
    belief = np.array([share for share, _ in parts])
    belief /= belief.sum()
    each = np.array([one.strengths for _, one in parts])
    strengths = belief @ each
    apart = each - strengths
    covariance = sum(
        share * (one.covariance + np.outer(off, off))
        for share, (_, one), off in zip(belief, parts, apart, strict=True)
    )
    sides = np.array([(one.side, one.side_error) for _, one in parts])
    edge = float(belief @ sides[:, 0])
    edge_error = float(np.sqrt(belief @ (sides[:, 1] ** 2 + (sides[:, 0] - edge) ** 2)))
    certain = ranks.above(strengths, covariance, alpha)
    return Standings(
        _places(votes, strengths, covariance, certain, _leads(belief, parts), alpha),
        votes.names,
        strengths,
        covariance,
        certain,
        edge,
        edge_error,
        alpha,
        len(votes),
        float(belief @ [one.votes for _, one in parts]),
        None if votes.time is None else moment(votes.time[-1]),
        looked,
    )


def moment(seconds: float) -> datetime:
    """A moment as a date and time in UTC."""
    return datetime.fromtimestamp(float(seconds), UTC)


def _parts(
    votes: Votes, memory: float | str | Memories | None, ridge: float, side: bool
) -> tuple[Memories | None, list[tuple[float, Fit]]]:
    """What was found of memories, and the fits to mix, each with its share."""
    if memory is None or not isinstance(memory, (str, Memories)):
        half = np.inf if memory is None else checks.real("memory", memory, low=1e-9, high=1e15)
        return None, [(1.0, fit(votes, half, ridge=ridge, side=side))]
    if isinstance(memory, str) and memory not in ("mixed", "best"):
        raise checks.refuse("memory", "'mixed', 'best', a half-life or None", memory)
    looked = memory if isinstance(memory, Memories) else memories(votes, ridge=ridge, side=side)
    if memory == "best":
        return looked, [(1.0, fit(votes, looked.half_life, ridge=ridge, side=side))]
    found, start = [], None
    for half, share in zip(reversed(looked.half_lives), reversed(looked.beliefs), strict=True):
        if share >= BELIEVED:
            one = fit(votes, half, ridge=ridge, side=side, start=start)
            start = one.strengths
            found.append((share, one))
    return looked, found


def _leads(belief: Floats, parts: list[tuple[float, Fit]]) -> Floats:
    """(K,): how often each arm is the best, in draws from the mixture of normals."""
    K = len(parts[0][1].strengths)
    rng = streams.keyed(0, "standings", experiment="votes", K=K, T=DRAWS, run=0)
    wins = np.zeros(K)
    often = rng.multinomial(DRAWS, belief)
    for many, (_, one) in zip(often.tolist(), parts, strict=True):
        values, vectors = np.linalg.eigh(one.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0))
        drawn = one.strengths + rng.standard_normal((many, K)) @ root.T
        wins += np.bincount(drawn.argmax(1), minlength=K)
    found: Floats = wins / DRAWS
    return found


def _places(
    votes: Votes,
    strengths: Floats,
    covariance: Floats,
    certain: NDArray[np.bool_],
    leads: Floats,
    alpha: float,
) -> tuple[Place, ...]:
    width = quantile(1 - alpha / 2) * np.sqrt(np.maximum(np.diag(covariance), 0))
    sets = ranks.rank_sets(certain)
    shown = np.bincount(votes.first, minlength=votes.K) + np.bincount(
        votes.second, minlength=votes.K
    )
    order = np.argsort(-strengths, kind="stable").tolist()
    return tuple(
        Place(
            votes.names[i],
            float(strengths[i]),
            float(strengths[i] - width[i]),
            float(strengths[i] + width[i]),
            sets[i],
            float(leads[i]),
            int(shown[i]),
        )
        for i in order
    )


def quantile(share: float) -> float:
    """Of the standard normal distribution."""
    return NormalDist().inv_cdf(share)
