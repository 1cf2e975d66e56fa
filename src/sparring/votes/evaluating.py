"""What if: how often a policy would have won, from votes on pairs that another one chose."""

from typing import Any

from sparring import checks
from sparring.learners import LEARNERS
from sparring.votes.borda import demand_delta
from sparring.votes.estimating import Evaluation, Model, estimate, pair_shares
from sparring.votes.policies import Target, chooser, opponents
from sparring.votes.replaying import replay
from sparring.votes.uniform import Pairs, pair_chances
from sparring.votes.values import Votes


def evaluate(
    votes: Votes,
    policy: Any,
    *,
    reference: Any = "others",
    pairs: Pairs = "logged",
    delta: float = 0.05,
    model: Model | None = None,
) -> Evaluation:
    """How often a policy would have won, from votes on pairs that another one chose.

    If at vote t the policy shows i with probability pi_t(i), and the reference j with rho_t(j), the
    value is the mean over the votes of sum over i, j of pi_t(i) rho_t(j) P_t(i, j), with
    P_t(i, i) = 1/2. For a vote on {a, b} in which a scored s, let

        won  = (pi(a) rho(b) s + pi(b) rho(a) (1 - s)) / chance,
        lost = (pi(a) rho(b) (1 - s) + pi(b) rho(a) s) / chance,     weight = won + lost,

    and d = sum of pi(i) rho(i), the probability that the two are the same arm. Given the past, won
    + d / 2 has the vote's value as its mean, if all pairs that are needed had a chance. The
    estimates are

    - importance weighting: mean of won + d / 2. Its interval is finite-sample and holds at all
      times: floors of won and of lost (see `floor`), also where some pairs had no chance.
    - self-normalised: mean of d / 2 + (1 - mean of d) sum of won / sum of weight.
    - doubly robust: with Q from a model of *earlier* votes alone, the mean of
      sum of pi(i) rho(j) Q(i, j), and of the correction
      (pi(a) rho(b) - pi(b) rho(a)) (s - Q(a, b)) / chance, normalised likewise. The sum of the two
      means is unbiased whatever Q is, and has less noise where Q is good.

    The intervals of the last two are normal, so they need many votes of similar weights. Missing
    weight widens them, and the first interval replaces them where it is narrower.
    docs/off-policy.md has how often they hold.

    Parameters
    ----------
    votes
        The votes, all of equal weight.
    policy
        The name of an arm, which it always shows; a dictionary of names and probabilities; a
        function of the vote's number, from 1, that returns a dictionary or K probabilities; or an
        array, (K,) or (n, K). For vote t it may depend on earlier votes, but not on this or later
        ones. With uniform pairs it may also be the name of a learner, which is then replayed (see
        `replay`).
    reference
        "others": any arm other than the one shown, with equal chances, so that an arm's value is
        its Borda score. Or the same kinds as `policy`; `shown_shares` gives that of the logged
        learner.
    pairs
        "logged" or "uniform", as for `borda`.
    delta
        How often each interval may miss.
    model
        A function of the votes so far that returns estimates of P, (K, K). If None, `pair_shares`.

    Raises
    ------
    ValueError
        If there is no overlap: more than 5% of what the policy needs lies in pairs that were never
        shown, the mean weight is below half of what it must be, or the votes are worth fewer than
        30 votes of equal weight.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(0, 3, 2000)
    >>> second = (first + rng.integers(1, 3, 2000)) % 3
    >>> won = rng.random(2000) < np.where(first < second, 0.8, 0.2)  # arm 0 before 1 before 2
    >>> votes = Votes(("tea", "coffee", "water"), first, second, won.astype(float))
    >>> found = evaluate(votes, {"tea": 0.5, "coffee": 0.5}, pairs="uniform")  # the truth is 0.65
    >>> [(e.name, round(e.value, 2)) for e in found.estimates]
    [('importance weighting', 0.65), ('self-normalised', 0.65), ('doubly robust', 0.65)]
    """
    delta = demand_delta(delta)
    if isinstance(policy, str) and policy in LEARNERS and policy not in votes.names:
        if pairs != "uniform":
            remedy = 'Such a log, said with pairs="uniform", can replay it'
            raise checks.refuse("policy", "a learner with uniform pairs only", policy, remedy)
        return replay(votes, policy, delta=delta, reference=reference, model=model).evaluation
    chance = pair_chances(votes, pairs)
    pi, called = chooser("policy", policy, votes.names, len(votes))
    rho, against = opponents(reference, votes.names, len(votes))
    target = Target(pi, rho, votes.K)
    return estimate(votes, chance, target, delta, model or pair_shares, called, against)
