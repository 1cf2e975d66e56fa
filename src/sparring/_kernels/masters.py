"""Bandit over bandit: for each of two players, an EXP3 that chooses its rates block by block.

A master is paid by its own player's wins: what both players win together is 1 in every duel,
whatever they do. A duel pays the base it was asked with, also if the answer comes in a later block;
the note ends with each player's base and the chance it was chosen with.
"""

from sparring._kernels.draws import arm
from sparring._kernels.jit import inline
from sparring._kernels.logweights import add, mix


@inline
def sign(note, m, n):
    """Note who plays."""
    for player in range(2):
        note[2 * n.K + 2 * player] = m.base[player]
        note[2 * n.K + 2 * player + 1] = m.q[player, m.base[player]]


@inline
def begin(m, n):
    """A block begins: each master draws a base, which starts afresh."""
    for player in range(2):
        mix(m.master_high[player], m.master_low[player], n.mixing, m.q[player])
        m.base[player] = arm(m.words, m.q[player], m.q.shape[1])
        for k in range(n.K):
            m.p[player, k] = 1.0 / n.K
            m.high[player, k] = 0.0
            m.low[player, k] = 0.0


@inline
def judge(o, note, m, n):
    """Pay gamma r / (J q) with r = win / block, and end the block when it is full."""
    rate = n.mixing / (n.block * m.q.shape[1])
    for player in range(2):
        reward = o if player == 0 else 1.0 - o
        base = int(note[2 * n.K + 2 * player])
        chance = note[2 * n.K + 2 * player + 1]
        add(m.master_high[player], m.master_low[player], base, rate * reward / chance)
    if m.told[0] % n.block == 0:
        begin(m, n)
