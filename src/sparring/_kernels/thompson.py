"""Double Thompson sampling (Wu and Liu 2016).

The row arm wins most of its duels under preferences drawn from the posterior Beta(W(i, j) + 1,
W(j, i) + 1), among the arms that may have the highest Copeland score. The column arm does best
against it under a second draw, among those that do not surely beat it. Only the draws that count
are made. `m` are Counts, `n` Numbers.
"""

from sparring._kernels.draws import below, beta
from sparring._kernels.jit import inline
from sparring._kernels.normals import log_of


@inline
def width(m, n):
    """alpha ln t, where t is one more than the rounds that are remembered."""
    return n.alpha * log_of(1.0 + m.mass[0])


@inline
def surely_loses(m, i, j, wide):
    """Whether mu(i, j) + sqrt(alpha ln t / N(i, j)) <= 1/2, without the root."""
    both = (m.W[i, j] + m.W[j, i]) / m.unit[0]
    lead = m.W[i, j] / m.unit[0] - 0.5 * both
    return lead < 0.0 and lead * lead >= wide * both


@inline
def theta(m, i, j):
    """A draw of the chance that i beats j."""
    return beta(m.words, m.W[i, j] / m.unit[0] + 1.0, m.W[j, i] / m.unit[0] + 1.0)


@inline
def mark_candidates(m, n, wide):
    """scratch[0] is 1 for the arms whose upper Copeland score is highest, else 0."""
    most = 0.0
    for i in range(n.K):
        score = 0.0
        for j in range(n.K):
            score += 1.0 if j != i and not surely_loses(m, i, j, wide) else 0.0
        m.scratch[0, i] = score
        most = max(most, score)
    for i in range(n.K):
        m.scratch[0, i] = 1.0 if m.scratch[0, i] == most else 0.0


@inline
def draw_duels(m, n):
    """scratch[1] is how many duels each candidate wins under drawn preferences."""
    for i in range(n.K):
        m.scratch[1, i] = 0.0
    for i in range(n.K):
        for j in range(i + 1, n.K):
            if m.scratch[0, i] + m.scratch[0, j] > 0.0:
                drawn = theta(m, i, j)
                m.scratch[1, i] += 1.0 if drawn > 0.5 else 0.0
                m.scratch[1, j] += 1.0 if drawn < 0.5 else 0.0


@inline
def champion(m, n):
    """The candidate that wins most of them; any of those that tie."""
    most, ties, c = -1.0, 0, 0
    for i in range(n.K):
        if m.scratch[0, i] > 0.0 and m.scratch[1, i] >= most:
            ties = 1 if m.scratch[1, i] > most else ties + 1
            most = m.scratch[1, i]
            if ties == 1 or below(m.words, ties) == 0:
                c = i
    return c


@inline
def challenger(m, n, c, wide):
    """Who does best against c under a second draw, of those that do not surely beat it."""
    most, d = 0.5, c  # against itself c does just that
    for i in range(n.K):
        if i != c and not surely_loses(m, c, i, wide):
            drawn = theta(m, i, c)
            if drawn > most:
                most, d = drawn, i
    return d


@inline
def choose(m, n):
    """The next pair."""
    wide = width(m, n)
    mark_candidates(m, n, wide)
    draw_duels(m, n)
    c = champion(m, n)
    return c, challenger(m, n, c, wide)
