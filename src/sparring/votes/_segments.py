"""Strengths over time, where each arm has its own jumps and pace: one sweep of a Gibbs sampler.

Votes are counted in bins. In bin b arm i beats arm j with the chance logistic(theta[i, b] -
theta[j, b] + side). At a jump theta[k, b] is drawn anew from N(0, tau2), so segments between jumps
are independent; else it walks by N(0, pace^2 gap), where gap is the share of the file since the bin
before. Given a Polya-Gamma weight omega for each cell (all votes on a pair in a bin) the votes are
Gaussian: precision omega, value kappa / omega, with kappa the wins less half the votes.

`draw_paths` draws pace, jumps and path of one arm after another, each at once, given all others;
`draw_storms` the bins in which half of all arms jump; `draw_weights` the omegas. Nothing is drawn
in here: the caller passes uniforms, normals and gammas. Arrays have a row for each chain, and all
chains take the same steps. No sum is reassociated, nothing is fused, and `exponential` is our own,
so interpreted and compiled sweeps agree to the last bit.
"""

import math
from typing import NamedTuple

import numpy as np

from sparring._jit import Floats, Ints, compiled_as, inline, kernel
from sparring._math import LN2_HIGH, LN2_LOW, LOG2_E, ROUND_TO_INT, power_of_two

FARTHEST = 700.0  # a larger power of e is no number
STORMY = 0.5  # chance that an arm jumps in a storm
CROWD = 3  # arms that must be there for a storm
SMALL = 0.5  # a lead below which the moments of a weight are taken from their series


class Cells(NamedTuple):
    """The votes, counted: all votes on a pair in a bin are a cell. C cells, K arms, B bins."""

    votes: Floats
    """(C,): how many votes; any weight."""
    kappa: Floats
    """(C,): the wins of the first arm less half of the votes."""
    first: Ints
    """(C,): place of the first arm's strength in a row of theta: arm B + bin."""
    second: Ints
    begin: Ints
    """(K + 1,): arm k's entries in the four arrays below run from begin[k] to begin[k + 1]."""
    cell: Ints
    """(2C,): a cell of the arm, in the order of bins."""
    other: Ints
    """(2C,): place of the opponent's strength in a row of theta."""
    step: Ints
    """(2C,): which of the arm's own bins it is."""
    sign: Ints
    """(2C,): 1 where the arm is the first of the cell, else -1."""
    steps: Ints
    """(K,): in how many bins the arm was shown, the last bin, now, included."""
    bins: Ints
    """(K, B): these bins."""
    latest: Ints
    """(K, B): which of its bins is the latest up to b; 0 before the first."""
    share: Floats
    """(B,): the share of the file since the bin before; 0 for the first."""
    alive: Ints
    """(B,): arms that were shown in an earlier bin, and so may jump in this one."""


class Chains(NamedTuple):
    """What the sampler is at. H chains, G paces."""

    theta: Floats
    """(H, K B): strengths."""
    jumped: Ints
    """(H, K B): whether the arm's strength is drawn anew in this bin (1), also at its first."""
    omega: Floats
    """(H, C): weights."""
    pace: Ints
    """(H, K): which pace an arm has."""
    storm: Ints
    """(H, B): whether half of all arms jump."""
    side: Floats
    """(H,): how much it helps to be first."""
    tau2: Floats
    """(H,): variance of a fresh strength."""
    jumps: Floats
    """(H,): rate at which an arm jumps, per file."""
    storms: Floats
    """(H,): rate of storms, per file."""
    belief: Floats
    """(H, G): logarithm of the share of arms that have a pace."""
    sums: Floats
    """(H, SUMS): what the caller needs to draw side, tau2 and the rates."""


FRESH, FRESH_SUM, FRESH_SQUARES, JUMPS, EXPOSED, STORMS, BRAVED, WEIGHT, TILT = range(9)
SUMS = 9


class Luck(NamedTuple):
    """What is drawn for a sweep."""

    path: Floats
    """(H, K B): normals."""
    start: Floats
    """(H, K B): uniforms, as all below but `weight`."""
    other: Floats
    """(H, K)."""
    accept: Floats
    """(H, K)."""
    gap: Floats
    """(H, K B)."""
    events: Floats
    """(H, K B)."""
    storm: Floats
    """(H, B)."""
    weight: Floats
    """(H, C): gammas, of the shape of each cell's votes."""


class Filter(NamedTuple):
    """Room for one arm's filter: x = 0 is its pace, 1 another one."""

    precision: Floats
    """(H, B): of the votes in each of the arm's bins."""
    value: Floats
    """(H, B): precision-weighted."""
    gap: Floats
    """(H, B): share of the file since the arm's bin before."""
    stay: Floats
    """(H, B): chance of no jump since then."""
    walk: Floats
    """(H, 2): pace^2."""
    mean: Floats
    """(H, 2, B, B): of the strength in bin t (row), given the votes so far and that the present
    segment began in bin s (column)."""
    variance: Floats
    chance: Floats
    """(H, 2, B, B): that it began in s."""
    spread: Floats
    """(H, 2, B, B): room."""
    miss: Floats
    evidence: Floats
    """(H, 2): log-likelihood of the arm's votes."""


def exponential(x):
    """e^x for |x| <= FARTHEST, to nine digits: Taylor's series to r^8, for numbers or arrays."""
    n = (x * LOG2_E + ROUND_TO_INT) - ROUND_TO_INT
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    return np.ldexp(series(r), n.astype(np.int64))


@compiled_as(exponential)
def exponential_of_number(x):
    """`exponential` of one number."""
    shifted = x * LOG2_E + ROUND_TO_INT
    n = shifted - ROUND_TO_INT
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    return series(r) * power_of_two(shifted)


@inline
def series(r):
    """e^r for |r| <= ln(2) / 2."""
    tail = 1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040 + r * (1.0 / 40320))))
    return 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6 + r * tail)))


def gather(cells, chains, k, found):
    """Sum up the votes on arm k in each of its bins, given all other strengths."""
    entries = slice(cells.begin[k], cells.begin[k + 1])
    T, cell, step = cells.steps[k], cells.cell[entries], cells.step[entries]
    sign, weight = cells.sign[entries], chains.omega[:, cell]
    lead = chains.theta[:, cells.other[entries]] - sign * chains.side[:, None]
    value = sign * cells.kappa[cell] + weight * lead
    for h in range(len(weight)):
        found.precision[h, :T] = np.bincount(step, weight[h], T)
        found.value[h, :T] = np.bincount(step, value[h], T)


@compiled_as(gather)
def gather_loop(cells, chains, k, found):
    """`gather`, one cell at a time."""
    for h in range(chains.theta.shape[0]):
        for t in range(cells.steps[k]):
            found.precision[h, t] = 0.0
            found.value[h, t] = 0.0
        for q in range(cells.begin[k], cells.begin[k + 1]):
            t, sign, weight = cells.step[q], cells.sign[q], chains.omega[h, cells.cell[q]]
            lead = chains.theta[h, cells.other[q]] - sign * chains.side[h]
            found.precision[h, t] += weight
            found.value[h, t] += sign * cells.kappa[cells.cell[q]] + weight * lead


def condition(T, X, tau2, found):
    """Filter over the start s of an arm's present segment, for X paces.

    With m, v the mean and variance of the strength before bin t, o and y the precision and the
    value of its votes, and r = 1 + v o, the votes have the density e^(-e) / sqrt(r), up to a
    factor that all share, with e = o (y - m)^2 / 2r. A segment that began before stays with the
    chance `stay`; else one begins in t, with m = 0 and v = tau2.
    """
    H = len(tau2)
    o = found.precision[:, None, :T]
    y = np.divide(found.value[:, None, :T], o, out=np.zeros((H, 1, T)), where=o > 0.0)
    walked = found.walk[:, :X, None] * found.gap[:, None, :T]
    mean, variance = found.mean[:, :X], found.variance[:, :X]
    spread, miss = found.spread[:, :X, :T, :T], found.miss[:, :X, :T, :T]
    for t in range(T):
        m, v = mean[:, :, t, : t + 1], variance[:, :, t, : t + 1]
        if t:
            m[..., :t] = mean[:, :, t - 1, :t]
            np.add(variance[:, :, t - 1, :t], walked[:, :, t, None], out=v[..., :t])
        m[..., t], v[..., t] = 0.0, tau2[:, None]
        r, d, weight = spread[:, :, t, : t + 1], miss[:, :, t, : t + 1], o[:, :, t, None]
        np.multiply(v, weight, out=r)
        r += 1.0
        np.subtract(y[:, :, t, None], m, out=d)
        v /= r
        m += v * weight * d
    spread[:, :, *np.triu_indices(T, 1)] = 1.0
    miss[:, :, *np.triu_indices(T, 1)] = 0.0
    e = 0.5 * o[..., None] * miss * miss / spread
    fresh = np.diagonal(e, axis1=2, axis2=3)
    power = np.clip(fresh[..., None] - e, -FARTHEST, FARTHEST)
    density = exponential(power) / np.sqrt(spread)
    chance = found.chance[:, :X]
    totals = np.empty((H, X, T))
    for t in range(T):
        now, stay = chance[:, :, t, : t + 1], found.stay[:, t, None]
        if t:
            np.multiply(chance[:, :, t - 1, :t], stay[..., None], out=now[..., :t])
        now[..., t] = 1.0 - stay if t else 1.0
        now *= density[:, :, t, : t + 1]
        totals[:, :, t] = now.cumsum(2)[..., -1]  # in order, where `sum` goes by halves
        now /= totals[:, :, t, None]
    for h in range(H):
        for x in range(X):
            evidence = 0.0
            for total, less in zip(totals[h, x].tolist(), fresh[h, x].tolist(), strict=True):
                evidence += math.log(total) - less
            found.evidence[h, x] = evidence


@compiled_as(condition)
def condition_loop(T, X, tau2, found):
    """`condition`, one segment at a time."""
    for h in range(tau2.shape[0]):
        for x in range(X):
            found.evidence[h, x] = 0.0
            for t in range(T):
                o = found.precision[h, t]
                y = found.value[h, t] / o if o > 0.0 else 0.0
                stay, walked = found.stay[h, t], found.walk[h, x] * found.gap[h, t]
                for s in range(t):
                    found.mean[h, x, t, s] = found.mean[h, x, t - 1, s]
                    found.variance[h, x, t, s] = found.variance[h, x, t - 1, s] + walked
                    found.chance[h, x, t, s] = found.chance[h, x, t - 1, s] * stay
                found.mean[h, x, t, t] = 0.0
                found.variance[h, x, t, t] = tau2[h]
                found.chance[h, x, t, t] = 1.0 - stay if t > 0 else 1.0
                for s in range(t + 1):
                    r = found.variance[h, x, t, s] * o + 1.0
                    d = y - found.mean[h, x, t, s]
                    v = found.variance[h, x, t, s] / r
                    found.spread[h, x, t, s] = r
                    found.miss[h, x, t, s] = 0.5 * o * d * d / r
                    found.variance[h, x, t, s] = v
                    found.mean[h, x, t, s] += v * o * d
                fresh = found.miss[h, x, t, t]
                for s in range(t + 1):
                    power = min(max(fresh - found.miss[h, x, t, s], -FARTHEST), FARTHEST)
                    density = exponential(power) / math.sqrt(found.spread[h, x, t, s])
                    found.chance[h, x, t, s] *= density
                total = 0.0
                for s in range(t + 1):
                    total += found.chance[h, x, t, s]
                for s in range(t + 1):
                    found.chance[h, x, t, s] /= total
                found.evidence[h, x] += math.log(total) - fresh


@inline
def lay(cells, chains, luck, k, h, x, found, B):
    """Draw where arm k's segments begin, the last one first, and its path within each."""
    end = cells.steps[k] - 1
    while end >= 0:
        rest = luck.start[h, k * B + end]
        s = end  # later starts are looked at first: segments that began lately are shorter
        while s > 0 and rest >= found.chance[h, x, end, s]:
            rest -= found.chance[h, x, end, s]
            s -= 1
        later = 0.0
        for t in range(end, s - 1, -1):
            mean, variance = found.mean[h, x, t, s], found.variance[h, x, t, s]
            if t < end:
                walked = found.walk[h, x] * found.gap[h, t + 1]
                gain = variance / (variance + walked)
                mean += gain * (later - mean)
                variance *= 1.0 - gain
            later = mean + math.sqrt(variance) * luck.path[h, k * B + t]
            chains.theta[h, k * B + cells.bins[k, t]] = later
            chains.jumped[h, k * B + cells.bins[k, t]] = 0
        chains.jumped[h, k * B + cells.bins[k, s]] = 1
        chains.sums[h, FRESH] += 1.0
        chains.sums[h, FRESH_SUM] += later
        chains.sums[h, FRESH_SQUARES] += later * later
        end = s - 1


@kernel
def draw_paths(cells, chains, luck, paces, parity, found):
    """Draw pace, jumps and path of each arm, given the strengths of all others.

    paces: (G,). parity: arms whose number has this parity try another pace (Metropolis).
    """
    B, G = cells.share.shape[0], paces.shape[0]
    for h in range(chains.theta.shape[0]):
        chains.sums[h, FRESH] = chains.sums[h, FRESH_SUM] = chains.sums[h, FRESH_SQUARES] = 0.0
    for k in range(cells.steps.shape[0]):
        T = cells.steps[k]
        if T == 0:
            continue
        gather(cells, chains, k, found)
        X = 2 if k % 2 == parity and G > 1 else 1
        for h in range(chains.theta.shape[0]):
            found.walk[h, 0] = paces[chains.pace[h, k]] ** 2
            other = int(luck.other[h, k] * (G - 1))
            other += 1 if other >= chains.pace[h, k] else 0
            found.walk[h, 1] = paces[min(other, G - 1)] ** 2
            for t in range(T):
                gap = calm = 0.0
                for b in range(cells.bins[k, max(t - 1, 0)] + 1, cells.bins[k, t] + 1):
                    gap += cells.share[b]
                    calm += log_calm(chains, h, cells.share[b], b)
                found.gap[h, t], found.stay[h, t] = gap, math.exp(calm)
        condition(T, X, chains.tau2, found)
        for h in range(chains.theta.shape[0]):
            x = 0
            if X == 2:
                other = int(luck.other[h, k] * (G - 1))
                other += 1 if other >= chains.pace[h, k] else 0
                better = found.evidence[h, 1] - found.evidence[h, 0]
                better += chains.belief[h, other] - chains.belief[h, chains.pace[h, k]]
                if luck.accept[h, k] < math.exp(min(better, 0.0)):
                    chains.pace[h, k], x = other, 1
            lay(cells, chains, luck, k, h, x, found, B)
            # Before its first bin an arm has its first strength, unseen its last; none is used.
            for b in range(B):
                at = cells.bins[k, cells.latest[k, b]]
                chains.theta[h, k * B + b] = chains.theta[h, k * B + at]


@inline
def log_calm(chains, h, share, b):
    """Logarithm of the chance that an arm does not jump in bin b."""
    return math.log(1.0 - STORMY) if chains.storm[h, b] else -chains.jumps[h] * share


@inline
def counted(rate, u):
    """How many events there were, of a Poisson number that is not 0: u is uniform."""
    count, chance = 1, rate * math.exp(-rate) / -math.expm1(-rate)
    while u >= chance and count < 1000:
        u -= chance
        count += 1
        chance *= rate / count
    return count


@kernel
def draw_storms(cells, chains, luck):
    """Draw the bins in which half of all arms jump; sums up jumps and storms for their rates.

    Where an arm was not shown in between, its jump is first put into one of the bins passed.
    """
    B = cells.share.shape[0]
    for h in range(chains.theta.shape[0]):
        sums = chains.sums
        sums[h, JUMPS] = sums[h, EXPOSED] = sums[h, STORMS] = sums[h, BRAVED] = 0.0
        for k in range(cells.steps.shape[0]):
            for t in range(1, cells.steps[k]):
                before, b = cells.bins[k, t - 1], cells.bins[k, t]
                if b > before + 1:
                    place(cells, chains, luck, h, k, before, b, B)
        for b in range(1, B):
            if cells.alive[b] >= CROWD:
                leapt = 0
                for k in range(cells.steps.shape[0]):
                    leapt += 1 if chains.jumped[h, k * B + b] and alive(cells, k, b) else 0
                jump = chains.jumps[h] * cells.share[b]
                storm = chains.storms[h] * cells.share[b]
                odds = math.log(math.expm1(storm))
                odds += leapt * math.log(STORMY / -math.expm1(-jump))
                odds += (cells.alive[b] - leapt) * (math.log(1.0 - STORMY) + jump)
                power = min(max(-odds, -FARTHEST), FARTHEST)
                chains.storm[h, b] = 1 if luck.storm[h, b] * (1.0 + math.exp(power)) < 1.0 else 0
                sums[h, BRAVED] += cells.share[b]
                if chains.storm[h, b]:
                    rate = chains.storms[h] * cells.share[b]
                    sums[h, STORMS] += counted(rate, luck.events[h, b])
            if not chains.storm[h, b]:
                sums[h, EXPOSED] += cells.alive[b] * cells.share[b]
                rate = chains.jumps[h] * cells.share[b]
                for k in range(cells.steps.shape[0]):
                    if chains.jumped[h, k * B + b] and alive(cells, k, b):
                        sums[h, JUMPS] += counted(rate, luck.events[h, k * B + b])


@inline
def alive(cells, k, b):
    """Whether arm k was shown before bin b."""
    return cells.steps[k] > 0 and cells.bins[k, 0] < b


@inline
def place(cells, chains, luck, h, k, before, end, B):
    """Say in which of the bins after `before` up to `end` arm k jumped, if it did."""
    yet = chains.jumped[h, k * B + end] == 0  # nothing is left to place
    left = 0.0
    for b in range(before + 1, end + 1):
        left += log_calm(chains, h, cells.share[b], b)
    leaps = not yet
    for b in range(before + 1, end + 1):
        calm = log_calm(chains, h, cells.share[b], b)
        chance = 1.0 - math.exp(calm)
        if not yet:  # given that it jumps in this bin or in a later one
            chance /= 1.0 - math.exp(left)
        left -= calm
        jumps = leaps and (luck.gap[h, k * B + b] < chance or (b == end and not yet))
        chains.jumped[h, k * B + b] = 1 if jumps else 0
        yet = yet or jumps


def weigh(votes, lead, gamma):
    """Polya-Gamma weights: a gamma, shifted and stretched to their mean and variance."""
    c = np.abs(lead)
    s = c * c
    e = exponential(-np.minimum(c, FARTHEST))
    big, up = np.maximum(c, SMALL), 1.0 + e
    mean = (1.0 - e) / up / (2.0 * big)
    variance = (2.0 * (1.0 - e * e) - 4.0 * big * e) / (up * up * 4.0 * big * big * big)
    small = c < SMALL
    mean = np.where(
        small, 0.25 * (1.0 - s * (1.0 / 12 - s * (1.0 / 120 - s * (17.0 / 20160)))), mean
    )
    variance = np.where(
        small, (1.0 - s * (0.2 - s * (17.0 / 560 - s * (31.0 / 7560)))) / 24.0, variance
    )
    return votes * mean + np.sqrt(variance) * (gamma - votes)


@compiled_as(weigh)
def weigh_number(votes, lead, gamma):
    """`weigh`, of one cell."""
    c = abs(lead)
    if c < SMALL:
        s = c * c
        mean = 0.25 * (1.0 - s * (1.0 / 12 - s * (1.0 / 120 - s * (17.0 / 20160))))
        variance = (1.0 - s * (0.2 - s * (17.0 / 560 - s * (31.0 / 7560)))) / 24.0
    else:
        e = exponential(-min(c, FARTHEST))
        up = 1.0 + e
        mean = (1.0 - e) / up / (2.0 * c)
        variance = (2.0 * (1.0 - e * e) - 4.0 * c * e) / (up * up * 4.0 * c * c * c)
    return votes * mean + math.sqrt(variance) * (gamma - votes)


def weigh_cells(cells, chains, luck):
    """Draw the weight of each cell; sums up what the side is drawn from."""
    lead = chains.theta[:, cells.first] - chains.theta[:, cells.second]
    omega = weigh(cells.votes, lead + chains.side[:, None], luck.weight)
    chains.omega[...] = omega
    chains.sums[:, WEIGHT] = omega.cumsum(1)[:, -1]
    chains.sums[:, TILT] = (cells.kappa - omega * lead).cumsum(1)[:, -1]


@compiled_as(weigh_cells)
def weigh_cells_loop(cells, chains, luck):
    """`weigh_cells`, one at a time."""
    for h in range(chains.theta.shape[0]):
        total = tilt = 0.0
        for c in range(cells.votes.shape[0]):
            lead = chains.theta[h, cells.first[c]] - chains.theta[h, cells.second[c]]
            omega = weigh(cells.votes[c], lead + chains.side[h], luck.weight[h, c])
            chains.omega[h, c] = omega
            total += omega
            tilt += cells.kappa[c] - omega * lead
        chains.sums[h, WEIGHT] = total
        chains.sums[h, TILT] = tilt


@kernel
def draw_weights(cells, chains, luck):
    """Draw the weight of each cell given its lead."""
    weigh_cells(cells, chains, luck)
