"""Who leads now and how sure: Bradley-Terry with the memory that predicts best."""

from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks, extras, streams
from sparring.isolation import isolated
from sparring.votes import ranks
from sparring.votes.drifting import Drift, drift, lags
from sparring.votes.fitting import RIDGE, Fit, centred, fit, sandwich
from sparring.votes.memories import Memories, memories, tells_sides
from sparring.votes.values import Votes

Floats = NDArray[np.float64]

DRAWS = 10_000
CLEARLY = 0.75  # the best with this probability: it leads
LIKELY = 0.5  # with this: it is ahead, though not clearly
BELIEVED = 0.01  # a memory in which the mixture believes less is left out


class Place(NamedTuple):
    """Where an arm stands."""

    name: str
    strength: float
    """In log-odds, with the mean of all arms at 0."""
    low: float
    high: float
    """Its interval: 95% unless another level was asked for."""
    ranks: tuple[int, int]
    """The best and the worst possible rank."""
    leads: float
    """How probable it is that it is the best."""
    votes: int
    """All votes on pairs that it was in."""


@dataclass(frozen=True, eq=False)
class Standings:
    """Who leads now, and how sure."""

    places: tuple[Place, ...]
    """The arms, the strongest first."""
    names: tuple[str, ...]
    """The arms, in the order of `Votes.names` and of the arrays."""
    strengths: Floats
    covariance: Floats
    above: NDArray[np.bool_]
    """(K, K): whether the row's arm is certainly above the column's."""
    side: float
    """How much it helps to be shown first, in units of strength; 0 if it was not estimated."""
    side_error: float
    alpha: float
    votes: int
    counted: float
    """How many votes they are worth, since old ones count less."""
    at: datetime | None
    """Time of the last vote, if votes have times."""
    memories: Memories | None
    """How the memory was found, if it was."""
    drift: Drift | None
    """How fast strengths move; None if nothing is taken to move."""

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

    @property
    def verdict(self) -> str:
        """How clearly the leader leads: "leads", "ahead" or "open".

        Headlines, sentences and JSON all follow it, so that none of them contradicts another. It
        depends on the votes alone, and not on the verdict before: the same votes always give the
        same one.
        """
        if self.settled or self.leads >= CLEARLY:
            return "leads"
        return "ahead" if self.leads >= LIKELY else "open"

    @property
    def headline(self) -> str:
        """The verdict in a few words."""
        name = isolated(self.leader)
        return {
            "leads": f"{name} leads",
            "ahead": f"{name} is ahead, not clearly",
            "open": "No clear leader",
        }[self.verdict]

    def chance(self, first: str, second: str) -> float:
        """The probability that the first beats the second."""
        i, j = (self._place(name) for name in (first, second))
        return float(1 / (1 + np.exp(self.strengths[j] - self.strengths[i])))

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise checks.unknown("name", name, self.names)
        return self.names.index(name)

    def __str__(self) -> str:
        whose = f"{isolated(self.leader)}: " if self.verdict == "open" else ""
        lead = f"{self.headline} ({whose}best with probability {self.leads:.2f})"
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
            "verdict": self.verdict,
            "headline": self.headline,
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
        """A polars table with one row for each arm, the strongest first."""
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

    These are Bradley-Terry strengths in which old votes count less. The error has two parts: the
    noise of the votes (a sandwich, whatever the model), and how far strengths have moved since the
    remembered votes, at the pace that `drift` finds. Intervals are asymptotic, are for the moment
    of the last vote, and take the pairs as given. All rank sets hold at once.

    Parameters
    ----------
    votes
        The votes.
    memory
        "mixed": the mixture of twelve memories, weighted by how well they predict, if forgetting
        predicts clearly better than never forgetting. "best": the one that predicts best, under the
        same condition. A number: the half-life in days, or in votes if votes have no times. None:
        nothing is forgotten, as if nothing had moved. Or what `memories` returned.
    alpha
        How often an interval may miss, and how often any rank set may.
    ridge
        The precision of the prior on strengths.
    side
        Whether to estimate how much it helps to be shown first. None: if the votes allow it.

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
    demand_linked(votes)
    alpha = checks.real("alpha", alpha, low=1e-9, high=0.5)
    side = tells_sides(votes) if side is None else checks.flag("side", side)
    looked, halves, shares = _memory(votes, memory, side)
    fits, start = list[Fit](), None
    for half in halves:
        fits.append(fit(votes, half, ridge=ridge, side=side, start=start))
        start = fits[-1].strengths
    moving = None if memory is None else drift(votes, side=side)
    noise = sandwich(votes, fits, shares, ridge)
    covariance = noise[:-1, :-1].copy()
    if moving is not None:
        covariance += moving.pace * centred(np.diag(lags(votes, fits, shares)))
    strengths = np.asarray(np.array(shares) @ [one.strengths for one in fits])
    edge = float(np.dot(shares, [one.side for one in fits]))
    certain = ranks.above(strengths, covariance, alpha)
    return Standings(
        _places(votes, strengths, covariance, certain, alpha),
        votes.names,
        strengths,
        covariance,
        certain,
        edge,
        float(np.sqrt(max(noise[-1, -1], 0.0))) if side else 0.0,
        alpha,
        len(votes),
        float(np.dot(shares, [one.votes for one in fits])),
        None if votes.time is None else moment(votes.time[-1]),
        looked,
        moving,
    )


def demand_linked(votes: Votes) -> None:
    """Refuse votes that do not link all arms, even through others: they cannot be compared."""
    groups = votes.groups()
    if len(groups) > 1:
        shown = "; ".join(
            ", ".join(votes.names[arm] for arm in group[:5]) + (", ..." if len(group) > 5 else "")
            for group in groups[:5]
        )
        remedy = "Take one of them, such as votes.only(votes.groups()[0])"
        found = checks.Shown(
            f"{len(groups):,} groups that never met: {checks.short(checks.Shown(shown), 200)}"
        )
        raise ValueError(f"votes must link all arms; got {found}. {remedy}")


def moment(seconds: float) -> datetime:
    """A moment as a date and time in UTC."""
    return datetime.fromtimestamp(float(seconds), UTC)


def _memory(
    votes: Votes, memory: float | str | Memories | None, side: bool
) -> tuple[Memories | None, list[float], list[float]]:
    """What memories found, and the half-lives to mix with their shares, the longest first."""
    if memory is None or not isinstance(memory, (str, Memories)):
        half = np.inf
        if memory is not None and memory != np.inf:
            half = checks.real("memory", memory, low=1e-9, high=1e15)
        return None, [half], [1.0]
    if isinstance(memory, str) and memory not in ("mixed", "best"):
        raise checks.refuse("memory", "'mixed', 'best', a half-life or None", memory)
    looked = memory if isinstance(memory, Memories) else memories(votes, side=side)
    if memory == "best" or not looked.moved:
        return looked, [looked.half_life], [1.0]
    kept = [
        (half, share)
        for half, share in zip(looked.half_lives, looked.beliefs, strict=True)
        if share >= BELIEVED
    ][::-1]
    total = sum(share for _, share in kept)
    return looked, [half for half, _ in kept], [share / total for _, share in kept]


def _leads(strengths: Floats, covariance: Floats) -> Floats:
    """(K,): how often each arm is the best, in draws from the normal distribution."""
    K = len(strengths)
    rng = streams.keyed(0, "standings", experiment="votes", K=K, T=DRAWS, run=0)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0))
    drawn = strengths + rng.standard_normal((DRAWS, K)) @ root.T
    return np.asarray(np.bincount(drawn.argmax(1), minlength=K) / DRAWS)


def _places(
    votes: Votes,
    strengths: Floats,
    covariance: Floats,
    certain: NDArray[np.bool_],
    alpha: float,
) -> tuple[Place, ...]:
    width = quantile(1 - alpha / 2) * np.sqrt(np.maximum(np.diag(covariance), 0))
    sets, leads = ranks.rank_sets(certain), _leads(strengths, covariance)
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
    """A quantile of the standard normal distribution."""
    return NormalDist().inv_cdf(share)
