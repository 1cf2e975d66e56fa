"""Elo, Glicko-2, TrueSkill and Bradley-Terry by name, as they are used in practice."""

from sparring.learners.rating import BradleyTerry, Rating
from sparring.learners.registry import register
from sparring.streams import Seed


@register
def elo(
    K: int,
    T: int | None = None,
    *,
    pairing: str = "greedy",
    factor: float = 32.0,
    explore: float = 0.1,
    seed: Seed = None,
) -> Rating:
    """Elo's ratings (Elo 1978), which games and public arenas rank by.

    All arms begin with 1500. With E = 1 / (1 + 10^(-(R(row) - R(col)) / 400)) the row's expected
    score and S its score, R(row) <- R(row) + factor (S - E), and the column loses as much. So old
    duels fade by themselves, the faster the larger the factor. The formula is Elo's, with the
    logistic curve that FIDE's handbook gives for his tables.

    There is no theorem about regret. Elo says how to rate, not which arms to show: `pairing` is
    ours, modelled on its users. An Elo rating has no measure of doubt, so an arm that lost its
    first duels by chance is shown again only at random. Where arms beat each other in circles, a
    rating means little.

    Parameters
    ----------
    K
        Number of arms.
    T
        Not used; accepted because the other learners take it.
    pairing
        "greedy": the leader meets itself, so it is simply shown, except in a share `explore` of all
        rounds, in which two random different arms meet. "near": the leader meets another arm,
        chosen in proportion to the variance E (1 - E) of the outcome, as matchmakers look for even
        matches. "random": any two different arms, as in public arenas; its regret is RAND's.
    factor
        Elo's K, in points. 32 is our choice among the values in use: Elo (1978) has 32 in his
        linear approximation and 10 in an example; FIDE takes 40 for new players, 20, and 10 for the
        strongest.
    explore
        The share of random pairs, in [0, 1].
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = elo(5, pairing="random", seed=1)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> learner.ratings[[duel.row, duel.col]].tolist()
    [1516.0, 1484.0]
    """
    return Rating(K, system="elo", pairing=pairing, factor=factor, explore=explore, seed=seed)


@register
def glicko2(
    K: int,
    T: int | None = None,
    *,
    pairing: str = "thompson",
    period: int | None = None,
    tau: float = 0.5,
    volatility: float = 0.06,
    explore: float = 0.1,
    seed: Seed = None,
) -> Rating:
    """Glicko-2 (Glickman 2001; "Example of the Glicko-2 system", 2013): ratings with a doubt.

    A rating has a deviation phi and a volatility sigma. Duels are learnt in periods, by Bayes' rule
    for a logistic likelihood and the opponents' doubts; an arm that is not shown gains sigma^2 of
    variance a period, so that Thompson sampling comes back to it. Steps and constants are those of
    Glickman's example. Three things are ours: a period is counted in duels told, whichever arms
    were shown; no deviation exceeds that of a new arm, 350; and how pairs are chosen. There is no
    theorem about regret.

    Parameters
    ----------
    K
        Number of arms.
    T
        Not used; accepted because the other learners take it.
    pairing
        "thompson": ratings are drawn twice from their distributions; the row is the best arm in one
        draw, the column the best in the other, often the same arm. "top two" (after Russo 2016):
        the column is the best other arm, so two different arms are always shown. Use it if you want
        to find the best arm rather than show it. Or "random", "near" or "greedy", as for `elo`.
    period
        Duels in a rating period; None for 5 K, so that each arm has ten games in it if all are
        shown equally often. Glickman advises at least 10 to 15.
    tau
        How much the volatility may change, from 0.3 to 1.2 by Glickman.
    volatility
        The volatility of a new arm.
    explore
        The share of random pairs, if `pairing` is "greedy".
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = glicko2(5, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner.deviations.round().tolist()  # nothing is learnt before the period is over
    [350.0, 350.0, 350.0, 350.0, 350.0]
    """
    return Rating(
        K,
        system="glicko2",
        pairing=pairing,
        period=period,
        tau=tau,
        volatility=volatility,
        explore=explore,
        seed=seed,
    )


@register
def trueskill(
    K: int,
    T: int | None = None,
    *,
    pairing: str = "thompson",
    beta: float = 25 / 6,
    dynamics: float = 25 / 300,
    explore: float = 0.1,
    seed: Seed = None,
) -> Rating:
    """TrueSkill's update for two players (Herbrich, Minka and Graepel 2007): Gaussian skills.

    Skills are N(25, (25/3)^2); in a duel each arm performs as its skill plus N(0, beta^2), and the
    better performance wins. With c^2 = 2 beta^2 + sigma_w^2 + sigma_l^2, t = (mu_w - mu_l) / c, v =
    density(t) / P(Z < t) and w = v (v + t), the winner's mu gains sigma_w^2 v / c, the loser's
    loses sigma_l^2 v / c, and either variance is multiplied by 1 - sigma^2 w / c^2. The formulas
    and constants are those of public implementations.

    Some things are ours. There is no draw margin, and an outcome between 0 and 1 counts in part as
    a win and in part as a loss. TrueSkill adds the variance dynamics^2 to a skill before each of
    its games. Here skills gain it with time, 2 dynamics^2 / K with each duel, which is the same if
    all arms are shown equally often, and a variance never exceeds a new arm's. Otherwise an arm
    that is not shown would never be in doubt again. How pairs are chosen is ours, too. There is no
    theorem about regret.

    Parameters
    ----------
    K
        Number of arms.
    T
        Not used; accepted because the other learners take it.
    pairing
        As for `glicko2`.
    beta
        How much chance there is in a duel: the deviation of a performance.
    dynamics
        How much skills move; called tau or gamma elsewhere.
    explore
        The share of random pairs, if `pairing` is "greedy".
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = trueskill(2, pairing="random", dynamics=0, seed=1)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> round(float(learner.ratings[duel.row]), 3), round(float(learner.deviations[duel.row]), 3)
    (29.205, 7.194)
    """
    return Rating(
        K,
        system="trueskill",
        pairing=pairing,
        beta=beta,
        dynamics=dynamics,
        explore=explore,
        seed=seed,
    )


@register
def bradley_terry(
    K: int,
    T: int | None = None,
    *,
    pairing: str = "thompson",
    half: float | None = None,
    explore: float = 0.1,
    seed: Seed = None,
) -> BradleyTerry:
    """Bradley and Terry's (1952) strengths, as in leaderboards, fitted to duels that fade.

    P(i, j) = logistic(s(i) - s(j)), s ~ N(0, 1), and a duel of age a counts 2^(-a / half). Each
    duel takes a Newton step of its two arms, and every K duels a sweep over all arms brings the
    strengths in line with all that is remembered: the fit by which `sparring.votes` predicts votes.
    The doubt of a strength is 1 / sqrt(information) as if the others were known, which is too
    small. The half-life of 100 K duels is ours, as is how pairs are chosen. There is no theorem
    about regret.

    Parameters
    ----------
    K
        Number of arms.
    T
        Not used; accepted because the other learners take it.
    pairing
        As for `glicko2`.
    half
        Duels after which a duel counts half; None for 100 K.
    explore
        The share of random pairs, if `pairing` is "greedy".
    seed
        An int, a SeedSequence or a numpy Generator.

    Examples
    --------
    >>> learner = bradley_terry(5, half=1_000, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    """
    return BradleyTerry(K, pairing=pairing, half=half, explore=explore, seed=seed)
