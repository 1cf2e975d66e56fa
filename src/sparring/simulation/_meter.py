"""What plays come to: the sums behind every regret, at the cost of a count a round.

The first K rounds of a stretch of constant P are charged one by one, O(K) each; from then on pairs
are counted, and what the counts come to is worked out once, when the stretch ends or somebody
asks. Where a round stands in its stretch decides, not how the stretch was cut into blocks, so no
bit of a result depends on the cut.
"""

from typing import NamedTuple

from sparring._jit import Floats, Ints, inline, kernel
from sparring._matrices import highest, lowest, lowest_sum

HORIZON, STRETCH = 0, 1  # the windows with sums of their own
BOTH, ROW, COLUMN, WEAK, STRONG = 0, 1, 2, 3, 4  # the sides
WON, SCORE_ROW, SCORE_COLUMN = 0, 1, 2  # in Ledger.plain
BEST, LOW_ROW, LOW_COLUMN, TOP = 0, 1, 2, 3  # in Ledger.response
UNSEEN = -1.0  # in the memo of best responses, which are never negative


class Wants(NamedTuple):
    """What is asked for."""

    K: int
    horizon: bool
    """Sums over all rounds."""
    stretch: bool
    """The best arm of each stretch."""
    round: bool
    """The best response of each round."""
    borda: bool
    """Gains in Borda scores."""
    split: bool
    """Row and column regret apart."""


class Ledger(NamedTuple):
    """What one learner's plays have come to."""

    rows: Floats
    """(2, K), by window: sum of P(row_t, j) - 1/2 for every j."""
    cols: Floats
    """(2, K), by window: sum of P(col_t, j) - 1/2."""
    scores: Floats
    """(2, K), by window: sum of b_t(j) - 1/2."""
    plain: Floats
    """(2, 3), by window: sums of P(row_t, col_t), b_t(row_t) and b_t(col_t), each less 1/2."""
    response: Floats
    """(4,): sums of max_j r_t(j); and of min_j P(row_t, j), min_j P(col_t, j) and max_j b_t(j),
    each less 1/2."""
    stretches: Floats
    """(2, 3), by gain and side: the best arm's sum, over the stretches that have ended."""
    age: Ints
    """(1,): rounds of the stretch so far."""
    pairs: Ints
    """(K, K): how often each pair was played since counting began in this stretch."""
    memo: Floats
    """(K, K): max_j r(j) of each pair, or UNSEEN."""
    counts: Ints
    """(2, K): scratch, how often each arm was the row and the column arm."""


@inline
def add(total, x, times):
    """total + times (x - 1/2), entry by entry: sums of the size of a regret, not of T."""
    for j in range(total.shape[0]):
        total[j] += times * (x[j] - 0.5)


@inline
def charge_window(s, n, window, P, b, row, col):
    """Charge one round to a window."""
    add(s.rows[window], P[row], 1.0)
    add(s.cols[window], P[col], 1.0)
    if n.split:
        s.plain[window, WON] += P[row, col] - 0.5
    if n.borda:
        add(s.scores[window], b, 1.0)
        s.plain[window, SCORE_ROW] += b[row] - 0.5
        s.plain[window, SCORE_COLUMN] += b[col] - 0.5


@inline
def charge_round(s, n, P, b, row, col):
    """Charge one round in full."""
    for window in range(2):
        if (n.horizon and window == HORIZON) or (n.stretch and window == STRETCH):
            charge_window(s, n, window, P, b, row, col)
    if n.round:
        s.response[BEST] += 0.5 * (1.0 - lowest_sum(P[row], P[col]))
        if n.split:
            s.response[LOW_ROW] += lowest(P[row]) - 0.5
            s.response[LOW_COLUMN] += lowest(P[col]) - 0.5
        if n.borda:
            s.response[TOP] += highest(b) - 0.5


@inline
def settle_window(s, n, window, P, b, rounds, won):
    """Charge the counts of the arms to a window."""
    for k in range(n.K):
        times_row, times_col = float(s.counts[0, k]), float(s.counts[1, k])
        if times_row > 0.0:
            add(s.rows[window], P[k], times_row)
        if times_col > 0.0:
            add(s.cols[window], P[k], times_col)
        if n.borda:
            s.plain[window, SCORE_ROW] += times_row * (b[k] - 0.5)
            s.plain[window, SCORE_COLUMN] += times_col * (b[k] - 0.5)
    if n.borda:
        add(s.scores[window], b, float(rounds))
    s.plain[window, WON] += won


@inline
def settle(s, n, P, b):
    """Charge the pairs that were only counted, and start to count anew."""
    rounds, won = 0, 0.0
    for k in range(n.K):
        s.counts[0, k] = 0
        s.counts[1, k] = 0
    for row in range(n.K):
        for col in range(n.K):
            times = s.pairs[row, col]
            if times > 0:
                s.pairs[row, col] = 0
                s.counts[0, row] += times
                s.counts[1, col] += times
                rounds += times
                won += times * (P[row, col] - 0.5)
                if n.round:
                    if s.memo[row, col] == UNSEEN:
                        s.memo[row, col] = 0.5 * (1.0 - lowest_sum(P[row], P[col]))
                    s.response[BEST] += times * s.memo[row, col]
    for window in range(2):
        if (n.horizon and window == HORIZON) or (n.stretch and window == STRETCH):
            settle_window(s, n, window, P, b, rounds, won)
    if n.round and n.split:
        for k in range(n.K):
            s.response[LOW_ROW] += s.counts[0, k] * (lowest(P[k]) - 0.5)
            s.response[LOW_COLUMN] += s.counts[1, k] * (lowest(P[k]) - 0.5)
    if n.round and n.borda:
        s.response[TOP] += rounds * (highest(b) - 0.5)


@inline
def end_stretch(s, n):
    """Add the best arm's sum of the stretch to those of the stretches before, and forget it."""
    rows, cols, scores = s.rows[STRETCH], s.cols[STRETCH], s.scores[STRETCH]
    s.stretches[0, BOTH] -= 0.5 * lowest_sum(rows, cols)
    if n.split:
        won = s.plain[STRETCH, WON]
        s.stretches[0, ROW] -= lowest(cols) + won
        s.stretches[0, COLUMN] += won - lowest(rows)
    if n.borda:
        top = highest(scores)
        score_row, score_col = s.plain[STRETCH, SCORE_ROW], s.plain[STRETCH, SCORE_COLUMN]
        s.stretches[1, BOTH] += top - 0.5 * (score_row + score_col)
        s.stretches[1, ROW] += top - score_row
        s.stretches[1, COLUMN] += top - score_col
    for j in range(n.K):
        rows[j] = 0.0
        cols[j] = 0.0
        scores[j] = 0.0
    for i in range(3):
        s.plain[STRETCH, i] = 0.0


@kernel
def finish(P, b, ledger, wants):
    """End the stretch in which P, with Borda scores b, held: every sum is up to date."""
    s, n = Ledger(*ledger), Wants(*wants)
    if s.age[0] > n.K:
        settle(s, n, P, b)
    if n.stretch and s.age[0] > 0:
        end_stretch(s, n)


@inline
def begin(s, n):
    """Begin a stretch: nothing is known of its pairs."""
    if n.round and s.age[0] > n.K:
        for row in range(n.K):
            for col in range(n.K):
                s.memo[row, col] = UNSEEN
    s.age[0] = 0


@kernel
def charge(P, b, hold, fresh, before, before_b, rows, cols, ledger, wants):
    """Charge the rounds of a piece of a path.

    P[m], with Borda scores b[m], holds for hold[m] rounds; fresh[m] says whether it differs from
    the matrix before it, which for the first is `before`.
    """
    s, n = Ledger(*ledger), Wants(*wants)
    t = 0
    for m in range(hold.shape[0]):
        if fresh[m]:
            if s.age[0] > n.K or n.stretch:
                if m > 0:
                    finish(P[m - 1], b[m - 1], ledger, wants)
                else:
                    finish(before, before_b, ledger, wants)
            begin(s, n)
        one_by_one = min(max(n.K - s.age[0], 0), hold[m])
        for _ in range(one_by_one):
            charge_round(s, n, P[m], b[m], rows[t], cols[t])
            t += 1
        for _ in range(hold[m] - one_by_one):
            s.pairs[rows[t], cols[t]] += 1
            t += 1
        s.age[0] += hold[m]


@kernel
def follow(P, b, hold, arms, rows, cols, gains, misses, borda):
    """Add to gains (5,), by side, what arm arms[t] would have gained in each round.

    misses (1,) counts the rounds where the arm is -1: there is none.
    """
    t = 0
    for m in range(hold.shape[0]):
        for _ in range(hold[m]):
            j, row, col = arms[t], rows[t], cols[t]
            t += 1
            if j < 0:
                misses[0] += 1
            elif borda:
                over_row, over_col = b[m, j] - b[m, row], b[m, j] - b[m, col]
                gains[BOTH] += 0.5 * (over_row + over_col)
                gains[ROW] += over_row
                gains[COLUMN] += over_col
            else:
                over_row, over_col = P[m, j, row] - 0.5, P[m, j, col] - 0.5
                gains[BOTH] += 0.5 * (over_row + over_col)
                gains[ROW] += P[m, j, col] - P[m, row, col]
                gains[COLUMN] += P[m, j, row] - P[m, col, row]
                gains[WEAK] += min(over_row, over_col)
                gains[STRONG] += max(over_row, over_col)
