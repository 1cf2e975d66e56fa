"""Double Thompson sampling (Wu and Liu 2016), with as few draws as decide.

The row arm wins most of its duels under preferences theta(i, j) drawn from the posterior
Beta(W(i, j) + 1, W(j, i) + 1), among the candidates: the arms that may have the highest Copeland
score. The column arm does best against it under a second draw, among those that do not surely beat
it. `m` are Counts, `n` CountsNumbers.

**The row arm.** A lone candidate needs no draw. Else candidates are gone through from the last row
arm on, after the last arm the first; each one's duels in the same order, without those drawn
before. A duel is one uniform: i wins if it is below P(theta(i, j) > 1/2), and j loses it as well.
Who lost more than a candidate that has all its duels is given up, and the rest of its duels are
left undrawn: whatever they were, the same arms would have lost least. Of these any is taken, each
in turn replacing the one before with chance 1 / (how many there were).

**The column arm.** In order, each arm has a Beta draw; but if it is well behind, first one uniform
for whether the draw is above 1/2, which is what the row arm has against itself, and if it is, the
draw given that.

**Chances.** P(theta(i, j) > 1/2) is kept in `divergence` from when it was last needed, times the
unit of then: [i, j] and [j, i] sum to that unit. A duel of the pair sets both to 0. With discount
the counts shrink by a factor c meanwhile, and the chance moves by |ln c| / 2 at most: its
derivative by ln c is a covariance of an indicator with the logarithm of the density, whose variance
is at most 1 as the density is log-concave (Fradelizi, Madiman and Wang 2016). Nor does it move by
more than 0.65 times what N was, since the variances of ln theta and ln(1 - theta) are at most
pi^2 / 6. Only if the uniform is as near as that to the chance, it is computed anew. So what is kept
saves time and changes nothing.
"""

from sparring._kernels.chances import beyond, chance, unlikely
from sparring._kernels.draws import below, beta, uniform
from sparring._kernels.jit import inline
from sparring._kernels.losses import fewest, limit_of, surely_loses


@inline
def doubt(m, i, j):
    """Have a pair's chance computed again: it had a duel, or one was forgotten."""
    m.divergence[i, j] = 0.0
    m.divergence[j, i] = 0.0


@inline
def wins(m, i, j):
    """Whether theta(i, j) > 1/2 in a new draw."""
    u, unit = uniform(m.words), m.unit[0]
    then = m.divergence[i, j] + m.divergence[j, i]
    if then > 0.0:
        apart = abs(u * then - m.divergence[i, j])
        if apart > 0.5 * (unit - then) or apart > 0.65 * (m.W[i, j] + m.W[j, i]):
            return u * then < m.divergence[i, j]
    p = chance(m.W[i, j] / unit, m.W[j, i] / unit)
    m.divergence[i, j] = p * unit
    m.divergence[j, i] = (1.0 - p) * unit
    return u < p


@inline
def candidates(m, n, least):
    """How many arms have the least sure losses, and the last of them."""
    found, last = 0, 0
    for i in range(n.K):
        if m.order[0, i] == least:
            found += 1
            last = i
    return found, last


@inline
def draw_duels(m, n, first, x, limit):
    """Draw the duels of the arm at place x until it has lost more than `limit`.

    scratch[0] is how many each arm lost, scratch[1] how many places its duels were drawn for.
    """
    i = (first + x) % n.K
    y, j, lost = 0, first, m.scratch[0, i]
    while y < n.K and lost <= limit:
        drawn = y < x and m.scratch[1, j] > x
        if not drawn and y != x:
            won = 1.0 if wins(m, i, j) else 0.0  # without a branch: nobody could foretell it
            m.scratch[0, j] += won
            lost += 1.0 - won
        y += 1
        j = j + 1 if j + 1 < n.K else 0
    m.scratch[0, i] = lost
    m.scratch[1, i] = y


@inline
def champion(m, n, least):
    """The candidate that loses fewest of its duels; any of those that tie."""
    number, c = candidates(m, n, least)
    if number > 1:
        first, lost, ties = max(m.favourite[0], 0), n.K, 0
        for i in range(n.K):
            m.scratch[0, i] = 0.0
            m.scratch[1, i] = 0.0
        for x in range(n.K):
            i = (first + x) % n.K
            if m.order[0, i] == least:
                draw_duels(m, n, first, x, lost)
                if m.scratch[0, i] <= lost:
                    ties = 1 if m.scratch[0, i] < lost else ties + 1
                    lost = int(m.scratch[0, i])
                    if ties == 1 or below(m.words, ties) == 0:
                        c = i
    m.favourite[0] = c
    return c


@inline
def challenger(m, n, c, limit):
    """Who does best against c under a second draw, of those that do not surely beat it."""
    most, d = 0.5, c  # against itself c does just that
    for i in range(n.K):
        if i != c and not surely_loses(m, c, i, limit):
            w, l, drawn = m.W[i, c] / m.unit[0], m.W[c, i] / m.unit[0], 0.0
            if not unlikely(w, l):
                drawn = beta(m.words, w + 1.0, l + 1.0)
            elif wins(m, i, c):
                drawn = beyond(m.words, w, l)
            if drawn > most:
                most, d = drawn, i
    return d


@inline
def choose(m, n):
    """The next pair."""
    limit = limit_of(m, n)
    c = champion(m, n, fewest(m, n, limit))
    return c, challenger(m, n, c, limit)
