"""Groups of voters: one learner for each and one for all, and which of the two asks a group."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sparring import checks, streams
from sparring.checks import DuelError
from sparring.learners import LEARNERS, restore
from sparring.learners.snapshots import Fields, seal
from sparring.problem import Duel, arms

KIND = "groups"
MOST_NUMBERS = 100_000_000  # counts of all groups together, K times K each: 800 MB
MEMORY = 2_000.0  # votes after which a count of who beat whom is worth e times less
SHARE = 0.01  # what each weight gives to the other with each vote, so that a group can change
EVERYBODY = ""  # no group can be called that
HALF = 0.5  # of a win and of a loss for each pair, before the first vote


class GroupDuel(NamedTuple):
    """Two arms to show to someone in a group."""

    group: str
    row: int
    col: int
    own: bool
    """Whether the group's own learner asked, and not the one for all."""
    duel: Duel
    """As that learner asked it."""


class Grouped:
    """Learners for several groups of voters, with partial pooling.

    Each group has its own learner, and one more learner hears the votes of all groups. Of these
    two, the one that predicted the group's votes better asks the group: each vote multiplies a
    side's weight by the chance that its counts of who beat whom gave that vote. So a small group
    profits from the others, and they do not spoil a group whose taste differs. Both learn from
    every vote of the group. A new group begins with the learner for all.

    Only one thread may use it at a time.

    Parameters
    ----------
    K
        Number of arms.
    learner
        The name of a learner that can `watch` duels chosen by another, such as tracker.
    memory
        After how many votes the counts that decide between the two have faded e times.
    seed
        An int, a SeedSequence or None.
    options
        Options of the learner, such as differ=True.

    Examples
    --------
    >>> grouped = Grouped(4, seed=1, differ=True)
    >>> for number in range(900):  # cooks like arm 0, drivers arm 3
    ...     group = ("cooks", "drivers")[number % 2]
    ...     likes = 0 if group == "cooks" else 3
    ...     pair = grouped.ask(group)
    ...     won = 1.0 if pair.row == likes else 0.0 if pair.col == likes else 0.5
    ...     grouped.tell(pair, won)
    >>> grouped.favourite("cooks"), grouped.favourite("drivers")
    (0, 3)
    """

    def __init__(
        self,
        K: int,
        learner: str = "tracker",
        *,
        memory: float = MEMORY,
        seed: streams.Seed = None,
        **options: Any,
    ) -> None:
        self.K = arms(K)
        if not isinstance(learner, str) or learner not in LEARNERS:
            raise checks.unknown("learner", learner, sorted(LEARNERS))
        self.memory = checks.real("memory", memory, low=2, high=1e15)
        self._seed = int(streams.generator(seed).integers(2**63))
        self._recipe = (learner, options)
        self._all = _Side(self._made(EVERYBODY), np.zeros((K, K)))
        self._all.demand_watching(self.K)
        self._groups: dict[str, _Group] = {}

    def __repr__(self) -> str:
        return f"<Grouped K={self.K}, learner={self._recipe[0]!r}, {len(self._groups)} groups>"

    @property
    def groups(self) -> Mapping[str, float]:
        """The groups seen so far, and how much weight each gives to its own learner."""
        return MappingProxyType({name: group.own_weight for name, group in self._groups.items()})

    def favourite(self, group: str) -> int:
        """The arm that the group seems to like best; for a new group, that of all groups."""
        known = self._groups.get(_name(group))
        side = self._all if known is None else self._asking(known)
        return int(side.learner.favourite)

    def ask(self, group: str) -> GroupDuel:
        """Choose the next pair for the group with this name; a new name makes a new group."""
        known = self._group(group)
        side = self._asking(known)
        duel = side.learner.ask()
        return GroupDuel(group, duel.row, duel.col, side is known.own, duel)

    def tell(self, pair: GroupDuel, outcome: float) -> None:
        """Learn the outcome: 1 row won, 0 column won, 0.5 a tie. It may come late, in any order."""
        o = checks.outcome(outcome)
        known, asked, other = self._sides(pair)
        asked.learner.tell(pair.duel, o)
        p = pair.duel.p if len(pair.duel.p) else None
        other.learner.tell(other.learner.watch(pair.row, pair.col, p), o)
        if pair.row != pair.col:
            self._weigh(known, pair.row, pair.col, o)

    def forget(self, pair: GroupDuel) -> None:
        """Drop a pair that will not be answered."""
        _, asked, _ = self._sides(pair)
        asked.learner.forget(pair.duel)

    def snapshot(self) -> dict[str, Any]:
        """Everything it knows, open pairs included, for `json.dumps`."""
        fields = {
            "K": self.K,
            "learner": self._recipe[0],
            "options": self._recipe[1],
            "memory": self.memory,
            "seed": hex(self._seed),
            "all": self._all.saved(),
            "groups": {
                name: {"own_weight": group.own_weight, **group.own.saved()}
                for name, group in self._groups.items()
            },
        }
        return seal(KIND, fields)

    @classmethod
    def from_snapshot(cls, snapshot: dict[str, Any]) -> Self:
        """The object that the snapshot was taken from; it continues bit for bit."""
        fields = Fields(snapshot, KIND)
        options = fields.read("options", dict)
        learner, memory = fields.read("learner", str), fields.read("memory", float)
        made = fields.read("K", lambda K: cls(K, learner, memory=memory, seed=0, **options))
        made._seed = fields.read("seed", lambda text: int(text, 16))
        made._all = fields.read("all", lambda saved: _Side.restored(saved, made.K))
        made._groups = fields.read("groups", made._regrouped)
        fields.verify(made.snapshot())
        return made

    def _regrouped(self, groups: Any) -> dict[str, "_Group"]:
        return {
            str(name): _Group(_Side.restored(saved, self.K), float(saved["own_weight"]))
            for name, saved in groups.items()
        }

    def _made(self, group: str) -> Any:
        """A new learner, whose luck depends only on the seed and the group's name."""
        name, options = self._recipe
        rng = streams.keyed(self._seed, "group", experiment="", K=self.K, T=0, run=0, label=group)
        return LEARNERS[name](self.K, **options, seed=rng)

    def _group(self, name: Any) -> "_Group":
        if _name(name) not in self._groups:
            most = max(MOST_NUMBERS // self.K**2, 1)
            if len(self._groups) >= most:
                remedy = "Put rare groups together"
                rule = f"at most {most:,} with {self.K} arms"
                raise checks.refuse("groups", rule, checks.Shown("one more"), remedy)
            self._groups[name] = _Group(_Side(self._made(name), np.zeros((self.K, self.K))), 0.5)
        return self._groups[name]

    def _asking(self, group: "_Group") -> "_Side":
        """The side that asks this group next; at first the learner for all."""
        return group.own if group.own_weight > 0.5 else self._all

    def _sides(self, pair: Any) -> tuple["_Group", "_Side", "_Side"]:
        """The group, the side that asked and the side that listens."""
        if not isinstance(pair, GroupDuel) or not isinstance(pair.duel, Duel):
            raise DuelError(f"expected what ask returned; got {checks.short(pair)}")
        if _name(pair.group) not in self._groups:
            raise DuelError(f"no one in the group {checks.short(pair.group)} was asked here")
        if (pair.duel.row, pair.duel.col) != (pair.row, pair.col):
            raise DuelError("the pair was changed after it was asked")
        known = self._groups[pair.group]
        return (known, known.own, self._all) if pair.own else (known, self._all, known.own)

    def _weigh(self, group: "_Group", row: int, col: int, o: float) -> None:
        """Let both sides have predicted this vote, and count it."""
        keep = 1 - 1 / self.memory
        mine, theirs = (side.chance(row, col, o) for side in (group.own, self._all))
        weight = group.own_weight * mine
        weight /= weight + (1 - group.own_weight) * theirs
        group.own_weight = (1 - SHARE) * weight + SHARE / 2
        group.own.count(row, col, o, keep)
        self._all.count(row, col, o, keep)


def _name(group: Any) -> str:
    """The name of a group, checked."""
    if not isinstance(group, str) or not 1 <= len(group) <= checks.LONGEST_NAME:
        raise checks.refuse("group", f"a text of 1 to {checks.LONGEST_NAME} characters", group)
    return group


class _Side:
    """A learner, and counts of who beat whom in the votes it has heard."""

    def __init__(self, learner: Any, W: NDArray[np.float64]) -> None:
        self.learner, self.W = learner, W

    def demand_watching(self, K: int) -> None:
        """Refuse a learner that cannot learn from duels chosen by another."""
        probe: Callable[..., Any] = self.learner._note_of
        p = np.full(K, 1 / K) if len(self.learner.p) else None
        probe(0, 1, p)

    def chance(self, row: int, col: int, o: float) -> float:
        """How probable the outcome was by the counts so far."""
        wins, losses = self.W[row, col] + HALF, self.W[col, row] + HALF
        chance = wins / (wins + losses)
        return float(o * chance + (1 - o) * (1 - chance))

    def count(self, row: int, col: int, o: float, keep: float) -> None:
        """Count an outcome; what was counted before fades."""
        self.W *= keep
        self.W[row, col] += o
        self.W[col, row] += 1 - o

    def saved(self) -> dict[str, Any]:
        """The side as JSON."""
        return {"learner": self.learner.snapshot(), "W": self.W.tolist()}

    @classmethod
    def restored(cls, saved: dict[str, Any], K: int) -> "_Side":
        """What `saved` wrote."""
        W = checks.array("W", saved["W"], np.float64, (K, K)).copy()
        if not (np.isfinite(W).all() and (W >= 0).all()):
            raise ValueError("counts are not finite, or below 0")
        return cls(restore(saved["learner"]), W)


class _Group:
    """What is known about one group."""

    def __init__(self, own: _Side, own_weight: float) -> None:
        if not (math.isfinite(own_weight) and 0 <= own_weight <= 1):
            raise ValueError("a weight is not in [0, 1]")
        self.own, self.own_weight = own, own_weight
