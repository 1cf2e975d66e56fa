"""Players that learn from rewards or losses, each its own slot of a duel or one both: sparring.

The row player's reward is o, the column player's 1 - o, and a loss is 1 minus the reward. With one
player for both slots, its estimate is the mean of the two slots'.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring._kernels.draws import arm
from sparring._kernels.jit import Floats, Ints, inline, kernel, online
from sparring._kernels.logweights import add, mix, normalise, shrunk
from sparring._kernels.tsallis import settle

EXP3, IMPLICIT, TSALLIS = 0, 1, 2  # the rules


class Players(NamedTuple):
    """What the players know, a row each."""

    p: Floats
    """(players, K): what the arms are drawn from."""
    high: Floats
    """(players, K): log-weights, or Tsallis-INF's losses; with a share, p is all there is."""
    low: Floats
    """(players, K): what rounding took from `high`."""
    told: Ints
    """(1,): duels told so far."""
    words: NDArray[np.uint64]
    """The random state."""


class PlayersNumbers(NamedTuple):
    """What tunes them."""

    K: int
    players: int
    rule: int
    eta: float
    gamma: float
    alpha: float


@inline
def choose(note, m, n):
    """Draw the two arms, and note what from."""
    for player in range(n.players):
        for k in range(n.K):
            note[player * n.K + k] = m.p[player, k]
    row = arm(m.words, m.p[0], n.K)
    return row, arm(m.words, m.p[n.players - 1], n.K)


@inline
def credit(player, k, reward, part, chance, m, n):
    """Learn `part` times the estimate from arm k, which was drawn with this chance."""
    loss = part * (1.0 - reward)
    if n.rule == EXP3:
        add(m.high[player], m.low[player], k, part * reward * n.gamma / (n.K * chance))
    elif n.rule == TSALLIS:
        add(m.high[player], m.low[player], k, loss / chance)
    elif n.alpha == 0.0:
        add(m.high[player], m.low[player], k, -n.eta * (loss / (chance + n.gamma)))
    else:
        m.p[player, k] = shrunk(m.p[player, k], -n.eta * (loss / (chance + n.gamma)))


@inline
def refresh(player, m, n):
    """The player's distribution after what it learnt."""
    if n.rule == EXP3:
        mix(m.high[player], m.low[player], n.gamma, m.p[player])
    elif n.rule == TSALLIS:
        settle(m.high[player], m.low[player], m.told[0] + 1.0, m.p[player])
    elif n.alpha == 0.0:
        mix(m.high[player], m.low[player], 0.0, m.p[player])
    else:
        normalise(m.p[player], n.alpha)


@inline
def learn(o, row, col, note, m, n):
    """The outcome o of a duel whose arms were drawn from what the note says."""
    last = n.players - 1
    part = 1.0 / (2 - last)
    credit(0, row, o, part, note[row], m, n)
    credit(last, col, 1.0 - o, part, note[last * n.K + col], m, n)
    m.told[0] += 1
    for player in range(n.players):
        refresh(player, m, n)


@online
def refresh_all(memory, numbers):
    """Every player's distribution, after arms have changed."""
    m, n = Players(*memory), PlayersNumbers(*numbers)
    for player in range(n.players):
        refresh(player, m, n)


@online
def ask(memory, note, numbers):
    """The pair to show next; the note is what it was drawn from."""
    return choose(note, Players(*memory), PlayersNumbers(*numbers))


@online
def tell(o, row, col, note, memory, numbers):
    """Learn the outcome o."""
    learn(o, row, col, note, Players(*memory), PlayersNumbers(*numbers))


@kernel
def play(P, hold, coins, rows, cols, memory, note, numbers):
    """Ask and tell for each coin; returns the rounds played, fewer if a chance is none."""
    m, n = Players(*memory), PlayersNumbers(*numbers)
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
