"""Wrappers around a world: answers come late, never, or spoiled.

The preferences are those of the world inside, and regret is charged on them. Only the way of an
answer from the voter to the learner differs. Wrappers may be nested; the innermost acts on an
answer first.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from sparring import checks
from sparring.problem import LONGEST, Block, arms
from sparring.worlds.protocol import PreferenceSequence, Value, name_of
from sparring.worlds.registry import register

NEVER = math.inf  # rounds


@dataclass(slots=True)
class Vote:
    """An answer on its way to the learner; always about two different arms."""

    row: int
    col: int
    chance: float
    """P_t(row, col): that the row arm wins."""
    outcome: float
    """What the learner will be told."""
    leader: Callable[[], int | None]
    """A function that returns the learner's favourite, or None."""
    delay: float = 0
    """After how many further rounds; 0 is before the next duel is asked."""

    @property
    def winner(self) -> int:
        """The arm that the answer is for."""
        return self.row if self.outcome else self.col


Carrier = Callable[[Vote, float], None]  # changes a vote, with a uniform number of its round


@dataclass(frozen=True)
class Wrapper(Value):
    """What worlds with another world inside share; that one may have one inside, too."""

    inside: PreferenceSequence

    def __post_init__(self) -> None:
        if isinstance(self.inside, type) or not isinstance(self.inside, PreferenceSequence):
            raise checks.refuse("inside", "a world (K, T, blocks)", self.inside)

    @property
    def K(self) -> int:
        """Number of arms."""
        return self.inside.K

    @property
    def T(self) -> int:
        """Number of rounds."""
        return self.inside.T

    @property
    def S(self) -> int | None:
        """Segments, if the world inside states them."""
        return getattr(self.inside, "S", None)

    @property
    def V_T(self) -> float | None:
        """Variation, if the world inside states it."""
        return getattr(self.inside, "V_T", None)

    @property
    def changes(self) -> tuple[int, ...] | None:
        """The rounds in which another matrix may begin, if the world inside reports them."""
        return getattr(self.inside, "changes", None)

    @property
    def name(self) -> str:
        """The wrappers and the world, without K and T."""
        own = {name: value for name, value in self._fields().items() if name != "inside"}
        parts = [name_of(self.inside), *(f"{name}={value!r}" for name, value in own.items())]
        return f"{type(self).__name__}({', '.join(parts)})"

    @property
    def answers(self) -> tuple[Any, ...]:
        """All that happens to an answer, in this order: things with a `carrier()`."""
        return (*getattr(self.inside, "answers", ()), self)

    def blocks(self, rng: Generator) -> Iterator[Block]:
        """One path: that of the world inside."""
        return self.inside.blocks(rng)

    def to_json(self) -> dict[str, Any]:
        """The world as a dictionary for `json.dumps`; `world_from_json` makes it again."""
        if not hasattr(self.inside, "to_json"):
            raise checks.refuse("inside", "a world with a to_json", self.inside)
        return {**super().to_json(), "inside": self.inside.to_json()}


def fixed(mean: float, u: float) -> int:
    """A delay that is always the same."""
    return int(mean)


def geometric(mean: float, u: float) -> int:
    """A delay with P(delay >= n) = q^n, q = mean / (1 + mean), from a uniform u in [0, 1)."""
    return math.floor(math.log1p(-u) / -math.log1p(1 / mean)) if mean > 0 else 0


def heavy(mean: float, u: float) -> int:
    """A delay with P(delay >= n) = mean (mean + 1) / ((mean + n) (mean + n + 1))."""
    # n is the largest with (mean + n) (mean + n + 1) <= c.
    c = mean * (mean + 1) / (1 - u)
    return max(math.floor((math.sqrt(1 + 4 * c) - 1) / 2 - mean), 0)


LAWS = {"fixed": fixed, "geometric": geometric, "heavy": heavy}


@register
@dataclass(frozen=True)
class Late(Wrapper):
    """Answers come some rounds late, in any order; those due after round T never come.

    Parameters
    ----------
    inside
        The world.
    mean
        The mean delay of an answer in rounds; 0 is an answer before the next duel. Several numbers
        are one for each arm, and an answer waits for the slower of its two arms.
    law
        "fixed"; "geometric", as if the answer came in each round with the same chance; or "heavy",
        P(delay >= n) = m (m + 1) / ((m + n) (m + n + 1)): voters with geometric delays of different
        rates (a Beta(2, m) law), with mean m and infinite variance.

    Examples
    --------
    >>> from sparring import FreshWinner
    >>> Late(FreshWinner(K=3, T=900, S=3), mean=20).name
    "Late(FreshWinner(S=3, margin=0.2), mean=20.0, law='geometric')"
    """

    mean: float | Sequence[float]
    law: str = "geometric"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.law, str) or self.law not in LAWS:
            raise checks.refuse("law", f"one of {sorted(LAWS)}", self.law)
        several = isinstance(self.mean, (Sequence, np.ndarray)) and not isinstance(self.mean, str)
        given: Any = self.mean if several else [self.mean]
        means = tuple(checks.real("mean", mean, low=0, high=LONGEST) for mean in given)
        if several and len(means) != arms(self.inside.K):
            found = checks.Shown(f"{len(means)} numbers")
            raise checks.refuse("mean", f"a number, or one for each of {self.K} arms", found)
        for mean in means:
            if self.law == "fixed" and not mean.is_integer():
                raise checks.refuse("mean", "a whole number if the delay is fixed", mean)
        self._set("mean", means if several else means[0])

    def carrier(self) -> Carrier:
        """What makes votes late."""
        draw, mean = LAWS[self.law], self.mean

        def carry(vote: Vote, u: float) -> None:
            if isinstance(mean, tuple):
                vote.delay += draw(max(mean[vote.row], mean[vote.col]), u)
            else:
                vote.delay += draw(mean, u)  # type: ignore[arg-type]

        return carry


@register
@dataclass(frozen=True)
class Silent(Wrapper):
    """Some answers never come; `simulate` lets the learner forget such a duel, if it can.

    Parameters
    ----------
    inside
        The world.
    share
        The chance that an answer never comes.
    of
        Which answers: those of "anyone"; those of the "majority", which agree with the likelier
        winner; those of the "minority"; or those for an arm, by its number. If it depends on who
        would win, the answers that do come are biased, and no learner can know.

    Examples
    --------
    >>> from sparring import FreshWinner
    >>> Silent(FreshWinner(K=3, T=900, S=3), share=0.5).S
    3
    """

    share: float
    of: str | int = "anyone"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("share", checks.real("share", self.share, low=0, high=1))
        self._set("of", arm_or("of", self.of, ("anyone", "majority", "minority"), self.K))

    def carrier(self) -> Carrier:
        """What keeps votes back."""
        share, of = self.share, self.of

        def carry(vote: Vote, u: float) -> None:
            if u < share and (of == "anyone" or is_for(vote, of)):
                vote.delay = NEVER

        return carry


@register
@dataclass(frozen=True)
class Spoiled(Wrapper):
    """Some answers are wrong: flipped at random, bought for an arm, or aimed at the leader.

    Parameters
    ----------
    inside
        The world.
    share
        The share of spoiled answers.
    aim
        "nobody": each answer is turned round with chance `share`. An arm's number: with that chance
        an answer is bought, and is for this arm if it is in the duel. "leader": an adversary sees
        the learner's favourite, the duel and its answer, and turns round right answers for the
        favourite as soon as it can. Of n answers it turns at most `share` n.

    Examples
    --------
    >>> from sparring import FreshWinner
    >>> world = Spoiled(Late(FreshWinner(K=3, T=900, S=3), mean=20), share=0.1, aim="leader")
    >>> [type(link).__name__ for link in world.answers]
    ['Late', 'Spoiled']
    """

    share: float
    aim: str | int = "nobody"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("share", checks.real("share", self.share, low=0, high=1))
        self._set("aim", arm_or("aim", self.aim, ("nobody", "leader"), self.K))

    def carrier(self) -> Carrier:
        """What spoils votes; an adversary has its own budget for each learner."""
        share, aim = self.share, self.aim
        given, spent = 0, 0

        def carry(vote: Vote, u: float) -> None:
            nonlocal given, spent
            if vote.delay == NEVER:
                return
            if aim == "nobody":
                if u < share:
                    vote.outcome = 1.0 - vote.outcome
            elif aim == "leader":
                given += 1
                can = spent + 1 <= share * given and is_for(vote, "majority")
                if can and vote.leader() == vote.winner:
                    spent += 1
                    vote.outcome = 1.0 - vote.outcome
            elif u < share and aim in (vote.row, vote.col):
                vote.outcome = float(vote.row == aim)

        return carry


def is_for(vote: Vote, whom: str | int) -> bool:
    """Whether an answer is for an arm, the majority or the minority; a tie is for none."""
    if isinstance(whom, int):
        return vote.winner == whom
    chance = vote.chance if vote.winner == vote.row else 1 - vote.chance
    return chance > 0.5 if whom == "majority" else chance < 0.5


def arm_or(name: str, value: Any, words: tuple[str, ...], K: int) -> str | int:
    """One of the words, or an arm."""
    if isinstance(value, str) and value in words:
        return value
    try:
        return checks.whole(name, value, low=0, high=K - 1)
    except ValueError:
        rule = f"one of {words}, or an arm from 0 to {K - 1}"
        raise checks.refuse(name, rule, value) from None
