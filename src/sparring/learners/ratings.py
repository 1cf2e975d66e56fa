"""Learners that know an arm by a rating and how much it is in doubt: Elo, Glicko-2, TrueSkill.

First how pairs are chosen by ratings (`mu` (K,)) and their doubts (`variance` (K,)), which is the
same for all and for `bradley_terry`; then the updates for two players, the class and the learners
by name. Elo's and Glicko's ratings are in log-odds, 400 / ln 10 = 173.7178 of their points;
TrueSkill's in its own. A tie is half a win. A self-duel says nothing, but time passes.
"""

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sparring import checks
from sparring._jit import Floats, Ints, Words, inline, rounds
from sparring._math import exact_grow, exact_log_of
from sparring._random import below, normals, uniform
from sparring.learners.family import Family
from sparring.learners.frame import Built, register
from sparring.problem import LONGEST
from sparring.streams import Seed

ANY, NEAR, GREEDY, THOMPSON, TOP_TWO = range(5)  # the rules
FARTHEST = 500.0  # log-odds; beyond it a chance is 0 or 1, and a power would overflow
ELO, GLICKO2, TRUESKILL = range(3)  # the systems
CLOSE = 1e-6  # of the log-volatility, as Glickman has it
STEPS = 100  # to find it in; ten or so do
FLAT = 3.0 / math.pi**2
ROOT_2PI = math.sqrt(2.0 * math.pi)
TAIL = 3.0  # deviations, from where on a continued fraction is better than a series
FRACTIONS = 60  # of it: more than 16 digits need from there on
VANISHED = 37.0  # deviations, where the density is below 1e-300


class Ratings(NamedTuple):
    """What a learner knows."""

    mu: Floats
    """(K,): the ratings."""
    variance: Floats
    """(K,): the squared deviation of each; 0 for Elo."""
    volatility: Floats
    """(K,): Glicko's sigma."""
    gain: Floats
    """(K,): what this period's duels say, the sum of g (s - E) of Glicko's step 4."""
    bend: Floats
    """(K,): 1 / v of Glicko's step 3, of this period's duels so far."""
    told: Ints
    """(1,): duels told so far."""
    words: Words
    """The random state."""


class RatingNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    system: int
    pairing: int
    explore: float
    """The share of pairs at random, if it is greedy."""
    scale: float
    """Log-odds of a difference of 1 in ratings."""
    first: float
    """The variance of a newcomer, and the largest there is."""
    step: float
    """Elo's K."""
    period: int
    """Duels in one of Glicko's rating periods."""
    tau: float
    """How much Glicko's volatility may change."""
    beta2: float
    """TrueSkill's variance of a performance."""
    pace: float
    """The variance that a TrueSkill rating gains with each duel."""


# Who meets whom. `n` has K, the rule, and for those that need it `explore` and `scale`, which makes
# log-odds of a difference of ratings.


@inline
def logistic(x):
    """1 / (1 + e^-x)."""
    return 1.0 / (1.0 + exact_grow(1.0, -min(max(x, -FARTHEST), FARTHEST)))


@inline
def leader(mu, K):
    """The arm of the highest rating; the first of equals."""
    best = 0
    for k in range(1, K):
        if mu[k] > mu[best]:
            best = k
    return best


@inline
def any_two(words, K):
    """Two different arms, each pair as likely."""
    row = below(words, K)
    col = below(words, K - 1)
    return row, col + 1 if col >= row else col


@inline
def quality(mu, row, k, scale):
    """How open a match is: the variance p (1 - p) of its outcome, by the ratings."""
    p = logistic(scale * (mu[row] - mu[k]))
    return p * (1.0 - p)


@inline
def near(mu, words, K, scale):
    """The leader, and another arm in proportion to how open their match is."""
    row = leader(mu, K)
    total = 0.0
    for k in range(K):
        if k != row:
            total += quality(mu, row, k, scale)
    rest = uniform(words) * total
    col = -1
    for k in range(K):
        if k != row and (col < 0 or rest >= 0.0):
            col = k
            rest -= quality(mu, row, k, scale)
    return row, col


@inline
def drawn(mu, variance, words, K, apart):
    """The best arm of one draw from the ratings' doubt, and the best of another.

    If they have to be apart, the second draw's best among the others.
    """
    row, col, runner_up = -1, -1, -1
    highest, high, lower = 0.0, 0.0, 0.0
    for k in range(K):
        deviation = math.sqrt(variance[k])
        z, y = normals(words)
        z = mu[k] + deviation * z
        y = mu[k] + deviation * y
        if row < 0 or z > highest:
            row, highest = k, z
        if col < 0 or y > high:
            runner_up, lower = col, high
            col, high = k, y
        elif runner_up < 0 or y > lower:
            runner_up, lower = k, y
    return row, runner_up if apart and col == row else col


@inline
def pair(mu, variance, words, n):
    """The pair that the rule chooses now."""
    if n.pairing == ANY:
        return any_two(words, n.K)
    if n.pairing == NEAR:
        return near(mu, words, n.K, n.scale)
    if n.pairing == GREEDY:
        if uniform(words) < n.explore:
            return any_two(words, n.K)
        best = leader(mu, n.K)
        return best, best
    return drawn(mu, variance, words, n.K, n.pairing == TOP_TWO)


# What an outcome says.


@inline
def learn_elo(o, row, col, m, n):
    """R <- R + K (S - E), E = 1 / (1 + 10^(-difference / 400)) (Elo 1978)."""
    moved = n.step * (o - logistic(m.mu[row] - m.mu[col]))
    m.mu[row] += moved
    m.mu[col] -= moved


@inline
def flatter(variance):
    """Glicko's g: by how much the opponent's doubt flattens a chance (step 3)."""
    return 1.0 / math.sqrt(1.0 + FLAT * variance)


@inline
def note_game(s, own, other, mu, variance, gain, bend):
    """Glicko-2, steps 3 and 4: what a game with the score s tells of the first of two arms."""
    g = flatter(variance[other])
    p = logistic(g * (mu[own] - mu[other]))
    gain[own] += g * (s - p)
    bend[own] += g * g * p * (1.0 - p)


@inline
def slope(x, delta2, variance, v, a, tau):
    """Glicko-2, step 5: f(x), whose root is the logarithm of the new squared volatility."""
    e = exact_grow(1.0, x)
    total = variance + v + e
    return e * (delta2 - total) / (2.0 * total * total) - (x - a) / (tau * tau)


@inline
def new_volatility(delta2, variance, v, sigma, tau):
    """Glicko-2, step 5: the root of f by the Illinois method."""
    a = exact_log_of(sigma * sigma)
    A, B = a, a - tau
    if delta2 > variance + v:
        B = exact_log_of(delta2 - variance - v)
    else:
        k = 0
        while slope(B, delta2, variance, v, a, tau) < 0.0 and k < STEPS:
            B -= tau
            k += 1
    f_A = slope(A, delta2, variance, v, a, tau)
    f_B = slope(B, delta2, variance, v, a, tau)
    k = 0
    while abs(B - A) > CLOSE and k < STEPS:
        C = A + (A - B) * f_A / (f_B - f_A)
        f_C = slope(C, delta2, variance, v, a, tau)
        if f_C * f_B <= 0.0:
            A, f_A = B, f_B
        else:
            f_A = 0.5 * f_A
        B, f_B = C, f_C
        k += 1
    return exact_grow(1.0, 0.5 * A)


@inline
def end_period(mu, variance, volatility, gain, bend, tau, most):
    """Glicko-2, steps 5 to 7, for all arms; no variance grows beyond `most`."""
    for k in range(mu.shape[0]):
        if bend[k] > 0.0:
            v = 1.0 / bend[k]
            delta = v * gain[k]
            volatility[k] = new_volatility(delta * delta, variance[k], v, volatility[k], tau)
        grown = min(variance[k] + volatility[k] * volatility[k], most)
        variance[k] = 1.0 / (1.0 / grown + bend[k])
        mu[k] += variance[k] * gain[k]
        gain[k] = 0.0
        bend[k] = 0.0


@inline
def density(t):
    """That of the normal law."""
    return exact_grow(1.0, -0.5 * t * t) / ROOT_2PI


@inline
def beyond(x):
    """P(Z > x) over the density at x, for x >= TAIL: Laplace's continued fraction."""
    value = x
    for k in range(FRACTIONS, 0, -1):
        value = x + k / value
    return 1.0 / value


@inline
def hazard(t):
    """TrueSkill's V(t) without a draw margin: the density at t over P(Z < t)."""
    if t < -TAIL:
        return 1.0 / beyond(-t)
    if t > VANISHED:
        return 0.0
    if t > TAIL:
        return density(t) / (1.0 - density(t) * beyond(t))
    term, total, k = t, t, 1.0  # P(Z < t) = 1/2 + density (t + t^3 / 3 + t^5 / 15 + ...)
    while abs(term) > 1e-17:
        k += 2.0
        term *= t * t / k
        total += term
    return density(t) / (0.5 + density(t) * total)


@inline
def learn_trueskill(o, row, col, m, n):
    """Herbrich, Minka and Graepel's (2007) update for two players who do not draw.

    An outcome between counts as o of a win and 1 - o of a loss: so do both derivatives of its
    log-likelihood, which are all that the update takes.
    """
    c2 = 2.0 * n.beta2 + m.variance[row] + m.variance[col]
    c = math.sqrt(c2)
    t = (m.mu[row] - m.mu[col]) / c
    win, loss = hazard(t), hazard(-t)
    v = o * win - (1.0 - o) * loss
    w = o * win * (win + t) + (1.0 - o) * loss * (loss - t)
    m.mu[row] += m.variance[row] / c * v
    m.mu[col] -= m.variance[col] / c * v
    m.variance[row] *= 1.0 - m.variance[row] / c2 * w
    m.variance[col] *= 1.0 - m.variance[col] / c2 * w


@inline
def choose(r, note, m, n):
    """The pair to show next."""
    return pair(m.mu, m.variance, m.words, n)


@inline
def learn(o, row, col, note, m, n):
    """Learn an outcome by the rules of the system."""
    m.told[0] += 1
    if n.system == TRUESKILL:
        for k in range(n.K):
            m.variance[k] = min(m.variance[k] + n.pace, n.first)
    if row != col:
        if n.system == ELO:
            learn_elo(o, row, col, m, n)
        elif n.system == TRUESKILL:
            learn_trueskill(o, row, col, m, n)
        else:
            note_game(o, row, col, m.mu, m.variance, m.gain, m.bend)
            note_game(1.0 - o, col, row, m.mu, m.variance, m.gain, m.bend)
    if n.system == GLICKO2 and m.told[0] % n.period == 0:
        end_period(m.mu, m.variance, m.volatility, m.gain, m.bend, n.tau, n.first)


PAIRINGS = {
    "random": ANY,
    "near": NEAR,
    "greedy": GREEDY,
    "thompson": THOMPSON,
    "top two": TOP_TWO,
}
SYSTEMS = {"elo": ELO, "glicko2": GLICKO2, "trueskill": TRUESKILL}
POINTS = 400 / math.log(10)  # of Elo and Glicko, in log-odds
BEGIN = {"elo": 1500.0, "glicko2": 1500.0, "trueskill": 25.0}
GAMES = 10  # of each arm in a period: Glickman advises at least 10 to 15
PROBIT = 1.702  # the logistic function of this times x is the normal law's of x, to 0.01
HIGHEST = 1e6  # rating that a snapshot may have
HIGHEST_LOGIT = 50.0  # the same for Glicko-2, which divides by the variance of an outcome
LONGEST_HALF_LIFE = 1e12


class Number(NamedTuple):
    """A number that tunes a system: its usual value and its range."""

    usual: float
    low: float
    high: float


NUMBERS: dict[str, dict[str, Number]] = {
    "elo": {"factor": Number(32.0, 1e-3, 1e3)},
    "glicko2": {
        "deviation": Number(350.0, 10.0, 2000.0),
        "volatility": Number(0.06, 1e-6, 1.0),
        "tau": Number(0.5, 0.01, 10.0),
    },
    "trueskill": {
        "deviation": Number(25 / 3, 1e-2, 1e3),
        "beta": Number(25 / 6, 1e-2, 1e3),
        "dynamics": Number(25 / 300, 0.0, 1e3),
    },
}


class Rating(Family):
    """A learner that uses the ratings of Elo, Glicko-2 or TrueSkill.

    Use the named learners (`elo`, `glicko2`, `trueskill`), which are explained there.

    Parameters
    ----------
    K
        Number of arms.
    system
        "elo", "glicko2" or "trueskill".
    pairing
        "random", "near", "greedy", "thompson" or "top two", as for `glicko2`; for Elo one of the
        first three.
    explore
        The share of random pairs if `pairing` is "greedy".
    period
        Duels in a rating period of Glicko-2; None for 5 K, so that an arm has ten on average.
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.
    numbers
        What tunes the system: `factor` of Elo; `deviation`, `volatility` and `tau` of Glicko-2;
        `deviation`, `beta` and `dynamics` of TrueSkill; the usual values if not given.

    Examples
    --------
    >>> learner = Rating(3, system="elo", pairing="random", factor=20, seed=1)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> float(learner.ratings[duel.row])
    1510.0
    """

    KIND = "ratings"
    KERNELS = rounds(choose, learn, Ratings, RatingNumbers)
    WATCHES = True
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = dict.fromkeys(
        ("mu", "variance", "volatility", "gain", "bend"), (0,)
    )

    def __init__(
        self,
        K: int,
        *,
        system: str,
        pairing: str,
        explore: float = 0.1,
        period: int | None = None,
        seed: Seed = None,
        **numbers: float,
    ) -> None:
        if not isinstance(system, str) or system not in SYSTEMS:
            raise checks.refuse("system", f"one of {sorted(SYSTEMS)}", system)
        options: dict[str, Any] = {"system": system, **paired(pairing, explore)}
        if system == "elo" and pairing in ("thompson", "top two"):
            remedy = "Elo's ratings have no doubt to draw from; glicko2's have"
            raise checks.refuse("pairing", "'random', 'near' or 'greedy'", pairing, remedy)
        known = NUMBERS[system]
        if other := sorted(numbers.keys() - known.keys()):
            raise checks.refuse(f"what tunes {system}", f"among {sorted(known)}", other[0])
        if period is not None:
            if system != "glicko2":
                raise checks.refuse("period", "None: only Glicko-2 has rating periods", period)
            period = checks.whole("period", period, low=1, high=LONGEST)
        options["period"] = period
        for name, (usual, low, high) in known.items():
            options[name] = checks.real(name, numbers.get(name, usual), low=low, high=high)
        super().__init__(K, options, seed)

    def _build(self, *_: Any, system: str, **options: Any) -> Built:
        K = self.K
        first = (options.get("deviation", 0.0) / self._unit) ** 2
        beta = options.get("beta", 1.0)
        memory = Ratings(
            mu=np.zeros(K),
            variance=np.full(K, first),
            volatility=np.full(K, options.get("volatility", 0.0)),
            gain=np.zeros(K),
            bend=np.zeros(K),
            told=np.zeros(1, np.int64),
            words=np.zeros(4, np.uint64),
        )
        numbers = RatingNumbers(
            K=K,
            system=SYSTEMS[system],
            pairing=PAIRINGS[options["pairing"]],
            explore=options["explore"],
            scale=PROBIT / (math.sqrt(2) * beta) if system == "trueskill" else 1.0,
            first=first,
            step=options.get("factor", 0.0) / POINTS,
            period=options["period"] or GAMES * K // 2,
            tau=options.get("tau", 1.0),
            beta2=beta**2,
            pace=2 * options.get("dynamics", 0.0) ** 2 / K,
        )
        return Built(memory, numbers, players=0, note=0)

    def _possible(self) -> bool:
        m, first = self._memory, RatingNumbers(*self._numbers).first
        doubtful, games = self._options["system"] == "glicko2", 1.0 + m.told[0]
        fits = [
            (m.told >= 0) & (m.told <= LONGEST),
            abs(m.mu) <= (HIGHEST_LOGIT if doubtful else HIGHEST),
            (m.variance >= 1e-9 * first) & (m.variance <= first),
            (m.volatility >= (1e-7 if doubtful else 0.0)) & (m.volatility <= 10.0),
            (m.bend >= 0) & (m.bend <= games),
            (abs(m.gain) <= games) & ((m.bend > 0) | (m.gain == 0)),
        ]
        return all(bool(part.all()) for part in fits)

    @property
    def _unit(self) -> float:
        return 1.0 if self._options["system"] == "trueskill" else POINTS

    @property
    def ratings(self) -> Floats:
        """(K,): the ratings, in the points of the system."""
        with self._turn:
            return np.asarray(BEGIN[self._options["system"]] + self._unit * self._memory.mu)

    @property
    def deviations(self) -> Floats:
        """(K,): the standard deviation of each rating, in the same points; 0 for Elo."""
        with self._turn:
            return np.asarray(self._unit * np.sqrt(self._memory.variance))

    @property
    def favourite(self) -> int:
        """The arm it thinks best at present: the one rated highest."""
        return int(np.argmax(self.ratings))


def paired(pairing: str, explore: float) -> dict[str, Any]:
    """How pairs are chosen, checked."""
    if not isinstance(pairing, str) or pairing not in PAIRINGS:
        raise checks.refuse("pairing", f"one of {sorted(PAIRINGS)}", pairing)
    return {"pairing": pairing, "explore": checks.real("explore", explore, low=0, high=1)}


# By name.


@register()
def elo(
    K: int,
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


@register()
def glicko2(
    K: int,
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


@register()
def trueskill(
    K: int,
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
