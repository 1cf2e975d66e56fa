"""sturdy: exponential weights in which no vote counts much, for votes that may be bought."""

from dataclasses import replace

from sparring import checks, tunings
from sparring.learners.exponential import ExponentialWeights
from sparring.learners.registry import register_unplanned
from sparring.streams import Seed

LARGEST_STEP = 100.0


@register_unplanned
def sturdy(
    K: int,
    T: int | None = None,
    *,
    memory: int | None = None,
    step: float = 0.5,
    seed: Seed = None,
) -> ExponentialWeights:
    """SYM-EXP3.S with capped weights: no vote moves an arm by more than `step`.

    Both arms are drawn from p(k) = (1 - gamma) W(k) / sum W + gamma / K, and with psi = 2 o - 1

        W(row) <- W(row) exp(+step psi min(1, 1 / (K p(row)))) + e alpha sum W,

    and the same for the column with -psi; gamma and alpha are those of `steady`. In SYM-EXP3.S a
    vote counts 1 / p, so a vote on a rare arm counts most, and that is the vote to buy. Here, apart
    from the share alpha, ln W of an arm is step (wins - defeats) over its duels in which p was at
    most 1 / K, however rare it was; duels with a larger p count less. So C turned votes lift it by
    at most 2 C step.

    One answer moves the logarithm of an arm's weight by at most `step`. Turning an answer round
    changes the log odds of two arms by at most 4 `step`, and later rounds do not enlarge that
    (docs/late-and-spoiled.md). No theorem bounds its regret, because the cap is a bias. Use it
    where there is a clear winner; where margins are small or arms beat each other in circles, it
    follows noise.

    Parameters
    ----------
    K
        Number of arms.
    T
        Not used; accepted because the other learners take it.
    memory
        For about how many duels tastes stay the same, as for `steady`; 1,000 for each arm if None.
    step
        The most that a vote adds to the logarithm of a weight, above 0: smaller is slower and
        safer.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = sturdy(K=4, seed=7)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.p.shape
    (1, 4)
    """
    number = checks.real("step", step, low=0, high=LARGEST_STEP)
    if number == 0:
        raise checks.refuse("step", "above 0", step, "With 0 it would learn nothing")
    tuning = replace(tunings.steady(K, memory), eta=2 * number / K)
    return ExponentialWeights(K, tuning, estimate="capped", seed=seed)
