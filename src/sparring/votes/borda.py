"""Borda scores of the latest votes, without a model, with intervals that hold at all times."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks, extras
from sparring.votes.floors import floor
from sparring.votes.uniform import Pairs, pair_chances
from sparring.votes.values import Votes

SHORTEST = 32  # votes in a window; with fewer no interval says anything

Floats = NDArray[np.float64]


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
