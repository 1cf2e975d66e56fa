"""Borda scores without a model, with intervals that hold at all times; uniform pairs."""

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparring import checks, extras
from sparring.votes.data import Votes

Floats = NDArray[np.float64]

# One of them suits any sum of squares from some tens to 1e12, and twenty cost ln 20 at most.
RATES = 2.0 ** -np.arange(1, 21)
PRICES = -np.log1p(-RATES) - RATES
STEPS = 50  # of Newton's; it ends after some ten


def floor(values: ArrayLike, delta: float) -> float:
    """A lower bound for the mean of the values' expectations.

    Let X_1, X_2, ... be at least 0, and m_t the mean of X_t given all before it, at most 1. For
    0 < l < 1 let psi(l) = -ln(1 - l) - l, and let c_t in [0, 1] be a guess from before X_t: here
    (1/2 + X_1 + ... + X_{t-1}) / t. With probability 1 - delta, for all n at once,

        sum of m_t >= sum of X_t - s(v, delta),        v = sum of (X_t - c_t)^2,

    where s solves: mean over l in `RATES` of exp(l s - psi(l) v) = 1 / delta. X needs no upper
    limit, the m_t may drift, and n may depend on the X: looking early costs nothing.

    *Proof.* For x >= -1, exp(l x - psi(l) x^2) <= 1 + l x (Fan, Grama and Liu, 2015). With
    x = X_t - c_t, which is at least -1, the mean of exp(l (X_t - m_t) - psi(l) (X_t - c_t)^2) given
    the past is at most exp(-l (m_t - c_t)) (1 + l (m_t - c_t)) <= 1. So each product over t is a
    supermartingale that begins at 1, and so is the mean over l of them; by Ville's inequality it
    reaches 1 / delta with probability delta at most. It rises with the sum of X_t - m_t. (The
    empirical Bernstein bound of Howard and others, 2021, and Waudby-Smith and Ramdas, 2024, with
    rates that are mixed instead of fitted on the way: theirs would bound a mean weighted by them.)

    Parameters
    ----------
    values
        (n,): X, in the order in which they came.
    delta
        How often the floor may be above the mean, at any n.

    Returns
    -------
    The bound divided by n, and at least 0.

    Examples
    --------
    >>> round(floor(np.tile([1.0, 1.0, 0.0, 1.0], 250), delta=0.05), 3)  # mean 0.75
    0.699
    """
    X = np.asarray(values, np.float64)
    n = len(X)
    if n == 0:
        return 0.0
    total = float(X.sum())
    return max(0.0, (total - float(slack(squares(X), delta))) / n)


def squares(X: Floats) -> float:
    """v: the sum of the squared errors of the earlier guesses."""
    before = np.cumsum(X) - X
    guess = np.minimum((0.5 + before) / np.arange(1, len(X) + 1), 1.0)
    wrong = X - guess
    return float(wrong @ wrong)


def slack(v: ArrayLike, delta: float) -> Floats:
    """s: how far a sum may exceed its expectation, for a sum of squares v.

    The equation's left side rises and is convex in s, so Newton's method from a point above stays
    above, which is the safe side.

    Examples
    --------
    >>> [round(float(slack(v, 0.05)), 1) for v in (1, 100, 10_000)]
    [12.1, 38.2, 342.9]
    """
    v = np.asarray(v, np.float64)[..., None]
    wanted = math.log(1 / delta) + math.log(len(RATES))
    s = ((PRICES * v + wanted) / RATES).min(axis=-1)  # where one rate alone would do
    for _ in range(STEPS):
        powers = RATES * s[..., None] - PRICES * v
        top = powers.max(axis=-1, keepdims=True)
        terms = np.exp(powers - top)
        total = terms.sum(axis=-1)
        reached = top[..., 0] + np.log(total) - wanted
        step = reached * total / (terms @ RATES)
        s = s - step
        if np.all(step <= 1e-9 * s):
            break
    return np.asarray(s * (1 + 1e-9))


# --- Uniform pairs -------------------------------------------------------------------------------

CLEARLY = 1e-6  # how rarely uniform pairs are warned of
ALIKE = 1e-3  # by how much a logged chance may differ, as a share, and be that of uniform pairs
ENOUGH = 5.0  # votes expected of a cell, from which on the chi-square law is near

Pairs = Literal["logged", "uniform"]


class Uniformity(NamedTuple):
    """A chi-square test of the claim that all pairs had equal chances in every vote."""

    statistic: float
    freedom: int
    """Degrees of freedom."""
    chance: float
    """How likely so large a statistic is where the claim is true, roughly."""

    def __str__(self) -> str:
        says = "clearly not uniform" if self.chance < CLEARLY else "nothing speaks against uniform"
        tail = f"p = {self.chance:.2g}" if self.chance >= CLEARLY else f"p below {CLEARLY:g}"
        return f"{says}: chi-square {self.statistic:,.1f} of {self.freedom:,}, {tail}"


def uniformity(votes: Votes) -> Uniformity:
    """Test whether all pairs were shown equally often.

    It counts pairs, or arms if there are fewer than five votes for each pair. It is rough: pairs
    that look uniform over the whole log need not have been so at each time, or given the past.

    Examples
    --------
    >>> votes = Votes(("a", "b", "c"), [0] * 60, [1] * 50 + [2] * 10, [1] * 60)
    >>> print(uniformity(votes))
    clearly not uniform: chi-square 70.0 of 2, p below 1e-06
    """
    K, n = votes.K, len(votes)
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    pairs = K * (K - 1) // 2
    if n >= ENOUGH * pairs or K == 2:
        met = np.bincount(low.astype(np.int64) * K + high, minlength=K * K).reshape(K, K)
        met = met[np.triu_indices(K, 1)]
        statistic, freedom = float(((met - n / pairs) ** 2).sum() / (n / pairs or 1)), pairs - 1
    else:  # an arm is in 2 of K places, and the counts of two arms hold each other down
        shown = np.bincount(low, minlength=K) + np.bincount(high, minlength=K)
        spread = max(n, 1) * 2 / K * (1 - 2 / K) * K / (K - 1)
        statistic, freedom = float(((shown - 2 * n / K) ** 2).sum() / spread), K - 1
    return Uniformity(statistic, freedom, _tail(statistic, freedom))


def pair_chances(votes: Votes, pairs: Pairs) -> NDArray[np.float64]:
    """(n,): the chance of each vote's pair, logged or said to be uniform."""
    if pairs not in ("logged", "uniform"):
        raise checks.unknown("pairs", pairs, ("logged", "uniform"))
    demand_plain(votes)
    if pairs == "uniform":
        even = 2 / (votes.K * (votes.K - 1))
        _demand_even(votes, even)
        found = uniformity(votes)
        if found.chance < CLEARLY:
            checks.warn(
                f"these votes are taken as votes on uniform pairs, but the pairs are {found}. What "
                "follows holds for uniform pairs only"
            )
        return np.full(len(votes), even)
    if votes.chance is None:
        remedy = (
            'Say pairs="uniform" if every pair was equally likely in every vote, whatever came '
            "before; from_duels makes votes with chances from the duels of a learner"
        )
        raise checks.refuse("votes.chance", "known", checks.Shown("None"), remedy)
    return votes.chance


def _demand_even(votes: Votes, even: float) -> None:
    """Refuse logged chances that are not those of uniform pairs."""
    if votes.chance is None or np.allclose(votes.chance, even, rtol=ALIKE, atol=0):
        return
    found = checks.Shown(
        f"chances from {votes.chance.min():.3g} to {votes.chance.max():.3g} instead of {even:.3g}"
    )
    remedy = (
        'borda and evaluate take logged chances: pairs="logged"; a learner can be replayed on '
        "uniform pairs only"
    )
    raise checks.refuse("votes", "on uniform pairs", found, remedy)


def demand_plain(votes: Any) -> None:
    """Refuse what is not `Votes`, has no votes, or has votes of different weights."""
    if not isinstance(votes, Votes):
        raise checks.refuse("votes", "a sparring.votes.Votes", votes)
    if len(votes) == 0:
        raise checks.refuse("votes", "at least one", checks.Shown("none"))
    if votes.K < 2:
        raise checks.refuse("votes.names", "two arms or more", votes.names)
    if votes.weight is not None:
        remedy = "dataclasses.replace(votes, weight=None) counts all the same"
        raise checks.refuse("votes.weight", "None here", checks.Shown("weights"), remedy)


def _tail(statistic: float, freedom: int) -> float:
    """The chance of a larger chi-square, by Wilson and Hilferty's cube root."""
    if freedom == 0:
        return 1.0
    spread = 2 / (9 * freedom)
    z = ((statistic / freedom) ** (1 / 3) - 1 + spread) / math.sqrt(spread)
    return math.erfc(z / math.sqrt(2)) / 2


# --- Scores --------------------------------------------------------------------------------------

SHORTEST = 32  # votes in a window; with fewer no interval says anything


@dataclass(frozen=True, eq=False)
class BordaWindow:
    """The scores over all votes from one vote to the last."""

    names: tuple[str, ...]
    start: int
    """How many votes came before it."""
    votes: int
    """How many it has."""
    estimate: Floats
    """(K,): estimates of each arm's mean score; NaN if nothing is known."""
    lower: Floats
    """(K,)."""
    upper: Floats
    """(K,)."""

    @property
    def above(self) -> NDArray[np.bool_]:
        """(K, K): whether the score of the row's arm is certainly above the column's."""
        return self.lower[:, None] > self.upper[None, :]

    def __str__(self) -> str:
        order = np.argsort(-np.nan_to_num(self.estimate, nan=0.5), kind="stable")
        above, width = self.above, max(map(len, self.names))
        lines = [f"the last {self.votes:,} votes"]
        for i in order:
            beats = int(above[i].sum())
            certain = f", certainly above {beats} of {len(self.names) - 1}" if beats else ""
            lines.append(
                f"  {self.names[i]:<{width}}  {self.estimate[i]:.3f} "
                f"({self.lower[i]:.3f} to {self.upper[i]:.3f}){certain}"
            )
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class BordaScores:
    """What `borda` found: a window for each length, the longest first."""

    delta: float
    pairs: str
    windows: tuple[BordaWindow, ...]

    def __str__(self) -> str:
        heads = f"Borda scores; all intervals hold together with probability {1 - self.delta:g}"
        if self.pairs == "uniform":
            heads += ", if pairs were uniform"
        return "\n".join([heads, *map(str, self.windows)])

    def to_json(self) -> dict[str, Any]:
        """The scores as a dictionary for `json.dumps`."""
        windows = [
            {
                "start": window.start,
                "votes": window.votes,
                "arms": [
                    {"arm": name, "estimate": None if e != e else e, "lower": low, "upper": high}
                    for name, e, low, high in zip(
                        window.names,
                        window.estimate.tolist(),
                        window.lower.tolist(),
                        window.upper.tolist(),
                        strict=True,
                    )
                ],
                "above": [[window.names[i], window.names[j]] for i, j in np.argwhere(window.above)],
            }
            for window in self.windows
        ]
        return {"delta": self.delta, "pairs": self.pairs, "windows": windows}

    def to_table(self) -> Any:
        """A polars table with one row for each window and arm."""
        polars = extras.demand("polars", "a table")
        rows = [
            {"start": window["start"], "votes": window["votes"], **arm}
            for window in self.to_json()["windows"]
            for arm in window["arms"]
        ]
        return polars.DataFrame(rows)


def borda(votes: Votes, *, delta: float = 0.05, pairs: Pairs = "logged") -> BordaScores:
    """Borda scores of the latest votes, without a model, with intervals that hold at all times.

    The score of arm i at vote t is b_t(i), the mean over the other arms j of P_t(i, j). A window
    has all votes from one vote to the last. For several windows, this estimates the mean of b_t(i)
    over the window, however it drifted.

    Let `chance` be the chance of the pair shown, given the past. Let x_t(i) = s / ((K - 1) chance)
    if i was shown and scored s, and 0 if not: it has the mean b_t(i). Let y_t(i) be the same with
    the opponent's score: it has the mean 1 - b_t(i). Neither is negative, so each has a `floor`,
    however large it may be, and

        floor of the mean of x(i)  <=  mean of b(i)  <=  1 - floor of the mean of y(i).

    If some pairs had no chance, x and y have smaller means, and the interval still holds. The
    estimate, 1/2 + mean of (x - y) / 2, is unbiased if all pairs had a chance; it is moved into the
    interval if outside. If pairs were uniform, only the votes on i count. Their scores are in [0,
    1] and have the mean b_t(i), so the interval is mostly narrower, and the mean is over the votes
    on i.

    **Guarantee.** With probability 1 - delta all intervals hold, for all arms and windows, however
    often you look. A window of level k = 0, 1, ... begins after m 32 2^k votes, m a whole number,
    so that only what comes after its beginning counts. The window with m = 0, all votes, may fail
    with probability delta / 2, and a later one with delta / (2 (k + 1) (k + 2) m (m + 1)). The sum
    over all k and m is delta; each is divided by 2 K, for the two sides of each arm. At each level,
    the window shown is the one whose length is at least 32 2^k and below twice that.

    Parameters
    ----------
    votes
        The votes, all of equal weight.
    delta
        The probability that any of the intervals is ever wrong.
    pairs
        "logged": each vote has its `chance`. "uniform": you state that in every vote all pairs had
        the same chance, whatever came before. You get a warning if that is clearly false.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first, shift = rng.integers(0, 3, 2000), rng.integers(1, 3, 2000)
    >>> second = (first + shift) % 3
    >>> won = rng.random(2000) < np.where(first < second, 0.8, 0.2)  # arm 0 before 1 before 2
    >>> votes = Votes(("tea", "coffee", "water"), first, second, won.astype(float))
    >>> print(borda(votes, pairs="uniform").windows[0])
    the last 2,000 votes
      tea     0.798 (0.749 to 0.847), certainly above 2 of 2
      coffee  0.492 (0.430 to 0.555), certainly above 1 of 2
      water   0.208 (0.158 to 0.258)
    """
    delta = demand_delta(delta)
    chance = pair_chances(votes, pairs)
    n, found = len(votes), []
    for start, share in _starts(n):
        level = delta * share / (2 * votes.K)
        look = _by_scores if pairs == "uniform" else _by_weights
        estimate, lower, upper = look(votes, chance, start, level)
        found.append(BordaWindow(votes.names, start, n - start, estimate, lower, upper))
    return BordaScores(delta, pairs, tuple(found))


def demand_delta(delta: float) -> float:
    """Delta, checked."""
    found = checks.real("delta", delta, low=0, high=1)
    if not 0 < found < 1:
        raise checks.refuse("delta", "above 0 and below 1", delta)
    return found


def _starts(n: int) -> list[tuple[int, float]]:
    """Where windows of n votes begin, and their shares of delta, the longest first."""
    found, level = [(0, 0.5)], 0
    while n // (SHORTEST << level) >= 2:
        m = n // (SHORTEST << level) - 1
        found.append((m * (SHORTEST << level), 0.5 / ((level + 1) * (level + 2) * m * (m + 1))))
        level += 1
    return found[:1] + found[:0:-1]


def _by_weights(
    votes: Votes, chance: Floats, start: int, delta: float
) -> tuple[Floats, Floats, Floats]:
    """Estimate, lower and upper ends of each arm from importance weights, with delta a side."""
    first, second, score = votes.first[start:], votes.second[start:], votes.outcome[start:]
    weight = 1 / (chance[start:] * (votes.K - 1))
    estimate, lower, upper = (np.empty(votes.K) for _ in range(3))
    for i in range(votes.K):
        is_first, is_second = first == i, second == i
        x = weight * (is_first * score + is_second * (1 - score))
        y = weight * (is_first * (1 - score) + is_second * score)
        lower[i], upper[i] = floor(x, delta), 1 - floor(y, delta)
        estimate[i] = 0.5 + (x - y).mean() / 2
    return _inside(estimate, lower, upper)


def _by_scores(
    votes: Votes, chance: Floats, start: int, delta: float
) -> tuple[Floats, Floats, Floats]:
    """The same from the votes on each arm alone, when opponents were uniform."""
    first, second, score = votes.first[start:], votes.second[start:], votes.outcome[start:]
    estimate, lower, upper = (np.empty(votes.K) for _ in range(3))
    for i in range(votes.K):
        shown = (first == i) | (second == i)
        x = np.where(first[shown] == i, score[shown], 1 - score[shown])
        lower[i], upper[i] = floor(x, delta), 1 - floor(1 - x, delta)
        estimate[i] = x.mean() if len(x) else np.nan
    return _inside(estimate, lower, upper)


def _inside(estimate: Floats, lower: Floats, upper: Floats) -> tuple[Floats, Floats, Floats]:
    """The estimate, moved into its interval. If the ends cross, one is wrong; they are left so."""
    return np.maximum(np.minimum(estimate, upper), lower), lower, upper
