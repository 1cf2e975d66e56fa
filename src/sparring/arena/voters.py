"""Voters: who is held or banned, who has answered how often today, and when last."""

from dataclasses import dataclass, field
from typing import Any, Self

DAY = 86_400_000_000  # microseconds
HELD, BANNED, FREE = "held", "banned", "free"
VERDICTS = (HELD, BANNED, FREE)


@dataclass
class Voters:
    """Voters of an arena, by pseudonym. Only those with a verdict are remembered beyond a day."""

    verdicts: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Held or banned, and the number of the event that said so."""
    day: int = 0
    today: dict[str, int] = field(default_factory=dict)
    """Answers learnt today."""
    last: dict[str, int] = field(default_factory=dict)
    """When each answered last, if that was today."""

    def verdict(self, voter: str | None, number: int) -> str:
        """What to do with the answer in the event with this number."""
        if voter is None or voter not in self.verdicts:
            return FREE
        verdict, since = self.verdicts[voter]
        return FREE if verdict == HELD and number < since else verdict

    def judge(self, voter: str, verdict: str, number: int) -> None:
        """Remember a verdict."""
        if verdict == FREE:
            self.verdicts.pop(voter, None)
        else:
            self.verdicts[voter] = (verdict, number)

    def overturns(self, voter: str, verdict: str) -> bool:
        """Whether a verdict changes the effect of earlier answers."""
        before = self.verdicts.get(voter, (FREE, 0))[0]
        return before != verdict and (before, verdict) != (FREE, HELD)

    def note(self, voter: str, at: int, *, learnt: bool) -> None:
        """Remember that a voter has answered."""
        if at // DAY != self.day:
            self.day, self.today, self.last = at // DAY, {}, {}
        self.last[voter] = at
        if learnt:
            self.today[voter] = self.today.get(voter, 0) + 1

    def take_back(self, voter: str, *, learnt: bool) -> None:
        """Forget that an answer was learnt, if that was today."""
        if learnt and voter in self.today:
            self.today[voter] -= 1

    def answered(self, voter: str, at: int) -> int:
        """How many answers of a voter were learnt today."""
        return self.today.get(voter, 0) if at // DAY == self.day else 0

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        verdicts = {voter: list(found) for voter, found in self.verdicts.items()}
        today, last = self.today.copy(), self.last.copy()
        return {"verdicts": verdicts, "day": self.day, "today": today, "last": last}

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> Self:
        """What `to_json` wrote."""
        verdicts = {voter: (found[0], found[1]) for voter, found in given["verdicts"].items()}
        return cls(verdicts, given["day"], given["today"], given["last"])
