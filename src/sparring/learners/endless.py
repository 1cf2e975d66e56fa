"""steady: SYM-EXP3.S with a tuning that lasts, whatever T is."""

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
    """SYM-EXP3.S with a lasting tuning: no T, S or V_T, a bound for every T, and certificates.

    It is tuned for one change of tastes in every `memory` duels (`tunings.steady`). That does not
    depend on how long it runs, so it follows tastes as well after years as on the first day. If
    tastes stay longer than `memory`, it explores a little too much; if they change faster, it
    follows late. `tracker` has half its regret or less in most worlds, but no theorem.

    Parameters
    ----------
    K
        Number of arms.
    T
        Not used; accepted because the other learners take it.
    memory
        For about how long tastes stay the same. A number counts all duels that are told, self-duels
        too; 1,000 for each arm if None. "5000 votes" counts only duels of two arms, so it does not
        matter whether one visitor in thirty votes or every one. "14d" is a time (s, min, h, d or
        w): it needs `tell(..., at=)`, and the learner finds out how many votes come in that time.
    differ
        Whether to show two different arms in every round. A pair is then drawn from p given that
        its arms differ, with `tunings.apart` of the tuning. It can be certified, too, but the bound
        does not cover it (docs/two-arms.md).
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
