"""Bandit learners as learners for duels: two that play against each other, or one against itself.

The row player's reward is o, the column player's 1 - o, and a loss is 1 minus the reward. With one
player for both slots, its estimate is the mean of the two slots'.

**Distributions.** `high` and `low` (K,) are sums whose value is high + low, so that 1e8 small steps
leave no trace of rounding: log-weights, or losses. `p` (K,) is a distribution, or what becomes one.
"""

import math
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from sparring import checks, tunings
from sparring._jit import Floats, Ints, Words, inline, online, rounds
from sparring._math import exact_fma, exact_grow
from sparring._random import arm
from sparring.learners.family import Family
from sparring.learners.frame import Built, register
from sparring.problem import LONGEST, Problem
from sparring.streams import Seed
from sparring.tunings import (
    BASES,
    Base,
    Exp3,
    Exp3SIX,
    TsallisINF,
    base_from_json,
    base_to_json,
)

LEAST = -700.0  # below, e^x is nothing beside 1
CLOSE = 2.0**-30  # after a relative step of this size, the error is 1.5 times its square
EXP3, IMPLICIT, TSALLIS = 0, 1, 2  # the rules
ROUNDING = 1e-9  # by which a distribution may miss the sum 1
FARTHEST = 1e200  # that a sum of estimates can be from 0


# Log-weights as compensated sums, and weights that are normalised.


@inline
def add(high, low, k, x):
    """Add x to the sum of arm k, with what rounding loses (Knuth's two-sum, then Dekker's)."""
    before = high[k]
    total = before + x
    part = total - before
    rest = (before - (total - part)) + (x - part) + low[k]
    high[k] = total + rest
    low[k] = rest - (high[k] - total)


@inline
def shrunk(w, x):
    """w e^x for x <= 0, 0 if that is e^-700 or less."""
    return exact_grow(w, x) if x > LEAST else 0.0


@inline
def normalise(p, uniform):
    """p(k) <- (1 - uniform) p(k) / sum p + uniform / K."""
    total = 0.0
    for k in range(p.size):
        total += p[k]
    scale = (1.0 - uniform) / total
    floor = uniform / p.size
    for k in range(p.size):
        p[k] = exact_fma(scale, p[k], floor)


@inline
def mix(high, low, uniform, p):
    """p(k) = (1 - uniform) w(k) / sum w + uniform / K, with ln w = high + low."""
    top = 0
    for k in range(p.size):
        if high[k] > high[top]:
            top = k
    for k in range(p.size):
        p[k] = shrunk(1.0, min((high[k] - high[top]) + (low[k] - low[top]), 0.0))
    normalise(p, uniform)


# Tsallis-INF (Zimmert and Seldin 2021).


@inline
def settle(high, low, t, p):
    """p(k) = 4 / (eta (L(k) - x))^2, eta = 2 / sqrt t, L = high + low, with the x for sum p = 1.

    With a(k) = (L(k) - min L) eta / 2 and u = (min L - x) eta / 2 it is p(k) = 1 / (a(k) + u)^2,
    and 1 <= u <= sqrt K. (sum p)^(-1/2) is increasing and concave in u, so Newton's steps for its
    value 1 from u = 1 never overshoot: there is nothing to fall back to. They are few, as it is
    nearly linear (linear if all a are equal).
    """
    least = 0
    for k in range(p.size):
        if high[k] < high[least]:
            least = k
    scale = 1.0 / math.sqrt(t)
    for k in range(p.size):
        p[k] = scale * max((high[k] - high[least]) + (low[k] - low[least]), 0.0)
    u = 1.0
    step = 1.0
    while step > CLOSE * u:
        squares = 0.0
        cubes = 0.0
        for k in range(p.size):
            z = 1.0 / (p[k] + u)
            squares += z * z
            cubes += z * z * z
        step = squares * (math.sqrt(squares) - 1.0) / cubes
        u += step
    for k in range(p.size):
        z = 1.0 / (p[k] + u)
        p[k] = z * z


# Players.


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
    words: Words
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
def choose(r, note, m, n):
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


class Sparring(Family):
    """Bandit learners as a learner for duels (Ailon, Karnin and Joachims 2014).

    Two copies of a `base` play against each other: one chooses the row arm and is paid o, the other
    the column arm and is paid 1 - o. The strong regret is the mean of their two regrets, so a bound
    on one player's regret against an adaptive adversary also bounds the strong regret. With
    `players=1` there is one copy, both arms are drawn from its distribution, and it learns from the
    mean of the two slots' estimates: for a loss, for instance, (1{row = k} (1 - o) + 1{col = k} o)
    / (2 (p(k) + gamma)).

    A late answer counts with the probabilities that its arms were drawn with.

    Use the named learners (`versatile_db`, `sym_exp3six` and others) unless you want other numbers.

    Parameters
    ----------
    K
        Number of arms.
    base
        `Exp3`, `Exp3SIX` or `TsallisINF`.
    players
        2, or 1 for one player in both slots.
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.

    Examples
    --------
    >>> learner = Sparring(3, TsallisINF(), players=1, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.p.shape
    (1, 3)
    """

    KIND = "sparring"
    KERNELS = rounds(choose, learn, Players, PlayersNumbers)
    WATCHES = True
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = dict.fromkeys(("p", "high", "low"), (1,))

    def __init__(
        self, K: int, base: Base | dict[str, Any], *, players: int = 2, seed: Seed = None
    ) -> None:
        base = base_from_json(base) if isinstance(base, dict) else base
        if not isinstance(base, Base):
            raise checks.refuse("base", f"one of sparring's {', '.join(BASES)}", base)
        players = checks.whole("players", players, low=1, high=2)
        self._base = base
        super().__init__(K, {"base": base_to_json(base), "players": players}, seed)

    @property
    def base(self) -> Base:
        """The learner of the players."""
        return self._base

    def _build(self, *, base: dict[str, Any], players: int) -> Built:
        K = self.K
        shape = (players, K)
        memory = Players(
            p=np.full(shape, 1 / K),
            high=np.zeros(shape),
            low=np.zeros(shape),
            told=np.zeros(1, np.int64),
            words=np.zeros(4, np.uint64),
        )
        return Built(memory, numbers_of(K, players, self._base), players, note=players * K)

    def _possible(self) -> bool:
        m = self._memory
        fits = bool(0 <= m.told[0] <= LONGEST)
        fits &= bool((abs(m.high) <= FARTHEST).all() and (abs(m.low) <= abs(m.high)).all())
        return fits and distributions(m.p, self._least())

    def _put_in_order(self, heir: Self, before: list[int | None], boost: float) -> None:
        m, new = heir._memory, [k for k, place in enumerate(before) if place is None]
        for player, p in enumerate(self._memory.p):
            if isinstance(self._base, TsallisINF):
                apart = math.sqrt(self.K / boost) - 1 / math.sqrt(p.max())
                least = self._memory.high[player].min()
                m.high[player, new] = least + max(apart, 0.0) * math.sqrt(m.told[0] + 1.0)
            else:
                top = self._memory.high[player].max()
                mean = np.exp(self._memory.high[player] - top).mean()
                m.high[player, new] = top + math.log(boost * mean)
            m.low[player, new] = 0.0
            m.p[player, new] = boost / self.K
        refresh_all(heir._state.arrays, heir._numbers)

    def _renoted(self, note: Floats, before: list[int | None]) -> Floats:
        renoted: Floats = super()._renoted(note, before)
        players = self._players * len(before)
        mixing = self._base.gamma if isinstance(self._base, Exp3) else 0.0
        renoted[:players] = np.maximum(renoted[:players], mixing / len(before))
        return renoted

    def _least(self) -> float:
        """The least chance that mixing leaves each arm, rounded down."""
        mixing = self._base.gamma if isinstance(self._base, Exp3) else 0.0
        return 0.99 * mixing / self.K

    def _distributions(self) -> Floats:
        p: Floats = self._memory.p
        return p

    def _fits(self, row: int, col: int, note: Floats) -> bool:
        p, least = self._shown(note), self._least()
        most = 1.0 + self.K * least + ROUNDING  # less if arms are gone, more if that raised some
        fits = bool((p >= 0).all() and (p.sum(axis=1) <= most).all())
        return fits and bool(min(p[0, row], p[-1, col]) >= max(least, 1 / FARTHEST))


def numbers_of(K: int, players: int, base: Base) -> PlayersNumbers:
    """What tunes the kernels."""
    match base:
        case Exp3():
            return PlayersNumbers(K, players, EXP3, 0.0, base.gamma, 0.0)
        case Exp3SIX():
            rates = base.eta, base.gamma, base.alpha
            return PlayersNumbers(K, players, IMPLICIT, *rates)
        case TsallisINF():
            return PlayersNumbers(K, players, TSALLIS, 0.0, 0.0, 0.0)


def distributions(p: Floats, least: float) -> bool:
    """Whether each row is a distribution with no entry below the least."""
    return bool((p >= least).all() and (abs(p.sum(axis=1) - 1) <= ROUNDING).all())


# By name.


@register("T")
def sparring_exp3(K: int, T: int, *, seed: Seed = None) -> Sparring:
    """Sparring EXP3 (Ailon, Karnin and Joachims 2014): two EXP3 against each other.

    Each player draws from p(k) = (1 - gamma) w(k) / sum w + gamma / K and multiplies the weight of
    its arm by exp(gamma r / (K p)), where r is o for the row and 1 - o for the column, and gamma =
    min(1, sqrt(K ln K / ((e - 1) T))) (Auer et al. 2002). The mean of the strong regret to an arm
    fixed in advance is at most 2.63 sqrt(K T ln K), whatever the preferences, because each player's
    is and it is the mean of the two. It does not follow changes, and nothing is promised with high
    probability: its estimates are as large as K / gamma.

    Parameters
    ----------
    K
        Number of arms.
    T
        Number of rounds to plan for; the learner continues after them.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = sparring_exp3(10, 100_000, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    """
    return Sparring(K, tunings.exp3(Problem(K, T)), seed=seed)


@register("T")
def sparring_exp3ix(K: int, T: int, *, seed: Seed = None) -> Sparring:
    """Sparring EXP3-IX: two EXP3 with implicit exploration (Neu 2015) against each other.

    Each player draws from p(k), proportional to exp(-eta L(k)), and adds loss / (p(k) + gamma) to
    the L(k) of its arm, with eta = 2 gamma = sqrt(2 ln K / (K T)). With probability 1 - delta a
    player's regret to the best arm is at most

        2 sqrt(2 K T ln K) + (sqrt(2 K T / ln K) + 1) ln(2 / delta)

    (Neu's Theorem 1, from memory and re-derived), and so is the strong regret, with probability 1 -
    2 delta. It does not follow changes: an arm that lost for long is forgotten.

    Parameters are those of `sparring_exp3`.

    Examples
    --------
    >>> learner = sparring_exp3ix(10, 100_000, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    """
    return Sparring(K, tunings.exp3ix(Problem(K, T)), seed=seed)


@register("T", "S", "V_T")
def sparring_exp3six(
    K: int, T: int, *, S: int | None = None, V_T: float | None = None, seed: Seed = None
) -> Sparring:
    """Sparring EXP3-SIX: EXP3-IX with a share (Neu 2015), which follows changes.

    Each player: p(k) <- (1 - alpha) p(k) exp(-eta l(k)) / Z + alpha / K, where l(k) = loss / (p(k)
    + gamma) for its arm, alpha = (S - 1) / (T - 1), eta = 2 gamma = sqrt(2 l / (K T)), and
    l = S ln K + (S - 1) ln(e (T - 1) / (S - 1)). With probability 1 - delta a player's regret to
    every comparator with S segments is at most

        2 sqrt(2 K T l) + (sqrt(K T / (2 l)) + 1) ln(2 / delta),

    and so is the dynamic regret, with probability 1 - 2 delta. The algorithm is Neu's (its numbers
    from memory); this l, which is smaller than his, is re-derived.

    Parameters
    ----------
    K, T, seed
        As for `sparring_exp3`.
    S
        Segments of the benchmark, if known.
    V_T
        Continuous variation, if you know that instead: then S = ceil(T / D), for the block length D
        with the least bound. Without S and V_T it is tuned for S = 2.

    Examples
    --------
    >>> learner = sparring_exp3six(10, 100_000, S=10, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    """
    return Sparring(K, tunings.exp3six(Problem(K, T, S, V_T)), seed=seed)


@register()
def versatile_db(K: int, *, seed: Seed = None) -> Sparring:
    """Versatile-DB (Saha and Gaillard 2022): two Tsallis-INF against each other.

    Each player draws from p(k) = 4 / (eta_t (L(k) - x))^2, with eta_t = 2 / sqrt t and x such that
    it sums to 1, and adds loss / p(k) to the L(k) of its arm (Zimmert and Seldin 2021, with
    importance weights; t is one more than the duels told). The mean of the strong regret to an arm
    fixed in advance is at most 4 sqrt(K T) + 1, whatever the preferences, and O(sum of ln T / gap)
    where there is one lasting Condorcet winner, without knowing that there is (that theorem's
    constants were not verified). It needs neither T nor a tuning. It does not follow changes.

    K and seed are as for `sparring_exp3`.

    Examples
    --------
    >>> learner = versatile_db(10, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    """
    return Sparring(K, TsallisINF(), seed=seed)


@register("T", "S", "V_T")
def sym_exp3six(
    K: int,
    T: int,
    *,
    S: int | None = None,
    V_T: float | None = None,
    delta: float = 0.05,
    seed: Seed = None,
) -> Sparring:
    """SYM-EXP3-SIX: one EXP3-SIX for both arms; low dynamic regret with high probability.

    Both arms are drawn from p; then p(k) <- (1 - alpha) p(k) exp(-eta x(k)) / Z + alpha / K with

        x(k) = (1{row = k} (1 - o) + 1{col = k} o) / (2 (p(k) + gamma)),

    eta = 2 sqrt(l / (K T)), gamma = sqrt(ln(2 / delta) / (2 K T)), and alpha and l those of
    `sparring_exp3six`. It is what implicit exploration (Neu 2015) makes of `sym_exp3s`; the
    combination, its tuning and its bound are ours. For preferences that may depend on the past and
    a comparator fixed in advance, with probability 1 - delta and L = ln(2 / delta),

        DR_T <= sqrt(K T) (sqrt l + 3/4 sqrt(2 L)) + L / 4 + sqrt(2 l L) / 8

    (`sparring.bounds.sym_exp3six`; docs/theory.md, Theorem 12). If S or V_T is far too small, it
    follows changes late.

    Parameters
    ----------
    K, T, S, V_T, seed
        As for `sparring_exp3six`.
    delta
        How often the bound may fail.

    Examples
    --------
    >>> learner = sym_exp3six(10, 100_000, S=10, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.p.shape
    (1, 10)
    """
    base = tunings.sym_exp3six(Problem(K, T, S, V_T), delta)
    return Sparring(K, base, players=1, seed=seed)
