"""SYM-EXP3.S, planned for T rounds or for ever: one distribution for both arms."""

from sparring import tunings
from sparring.learners.choosing import choose
from sparring.learners.exponential import ExponentialWeights
from sparring.problem import Problem, Tuning, demand_one
from sparring.streams import Seed


def sym_exp3s(
    K: int,
    T: int | None = None,
    *,
    S: int | None = None,
    V_T: float | None = None,
    tuning: Tuning | None = None,
    seed: Seed = None,
) -> ExponentialWeights:
    """SYM-EXP3.S: low dynamic regret from one distribution, with a bound.

    Both arms are drawn from p(k) = (1 - gamma) W(k) / sum W + gamma / K, and with psi = 2 o - 1

        W(row) <- W(row) exp(+eta psi / (2 p(row))) + e alpha sum W,
        W(col) <- W(col) exp(-eta psi / (2 p(col))) + e alpha sum W,

    and W(k) <- W(k) + e alpha sum W for the others, and for all in a self-duel. That is REX3
    (Gajane, Urvoy and Clerot 2015) with the share of EXP3.S (Auer et al. 2002); the combination,
    its tuning and its bound are ours (`sparring.bounds.sym_exp3s`). A duel teaches both of its arms
    about one and the same opponent, so the bound is a fraction of that of DEX3.S; it is for the
    mean of the regret, with no promise of a probability.

    Parameters
    ----------
    K
        Number of arms.
    T
        Number of rounds to plan for; the learner goes on after them.
    S
        Segments of the benchmark, if known (`tunings.sym_exp3s_known`).
    V_T
        Continuous variation, if that is what is known (`tunings.sym_exp3s_continuous`). Without S
        and V_T it is `tunings.sym_exp3s_unknown`.
    tuning
        Instead of T, S and V_T; beta must be 0.
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

    def rule(T: int) -> Tuning:
        problem = Problem(K, T, S, V_T)
        demand_one(S, V_T)
        if V_T is not None:
            return tunings.sym_exp3s_continuous(problem)
        return (tunings.sym_exp3s_unknown if S is None else tunings.sym_exp3s_known)(problem)

    chosen = choose(tuning, T, rule, S=S, V_T=V_T)
    return ExponentialWeights(K, chosen, estimate="relative", seed=seed)


def steady(
    K: int, T: int | None = None, *, memory: int | None = None, seed: Seed = None
) -> ExponentialWeights:
    """SYM-EXP3.S tuned for ever: no T, no S, no V_T, a bound for every T, and it can be certified.

    It has the tuning for one change of tastes in every `memory` duels (`tunings.steady`), which
    does not depend on how long it runs, so it follows as well after years as on the first day.
    Tastes that stay longer than `memory` cost a little exploration, those that change faster are
    followed late. `tracker` has half its regret or less in most worlds, but no theorem.

    Parameters
    ----------
    K
        Number of arms.
    T
        Not used; it is accepted since the other learners take it.
    memory
        How many duels tastes stay, about; 1,000 for each arm if None.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = steady(K=4, seed=7)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    """
    return ExponentialWeights(K, tunings.steady(K, memory), estimate="relative", seed=seed)
