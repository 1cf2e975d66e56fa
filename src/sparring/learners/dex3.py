"""The paper's five learners by name: RAND, REX3, DEX3.P, DEX3.S, Borda-DEX3.S; and D-EXP3."""

from functools import partial

from sparring import checks, tunings
from sparring.learners.frame import register
from sparring.learners.weights import ExponentialWeights
from sparring.problem import Tuning
from sparring.streams import Seed
from sparring.tunings import Rule, choose

DELTA = 0.05  # how often Theorem 6.1 may fail, unless said otherwise


@register()
def rand(K: int, *, seed: Seed = None) -> ExponentialWeights:
    """RAND (Sec. 7): both arms uniformly at random, whatever happens; the baseline.

    Examples
    --------
    >>> rand(4, seed=1).p
    array([[0.25, 0.25, 0.25, 0.25]])
    """
    return ExponentialWeights(K, tunings.rand(), estimate="relative", seed=seed)


@register("T")
def rex3(
    K: int, T: int | None = None, *, tuning: Tuning | Rule[Tuning] | None = None, seed: Seed = None
) -> ExponentialWeights:
    """REX3 (Gajane, Urvoy and Clerot 2015; Sec. 7): one distribution for both arms.

    With psi = 2 o - 1, W(row) is multiplied by exp(eta psi / (2 p(row))) and W(col) by
    exp(-eta psi / (2 p(col))); a self-duel changes nothing. eta = gamma / K and
    gamma = min(1/2, sqrt(2 K ln K / (e T))).

    Examples
    --------
    >>> rex3(10, 1_000_000, seed=1).p.shape
    (1, 10)
    """
    chosen = choose(tuning, tunings.rex3, K, T)
    _demand_no_share("rex3", chosen)
    return ExponentialWeights(K, chosen, estimate="relative", seed=seed)


@register("T")
def dex3p(
    K: int, T: int | None = None, *, tuning: Tuning | Rule[Tuning] | None = None, seed: Seed = None
) -> ExponentialWeights:
    """DEX3.P (Algorithm 1): low static regret against any preferences, with high probability.

    Parameters come from Theorem 3.3 (`tunings.dex3p`) unless a tuning is given.

    Examples
    --------
    >>> learner = dex3p(10, 1_000_000, seed=1)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 0.5)
    """
    chosen = choose(tuning, tunings.dex3p, K, T)
    _demand_no_share("dex3p", chosen)
    return ExponentialWeights(K, chosen, seed=seed)


@register("T", "S", "V_T")
def dex3s(
    K: int,
    T: int | None = None,
    *,
    S: int | None = None,
    V_T: float | None = None,
    corrected: bool = False,
    tuning: Tuning | Rule[Tuning] | None = None,
    seed: Seed = None,
) -> ExponentialWeights:
    """DEX3.S (Algorithm 2): low dynamic regret while preferences switch or drift.

    Each player has weights W and draws its arm from p(k) = (1 - gamma) W(k) / sum W + gamma / K,
    the row player with its own p and W, the column player with its own. After an outcome o the row
    player updates every arm k,

        W(k) <- W(k) exp(eta (o [k = row] + beta) / p(k)) + e alpha sum W,

    where sum W is from before, and the column player likewise with 1 - o and col.

    Parameters
    ----------
    K
        Number of arms.
    T
        Number of rounds to plan for; the learner continues after them.
    S
        Segments of constant preferences, if known (Theorem 4.1, part 1); without S and V_T the
        tuning is that of part 2.
    V_T
        Continuous variation, if you know that instead (Theorem 4.4).
    corrected
        Whether to use the share that the proofs need, alpha = 1 / (K T), which we advise, instead
        of the printed 1 / T, which is K times too large (errata E1).
    tuning
        Use instead of T, S and V_T. Or a function that makes a tuning from a `Problem`, such as
        `tunings.best`.
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = dex3s(10, 1_000_000, S=10, corrected=True, seed=7)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> learner
    <ExponentialWeights K=10, 'win', eta=0.001, gamma=0.02, beta=0.001, alpha=1e-07; t=1, 0 open>
    """
    rule = partial(tunings.dex3s, corrected=corrected)
    chosen = choose(tuning, rule, K, T, S, V_T, corrected=corrected)
    return ExponentialWeights(K, chosen, seed=seed)


@register("T", "S")
def borda_dex3s(
    K: int,
    T: int | None = None,
    S: int | None = None,
    *,
    delta: float = DELTA,
    corrected: bool = False,
    tuning: Tuning | Rule[Tuning] | None = None,
    seed: Seed = None,
) -> ExponentialWeights:
    """Borda-DEX3.S (Algorithm 3): low dynamic regret in Borda scores.

    Parameters come from Theorem 6.1 (`tunings.borda_dex3s`), which holds with probability 1 -
    delta, unless a tuning is given; `corrected=True` repairs them (docs/errata.md, E10).

    Examples
    --------
    >>> borda_dex3s(10, 1_000_000, S=10, seed=1).estimate
    'borda'
    """
    rule = partial(tunings.borda_dex3s, delta=delta, corrected=corrected)
    other_delta = None if delta == DELTA else delta
    chosen = choose(tuning, rule, K, T, S, corrected=corrected, delta=other_delta)
    return ExponentialWeights(K, chosen, estimate="borda", seed=seed)


@register("T")
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


def _demand_no_share(name: str, tuning: Tuning) -> None:
    if tuning.alpha > 0:
        raise checks.refuse(
            "alpha", f"0 for {name}, which has no share", tuning.alpha, "dex3s has one"
        )
