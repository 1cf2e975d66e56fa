"""Bradley-Terry strengths of weighted votes, exactly, with what their errors are made of."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.votes.values import Votes

Floats = NDArray[np.float64]

RIDGE = 1.0  # strengths are about 1 apart: a weak prior, worth about four votes an arm
SIDE_RIDGE = 4.0  # a side is worth about 1/2
STEPS = 200
CLOSE = 1e-12
FARTHEST = 2.0  # a step of Newton's method at most, so that it does not overshoot
MOST_ARMS = 2_000


class Fit(NamedTuple):
    """Strengths and their covariances."""

    strengths: Floats
    """(K,): they sum to 0. i beats j with the chance logistic(strengths[i] - strengths[j])."""
    covariance: Floats
    """(K, K): of the strengths now, noise of votes and drift within the memory together."""
    sampling: Floats
    """(K, K): the part of it that is noise of votes: the sandwich."""
    side: float
    """How much it helps to be shown first, in units of strength; 0 if that is not estimated."""
    side_error: float
    """Its standard error."""
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
    r"""Bradley-Terry strengths with memory.

    A vote of age a counts w = 2^(-a / half-life), times its own weight. The strengths maximise

        sum of w (o ln p + (1 - o) ln(1 - p)) - ridge/2 |strengths|^2,  p = logistic(s_i - s_j).

    With H the sum of w p(1 - p) z z' and the ridge, z = e_i - e_j, G the sum of w^2 (o - p)^2 z z'
    and H2 that of w^2 p(1 - p) z z', noise of the votes has the covariance H^-1 G H^-1, whatever
    the model (the sandwich). Strengths that move as a random walk, for which the memory is as long
    as it should be, add H^-1 - H^-1 H2 H^-1: half the variance, where memory is short beside the
    votes, as of a Kalman filter in its steady state. Without forgetting H2 is H, and it is nought.

    Parameters
    ----------
    votes
        The votes.
    half_life
        On the clock of the votes: days or votes. Infinite: nothing is forgotten.
    ridge
        The prior's precision. 0: none; then no arm may have won or lost all its votes.
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
    K = votes.K
    demand_few(K)
    age = votes.clock[-1] - votes.clock if len(votes) else votes.clock
    fading = np.exp2(-age / half_life) if np.isfinite(half_life) else np.ones(len(votes))
    met, won = votes.sums(fading), votes.sums(fading * votes.outcome)
    strengths = np.zeros(K) if start is None else start - start.mean()
    edge = 0.0
    side_ridge = SIDE_RIDGE if side else np.inf
    for _ in range(STEPS):
        H, gain = _newton(met, won, strengths, edge, ridge, side_ridge)
        step = np.linalg.lstsq(H, gain, rcond=1e-13)[0] if ridge == 0 else np.linalg.solve(H, gain)
        step *= min(1.0, FARTHEST / max(float(np.abs(step).max()), FARTHEST))
        strengths = strengths + step[:K]
        edge += float(step[K])
        if np.abs(step).max() < CLOSE:
            break
    else:
        raise ValueError(
            "the strengths do not settle: with ridge = 0 no arm may have won or lost all its "
            f"votes, nor may a group of arms; take a ridge above 0, such as {RIDGE:g}"
        )
    p = _chances(strengths, edge)
    miss = votes.outcome - p[votes.first, votes.second]
    squared = fading**2 * miss**2 * (1.0 if votes.weight is None else votes.weight)
    inverse = np.linalg.pinv(H, hermitian=True) if ridge == 0 else np.linalg.inv(H)
    noise = inverse @ _outer(votes.sums(squared), K) @ inverse
    faded = met - votes.sums(fading**2)  # nought without forgetting
    drift = inverse @ _outer(faded * p * (1 - p), K) @ inverse
    centre = np.eye(K) - 1 / K
    sampling = centre @ noise[:K, :K] @ centre
    moved = centre @ drift[:K, :K] @ centre
    return Fit(
        strengths - strengths.mean(),
        sampling + moved,
        sampling,
        edge,
        float(np.sqrt(max(noise[K, K] + drift[K, K], 0.0))) if side else 0.0,
        float(met.sum()),
    )


def demand_few(K: int) -> None:
    """Refuse more arms than a matrix of pairs should have."""
    if K > MOST_ARMS:
        remedy = "Take the arms with most votes: read(..., most=100), or --most 100"
        raise checks.refuse(
            "votes", f"on at most {MOST_ARMS:,} arms", checks.Shown(f"{K:,}"), remedy
        )


def _chances(strengths: Floats, edge: float) -> Floats:
    lead = strengths[:, None] - strengths[None, :] + edge
    found: Floats = 1 / (1 + np.exp(-lead))
    return found


def _newton(
    met: Floats, won: Floats, strengths: Floats, edge: float, ridge: float, side_ridge: float
) -> tuple[Floats, Floats]:
    """The matrix and the gradient of Newton's step, the side last."""
    K = len(strengths)
    p = _chances(strengths, edge)
    H = _outer(met * p * (1 - p), K)
    H[np.arange(K), np.arange(K)] += ridge
    miss = won - met * p
    gain = np.append(miss.sum(1) - miss.sum(0) - ridge * strengths, 0.0)
    if np.isfinite(side_ridge):
        H[K, K] += side_ridge
        gain[K] = miss.sum() - side_ridge * edge
    else:  # the side stays 0
        H[K, :], H[:, K], H[K, K] = 0.0, 0.0, 1.0
    return H, gain


def _outer(weights: Floats, K: int) -> Floats:
    """(K + 1, K + 1): the sum of weights[i, j] z z' with z = e_i - e_j + e_side."""
    H = np.empty((K + 1, K + 1))
    both = weights + weights.T
    H[:K, :K] = -both
    H[np.arange(K), np.arange(K)] += both.sum(1)
    H[:K, K] = H[K, :K] = weights.sum(1) - weights.sum(0)
    H[K, K] = weights.sum()
    return H
