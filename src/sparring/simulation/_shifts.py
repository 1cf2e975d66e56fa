"""Significant shifts of a path, stretch by stretch: every arm has been bad for a while since.

The gap of an arm is max_j P(j, arm) less the least such number: 0 for a Condorcet winner. It is bad
in an interval of n rounds if its gaps there sum to sqrt(K n) or more. A shift is the first round by
which every arm was bad in some interval since the last shift.

With G the running sum, a start s reaches the level at t if G(t) - G(s) - sqrt(K (t - s)) >= 0. In
a stretch of equal matrices that is convex in s and in t, so only stretches' first rounds can be
starts, and an arm that becomes bad within a stretch is bad at its end. Of two starts the older
gains on the newer for ever, so those that can still be the best form a stack, the best on top.

gaps (K,): of the present matrix. total (K,): G where its stretch began, since the last shift. bad
(K,): the round by which the arm was bad, 0 if it was not. size (K,): of the stack; start, base (K,
room): rounds before a start, and G there. counter (3,): rounds so far, shifts so far, and rounds of
the present stretch, which are not in `total` yet: so nothing depends on how a path is cut.
"""

import math

from sparring._jit import inline, kernel

ROUNDS, SHIFTS, AGE = range(3)


@inline
def measure(P, gaps):
    """The gap of each arm in a matrix P (K, K)."""
    K, least = P.shape[0], 1.0
    for arm in range(K):
        worst = 0.0
        for j in range(K):
            worst = max(worst, P[j, arm])
        gaps[arm] = worst
        least = min(least, worst)
    for arm in range(K):
        gaps[arm] -= least


@inline
def overtakes(K, old, old_base, new, new_base):
    """When the older of two starts is as good as the newer; infinite if it never is."""
    ahead, apart = new_base - old_base, float(new - old)
    if ahead <= 0.0:
        return math.inf
    q = ahead * ahead / K
    return float(new) if q >= apart else new + (apart - q) * (apart - q) / (4.0 * q)


@inline
def reaches(K, gain, length):
    """Whether gaps that sum to `gain` over so many rounds are bad."""
    return gain * gain >= float(K) * length


@inline
def begin(arm, K, t, total, size, start, base):
    """Let round t + 1 be a start, unless an older one is better now and so for ever."""
    n = size[arm]
    if n > 0 and overtakes(K, start[arm, n - 1], base[arm, n - 1], t, total[arm]) <= t:
        return
    while n > 1:
        below = overtakes(
            K, start[arm, n - 2], base[arm, n - 2], start[arm, n - 1], base[arm, n - 1]
        )
        if below > overtakes(K, start[arm, n - 1], base[arm, n - 1], t, total[arm]):
            break
        n -= 1
    start[arm, n] = t
    base[arm, n] = total[arm]
    size[arm] = n + 1


@inline
def first_bad(arm, K, t, age, rounds, gap, total, size, start, base):
    """After how many of these rounds the arm is bad first, given that it is at their end."""
    least = rounds
    for n in range(size[arm]):
        gain, length = total[arm] - base[arm, n] + gap * age, t - start[arm, n]
        # The larger root of (gain + gap x)^2 = K (length + x), and whole rounds around it.
        half = K - 2.0 * gain * gap
        short = max(float(K) * length - gain * gain, 0.0)
        root = half + math.sqrt(half * half + 4.0 * gap * gap * short)
        x = min(max(root / (2.0 * gap * gap), 1.0), float(least))
        x = max(int(x) - 2, 1)
        while x < least and not reaches(K, total[arm] - base[arm, n] + gap * (age + x), length + x):
            x += 1
        least = x
    return least


@inline
def look(arm, K, t, age, rounds, gaps, total, bad, size, start, base):
    """Whether the arm becomes bad within these rounds; starts that were overtaken are dropped."""
    gap = gaps[arm]
    if gap <= 0.0:
        return
    end, after = t + rounds, gap * (age + rounds)
    n = size[arm] - 1
    while n > 0 and (
        overtakes(K, start[arm, n - 1], base[arm, n - 1], start[arm, n], base[arm, n]) <= end
    ):
        n -= 1
    if reaches(K, total[arm] - base[arm, n] + after, end - start[arm, n]):
        bad[arm] = t + first_bad(arm, K, t, age, rounds, gap, total, size, start, base)
    else:
        size[arm] = n + 1


@inline
def restart(t, total, bad, size, start, base):
    """Begin again before round t + 1."""
    for arm in range(total.shape[0]):
        total[arm] = 0.0
        bad[arm] = 0
        size[arm] = 1
        start[arm, 0] = t
        base[arm, 0] = 0.0


@kernel
def count_shifts(P, hold, fresh, first, gaps, total, bad, size, start, base, counter):
    """Follow the matrices of P (m, K, K) from the first-th on, each held so many rounds.

    fresh (m,): whether a matrix differs from the one before. Returns the matrix before which the
    stack has no room left, or m.
    """
    K, room = gaps.shape[0], start.shape[1]
    for m in range(first, P.shape[0]):
        if fresh[m]:
            for arm in range(K):
                if size[arm] >= room:
                    return m
            for arm in range(K):
                total[arm] += gaps[arm] * counter[AGE]
            counter[AGE] = 0
            measure(P[m], gaps)
            for arm in range(K):
                if bad[arm] == 0:
                    begin(arm, K, counter[ROUNDS], total, size, start, base)
        rounds = hold[m]
        while rounds > 0:
            t, age = counter[ROUNDS], counter[AGE]
            shift = 0  # the round by which the last arm was bad
            for arm in range(K):
                if bad[arm] == 0:
                    look(arm, K, t, age, rounds, gaps, total, bad, size, start, base)
                if shift >= 0:
                    shift = max(shift, bad[arm]) if bad[arm] > 0 else -1
            if shift > 0:
                counter[SHIFTS] += 1
                rounds -= shift - 1 - t
                counter[ROUNDS] = shift - 1
                counter[AGE] = 0
                restart(shift - 1, total, bad, size, start, base)
            else:
                counter[ROUNDS] += rounds
                counter[AGE] += rounds
                rounds = 0
    return P.shape[0]
