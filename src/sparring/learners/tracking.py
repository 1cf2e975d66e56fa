"""tracker: the learner for people who know neither T nor S nor V_T."""

from sparring import tunings
from sparring.learners.exponential import ExponentialWeights
from sparring.streams import Seed


def tracker(
    K: int, T: int | None = None, *, memory: int | None = None, seed: Seed = None
) -> ExponentialWeights:
    """A learner that needs to be told nothing and never grows old: no T, no S, no V_T.

    It is SYM-EXP3.S (`sym_exp3s`) with the tuning for one change of tastes in every `memory` duels
    (`tunings.tracker`). Its parameters do not depend on how long it runs, so it follows as well
    after years as on the first day. Tastes that stay longer than `memory` cost a little
    exploration, those that change faster are followed late; in the league (docs/league.md) the
    default comes close to learners that are told S or V_T.

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
    >>> learner = tracker(K=4, seed=7)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    """
    return ExponentialWeights(K, tunings.tracker(K, memory), estimate="relative", seed=seed)
