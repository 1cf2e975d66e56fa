"""steady: SYM-EXP3.S tuned for ever, whatever T is."""

from sparring import checks, tunings
from sparring.learners.clocked import Clocked
from sparring.learners.exponential import ExponentialWeights
from sparring.learners.registry import register_unplanned
from sparring.streams import Seed


@register_unplanned
def steady(
    K: int,
    T: int | None = None,
    *,
    memory: int | str | None = None,
    differ: bool = False,
    seed: Seed = None,
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
        How long tastes stay, about. A number counts all duels that are told, those of an arm with
        itself too; 1,000 for each arm if None. "5000 votes" counts only duels of two arms, so
        that the learner is the same whether one visitor in thirty votes or each. "14d" is a time
        (s, min, h, d or w): it needs `tell(..., at=)`, and learns by itself how many votes come in
        such a time.
    differ
        Whether to show two different arms in every round: a pair is then drawn from p given that
        its arms differ, with `tunings.apart` of the tuning. It can be certified, too; the bound is
        not for it (docs/two-arms.md).
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = steady(K=4, seed=7)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    """
    if isinstance(memory, str) and not checks.flag("differ", differ):
        return Clocked(K, memory, seed=seed)
    if isinstance(memory, str):
        remedy = "Every duel is of two arms then, so a number counts votes"
        raise checks.refuse("memory", "a number together with differ=True", memory, remedy)
    tuning = tunings.steady(K, memory)
    if checks.flag("differ", differ):
        return ExponentialWeights(K, tunings.apart(tuning), estimate="differ", seed=seed)
    return ExponentialWeights(K, tuning, estimate="relative", seed=seed)
