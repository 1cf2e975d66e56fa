"""Best responses to the arms shown recently, under preferences drawn from what is known.

y is the mixture of the arms shown recently. Given a start for every arm, the preference of i over j
has the law Beta(wins + 1, losses + 1) of their duels since the later start, LIFT more for whoever
changed later. What i gains against y is then a weighted sum, drawn as a normal number of the same
mean and variance. `m` are Ages, `n` AgesNumbers.
"""

import math

from sparring._kernels.ages import FLOOR, LIFT, position
from sparring._kernels.draws import normals
from sparring._kernels.jit import inline

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
SPAN = 20.0  # rounds that y remembers for each arm ...
PART = 0.01  # ... and this part of the reign of the arm shown most
THIN = 0.001  # arms below this share of the largest do not count as opponents: it saves time
NONE = -1


@inline
def quantile(i, u, m):
    """The position at which the weight of arm i exceeds u."""
    u -= m.A[i, 0]
    q = 0
    while u >= 0.0 and q < m.counter[0] - 1:
        q += 1
        u -= m.A[i, q]
    return q


@inline
def draw_starts(m, n):
    """A position for every arm, from its posterior.

    By the golden rotation instead of chance: each start comes up as often as its weight says, but
    evenly, so no arm that may have risen waits long for its turn.
    """
    for i in range(n.K):
        m.phase[i] = (m.phase[i] + GOLDEN) % 1.0
        m.drawn[i] = quantile(i, m.phase[i], m)


@inline
def find_rivals(m, n):
    """List the arms of y that count; returns how many they are."""
    top, found = 0.0, 0
    for j in range(n.K):
        top = max(top, m.y[j])
    for j in range(n.K):
        if m.y[j] > THIN * top:
            m.rivals[found] = j
            found += 1
    return found


@inline
def draw_normals(m, n):
    """Fill z."""
    for i in range(0, n.K, 2):
        m.z[i], m.z[i + 1] = normals(m.words)


@inline
def value(i, starts, rivals, m):
    """The mean and the variance of what i gains against y, if these are the starts."""
    mean, variance = 0.0, 0.0
    for place in range(rivals):
        j = m.rivals[place]
        if j != i:
            a, b = starts[i], starts[j]
            slot = m.slot[max(a, b)]
            wins = m.W[slot, i, j] + (1.0 + LIFT if a > b else 1.0)
            losses = m.W[slot, j, i] + (1.0 + LIFT if b > a else 1.0)
            both = wins + losses
            share = wins / both
            mean += m.y[j] * (share - 0.5)
            variance += m.y[j] * m.y[j] * share * (1.0 - share) / (both + 1.0)
    return mean, variance


@inline
def best_response(starts, rivals, skipped, m, n):
    """The arm, other than `skipped`, that gains most against y under drawn preferences."""
    draw_normals(m, n)
    best, arm = -math.inf, 0
    for i in range(n.K):
        if i != skipped:
            mean, variance = value(i, starts, rivals, m)
            gain = mean + math.sqrt(variance) * m.z[i]
            if gain > best:
                best, arm = gain, i
    return arm


@inline
def remember(row, col, m, n):
    """Count a round into y; with `differ` an arm shown for want of another is no part of it."""
    keep = 1.0 - 1.0 / (SPAN * n.K + PART * m.reign[1])
    for k in range(n.K):
        m.y[k] = max(keep * m.y[k], FLOOR)
    m.y[row] += 0.5 * (1.0 - keep)
    m.y[row if n.differ == 1 else col] += 0.5 * (1.0 - keep)


@inline
def follow(m):
    """Take over the starts of a suspicion; whether there is one that may be asked about."""
    if m.suspicion[1] == NONE or m.odds[1] > 2.0 * m.odds[2]:
        return False
    m.drawn[m.suspicion[1]] = position(m.suspicion[3], m)
    m.drawn[m.suspicion[2]] = position(m.suspicion[4], m)
    return True


@inline
def choose(note, m, n):
    """The next pair. Its note: duels told, the suspicion followed, the drawn starts of both."""
    rivals = find_rivals(m, n)
    row = best_response(m.median, rivals, NONE, m, n)
    m.counter[2] = row
    draw_starts(m, n)
    following = follow(m)
    col = best_response(m.drawn, rivals, row if n.differ == 1 else NONE, m, n)
    if following and row == col:
        m.suspicion[1] = NONE  # nothing will be learnt of it
    elif following:
        m.odds[1] += 1.0
    note[0] = m.counter[1]
    note[1] = m.suspicion[0] if following else NONE
    note[2] = m.start[m.drawn[row]]
    note[3] = m.start[m.drawn[col]]
    # y is what was shown, not what was learnt: late answers must not make it late.
    remember(row, col, m, n)
    return row, col
