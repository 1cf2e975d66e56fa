"""The fitted world: strengths over time, without mistaking sampling noise for drift."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparring import checks, extras, streams
from sparring.worlds import Recorded

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
