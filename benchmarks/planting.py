"""An arena in memory, an honest crowd, and somebody who plants votes for one weak arm.

Nothing is on disk: the events that an arena would write are made here and folded by its own
`State`, with its cap, dwell and verdicts, and tried by its own test of voters. So a run of 20,000
votes takes seconds.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from sparring.arena.events import Event
from sparring.arena.making import described
from sparring.arena.state import State
from sparring.arena.suspects import Suspects
from sparring.arena.tallies import REASONS

K = 10
BEST, TARGET = 0, K - 1
UTILITIES = np.array([1.5, *np.linspace(1.0, 0.0, K - 1)])  # the best beats the target with 0.82
VOTES, A_DAY = 20_000, 1000
CROWD = 200  # honest voters, of whom some vote often
EACH = 20  # votes of each of many planted voters
LOOK = 4.0  # seconds that people look at a pair, in the median; a robot in a hurry takes none
PATIENCE = 100  # pairs that a planted voter skips until the target is shown
SECOND = 1_000_000
BETWEEN = 10  # honest votes between two looks at who leads

LEARNERS = {"tracker": ("tracker", None), "steady": ("steady", {"memory": 5000})}
AVERAGE = "all-time average"  # of uniform pairs: the arm that won the largest share
DEFENCES = {
    "none": {},
    "cap": {"cap": 50},
    "dwell": {"dwell": 1.0},
    "hold": {"hold": True},
    "all": {"cap": 50, "dwell": 1.0, "hold": True},
}


class Attack(NamedTuple):
    """How votes are planted."""

    votes: int
    many: bool
    """By many voters, or by one."""
    burst: bool
    """One after the other in the middle, or spread over all votes."""
    hasty: bool = False
    """Without looking."""

    def places(self, of: int) -> set[int]:
        """Which of all votes they are."""
        if self.burst:
            return set(range(of // 2, of // 2 + self.votes))
        return set(np.linspace(0, of - 1, self.votes).astype(int).tolist())


class Moved(NamedTuple):
    """What came of it, over the honest votes in the second half."""

    leads: float
    """Votes while the target was reported as the leader."""
    wrong: float
    """Votes while the leader was not the best."""
    shown: float
    """The largest share of recent pairs that the target was in."""
    learnt: int
    """Planted votes that were learnt."""
    caught: int
    """Planted voters who were held."""
    innocent: int
    """Honest voters who were held."""


@dataclass
class Arena:
    """The state of an arena, and the events that would make its log."""

    learner: str
    settings: dict[str, object]
    seed: int
    state: State = field(default_factory=State)
    at: int = 0

    def __post_init__(self) -> None:
        name, options = LEARNERS.get(self.learner, LEARNERS["steady"])
        made = described([str(arm) for arm in range(K)], name, options, "7d", self.seed, {})
        self.happen("made", made)
        changes = {key: self.settings[key] for key in ("cap", "dwell") if key in self.settings}
        if self.learner == AVERAGE:
            changes["mode"] = "shadow"
        self.happen("set", changes)
        self.suspects = Suspects() if "hold" in self.settings else None
        self.sides = np.random.default_rng((self.seed, 2))
        self.held: list[str] = []

    def happen(self, kind, body, ticket=None, drawn=None):
        """Fold an event."""
        event = Event(self.state.number + 1, self.at, kind, ticket, body)
        self.state.take_in(event, "", drawn)

    def ask(self, voter):
        """The two arms of a pair in the order in which they are shown."""
        drawn = self.state.draw(self.at)
        row, col = (self.state.present[it] for it in (drawn.duel.row, drawn.duel.col))
        swapped = bool(self.sides.random() < 0.5)
        body = {"row": row, "col": col, "swapped": swapped, "selves": drawn.selves, "voter": voter}
        self.happen("asked", body, str(self.state.number), drawn)
        return (col, row) if swapped else (row, col)

    def tell(self, voter, pair, outcome, after):
        """Answer the pair that was asked last, after some seconds; whether it is learnt."""
        ticket = str(self.state.number - 1)
        self.at += int(after * SECOND)
        shown = self.state.open[ticket]
        reason = "skip" if outcome is None else self.state.excuse(shown, self.at)
        why = REASONS[reason] if reason else ""
        before = self.state.votes
        self.happen("told", {"outcome": outcome, "why": why, "reason": reason}, ticket)
        if self.suspects is not None and outcome is not None:
            names = [str(arm) for arm in pair]
            found = self.suspects.hear(voter, *names, outcome, counted=not why)
            if found is not None:
                self.held.append(voter)
                self.happen("judged", {"voter": voter, "verdict": "held"})
        return self.state.votes > before

    def leader(self):
        """The arm that is reported as the best."""
        if self.learner != AVERAGE:
            return self.state.favourite()
        return int(np.argmax([arm.wins / max(arm.votes, 1) for arm in self.state.arms]))


def run(learner: str, attack: Attack, defences: str, seed: int, votes: int = VOTES) -> Moved:
    """One run of all votes."""
    rng = np.random.default_rng((seed, 1))
    arena = Arena(learner, DEFENCES[defences], seed)
    often = 1 / np.arange(1, CROWD + 1)
    crowd = rng.choice(CROWD, votes, p=often / often.sum())
    places = attack.places(votes)
    leads = wrong = shown = learnt = done = 0
    for vote in range(votes):
        looked = float(np.clip(rng.lognormal(np.log(LOOK), 0.6), 0.3, 60))
        if vote in places:
            voter = f"planted {done // EACH if attack.many else 0}"
            learnt += plant(arena, voter, 0.1 if attack.hasty else looked)
            done += 1
            continue
        arena.at = max(arena.at, vote * 86_400 * SECOND // A_DAY)
        pair = arena.ask(f"v{crowd[vote]}")
        chance = 1 / (1 + np.exp(UTILITIES[pair[1]] - UTILITIES[pair[0]]))
        arena.tell(f"v{crowd[vote]}", pair, float(rng.random() < chance), looked)
        if vote >= votes // 2 and (vote - done) % BETWEEN == 0:
            leads += BETWEEN * (arena.leader() == TARGET)
            wrong += BETWEEN * (arena.leader() != BEST)
            shown = max(shown, 2 * arena.state.arms[TARGET].share)
    caught = sum(voter.startswith("planted") for voter in arena.held)
    return Moved(leads, wrong, shown, learnt, caught, len(arena.held) - caught)


def plant(arena: Arena, voter: str, looked: float) -> bool:
    """Skip until the target is shown, and vote for it; whether that is learnt."""
    for _ in range(PATIENCE):
        pair = arena.ask(voter)
        if TARGET in pair:
            return arena.tell(voter, pair, float(pair[0] == TARGET), looked)
        arena.tell(voter, pair, None, looked)
    return False
