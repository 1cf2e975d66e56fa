"""A world like that of the votes: for simulations, and what a learner would have saved in it."""

import itertools
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparring import checks, extras, streams
from sparring.regret import Regret
from sparring.simulation import Entrant
from sparring.simulation.simulate import simulate
from sparring.simulation.workers import cores
from sparring.votes.data import Votes
from sparring.votes.histories import coins
from sparring.votes.standings import Standings
from sparring.votes.strengths import chances, fit
from sparring.worlds import Recorded

MOST_PERIODS = 100
ENOUGH = 20  # votes an arm in a period
DRAWS = 400  # of paths, for the error bars of V_T
SCALES = 41  # of the drift that are weighed, beside none at all
STILL = 0.1  # the weight of no drift at all, before anything is seen
CHANCE = 0.9  # of an error bar

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FittedWorld:
    """What `world_of` found."""

    world: Recorded
    """The smoothed matrices, which move in straight lines from period to period."""
    names: tuple[str, ...]
    strengths: Floats
    """(periods, K): smoothed."""
    errors: Floats
    """(periods, K): their standard errors."""
    drift: float
    """The standard deviation of a strength's step from one period to the next, without noise: the
    median of what the likelihood allows."""
    moments: float
    """The same by moments: the root of the mean of (step^2 - error before^2 - error after^2), 0 if
    noise explains everything. It needs no grid, but is less sharp."""
    observed: float
    """V_T of the strengths as given, with sampling noise."""
    smooth: float
    """V_T of the smoothed world, which is too low: smoothing removes some drift, too."""
    V_T: float
    """V_T with its noise removed: the median over paths that could have given these strengths."""
    V_T_low: float
    V_T_high: float
    """Its interval of 90%."""

    def __str__(self) -> str:
        periods, K = self.strengths.shape
        return (
            f"{K} arms over {periods} periods. Strengths move by {self.drift:.3f} a period "
            f"(standard deviation, noise removed).\n"
            f"V_T is {self.V_T:.2f} ({self.V_T_low:.2f} to {self.V_T_high:.2f}) with its noise "
            f"removed; {self.observed:.2f} as observed, {self.smooth:.2f} of the smoothed world"
        )

    def to_json(self) -> dict[str, Any]:
        """The world's numbers as a dictionary for `json.dumps`."""
        arrays = {"strengths": self.strengths.tolist(), "errors": self.errors.tolist()}
        numbers = ("drift", "moments", "observed", "smooth", "V_T", "V_T_low", "V_T_high")
        return {
            "T": self.world.T,
            "names": list(self.names),
            **{name: getattr(self, name) for name in numbers},
            **arrays,
        }

    def to_table(self) -> Any:
        """A polars table with one row for each period and arm."""
        polars = extras.demand("polars", "a table")
        periods, K = self.strengths.shape
        return polars.DataFrame(
            {
                "period": np.repeat(np.arange(periods), K),
                "arm": list(self.names) * periods,
                "strength": self.strengths.ravel(),
                "error": self.errors.ravel(),
            }
        )


def world(
    votes: Votes, T: int | None = None, *, periods: int | None = None, seed: int = 0
) -> FittedWorld:
    """A world like the one the votes came from, without mistaking noise for drift.

    The votes are cut into periods of equal numbers, each period is fitted alone, and the strengths
    are smoothed over periods (`sparring.votes.world.world_of`).

    Parameters
    ----------
    votes
        The votes.
    T
        Number of rounds of the world; the number of votes if None.
    periods
        The number of periods; by default so many that an arm has about forty votes in each, at most
        100.
    seed
        Seed of the paths drawn for the interval of V_T.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=2000)
    >>> tea = rng.random(2000) < 0.7
    >>> votes = Votes(("tea", "coffee"), first, 1 - first, np.where(first == 0, tea, ~tea))
    >>> found = world(votes, periods=20)
    >>> found.world, found.V_T < found.observed
    (Recorded(K=2, T=2000, periods=20, interpolate=True), True)
    """
    n = len(votes)
    if not n:
        raise checks.refuse("votes", "at least one", checks.Shown("none"))
    if periods is None:
        periods = min(max(n // (ENOUGH * votes.K), 1), MOST_PERIODS)
    periods = checks.whole("periods", periods, low=1, high=n)
    edges = np.linspace(0, n, periods + 1).astype(int).tolist()
    strengths, errors, noise = [], [], coins(votes)
    for begin, end in itertools.pairwise(edges):
        part = votes[begin:end]
        found = fit(part)
        strengths.append(found.strengths)
        less = np.eye(votes.K) - 1 / votes.K
        errors.append(np.sqrt(np.diag(less @ found.inverse[:-1, :-1] @ less) * noise))
    rounds = n if T is None else T
    return world_of(np.array(strengths), np.array(errors), T=rounds, names=votes.names, seed=seed)


def world_of(
    strengths: ArrayLike,
    errors: ArrayLike,
    *,
    T: int,
    names: tuple[str, ...] | None = None,
    seed: int = 0,
) -> FittedWorld:
    """A `Recorded` world like the one that the votes came from.

    The strengths of each period are fitted from its own votes alone, so they jump about even where
    tastes stand still. The model is a walk seen through noise: strength(m, i) is the true one plus
    an error of the given standard deviation, independent between periods, and the true one moves by
    N(0, drift^2) from period to period, with the same drift for all arms. The likelihood weighs a
    grid of drifts and no drift at all, which has a tenth of the prior weight. For each drift the
    true strengths are smoothed (Kalman; Rauch, Tung and Striebel, 1965), and means and variances
    are mixed by its weight. The matrices are Bradley-Terry's.

    V_T, the sum over periods of the largest change of an entry of P, is reported three times: as
    observed, which noise makes too large; of the smoothed world, which is too small; and over paths
    drawn given the strengths, the drift of each by its weight: their median and an interval.

    If tastes jump now and then instead of walking, the smoothed world blurs the jumps.

    Parameters
    ----------
    strengths, errors
        (periods, K): Bradley-Terry strengths of each period's votes, and their standard errors.
    T
        Number of rounds of the world.
    names
        Names of the arms; numbers if None.
    seed
        Seed of the paths drawn for the interval.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> still = np.array([0.5, 0.0, -0.5]) + 0.2 * rng.standard_normal((40, 3))  # noise alone
    >>> found = world_of(still, np.full((40, 3), 0.2), T=10_000)
    >>> found.observed > 2, found.smooth < 0.5, found.world
    (True, True, Recorded(K=3, T=10000, periods=40, interpolate=True))
    """
    theta = checks.array("strengths", strengths, np.float64, (None, None))
    periods, K = theta.shape
    sigma = checks.array("errors", errors, np.float64, (periods, K))
    if periods < 1 or K < 2:
        raise checks.refuse("strengths", "of a period and two arms or more", theta)
    if not np.isfinite(theta).all():
        raise checks.refuse("strengths", "finite", theta)
    if not (np.isfinite(sigma).all() and (sigma > 0).all()):
        raise checks.refuse("errors", "above 0 and finite", sigma)
    called = tuple(str(arm) for arm in range(K)) if names is None else tuple(names)
    noise = sigma**2
    scales, weights = _drifts(theta, noise)
    smooth, spread = _mixed(theta, noise, scales, weights)
    low, middle, high = _variation_bars(theta, noise, scales, weights, streams.generator(seed))
    matrices = _matrices(smooth)
    return FittedWorld(
        world=Recorded(matrices, T, interpolate=True, arms=called),
        names=called,
        strengths=smooth,
        errors=np.sqrt(spread),
        drift=float(scales[np.searchsorted(np.cumsum(weights), 0.5)]),
        moments=_by_moments(theta, noise),
        observed=float(_variation(_matrices(theta))),
        smooth=float(_variation(matrices)),
        V_T=middle,
        V_T_low=low,
        V_T_high=high,
    )


def _by_moments(theta: Floats, noise: Floats) -> float:
    """The standard deviation of a step without noise, by moments, at least 0."""
    if len(theta) < 2:
        return 0.0
    steps = np.diff(theta, axis=0) ** 2 - noise[1:] - noise[:-1]
    return math.sqrt(max(0.0, float(steps.mean())))


def _drifts(theta: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Drifts, from none to what steps show, and their weights given the strengths."""
    if len(theta) < 2:
        return np.zeros(1), np.ones(1)
    largest = 2 * float(np.diff(theta, axis=0).std()) + 1e-9
    least = min(largest / 2, 0.01 * math.sqrt(float(noise.mean())))
    scales = np.concatenate([[0.0], np.geomspace(least, largest, SCALES)])
    likelihood = filtered(theta, noise, scales)[2]
    weights = np.exp(likelihood - likelihood.max())
    weights *= np.concatenate([[STILL], np.full(SCALES, (1 - STILL) / SCALES)])
    return scales, weights / weights.sum()


def filtered(theta: Floats, noise: Floats, scales: Floats) -> tuple[Floats, Floats, Floats]:
    """Means and variances given the periods so far, (drifts, periods, K), and log-likelihoods.

    Nothing is known before the first period, so it is taken as it is.
    """
    mean = np.tile(theta, (len(scales), 1, 1))
    spread = np.tile(noise, (len(scales), 1, 1))
    likelihood, variance = np.zeros(len(scales)), scales[:, None] ** 2
    for m in range(1, len(theta)):
        ahead = spread[:, m - 1] + variance
        wrong, total = theta[m] - mean[:, m - 1], ahead + noise[m]
        mean[:, m] = mean[:, m - 1] + ahead / total * wrong
        spread[:, m] = ahead * noise[m] / total
        likelihood -= 0.5 * (np.log(total) + wrong**2 / total).sum(axis=1)
    return mean, spread, likelihood


def smoothed(theta: Floats, noise: Floats, scales: Floats) -> tuple[Floats, Floats]:
    """Means and variances of the true strengths given all periods, (drifts, periods, K)."""
    mean, spread, _ = filtered(theta, noise, scales)
    variance = scales[:, None] ** 2
    for m in range(len(theta) - 2, -1, -1):
        gain = spread[:, m] / (spread[:, m] + variance)
        mean[:, m] += gain * (mean[:, m + 1] - mean[:, m])
        spread[:, m] += gain**2 * (spread[:, m + 1] - spread[:, m] - variance)
    return mean, spread


def _mixed(theta: Floats, noise: Floats, scales: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Means and variances of the true strengths, over all drifts."""
    means, spreads = smoothed(theta, noise, scales)
    mean = np.tensordot(weights, means, 1)
    return mean, np.tensordot(weights, spreads + (means - mean) ** 2, 1)


def backwards(
    theta: Floats, noise: Floats, scales: Floats, rng: np.random.Generator
) -> Iterator[Floats]:
    """(draws, K): true strengths drawn given those observed, from the last period to the first.

    A path for each scale.
    """
    scales, which = np.unique(scales, return_inverse=True)
    mean, spread, _ = filtered(theta, noise, scales)
    shape = len(which), theta.shape[1]
    here = mean[which, -1] + np.sqrt(spread[which, -1]) * rng.standard_normal(shape)
    yield here
    for m in range(len(theta) - 2, -1, -1):
        gain = spread[:, m] / (spread[:, m] + scales[:, None] ** 2)
        left = np.sqrt(spread[:, m] * (1 - gain))[which] * rng.standard_normal(shape)
        here = mean[which, m] + gain[which] * (here - mean[which, m]) + left
        yield here


def _variation_bars(
    theta: Floats, noise: Floats, scales: Floats, weights: Floats, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Low end, median and high end of V_T over paths drawn given the strengths."""
    drawn = scales[rng.choice(len(scales), DRAWS, p=weights)]
    found, later = np.zeros(DRAWS), None
    for strengths in backwards(theta, noise, drawn, rng):
        P = _matrices(strengths)
        if later is not None:
            found += np.abs(later - P).max(axis=(1, 2))
        later = P
    low, middle, high = np.quantile(found, [(1 - CHANCE) / 2, 0.5, (1 + CHANCE) / 2])
    return float(low), float(middle), float(high)


def _matrices(theta: Floats) -> Floats:
    """(periods, K, K): Bradley-Terry's, with P + P' = 1 to the last bit."""
    P = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))
    upper = np.triu(P, 1)
    K = theta.shape[1]
    return np.asarray(upper + np.tril(1 - np.swapaxes(upper, 1, 2), -1) + np.eye(K) / 2)


def _variation(P: Floats) -> float:
    """V_T: the sum over periods of the largest change of an entry."""
    return float(np.abs(np.diff(P, axis=0)).max(axis=(1, 2), initial=0.0).sum())


# --- What a learner would have saved -------------------------------------------------------------

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
