"""RUCB, RMED1 and double Thompson sampling by name; they may forget old duels."""

import math

from sparring import checks
from sparring.learners.counting import LARGEST_WINDOW, SMALLEST_DISCOUNT, Counting
from sparring.learners.registry import register
from sparring.problem import Problem, demand_one
from sparring.streams import Seed

FORGET = ("nothing", "window", "discount")


@register
def rucb(
    K: int,
    T: int | None = None,
    *,
    forget: str = "nothing",
    S: int | None = None,
    V_T: float | None = None,
    alpha: float = 0.51,
    seed: Seed = None,
) -> Counting:
    """RUCB (Zoghi, Whiteson, Munos and de Rijke 2014): relative upper confidence bounds.

    With U(i, j) = mu(i, j) + sqrt(alpha ln t / N(i, j)), arms that may beat all others, U(c, j) >=
    1/2 for all j, are candidates. The row arm is one of them: with chance 1/2 the one that was last
    the only candidate. The column arm is the arm that may beat it most. The regret is O(K^2 + K ln
    T) with a lasting Condorcet winner.

    `forget`, T, S and V_T are as in `double_thompson`.

    Examples
    --------
    >>> learner = rucb(5, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    """
    return _counting(K, "rucb", T, forget, S, V_T, alpha, seed)


@register
def rmed1(
    K: int,
    T: int | None = None,
    *,
    forget: str = "nothing",
    S: int | None = None,
    V_T: float | None = None,
    seed: Seed = None,
) -> Counting:
    """RMED1 (Komiyama, Honda, Kashima and Nakagawa 2015): minimum empirical divergence.

    I(i), the sum of N(i, j) d(mu(i, j), 1/2) over the arms j with mu(i, j) <= 1/2, is the evidence
    against arm i. Arms whose evidence exceeds the least by at most ln t + 0.3 K^1.01 take turns,
    each against the arm of least evidence if that beats it, otherwise against the arm that beats it
    most. The regret is O(K ln T) in its leading term with a lasting Condorcet winner.

    `forget`, T, S and V_T are as in `double_thompson`.

    Examples
    --------
    >>> learner = rmed1(5, seed=1)
    >>> learner.ask()[1:3]  # each pair once to begin with
    (0, 1)
    """
    return _counting(K, "rmed1", T, forget, S, V_T, 0.51, seed)


@register
def double_thompson(
    K: int,
    T: int | None = None,
    *,
    forget: str = "nothing",
    S: int | None = None,
    V_T: float | None = None,
    alpha: float = 0.51,
    seed: Seed = None,
) -> Counting:
    """Double Thompson sampling (Wu and Liu 2016): two draws from the posterior of each duel.

    P(i, j) ~ Beta(W(i, j) + 1, W(j, i) + 1). The row arm wins most duels under one draw, among the
    arms whose upper Copeland score is highest; the column arm does best against it under another,
    among the arms that do not surely beat it. The regret is O(K ln T + K^2 ln ln T) with a lasting
    Condorcet winner.

    Parameters
    ----------
    K
        Number of arms.
    T
        Number of rounds to plan for; needed only to know how fast to forget.
    forget
        "nothing"; the duels outside a "window" of tau = 2 K sqrt(T ln T / S) rounds; or all
        gradually, by a "discount" of 1 - sqrt(S / T) / (4 K) a round. These are Garivier and
        Moulines' (2011) choices for K arms with rewards, K times slower since pairs are counted
        here. With S > 1 neither remembers more than half a segment, T / (2 S) rounds. With V_T they
        remember (T / V_T)^(2/3) K^(1/3) rounds. There is no theorem.
    S
        Segments of constant preferences, 1 if unknown: then the window may be longer than T rounds
        and nothing is forgotten.
    V_T
        Continuous variation, if you know that instead.
    alpha
        The width of the confidence bounds.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> double_thompson(10, 100_000, forget="window", S=10, seed=1)
    <Counting K=10, rule='thompson', window=5000, discount=1.0, alpha=0.51; t=0, 0 open>
    """
    return _counting(K, "thompson", T, forget, S, V_T, alpha, seed)


def _counting(
    K: int,
    rule: str,
    T: int | None,
    forget: str,
    S: int | None,
    V_T: float | None,
    alpha: float,
    seed: Seed,
) -> Counting:
    if not isinstance(forget, str) or forget not in FORGET:
        raise checks.refuse("forget", f"one of {FORGET}", forget)
    demand_one(S, V_T)
    problem = None if T is None else Problem(K, T, S, V_T)
    if forget == "nothing":
        return Counting(K, rule=rule, alpha=alpha, seed=seed)
    if problem is None:
        remedy = "Or make a sparring.learners.Counting with the window or discount you want"
        raise checks.refuse("T", f"given, to forget by {forget}", None, remedy)
    if forget == "window":
        window = remembered(problem)
        if window > LARGEST_WINDOW:
            found = checks.Shown(f"{window:,} for T = {problem.T:g}")
            remedy = "forget='discount' remembers as long and needs no room"
            raise checks.refuse("the window", f"at most {LARGEST_WINDOW:g}", found, remedy)
        return Counting(K, rule=rule, window=window, alpha=alpha, seed=seed)
    return Counting(K, rule=rule, discount=kept(problem), alpha=alpha, seed=seed)


def remembered(problem: Problem) -> int:
    """The window for a problem, at most half a segment, or all its rounds where there is one."""
    K, T, S = problem.K, problem.T, problem.S or 1
    if problem.V_T:
        rounds, most = math.cbrt(T / problem.V_T) ** 2 * math.cbrt(K), float(T)
    else:
        rounds, most = 2 * K * math.sqrt(T * math.log(T) / S), T / (2 * S) if S > 1 else T
    return math.ceil(max(min(rounds, most), 1))


def kept(problem: Problem) -> float:
    """The discount for a problem, so that the weights of all rounds sum to no more than that."""
    K, T, S = problem.K, problem.T, problem.S or 1
    if problem.V_T:
        lost = 1 / remembered(problem)
    else:
        lost = max(math.sqrt(S / T) / (4 * K), 2 * S / T if S > 1 else 0.0)
    return max(1 - lost, SMALLEST_DISCOUNT)
