"""D-EXP3: the best arm in Borda scores, from one distribution."""

from sparring import checks, tunings
from sparring.learners.exponential import ExponentialWeights
from sparring.learners.registry import register
from sparring.problem import Tuning
from sparring.streams import Seed
from sparring.tunings.choosing import Rule, choose


@register
def d_exp3(
    K: int, T: int | None = None, *, tuning: Tuning | Rule[Tuning] | None = None, seed: Seed = None
) -> ExponentialWeights:
    """D-EXP3 (Saha, Koren and Mansour, ICML 2021): low static regret in Borda scores.

    Both arms are drawn from p(k) = (1 - gamma) W(k) / sum W + gamma / K. Only the row arm learns,
    also from self-duels:

        W(row) <- W(row) exp(eta o / (K p(row) p(col))),

    whose exponent has the mean eta times the row arm's Borda score (with 1/2 against itself). eta =
    (ln K / (T sqrt(K)))^(2/3) and gamma = sqrt(eta K), as public code has it (`tunings.d_exp3`).

    Parameters
    ----------
    K
        Number of arms.
    T
        Number of rounds to plan for; the learner continues after them.
    tuning
        Use instead of T; beta and alpha must be 0, as D-EXP3 has neither bias nor share. Or a
        function that makes a tuning from a `Problem`.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = d_exp3(10, 1_000_000, seed=7)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> learner.p.shape
    (1, 10)
    """
    chosen = choose(tuning, tunings.d_exp3, K, T)
    for name in ("beta", "alpha"):
        value = getattr(chosen, name)
        if value > 0:
            remedy = "borda_dex3s has both"
            raise checks.refuse(name, "0 for d_exp3, which has no bias and no share", value, remedy)
    return ExponentialWeights(K, chosen, estimate="row borda", seed=seed)
