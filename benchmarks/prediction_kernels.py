"""Elo, Glicko-2 and whole-history rating in machine code: libraries are too slow for grids.

Each gives the log-losses of votes, every one predicted from those before. Strengths are in units of
log-odds; `home` is how much it helps to be the first. Ties are half a win.
"""

import math

import numpy as np
from numba import njit

from sparring.learners.ratings import end_period, flatter

SURE = 1e-9  # no chance is nearer to 0 or 1, as for our own


@njit(cache=True)
def paid(chance, outcome):
    """The log-loss of a chance."""
    p = min(max(chance, SURE), 1 - SURE)
    return -(outcome * math.log(p) + (1 - outcome) * math.log(1 - p))


@njit(cache=True)
def logistic(x):
    """1 / (1 + e^-x)."""
    return 1 / (1 + math.exp(-x))


@njit(cache=True)
def elo(first, second, outcome, K, step, home, losses):
    """Elo's ratings, in units of log-odds: his K is step * 400 / ln 10."""
    rating = np.zeros(K)
    for t in range(len(first)):
        i, j = first[t], second[t]
        p = logistic(rating[i] - rating[j] + home)
        losses[t] = paid(p, outcome[t])
        rating[i] += step * (outcome[t] - p)
        rating[j] -= step * (outcome[t] - p)


@njit(cache=True)
def aside(logits, outcome, ridge, losses):
    """What a predictor without sides pays if a side is added, fitted to the votes before."""
    side, information = 0.0, ridge
    for t in range(len(logits)):
        p = logistic(logits[t] + side)
        losses[t] = paid(p, outcome[t])
        bend = p * (1 - p)
        side += (outcome[t] - p) / (information + bend)
        information += bend


@njit(cache=True)
def glicko2(first, second, outcome, K, period, sigma0, tau, home, losses):
    """Glicko-2 with rating periods of so many votes; ratings in Glickman's units, log-odds."""
    mu, phi2, sigma = np.zeros(K), np.full(K, (350 / 173.7178) ** 2), np.full(K, sigma0)
    gain, bend = np.zeros(K), np.zeros(K)
    for t in range(len(first)):
        i, j = first[t], second[t]
        lead = mu[i] - mu[j] + home
        losses[t] = paid(logistic(flatter(phi2[i] + phi2[j]) * lead), outcome[t])
        for own, other, sign, score in ((i, j, 1, outcome[t]), (j, i, -1, 1 - outcome[t])):
            g = flatter(phi2[other])
            p = logistic(g * sign * lead)
            gain[own] += g * (score - p)
            bend[own] += g * g * p * (1 - p)
        if (t + 1) % period:
            continue
        end_period(mu, phi2, sigma, gain, bend, tau, math.inf)


@njit(cache=True)
def whole_history(first, second, outcome, step, K, pace, sided, sweeps, losses):
    """Coulom's whole-history rating (2008), refitted after each step of time.

    step: (n,), rising whole numbers. pace: the variance that a strength gains in one. At the end of
    each step Newton's method runs through the histories of all arms, one after the other, as often
    as sweeps says, and begins where it was. Half a win and half a loss against a strength of 0 are
    the prior. A vote is predicted from the latest strengths, flattened by their variance; a side is
    fitted to all votes before, with our own prior.
    """
    n = len(first)
    days = np.zeros((K, n + 1), np.int64)  # the steps on which an arm was shown
    many = np.zeros(K, np.int64)
    r = np.zeros((K, n + 1))
    variance = np.full(K, 4.0)
    head = np.full((K, n + 1), -1, np.int64)  # of the list of votes on an arm's day
    after = np.full(2 * n, -1, np.int64)
    day = np.zeros(2 * n, np.int64)  # of a vote, for its first arm and its second
    g, h, d = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    side, t = 0.0, 0
    while t < n:
        now, begin = step[t], t
        while t < n and step[t] == now:
            i, j = first[t], second[t]
            doubt, lead = 0.0, side
            for k, sign in ((i, 1), (j, -1)):
                if many[k]:
                    lead += sign * r[k, many[k] - 1]
                    doubt += variance[k] + pace * (now - days[k, many[k] - 1])
                else:
                    doubt += 4.0
            losses[t] = paid(logistic(lead / math.sqrt(1 + math.pi / 8 * doubt)), outcome[t])
            t += 1
        for s in range(begin, t):
            for half in range(2):
                k = second[s] if half else first[s]
                if many[k] == 0 or days[k, many[k] - 1] < now:
                    r[k, many[k]] = r[k, many[k] - 1] if many[k] else 0.0
                    days[k, many[k]] = now
                    many[k] += 1
                at = many[k] - 1
                day[2 * s + half] = at
                after[2 * s + half] = head[k, at]
                head[k, at] = 2 * s + half
        for _ in range(sweeps):
            for k in range(K):
                N = many[k]
                if not N:
                    continue
                for x in range(N):  # what the votes of each day say
                    g[x], h[x], slot = 0.0, 0.0, head[k, x]
                    while slot >= 0:
                        s = slot // 2
                        other = first[s] if slot % 2 else second[s]
                        score = 1 - outcome[s] if slot % 2 else outcome[s]
                        shift = -side if slot % 2 else side
                        p = logistic(r[k, x] - r[other, day[slot ^ 1]] + shift)
                        g[x] += score - p
                        h[x] += p * (1 - p)
                        slot = after[slot]
                p = logistic(r[k, 0])
                g[0] += 0.5 * (1 - 2 * p)
                h[0] += p * (1 - p)
                for x in range(N - 1):  # what neighbouring days say
                    tie = 1 / (pace * (days[k, x + 1] - days[k, x]))
                    pull = tie * (r[k, x + 1] - r[k, x])
                    g[x] += pull
                    g[x + 1] -= pull
                    h[x] += tie
                    h[x + 1] += tie
                d[0] = h[0]  # the tridiagonal system, by elimination
                for x in range(1, N):
                    tie = 1 / (pace * (days[k, x] - days[k, x - 1]))
                    d[x] = h[x] - tie * tie / d[x - 1]
                    g[x] += tie * g[x - 1] / d[x - 1]
                variance[k] = 1 / d[N - 1]
                move = g[N - 1] / d[N - 1]
                r[k, N - 1] += move
                for x in range(N - 2, -1, -1):
                    tie = 1 / (pace * (days[k, x + 1] - days[k, x]))
                    move = (g[x] + tie * move) / d[x]
                    r[k, x] += move
            if sided:
                slope_, bend = -4.0 * side, 4.0
                for s in range(t):
                    lead = r[first[s], day[2 * s]] - r[second[s], day[2 * s + 1]] + side
                    p = logistic(lead)
                    slope_ += outcome[s] - p
                    bend += p * (1 - p)
                side += slope_ / bend
