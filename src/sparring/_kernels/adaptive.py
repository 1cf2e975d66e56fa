"""The learner told nothing: ages of arms, best responses to itself, suspicions followed up.

A duel whose outcome was likelier by the starts drawn for its two arms than by all starts together
raises a suspicion: those starts are kept for the next rounds until that lead is gone. So what may
be a change is looked into at once, and not when it happens to be drawn again.
"""

from sparring._kernels.ages import Ages, AgesNumbers, begin, foretell, position, weigh
from sparring._kernels.draws import uniform
from sparring._kernels.jit import inline, kernel, online
from sparring._kernels.normals import log_of
from sparring._kernels.responses import NONE, best_response, choose, find_rivals, quantile

LEAD = 1e-9  # nats: less is what rounding leaves where two chances are equal, as in a tie


@inline
def suspect(i, j, lead, note, m):
    """Follow a suspicion while it leads; begin one if there is none, or if its answers are late."""
    if note[1] != NONE and note[1] == m.suspicion[0] and m.suspicion[1] != NONE:
        m.odds[0] += lead
        m.odds[2] += 1.0
        if m.odds[0] < LEAD:
            m.suspicion[1] = NONE
    elif lead >= LEAD and (m.suspicion[1] == NONE or m.odds[1] > 2.0 * m.odds[2]):
        m.suspicion[0] += 1
        m.suspicion[1] = i
        m.suspicion[2] = j
        m.suspicion[3] = int(note[2])
        m.suspicion[4] = int(note[3])
        m.odds[0] = lead
        m.odds[1] = 0.0
        m.odds[2] = 0.0


@inline
def learn(o, i, j, note, m, n):
    """The outcome o of a duel asked with this note; one of an arm with itself tells nothing."""
    if i != j:
        foretell(o, i, j, note[0], m)
        a, b = position(note[2], m), position(note[3], m)
        by_note = m.chance[1, a] if a > b else m.chance[2, b] if b > a else m.chance[0, a]
        together = weigh(i, j, m)
        suspect(i, j, log_of(by_note / together), note, m)
    m.counter[1] += 1
    if m.counter[1] % n.K == 0:
        begin(m, n)


@online
def ask(memory, note, numbers):
    """The pair to show next."""
    return choose(note, Ages(*memory), AgesNumbers(*numbers))


@online
def tell(o, row, col, note, memory, numbers):
    """Learn the outcome o."""
    learn(o, row, col, note, Ages(*memory), AgesNumbers(*numbers))


@kernel
def play(P, hold, coins, rows, cols, memory, note, numbers):
    """Ask and tell for each coin; returns the rounds played, fewer if a chance is none."""
    m, n = Ages(*memory), AgesNumbers(*numbers)
    t = 0
    for part in range(hold.shape[0]):
        for _ in range(hold[part]):
            row, col = choose(note, m, n)
            rows[t] = row
            cols[t] = col
            chance = P[part, row, col]
            if not 0.0 <= chance <= 1.0:
                return t
            learn(1.0 if coins[t] < chance else 0.0, row, col, note, m, n)
            t += 1
    return t


@online
def count_best(draws, best, memory, numbers):
    """Count in `best` (K,) how often each arm is the best response under fresh draws of all."""
    m, n = Ages(*memory), AgesNumbers(*numbers)
    rivals = find_rivals(m, n)
    for _ in range(draws):
        for i in range(n.K):
            m.drawn[i] = quantile(i, uniform(m.words), m)
        best[best_response(m.drawn, rivals, NONE, m, n)] += 1
