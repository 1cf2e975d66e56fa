"""SYM-EXP3.S and SYM-EXP3-SIX, planned for T rounds: one distribution for both arms."""

from sparring import checks, tunings
from sparring.learners.adapter import Sparring
from sparring.learners.exponential import ExponentialWeights
from sparring.learners.registry import register
from sparring.problem import Problem, Tuning
from sparring.streams import Seed
from sparring.tunings import implicit
from sparring.tunings.choosing import Rule, choose


@register
def sym_exp3s(
    K: int,
    T: int | None = None,
    *,
    S: int | None = None,
    V_T: float | None = None,
    tuning: Tuning | Rule[Tuning] | None = None,
    differ: bool = False,
    seed: Seed = None,
) -> ExponentialWeights:
    """SYM-EXP3.S: low dynamic regret from one distribution, with a bound.

    Both arms are drawn from p(k) = (1 - gamma) W(k) / sum W + gamma / K, and with psi = 2 o - 1

        W(row) <- W(row) exp(+eta psi / (2 p(row))) + e alpha sum W,
        W(col) <- W(col) exp(-eta psi / (2 p(col))) + e alpha sum W,

    and W(k) <- W(k) + e alpha sum W for the others, and for all in a self-duel. That is REX3
    (Gajane, Urvoy and Clerot 2015) with the share of EXP3.S (Auer et al. 2002); the combination,
    its tuning and its bound are ours (`sparring.bounds.sym_exp3s`). A duel teaches both of its arms
    about the same opponent, so the bound is a fraction of that of DEX3.S. It bounds the mean of the
    regret; nothing is promised with high probability.

    Parameters
    ----------
    K
        Number of arms.
    T
        Number of rounds to plan for; the learner continues after them.
    S
        Segments of the benchmark, if known (`tunings.sym_exp3s_known`).
    V_T
        Continuous variation, if you know that instead (`tunings.sym_exp3s_continuous`). Without S
        and V_T the tuning is `tunings.sym_exp3s_unknown`.
    tuning
        Use instead of T, S and V_T; beta must be 0. Or a function that makes a tuning from a
        `Problem`.
    differ
        Whether to show two different arms in every round. A pair is then drawn from p given that
        its arms differ, psi is multiplied by sqrt(D), where D = sum of p (1 - p), and the tuning is
        `tunings.apart` of the usual one, unless you give one. The bound does not cover it
        (docs/two-arms.md).
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = sym_exp3s(10, 1_000_000, S=10, seed=7)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> learner.p.shape
    (1, 10)
    """
    chosen = choose(tuning, tunings.sym_exp3s, K, T, S, V_T)
    if checks.flag("differ", differ):
        chosen = tunings.apart(chosen) if tuning is None else chosen
        return ExponentialWeights(K, chosen, estimate="differ", seed=seed)
    return ExponentialWeights(K, chosen, estimate="relative", seed=seed)


@register
def sym_exp3six(
    K: int,
    T: int,
    *,
    S: int | None = None,
    V_T: float | None = None,
    delta: float = 0.05,
    seed: Seed = None,
) -> Sparring:
    """SYM-EXP3-SIX: one EXP3-SIX for both arms; low dynamic regret with high probability.

    Both arms are drawn from p; then p(k) <- (1 - alpha) p(k) exp(-eta x(k)) / Z + alpha / K with

        x(k) = (1{row = k} (1 - o) + 1{col = k} o) / (2 (p(k) + gamma)),

    eta = 2 sqrt(l / (K T)), gamma = sqrt(ln(2 / delta) / (2 K T)), and alpha and l those of
    `sparring_exp3six`. It is what implicit exploration (Neu 2015) makes of `sym_exp3s`; the
    combination, its tuning and its bound are ours. For preferences that may depend on the past and
    a comparator fixed in advance, with probability 1 - delta and L = ln(2 / delta),

        DR_T <= sqrt(K T) (sqrt l + 3/4 sqrt(2 L)) + L / 4 + sqrt(2 l L) / 8

    (`sparring.bounds.sym_exp3six`; docs/theory.md, Theorem 12). If S or V_T is far too small, it
    follows changes late.

    Parameters
    ----------
    K, T, S, V_T, seed
        As for `sparring_exp3six`.
    delta
        How often the bound may fail.

    Examples
    --------
    >>> learner = sym_exp3six(10, 100_000, S=10, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.p.shape
    (1, 10)
    """
    base = implicit.sym_exp3six(Problem(K, T, S, V_T), delta)
    return Sparring(K, base, players=1, seed=seed)
