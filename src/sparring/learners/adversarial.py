"""Sparring learners by name: for preferences that an adversary may choose."""

from sparring.learners.adapter import Sparring
from sparring.learners.registry import register
from sparring.problem import Problem
from sparring.streams import Seed
from sparring.tunings import TsallisINF, implicit


@register
def sparring_exp3(K: int, T: int, *, seed: Seed = None) -> Sparring:
    """Sparring EXP3 (Ailon, Karnin and Joachims 2014): two EXP3 against each other.

    Each player draws from p(k) = (1 - gamma) w(k) / sum w + gamma / K and multiplies the weight of
    its arm by exp(gamma r / (K p)), where r is o for the row and 1 - o for the column, and gamma =
    min(1, sqrt(K ln K / ((e - 1) T))) (Auer et al. 2002). The mean of the strong regret to an arm
    fixed in advance is at most 2.63 sqrt(K T ln K), whatever the preferences, because each player's
    is and it is the mean of the two. It does not follow changes, and nothing is promised with high
    probability: its estimates are as large as K / gamma.

    Parameters
    ----------
    K
        Number of arms.
    T
        Number of rounds to plan for; the learner continues after them.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = sparring_exp3(10, 100_000, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    """
    return Sparring(K, implicit.exp3(Problem(K, T)), seed=seed)


@register
def sparring_exp3ix(K: int, T: int, *, seed: Seed = None) -> Sparring:
    """Sparring EXP3-IX: two EXP3 with implicit exploration (Neu 2015) against each other.

    Each player draws from p(k), proportional to exp(-eta L(k)), and adds loss / (p(k) + gamma) to
    the L(k) of its arm, with eta = 2 gamma = sqrt(2 ln K / (K T)). With probability 1 - delta a
    player's regret to the best arm is at most

        2 sqrt(2 K T ln K) + (sqrt(2 K T / ln K) + 1) ln(2 / delta)

    (Neu's Theorem 1, from memory and re-derived), and so is the strong regret, with probability 1 -
    2 delta. It does not follow changes: an arm that lost for long is forgotten.

    Parameters are those of `sparring_exp3`.

    Examples
    --------
    >>> learner = sparring_exp3ix(10, 100_000, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    """
    return Sparring(K, implicit.exp3ix(Problem(K, T)), seed=seed)


@register
def sparring_exp3six(
    K: int, T: int, *, S: int | None = None, V_T: float | None = None, seed: Seed = None
) -> Sparring:
    """Sparring EXP3-SIX: EXP3-IX with a share (Neu 2015), which follows changes.

    Each player: p(k) <- (1 - alpha) p(k) exp(-eta l(k)) / Z + alpha / K, where l(k) = loss / (p(k)
    + gamma) for its arm, alpha = (S - 1) / (T - 1), eta = 2 gamma = sqrt(2 l / (K T)), and
    l = S ln K + (S - 1) ln(e (T - 1) / (S - 1)). With probability 1 - delta a player's regret to
    every comparator with S segments is at most

        2 sqrt(2 K T l) + (sqrt(K T / (2 l)) + 1) ln(2 / delta),

    and so is the dynamic regret, with probability 1 - 2 delta. The algorithm is Neu's (its numbers
    from memory); this l, which is smaller than his, is re-derived.

    Parameters
    ----------
    K, T, seed
        As for `sparring_exp3`.
    S
        Segments of the benchmark, if known.
    V_T
        Continuous variation, if you know that instead: then S = ceil(T / D), for the block length D
        with the least bound. Without S and V_T it is tuned for S = 2.

    Examples
    --------
    >>> learner = sparring_exp3six(10, 100_000, S=10, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    """
    return Sparring(K, implicit.exp3six(Problem(K, T, S, V_T)), seed=seed)


@register
def versatile_db(K: int, T: int | None = None, *, seed: Seed = None) -> Sparring:
    """Versatile-DB (Saha and Gaillard 2022): two Tsallis-INF against each other.

    Each player draws from p(k) = 4 / (eta_t (L(k) - x))^2, with eta_t = 2 / sqrt t and x such that
    it sums to 1, and adds loss / p(k) to the L(k) of its arm (Zimmert and Seldin 2021, with
    importance weights; t is one more than the duels told). The mean of the strong regret to an arm
    fixed in advance is at most 4 sqrt(K T) + 1, whatever the preferences, and O(sum of ln T / gap)
    where there is one lasting Condorcet winner, without knowing that there is (that theorem's
    constants were not verified). It needs neither T nor a tuning. It does not follow changes.

    Parameters are those of `sparring_exp3`; T is not used.

    Examples
    --------
    >>> learner = versatile_db(10, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    """
    if T is not None:
        Problem(K, T)
    return Sparring(K, TsallisINF(), seed=seed)
