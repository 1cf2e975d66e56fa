"""Exact Bradley-Terry strengths from fading votes, and each vote's part in them.

Three other functions fit the same model, and replacing one by another would change numbers:
`planning.fit` fits thousands of small tables at once, `watching.strongest` finds the first among
arms of which few have met, and `_strengths` follows the votes and never fits exactly.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.votes.values import Votes

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
