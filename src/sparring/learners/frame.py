"""Frame: what all learners share. A family adds its state, its rule and its constructors."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from sparring import checks, streams
from sparring.checks import SnapshotError
from sparring.durations import Moment
from sparring.learners import blocks, registry, snapshots
from sparring.learners.adopting import AdoptingDuels
from sparring.learners.changing import ChangingArms
from sparring.learners.distinct import ask_distinct
from sparring.learners.duels import OpenDuels
from sparring.learners.journal import Journal
from sparring.learners.protocol import OnlineLearner
from sparring.problem import Block, Duel, Plays, arms, duel_outcome

MORE_ARMS = "It keeps numbers for all pairs; sparring.steady takes more arms"


class Frame(ChangingArms, AdoptingDuels, Journal):
    """A learner without its rule: turns, rounds, open duels, checks and snapshots.

    A family has a KIND, which marks its snapshots, and defines the methods below that begin with an
    underscore. With each open duel it keeps a note: whatever `tell` needs from the moment of
    asking. Asking and learning end in a `_do`, so that an interrupt leaves them either done or not
    done. Most families use the frame `Compiled`; the others are `ExponentialWeights` and
    `Restarting`.

    Parameters
    ----------
    K
        Number of arms.
    seed
        An int, a SeedSequence, a numpy Generator or None.
    """

    KIND: ClassVar[str]
    MOST_ARMS: ClassVar[int] = 10_000_000  # with which an array of one number an arm has 80 MB
    COLUMNS: ClassVar[int] = 3  # of an open duel in a snapshot: the round, the row and column arm

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "KIND" in vars(cls):
            registry.register_family(cls, cls.KIND)

    def __init__(self, K: int, seed: streams.Seed) -> None:
        super().__init__()
        remedy = "" if self.MOST_ARMS == Frame.MOST_ARMS else MORE_ARMS
        self._K = arms(K, most=self.MOST_ARMS, remedy=remedy)
        self._seed = streams.seed_sequence(seed)
        self._rng = streams.generator(seed if self._seed is None else self._seed)
        self._book = OpenDuels()

    # What a family brings.

    @abstractmethod
    def _choose(self, t: int) -> Duel:
        """`_do` what it takes to choose a pair, and finish by entering the duel of round t."""

    @abstractmethod
    def _shown(self, note: Any) -> NDArray[np.float64]:
        """(players, K), read-only: what the arms of a duel with this note were drawn from."""

    @abstractmethod
    def _learn(self, o: float, asked: Duel, note: Any, at: Moment | None) -> None:
        """`_do` what it takes to learn the outcome o of a duel, and finish by closing it."""

    @abstractmethod
    def _state(self) -> Any:
        """What `_adopt` needs to undo what `_play` or a restart changes."""

    @abstractmethod
    def _play(self, block: Block, coins: NDArray[np.float64], out: Plays) -> Any:
        """Play a block and fill `out`; returns the state to adopt, or changes nothing for good."""

    @abstractmethod
    def _distributions(self) -> NDArray[np.float64]:
        """(players, K): what the next `ask` draws from; no row if arms are coupled."""

    @abstractmethod
    def _described(self) -> str:
        """What `repr` says about how it was made: ", name=value" for each option."""

    def _standing(self) -> str:
        """What `repr` says besides the rounds and the open duels."""
        return ""

    def _size(self) -> int:
        """How many numbers its largest array has."""
        return self.K

    def _dropped(self, note: Any) -> None:
        """Hear that the duel with this note was forgotten; may be repeated."""

    @abstractmethod
    def _kept(self) -> Any:
        """A quick copy of all that changes, as others wait."""

    @abstractmethod
    def _saved(self, kept: Any, duels: list[list[int]], notes: list[Any]) -> dict[str, Any]:
        """The family's fields of a snapshot of what was `_kept`, with these open duels."""

    @classmethod
    @abstractmethod
    def _restored(cls, fields: snapshots.Fields, K: int) -> Self:
        """A learner with the state in these fields, all checked; the frame's part comes later."""

    @abstractmethod
    def _notes(self, fields: snapshots.Fields, duels: list[list[int]]) -> Iterable[Any]:
        """The notes of these open duels, all checked."""

    # What all do alike.

    def __repr__(self) -> str:
        state = f"t={self.t}, {len(self.open)} open{self._standing()}"
        return f"<{type(self).__name__} K={self.K}{self._described()}; {state}>"

    @property
    def K(self) -> int:
        """Number of arms."""
        return self._K

    @property
    def t(self) -> int:
        """Rounds asked so far; 0 before the first."""
        if self._doing is not None:
            self._catch_up()
        return self._book.latest

    @property
    def seed(self) -> SeedSequence | None:
        """The seed, to repeat the run, even if none was given; None if a Generator was given."""
        return self._seed

    @property
    def p(self) -> NDArray[np.float64]:
        """(players, K), read-only: what the next `ask` draws from; no row if arms are coupled."""
        with self._turn:
            self._settle()
            p = self._distributions().copy()
        p.flags.writeable = False
        return p

    @property
    def differ(self) -> bool:
        """Whether every duel it asks has two different arms."""
        return self._book.differ

    @property
    def favourite(self) -> int:
        """The arm it thinks best at present: the one it draws most often.

        A family that couples its arms must define it; otherwise there is no favourite.
        """
        p = self.p
        if not len(p):
            name = type(self).__name__
            raise AttributeError(f"{name} couples its arms: give it a property favourite")
        return int(p.mean(axis=0).argmax())

    @property
    def open(self) -> Mapping[int, Duel]:
        """The duels asked and not yet told, by round; a live view, so copy it before a loop."""
        if self._doing is not None:
            self._catch_up()
        return self._book.duels

    def ask(self, *, distinct: bool = False) -> Duel:
        """Choose the next pair.

        Parameters
        ----------
        distinct
            Whether the arms must be different. Rounds in which an arm meets itself are then played
            internally and told as ties, so the learner's law does not change; `Duel.selves` lists
            them. An interrupt between these rounds does not undo them. A learner that couples its
            arms refuses this, unless it was made with `differ=True`.

        Examples
        --------
        >>> import sparring
        >>> duel = sparring.rand(2, seed=1).ask(distinct=True)
        >>> duel.row != duel.col, duel.t == len(duel.selves) + 1
        (True, True)
        """
        if distinct:
            return ask_distinct(self)
        with self._turn:
            if self._doing is not None:  # quicker than to call it
                self._settle()
            return self._choose(self._book.latest + 1)

    def tell(self, duel: Duel, outcome: float | str, *, at: Moment | None = None) -> None:
        """Learn the outcome of a duel, as of the moment it was asked.

        Parameters
        ----------
        duel
            What `ask` returned. Answers may come late and in any order; each duel is told once.
        outcome
            1 if the row arm won, 0 if the column arm won, 0.5 for a tie, or any number in [0, 1].
            If arms have names, also the winner's name or "tie".
        at
            When the answer came, in seconds since 1970 or as a datetime with a time zone; for
            learners whose memory is a time.
        """
        o = duel_outcome(duel, outcome) if isinstance(outcome, str) else checks.outcome(outcome)
        with self._turn:
            if self._doing is not None:  # quicker than to call it
                self._settle()
            asked = self._book.find(duel)
            self._learn(o, asked, self._book.notes[asked.t], at)

    def forget(self, duel: Duel | None = None, *, before: int | None = None) -> int:
        """Drop an open duel, or all that were asked before a round; returns how many.

        Call it now and then if answers may never come, to keep memory bounded.
        """
        with self._turn:
            self._settle()
            stale = self._book.stale(duel, before=before)
            dropped: int = self._do(self._drop, stale, len, (stale,))
            return dropped

    def play(self, block: Block, coins: NDArray[np.float64], *, out: Plays | None = None) -> Plays:
        """Play a whole block, with exactly the result of asking and telling.

        Parameters
        ----------
        block
            P of shape (m, K, K) and hold of shape (m,), the rounds each matrix lasts.
        coins
            One number in [0, 1] for each round: the row arm wins if it is below P[row, col].
        out
            Arrays to fill and return, one entry for each round; new ones if None.
        """
        block, coins = blocks.checked(block, coins, self.K)
        out = blocks.room(out, len(coins))
        with self._turn:
            self._settle()
            t, before = self._book.latest + len(coins), self._state()
            try:
                self._do(self._played, t, self._play, (block, coins, out), before)
            except BaseException:
                self._settle()  # now: a Generator that was given may be in use elsewhere
                raise
        return out

    def snapshot(self) -> dict[str, Any]:
        """Everything the learner knows, for `json.dumps`; `sparring.restore` continues from it."""
        while True:
            book = self._book
            found = self.snapshot_later()()
            if self._book is book:  # else an arm came or went while it was written
                return found

    def snapshot_later(self) -> Callable[[], dict[str, Any]]:
        """A quick copy of everything; what it returns makes the snapshot, in any thread.

        The learner may ask and be told meanwhile, but no arm may come or go.
        """
        return partial(self._sealed, *self._moment())

    @classmethod
    def from_snapshot(cls, snapshot: dict[str, Any]) -> Self:
        """The learner that the snapshot was taken from; `sparring.restore` calls this."""
        fields = snapshots.Fields(snapshot, cls.KIND)
        K = fields.read("K", arms)
        learner = cls._restored(fields, K)
        learner._seed = fields.read("seed", streams.seed_from_json)
        latest = fields.read("t", lambda t: checks.whole("t", t, low=0))
        differ = learner.differ
        learner._book = OpenDuels(fields.read("id", str), latest=latest)
        learner._book.differ = differ
        learner._restore_arms(fields)
        duels = fields.array("open", np.int64, (None, cls.COLUMNS)).tolist()
        for t, row, col, *_ in duels:
            fields.demand("open", 0 < t <= learner.t and 0 <= row < K and 0 <= col < K)
        for (t, row, col, *_), note in zip(duels, learner._notes(fields, duels), strict=True):
            learner._book.enter(t, row, col, learner._shown(note), note)
        fields.verify(learner.snapshot())
        return learner

    def _drop(self, stale: list[Duel], number: int) -> int:
        """Finish forgetting; may be repeated."""
        for asked in stale:
            if asked.t in self._book.notes:
                self._dropped(self._book.notes[asked.t])
                self._book.close(asked)
        return number

    def _played(self, t: int, state: Any) -> None:
        """Finish playing; may be repeated."""
        self._adopt(state)
        self._book.latest = t

    def _go_back(self, t: int, state: Any) -> None:
        """Undo what was played since the learner had this state."""
        with self._turn:
            self._settle()
            self._played(t, state)

    def _moment(self) -> tuple[int, list[Duel], list[Any], Any, dict[str, Any]]:
        """What a snapshot is made of, copied quickly; writing it out takes longer."""
        with self._turn:
            self._settle()
            duels, notes = self._book.duels, [self._book.notes[t] for t in self._book.duels]
            asked = list(duels.values())
            return self._book.latest, asked, notes, self._kept(), self._saved_arms()

    def _sealed(
        self, t: int, asked: list[Duel], notes: list[Any], kept: Any, saved: dict[str, Any]
    ) -> dict[str, Any]:
        """The snapshot of a moment."""
        duels = [[duel.t, duel.row, duel.col] for duel in asked]
        fields = {
            "id": self._book.owner,
            "K": self.K,
            "t": t,
            "seed": streams.seed_to_json(self._seed),
            "open": duels,
            **self._saved(kept, duels, notes),
            **saved,
        }
        return snapshots.seal(self.KIND, fields)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by snapshot: a copy answers for the same open duels."""
        return type(self).from_snapshot, (self.snapshot(),)


def restore(snapshot: dict[str, Any]) -> OnlineLearner:
    """The learner that a snapshot was taken from; it continues bit for bit, with its open duels.

    Snapshots of earlier versions are converted.

    Examples
    --------
    >>> import json, sparring
    >>> learner = sparring.dex3s(K=10, T=1_000_000, S=10, seed=7)
    >>> duel = learner.ask()
    >>> copy = sparring.restore(json.loads(json.dumps(learner.snapshot())))
    >>> copy.tell(duel, 1.0)
    """
    snapshot = snapshots.migrate(snapshot)  # first, as it knows kinds that went
    kind = snapshots.kind_of(snapshot)
    if kind not in registry.KINDS:
        known = sorted(registry.KINDS)
        raise SnapshotError(
            f"the snapshot is of an unknown kind of learner, {checks.short(kind)}: known are "
            f"{known}. Import the module that defines a learner of your own first"
        )
    learner: OnlineLearner = registry.KINDS[kind].from_snapshot(snapshot)
    return learner
