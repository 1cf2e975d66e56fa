"""Slow twins of the sampler of strengths over time, from the model's definition.

An arm's votes in step t have the precision o[t] and the value y[t]: up to a factor that does not
depend on its strength x[t] they are Gaussian, exp(-o (y - x)^2 / 2). At a jump x is N(0, tau2),
else it walks by N(0, pace2 gap[t]); it stays in its segment with the chance stay[t].
"""

import itertools
import math

import numpy as np


def patterns(stay):
    """Every way to jump: which steps begin a segment, and how probable that is before any vote."""
    for jumps in itertools.product((0, 1), repeat=len(stay) - 1):
        chance = 1.0
        for t, jump in enumerate(jumps, start=1):
            chance *= 1 - stay[t] if jump else stay[t]
        yield (1, *jumps), chance


def covariance(jumps, gap, pace2, tau2):
    """(T, T): of the strengths, given where segments begin."""
    T, found, begin = len(jumps), np.zeros((len(jumps),) * 2), 0
    since = np.zeros(T)  # how far an arm has walked in its segment
    for t in range(T):
        begin = t if jumps[t] else begin
        since[t] = 0.0 if jumps[t] else since[t - 1] + pace2 * gap[t]
        for s in range(begin, t + 1):
            found[s, t] = found[t, s] = tau2 + since[s]
    return found


def exactly(o, y, gap, stay, pace2, tau2):
    """Evidence, chance of each pattern, and mean and covariance of the strengths in each.

    The evidence is that of the Gaussians above, each taken as exp(-o (y - x)^2 / 2): a normal
    density without its factor sqrt(o / 2 pi).
    """
    found = []
    for jumps, chance in patterns(stay):
        prior = covariance(jumps, gap, pace2, tau2)
        seen = np.flatnonzero(o > 0)
        noise = np.diag(1 / o[seen])
        total = prior[np.ix_(seen, seen)] + noise
        inverse = np.linalg.inv(total)
        _, size = np.linalg.slogdet(total)
        log = -0.5 * (size + y[seen] @ inverse @ y[seen]) - 0.5 * np.log(o[seen]).sum()
        gain = prior[:, seen] @ inverse
        found.append((jumps, math.log(chance) + log, gain @ y[seen], prior - gain @ prior[seen]))
    logs = np.array([log for _, log, _, _ in found])
    evidence = logs.max() + math.log(np.exp(logs - logs.max()).sum())
    chances = np.exp(logs - evidence)
    return evidence, chances, [one[0] for one in found], [one[2:] for one in found]


def filtered(o, y, gap, stay, pace2, tau2):
    """The filter over the start of the present segment, one hypothesis and one number at a time.

    For each step a list of (start, mean, variance, chance), and the log-evidence.
    """
    alive, steps, evidence = [(0, 0.0, tau2, 1.0)], [], 0.0
    for t in range(len(o)):
        if t:
            alive = [(s, m, v + pace2 * gap[t], w * stay[t]) for s, m, v, w in alive]
            alive.append((t, 0.0, tau2, 1 - stay[t]))
        told, logs = [], []
        for s, m, v, w in alive:
            r = 1 + v * o[t]
            logs.append(math.log(w) - 0.5 * o[t] * (y[t] - m) ** 2 / r - 0.5 * math.log(r))
            told.append((s, m + v * o[t] / r * (y[t] - m), v / r))
        most = max(logs)
        total = sum(math.exp(log - most) for log in logs)
        evidence += most + math.log(total)
        alive = [(*one, math.exp(log - most) / total) for one, log in zip(told, logs, strict=True)]
        steps.append(alive)
    return steps, evidence


def drawn(steps, gap, pace2, uniforms, normals):
    """Path and starts, drawn backwards: the last start first, each with its own uniform."""
    path, starts, end = [0.0] * len(steps), [], len(steps) - 1
    while end >= 0:
        rest = uniforms[end]
        for s, _, _, w in sorted(steps[end], key=lambda one: -one[0]):
            if rest < w or s == 0:
                break
            rest -= w
        starts.append(s)
        for t in range(end, s - 1, -1):
            _, m, v, _ = next(one for one in steps[t] if one[0] == s)
            if t < end:  # it is known where it walked to
                walked = pace2 * gap[t + 1]
                known = v + walked
                m, v = m + v / known * (path[t + 1] - m), v * walked / known
            path[t] = m + math.sqrt(v) * normals[t]
        end = s - 1
    return path, sorted(starts)


def storm_chance(leapt, stayed, jumps, storms, share):
    """How probable a storm is in a bin in which so many arms jumped and did not."""
    hazard, coming = 1 - math.exp(-jumps * share), 1 - math.exp(-storms * share)
    storm = coming * 0.5 ** (leapt + stayed)
    calm = (1 - coming) * hazard**leapt * (1 - hazard) ** stayed
    return storm / (storm + calm)


def polya_gamma_moments(b, c):
    """Mean and variance of PG(b, c), from its infinite sum of gammas (Polson and others, 2013)."""
    k = np.arange(1, 200_001) - 0.5
    rates = 2 * math.pi**2 * (k**2 + (c / (2 * math.pi)) ** 2)
    tail = b / (2 * math.pi**2) / k[-1]  # of the mean; that of the variance is negligible
    return b * (1 / rates).sum() + tail, b * (1 / rates**2).sum()
