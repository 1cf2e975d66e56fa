"""Compiled sums behind a certificate: estimates, their variances and what chance may add.

p is (n, players, K) with one or two players; `rates` are the lambda of docs/theory.md, Theorem 7,
and `charges[g]` sums psi for each of them. One duel costs players K len(rates) evaluations of psi.
"""

import math

from sparring._jit import inline, kernel

SMALL = 0.5  # below it e^x - 1 - x would lose digits, and its series is short
TERMS = 15  # of the series: the next would be below the last bit
LARGE = 40.0  # beyond it the other branch of psi is smaller for every p that matters

# What `coupling` holds: the highest log-wealth of all bets together so far, how often arms were
# equal, what p expected, and then the log-wealth of each bet. A bet believes that so many duels of
# different arms are there for each that was asked, as compared with those of equal arms; what is
# staked on it is larger where there is less to be found in a duel.
HIGHEST, EQUAL, EXPECTED, BETS = range(4)
SHARES = (0.9, 0.8, 0.5, 0.2, 1.0 / 0.9, 1.0 / 0.8, 2.0, 20.0)
STAKES = (0.2, 0.3, 0.15, 0.1, 0.05, 0.1, 0.05, 0.05)
COUPLING = BETS + len(SHARES)


@inline
def excess(x):
    """e^x - 1 - x for x >= 0, to the last bits."""
    if x >= SMALL:
        return math.exp(x) - 1.0 - x
    total = 1.0
    for n in range(TERMS, 2, -1):
        total = 1.0 + total * x / n
    return 0.5 * x * x * total


@inline
def psi(rate, p):
    """ln E exp(rate (P - 1/2 - y)) is at most this, for an arm drawn with probability p."""
    x = rate / (2.0 * p)
    surely = rate / 2.0 + x
    if x > LARGE:
        return surely
    return min(p * excess(x), surely)


@inline
def psi_apart(rate, p, v):
    """ln E exp(2 rate (r - y)) is at most this where arms differ (docs/theory.md, Theorem 13).

    v is the sum over the other arms of the chance to meet them times (1 - p)^2, theirs.
    """
    x = rate / (2.0 * p)
    surely = rate + x
    if x > LARGE:
        return surely
    return min(v * excess(x), surely)


@kernel
def possible(rows, cols, outcomes, p, least, tolerance):
    """Whether all duels can have happened: arms in range and drawn with a chance, p sums to 1."""
    n, players, K = p.shape
    for t in range(n):
        row, col = rows[t], cols[t]
        if not (0 <= row < K and 0 <= col < K and 0.0 <= outcomes[t] <= 1.0):
            return False
        if p[t, 0, row] < least or p[t, players - 1, col] < least:
            return False
        for i in range(players):
            total = 0.0
            for k in range(K):
                if not 0.0 <= p[t, i, k] <= 1.0 + tolerance:
                    return False
                total += p[t, i, k]
            if abs(total - 1.0) > tolerance:
                return False
    return True


@inline
def add_apart(o, row, col, p, rates, estimate, variance, inverse, charges):
    """Add a duel whose arms were drawn from p given that they differ. Lemma A.1 is not for it."""
    K = len(p)
    D = 0.0
    all_v = 0.0
    for k in range(K):
        others = max(1.0 - p[k], 0.0)
        D += p[k] * others
        all_v += p[k] * others * others
    estimate[row] += (1.0 - p[col]) * (o - 0.5) / (2.0 * p[row])
    estimate[col] += (1.0 - p[row]) * (0.5 - o) / (2.0 * p[col])
    for k in range(K):
        others = max(1.0 - p[k], 0.0)
        v = max(2.0 * p[k] / D * (all_v - p[k] * others * others), 0.0)
        inverse[k] = math.inf
        if p[k] > 0.0:
            variance[k] += v / (p[k] * p[k])
        else:
            variance[k] = math.inf
        for g in range(len(rates)):
            charges[g, k] += 0.5 * psi_apart(rates[g], p[k], v)


@inline
def shown(p, a, all_first, all_second):
    """2 D times the chance that a place of the pair is the arm a."""
    by_row = p[0, a] * max(all_second - p[1, a], 0.0)
    return by_row + p[1, a] * max(all_first - p[0, a], 0.0)


@inline
def add_pair(o, row, col, p, rates, estimate, variance, inverse, charges):
    """As `add_apart`, of two distributions (docs/theory.md, Theorem 14). It takes K^2 steps."""
    K = p.shape[1]
    first, second = p[0], p[1]
    all_first = 0.0
    all_second = 0.0
    for k in range(K):
        all_first += first[k]
        all_second += second[k]
    D = 0.0
    for k in range(K):
        D += first[k] * max(all_second - second[k], 0.0)
    to_row, to_col = shown(p, row, all_first, all_second), shown(p, col, all_first, all_second)
    met = first[row] * second[col] + first[col] * second[row]
    estimate[row] += 0.5 * to_col / met * (o - 0.5)
    estimate[col] += 0.5 * to_row / met * (0.5 - o)
    for k in range(K):
        largest = 0.0
        squares = 0.0
        for a in range(K):
            to_a = shown(p, a, all_first, all_second)
            if a == k or to_a == 0.0:
                continue
            meets = first[k] * second[a] + first[a] * second[k]
            if meets == 0.0:
                largest = math.inf
                break
            largest = max(largest, to_a / meets)
            squares += to_a * to_a / (D * meets)
        inverse[k] = math.inf
        if largest == math.inf:
            variance[k] = math.inf
        else:
            variance[k] += squares
        for g in range(len(rates)):
            if largest == math.inf:
                charges[g, k] = math.inf
            else:
                v = squares / (largest * largest)
                charges[g, k] += 0.5 * psi_apart(rates[g], 1.0 / largest, v)


@inline
def bet(met_itself, equal, coupling):
    """Each bet multiplies its stake by how much likelier it finds what has happened."""
    most = -math.inf
    for b in range(len(SHARES)):
        coupling[BETS + b] -= math.log1p((SHARES[b] - 1.0) * (1.0 - equal))
        if not met_itself:
            coupling[BETS + b] += math.log(SHARES[b])
        most = max(most, coupling[BETS + b])
    if most > coupling[HIGHEST]:  # else the sum is not the highest, either
        total = 0.0
        for b in range(len(SHARES)):
            total += STAKES[b] * math.exp(coupling[BETS + b] - most)
        coupling[HIGHEST] = max(coupling[HIGHEST], most + math.log(total))
    coupling[EQUAL] += 1.0 if met_itself else 0.0
    coupling[EXPECTED] += equal


@kernel
def add(
    rows, cols, outcomes, p, differ, rates, estimate, variance, wins, inverse, charges, coupling
):
    """Add n duels to the sums.

    differ: whether the arms were drawn given that they differ; estimate: sum of (y+ + y-) / 2, for
    each arm; variance: 16 times that of its error, at most; wins: sum of the halved
    importance-weighted wins; inverse: sum of 1/p+ + 1/p-; charges: sum of (psi+ + psi-) / 2.
    """
    n, players, K = p.shape
    last = players - 1
    for t in range(n):
        row, col = rows[t], cols[t]
        if differ[t]:
            o = outcomes[t]
            if players == 1:
                add_apart(o, row, col, p[t, 0], rates, estimate, variance, inverse, charges)
            else:
                add_pair(o, row, col, p[t], rates, estimate, variance, inverse, charges)
            continue
        o = 0.5 if row == col else outcomes[t]  # whatever is logged, nothing was to be learnt
        to_row, to_col = p[t, 0, row], p[t, last, col]
        estimate[row] += (o - 0.5) / (2.0 * to_row)
        estimate[col] += (0.5 - o) / (2.0 * to_col)
        wins[row] += o / (2.0 * to_row)
        wins[col] += (1.0 - o) / (2.0 * to_col)
        equal = 0.0
        for k in range(K):
            first, second = p[t, 0, k], p[t, last, k]
            equal += first * second
            inverse[k] += 1.0 / first + 1.0 / second
            if min(first, second) > 0.0:
                variance[k] += max(1.0 - second, 0.0) / first + max(1.0 - first, 0.0) / second
            else:
                variance[k] = math.inf
        for g in range(len(rates)):
            for k in range(K):
                if players == 1:
                    charges[g, k] += psi(rates[g], p[t, 0, k])
                else:
                    charges[g, k] += 0.5 * (psi(rates[g], p[t, 0, k]) + psi(rates[g], p[t, 1, k]))
        bet(row == col, equal, coupling)
