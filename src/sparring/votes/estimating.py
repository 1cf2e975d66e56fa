"""Estimates of a policy's value: importance weighting, self-normalised and doubly robust."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import extras
from sparring.votes.floors import floor
from sparring.votes.policies import Target
from sparring.votes.values import Votes

LEAST_EFFECTIVE = 30.0  # votes; with fewer the normal law is far
MOST_UNSEEN = 0.05  # of what the policy needs, in pairs that were never shown
LEAST_WEIGHT = 0.5  # of the weight there should be; below, most of it is in votes that never came
REFITS = 64  # of the model, at least
CELLS = 1 << 22  # votes times arms to hold at a time

Floats = NDArray[np.float64]
Model = Callable[[Votes], Floats]


class PolicyEstimate(NamedTuple):
    """One estimate of the value, and its interval."""

    name: str
    value: float
    lower: float
    upper: float
    says: str
    """What kind of interval it is."""


@dataclass(frozen=True)
class Evaluation:
    """What `evaluate` found."""

    policy: str
    reference: str
    votes: int
    delta: float
    estimates: tuple[PolicyEstimate, ...]
    """Importance weighting, self-normalised, doubly robust."""
    effective: float
    """How many votes of equal weight would say as much."""
    weight: float
    """The mean weight divided by what it should be: near 1 if every needed pair had a chance."""
    unseen: float
    """The part of what the policy needs that lies in pairs never shown."""

    @property
    def value(self) -> float:
        """The self-normalised estimate, the most reliable of the three."""
        return self.estimates[1].value

    def __str__(self) -> str:
        lines = [f"{self.policy}, against {self.reference}: wins with probability"]
        lines += [
            f"  {e.value:.3f} ({e.lower:.3f} to {e.upper:.3f})  {e.name}; {e.says}"
            for e in self.estimates
        ]
        lines.append(
            f"from {self.votes:,} votes, worth {self.effective:,.0f} of equal weight; intervals "
            f"of {1 - self.delta:.0%}; the mean weight is {self.weight:.2f} of what it has to be"
        )
        if self.unseen:
            lines.append(f"pairs that were never shown are {self.unseen:.1%} of what it needs")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The evaluation as a dictionary for `json.dumps`."""
        return {**self.__dict__, "estimates": [e._asdict() for e in self.estimates]}

    def to_table(self) -> Any:
        """A polars table with one row for each estimate."""
        polars = extras.demand("polars", "a table")
        return polars.DataFrame([e._asdict() for e in self.estimates])


class Terms(NamedTuple):
    """What each vote adds, (n,) each."""

    won: Floats
    """The policy's arm won, over the chance of the pair."""
    lost: Floats
    """The reference's arm won, likewise."""
    tied: Floats
    """How likely both would have shown the same arm."""
    expected: Floats
    """The value by the model of earlier votes."""
    correction: Floats
    """What the vote says beyond that, over the chance of the pair."""


def estimate(
    votes: Votes,
    chance: Floats,
    target: Target,
    delta: float,
    model: Model,
    called: str,
    against: str,
) -> Evaluation:
    """The evaluation of a target, or a refusal."""
    terms, unseen = _terms(votes, chance, target, model)
    weight = terms.won + terms.lost
    needed = float((1 - terms.tied).sum())
    total = float(weight.sum())
    effective = total**2 / float(weight @ weight) if total else 0.0
    share = total / needed if needed else 1.0
    if needed:
        _demand_overlap(called, unseen, share, effective)
    return Evaluation(
        policy=called,
        reference=against,
        votes=len(votes),
        delta=delta,
        estimates=_estimates(terms, delta),
        effective=effective,
        weight=share,
        unseen=unseen,
    )


def pair_shares(votes: Votes) -> Floats:
    """(K, K): how often each arm recently beat each other, with one win and one loss added.

    A vote counts exp(-age / m), where m = 25 K (K - 1) votes: fifty for each pair.

    Examples
    --------
    >>> pair_shares(Votes(("a", "b"), [0, 0], [1, 1], [1, 1])).round(2)
    array([[0.5 , 0.75],
           [0.25, 0.5 ]])
    """
    age = np.arange(len(votes), 0, -1)
    fresh = np.exp(-age / (25 * votes.K * (votes.K - 1)))
    wins = votes.sums(fresh * votes.outcome) + votes.sums(fresh * (1 - votes.outcome)).T
    return np.asarray((wins + 1) / (wins + wins.T + 2))


def _terms(votes: Votes, chance: Floats, target: Target, model: Model) -> tuple[Terms, float]:
    """What each vote adds, and which part of what is needed lies in pairs never shown."""
    n, K = len(votes), votes.K
    parts: list[tuple[Floats, ...]] = []
    need = np.zeros((K, K))
    for start, stop in _blocks(n, K):
        a, b, s = (x[start:stop] for x in (votes.first, votes.second, votes.outcome))
        pi, rho, tied = target.duels(start, stop)
        at = np.arange(stop - start)
        pi, rho = (np.broadcast_to(x, (stop - start, K)) for x in (pi, rho))
        forth = pi[at, a] * rho[at, b] / chance[start:stop]
        back = pi[at, b] * rho[at, a] / chance[start:stop]
        Q = np.array(model(votes[:start]))
        np.fill_diagonal(Q, 0.0 if target.reference is None else 0.5)
        expected = ((pi @ Q) * rho).sum(axis=1)  # Q(i, i) is a tie, or no duel at all
        parts.append(
            (
                forth * s + back * (1 - s),
                forth * (1 - s) + back * s,
                np.broadcast_to(tied, at.shape),
                expected,
                (forth - back) * (s - Q[a, b]),
            )
        )
        need += pi.T @ rho
    np.fill_diagonal(need, 0.0)
    met = votes.counts > 0
    unseen = float(need[~met].sum() / need.sum()) if need.any() else 0.0
    return Terms(*(np.concatenate(column) for column in zip(*parts, strict=True))), unseen


def _blocks(n: int, K: int) -> Iterator[tuple[int, int]]:
    """Stretches between refits of the model, short at first, then a 64th of the votes each."""
    start, longest = 0, min(max(16, n // REFITS), max(1, CELLS // K))
    while start < n:
        stop = min(n, start + min(longest, max(16, start // 8)))
        yield start, stop
        start = stop


def _estimates(terms: Terms, delta: float) -> tuple[PolicyEstimate, ...]:
    ties = float(terms.tied.mean())
    plain = float(terms.won.mean()) + ties / 2
    low = ties / 2 + floor(terms.won, delta / 2)
    high = 1 - ties / 2 - floor(terms.lost, delta / 2)
    surely = PolicyEstimate("importance weighting", plain, low, high, "finite-sample, at all times")
    z = NormalDist().inv_cdf(1 - delta / 2)
    weight, needed = terms.won + terms.lost, float((1 - terms.tied).sum())
    share, error = _ratio(terms.won, weight, needed)
    balanced = ties / 2 + (1 - ties) * share
    of_balanced = z * (1 - ties) * error
    share, error = _ratio(terms.correction, weight, needed)
    robust = float(terms.expected.mean()) + (1 - ties) * share
    return (
        surely,
        _within("self-normalised", balanced, of_balanced, surely),
        _within("doubly robust", robust, z * (1 - ties) * error, surely),
    )


def _ratio(above: Floats, weight: Floats, needed: float) -> tuple[float, float]:
    """The sum of some terms divided by the sum of the weights, and its standard error.

    A vote's residual is divided by the weight of all others, as in the jackknife: a heavy vote
    pulls the ratio towards itself and would seem to say more than it does. Heavy votes are rare, so
    some needed weight may be missing; it counts as one more vote. Otherwise the votes that are
    there would seem to agree just because the heavy ones are missing.
    """
    total = float(weight.sum())
    if total == 0:
        return 0.0, 0.0
    ratio = float(above.sum()) / total
    residual = above - ratio * weight
    wrong = residual / np.maximum(total - weight, 1e-9 * total)
    heavy = weight > 0
    usual = float((residual[heavy] ** 2 / weight[heavy]).sum()) / total  # of a vote of weight 1
    missing = max(0.0, needed - total) / total
    return ratio, math.sqrt(float(wrong @ wrong) + usual * missing**2)


def _within(name: str, middle: float, half: float, surely: PolicyEstimate) -> PolicyEstimate:
    """The normal interval, or the finite-sample interval if that is narrower."""
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    if high - low > surely.upper - surely.lower:
        says = f"{surely.says}: too few votes of like weights for a normal interval"
        low, high = surely.lower, surely.upper
        return PolicyEstimate(name, min(max(middle, low), high), low, high, says)
    says = "normal interval, for many votes of like weights"
    return PolicyEstimate(name, middle, low, high, says)


def _demand_overlap(called: str, unseen: float, share: float, effective: float) -> None:
    """Refuse if the votes say next to nothing about the policy."""
    what = ""
    if unseen > MOST_UNSEEN:
        what = f"{unseen:.1%} of what it needs is in pairs that were never shown"
    elif share < LEAST_WEIGHT:
        what = (
            f"the mean weight is {share:.2f} of what it has to be, so pairs that it needs had "
            "next to no chance, most of the time"
        )
    elif effective < LEAST_EFFECTIVE:
        what = (
            f"the votes are worth {effective:.1f} of equal weight, fewer than {LEAST_EFFECTIVE:g}"
        )
    if what:
        raise ValueError(
            f"policy must overlap with the votes; of {called}, {what}. Take a policy closer to the "
            "one that was logged, or log one that gives every pair a chance"
        )
