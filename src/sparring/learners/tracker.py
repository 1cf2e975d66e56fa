"""tracker: the learner that needs only K, for a few hundred votes and for millions.

**Ages.** Nobody knows since when today's preferences hold. Starts s_0 < s_1 < ..., by the duels
told before them, lie on a grid that is geometric in age, each with the wins W counted since. Every
arm has a hidden start, its latest change, with a posterior A over the grid, and duels of i and j
count since the later of their two starts. An arm that changed later than its opponent is supposed
to have risen: LIFT more wins to begin with. A position is a place on the grid, the oldest start
first.

**A round.** The row arm is the best response to y at the median starts of all arms, the column arm
at starts drawn from A, so that what may have changed is looked into. The outcome moves A for both
arms by Bayes' rule and is counted in W. Every K answers a new start begins.

**Responses.** y is the mixture of the arms shown recently. Given a start for every arm, the
preference of i over j has the law Beta(wins + 1, losses + 1) of their duels since the later start,
LIFT more for whoever changed later. What i gains against y is then a weighted sum, drawn as a
normal number of the same mean and variance.

**Suspicions.** A duel whose outcome was likelier by the starts drawn for its two arms than by all
starts together raises a suspicion: those starts are kept for the next rounds until that lead is
gone. So what may be a change is looked into at once, and not when it happens to be drawn again.

`m` are Ages, `n` AgesNumbers.
"""

import math
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from sparring import checks
from sparring._jit import Floats, Ints, Words, inline, online, rounds
from sparring._math import log_of
from sparring._random import normals, uniform
from sparring.learners.family import Family
from sparring.learners.frame import Built, register
from sparring.problem import LONGEST
from sparring.streams import Seed

HAZARD = 0.125  # of a change, times age: each doubling of an age brings one with chance 1/12
GRID = 40  # starts at most: enough for 2^28 K duels, after which the two oldest become one
RATIO = 2.0  # a start goes when its neighbours' ages differ by no more than this factor
LIFT = 2.0  # Beta(3, 1) has the mean of a uniform on [1/2, 1]: of an arm that now wins
FLOOR = 1e-60  # weights stay above it: numbers that are almost 0 are slow
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
SPAN = 20.0  # rounds that y remembers for each arm ...
PART = 0.01  # ... and this part of the reign of the arm shown most
THIN = 0.001  # arms below this share of the largest do not count as opponents: it saves time
NONE = -1
LATE = 2.0  # more of a suspicion's duels asked for each one told: its answers are late
LEAD = 1e-9  # nats: less is what rounding leaves where two chances are equal, as in a tie
OLDEST = 10_000  # duels for each arm: a service never grows more careless than at this age
DRAWS = 1000  # of everything unknown, behind `chances`: a chance of 1/2 is then known to 0.03

STARTS, TOLD, ROW = range(3)  # the places of `counter`,
NUMBER, FIRST, SECOND, FIRST_START, SECOND_START = range(5)  # of `suspicion`,
AHEAD, FOLLOWED, ANSWERED = range(3)  # of `odds`,
OF_ROW, OF_MOST = range(2)  # and of `reign`


class Ages(NamedTuple):
    """What a learner knows."""

    W: Floats
    """(GRID, K, K) by slot: wins of i over j since the slot's start."""
    slot: Ints
    """(GRID,) by position: where in W its wins are."""
    start: Ints
    """(GRID,) by position: duels told before it."""
    A: Floats
    """(K, GRID) by position: the posterior of each arm's start."""
    median: Ints
    """(K,): the position of its median."""
    counter: Ints
    """(3,): starts in use, duels told, the latest row arm."""
    reign: Floats
    """(2,), at the latest start, at most `oldest`: the age of the latest row arm, for the hazard,
    and that of the arm y shows most, for how long y remembers."""
    y: Floats
    """(K,): the mixture of the arms shown recently."""
    phase: Floats
    """(K,): in [0, 1), what the next start of each arm is drawn with."""
    suspicion: Ints
    """(5,): its number, its two arms (NONE if there is none) and their starts."""
    odds: Floats
    """(3,): its lead in nats, how many of its duels were asked, and how many told."""
    drawn: Ints
    """(K,): the positions drawn last, as they were then."""
    rivals: Ints
    """(K,): scratch, the arms of y that count."""
    chance: Floats
    """(3, GRID): scratch, of an outcome since each start: nobody, the row or the column rose."""
    z: Floats
    """(K + 1,): scratch, normal numbers."""
    words: Words
    """The random state."""


class AgesNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    oldest: float
    """The age beyond which nobody grows more careless."""
    differ: int
    """1 to show two different arms in every round, else 0."""


@inline
def hazard(age):
    """Of a change of one of K arms within K duels: that of some arm within one duel.

    c / age has no scale: stretch time, and the chance of a change between age a and age 2 a is the
    same. So neither a horizon nor a number of changes is needed.
    """
    return HAZARD / age


@inline
def find_median(i, m):
    """The position at which half of the weight of arm i is reached."""
    q, total = 0, m.A[i, 0]
    while total < 0.5 and q < m.counter[STARTS] - 1:
        q += 1
        total += m.A[i, q]
    m.median[i] = q


@inline
def position(start, m):
    """Of a start, or of the next later one if it went."""
    q = m.counter[STARTS] - 1
    while q > 0 and m.start[q - 1] >= start:
        q -= 1
    return q


@inline
def drop(k, m, n):
    """Take out position k; its weight goes to the next later start."""
    slot, last = m.slot[k], m.counter[STARTS] - 1
    for i in range(n.K):
        m.A[i, k + 1] += m.A[i, k]
        for q in range(k, last):
            m.A[i, q] = m.A[i, q + 1]
        m.A[i, last] = 0.0
    for q in range(k, last):
        m.slot[q] = m.slot[q + 1]
        m.start[q] = m.start[q + 1]
    m.slot[last] = slot
    m.counter[STARTS] = last


@inline
def thin_out(m, n):
    """Keep the starts geometric in age: s_k goes if t - s_(k-1) <= RATIO (t - s_(k+1) + K).

    That is the age of its older neighbour now, and of its younger one when the next start begins.
    """
    t = m.counter[TOLD]
    for k in range(m.counter[STARTS] - 2, 0, -1):
        if t - m.start[k - 1] <= RATIO * (t - m.start[k + 1] + n.K):
            drop(k, m, n)
    if m.counter[STARTS] == GRID:
        drop(0, m, n)


@inline
def measure_reign(m, n):
    """How long the latest row arm has been as it is, and the arm that y shows most.

    After a change the row arm is the new winner long before y is, so the hazard goes by it. Where
    nobody wins it is another every few rounds, often one that seems to have risen just now: by
    its age y would forget too soon.
    """
    shown = 0
    for k in range(1, n.K):
        if m.y[k] > m.y[shown]:
            shown = k
    m.reign[OF_ROW] = min(float(m.counter[TOLD] - m.start[m.median[m.counter[ROW]]]), n.oldest)
    m.reign[OF_MOST] = min(float(m.counter[TOLD] - m.start[m.median[shown]]), n.oldest)


@inline
def begin(m, n):
    """A new start, which takes from all others what the hazard says."""
    t = m.counter[TOLD]
    measure_reign(m, n)
    thin_out(m, n)
    new = m.counter[STARTS]
    m.start[new] = t
    m.counter[STARTS] = new + 1
    for i in range(n.K):
        for j in range(n.K):
            m.W[m.slot[new], i, j] = 0.0
        m.A[i, new] = 0.0
    for q in range(new):
        share = hazard(max(min(float(t - m.start[q]), m.reign[OF_ROW]), float(n.K)))
        for i in range(n.K):
            part = share * m.A[i, q]
            m.A[i, q] -= part
            m.A[i, new] += part
    for i in range(n.K):
        find_median(i, m)


@inline
def share_of(o, wins, losses):
    """The chance of outcome o."""
    return (o * wins + (1.0 - o) * losses) / (wins + losses)


@inline
def foretell(o, i, j, asked, m):
    """Fill `chance` for an outcome o of i against j, and count it.

    A duel asked before a start says nothing of it: there all three are the mean of chance[0] over
    the older starts, each with the probability that it is the later one of the two arms.
    """
    known, mean, before, weight_i, weight_j = 0, 0.0, 0.0, 0.0, 0.0
    for q in range(m.counter[STARTS]):
        if q == 0 or m.start[q] <= asked:
            slot = m.slot[q]
            wins, losses = m.W[slot, i, j] + 1.0, m.W[slot, j, i] + 1.0
            m.chance[0, q] = share_of(o, wins, losses)
            m.chance[1, q] = share_of(o, wins + LIFT, losses)
            m.chance[2, q] = share_of(o, wins, losses + LIFT)
            m.W[slot, i, j] += o
            m.W[slot, j, i] += 1.0 - o
            weight_i += m.A[i, q]
            weight_j += m.A[j, q]
            mean += (weight_i * weight_j - before) * m.chance[0, q]
            before, known = weight_i * weight_j, q
    rest = mean / before if before > FLOOR else m.chance[0, known]
    for q in range(known + 1, m.counter[STARTS]):
        m.chance[0, q] = rest
        m.chance[1, q] = rest
        m.chance[2, q] = rest


@inline
def weigh(i, j, m):
    """Bayes' rule for the starts of both arms, each averaged over the other's.

    Returns the chance that all starts together gave the outcome.
    """
    before_i, before_j, later_i, later_j, total_i, total_j = 1.0, 1.0, 0.0, 0.0, 0.0, 0.0
    for q in range(m.counter[STARTS] - 1, -1, -1):
        a, b = m.A[i, q], m.A[j, q]
        before_i, before_j = max(before_i - a, 0.0), max(before_j - b, 0.0)
        m.A[i, q] = a * (before_j * m.chance[1, q] + b * m.chance[0, q] + later_j)
        m.A[j, q] = b * (before_i * m.chance[2, q] + a * m.chance[0, q] + later_i)
        later_i += a * m.chance[1, q]
        later_j += b * m.chance[2, q]
        total_i += m.A[i, q]
        total_j += m.A[j, q]
    for q in range(m.counter[STARTS]):
        m.A[i, q] = max(m.A[i, q] / total_i, FLOOR)
        m.A[j, q] = max(m.A[j, q] / total_j, FLOOR)
    find_median(i, m)
    find_median(j, m)
    return total_i


# Responses.


@inline
def quantile(i, u, m):
    """The position at which the weight of arm i exceeds u."""
    u -= m.A[i, 0]
    q = 0
    while u >= 0.0 and q < m.counter[STARTS] - 1:
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
    keep = 1.0 - 1.0 / (SPAN * n.K + PART * m.reign[OF_MOST])
    for k in range(n.K):
        m.y[k] = max(keep * m.y[k], FLOOR)
    m.y[row] += 0.5 * (1.0 - keep)
    m.y[row if n.differ == 1 else col] += 0.5 * (1.0 - keep)


@inline
def follow(m):
    """Take over the starts of a suspicion; whether there is one that may be asked about."""
    if m.suspicion[FIRST] == NONE or m.odds[FOLLOWED] > LATE * m.odds[ANSWERED]:
        return False
    m.drawn[m.suspicion[FIRST]] = position(m.suspicion[FIRST_START], m)
    m.drawn[m.suspicion[SECOND]] = position(m.suspicion[SECOND_START], m)
    return True


@inline
def choose(r, note, m, n):
    """The next pair. Its note: duels told, the suspicion followed, the drawn starts of both."""
    rivals = find_rivals(m, n)
    row = best_response(m.median, rivals, NONE, m, n)
    m.counter[ROW] = row
    draw_starts(m, n)
    following = follow(m)
    col = best_response(m.drawn, rivals, row if n.differ == 1 else NONE, m, n)
    if following and row == col:
        m.suspicion[FIRST] = NONE  # nothing will be learnt of it
    elif following:
        m.odds[FOLLOWED] += 1.0
    note[0] = m.counter[TOLD]
    note[1] = m.suspicion[NUMBER] if following else NONE
    note[2] = m.start[m.drawn[row]]
    note[3] = m.start[m.drawn[col]]
    # y is what was shown, not what was learnt: late answers must not make it late.
    remember(row, col, m, n)
    return row, col


# Learning.


@inline
def suspect(i, j, lead, note, m):
    """Follow a suspicion while it leads; begin one if there is none, or if its answers are late."""
    if note[1] != NONE and note[1] == m.suspicion[NUMBER] and m.suspicion[FIRST] != NONE:
        m.odds[AHEAD] += lead
        m.odds[ANSWERED] += 1.0
        if m.odds[AHEAD] < LEAD:
            m.suspicion[FIRST] = NONE
    elif lead >= LEAD and (
        m.suspicion[FIRST] == NONE or m.odds[FOLLOWED] > LATE * m.odds[ANSWERED]
    ):
        m.suspicion[NUMBER] += 1
        m.suspicion[FIRST] = i
        m.suspicion[SECOND] = j
        m.suspicion[FIRST_START] = int(note[2])
        m.suspicion[SECOND_START] = int(note[3])
        m.odds[AHEAD] = lead
        m.odds[FOLLOWED] = 0.0
        m.odds[ANSWERED] = 0.0


@inline
def learn(o, i, j, note, m, n):
    """The outcome o of a duel asked with this note; one of an arm with itself tells nothing."""
    if i != j:
        foretell(o, i, j, note[0], m)
        a, b = position(note[2], m), position(note[3], m)
        by_note = m.chance[1, a] if a > b else m.chance[2, b] if b > a else m.chance[0, a]
        together = weigh(i, j, m)
        suspect(i, j, log_of(by_note / together), note, m)
    m.counter[TOLD] += 1
    if m.counter[TOLD] % n.K == 0:
        begin(m, n)


@online
def count_best(memory, numbers, draws, best):
    """Count in `best` (K,) how often each arm is the best response under fresh draws of all."""
    m, n = Ages(*memory), AgesNumbers(*numbers)
    rivals = find_rivals(m, n)
    for _ in range(draws):
        for i in range(n.K):
            m.drawn[i] = quantile(i, uniform(m.words), m)
        best[best_response(m.drawn, rivals, NONE, m, n)] += 1


class Adaptive(Family):
    """The learner behind `tracker`; see there what it does.

    Parameters
    ----------
    K, differ, oldest, seed
        As for `tracker`.

    Examples
    --------
    >>> learner = Adaptive(3, differ=True, seed=1)
    >>> duel = learner.ask()
    >>> duel.row != duel.col
    True
    """

    KIND = "adaptive"
    COPIED_ONCE = True
    MOST_ARMS = 2_000  # more than a gigabyte
    KERNELS = rounds(choose, learn, Ages, AgesNumbers)
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = {
        "W": (1, 2),
        **dict.fromkeys(("A", "median", "y", "phase", "drawn"), (0,)),
    }

    def __init__(
        self, K: int, *, differ: bool = False, oldest: float | None = None, seed: Seed = None
    ) -> None:
        if oldest is not None:
            never = isinstance(oldest, (float, np.floating)) and oldest == math.inf
            rest = LONGEST if never else oldest
            oldest = checks.real("oldest", rest, low=1, high=LONGEST, remedy="math.inf is never")
        super().__init__(K, {"differ": checks.flag("differ", differ), "oldest": oldest}, seed)
        self._book.differ = differ

    def _build(self, *, differ: bool, oldest: float | None) -> Built:
        K = self.K
        A = np.zeros((K, GRID))
        A[:, 0] = 1.0
        memory = Ages(
            W=np.zeros((GRID, K, K)),
            slot=np.arange(GRID),
            start=np.zeros(GRID, np.int64),
            A=A,
            median=np.zeros(K, np.int64),
            counter=np.array([1, 0, 0]),
            reign=np.zeros(2),
            y=np.full(K, 1.0 / K),
            phase=np.arange(float(K)) * GOLDEN**2 % 1.0,
            suspicion=np.array([0, NONE, NONE, 0, 0]),
            odds=np.zeros(3),
            drawn=np.zeros(K, np.int64),
            rivals=np.zeros(K, np.int64),
            chance=np.zeros((3, GRID)),
            z=np.zeros(K + 1),
            words=np.zeros(4, np.uint64),
        )
        numbers = AgesNumbers(K, float(OLDEST * K if oldest is None else oldest), int(differ))
        return Built(memory, numbers, players=0, note=4)

    def _possible(self) -> bool:
        m, K = self._memory, self.K
        starts, told, row = (int(number) for number in m.counter)
        if not (1 <= starts <= GRID and 0 <= told <= LONGEST and 0 <= row < K):
            return False
        grid, later = m.start[:starts], m.start[1:starts]
        pair = m.suspicion[[FIRST, SECOND]]
        fits = [
            np.sort(m.slot) == np.arange(GRID),
            (grid >= 0) & (grid <= told),
            later > grid[:-1],
            (m.W >= 0) & (told >= m.W),
            (m.A >= 0) & (m.A <= 1) & (np.arange(GRID) < starts) | (m.A == 0),
            np.abs(m.A.sum(axis=1) - 1) < 1e-6,
            (m.y >= 0) & (np.abs(m.y.sum() - 1) < 1e-6),
            (m.phase >= 0) & (m.phase < 1),
            (m.reign >= 0) & (m.reign <= told),
            (m.median >= 0) & (m.median < starts),
            (m.drawn >= 0) & (m.drawn < GRID),  # of the last ask: starts may have gone since
            (pair >= NONE) & (pair < K),
            m.suspicion[[NUMBER, FIRST_START, SECOND_START]] >= 0,
            (m.suspicion[[FIRST_START, SECOND_START]] <= told) & (pair[1] != NONE)
            | (pair[0] == NONE),
            m.odds >= 0 if pair[0] != NONE else m.odds[FOLLOWED:] >= 0,
        ]
        return bool(all(part.all() for part in fits))

    def _note_of(self, row: int, col: int, p: Any) -> Floats:
        m, note = self._memory, np.empty(4)  # filled one by one: an index array takes longer
        note[0], note[1] = m.counter[TOLD], NONE
        note[2], note[3] = m.start[m.median[row]], m.start[m.median[col]]
        return note

    def _put_in_order(self, heir: Self, before: list[int | None], boost: float) -> None:
        m = heir._memory
        new = [k for k, place in enumerate(before) if place is None]
        newest = int(m.counter[STARTS]) - 1
        m.A[new] = np.arange(GRID) == newest  # it is as it is since just now
        m.median[new] = m.drawn[new] = newest
        if new:
            for k in new:  # one by one, so that it does not matter how many come together
                m.y[k] = FLOOR
                m.y[: k + 1] /= m.y[: k + 1].sum()
        else:
            m.y[:] /= m.y.sum()
        m.counter[ROW] = before.index(m.counter[ROW]) if m.counter[ROW] in before else m.y.argmax()
        pair = m.suspicion[[FIRST, SECOND]].tolist()
        if all(arm in before for arm in pair):
            m.suspicion[[FIRST, SECOND]] = [before.index(arm) for arm in pair]
        else:
            m.suspicion[FIRST:] = (NONE, NONE, 0, 0)
            m.odds[:] = 0.0

    @classmethod
    def _largest(cls, K: int, *_: Any, **options: Any) -> int:
        return GRID * K * K

    def _fits(self, row: int, col: int, note: Floats) -> bool:
        m, (told, suspicion, *starts) = self._known()[0], note[:4]
        fits = all(0 <= number <= m.counter[TOLD] for number in (told, *starts))
        return fits and bool(NONE <= suspicion <= m.suspicion[NUMBER])

    def _known(self) -> tuple[Ages, Any]:
        """What it knows, and the numbers that go with it; subclasses may know more."""
        return self._memory, self._numbers

    def _copied(self) -> tuple[Ages, Any]:
        """A copy of this, to look at while others continue."""
        with self._turn:
            memory, numbers = self._known()
            parts: Any = (part.copy() for part in memory)
            return Ages(*parts), numbers

    @property
    def favourite(self) -> int:
        """The arm it thinks best at present: it gains most against those shown recently."""
        with self._turn:
            return _favourite(self._known()[0])

    @property
    def chances(self) -> Floats:
        """(K,): for each arm, how probable it is that it is the best now.

        It makes 1,000 draws of all that is unknown: since when each arm is as it is, and who beats
        whom. They are of a copy, so looking changes nothing. docs/tracker.md has how well it is
        calibrated.
        """
        return _chances(*self._copied())

    @property
    def confidence(self) -> float:
        """How probable it is that the favourite is the best arm now, by `chances`."""
        memory, numbers = self._copied()
        favourite = _favourite(memory)
        return float(_chances(memory, numbers)[favourite])


def preferences(m: Ages) -> Floats:
    """(K, K): the expected chance that i beats j, over all starts of both; 1/2 on the diagonal."""
    n = int(m.counter[STARTS])
    A = m.A[:, :n]
    before = np.cumsum(A, axis=1) - A
    W = m.W[m.slot[:n]]
    met = W + W.transpose(0, 2, 1)
    same, risen = (W + 1) / (met + 2), (W + 1 + LIFT) / (met + 2 + LIFT)
    by_both = np.einsum("iq,jq,qij->ij", A, A, same)
    by_first = np.einsum("iq,jq,qij->ij", A, before, risen)  # i changed later, at q
    found = by_both + by_first + before @ A.T - by_first.T
    found.flat[:: len(A) + 1] = 0.5
    return np.asarray(found)


def _favourite(m: Ages) -> int:
    """The arm expected to gain most against the arms shown recently."""
    return int(((preferences(m) - 0.5) @ m.y).argmax())


def _chances(m: Ages, numbers: Any) -> Floats:
    """How often each arm is the best response in many draws, for which m must be a copy."""
    best = np.zeros(len(m.y), np.int64)
    count_best(tuple(m), numbers, DRAWS, best)
    return np.asarray(best / DRAWS)


@register(plain=False)
def tracker(
    K: int,
    *,
    differ: bool = False,
    oldest: float | None = None,
    seed: Seed = None,
) -> Adaptive:
    """The learner we recommend: told only K, it finds the best arm and follows it as tastes change.

    Every arm has a hidden start: the time since when it has been as it is. The learner keeps a
    posterior over these starts and, from each start on, counts of who beat whom. In each duel some
    arm changes with chance 1 / (8 age), where age is that of the start or that of the row arm if it
    is less. This has no scale, so neither T nor the number of changes is needed. Let y be the
    mixture of arms shown recently. The row arm is the best response to y under preferences drawn
    given each arm's median start; the column arm is the best response under preferences drawn given
    starts that are drawn as well. Where one arm beats all others, y becomes that arm, and the
    column is an arm that might beat it now. Where arms beat each other in circles, this is
    fictitious play, which approaches a von Neumann winner. docs/learners.md has the mathematics.

    No theorem bounds its regret; `steady` has one. Over all worlds of the league
    (docs/league.md) it has the least regret, even beside learners that are told T and S.

    Parameters
    ----------
    K
        Number of arms.
    differ
        Whether to show two different arms in every round, for a page that must not show one twice.
        If False, an arm meets itself when there is nothing to learn: no vote is needed, tell 0.5.
    oldest
        The age, in duels, beyond which it does not get less watchful, so that it still notices a
        change after years of calm: 10,000 for each arm if None, math.inf for no limit.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = tracker(K=4, seed=7)
    >>> for _ in range(500):  # a crowd that likes arm 2
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 if duel.row == duel.col else float(duel.row == 2))
    >>> learner.favourite, learner.confidence > 0.9
    (2, True)
    """
    return Adaptive(K, differ=differ, oldest=oldest, seed=seed)
