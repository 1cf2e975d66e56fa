"""Who leads in an arena, since when, and how the arms do."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from sparring.arena.state import State


class ArmStanding(NamedTuple):
    """How an arm does."""

    name: str
    share: float
    """Its share of the places in recent pairs: 1/2 if it is in every pair."""
    votes: int
    """Answers on pairs that it was in."""
    wins: float
    """Answers for it; a tie counts half."""
    since: datetime
    """When it was added."""


class Item(NamedTuple):
    """An arm and what is shown for it."""

    name: str
    content: dict[str, Any] | None
    version: int
    """How often the content was edited."""
    since: datetime
    withdrawn: datetime | None
    """When it was withdrawn, if it was."""
    share: float
    votes: int
    wins: float


class Standing(NamedTuple):
    """Who leads, since when, and how the arms do."""

    favourite: str
    """The name of the arm that the learner thinks best."""
    confidence: float | None
    """How probable it is that it is the best now, if the learner can tell."""
    since: datetime
    """Since when it has been the favourite, to within twenty votes."""
    votes: int
    """Answers that were learnt."""
    arms: tuple[ArmStanding, ...]
    """The arms, the most shown first."""

    def __str__(self) -> str:
        since = f"{self.since:%Y-%m-%d %H:%M %Z}".rstrip()
        leads = f"{self.favourite} has led since {since}" if self.votes else "no one leads yet"
        lines = [f"{leads}; votes: {self.votes:,}"]
        width = max(len(arm.name) for arm in self.arms)
        lines += [
            f"  {arm.name:<{width}}  in {2 * arm.share:4.0%} of pairs"
            f"  won {arm.wins:,g} of {arm.votes:,}"
            for arm in self.arms
        ]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`, with times as ISO 8601."""
        arms = [{**arm._asdict(), "since": arm.since.isoformat()} for arm in self.arms]
        return {**self._asdict(), "since": self.since.isoformat(), "arms": arms}


def standing(state: State) -> Standing:
    """The standing of a state."""
    favourite = state.favourite()
    since = state.leads_since if state.leader == favourite else state.at
    arms = [
        ArmStanding(arm.name, arm.share, arm.votes, arm.wins, _time(arm.since))
        for arm in map(state.arms.__getitem__, state.present)
    ]
    arms.sort(key=lambda arm: -arm.share)
    confidence = getattr(state.learner, "confidence", None)
    name = state.arms[favourite].name
    return Standing(name, confidence, _time(since), state.votes, tuple(arms))


def items(state: State) -> list[Item]:
    """All arms, also withdrawn ones."""
    return [
        Item(
            arm.name,
            arm.content,
            arm.version,
            _time(arm.since),
            None if arm.withdrawn is None else _time(arm.withdrawn),
            arm.share,
            arm.votes,
            arm.wins,
        )
        for arm in state.arms
    ]


def _time(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / 1e6, UTC)
