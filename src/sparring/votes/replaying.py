"""Replay: a learner plays a log of uniform pairs, by rejection."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks, extras, streams
from sparring.learners import LEARNERS
from sparring.problem import Problem
from sparring.votes.borda import demand_delta
from sparring.votes.estimating import Evaluation, Model, estimate, pair_shares
from sparring.votes.policies import Target, opponents
from sparring.votes.uniform import pair_chances
from sparring.votes.values import Votes

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
