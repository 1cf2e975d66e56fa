"""Votes turned by an adversary with a purse and a plan: it chooses when its few votes do most."""

from collections.abc import Callable
from dataclasses import dataclass

from sparring import checks
from sparring.worlds.answers import NEVER, Carrier, Vote, Wrapper, arm_or, is_for
from sparring.worlds.registry import register

PLANS = ("bursts", "newcomers")
FIRST = 4  # answers that the first burst turns

Plan = Callable[[Vote, float], bool]  # whether to turn a vote, if so many can be turned


@register
@dataclass(frozen=True)
class Rigged(Wrapper):
    """Some answers are turned round by an adversary that plans when to strike.

    It sees the learner's favourite, each duel and its answer, and of n answers given it never
    turned more than `share` n, as the adversary of `Spoiled(aim="leader")`, which strikes as soon
    as it can. Each learner has an adversary of its own.

    Parameters
    ----------
    inside
        The world.
    share
        The part of the answers that it may turn.
    plan
        "bursts": it saves until it can turn 4 answers, after that 8, 16 and so on; then it turns
        all that is for the favourite and would be right, until nothing is left. "newcomers": it
        lets nobody settle down; it turns what is for the favourite and would be right while it can
        turn at least as many answers as came since this arm leads. An arm's number: it promotes
        that arm, and turns every answer against it while it can.

    Examples
    --------
    >>> from sparring import FreshWinner
    >>> Rigged(FreshWinner(K=3, T=900, S=3), share=0.1, plan="bursts").name
    "Rigged(FreshWinner(S=3, margin=0.2), share=0.1, plan='bursts')"
    """

    share: float
    plan: str | int = "bursts"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("share", checks.real("share", self.share, low=0, high=1))
        self._set("plan", arm_or("plan", self.plan, PLANS, self.K))

    def carrier(self) -> Carrier:
        """What turns votes; its purse and its plan are of this learner alone."""
        share, plan = self.share, self._plan()
        given, spent = 0, 0

        def carry(vote: Vote, u: float) -> None:
            nonlocal given, spent
            if vote.delay == NEVER:
                return
            given += 1
            left = share * given - spent
            if plan(vote, left) and left >= 1:
                spent += 1
                vote.outcome = 1.0 - vote.outcome

        return carry

    def _plan(self) -> Plan:
        if isinstance(self.plan, int):
            return _promoting(self.plan)
        return _newcomers() if self.plan == "newcomers" else _bursts()


def _promoting(arm: int) -> Plan:
    """Turn what is against an arm."""
    return lambda vote, left: arm in (vote.row, vote.col) and vote.winner != arm


def _bursts() -> Plan:
    """Save, then turn all that helps the favourite until nothing is left; save twice as long."""
    # Not for a share of T: whoever lets arms meet themselves is given far fewer answers than T.
    striking, size = False, FIRST

    def turn(vote: Vote, left: float) -> bool:
        nonlocal striking, size
        if not striking:
            striking = left >= size
        elif left < 1:
            striking, size = False, 2 * size
        return striking and _helps(vote, vote.leader())

    return turn


def _newcomers() -> Plan:
    """Turn all that helps a favourite that has not led for long."""
    last: int | None = None
    reign = 0

    def turn(vote: Vote, left: float) -> bool:
        nonlocal last, reign
        leader = vote.leader()
        reign = reign + 1 if leader == last else 1
        last = leader
        return left >= reign and _helps(vote, leader)

    return turn


def _helps(vote: Vote, leader: int | None) -> bool:
    """Whether an answer is for the favourite, and rightly so."""
    return vote.winner == leader and is_for(vote, "majority")
