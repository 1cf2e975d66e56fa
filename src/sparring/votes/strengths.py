"""Bradley-Terry strengths of votes that fade: exact, vote by vote, and how long to remember."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import _strengths as kernels
from sparring import checks, extras
from sparring.simulation.workers import cores
from sparring.votes.data import Votes

Floats = NDArray[np.float64]

RIDGE = 0.1  # strengths are about 3 apart: hardly a prior, worth half a vote an arm
SIDE_RIDGE = 4.0  # a side is worth about 1/2
STEPS = 200
CLOSE = 1e-12
SETTLED = 1e-8  # a last step that may be left: with heavy votes rounding alone is above CLOSE
SURE = 700.0  # a lead whose exponential is still a number
ENDLESS = 30.0  # a lead of which no number of votes tells anything
FARTHEST = 2.0  # a step of Newton's method at most, so that it does not overshoot
MOST_ARMS = 2_000


class Fit(NamedTuple):
    """Strengths, and Newton's matrix at them."""

    strengths: Floats
    """(K,): they sum to 0. i beats j with the chance logistic(strengths[i] - strengths[j])."""
    side: float
    """How much it helps to be shown first, in units of strength; 0 if that is not estimated."""
    inverse: Floats
    """(K + 1, K + 1): the inverse of H, the side last."""
    fading: Floats
    """(n,): how much each vote counts for its age."""
    votes: float
    """The votes as they count: the sum of their weights."""


def fit(
    votes: Votes,
    half_life: float = np.inf,
    *,
    ridge: float = RIDGE,
    side: bool = False,
    start: Floats | None = None,
) -> Fit:
    """Bradley-Terry strengths with memory.

    A vote of age a counts w = 2^(-a / half-life), times its own weight. The strengths maximise

        sum of w (o ln p + (1 - o) ln(1 - p)) - ridge/2 |strengths|^2,  p = logistic(s_i - s_j),

    by Newton's method with H = sum of w p(1 - p) z z' + ridge, where z = e_i - e_j.

    Parameters
    ----------
    votes
        The votes.
    half_life
        On the clock of the votes: days or votes. If infinite, nothing is forgotten.
    ridge
        The prior's precision. With 0 there is no prior, and no arm may have won or lost all its
        votes.
    side
        Whether to estimate how much it helps to be shown first.
    start
        (K,): strengths to begin with, which saves time.

    Examples
    --------
    >>> votes = Votes(("a", "b"), first=[0] * 4, second=[1] * 4, outcome=[1, 1, 1, 0])
    >>> found = fit(votes, ridge=0)
    >>> round(float(np.exp(found.strengths[0] - found.strengths[1])), 6)  # three to one
    3.0
    """
    demand_few(votes.K)
    ridge = checks.real("ridge", ridge, low=0, high=1e6)
    fading = faded(votes, half_life)
    met, won = votes.sums(fading), votes.sums(fading * votes.outcome)
    strengths, edge, H = solve(met, won, ridge, SIDE_RIDGE if side else np.inf, start)
    inverse = np.linalg.pinv(H, hermitian=True) if ridge == 0 else np.linalg.inv(H)
    return Fit(strengths, edge, np.asarray(inverse, np.float64), fading, float(met.sum()))


def solve(
    met: Floats,
    won: Floats,
    ridge: float = RIDGE,
    side_ridge: float = np.inf,
    start: Floats | None = None,
) -> tuple[Floats, float, Floats]:
    """Strengths, side and Newton's matrix, from (K, K) sums by the first arm and the second.

    `met` is how often they met and `won` how often the first won, both weighted.
    """
    K = len(met)
    strengths, edge = np.zeros(K) if start is None else start - start.mean(), 0.0
    for _ in range(STEPS):
        H, gain = _newton(met, won, strengths, edge, ridge, side_ridge)
        step = np.linalg.lstsq(H, gain, rcond=1e-13)[0] if ridge == 0 else np.linalg.solve(H, gain)
        step *= min(1.0, FARTHEST / max(float(np.abs(step).max()), FARTHEST))
        strengths = strengths + step[:K]
        edge += float(step[K])
        far = ridge == 0 and float(np.ptp(strengths)) > ENDLESS
        if np.abs(step).max() < CLOSE or far:
            break
    if far or np.abs(step).max() >= SETTLED:
        raise ValueError(
            "the strengths do not settle: with ridge = 0 no arm may have won or lost all its "
            f"votes, nor may a group of arms; take a ridge above 0, such as {RIDGE:g}"
        )
    return strengths - strengths.mean(), edge, H


def faded(votes: Votes, half_life: float) -> Floats:
    """(n,): 2^(-age / half-life) of each vote."""
    if not len(votes) or np.isinf(half_life):
        return np.ones(len(votes))
    return np.asarray(np.exp2((votes.clock - votes.clock[-1]) / half_life))


def chances(strengths: Floats, edge: float = 0.0) -> Floats:
    """(K, K): the chance that the row's arm beats the column's, if it is shown first."""
    lead = strengths[:, None] - strengths[None, :] + edge
    found: Floats = 1 / (1 + np.exp(-np.clip(lead, -SURE, SURE)))
    return found


def demand_few(K: int) -> None:
    """Refuse more arms than a matrix of pairs should have."""
    if K > MOST_ARMS:
        remedy = "Take the arms with most votes: read(..., most=100), or --most 100"
        found = checks.Shown(f"{K:,}")
        raise checks.refuse("votes", f"on at most {MOST_ARMS:,} arms", found, remedy)


def _newton(
    met: Floats, won: Floats, strengths: Floats, edge: float, ridge: float, side_ridge: float
) -> tuple[Floats, Floats]:
    """The matrix and the gradient of Newton's step, the side last."""
    K = len(strengths)
    p = chances(strengths, edge)
    H = _outer(met * p * (1 - p))
    H[np.arange(K), np.arange(K)] += ridge
    miss = won - met * p
    gain = np.append(miss.sum(1) - miss.sum(0) - ridge * strengths, 0.0)
    if np.isfinite(side_ridge):
        H[K, K] += side_ridge
        gain[K] = miss.sum() - side_ridge * edge
    else:  # the side stays 0
        H[K, :], H[:, K], H[K, K] = 0.0, 0.0, 1.0
    return H, gain


def _outer(weights: Floats) -> Floats:
    """(K + 1, K + 1): the sum of weights[i, j] z z' with z = e_i - e_j + e_side."""
    K = len(weights)
    H = np.empty((K + 1, K + 1))
    both = weights + weights.T
    H[:K, :K] = -both
    H[np.arange(K), np.arange(K)] += both.sum(1)
    H[:K, K] = H[K, :K] = weights.sum(1) - weights.sum(0)
    H[K, K] = weights.sum()
    return H


# --- Vote by vote --------------------------------------------------------------------------------

FOLLOWED_RIDGE = 1.0  # strengths are about 1 apart, which predicts best where memory is short


class Follower:
    """Strengths with one memory, vote by vote.

    Parameters
    ----------
    K
        Number of arms.
    half_life
        On the clock of the votes.
    ridge
        The precision of the prior on strengths.
    side
        Whether to estimate how much it helps to be shown first.
    votes
        About how many will come; with many, strengths are refitted to all counts less often.
    run
        The kernel: `follow`, or `follow_online`, which never compiles by itself.
    """

    def __init__(
        self,
        K: int,
        half_life: float,
        *,
        ridge: float = FOLLOWED_RIDGE,
        side: bool = False,
        votes: int = 0,
        run: Callable[..., Any] = kernels.follow,
    ) -> None:
        self.half_life, self.ridge = half_life, ridge
        self.side_ridge = SIDE_RIDGE if side else np.inf
        # So that settling, which looks at all pairs, takes about as long as the votes themselves.
        self.block = float(max(kernels.FIRST, K * K // 16, votes // 20_000))
        self.strengths = np.zeros(K)
        self.information = np.full(K, ridge)
        self.met, self.won = np.zeros((K, K)), np.zeros((K, K))
        self.state = np.zeros(kernels.SIZE)
        self.state[kernels.SIDE_INFORMATION] = self.side_ridge
        self._run = run

    def follow(
        self,
        votes: Votes,
        weight: Floats,
        losses: NDArray[Any],
        marks: NDArray[np.int64],
        past: Floats,
        information: Floats,
    ) -> None:
        """Predict and learn votes, and note strengths before some of them, and at the end."""
        pairs = (votes.first, votes.second, votes.outcome, weight, votes.clock)
        self.learn(*pairs, losses, marks, past, information)
        past[marks >= len(votes)] = self.strengths
        information[marks >= len(votes)] = self.information

    def learn(self, *votes: NDArray[Any]) -> None:
        """Predict and learn votes given as arrays, from `first` to `information` of the kernel."""
        self._run(*self.arguments(*votes))

    def arguments(
        self,
        first: NDArray[np.int32],
        second: NDArray[np.int32],
        outcome: Floats,
        weight: Floats,
        clock: Floats,
        losses: NDArray[Any],
        marks: NDArray[np.int64],
        past: Floats,
        information: Floats,
    ) -> tuple[Any, ...]:
        """What the kernel takes."""
        return (
            *(first, second, outcome, weight, clock),
            *(self.half_life, self.ridge, self.side_ridge, self.block),
            *(self.state, self.strengths, self.information, self.met, self.won),
            *(losses, marks, past, information),
        )

    def beside(self) -> "Follower":
        """A twin to learn with: it has its own strengths and shares the counts."""
        found = copy(self)
        found.state, found.strengths = self.state.copy(), self.strengths.copy()
        found.information = self.information.copy()
        return found

    def written(self, first: int, second: int, now: float) -> Any:
        """Which counts the next vote changes: those of its pair, or all of them."""
        due = getattr(kernels.is_due, "py_func", kernels.is_due)
        return ... if due(self.state, self.half_life, self.block, now) else (first, second)


class Walker:
    """Strengths that walk at random, followed vote by vote.

    Parameters
    ----------
    K
        Number of arms.
    pace
        The variance that a strength gains in a unit of the clock of the votes.
    prior
        The variance of a strength at the first vote.
    side
        Whether to estimate how much it helps to be shown first.
    """

    def __init__(self, K: int, pace: float, *, prior: float, side: bool = False) -> None:
        self.pace = pace
        self.state = np.array([0.0, 1 / SIDE_RIDGE if side else 0.0])
        self.strengths, self.variance = np.zeros(K), np.full(K, prior)
        self.latest = np.zeros(K)

    def follow(
        self,
        votes: Votes,
        weight: Floats,
        losses: NDArray[Any],
        marks: NDArray[np.int64],
        past: Floats,
        information: Floats,
    ) -> None:
        """Predict and learn votes, and note strengths before some of them, and at the end."""
        kernels.walk(
            votes.first,
            votes.second,
            votes.outcome,
            weight,
            votes.clock,
            self.pace,
            self.state,
            self.strengths,
            self.variance,
            self.latest,
            losses,
            marks,
            past,
            information,
        )
        end = votes.clock[-1] if len(votes) else 0.0
        past[marks >= len(votes)] = self.strengths
        information[marks >= len(votes)] = 1 / (self.variance + self.pace * (end - self.latest))


# --- How long to remember ------------------------------------------------------------------------

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
    ridge: float = FOLLOWED_RIDGE,
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
