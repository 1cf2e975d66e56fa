"""Sure losses: which arms lose beyond doubt, counted anew only where that may have changed.

Arm i surely loses to j if U(i, j) = mu(i, j) + sqrt(alpha ln t / N(i, j)) < 1/2. Without root and
division: W(j, i) - W(i, j) > 0, and its square is above 4 alpha ln t N(i, j). There is no tie, as
ln t is irrational. While a pair's counts stay, and also while they shrink by a discount, a sure
loss can only cease, since t, the rounds remembered and one more, does not fall. So an arm's losses
are counted again only after a duel of its own or when the limit has reached the least certain.
`m` are Counts, `n` CountsNumbers; `limit` is 4 alpha ln t, in units of `unit`.
"""

from sparring._kernels.jit import inline
from sparring._kernels.normals import log_of

FAR = 2.0**400  # instead of the least of no numbers
MARGIN = 1.0 + 1e-12  # more than rounding makes of a quotient


@inline
def limit_of(m, n):
    """4 alpha ln t, where t is one more than the rounds that are remembered."""
    return 4.0 * (n.alpha * log_of(1.0 + m.mass[0])) * m.unit[0]


@inline
def surely_loses(m, i, j, limit):
    """Whether U(i, j) < 1/2; never for i = j, nor for a pair that did not meet."""
    behind = m.W[j, i] - m.W[i, j]
    if limit <= 0.0:  # the square might be 0 where discounted counts are tiny
        return behind > 0.0
    return behind > 0.0 and behind * behind > limit * (m.W[i, j] + m.W[j, i])


@inline
def doubt(m, i):
    """Have the losses of an arm counted again: it had a duel, or one was forgotten."""
    m.order[1, i] = 0


@inline
def recount(m, n, i, limit):
    """Count the sure losses of an arm, and find the least certain of them."""
    number, least = 0, FAR
    for j in range(n.K):
        if surely_loses(m, i, j, limit):
            behind = m.W[j, i] - m.W[i, j]
            least = min(least, behind * behind / (m.W[i, j] + m.W[j, i]))
            number += 1
    m.order[0, i] = number
    m.order[1, i] = 1
    m.evidence[i] = least


@inline
def fewest(m, n, limit):
    """Bring order[0], the sure losses of each arm, up to date; returns the least of them."""
    least = n.K
    for i in range(n.K):
        if m.order[1, i] == 0 or m.evidence[i] <= limit * MARGIN:
            recount(m, n, i, limit)
        least = min(least, m.order[0, i])
    return least
