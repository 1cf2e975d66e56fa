"""Who meets whom, if all that is known of an arm is a rating and how much it is in doubt.

`mu` (K,): ratings. `variance` (K,): their doubt. `n` has K, the rule, and for those that need it
`explore` and `scale`, which makes log-odds of a difference of ratings.
"""

import math

from sparring._kernels.draws import below, normals, uniform
from sparring._kernels.exact import grow
from sparring._kernels.jit import inline

ANY, NEAR, GREEDY, THOMPSON, TOP_TWO = range(5)  # the rules
FARTHEST = 500.0  # log-odds; beyond it a chance is 0 or 1, and a power would overflow


@inline
def logistic(x):
    """1 / (1 + e^-x)."""
    return 1.0 / (1.0 + grow(1.0, -min(max(x, -FARTHEST), FARTHEST)))


@inline
def leader(mu, K):
    """The arm of the highest rating; the first of equals."""
    best = 0
    for k in range(1, K):
        if mu[k] > mu[best]:
            best = k
    return best


@inline
def any_two(words, K):
    """Two different arms, each pair as likely."""
    row = below(words, K)
    col = below(words, K - 1)
    return row, col + 1 if col >= row else col


@inline
def quality(mu, row, k, scale):
    """How open a match is: the variance p (1 - p) of its outcome, by the ratings."""
    p = logistic(scale * (mu[row] - mu[k]))
    return p * (1.0 - p)


@inline
def near(mu, words, K, scale):
    """The leader, and another arm in proportion to how open their match is."""
    row = leader(mu, K)
    total = 0.0
    for k in range(K):
        if k != row:
            total += quality(mu, row, k, scale)
    rest = uniform(words) * total
    col = -1
    for k in range(K):
        if k != row and (col < 0 or rest >= 0.0):
            col = k
            rest -= quality(mu, row, k, scale)
    return row, col


@inline
def drawn(mu, variance, words, K, apart):
    """The best arm of one draw from the ratings' doubt, and the best of another.

    If they have to be apart, the second draw's best among the others.
    """
    row, col, runner_up = -1, -1, -1
    highest, high, lower = 0.0, 0.0, 0.0
    for k in range(K):
        deviation = math.sqrt(variance[k])
        z, y = normals(words)
        z = mu[k] + deviation * z
        y = mu[k] + deviation * y
        if row < 0 or z > highest:
            row, highest = k, z
        if col < 0 or y > high:
            runner_up, lower = col, high
            col, high = k, y
        elif runner_up < 0 or y > lower:
            runner_up, lower = k, y
    return row, runner_up if apart and col == row else col


@inline
def pair(mu, variance, words, n):
    """The pair that the rule chooses now."""
    if n.pairing == ANY:
        return any_two(words, n.K)
    if n.pairing == NEAR:
        return near(mu, words, n.K, n.scale)
    if n.pairing == GREEDY:
        if uniform(words) < n.explore:
            return any_two(words, n.K)
        best = leader(mu, n.K)
        return best, best
    return drawn(mu, variance, words, n.K, n.pairing == TOP_TWO)
