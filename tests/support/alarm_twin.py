"""The two watches from their definitions: all votes are kept, and each sum is formed anew."""

import math

import numpy as np


def sum_against(scores, bets):
    """Mean over bets b of the sum over starts of the product of 1 + b (1/2 - o) from there on.

    scores: the favourite's against one arm.
    """
    found = []
    for b in bets:
        factors = 1 + b * (0.5 - np.asarray(scores, float))
        found.append(math.fsum(np.prod(factors[start:]) for start in range(len(factors))))
    return math.fsum(found) / len(bets)


def evidence_against(favourite, votes, bets):
    """Sum over the other arms; votes are (first, second, how the first did)."""
    scores = {}
    for i, j, o in votes:
        if favourite in (i, j):
            other, score = (j, o) if i == favourite else (i, 1 - o)
            scores.setdefault(other, []).append(score)
    return math.fsum(sum_against(one, bets) for one in scores.values())


def interval(scores, rate, level):
    """Chances x that neither e-value exp(rate S) / (1 + x (e^rate - 1))^n shows to be wrong.

    By bisection on the e-value, one for wins and one for losses, each with half of the level.
    """
    n = len(scores)

    def highest_refuted(won):
        low, high = 0.0, 1.0

        def refuted(x):
            return rate * won - n * math.log1p(x * math.expm1(rate)) > math.log(2 / level)

        if not refuted(0.0):
            return 0.0
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if refuted(middle) else (low, middle)
        return low

    won = math.fsum(scores)
    return highest_refuted(won), 1 - highest_refuted(n - won)


def sequences(n, A, spans):
    """(first vote from 0, level, span) of all that may speak after n votes: starts 0, d, 2 d, ...

    A sequence lives for 2 d votes and speaks from d / 4 on.
    """
    for d in spans:
        for start in range(0, n, d):
            paid = 1 if start == 0 else d  # votes since the scale's last start, this one included
            age = n - start
            if d / 4 <= age <= 2 * d:
                yield start, min(paid / (len(spans) * A), 1.0), d


def pair_alarm(scores, A, spans, rates):
    """After how many votes nothing is left that all intervals share, None if never; the ends."""
    low, high = 0.0, 1.0
    for n in range(1, len(scores) + 1):
        for start, level, d in sequences(n, A, spans):
            below, above = interval(scores[start:n], rates[spans.index(d)], level)
            low, high = max(low, below), min(high, above)
        if low > high:
            return n, (low, high)
    return None, (low, high)
