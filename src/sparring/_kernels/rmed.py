"""RMED1 (Komiyama, Honda, Kashima and Nakagawa 2015): relative minimum empirical divergence.

O(i) are the arms j with mu(i, j) <= 1/2, and I(i) = sum over O(i) of N(i, j) d(mu(i, j), 1/2), d
being the divergence of two coins. I* is the least of them, that of arm i*. Arm i is a candidate
while I(i) - I* <= ln t + f(K). `m` are Counts, `n` CountsNumbers.
"""

from sparring._kernels.jit import inline
from sparring._kernels.normals import log_of

WAITING, LISTED = 1, 2  # an arm yet to come in this list, and one of the next list


@inline
def mean(m, i, j):
    """mu(i, j); 1/2 where nothing is remembered."""
    both = m.W[i, j] + m.W[j, i]
    return m.W[i, j] / both if both > 0.0 else 0.5


@inline
def part(m, i, j):
    """One of the two terms of a divergence from a fair coin, times N."""
    return m.W[i, j] * log_of(2.0 * mean(m, i, j)) if m.W[i, j] > 0.0 else 0.0


@inline
def weigh(m, i, j, n):
    """Bring divergence and evidence up to date for a pair whose counts changed."""
    told = part(m, i, j) + part(m, j, i)  # to the last bit the same for (j, i)
    m.divergence[i, j] = told if mean(m, i, j) <= 0.5 else 0.0
    m.divergence[j, i] = told if mean(m, j, i) <= 0.5 else 0.0
    for k in (i, j):
        total = 0.0
        for l in range(n.K):
            total += m.divergence[k, l]
        m.evidence[k] = total


@inline
def leader(m, n):
    """i*: the arm with the least evidence against it."""
    best = 0
    for k in range(1, n.K):
        best = k if m.evidence[k] < m.evidence[best] else best
    return best


@inline
def enlist(m, n, best):
    """Put every candidate that is not waiting on the next list."""
    limit = m.evidence[best] + m.unit[0] * (log_of(max(m.mass[0], 1.0)) + n.slack)
    for k in range(n.K):
        if m.order[1, k] != WAITING and m.evidence[k] <= limit:
            m.order[1, k] = LISTED


@inline
def begin_list(m, n):
    """Go through the next list, which becomes the present one."""
    length = 0
    for k in range(n.K):
        if m.order[1, k] == LISTED:
            m.order[0, length] = k
            m.order[1, k] = WAITING
            length += 1
    m.place[1] = length
    m.place[2] = 0


@inline
def opponent(m, n, l, best):
    """m(l): i* if it is in O(l) or O(l) is empty, else the arm that beats l most."""
    worst = 0 if l > 0 else 1
    for j in range(n.K):
        if j != l and mean(m, l, j) < mean(m, l, worst):
            worst = j
    if mean(m, l, worst) > 0.5:
        return best
    if l != best and mean(m, l, best) <= 0.5:
        return best
    return worst


@inline
def pair(number, K):
    """The pair of that number, from 0, of all pairs in order."""
    i = 0
    while number >= K - 1 - i:
        number -= K - 1 - i
        i += 1
    return i, i + 1 + number


@inline
def choose(m, n):
    """The next pair: each pair once, then list after list of candidates."""
    if m.place[0] < n.K * (n.K - 1) // 2:
        m.place[0] += 1
        return pair(m.place[0] - 1, n.K)
    best = leader(m, n)
    if m.place[1] == 0:  # the first list has all arms
        for k in range(n.K):
            m.order[1, k] = LISTED
        begin_list(m, n)
    else:
        enlist(m, n, best)
        if m.place[2] == m.place[1]:
            begin_list(m, n)
    l = m.order[0, m.place[2]]
    m.place[2] += 1
    m.order[1, l] = 0
    return l, opponent(m, n, l, best)
