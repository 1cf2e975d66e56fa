"""How long to remember votes: twelve memories predict each vote from those before it."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import _strengths as kernels
from sparring import checks, extras
from sparring.simulation.workers import cores
from sparring.votes.fitting import demand_few
from sparring.votes.following import RIDGE, Follower, Walker
from sparring.votes.values import Votes

Floats = NDArray[np.float64]

MANY = 12
SHORTEST = 25  # votes that the shortest memory holds at least
# About how many times, in e as many votes, another predictor becomes the best: a mixture of
# mixtures finds the right one.
RATES = (0.03, 0.3, 3.0)
WALKING = 0.25  # of the belief of all predictors at first is in those that walk
PACES, SLOWEST, FASTEST, PRIOR = 12, 0.03, 100.0, 1.0  # of them; variance over all votes, and first
PRIORS = (1.0, 4.0, 16.0, 64.0)  # ridges
MARKS = 200  # moments at which strengths are noted
CLEARLY = 2.7  # standard errors: one in a hundred by chance, the best of eleven memories


@dataclass(frozen=True, eq=False)
class Memories:
    """What each memory predicted, and the mixture of all."""

    half_lives: tuple[float, ...]
    """In days or votes, rising; the last is infinite: it never forgets."""
    unit: str
    """What half-lives count: days or votes."""
    losses: tuple[float, ...]
    """The mean log-loss of a vote, in nats, of each memory. A coin has ln 2 = 0.693."""
    blended: float
    """That of the mixture, which needs no choice. Besides the memories it has twelve filters that
    assume random walks of the strengths, at twelve paces."""
    beliefs: tuple[float, ...]
    """How much the mixture believes in each after the last vote, of its belief in memories."""
    gain: float
    """By how much the best memory beats never forgetting, with the best of four priors, in nats a
    vote."""
    gain_error: float
    """Its standard error."""
    votes: int
    marks: NDArray[np.int64]
    """(c,): before which votes strengths were noted."""
    past: Floats
    """(c, K): strengths of the mixture at these moments."""
    past_errors: Floats
    """(c, K): their standard errors, from a diagonal approximation."""

    @cached_property
    def best(self) -> int:
        """Which memory predicts best."""
        return int(np.argmin(self.losses))

    @property
    def moved(self) -> bool:
        """Whether forgetting predicts clearly better than never forgetting."""
        return self.gain > CLEARLY * self.gain_error > 0

    @property
    def half_life(self) -> float:
        """The half-life that predicts best, infinite if forgetting does not clearly help."""
        return self.half_lives[self.best] if self.moved else np.inf

    def __str__(self) -> str:
        if not self.moved:
            return "no sign of change: no vote should be forgotten"
        return f"tastes moved: a vote is worth half after {amount(self.half_life, self.unit)}"

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`; a memory that never forgets has no half-life (null)."""
        return {
            "unit": self.unit,
            "half_lives": [_finite(one) for one in self.half_lives],
            "losses": list(self.losses),
            "blended": self.blended,
            "beliefs": list(self.beliefs),
            "moved": self.moved,
            "half_life": _finite(self.half_life),
            "gain": self.gain,
            "gain_error": self.gain_error,
        }

    def to_table(self) -> Any:
        """A polars table with one row for each memory."""
        polars = extras.demand("polars", "a table")
        columns = {"half_life": self.half_lives, "loss": self.losses, "belief": self.beliefs}
        return polars.DataFrame(columns)


def memories(
    votes: Votes,
    half_lives: Sequence[float] | None = None,
    *,
    ridge: float = RIDGE,
    side: bool | None = None,
    marks: int = MARKS,
) -> Memories:
    """Predict each vote from those before it, with several memories, and mix them.

    Parameters
    ----------
    votes
        The votes.
    half_lives
        On the clock of the votes (days or votes). By default eleven, from about the time of 25
        votes, or two for each arm, to the time of all votes, and one that never forgets.
    ridge
        The precision of the prior, above 0.
    side
        Whether to estimate how much it helps to be shown first. None: if the votes allow it.
    marks
        At how many moments strengths are noted.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=2000)
    >>> wins = rng.random(2000) < np.where(np.arange(2000) < 1000, 0.8, 0.2)  # of tea
    >>> outcome = np.where(first == 0, wins, ~wins)
    >>> found = memories(Votes(("tea", "coffee"), first, 1 - first, outcome))
    >>> found.moved
    True
    """
    demand_few(votes.K)
    if not len(votes):
        raise checks.refuse("votes", "at least one", checks.Shown("none"))
    ridge = checks.real("ridge", ridge, low=1e-6, high=1e6)
    marks = checks.whole("marks", marks, low=1, high=100_000)
    halves = np.array(default_half_lives(votes) if half_lives is None else half_lives, float)
    if not (halves.size and (halves > 0).all()):
        raise checks.refuse("half_lives", "numbers above 0", half_lives)
    halves = np.unique(np.append(halves, np.inf))
    n, M = len(votes), len(halves)
    at = np.unique(np.linspace(0, n, min(marks, n) + 1).astype(np.int64)[1:])
    side = votes.sided if side is None else checks.flag("side", side)
    found = predictions(votes, halves, ridge=ridge, side=side, marks=at)
    shares = np.full(n, 1 / n) if votes.weight is None else votes.weight / votes.weight.sum()
    losses = found.losses[:M]
    means = losses @ shares
    best = int(np.argmin(means))
    still = _still(votes, side) if best < M - 1 else losses[-1]
    ahead = still.astype(float) - losses[best]
    beliefs = found.beliefs[-1, :M] / found.beliefs[-1, :M].sum()
    return Memories(
        tuple(halves.tolist()),
        votes.unit,
        tuple(means.tolist()),
        float(found.mixed @ shares),
        tuple(beliefs.tolist()),
        float(ahead @ shares),
        float(np.sqrt(shares**2 @ (ahead - ahead @ shares) ** 2)),
        n,
        at,
        *_mixed(found.past, found.information, found.beliefs),
    )


def _still(votes: Votes, side: bool) -> NDArray[np.float32]:
    """(n,): the least log-losses of strengths that never move, over priors.

    A short memory is also a strong prior, which predicts better when votes are few. That is no sign
    of change, so memories are compared with other priors, too.
    """
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight
    losses = np.empty((len(PRIORS), len(votes)), np.float32)
    nowhere = np.empty(0, np.int64), np.empty((0, votes.K)), np.empty((0, votes.K))
    for ridge, row in zip(PRIORS, losses, strict=True):
        follower = Follower(votes.K, np.inf, ridge=ridge, side=side, votes=len(votes))
        follower.follow(votes, weight, row, *nowhere)
    return np.asarray(losses[int(np.argmin(losses @ weight))])


class Predictions(NamedTuple):
    """The log-losses of all votes, and strengths now and then."""

    losses: NDArray[np.float32]
    """(P, n): of each memory, then of each filter."""
    mixed: Floats
    """(n,): of their mixture."""
    past: Floats
    """(P, c, K): strengths at the marks."""
    information: Floats
    """(P, c, K): their precisions."""
    beliefs: Floats
    """(c, P): how much the mixture believes in each at the marks."""


def predictions(
    votes: Votes,
    halves: Floats,
    *,
    ridge: float,
    side: bool,
    marks: NDArray[np.int64],
) -> Predictions:
    """Predict each vote from those before it: with memories, and with strengths that walk."""
    n, K, span = len(votes), votes.K, float(votes.clock[-1])
    paces = np.geomspace(SLOWEST, FASTEST, PACES) / span if span > 0 else np.zeros(1)
    M, P = len(halves), len(halves) + len(paces)
    losses = np.empty((P, n), np.float32)
    past, information = np.empty((2, P, len(marks), K))
    weight = np.ones(n) if votes.weight is None else votes.weight

    def play(m: int) -> None:
        predictor: Follower | Walker
        if m < M:
            predictor = Follower(K, float(halves[m]), ridge=ridge, side=side, votes=n)
        else:
            predictor = Walker(K, float(paces[m - M]), prior=PRIOR, side=side)
        predictor.follow(votes, weight, losses[m], marks, past[m], information[m])

    prior = np.repeat([(1 - WALKING) / M, WALKING / len(paces)], [M, len(paces)])
    with ThreadPoolExecutor(min(cores(), P)) as threads:
        list(threads.map(play, range(P)))
        blended = partial(_blended, losses, weight, prior=prior, marks=marks)
        mixtures = list(threads.map(blended, RATES))
    each, even = np.array([mixed for mixed, _ in mixtures]), np.full(len(RATES), 1 / len(RATES))
    mixed, trust = _blended(each, weight, 0.0, even, marks)
    beliefs = sum(trust[:, [m]] * inner for m, (_, inner) in enumerate(mixtures))
    return Predictions(losses, mixed, past, information, np.asarray(beliefs))


def _blended(
    losses: NDArray[Any], weight: Floats, often: float, prior: Floats, marks: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """(n,) and (c, P): the log-losses of a mixture, and its beliefs at the marks and at the end."""
    P, n = losses.shape
    beliefs, mixed, past = prior.copy(), np.empty(n), np.empty((len(marks), P))
    kernels.blend(losses, weight, often, prior, beliefs, mixed, marks[:-1], past)
    past[-1:] = beliefs
    return mixed, past


def default_half_lives(votes: Votes) -> list[float]:
    """Eleven half-lives, evenly on a logarithmic scale, and one that never forgets."""
    n, span = len(votes), float(votes.clock[-1])
    if span <= 0 or n <= SHORTEST:
        return [np.inf]
    shortest = span * min(max(SHORTEST, 2 * votes.K) / n, 0.5)
    return [*np.geomspace(shortest, span, MANY - 1).tolist(), np.inf]


def amount(half_life: float, unit: str) -> str:
    """A half-life in words.

    Examples
    --------
    >>> amount(41.3, "days"), amount(0.2, "days"), amount(1234.0, "votes"), amount(900.0, "days")
    ('41 days', '4.8 hours', '1,200 votes', '2.5 years')
    >>> amount(0.01, "days"), amount(0.0003, "days")  # of an arena that was made just now
    ('14 minutes', '26 seconds')
    """
    if unit == "days":
        if half_life < 1 / 1440:
            half_life, unit = half_life * 86_400, "seconds"
        elif half_life < 1 / 24:
            half_life, unit = half_life * 1440, "minutes"
        elif half_life < 1:
            half_life, unit = half_life * 24, "hours"
        elif half_life > 730:
            half_life, unit = half_life / 365.25, "years"
    return f"{float(f'{half_life:.2g}'):,g} {unit}"


def _mixed(past: Floats, information: Floats, believed: Floats) -> tuple[Floats, Floats]:
    """Mean and standard error of the mixture's strengths, which sum to 0."""
    past = past - past.mean(2, keepdims=True)
    belief = believed.T[:, :, None]
    mean = (belief * past).sum(0)
    variance = (belief * (1 / information + (past - mean) ** 2)).sum(0)
    return mean, np.sqrt(variance)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
