"""What if: how often a policy would have won, from votes on pairs that another one chose."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks, extras, streams
from sparring.learners import LEARNERS
from sparring.problem import Problem
from sparring.votes.borda_scores import Pairs, demand_delta, floor, pair_chances
from sparring.votes.data import Votes

TOLERANCE = 1e-6  # of the sum of a distribution

Floats = NDArray[np.float64]

Chooser = Callable[[int, int], Floats]
"""The distributions for votes start to stop, from 0: (stop - start, K), or (1, K) for all alike."""


class Target(NamedTuple):
    """What is estimated: how often an arm of the policy beats one of the reference."""

    policy: Chooser
    reference: Chooser | None
    """None: any arm other than the policy's, with equal chances."""
    K: int

    def duels(self, start: int, stop: int) -> tuple[Floats, Floats, Floats]:
        """The policy, the reference, and how likely they show the same arm, for some votes.

        If the reference is None, the second is 1 / (K - 1), and no arm meets itself.
        """
        pi = self.policy(start, stop)
        if self.reference is None:
            return pi, np.full((1, self.K), 1 / (self.K - 1)), np.zeros(1)
        rho = self.reference(start, stop)
        return pi, rho, np.asarray((pi * rho).sum(axis=1))


def chooser(name: str, given: Any, names: tuple[str, ...], n: int) -> tuple[Chooser, str]:
    """A policy or reference as given by the user, and what to call it.

    An arm's name, a dictionary of names and probabilities, a function of the vote's number, from
    1, that gives a dictionary or K probabilities, or these as an array, (K,) or (n, K).
    """
    K = len(names)
    if isinstance(given, str):
        if given not in names:
            raise checks.unknown(name, given, names)
        return constant(np.eye(K)[names.index(given)]), f"always {given}"
    if isinstance(given, Mapping):
        return constant(_distribution(name, given, names)), "a mixture"
    if callable(given):
        return _by_number(name, given, names), getattr(given, "__name__", "a function")
    array = checks.array(name, given, np.float64, (None,) * np.ndim(given))
    if array.shape == (K,):
        return constant(_distribution(name, array, names)), "a mixture"
    if array.shape != (n, K):
        remedy = f"An array has shape ({K},) or ({n}, {K})"
        raise checks.refuse(
            name, "a distribution over the arms", checks.Shown(f"{array.shape}"), remedy
        )
    good = (array >= 0).all(axis=1) & (np.abs(array.sum(axis=1) - 1) <= TOLERANCE)
    if not good.all():
        at = int(np.argmin(good))
        shown = checks.Shown(f"{array[at]} in vote {at + 1:,}")
        raise checks.refuse(name, "probabilities that sum to 1", shown)
    return (lambda start, stop: array[start:stop]), "an array"


def opponents(given: Any, names: tuple[str, ...], n: int) -> tuple[Chooser | None, str]:
    """A reference as given by the user, None for "others", and what to call it."""
    if isinstance(given, str) and given == "others":
        return None, "any other arm"
    return chooser("reference", given, names, n)


def constant(p: Floats) -> Chooser:
    """The same distribution in every vote."""
    row = p[None]
    return lambda start, stop: row


def _by_number(name: str, given: Callable[[int], Any], names: tuple[str, ...]) -> Chooser:
    def choose(start: int, stop: int) -> Floats:
        return np.array([_distribution(name, given(t), names) for t in range(start + 1, stop + 1)])

    return choose


def _distribution(name: str, given: Any, names: tuple[str, ...]) -> Floats:
    """(K,): a distribution, checked."""
    if isinstance(given, Mapping):
        p = np.zeros(len(names))
        for arm, chance in given.items():
            if arm not in names:
                raise checks.unknown(f"{name}, an arm", arm, names)
            p[names.index(arm)] = chance
    else:
        p = checks.array(name, given, np.float64, (len(names),))
    if not ((p >= 0).all() and abs(p.sum() - 1) <= TOLERANCE):
        raise checks.refuse(name, "probabilities that sum to 1", given)
    return p


# --- Estimates -----------------------------------------------------------------------------------

LEAST_EFFECTIVE = 30.0  # votes; with fewer the normal law is far
MOST_UNSEEN = 0.05  # of what the policy needs, in pairs that were never shown
LEAST_WEIGHT = 0.5  # of the weight there should be; below, most of it is in votes that never came
REFITS = 64  # of the model, at least
CELLS = 1 << 22  # votes times arms to hold at a time

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


# --- Of a policy ---------------------------------------------------------------------------------


def evaluate(
    votes: Votes,
    policy: Any,
    *,
    reference: Any = "others",
    pairs: Pairs = "logged",
    delta: float = 0.05,
    model: Model | None = None,
) -> Evaluation:
    """How often a policy would have won, from votes on pairs that another one chose.

    If at vote t the policy shows i with probability pi_t(i), and the reference j with rho_t(j), the
    value is the mean over the votes of sum over i, j of pi_t(i) rho_t(j) P_t(i, j), with
    P_t(i, i) = 1/2. For a vote on {a, b} in which a scored s, let

        won  = (pi(a) rho(b) s + pi(b) rho(a) (1 - s)) / chance,
        lost = (pi(a) rho(b) (1 - s) + pi(b) rho(a) s) / chance,     weight = won + lost,

    and d = sum of pi(i) rho(i), the probability that the two are the same arm. Given the past, won
    + d / 2 has the vote's value as its mean, if all pairs that are needed had a chance. The
    estimates are

    - importance weighting: mean of won + d / 2. Its interval is finite-sample and holds at all
      times: floors of won and of lost (see `floor`), also where some pairs had no chance.
    - self-normalised: mean of d / 2 + (1 - mean of d) sum of won / sum of weight.
    - doubly robust: with Q from a model of *earlier* votes alone, the mean of
      sum of pi(i) rho(j) Q(i, j), and of the correction
      (pi(a) rho(b) - pi(b) rho(a)) (s - Q(a, b)) / chance, normalised likewise. The sum of the two
      means is unbiased whatever Q is, and has less noise where Q is good.

    The intervals of the last two are normal, so they need many votes of similar weights. Missing
    weight widens them, and the first interval replaces them where it is narrower.
    docs/off-policy.md has how often they hold.

    Parameters
    ----------
    votes
        The votes, all of equal weight.
    policy
        The name of an arm, which it always shows; a dictionary of names and probabilities; a
        function of the vote's number, from 1, that returns a dictionary or K probabilities; or an
        array, (K,) or (n, K). For vote t it may depend on earlier votes, but not on this or later
        ones. With uniform pairs it may also be the name of a learner, which is then replayed (see
        `replay`).
    reference
        "others": any arm other than the one shown, with equal chances, so that an arm's value is
        its Borda score. Or the same kinds as `policy`; `shown_shares` gives that of the logged
        learner.
    pairs
        "logged" or "uniform", as for `borda`.
    delta
        How often each interval may miss.
    model
        A function of the votes so far that returns estimates of P, (K, K). If None, `pair_shares`.

    Raises
    ------
    ValueError
        If there is no overlap: more than 5% of what the policy needs lies in pairs that were never
        shown, the mean weight is below half of what it must be, or the votes are worth fewer than
        30 votes of equal weight.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(0, 3, 2000)
    >>> second = (first + rng.integers(1, 3, 2000)) % 3
    >>> won = rng.random(2000) < np.where(first < second, 0.8, 0.2)  # arm 0 before 1 before 2
    >>> votes = Votes(("tea", "coffee", "water"), first, second, won.astype(float))
    >>> found = evaluate(votes, {"tea": 0.5, "coffee": 0.5}, pairs="uniform")  # the truth is 0.65
    >>> [(e.name, round(e.value, 2)) for e in found.estimates]
    [('importance weighting', 0.65), ('self-normalised', 0.65), ('doubly robust', 0.65)]
    """
    delta = demand_delta(delta)
    if isinstance(policy, str) and policy in LEARNERS and policy not in votes.names:
        if pairs != "uniform":
            remedy = 'Such a log, said with pairs="uniform", can replay it'
            raise checks.refuse("policy", "a learner with uniform pairs only", policy, remedy)
        return replay(votes, policy, delta=delta, reference=reference, model=model).evaluation
    chance = pair_chances(votes, pairs)
    pi, called = chooser("policy", policy, votes.names, len(votes))
    rho, against = opponents(reference, votes.names, len(votes))
    target = Target(pi, rho, votes.K)
    return estimate(votes, chance, target, delta, model or pair_shares, called, against)


# --- Replay --------------------------------------------------------------------------------------

MOST_SELVES = 10_000  # self-duels in a row, after which nothing new will come


class History(NamedTuple):
    """What a learner did, one entry for each round."""

    rows: NDArray[np.int64]
    cols: NDArray[np.int64]
    outcomes: NDArray[np.float64]
    votes: NDArray[np.int64]
    """The number of the vote that answered, from 0; -1 for a self-duel."""


@dataclass(frozen=True, eq=False)
class Replay:
    """What `replay` found."""

    learner: Any
    """The learner at the end."""
    called: str
    names: tuple[str, ...]
    history: History
    expected: int
    """The expected number of rounds with two arms in such a log: votes / (K (K - 1) / 2)."""
    evaluation: Evaluation
    """How often the arms it asked for would have beaten the reference."""

    @property
    def played(self) -> int:
        """Rounds with two different arms, each answered by a vote."""
        return int((self.history.votes >= 0).sum())

    @property
    def selves(self) -> int:
        """Rounds in which an arm met itself; they took no vote."""
        return len(self.history.votes) - self.played

    @property
    def value(self) -> float:
        """How often one of the two arms it showed would have beaten the reference."""
        return self.evaluation.value

    def __str__(self) -> str:
        best = getattr(self.learner, "favourite", None)
        likes = "" if best is None else f"; in the end it likes {self.names[best]} best"
        return (
            f"{self.called} played {self.played:,} rounds (about {self.expected:,} were to be "
            f"expected) and {self.selves:,} of an arm with itself{likes}\n{self.evaluation}"
        )

    def to_json(self) -> dict[str, Any]:
        """The replay as a dictionary for `json.dumps`, its history included."""
        return {
            "learner": self.called,
            "played": self.played,
            "selves": self.selves,
            "expected": self.expected,
            "evaluation": self.evaluation.to_json(),
            "history": {name: column.tolist() for name, column in self.history._asdict().items()},
        }

    def to_table(self) -> Any:
        """A polars table with one row for each round."""
        polars = extras.demand("polars", "a table")
        return polars.DataFrame(self.history._asdict())


def replay(
    votes: Votes,
    learner: Any,
    *,
    rounds: int | None = None,
    reference: Any = "others",
    delta: float = 0.05,
    model: Model | None = None,
    seed: int = 0,
    **options: Any,
) -> Replay:
    """Let a learner play a log whose pairs were uniform.

    The next vote on the pair it asks for answers it; votes on other pairs are skipped (rejection,
    as in Li, Chu, Langford and Wang, 2011). An arm against itself is a tie and takes no vote.

    **Guarantee.** If in every vote all K (K - 1) / 2 pairs had the same chance, whatever came
    before, and P does not change, then the history up to any round has the same law as in service:
    which votes are skipped depends only on their pairs, so the answer is a fresh draw from P. The
    number of votes that a round takes has the same law whatever is asked, so the length of the log
    tells nothing either. If P drifts, each answer is from the time of its vote, but the learner
    meets K (K - 1) / 2 times as much drift a round as in service.

    The value is how often one of the two arms, taken at random, would have beaten the reference. It
    is an `Evaluation` of the policy that shows, at each vote of the log, the two arms waited for;
    so all votes count, also those that were skipped. Rounds of an arm with itself do not count.

    Parameters
    ----------
    votes
        Votes on uniform pairs. Refused if their logged chances say otherwise; you get a warning if
        they have none and the pairs clearly are not uniform.
    learner
        A new learner for as many arms, which is changed; or a name from `sparring.LEARNERS`; or
        module:function for your own, as for `sparring.Entrant`. A learner given by name is told T,
        the expected number of rounds.
    rounds
        After how many rounds with two arms to stop; refused if the log is too short. If None, at
        the end of the log.
    reference, delta, model
        As for `evaluate`.
    seed, options
        Seed and options of a learner given by name.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(0, 3, 3000)
    >>> second = (first + rng.integers(1, 3, 3000)) % 3
    >>> won = rng.random(3000) < np.where(first < second, 0.8, 0.2)  # arm 0 before 1 before 2
    >>> votes = Votes(("tea", "coffee", "water"), first, second, won.astype(float))
    >>> found = replay(votes, "tracker", seed=1, differ=True)
    >>> found.expected, found.learner.favourite
    (1000, 0)
    """
    delta = demand_delta(delta)
    chance = pair_chances(votes, "uniform")
    most = None if rounds is None else checks.whole("rounds", rounds, low=1)
    expected = max(1, round(len(votes) * float(chance[0])))
    called = learner if isinstance(learner, str) else type(learner).__name__
    player = _made(learner, votes.K, most or expected, seed, options)
    history, waited = _play(player, votes, most)
    if most is not None and (history.votes >= 0).sum() < most:
        remedy = f"The log has an answer for {(history.votes >= 0).sum():,}"
        raise checks.refuse("rounds", "as few as the log can answer", most, remedy)
    used = len(waited)
    if used == 0:
        raise ValueError(f"{called} asked for no two different arms in {MOST_SELVES:,} rounds")
    rho, against = opponents(reference, votes.names, len(votes))
    target = Target(lambda start, stop: _halves(waited[start:stop], votes.K), rho, votes.K)
    says = f"{called}, replayed"
    parts = votes[:used], chance[:used]
    found = estimate(*parts, target, delta, model or pair_shares, says, against)
    return Replay(player, called, votes.names, history, expected, found)


def _made(learner: Any, K: int, T: int, seed: int, options: dict[str, Any]) -> Any:
    """The learner, made if it is a name."""
    if not isinstance(learner, str):
        if getattr(learner, "K", None) != K:
            raise checks.refuse("learner", f"a learner for {K} arms", learner)
        return learner
    from sparring.simulation.entrants import Entrant  # which brings the whole simulation along

    if learner not in LEARNERS and ":" not in learner:
        raise checks.unknown("learner", learner, LEARNERS)
    return Entrant(learner, **options)(Problem(K, T), streams.generator(seed))


def _play(player: Any, votes: Votes, most: int | None) -> tuple[History, NDArray[np.int64]]:
    """The history, and for each vote gone through, (n, 2), the pair that was waited for."""
    K, n = votes.K, len(votes)
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    pair = low.astype(np.int64) * K + high
    order = np.argsort(pair, kind="stable")
    begins = np.searchsorted(pair[order], np.arange(K * K + 1))
    rounds: list[tuple[int, int, float, int]] = []
    waited = np.empty((n, 2), np.int64)
    here = played = selves = 0
    while (most is None or played < most) and selves < MOST_SELVES:
        duel = player.ask()
        row, col = int(duel.row), int(duel.col)
        if row == col:
            player.tell(duel, 0.5)
            rounds.append((row, col, 0.5, -1))
            selves += 1
            continue
        which = min(row, col) * K + max(row, col)
        on_it = order[begins[which] : begins[which + 1]]
        later = int(np.searchsorted(on_it, here))
        if later == len(on_it):  # it waits for this pair up to the end
            waited[here:], here = (row, col), n
            break
        at, selves = int(on_it[later]), 0
        won = float(votes.outcome[at])
        won = won if votes.first[at] == row else 1 - won
        player.tell(duel, won)
        rounds.append((row, col, won, at))
        waited[here : at + 1] = row, col
        here, played = at + 1, played + 1
    history = History(
        np.array([one[0] for one in rounds], np.int64),
        np.array([one[1] for one in rounds], np.int64),
        np.array([one[2] for one in rounds], np.float64),
        np.array([one[3] for one in rounds], np.int64),
    )
    return history, waited[:here]


def _halves(waited: NDArray[np.int64], K: int) -> NDArray[np.float64]:
    """(m, K): 1/2 for each of the two arms waited for."""
    found = np.zeros((len(waited), K))
    np.put_along_axis(found, waited, 0.5, axis=1)
    return found
