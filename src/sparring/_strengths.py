"""Bradley-Terry strengths that forget: votes predicted one by one, each learnt at once.

An arm has a strength, and the first of two wins with the chance logistic(difference + side). A vote
of age a counts 2^(-a / half). Between two settlements a vote moves its two arms alone, by Newton's
step with a diagonal matrix; a settlement makes the strengths agree with all counts again. That is
no exact fit, which would take K^3 steps (`votes.strengths`), but good enough to predict each vote.

Arrays: strengths and information (K,), met and won (K, K) by first and second arm, in units of the
moment state[ORIGIN]; state (SIZE,).
"""

import math

from sparring._jit import inline, kernel, online

VOTES, SINCE, ORIGIN, LATEST, SIDE, SIDE_INFORMATION = range(6)
SIZE = 6
SURE = 1e-9  # no chance is nearer to 0 or 1: one surprise costs at most 21
PAUSE = 0.25  # of a half-life without votes, after which strengths are settled first
LEAST = 1e-200  # belief, so that none is gone for good
OLDEST = 100.0  # half-lives, after which counts are brought into newer units
CERTAIN = 1e300  # information: of a side that is known, and so never learnt
FARTHEST = 700.0  # log-odds: a larger power would overflow
FIRST = 8  # votes between settlements at the beginning
PATIENCE = 0.125  # of all votes may come between two settlements
FLAT = math.pi / 8.0  # a logistic of a normal is nearly one of a flatter slope (MacKay 1992)


@inline
def logistic(x):
    """1 / (1 + e^-x)."""
    return 1.0 / (1.0 + math.exp(min(-x, FARTHEST)))


@inline
def surprise(chance, outcome):
    """The log-loss of a chance, in nats."""
    sure = min(max(chance, SURE), 1.0 - SURE)
    return -(outcome * math.log(sure) + (1.0 - outcome) * math.log(1.0 - sure))


@inline
def fade(state, half, now, met, won):
    """Bring the counts into units of this moment."""
    if half < math.inf:
        factor = 2.0 ** (-(now - state[ORIGIN]) / half)
        for i in range(met.shape[0]):
            for j in range(met.shape[0]):
                met[i, j] *= factor
                won[i, j] *= factor
    state[ORIGIN] = now


@inline
def settle(state, ridge, side_ridge, strengths, information, met, won):
    """One sweep of Newton's steps, arm by arm, then the side's."""
    K = strengths.shape[0]
    slope, bend = 0.0, side_ridge
    for i in range(K):
        gain, curvature = -ridge * strengths[i], ridge
        for j in range(K):
            if met[i, j] > 0.0:
                p = logistic(strengths[i] - strengths[j] + state[SIDE])
                gain += won[i, j] - met[i, j] * p
                curvature += met[i, j] * p * (1.0 - p)
                slope += won[i, j] - met[i, j] * p
                bend += met[i, j] * p * (1.0 - p)
            if met[j, i] > 0.0:
                p = logistic(strengths[j] - strengths[i] + state[SIDE])
                gain -= won[j, i] - met[j, i] * p
                curvature += met[j, i] * p * (1.0 - p)
        if curvature > 0.0:
            strengths[i] += gain / curvature
        information[i] = curvature
    if side_ridge < math.inf:
        state[SIDE] += (slope - side_ridge * state[SIDE]) / bend
        state[SIDE_INFORMATION] = bend


@inline
def learn(state, i, j, outcome, weight, strengths, information):
    """Predict a vote, then take Newton's step of its two arms; its log-loss."""
    doubt = 1.0 / information[i] + 1.0 / information[j] + 1.0 / state[SIDE_INFORMATION]
    lead = strengths[i] - strengths[j] + state[SIDE]
    loss = surprise(logistic(lead / math.sqrt(1.0 + FLAT * doubt)), outcome)
    p = logistic(lead)
    bend = weight * p * (1.0 - p)
    step = weight * (outcome - p) / (1.0 + bend * doubt)
    strengths[i] += step / information[i]
    strengths[j] -= step / information[j]
    information[i] += bend
    information[j] += bend
    if state[SIDE_INFORMATION] < CERTAIN:
        state[SIDE] += step / state[SIDE_INFORMATION]
        state[SIDE_INFORMATION] += bend
    return loss


@inline
def count(state, i, j, outcome, weight, half, now, met, won):
    """Enter a vote of this moment in the counts."""
    if half < math.inf:
        weight *= 2.0 ** ((now - state[ORIGIN]) / half)
    met[i, j] += weight
    won[i, j] += weight * outcome


@inline
def pass_on(state, now):
    """Note that a vote was told at this moment."""
    state[VOTES] += 1.0
    state[SINCE] += 1.0
    state[LATEST] = now


@inline
def is_due(state, half, block, now):
    """Whether strengths are settled before a vote of this moment."""
    since = state[SINCE]
    paused = now - state[LATEST] > PAUSE * half or now - state[ORIGIN] > OLDEST * half
    due = since >= block or since >= max(FIRST, PATIENCE * state[VOTES])
    return (due or paused) and since > 0.0


def follow_votes(
    first,
    second,
    outcome,
    weight,
    clock,
    half,
    ridge,
    side_ridge,
    block,
    state,
    strengths,
    information,
    met,
    won,
    losses,
    marks,
    past_strengths,
    past_information,
):
    """Follow votes with one memory.

    first, second, outcome, weight, clock, losses: (n,), a vote each. half: the half-life on the
    clock. block: the most votes between settlements. marks: (c,), before which votes to note
    strengths and information in past_strengths and past_information, (c, K).
    """
    at = 0
    for t in range(first.shape[0]):
        now = clock[t]
        if is_due(state, half, block, now):
            fade(state, half, now, met, won)
            settle(state, ridge, side_ridge, strengths, information, met, won)
            state[SINCE] = 0.0
        while at < marks.shape[0] and marks[at] <= t:
            for k in range(strengths.shape[0]):
                past_strengths[at, k] = strengths[k]
                past_information[at, k] = information[k]
            at += 1
        i, j = first[t], second[t]
        losses[t] = learn(state, i, j, outcome[t], weight[t], strengths, information)
        count(state, i, j, outcome[t], weight[t], half, now, met, won)
        pass_on(state, now)


follow = kernel(follow_votes)
follow_online = online(follow_votes)  # vote by vote, in a service that must not wait


@kernel
def blend(losses, weight, often, prior, shares, mixed, marks, past):
    """Mix predictions by how well they did; a part of all belief is spread again after each vote.

    losses: (M, n). weight: (n,). prior: (M,), by which belief is spread. shares: (M,), the beliefs.
    Either sums to 1. mixed: (n,), the log-loss of the mixture. marks: (c,), before which votes to
    note the beliefs in past, (c, M).

    The t-th vote spreads often / (t + 1) of the belief, so a change of the best costs about log n,
    and never changing costs about often * log n in all (van Erven, Gruenwald, de Rooij 2012).
    """
    M = losses.shape[0]
    at = 0
    for t in range(losses.shape[1]):
        while at < marks.shape[0] and marks[at] <= t:
            for m in range(M):
                past[at, m] = shares[m]
            at += 1
        least = losses[0, t]
        for m in range(1, M):
            least = min(least, losses[m, t])
        said, total = 0.0, 0.0
        for m in range(M):  # relative to the best, as a vote may have the weight of thousands
            said += shares[m] * math.exp(least - losses[m, t])
            shares[m] *= math.exp(weight[t] * (least - losses[m, t]))
            total += shares[m]
        mixed[t] = least - math.log(said)
        spread = min(1.0, often / (t + 2.0))
        for m in range(M):
            kept = (1.0 - spread) * shares[m] / total
            shares[m] = max(kept + spread * prior[m], LEAST)


@kernel
def walk(
    first,
    second,
    outcome,
    weight,
    clock,
    pace,
    state,
    strengths,
    variance,
    latest,
    losses,
    marks,
    past_strengths,
    past_information,
):
    """The log-losses of votes if strengths walk at random, by an extended Kalman filter.

    first, second, outcome, weight, clock, losses: (n,), a vote each. pace: the variance that a
    strength gains in a unit of the clock. state: (2,), the side and its variance. strengths,
    variance and latest (when it was last shown): (K,). Covariances of two arms are left out.
    marks: (c,), before which votes to note strengths and 1 / variance in past_strengths and
    past_information, (c, K).
    """
    at = 0
    for t in range(first.shape[0]):
        i, j, now = first[t], second[t], clock[t]
        while at < marks.shape[0] and marks[at] <= t:
            for k in range(strengths.shape[0]):
                past_strengths[at, k] = strengths[k]
                past_information[at, k] = 1.0 / (variance[k] + pace * (now - latest[k]))
            at += 1
        variance[i] += pace * (now - latest[i])
        variance[j] += pace * (now - latest[j])
        latest[i] = now
        latest[j] = now
        doubt = variance[i] + variance[j] + state[1]
        lead = strengths[i] - strengths[j] + state[0]
        chance = logistic(lead / math.sqrt(1.0 + FLAT * doubt))
        losses[t] = surprise(chance, outcome[t])
        p = logistic(lead)
        bend = weight[t] * p * (1.0 - p)
        step = weight[t] * (outcome[t] - p) / (1.0 + bend * doubt)
        shrink = bend / (1.0 + bend * doubt)
        strengths[i] += variance[i] * step
        strengths[j] -= variance[j] * step
        state[0] += state[1] * step
        variance[i] -= variance[i] * variance[i] * shrink
        variance[j] -= variance[j] * variance[j] * shrink
        state[1] -= state[1] * state[1] * shrink
