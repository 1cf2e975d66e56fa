"""A tracker under audit: somebody else tries to beat what it shows, and may hand its epoch over.

A round is an audit with chance EPS: one of the two arms the tracker chose, by a fair coin, meets an
arm drawn from q = (1 - gamma) w + gamma / K, where w are the exponential weights with share of an
auditor who is paid for wins. If its wins exceed LIMIT, SYM-EXP3.S plays the rest of the epoch. The
tracker learns from all duels. docs/theory.md has what this is good for, Theorems 9 and 10.

`a` are Audits, `m` and `n` a tracker's Ages and AgesNumbers, `plan` (epochs, 9) has a row for each
epoch. A note ends with the kind of the round, its epoch, EPS and what arms were drawn from.
"""

import math
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from sparring._kernels import adaptive, ages, responses
from sparring._kernels.arithmetic import grow
from sparring._kernels.certifying import psi
from sparring._kernels.draws import arm, uniform
from sparring._kernels.jit import Floats, Ints, inline, kernel, online
from sparring._kernels.logweights import normalise

PLAIN, AUDIT, SAFE = 0.0, 1.0, 2.0  # kinds of rounds
# Columns of the plan; those of SYM-EXP3.S come last.
LENGTH, EPS, ETA, GAMMA, ALPHA, LIMIT, SAFE_ETA, SAFE_GAMMA, SAFE_ALPHA = range(9)
KIND, WHEN, CHANCE, DRAWN = 4, 5, 6, 7  # places in a note; from the last on there are K
EPOCH, TOLD, HANDED_OVER = 0, 1, 2  # of `clock`
ROUNDS, AUDITS, WAITING = 0, 1, 2  # of `tally`
RATES = 4.0 ** -np.arange(1, 13)  # lambda of Theorem 10: good from a thousand rounds to 1e12


class Audits(NamedTuple):
    """What is known of the tracker by auditing it."""

    auditor: Floats
    """(K,): its weights w, normalised."""
    keeper: Floats
    """(K,): those of SYM-EXP3.S."""
    wins: Floats
    """(1,): the sum of w x over the epoch, x(k) the estimate of what k wins of the tracker."""
    clock: Ints
    """(3,): the epoch, duels told of it, whether it was handed over."""
    alarms: Ints
    """(epochs,): the duels told when each epoch was handed over, or 0."""
    estimate: Floats
    """(K,): the sum of x over all audits, those without an answer counted as won."""
    charges: Floats
    """(12, K): the sum of psi over all rounds under audit, for each rate."""
    tally: Ints
    """(3,): rounds under audit, audits among them, and rounds that are not in `charges` yet."""


# All that changes: the audits, then what the tracker knows.
GuardMemory: Any = namedtuple("GuardMemory", Audits._fields + ages.Ages._fields)  # type: ignore[misc]
FIRST = len(Audits._fields)  # where in a memory the tracker's begins
TRACKER = len(ages.AgesNumbers._fields)  # and in the numbers the plan


@inline
def mixed(w, gamma, k):
    """The chance of arm k."""
    return (1.0 - gamma) * w[k] + gamma / w.size


@inline
def share(w, alpha):
    """w(k) <- (w(k) + e alpha) / sum; before some arms grew, the sum was 1."""
    for k in range(w.size):
        w[k] += math.e * alpha
    normalise(w, 0.0)


@inline
def add_psi(rounds, chance, k, charges):
    """Of so many rounds in each of which arm k met the tracker's with this chance."""
    for g in range(RATES.size):
        charges[g, k] += rounds * psi(RATES[g], chance)


@inline
def charge(a, plan):
    """Add psi for the rounds since w changed last."""
    e = a.clock[EPOCH]
    for k in range(a.auditor.size):
        chance = plan[e, EPS] * mixed(a.auditor, plan[e, GAMMA], k)
        add_psi(a.tally[WAITING], chance, k, a.charges)
    a.tally[WAITING] = 0


@inline
def begin(e, a, plan):
    """Epoch e: nobody has won anything yet."""
    charge(a, plan)
    for k in range(a.auditor.size):
        a.auditor[k] = 1.0 / a.auditor.size
        a.keeper[k] = 1.0 / a.auditor.size
    a.wins[0] = 0.0
    a.clock[EPOCH] = min(e, plan.shape[0] - 1)
    a.clock[TOLD] = 0
    a.clock[HANDED_OVER] = 0


@inline
def withdraw(row, col, note, m):
    """These arms are shown in place of the tracker's: no suspicion was followed."""
    if note[1] != responses.NONE and m.suspicion[1] != responses.NONE:
        m.odds[1] -= 1.0
    note[1] = responses.NONE
    note[2] = m.start[m.drawn[row]]
    note[3] = m.start[m.drawn[col]]


@inline
def audit(row, col, note, a, m):
    """One of the tracker's arms, and who is to beat it; until the answer comes, it has won."""
    shown = row if uniform(m.words) < 0.5 else col
    k = arm(m.words, note[DRAWN:], a.auditor.size)
    a.tally[AUDITS] += 1
    if k != shown:
        a.estimate[k] += 0.5 / (note[CHANCE] * note[DRAWN + k])
    return shown, k


@inline
def choose(note, a, m, n, plan):
    """The next pair: the tracker's, an audit, or that of SYM-EXP3.S.

    The tracker's mixture y counts what it chose, also where other arms are shown.
    """
    row, col = responses.choose(note, m, n)
    e, handed_over = a.clock[EPOCH], a.clock[HANDED_OVER] == 1
    note[KIND] = PLAIN
    note[WHEN] = e
    note[CHANCE] = plan[e, EPS]
    for k in range(n.K):
        if handed_over:
            note[DRAWN + k] = mixed(a.keeper, plan[e, SAFE_GAMMA], k)
        else:
            note[DRAWN + k] = mixed(a.auditor, plan[e, GAMMA], k)
    if handed_over:
        note[KIND] = SAFE
        row = arm(m.words, note[DRAWN:], n.K)
        col = arm(m.words, note[DRAWN:], n.K)
    else:
        a.tally[ROUNDS] += 1
        a.tally[WAITING] += 1
        if uniform(m.words) < plan[e, EPS]:
            note[KIND] = AUDIT
            row, col = audit(row, col, note, a, m)
    if note[KIND] != PLAIN:
        withdraw(row, col, note, m)
    return row, col


@inline
def judge(x, k, note, a, m, plan):
    """The auditor learns that arm k won x, and hands the epoch over if it won too much."""
    e = a.clock[EPOCH]
    gamma = plan[e, GAMMA]
    charge(a, plan)
    # As of the moment of asking: with a late answer, w has changed since.
    a.wins[0] += x * (note[DRAWN + k] - gamma / a.auditor.size) / (1.0 - gamma)
    a.auditor[k] = grow(a.auditor[k], plan[e, ETA] * x)
    share(a.auditor, plan[e, ALPHA])
    if a.wins[0] > plan[e, LIMIT] and a.clock[HANDED_OVER] == 0:
        a.clock[HANDED_OVER] = 1
        a.alarms[e] = m.counter[1]


@inline
def keep(lead, row, col, note, a, plan):
    """SYM-EXP3.S learns by how much the row arm won: 1, -1, or 0 for a tie."""
    e = a.clock[EPOCH]
    rate = 0.5 * plan[e, SAFE_ETA] * lead
    a.keeper[row] = grow(a.keeper[row], rate / note[DRAWN + row])
    a.keeper[col] = grow(a.keeper[col], -rate / note[DRAWN + col])
    share(a.keeper, plan[e, SAFE_ALPHA])


@inline
def learn(o, row, col, note, a, m, n, plan):
    """The outcome o; only of its own epoch does the auditor, or SYM-EXP3.S, learn anything."""
    adaptive.learn(o, row, col, note, m, n)
    if row == col:  # an arm ties with itself, whatever was told
        o = 0.5
    present = note[WHEN] == a.clock[EPOCH]
    if note[KIND] == AUDIT:
        weight = note[CHANCE] * note[DRAWN + col]
        if row != col:
            a.estimate[col] -= o / weight
        if present:
            judge((0.5 - o) / weight, col, note, a, m, plan)
    elif note[KIND] == SAFE and present:
        keep(2.0 * o - 1.0, row, col, note, a, plan)
    a.clock[TOLD] += 1
    if a.clock[TOLD] >= plan[a.clock[EPOCH], LENGTH]:
        begin(a.clock[EPOCH] + 1, a, plan)


@kernel
def add_rounds(rounds, eps, q, charges):
    """Add to `charges` (12, K) so many rounds with these chances of audits, q (K,) of the arms."""
    for k in range(q.size):
        add_psi(rounds, eps * q[k], k, charges)


@online
def settle(memory, numbers):
    """Bring `charges` up to date."""
    charge(Audits(*memory[:FIRST]), numbers[TRACKER])


@online
def ask(memory, note, numbers):
    """The pair to show next."""
    a, m = Audits(*memory[:FIRST]), ages.Ages(*memory[FIRST:])
    return choose(note, a, m, ages.AgesNumbers(*numbers[:TRACKER]), numbers[TRACKER])


@online
def tell(o, row, col, note, memory, numbers):
    """Learn the outcome o."""
    a, m = Audits(*memory[:FIRST]), ages.Ages(*memory[FIRST:])
    learn(o, row, col, note, a, m, ages.AgesNumbers(*numbers[:TRACKER]), numbers[TRACKER])


@kernel
def play(P, hold, coins, rows, cols, memory, note, numbers):
    """Ask and tell for each coin; returns the rounds played, fewer if a chance is none."""
    a, m = Audits(*memory[:FIRST]), ages.Ages(*memory[FIRST:])
    n, plan = ages.AgesNumbers(*numbers[:TRACKER]), numbers[TRACKER]
    t = 0
    for part in range(hold.shape[0]):
        for _ in range(hold[part]):
            row, col = choose(note, a, m, n, plan)
            rows[t] = row
            cols[t] = col
            chance = P[part, row, col]
            if not 0.0 <= chance <= 1.0:
                return t
            learn(1.0 if coins[t] < chance else 0.0, row, col, note, a, m, n, plan)
            t += 1
    return t
