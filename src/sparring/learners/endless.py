"""steady: SYM-EXP3.S tuned for ever, whatever T is."""

from sparring import tunings
from sparring.learners.clocked import Clocked
from sparring.learners.exponential import ExponentialWeights
from sparring.learners.registry import register_unplanned
from sparring.streams import Seed


@register_unplanned
def steady(
    K: int, T: int | None = None, *, memory: int | str | None = None, seed: Seed = None
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
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = steady(K=4, seed=7)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    """
    if isinstance(memory, str):
        return Clocked(K, memory, seed=seed)
    return ExponentialWeights(K, tunings.steady(K, memory), estimate="relative", seed=seed)
