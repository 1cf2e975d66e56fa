"""Plans: how many more votes tell the first two arms apart."""

import math
from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparring import checks, extras, streams
from sparring.votes.borda_scores import demand_delta
from sparring.votes.data import Votes
from sparring.votes.standings import Standings, standings

Floats = NDArray[np.float64]

MOST = 10**9  # votes; who needs more will not get them
STEPS = 30  # of Newton's
SIMULATED = 200  # arms, as each run has a matrix of pairs
RIDGE = 1e-3  # keeps strengths finite where an arm won all its votes


def votes_needed(
    gap: float, variance: float, votes: float, *, delta: float = 0.05, power: float = 0.8
) -> float:
    """How many votes in all make an interval of 1 - delta exclude 0, with probability `power`.

    If the estimate of the gap is normal and its variance falls like v / n,

        n = v (z(1 - delta / 2) + z(power))^2 / gap^2,         v = variance * votes.

    Parameters
    ----------
    gap
        The difference, in the unit of the estimate.
    variance
        Variance of the estimate of the difference so far.
    votes
        The number of votes behind that estimate, of equal weight; with a memory the effective
        number.
    delta
        How often the interval may miss.
    power
        With what probability the two should be told apart.

    Returns
    -------
    The number of votes, infinite if there is no gap.

    Examples
    --------
    >>> round(votes_needed(0.2, variance=0.01, votes=1000))
    1962
    """
    gap = checks.real("gap", gap, low=-math.inf, high=math.inf)
    variance = checks.real("variance", variance, low=0, high=math.inf)
    votes = checks.real("votes", votes, low=0, high=math.inf)
    delta, power = demand_delta(delta), _power(power)
    if gap == 0:
        return math.inf
    return variance * votes * (_z(1 - delta / 2) + _z(power)) ** 2 / gap**2


@dataclass(frozen=True)
class VotePlan:
    """What `plan_for` found: votes in all, of which `votes` are there."""

    leader: str
    second: str
    gap: float
    """The gap between their strengths, in log odds."""
    error: float
    """Its standard error so far."""
    delta: float
    power: float
    votes: float
    formula: float
    """Votes in all on pairs in the shares so far, by the formula."""
    formula_low: float
    """The same if the gap is larger by its standard error,"""
    formula_high: float
    """and smaller by it."""
    simulated: float
    """The same as `formula` by simulation of the fitted world."""
    alone: float
    """New votes needed on just these two, without counting the present ones, by simulation."""

    @property
    def told_apart(self) -> bool:
        """Whether these two, taken alone, can be told apart already."""
        return abs(self.gap) > _z(1 - self.delta / 2) * self.error

    @property
    def more(self) -> float:
        """Votes still missing, by the formula or by simulation; 0 if they are told apart already.

        The formula includes the drift in the error, the simulation how few votes behave. The larger
        number counts.
        """
        if self.told_apart:
            return 0.0
        return max(1.0, max(self.simulated, self.formula) - self.votes)

    def __str__(self) -> str:
        head = (
            f"{self.leader} leads {self.second} by {self.gap:.3f} (standard error {self.error:.3f})"
        )
        if self.told_apart:
            return f"{head}: they are told apart already, at delta = {self.delta:g}"
        wanted = f"at delta = {self.delta:g} with probability {self.power:g}"
        in_all = f"{_count(self.simulated)} in all by simulation, {_count(self.formula)} by formula"
        return (
            f"{head}. To tell them apart {wanted}, if the gap is what it seems:\n"
            f"  {_count(self.more)} more votes with the pairs shown as so far ({in_all}; "
            f"{_count(self.formula_low)} to {_count(self.formula_high)} for a gap one standard "
            "error larger or smaller)\n"
            f"  {_count(self.alone)} new votes if only these two are shown"
        )

    def to_json(self) -> dict[str, Any]:
        """The plan as a dictionary for `json.dumps`; what is infinite is None."""
        fields = {**asdict(self), "more": self.more}
        return {
            name: None if isinstance(value, float) and math.isinf(value) else value
            for name, value in fields.items()
        }

    def to_table(self) -> Any:
        """A polars table of one row."""
        polars = extras.demand("polars", "a table")
        return polars.DataFrame([self.to_json()])


def plan(
    votes: Votes,
    now: Standings | None = None,
    *,
    delta: float = 0.05,
    power: float = 0.8,
    runs: int = 2000,
    seed: int = 0,
) -> VotePlan:
    """How many more votes tell the first two arms apart, by a formula and by simulation.

    The numbers are for strengths that stand still from now on. The votes so far count as many as
    would make the gap as sure as it is, if nothing had ever moved.

    Parameters
    ----------
    votes
        The votes so far; further pairs are taken to come in the same shares.
    now
        Their standings, if you have them already.
    delta, power, runs, seed
        As for `sparring.votes.plans.plan_for`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=100)
    >>> outcome = np.where(first == 0, rng.random(100) < 0.52, rng.random(100) < 0.48)
    >>> plan(Votes(("tea", "coffee"), first, 1 - first, outcome), runs=100).more > 100
    True
    """
    found = standings(votes) if now is None else now
    here = np.flatnonzero(found.histories.here)
    pairs = np.ix_(here, here)
    met, strengths, covariance = votes.counts[pairs], found.strengths[here], found.covariance[pairs]
    first, second = np.argsort(-strengths, kind="stable")[:2].tolist()
    direction = np.zeros(len(here))
    direction[first], direction[second] = 1.0, -1.0
    p = 1 / (1 + np.exp(strengths[None] - strengths[:, None]))
    told = met / met.sum() * p * (1 - p)  # each pair is there twice: half of it, twice
    information = np.diag(2 * told.sum(axis=1)) - 2 * told
    alone = direction @ np.linalg.pinv(information, hermitian=True) @ direction
    return plan_for(
        strengths,
        covariance,
        shares=met,
        votes=min(float(alone / (direction @ covariance @ direction)), float(met.sum() / 2)),
        names=tuple(votes.names[arm] for arm in here),
        delta=delta,
        power=power,
        runs=runs,
        seed=seed,
    )


def plan_for(
    strengths: ArrayLike,
    covariance: ArrayLike,
    *,
    shares: ArrayLike,
    votes: float,
    names: tuple[str, ...] | None = None,
    delta: float = 0.05,
    power: float = 0.8,
    runs: int = 2000,
    seed: int = 0,
) -> VotePlan:
    """How many votes tell the leader from the second, by a formula and by simulation.

    The world is taken to be what was fitted, P(i, j) = 1 / (1 + exp(strength(j) - strength(i))),
    and to stand still. A leader's gap tends to be estimated too large, and then more votes are
    needed: `formula_high` says how many for a gap one standard error smaller.

    Parameters
    ----------
    strengths
        (K,): Bradley-Terry strengths.
    covariance
        (K, K): the covariance of the strengths.
    shares
        (K, K): how often each pair is shown, in any units: `Votes.counts` will do.
    votes
        The number of votes, of equal weight, behind the covariance.
    names
        Names of the arms; numbers if None.
    delta
        How often an interval may miss. Told apart means that an interval of 1 - delta excludes 0.
    power
        With what probability they should be told apart.
    runs
        Simulations for each number of votes tried; with 0, only the formula is used.
    seed
        Seed of the simulations.

    Examples
    --------
    >>> shares = np.ones((3, 3)) - np.eye(3)
    >>> found = plan_for([0.4, 0.1, -0.5], 0.02 * np.eye(3), shares=shares, votes=300)
    >>> found.leader, found.second, round(found.formula)
    ('0', '1', 1047)
    """
    theta = checks.array("strengths", strengths, np.float64, (None,))
    K = len(theta)
    if K < 2:
        raise checks.refuse("strengths", "of two arms or more", theta)
    spread = checks.array("covariance", covariance, np.float64, (K, K))
    pairs = checks.array("shares", shares, np.float64, (K, K))
    pairs = np.triu(pairs + pairs.T, 1)
    if not (np.isfinite(pairs).all() and (pairs >= 0).all() and pairs.sum() > 0):
        raise checks.refuse("shares", "at least 0, and not all 0", shares)
    delta, power = demand_delta(delta), _power(power)
    runs = checks.whole("runs", runs, low=0)
    if runs and K > SIMULATED:
        remedy = "runs=0 takes the formula alone"
        raise checks.refuse("strengths", f"of at most {SIMULATED} arms to simulate", K, remedy)
    leader, second = (int(arm) for arm in np.argsort(-theta, kind="stable")[:2])
    gap = float(theta[leader] - theta[second])
    variance = float(spread[leader, leader] + spread[second, second] - 2 * spread[leader, second])
    if not variance > 0:
        raise checks.refuse("covariance", "of a difference that is not sure", variance)
    error = math.sqrt(variance)

    def by_formula(difference: float) -> float:
        if difference <= 0:
            return math.inf
        return votes_needed(difference, variance, votes, delta=delta, power=power)

    two = np.zeros((K, K))
    two[min(leader, second), max(leader, second)] = 1
    rng = streams.generator(seed)
    if runs:
        tried = [
            _simulated(theta, how / how.sum(), leader, second, delta, power, runs, rng)
            for how in (pairs, two)
        ]
    else:  # a vote on just these two has the information p (1 - p)
        p = 1 / (1 + math.exp(-gap))
        alone = votes_needed(gap, 1 / (p * (1 - p)), 1, delta=delta, power=power)
        tried = [by_formula(gap), alone]
    called = [str(arm) for arm in range(K)] if names is None else list(names)
    return VotePlan(
        leader=called[leader],
        second=called[second],
        gap=gap,
        error=error,
        delta=delta,
        power=power,
        votes=float(votes),
        formula=by_formula(gap),
        formula_low=by_formula(gap + error),
        formula_high=by_formula(gap - error),
        simulated=tried[0],
        alone=tried[1],
    )


def _simulated(
    theta: Floats,
    pairs: Floats,
    leader: int,
    second: int,
    delta: float,
    power: float,
    runs: int,
    rng: np.random.Generator,
) -> float:
    """The least number of votes that suffices in `power` of the runs, within some per cent.

    First the number is doubled until it suffices, then the interval is halved on a log scale.
    """
    if theta[leader] == theta[second]:
        return math.inf

    def enough(n: int) -> bool:
        told = _told_apart(theta, pairs, leader, second, delta, n, runs, rng)
        return float(told.mean()) >= power

    low, high = 1, 16
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST:
            return math.inf
    while high > 1.05 * low + 1:
        middle = round(math.sqrt(low * high))
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float(high)


def _told_apart(
    theta: Floats,
    pairs: Floats,
    leader: int,
    second: int,
    delta: float,
    n: int,
    runs: int,
    rng: np.random.Generator,
) -> NDArray[np.bool_]:
    """(runs,): whether n votes put the leader above the second, their interval excluding 0."""
    i, j = np.nonzero(pairs)
    met = rng.multinomial(n, pairs[i, j] / pairs[i, j].sum(), size=runs)
    won = rng.binomial(met, 1 / (1 + np.exp(theta[j] - theta[i])))
    K = len(theta)
    wins = np.zeros((runs, K, K))
    wins[:, i, j], wins[:, j, i] = won, met - won
    strengths, spread = fit(wins)
    variance = spread[:, leader, leader] + spread[:, second, second] - 2 * spread[:, leader, second]
    gap = strengths[:, leader] - strengths[:, second]
    return np.asarray(gap > _z(1 - delta / 2) * np.sqrt(variance))


# Not `fitting.fit`: that takes votes with their times and sides, one set at a time. A plan fits
# a few thousand simulated tables, here all in one call of NumPy, and wants hardly any prior.
def fit(wins: Floats) -> tuple[Floats, Floats]:
    """Bradley-Terry strengths of many (K, K) tables of wins at once, and their covariances."""
    met = wins + np.swapaxes(wins, 1, 2)
    K = wins.shape[1]
    theta = np.zeros(wins.shape[:2])
    for _ in range(STEPS):
        P = 1 / (1 + np.exp(theta[:, None, :] - theta[:, :, None]))
        slope = (wins - met * P).sum(axis=2) - RIDGE * theta
        curve = met * P * (1 - P)
        H = -curve
        H[:, range(K), range(K)] += curve.sum(axis=2) + RIDGE
        # Twice too far is possible only where an arm won all: there a step is kept to 2.
        step = np.clip(np.linalg.solve(H, slope[:, :, None])[:, :, 0], -2, 2)
        theta = theta + step
        if np.abs(step).max() < 1e-8:
            break
    return np.asarray(theta), np.asarray(np.linalg.inv(H), np.float64)


def _power(power: float) -> float:
    found = checks.real("power", power, low=0, high=1)
    if not 0 < found < 1:
        raise checks.refuse("power", "above 0 and below 1", power)
    return found


def _z(chance: float) -> float:
    return NormalDist().inv_cdf(chance)


def _count(number: float) -> str:
    return "infinitely many" if math.isinf(number) else f"{number:,.0f}"
