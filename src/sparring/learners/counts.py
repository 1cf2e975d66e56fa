"""Learners that count who beat whom, and may forget: RUCB, RMED1 and double Thompson sampling.

A duel is counted when it is told: with discount all earlier counts shrink by `discount`, with a
window the duel of `window` rounds before leaves. To shrink them, what a duel adds grows instead,
and all is rescaled by a power of two when that is large. Then come sure losses, which two of the
rules go by, the three rules, the class and the learners by name. `m` are Counts, `n` CountsNumbers.
"""

import math
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from sparring import checks
from sparring._jit import Floats, Ints, Words, inline, rounds
from sparring._math import log_of
from sparring._random import below, beta, beyond, chance, uniform, unlikely
from sparring.learners.family import Family
from sparring.learners.frame import Built, register
from sparring.problem import LONGEST, Problem, demand_one
from sparring.streams import Seed

RUCB, RMED1, THOMPSON = range(3)
RULES = {"rucb": RUCB, "rmed1": RMED1, "thompson": THOMPSON}
FORGET = ("nothing", "window", "discount")

BIG = 2.0**256
TINY = 2.0**-256
GRAIN = 2.0**-24  # outcomes in a window are multiples of it, so that sums of 10^8 are exact
LARGEST_WINDOW = 10**8
SMALLEST_DISCOUNT = 0.5
FAR = 2.0**400  # instead of the least of no numbers
MARGIN = 1.0 + 1e-12  # more than rounding makes of a quotient
WAITING, LISTED = 1, 2  # for RMED1: an arm yet to come in this list, and one of the next list


class Counts(NamedTuple):
    """What a learner knows.

    Some fields mean another thing for each rule, under names that snapshots have:

    ==========  ============================  ==============================  ====================
    field       RUCB                          RMED1                           Thompson sampling
    ==========  ============================  ==============================  ====================
    favourite   last lone candidate, if it    -1                              last row arm
                is still one, else -1
    divergence  0                             N d(mu, 1/2); 0 if mu > 1/2     chances that it keeps
    evidence    least certain sure loss       I, the sums of these by rows    as RUCB
    order[0]    sure losses of each arm       arms of the present list        as RUCB
    order[1]    1 where they are up to date   WAITING, LISTED or 0            as RUCB
    place       0                             where it is in pairs and list   0
    scratch     0                             0                               losses, places drawn
    ==========  ============================  ==============================  ====================

    The field `favourite` is not the property of the learner, which is the `leader` by W.
    """

    W: Floats
    """(K, K): W[i, j], wins of i over j, in units of `unit`; a tie is half a win of both."""
    unit: Floats
    """(1,): what a win adds now, in [1, 2^256]: 1 without discount."""
    mass: Floats
    """(1,): how many rounds are remembered; with discount the sum of their weights."""
    rows: Ints
    """(window,): the row arms of the latest rounds, -1 where there was none; as the next two."""
    cols: Ints
    outcomes: Floats
    told: Ints
    """(1,): duels told so far."""
    favourite: Ints
    """(1,): an arm, or -1 for none."""
    divergence: Floats
    """(K, K), in units of `unit`."""
    evidence: Floats
    """(K,), in units of `unit`."""
    order: Ints
    """(2, K)."""
    place: Ints
    """(3,): pairs of the first phase begun, how long the list is, how far it was gone through."""
    scratch: Floats
    """(2, K): for whoever chooses; nothing in it lasts."""
    words: Words
    """The random state."""


class CountsNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    rule: int
    alpha: float
    """The width of confidence bounds."""
    slack: float
    """RMED's f(K)."""
    window: int
    """Rounds that are remembered; 0 for all."""
    discount: float
    """What a round leaves of the counts before it; 1 for all."""


# Sure losses: which arms lose beyond doubt, counted anew only where that may have changed.
#
# Arm i surely loses to j if U(i, j) = mu(i, j) + sqrt(alpha ln t / N(i, j)) < 1/2. Without root and
# division: W(j, i) - W(i, j) > 0, and its square is above 4 alpha ln t N(i, j). There is no tie, as
# ln t is irrational. While a pair's counts stay, and also while they shrink by a discount, a sure
# loss can only cease, since t, the rounds remembered and one more, does not fall. So an arm's
# losses are counted again only after a duel of its own or when the limit has reached the least
# certain. `limit` is 4 alpha ln t, in units of `unit`.


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
def recount_later(m, i):
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
def update_losses(m, n, limit):
    """Bring order[0], the sure losses of each arm, up to date; returns the least of them."""
    least = n.K
    for i in range(n.K):
        if m.order[1, i] == 0 or m.evidence[i] <= limit * MARGIN:
            recount(m, n, i, limit)
        least = min(least, m.order[0, i])
    return least


# RUCB (Zoghi, Whiteson, Munos and de Rijke 2014): relative upper confidence bounds.
#
# U(i, j) = mu(i, j) + sqrt(alpha ln t / N(i, j)), where x / 0 counts as 1, and U(i, i) = 1/2. With
# discount U(i, j) grows beyond any limit while a pair does not meet, so one that never met, or so
# long ago that its counts are 0, has an infinite one.


@inline
def upper(m, n, i, j, wide):
    """U(i, j) of two arms, `wide` being alpha ln t in units of `unit`."""
    both = m.W[i, j] + m.W[j, i]
    if both <= 0.0:
        return math.inf if n.discount < 1.0 else 2.0
    return m.W[i, j] / both + math.sqrt(wide / both)


@inline
def possible_winners(m, n):
    """How many arms may beat all others: those without a sure loss."""
    found = 0
    for c in range(n.K):
        found += 1 if m.order[0, c] == 0 else 0
    return found


@inline
def nth(m, n, skipped, place):
    """The candidate with `place` others before it, not counting `skipped`; -1 to skip none."""
    found = -1
    for c in range(n.K):
        if m.order[0, c] == 0 and c != skipped:
            if place == 0:
                found = c
            place -= 1
    return found


@inline
def rucb_champion(m, n):
    """The row arm: with chance 1/2 the favourite, else any other candidate."""
    number = possible_winners(m, n)
    if number == 0:
        m.favourite[0] = -1
        return below(m.words, n.K)
    if m.favourite[0] >= 0 and m.order[0, m.favourite[0]] > 0:
        m.favourite[0] = -1
    if number == 1:
        m.favourite[0] = nth(m, n, -1, 0)
        return m.favourite[0]
    if m.favourite[0] < 0:
        return nth(m, n, -1, below(m.words, number))
    if uniform(m.words) < 0.5:
        return m.favourite[0]
    return nth(m, n, m.favourite[0], below(m.words, number - 1))


@inline
def rucb_challenger(m, n, c, wide):
    """The column arm: who may beat c most; among equals any, but c only if it is alone."""
    most, ties, d = 0.5, 0, c
    for j in range(n.K):
        bound = upper(m, n, j, c, wide) if j != c else 0.0
        if bound >= most:
            ties = 1 if bound > most else ties + 1
            most = bound
            if ties == 1 or below(m.words, ties) == 0:
                d = j
    return d


@inline
def rucb_pair(m, n):
    """The next pair."""
    limit = limit_of(m, n)
    update_losses(m, n, limit)
    c = rucb_champion(m, n)
    return c, rucb_challenger(m, n, c, 0.25 * limit)


# RMED1 (Komiyama, Honda, Kashima and Nakagawa 2015): relative minimum empirical divergence.
#
# O(i) are the arms j with mu(i, j) <= 1/2, and I(i) = sum over O(i) of N(i, j) d(mu(i, j), 1/2), d
# being the divergence of two coins. I* is the least of them, that of arm i*. Arm i is a candidate
# while I(i) - I* <= ln t + f(K).


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
def least_refuted(m, n):
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
def pair_number(number, K):
    """The pair of that number, from 0, of all pairs in order."""
    i = 0
    while number >= K - 1 - i:
        number -= K - 1 - i
        i += 1
    return i, i + 1 + number


@inline
def rmed_pair(m, n):
    """The next pair: each pair once, then list after list of candidates."""
    if m.place[0] < n.K * (n.K - 1) // 2:
        m.place[0] += 1
        return pair_number(m.place[0] - 1, n.K)
    best = least_refuted(m, n)
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


# Double Thompson sampling (Wu and Liu 2016), with as few draws as decide.
#
# The row arm wins most of its duels under preferences theta(i, j) drawn from the posterior
# Beta(W(i, j) + 1, W(j, i) + 1), among the candidates: the arms that may have the highest Copeland
# score. The column arm does best against it under a second draw, among those that do not surely
# beat it.
#
# **The row arm.** A lone candidate needs no draw. Else candidates are gone through from the last
# row arm on, after the last arm the first; each one's duels in the same order, without those drawn
# before. A duel is one uniform: i wins if it is below P(theta(i, j) > 1/2), and j loses it as well.
# Who lost more than a candidate that has all its duels is given up, and the rest of its duels are
# left undrawn: whatever they were, the same arms would have lost least. Of these any is taken, each
# in turn replacing the one before with chance 1 / (how many there were).
#
# **The column arm.** In order, each arm has a Beta draw; but if it is well behind, first one
# uniform for whether the draw is above 1/2, which is what the row arm has against itself, and if it
# is, the draw given that.
#
# **Chances.** P(theta(i, j) > 1/2) is kept in `divergence` from when it was last needed, times the
# unit of then: [i, j] and [j, i] sum to that unit. A duel of the pair sets both to 0. With discount
# the counts shrink by a factor c meanwhile, and the chance moves by |ln c| / 2 at most: its
# derivative by ln c is a covariance of an indicator with the logarithm of the density, whose
# variance is at most 1 as the density is log-concave (Fradelizi, Madiman and Wang 2016). Nor does
# it move by more than 0.65 times what N was, since the variances of ln theta and ln(1 - theta) are
# at most pi^2 / 6. Only if the uniform is as near as that to the chance, it is computed anew. So
# what is kept saves time and changes nothing.


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
def thompson_pair(m, n):
    """The next pair."""
    limit = limit_of(m, n)
    c = champion(m, n, update_losses(m, n, limit))
    return c, challenger(m, n, c, limit)


# Choosing, counting and forgetting.


@inline
def choose(r, note, m, n):
    """The pair that the rule chooses now."""
    if n.rule == RUCB:
        return rucb_pair(m, n)
    if n.rule == RMED1:
        return rmed_pair(m, n)
    return thompson_pair(m, n)


@inline
def credit(row, col, x, y, m, n):
    """Add x to the row arm's wins over the column arm, and y to those of the other over it.

    What is derived from them follows, or is marked to be found again. x and y are below 0 for a
    duel that is forgotten.
    """
    if row != col:  # a self-duel tells nothing
        m.W[row, col] += x
        m.W[col, row] += y
        if n.rule == RMED1:
            weigh(m, row, col, n)
        else:
            recount_later(m, row)
            recount_later(m, col)
            doubt(m, row, col)  # only Thompson sampling keeps chances; for RUCB they are 0 anyway


@inline
def rescale(m, n):
    """Divide all that is in units of `unit`, and the unit, by 2^256."""
    m.unit[0] *= TINY
    for i in range(n.K):
        m.evidence[i] *= TINY
        for j in range(n.K):
            m.W[i, j] *= TINY
            m.divergence[i, j] *= TINY


@inline
def rounded(o):
    """The multiple of GRAIN nearest to an outcome: what is left when it goes must be exact."""
    return np.rint(o / GRAIN) * GRAIN


@inline
def replace_oldest(o, row, col, m, n):
    """Take the place of the oldest duel in the window, which is forgotten."""
    place = m.told[0] % n.window
    if m.rows[place] >= 0:
        old = m.outcomes[place]
        credit(m.rows[place], m.cols[place], -old, old - 1.0, m, n)
    else:
        m.mass[0] += 1.0
    m.rows[place] = row
    m.cols[place] = col
    m.outcomes[place] = o


@inline
def learn(o, row, col, note, m, n):
    """Count the outcome of a duel, and forget what is due."""
    if n.window > 0:
        o = rounded(o)
        replace_oldest(o, row, col, m, n)
    else:
        m.mass[0] = n.discount * m.mass[0] + 1.0
        m.unit[0] /= n.discount
        if m.unit[0] > BIG:
            rescale(m, n)
    m.told[0] += 1
    credit(row, col, o * m.unit[0], (1.0 - o) * m.unit[0], m, n)


class Counting(Family):
    """A learner that counts who beat whom, and may forget.

    W(i, j) are the wins of i over j, N = W + W' and mu = W / N. By default nothing is forgotten.
    With a `window` only the latest duels count, their outcomes rounded to 24 binary digits. With a
    `discount` every round multiplies the earlier counts by it. Learners that forget nothing are
    meant for preferences that stay; there is no theorem for those that forget (Garivier and
    Moulines 2011 have one for bandits with rewards).

    Use the named learners (`rucb`, `rmed1`, `double_thompson`) unless you want other numbers.

    Parameters
    ----------
    K
        Number of arms.
    rule
        "rucb", "rmed1" or "thompson": how the counts choose a pair.
    window
        How many rounds are remembered; None for all.
    discount
        By what each round multiplies the earlier counts, in [1/2, 1]; 1 to forget nothing.
    alpha
        The width of the confidence bounds of RUCB and Thompson sampling, above 1/2 in theory.
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.

    Examples
    --------
    >>> learner = Counting(3, rule="thompson", window=1000, seed=1)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> learner.wins.sum() in (0.0, 1.0)  # 0 if an arm met itself
    True
    """

    KIND = "counts"
    MOST_ARMS = 5_000  # nearly half a gigabyte
    KERNELS = rounds(choose, learn, Counts, CountsNumbers)
    WATCHES = True
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = {"W": (0, 1), "divergence": (0, 1)}

    def __init__(
        self,
        K: int,
        *,
        rule: str,
        window: int | None = None,
        discount: float = 1.0,
        alpha: float = 0.51,
        seed: Seed = None,
    ) -> None:
        super().__init__(K, checked(rule, window, discount, alpha), seed)

    def _build(self, *_: Any, **options: Any) -> Built:
        return Built(*parts(self.K, **options), players=0, note=0)

    def _put_in_order(self, heir: Self, before: list[int | None], boost: float) -> None:
        m = heir._memory
        places = {place: k for k, place in enumerate(before) if place is not None}
        m.favourite[0] = places.get(int(m.favourite[0]), -1)
        for n, pair in enumerate(zip(m.rows.tolist(), m.cols.tolist(), strict=True)):
            stays = all(arm in places for arm in pair)
            m.rows[n], m.cols[n] = (places[arm] for arm in pair) if stays else (-1, -1)
        if len(m.rows):
            m.outcomes[m.rows < 0] = 0.0
            m.mass[0] = (m.rows >= 0).sum()
        if self._options["rule"] == "rmed1":
            m.evidence[:] = m.divergence.sum(axis=1)
            begun = m.place[0] >= self.K * (self.K - 1) // 2
            m.place[:] = (heir.K * (heir.K - 1) // 2 if begun else 0, 0, 0)
        else:
            m.divergence[:] = 0.0  # kept chances; they are found again, as are sure losses

    @classmethod
    def _largest(cls, K: int, *, window: int | None = None, **_: Any) -> int:
        return max(K * K, window or 0)

    def _possible(self) -> bool:
        return possible(self._memory, self.K, self._options["discount"])

    @property
    def wins(self) -> Floats:
        """(K, K): wins of i over j that are remembered."""
        with self._turn:
            return np.asarray(self._memory.W / self._memory.unit[0])

    @property
    def favourite(self) -> int:
        """The arm it thinks best at present: the one that beat the most others, by its counts."""
        return leader(self.wins)


def leader(wins: Floats) -> int:
    """The arm that beat the most others more often than not; among ties, the one that won most.

    Examples
    --------
    >>> leader(np.array([[0.0, 3.0, 0.0], [1.0, 0.0, 9.0], [4.0, 1.0, 0.0]]))
    1
    """
    met = wins + wins.T
    rate = wins.sum(axis=1) / np.maximum(met.sum(axis=1), 1e-300)
    beaten = (wins > wins.T).sum(axis=1)
    return int(np.lexsort((rate, beaten))[-1]) if met.any() else 0


def checked(rule: str, window: int | None, discount: float, alpha: float) -> dict[str, Any]:
    """The options of a learner that counts."""
    if not isinstance(rule, str) or rule not in RULES:
        raise checks.refuse("rule", f"one of {sorted(RULES)}", rule)
    if window is not None:
        window = checks.whole("window", window, low=1, high=LARGEST_WINDOW)
    discount = checks.real("discount", discount, low=SMALLEST_DISCOUNT, high=1)
    if window is not None and discount < 1:
        raise ValueError(
            f"give window or discount, not both; got window={window}, discount={discount:g}"
        )
    alpha = checks.real("alpha", alpha, low=0, high=1e6)
    return {"rule": rule, "window": window, "discount": discount, "alpha": alpha}


def parts(
    K: int, *, rule: str, window: int | None, discount: float, alpha: float
) -> tuple[Counts, CountsNumbers]:
    """New counts, and the numbers of checked options."""
    length = window or 0
    memory = Counts(
        W=np.zeros((K, K)),
        unit=np.ones(1),
        mass=np.zeros(1),
        rows=np.full(length, -1),
        cols=np.full(length, -1),
        outcomes=np.zeros(length),
        told=np.zeros(1, np.int64),
        favourite=np.full(1, -1),
        divergence=np.zeros((K, K)),
        evidence=np.zeros(K),
        order=np.zeros((2, K), np.int64),
        place=np.zeros(3, np.int64),
        scratch=np.zeros((2, K)),
        words=np.zeros(4, np.uint64),
    )
    numbers = CountsNumbers(
        K=K,
        rule=RULES[rule],
        alpha=alpha,
        slack=0.3 * K**1.01,
        window=length,
        discount=discount,
    )
    return memory, numbers


def possible(memory: Counts, K: int, discount: float) -> bool:
    """Whether kernels can work on these counts: all indices exist and all loops end."""
    unit, told, mass = memory.unit[0], memory.told[0], memory.mass[0]
    largest = BIG if discount < 1 else 1.0
    if not (1 <= unit <= largest and 0 <= told <= LONGEST and 0 <= mass <= told):
        return False
    latest = np.stack([memory.rows, memory.cols])
    fits = [
        (memory.W >= 0) & (unit * (1.0 + told) >= memory.W),
        (latest >= -1) & (latest < K),
        (latest[0] < 0) == (latest[1] < 0),
        (memory.favourite >= -1) & (memory.favourite < K),
        (memory.order[0] >= 0) & (memory.order[0] < K),
        (memory.place >= 0) & (memory.place[2] <= memory.place[1]) & (memory.place[1] <= K),
    ]
    if not all(part.all() for part in fits):
        return False
    return latest.size == 0 or _counts_match_window(memory, latest, K)


def _counts_match_window(memory: Counts, latest: Any, K: int) -> bool:
    """Whether the counts are those of the duels in the window."""
    rows, cols = latest
    o = memory.outcomes
    if not ((o >= 0) & (o <= 1)).all() or (o / GRAIN % 1).any():
        return False
    W, met = np.zeros((K, K)), (rows >= 0) & (rows != cols)
    np.add.at(W, (rows[met], cols[met]), o[met])
    np.add.at(W, (cols[met], rows[met]), 1 - o[met])
    return np.array_equal(W, memory.W) and memory.mass[0] == (rows >= 0).sum()


# By name.


@register("T", "S", "V_T")
def rucb(
    K: int,
    T: int | None = None,
    *,
    forget: str = "nothing",
    S: int | None = None,
    V_T: float | None = None,
    alpha: float = 0.51,
    seed: Seed = None,
) -> Counting:
    """RUCB (Zoghi, Whiteson, Munos and de Rijke 2014): relative upper confidence bounds.

    N(i, j) is how many remembered duels i and j had, mu(i, j) the part of them that i won, and t
    one more than the rounds that are remembered. With U(i, j) = mu(i, j) + sqrt(alpha ln t /
    N(i, j)), arms that may beat all others, U(c, j) >= 1/2 for all j, are candidates. The row arm
    is one of them: with chance 1/2 the one that was last the only candidate. The column arm is the
    arm that may beat it most. The regret is O(K^2 + K ln T) with a lasting Condorcet winner.

    `forget`, T, S and V_T are as in `double_thompson`.

    Examples
    --------
    >>> learner = rucb(5, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    """
    return _counting(K, "rucb", T, forget, S, V_T, alpha, seed)


@register("T", "S", "V_T")
def rmed1(
    K: int,
    T: int | None = None,
    *,
    forget: str = "nothing",
    S: int | None = None,
    V_T: float | None = None,
    seed: Seed = None,
) -> Counting:
    """RMED1 (Komiyama, Honda, Kashima and Nakagawa 2015): minimum empirical divergence.

    I(i), the sum of N(i, j) d(mu(i, j), 1/2) over the arms j with mu(i, j) <= 1/2, is the evidence
    against arm i. Arms whose evidence exceeds the least by at most ln t + 0.3 K^1.01 take turns,
    each against the arm of least evidence if that beats it, otherwise against the arm that beats it
    most. The regret is O(K ln T) in its leading term with a lasting Condorcet winner.

    `forget`, T, S and V_T are as in `double_thompson`.

    Examples
    --------
    >>> learner = rmed1(5, seed=1)
    >>> learner.ask()[1:3]  # each pair once to begin with
    (0, 1)
    """
    return _counting(K, "rmed1", T, forget, S, V_T, 0.51, seed)


@register("T", "S", "V_T")
def double_thompson(
    K: int,
    T: int | None = None,
    *,
    forget: str = "nothing",
    S: int | None = None,
    V_T: float | None = None,
    alpha: float = 0.51,
    seed: Seed = None,
) -> Counting:
    """Double Thompson sampling (Wu and Liu 2016): two draws from the posterior of each duel.

    P(i, j) ~ Beta(W(i, j) + 1, W(j, i) + 1). The row arm wins most duels under one draw, among the
    arms whose upper Copeland score is highest; the column arm does best against it under another,
    among the arms that do not surely beat it. The regret is O(K ln T + K^2 ln ln T) with a lasting
    Condorcet winner.

    Parameters
    ----------
    K
        Number of arms.
    T
        Number of rounds to plan for; needed only to know how fast to forget.
    forget
        "nothing"; the duels outside a "window" of tau = 2 K sqrt(T ln T / S) rounds; or all
        gradually, by a "discount" of 1 - sqrt(S / T) / (4 K) a round. These are Garivier and
        Moulines' (2011) choices for K arms with rewards, K times slower since pairs are counted
        here. With S > 1 neither remembers more than half a segment, T / (2 S) rounds. With V_T they
        remember (T / V_T)^(2/3) K^(1/3) rounds. A window is never longer than T rounds. There is
        no theorem.
    S
        Segments of constant preferences, 1 if unknown: then the window may be all T rounds, of
        which it forgets none.
    V_T
        Continuous variation, if you know that instead.
    alpha
        The width of the confidence bounds.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> double_thompson(10, 100_000, forget="window", S=10, seed=1)
    <Counting K=10, rule='thompson', window=5000, discount=1.0, alpha=0.51; t=0, 0 open>
    """
    return _counting(K, "thompson", T, forget, S, V_T, alpha, seed)


def _counting(
    K: int,
    rule: str,
    T: int | None,
    forget: str,
    S: int | None,
    V_T: float | None,
    alpha: float,
    seed: Seed,
) -> Counting:
    if not isinstance(forget, str) or forget not in FORGET:
        raise checks.refuse("forget", f"one of {FORGET}", forget)
    demand_one(S, V_T)
    problem = None if T is None else Problem(K, T, S, V_T)  # refuses what is wrong, used or not
    if forget == "nothing":
        return Counting(K, rule=rule, alpha=alpha, seed=seed)
    if problem is None:
        remedy = "Or make a sparring.learners.Counting with the window or discount you want"
        raise checks.refuse("T", f"given, to forget by {forget}", None, remedy)
    if forget == "window":
        window = window_of(problem)
        if window > LARGEST_WINDOW:
            found = checks.Shown(f"{window:,} for T = {problem.T:g}")
            remedy = "forget='discount' remembers as long and needs no room"
            raise checks.refuse("the window", f"at most {LARGEST_WINDOW:g}", found, remedy)
        return Counting(K, rule=rule, window=window, alpha=alpha, seed=seed)
    return Counting(K, rule=rule, discount=discount_of(problem), alpha=alpha, seed=seed)


def window_of(problem: Problem) -> int:
    """The window for a problem: at most half a segment; with S = 1 or V_T at most T rounds."""
    K, T, S = problem.K, problem.T, problem.S or 1
    if problem.V_T:
        rounds, most = math.cbrt(T / problem.V_T) ** 2 * math.cbrt(K), float(T)
    else:
        rounds, most = 2 * K * math.sqrt(T * math.log(T) / S), T / (2 * S) if S > 1 else T
    return math.ceil(max(min(rounds, most), 1))


def discount_of(problem: Problem) -> float:
    """The discount for a problem; the weights of all rounds sum to 1 / (1 - discount).

    That is at most half a segment with S > 1, and the window with V_T, but never below 2.
    """
    K, T, S = problem.K, problem.T, problem.S or 1
    if problem.V_T:
        lost = 1 / window_of(problem)
    else:
        lost = max(math.sqrt(S / T) / (4 * K), 2 * S / T if S > 1 else 0.0)
    return max(1 - lost, SMALLEST_DISCOUNT)
