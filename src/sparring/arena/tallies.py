"""Tallies: counts of what happened to the questions and answers of an arena."""

from dataclasses import asdict, dataclass, field
from typing import Any

from sparring.arena import settings

# Why an answer is kept and not learnt.
REASONS = {
    "skip": "it was skipped",
    "late": "it came too late",
    "withdrawn": "an arm was withdrawn",
    "unknown": "its question is not in the log: the database was restored from an older copy",
    "frozen": "the arena is frozen",
    "closed": "the arena is closed",
    "fast": "it came too fast to have looked",
    "cap": "this voter has answered enough for today",
    "held": "it is set aside until a person has looked at this voter's answers",
    "banned": "its voter is banned",
}


@dataclass
class Tallies:
    """Counts since the arena was made. Answers that were taken back are counted separately."""

    asked: int = 0
    uniform: int = 0
    """Questions whose pair was drawn uniformly."""
    told: int = 0
    """Answers, learnt or kept."""
    learnt: int = 0
    undone: int = 0
    imported: int = 0
    """Comparisons from outside."""
    first_won: int = 0
    """Answers for the arm that was shown first."""
    second_won: int = 0
    ties: int = 0
    both_good: int = 0
    both_bad: int = 0
    kept: dict[str, int] = field(default_factory=dict)
    """Answers that were not learnt, by reason."""

    def count_answer(self, outcome: float | None, word: str, by: int = 1) -> None:
        """Count what was answered."""
        self.told += by
        if word == settings.BOTH_GOOD:
            self.both_good += by
        elif word == settings.BOTH_BAD:
            self.both_bad += by
        elif outcome is not None:
            self.first_won += by * (outcome > 0.5)
            self.second_won += by * (outcome < 0.5)
            self.ties += by * (outcome == 0.5)

    def take_back(self, outcome: float, word: str) -> None:
        """Count an answer as taken back, and no longer as an answer."""
        self.count_answer(outcome, word, by=-1)
        self.undone += 1

    def keep(self, reason: str) -> None:
        """Count an answer that is not learnt."""
        self.kept[reason] = self.kept.get(reason, 0) + 1

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return asdict(self)


def reason_of(body: dict[str, Any]) -> str:
    """Why the answer of an event was not learnt, by its short name."""
    if "reason" in body:
        return str(body["reason"])
    if "withdrawn" in body["why"]:  # as events of the first release say it
        return "withdrawn"
    return "late" if "late" in body["why"] else "unknown"
