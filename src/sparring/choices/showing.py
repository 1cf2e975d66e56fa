"""Showing: several different arms at once from a learner of duels, and what it learns from them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks, streams
from sparring.checks import DuelError
from sparring.learners import restore
from sparring.learners.frame import demand_distinct
from sparring.learners.snapshots import Fields, seal
from sparring.problem import Duel

KIND = "showing"
LEARN = ("pair", "all")
EXAMPLE = "For instance sparring.tracker(K, differ=True)"
ASKS = 3  # for each place beside the pair; then it is filled by any arm


class Choice(NamedTuple):
    """Several arms to show; pass it to `tell` with the answer."""

    t: int
    """The number of the choice, from 1."""
    arms: tuple[int, ...]
    """Different arms, in the order in which to show them."""
    duel: Duel
    """The pair among them that the learner asked for."""
    names: tuple[str, ...] | None = None
    """Their names, if arms have names."""


class Showing:
    """A learner of duels that shows m different arms at once.

    The learner asks for a pair, a and b. The other places go to the arms it asks for next (in duels
    that are then forgotten), so that good arms are shown. If these are too few, random arms fill
    up. The order of all m is uniform.

    If w wins, the learner is told for its pair: 1 if w is a, 0 if w is b, 1/2 otherwise. The mean
    is

        P'(a, b) = 1/2 + E[c(a | M) - c(b | M)] / 2,

    where c(i | M) is the chance that arm i wins the set M, and the mean is over the other places,
    whose law depends only on {a, b} and the past. As P'(a, b) + P'(b, a) = 1, every learner plays
    an ordinary dueling bandit with the preferences P', and what is proved about the learner holds
    for P', whatever c is. If c is Plackett and Luce's, P' orders the arms as P does. From a ranking
    the learner is told which of the two is higher, which has the mean P(a, b) if rankings agree
    with P.

    With learn="all" the winner beats each other arm shown (in a ranking, the higher of any two arms
    beats the lower). If c is Plackett and Luce's, the outcome of each pair decided in this way has
    the mean P(i, j); otherwise this is a heuristic. Learners that divide by the chances of the arms
    shown, those with a `p`, cannot do it.

    Parameters
    ----------
    learner
        Any learner that can ask for two different arms.
    m
        How many arms to show.
    learn
        "pair" or "all". None means "all" if the learner can do it, else "pair".
    seed
        Seed of the order and of the random arms.

    Examples
    --------
    >>> import sparring
    >>> showing = Showing(sparring.tracker(6, differ=True, seed=1), m=4, seed=1)
    >>> for _ in range(300):  # a crowd that likes arm 2, then arm 5
    ...     choice = showing.ask()
    ...     liked = [arm for arm in (2, 5) if arm in choice.arms]
    ...     showing.tell(choice, (liked or choice.arms)[0])
    >>> showing.favourite
    2
    """

    def __init__(
        self, learner: Any, m: int, *, learn: str | None = None, seed: streams.Seed = None
    ) -> None:
        if not hasattr(learner, "differ"):
            raise checks.refuse("learner", "a learner that `ask`s for duels", learner, EXAMPLE)
        demand_distinct(learner)
        self.learner = learner
        self.m = checks.whole("m", m, low=2)
        if self.m > learner.K:
            raise checks.refuse("m", f"at most {learner.K}", m, "It shows m different arms")
        coupled = not len(learner.p)
        if learn is None:
            learn = "all" if coupled else "pair"
        if not isinstance(learn, str) or learn not in LEARN:
            raise checks.unknown("learn", learn, LEARN)
        if learn == "all" and not coupled:
            found = checks.Shown(f"'all' with {learner!r}")
            remedy = "Its answers are weighed by the chances of the pair it asked for"
            raise checks.refuse("learn", "'pair' for a learner with a p", found, remedy)
        self.learn = learn
        self._rng: Generator = streams.generator(seed)
        self._open: dict[int, Choice] = {}
        self.t = 0
        # Most learners have these two, which take half the time of what stands in for them.
        self._glimpse = getattr(learner, "glimpse", self._ask_and_forget)
        self._teach = getattr(learner, "teach", self._watch_and_tell)

    def __repr__(self) -> str:
        return f"<Showing m={self.m}, learn={self.learn!r} of {self.learner!r}>"

    @property
    def K(self) -> int:
        """Number of arms."""
        return int(self.learner.K)

    @property
    def p(self) -> NDArray[np.float64]:
        """What the learner draws the next pair from."""
        return np.asarray(self.learner.p)

    @property
    def favourite(self) -> int:
        """The arm it thinks best at present."""
        return int(self.learner.favourite)

    @property
    def open(self) -> Mapping[int, Choice]:
        """The choices asked for and not yet told, by number; a live view."""
        return MappingProxyType(self._open)

    def ask(self) -> Choice:
        """The next m arms to show, all different."""
        duel = self.learner.ask(distinct=True)
        arms = [duel.row, duel.col]
        for _ in range(ASKS * (self.m - 2)):
            if len(arms) == self.m:
                break
            for arm in self._glimpse():
                if arm not in arms and len(arms) < self.m:
                    arms.append(arm)
        if len(arms) < self.m:
            rest = [arm for arm in range(self.K) if arm not in arms]
            while len(arms) < self.m:
                arms.append(rest.pop(int(self._rng.random() * len(rest))))
        for last in range(self.m - 1, 0, -1):  # Fisher and Yates: no arm has a better place
            place = int(self._rng.random() * (last + 1))
            arms[last], arms[place] = arms[place], arms[last]
        names = self.learner.arms if duel.names else None
        shown = None if names is None else tuple(names[arm] for arm in arms)
        self.t += 1
        choice = self._open[self.t] = Choice(self.t, tuple(arms), duel, shown)
        return choice

    def tell(self, choice: Choice, answer: int | str | Sequence[int | str]) -> None:
        """Learn who won.

        Parameters
        ----------
        choice
            What `ask` returned. Answers may come late and in any order; tell each choice once.
        answer
            The arm that won, by number or name; or all arms shown, best first.
        """
        asked = self._asked(choice)
        order = self._order(asked, answer)
        if self.learn == "all":
            self._learn_all(asked, order)
        else:
            row, col = (order.index(arm) if arm in order else self.m for arm in asked.duel[1:3])
            self.learner.tell(asked.duel, 0.5 if row == col else float(row < col))
        del self._open[asked.t]

    def forget(self, choice: Choice) -> None:
        """Drop a choice that will not be answered."""
        asked = self._asked(choice)
        self.learner.forget(asked.duel)
        del self._open[asked.t]

    def _learn_all(self, asked: Choice, order: list[int]) -> None:
        """Each arm in the order beats those after it and the arms shown that are not in it."""
        beaten = list(asked.arms)
        for winner in order:
            beaten.remove(winner)
            for loser in beaten:
                self._teach(winner, loser, 1.0)
        self.learner.forget(asked.duel)

    def _ask_and_forget(self) -> tuple[int, int]:
        other = self.learner.ask()
        self.learner.forget(other)
        return other[1:3]  # type: ignore[no-any-return]

    def _watch_and_tell(self, winner: int, loser: int, outcome: float) -> None:
        self.learner.tell(self.learner.watch(winner, loser), outcome)

    def _asked(self, choice: Choice) -> Choice:
        """The open choice this token stands for, as it was asked."""
        if not isinstance(choice, Choice):
            raise DuelError(f"expected the Choice that ask returned; got {checks.short(choice)}")
        asked = self._open.get(choice.t)
        if asked is choice:  # as a rule; one that was stored elsewhere is compared
            return asked
        if asked is None or asked.arms != tuple(choice.arms) or asked.duel != choice.duel:
            raise DuelError(
                f"choice {checks.short(choice.t)} is not open here: it was already told or "
                "forgotten, or asked elsewhere"
            )
        return asked

    def _order(self, asked: Choice, answer: Any) -> list[int]:
        """The arms that an answer puts in order: the winner alone, or all."""
        several = isinstance(answer, (list, tuple, np.ndarray))
        named: dict[Any, int] = dict(zip(asked.names or (), asked.arms, strict=False))
        named |= {arm: arm for arm in asked.arms}
        given = list(answer) if several else [answer]
        plain = [isinstance(arm, (str, int, np.integer)) for arm in given]
        order = [named.get(arm) for arm in given] if all(plain) else [None]
        if None in order or any(isinstance(arm, bool) for arm in given):
            shown = list(asked.names or asked.arms)
            raise checks.refuse("the answer", f"of the arms shown, {shown}", answer)
        if len(set(order)) < len(order) or len(order) not in (1, self.m):
            rule = f"the winner, or all {self.m} arms shown, best first"
            raise checks.refuse("the answer", rule, answer)
        return [int(arm) for arm in order if arm is not None]

    def snapshot(self) -> dict[str, Any]:
        """Everything it knows, open choices included, for `json.dumps`."""
        fields = {
            "m": self.m,
            "learn": self.learn,
            "t": self.t,
            "generator": streams.to_json(self._rng),
            "open": [
                [choice.t, list(choice.arms), choice.duel.to_json()]
                for choice in self._open.values()
            ],
            "inner": self.learner.snapshot(),
        }
        return seal(KIND, fields)

    @classmethod
    def from_snapshot(cls, snapshot: dict[str, Any]) -> "Showing":
        """The object that the snapshot was taken from; it continues bit for bit."""
        fields = Fields(snapshot, KIND)
        learner = fields.read("inner", restore)
        learn = fields.read("learn", str)
        made = fields.read("m", lambda m: cls(learner, m, learn=learn, seed=0))
        made.t = fields.read("t", lambda t: checks.whole("t", t, low=0))
        made._rng = fields.read("generator", streams.from_json)
        for choice in fields.read("open", lambda rows: [made._reopened(*row) for row in rows]):
            made._open[choice.t] = choice
        fields.verify(made.snapshot())
        return made

    def _reopened(self, t: int, arms: list[int], duel: dict[str, Any]) -> Choice:
        asked = Duel.from_json(duel)
        names: Any = self.learner.arms if asked.names else None
        shown = None if names is None else tuple(names[arm] for arm in arms)
        return Choice(t, tuple(arms), asked, shown)
