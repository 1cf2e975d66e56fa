"""Frame: what all learners share. A family adds its memory, its rule and its constructors.

**What a call changes.** The memory, a tuple of arrays, and the book of open duels. With the memory
goes a clock: which round was asked last and with which arms, and which was told last. A call checks
and prepares, and then does one thing that counts, in C or by one assignment, which no signal
handler can cut off:

- `ask`, `tell`, `glimpse` and `teach` run a kernel, which moves memory and clock on together. Where
  it is interpreted, it works on a copy, and assigning the copy is what counts. Learners that DRAW
  have asked as soon as they have drawn their uniforms: the kernel follows from these.
- `play`, `add` and `withdraw` replace attributes, all by one `dict.update`.
- `watch` writes the clock.
- `adopt` and `named` assign the new book and the names.
- `forget` pops the duels.

What remains is to bring the book in line (`_settle`), and if that is cut off, the next call does it
first. So an interrupt leaves a call done or not done. If it is done, what it would have returned is
lost: look at `t` and `open`. `ask(distinct=True)` and, unless COPIED_ONCE, `add_all` are several
calls, and an interrupt keeps those that are done.

The lock is a plain RLock. From Python 3.14 on a handler may run when `with` has just taken it, and
if it raises then, the lock stays taken: later calls of that thread raise RuntimeError, and other
threads wait forever. In a service let handlers set a flag, as asyncio's do.
"""

import functools
import inspect
import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from sparring import checks, streams
from sparring._jit import (
    ASKED,
    LEARNT,
    PLAYED,
    ROW,
    TOLD,
    Floats,
    Ints,
    Rounds,
    machine_code,
)
from sparring._random import seeded
from sparring.checks import DuelError, short
from sparring.durations import Moment
from sparring.learners import blocks
from sparring.learners.protocol import Learner
from sparring.learners.snapshots import GONE
from sparring.problem import Block, Duel, Plays, arms, duel_outcome

AHEAD = 1_000_000  # rounds that may have been asked after a snapshot, and lost in a crash
MOST_LOST = 10_000  # ranges of lost rounds; the oldest are given up
MOST_SELVES = 10_000  # rounds in one ask(distinct=True)
MORE_ARMS = "It keeps numbers for all pairs; sparring.steady takes more arms"
REMEDY = "tracker(K, differ=True) and steady(K, differ=True) show two different arms in every round"

# The most numbers an array of a learner may have that is made to check a snapshot; None for any.
ROOM: ContextVar[int | None] = ContextVar("ROOM", default=None)

_new = tuple.__new__  # makes a named tuple in half the time


# The registry.

Function = TypeVar("Function", bound=Callable[..., Learner])

TOLD_OF = ("T", "S", "V_T")

LEARNERS: dict[str, Any] = {}
"""Every learner of the package by name. `told` of each says which of T, S and V_T it is told."""

PLAIN: dict[str, Any] = {}
"""The learners that can be planned for an epoch, and so be inside one that restarts."""

KINDS: dict[str, type[Any]] = {}
"""Every family by its KIND; `Family.__init_subclass__` enters it when it is defined."""


class Recipe(NamedTuple):
    """How a learner was made by name: enough to make another for more or fewer arms."""

    name: str
    options: dict[str, Any]
    """All but K and seed; plain numbers, flags and text."""

    def follow(self, K: int) -> Any:
        """A new learner of K arms."""
        return LEARNERS[self.name](K, **self.options, seed=0)


def register(*told: str, plain: bool = True) -> Callable[[Function], Function]:
    """Enter a learner under the name of its function: `@register("T", "S")`.

    Parameters
    ----------
    told
        Which of "T", "S" and "V_T" it is told by whoever knows them, such as a simulation.
    plain
        Whether it can be planned for an epoch.
    """
    for name in told:
        if name not in TOLD_OF:
            rule = f"among {', '.join(TOLD_OF)}, as in @register('T')"
            raise checks.refuse("what a learner is told", rule, name)

    def entered(function: Function) -> Function:
        if function.__name__ in GONE:
            rule = "one that no earlier release had for another learner"
            raise checks.refuse("the name of a learner", rule, function.__name__)
        signature = inspect.signature(function)

        @functools.wraps(function)
        def make(*args: Any, **options: Any) -> Learner:
            learner: Any = function(*args, **options)
            known = _known(signature.bind(*args, **options))
            if all(it is None or isinstance(it, (bool, int, float, str)) for it in known.values()):
                learner._recipe = Recipe(function.__name__, known)
            return cast(Learner, learner)

        make.told = told  # type: ignore[attr-defined]
        enter(LEARNERS, function.__name__, make)
        if plain:
            PLAIN[function.__name__] = make
        return cast(Function, make)

    return entered


def _known(bound: inspect.BoundArguments) -> dict[str, Any]:
    """The arguments of a learner by name, except K and seed, with Python's own numbers."""
    found: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        collects = bound.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD
        found |= value if collects else {name: value}
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in found.items()
        if name not in ("K", "seed")
    }


def is_own(learner: object) -> bool:
    """Whether the learner is one of this package's own."""
    family = type(learner)
    return family.__module__.startswith("sparring.") and family in KINDS.values()


def enter(entries: dict[str, Any], name: str, entry: Any) -> None:
    """Enter under a new name; a module that is loaded again may repeat its entry."""
    known = entries.get(name, entry)
    if (known.__module__, known.__qualname__) != (entry.__module__, entry.__qualname__):
        raise ValueError(f"{name!r} is taken by {known.__module__}.{known.__qualname__}")
    entries[name] = entry


# The book.


class OpenDuels:
    """Duels that were asked and not yet told, by round. Each learner keeps one; yours may, too.

    Parameters
    ----------
    owner
        The name that marks this learner's duels; made up if not given.
    latest
        The last round asked before this book began.

    Examples
    --------
    >>> book = OpenDuels()
    >>> duel = book.open(t=1, row=0, col=2, p=np.full((2, 3), 1 / 3))
    >>> book.take(duel).col
    2
    >>> book.take(duel)
    Traceback (most recent call last):
    sparring.checks.DuelError: the duel of round 1 is not open: it was already told or forgotten
    """

    def __init__(self, owner: str | None = None, *, latest: int = 0) -> None:
        # Two learners of one seed ask the same duels, so the mark is drawn apart from the seed.
        self.owner = secrets.token_hex(8) if owner is None else owner
        self.latest = latest  # round that was asked
        self.duels: dict[int, Duel] = {}
        self.notes: dict[int, Any] = {}  # what the learner keeps with an open duel
        self.names: tuple[str, ...] | None = None  # of the arms, if they have names
        self.differ = False  # whether arms are drawn given that they differ
        self.earlier: dict[int, tuple[int, int]] = {}  # arms as they were numbered when asked
        self.lost: list[tuple[int, int]] = []  # rounds, from and to, that a crash made forget

    def open(self, t: int, row: int, col: int, p: Floats, note: Any = None) -> Duel:
        """Enter a duel and return it, with p, one row a player, frozen."""
        p = np.asarray(p, dtype=np.float64)
        if p.ndim != 2:
            shown = checks.Shown(f"shape {p.shape}")
            raise checks.refuse("p", "an array of one row a player", shown, "Use p[None]")
        if p.flags.writeable:
            p = p.copy()
            p.flags.writeable = False
        return self.enter(int(t), int(row), int(col), p, note)

    def enter(self, t: int, row: int, col: int, p: Floats, note: Any) -> Duel:
        """`open` for numbers and a read-only p that need no check; may be repeated."""
        names = None if self.names is None else (self.names[row], self.names[col])
        duel = _new(Duel, (t, row, col, p, self.owner, names, self.differ, ()))
        self.notes[t] = note
        self.duels[t] = duel
        if t > self.latest:
            self.latest = t
        return duel

    def close(self, t: int) -> None:
        """Strike out the duel of a round; may be repeated. An open duel always has its note."""
        self.duels.pop(t, None)
        if self.earlier:
            self.earlier.pop(t, None)
        self.notes.pop(t, None)  # last: a note without a duel says that this is to be repeated

    def find(self, duel: Duel) -> Duel:
        """The open duel that this token stands for, as it was asked; refuses any other."""
        if not isinstance(duel, Duel):
            raise DuelError(
                f"expected the Duel that ask() returned; got {short(duel)}. From JSON make it with "
                "Duel.from_json(fields), from its round take learner.open[round]"
            )
        if duel.learner != self.owner:
            raise DuelError(
                f"this duel was asked by another learner ({short(duel.learner)}, not "
                f"{short(self.owner)}); after a restart, restore the snapshot of the one that asked"
            )
        t = int(duel.t) if isinstance(duel.t, (int, np.integer)) else 0
        known = self.duels.get(t)
        if known is None:
            if 1 <= t <= self.latest:
                raise DuelError(
                    f"the duel of round {duel.t} is not open: it was already told or forgotten"
                )
            raise DuelError(
                f"no duel was asked in round {short(duel.t)}: the latest was {self.latest}"
            )
        if known is not duel and not self._is(duel, known):
            raise DuelError(
                f"this is not the duel asked in round {duel.t}: arms or distributions differ"
            )
        return known

    def _is(self, duel: Duel, known: Duel) -> bool:
        """Whether it is the duel that was asked, with the numbers arms have now or had then."""
        plain = all(isinstance(arm, (int, np.integer)) for arm in duel[1:3])
        return (plain and known == duel) or duel[1:3] == self.earlier.get(known.t)

    def take(self, duel: Duel) -> Duel:
        """`find` the duel and close it."""
        known = self.find(duel)
        self.close(known.t)
        return known

    def forget(self, duel: Duel | None = None, *, before: int | None = None) -> int:
        """Drop one duel, or all asked before a round; returns how many were dropped."""
        stale = self.stale(duel, before=before)
        self.drop(stale)
        return len(stale)

    def drop(self, stale: list[int]) -> None:
        """Strike out these duels, all at once or none."""
        list(map(self.duels.pop, stale))  # a loop in C, in which no signal handler runs
        for t in stale:
            self.close(t)

    def stale(self, duel: Duel | None = None, *, before: int | None = None) -> list[int]:
        """The rounds of the open duels that `forget` would drop."""
        if (duel is None) == (before is None):
            raise ValueError("forget takes a duel or before=ROUND, one of the two")
        if duel is not None:
            return [self.find(duel).t]
        limit = checks.whole("before", before, low=None)
        return [t for t in self.duels if t < limit]

    def copy(self, before: list[int | None], names: tuple[str, ...] | None) -> "OpenDuels":
        """The book for other arms, without duels; it remembers how their arms were numbered."""
        book = OpenDuels(self.owner, latest=self.latest)
        book.names, book.differ, book.lost = names, self.differ, self.lost
        book.earlier = {
            t: self.earlier.get(t, (duel.row, duel.col))
            for t, duel in self.duels.items()
            if duel.row in before and duel.col in before
        }
        return book

    # After a crash.

    def lose(self, first: int, last: int) -> None:
        """Remember that these rounds may have been asked and then lost in a crash."""
        self.lost = [*self.lost, (first, last)][-MOST_LOST:]
        self.latest = max(self.latest, last)

    def is_lost(self, t: Any) -> bool:
        """Whether a duel of this round may have been asked, and was neither told nor adopted."""
        return isinstance(t, (int, np.integer)) and any(a <= t <= b for a, b in self.lost)

    def found(self, t: int, row: int, col: int, p: Floats, note: Any) -> "OpenDuels":
        """The book in which this lost round is open."""
        book = OpenDuels(self.owner, latest=self.latest)
        vars(book).update(vars(self), duels=dict(self.duels), notes=dict(self.notes))
        parts = [((a, t - 1), (t + 1, b)) if a <= t <= b else ((a, b),) for a, b in self.lost]
        book.lost = [(a, b) for ranges in parts for a, b in ranges if a <= b][-MOST_LOST:]
        book.enter(t, row, col, p, note)
        return book

    def awaits(self, duel: Duel) -> bool:
        """Whether the learner would learn from an answer to it."""
        return duel.learner == self.owner and (duel.t in self.duels or self.is_lost(duel.t))


# The frame.


class Built(NamedTuple):
    """The parts of a learner."""

    memory: Any
    """A named tuple of arrays, all that changes; `words`, if it has one, is the random state."""
    numbers: Any
    """A named tuple of what tunes it."""
    players: int = 0
    """How many distributions the arms are drawn from: 2, one for each arm; 1, from which both come,
    independently or given that they differ; 0 if arms are coupled."""
    note: int = 0
    """How many numbers an open duel keeps, distributions of players first; 0 if `_blank` is
    overridden."""


class State(NamedTuple):
    """All that a kernel changes."""

    memory: Any
    arrays: tuple[NDArray[Any], ...]
    """The same as kernels take it; it costs time to make one each round."""
    clock: Ints

    @classmethod
    def of(cls, memory: Any, clock: Ints) -> "State":
        """The state with this memory."""
        return cls(memory, tuple(memory), clock)

    def copy(self) -> "State":
        """The same in arrays of its own."""
        return State.of(self.memory._make(a.copy() for a in self.arrays), self.clock.copy())


class Turns:
    """An object whose calls take turns; a call within another is an error and does not hang.

    That happens in a signal handler, which runs in the midst of what the thread was doing.
    """

    def __init__(self) -> None:
        self._lock: Any = threading.RLock()

    @property
    def _turn(self) -> Any:
        """The lock, for `with`; an error if this thread has it, in a call that was interrupted."""
        if self._lock._is_owned():
            name = type(self).__name__
            raise RuntimeError(
                f"the {name} is in the midst of another call, which a signal interrupted: let "
                "the handler set a flag, and save or stop where the call has returned"
            )
        return self._lock


class Frame(Turns, ABC):
    """A learner without its rule: its rounds and open duels. `Family` adds what makes it last.

    A family has KERNELS, made by `rounds` from its rule, and says in `_build` what it is made of.
    With players, `_distributions` shows what they draw from.

    Parameters
    ----------
    K
        Number of arms.
    options
        Its other options by name, as JSON.
    seed
        An int, a SeedSequence, a numpy Generator or None.
    """

    KERNELS: ClassVar[Rounds]
    MOST_ARMS: ClassVar[int] = 10_000_000  # with which an array of one number an arm has 80 MB
    WATCHES: ClassVar[bool] = False
    """Whether it can learn from duels that others chose, by a note that is their p, or empty.

    A family with other notes overrides `_note_of` instead.
    """
    DRAWS: ClassVar[bool] = False
    """Whether it draws each round from its Generator, not from words in its memory."""

    _recipe: Recipe | None = None

    def __init__(self, K: int, options: dict[str, Any], seed: streams.Seed) -> None:
        super().__init__()
        remedy = "" if self.MOST_ARMS == Frame.MOST_ARMS else MORE_ARMS
        self._K = arms(K, most=self.MOST_ARMS, remedy=remedy)
        self._options = options
        room, largest = ROOM.get(), self._largest(self._K, **options)
        if room is not None and largest > room:
            raise checks.refuse("its largest array", f"at most {room:,} numbers", largest)
        self._seed = streams.seed_sequence(seed)
        self._rng = streams.generator(seed if self._seed is None else self._seed)
        self._book = OpenDuels()
        built = self._build(**options)
        if "words" in built.memory._fields:
            built.memory.words[:] = seeded(self._rng)
        self._numbers = tuple(built.numbers)
        self._players, self._note = built.players, built.note
        self._state = State.of(built.memory, np.zeros(5, np.int64))
        self._under_way = False  # whether a call is, or was when an interrupt cut it off
        self._coupled = np.empty((0, self._K))
        self._coupled.flags.writeable = False

    # What a family brings.

    @abstractmethod
    def _build(self, *_: Any, **options: Any) -> Built:
        """The parts for these options, all checked."""

    @classmethod
    def _largest(cls, K: int, *_: Any, **options: Any) -> int:
        """At least how many numbers its largest array has, so that no snapshot claims more.

        Every family has one of K - 1 or more: the queue of `btwr` is all arms but the champion.
        """
        return K - 1

    def _distributions(self) -> Floats:
        """(players, K): what the next `ask` draws from; no row if arms are coupled."""
        return self._coupled

    def _size(self) -> int:
        """How many numbers its largest array has."""
        return max((int(part.size) for part in self._state.arrays), default=self._K)

    def _fits(self, row: int, col: int, note: Any) -> bool:
        """Whether a duel of these arms can have been asked with this note."""
        return True

    # What it may do in another way.

    def _blank(self) -> Any:
        """A note to be filled."""
        return np.empty(self._note)

    def _room(self) -> Any:
        """The note that the next `ask` fills."""
        return self._blank()

    def _draw(self) -> None:
        """Draw what the next `ask` needs from the Generator, all at once."""
        raise NotImplementedError

    def _choose(self) -> Duel:
        """Choose a pair, all at once, and enter its duel."""
        book = self._book
        t = book.latest + 1
        note = book.notes[t] = self._room()  # before the round is asked; open duels may share it
        self._under_way = True
        if self.DRAWS:
            self._draw()
        self._run(self.KERNELS.ask, note, t)
        _, row, col, _, _ = self._state.clock.tolist()
        duel = book.enter(t, row, col, self._shown(note), note)
        self._under_way = False
        return duel

    def _learn(self, o: float, asked: Duel, note: Any, at: Moment | None) -> None:
        """Learn the outcome o of a duel, all at once."""
        self._run(self.KERNELS.tell, note, asked.t, o, asked.row, asked.col)

    def _dropped(self, notes: list[Any]) -> None:
        """Hear that the duels with these notes were forgotten; may be repeated."""

    def _block_of(self, memory: Any, rounds: int) -> Any:
        """The memory with what so many rounds need from the Generator."""
        return memory

    def _shown(self, note: Any) -> Floats:
        """(players, K), read-only: what the arms of a duel with this note were drawn from."""
        if not self._players:
            return self._coupled
        p: Floats = note[: self._players * self._K].reshape(self._players, self._K)
        p.flags.writeable = False
        return p

    # How a call is done, all at once.

    def _run(self, kernel: Any, note: Any, *arguments: Any) -> None:
        """Run a kernel on memory and clock: what a call does is done here, and all at once."""
        code, state = machine_code(kernel), self._state
        if code is not None:
            code(state.clock, state.arrays, self._numbers, note, *arguments)
        else:
            state = state.copy()
            kernel(state.clock, state.arrays, self._numbers, note, *arguments)
            self._state = state

    def _settle(self) -> None:
        """Finish a call that an interrupt cut off when it was done, so that all agree again."""
        if self._under_way:
            self._catch_up()
            self._under_way = False

    def _catch_up(self) -> None:
        """Bring the book in line with the clock; may be repeated."""
        asked, row, col, told, _ = self._state.clock.tolist()
        book = self._book
        if asked > book.latest:
            if row == PLAYED:
                book.latest = asked
            else:
                note = book.notes[asked]
                book.enter(asked, row, col, self._shown(note), note)
        if told in book.notes:
            book.close(told)
        if len(book.notes) > len(book.duels):  # `forget`, or an `ask` not done, was cut off
            for t in book.notes.keys() - book.duels.keys():
                book.close(t)

    # What everybody may call.

    @property
    def K(self) -> int:
        """Number of arms."""
        return self._K

    @property
    def t(self) -> int:
        """Rounds asked so far; 0 before the first."""
        return self._settled().latest

    @property
    def seed(self) -> SeedSequence | None:
        """The seed, to repeat the run, even if none was given; None if a Generator was given."""
        return self._seed

    @property
    def p(self) -> Floats:
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
        return MappingProxyType(self._settled().duels)

    def _settled(self) -> OpenDuels:
        """The book, to look at: also in a signal handler, in the midst of a call."""
        if self._under_way and not self._lock._is_owned():
            with self._lock:
                self._settle()
        return self._book

    @property
    def _memory(self) -> Any:
        return self._state.memory

    def __repr__(self) -> str:
        state = f"t={self.t}, {len(self.open)} open"
        return f"<{type(self).__name__} K={self.K}{self._described()}; {state}>"

    def _described(self) -> str:
        """What `repr` says about how it was made: ", name=value" for each option."""
        return "".join(f", {name}={value!r}" for name, value in self._options.items())

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
            return self._ask_distinct()
        with self._turn:
            if self._under_way:  # quicker than to call it
                self._settle()
            return self._choose()

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
            if self._under_way:
                self._settle()
            book = self._book
            asked = book.find(duel)
            self._under_way = True
            self._learn(o, asked, book.notes[asked.t], at)
            book.close(asked.t)
            self._under_way = False

    def forget(self, duel: Duel | None = None, *, before: int | None = None) -> int:
        """Drop an open duel, or all that were asked before a round; returns how many.

        Call it now and then if answers may never come, to keep memory bounded.
        """
        with self._turn:
            self._settle()
            stale = self._book.stale(duel, before=before)
            notes = [self._book.notes[t] for t in stale]
            self._under_way = True
            self._book.drop(stale)
            self._dropped(notes)
            self._under_way = False
            return len(stale)

    def play(self, block: Block, coins: Floats, *, out: Plays | None = None) -> Plays:
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
            self._assign(lambda: self._played(block, coins, out))
            self._settle()
        return out

    def _assign(self, prepare: Callable[[], tuple["Frame", dict[str, Any]]]) -> None:
        """Give a learner the attributes prepared, all at once, or put its Generators back."""
        generators = self._generators()
        states = [it.bit_generator.state for it in generators]
        owner, attributes = self, {"_state": None}
        self._under_way = True
        try:
            owner, attributes = prepare()
            vars(owner).update(attributes)  # in C, and so all at once
        except BaseException:
            if owner._state is not attributes["_state"]:
                for it, state in zip(generators, states, strict=True):
                    it.bit_generator.state = state
            raise

    def _generators(self) -> tuple[Any, ...]:
        """The Generators that its rounds move on."""
        return (self._rng,) if self.DRAWS else ()

    def _played(self, block: Block, coins: Floats, out: Plays) -> tuple["Frame", dict[str, Any]]:
        """Play a block and fill `out`: what of which learner is other then, for `_assign`."""
        state = self._state.copy()
        arrays = tuple(self._block_of(state.memory, len(coins)))
        played = self.KERNELS.play(arrays, self._numbers, self._blank(), *block, coins, *out)
        if played < len(coins):
            raise blocks.refused_chance(block, out, played)
        state.clock[ASKED] = self._book.latest + played
        state.clock[ROW] = PLAYED
        state.clock[LEARNT] += played
        return self, {"_state": state, "_under_way": True}

    def glimpse(self) -> tuple[int, int]:
        """The arms of the duel that `ask` would choose, entered nowhere; its luck moves on.

        What `ask` and `forget` would do at once, but that no round passes.

        Examples
        --------
        >>> import sparring
        >>> learner = sparring.tracker(3, differ=True, seed=1)
        >>> row, col = learner.glimpse()
        >>> row != col, learner.t
        (True, 0)
        """
        with self._turn:
            self._settle()
            self._run(self.KERNELS.ask, self._blank(), 0)  # no round
            _, row, col, _, _ = self._state.clock.tolist()
            return row, col

    def teach(self, row: int, col: int, outcome: float) -> None:
        """Learn from a duel that somebody else chose and that is answered: `watch` and `tell`.

        No round passes. Learners with a `p` need it, so they are not taught.

        Parameters
        ----------
        row, col
            The positions of its arms.
        outcome
            1 if the row arm won, 0 if the column arm did, 0.5 for a tie; anything in [0, 1].

        Examples
        --------
        >>> import sparring
        >>> learner = sparring.learners.double_thompson(3, seed=1)
        >>> learner.teach(0, 2, 1.0)
        >>> int(learner.wins[0, 2]), learner.t
        (1, 0)
        """
        o, row, col = checks.outcome(outcome), self._place("row", row), self._place("col", col)
        with self._turn:
            self._settle()
            self._run(self.KERNELS.tell, self._note_of(row, col, None), 0, o, row, col)

    # Two different arms from a learner that also lets arms meet themselves.

    def _ask_distinct(self) -> Duel:
        if self.differ:
            return self.ask()
        demand_distinct(self)
        selves: list[Duel] = []
        for _ in range(MOST_SELVES):
            duel = self.ask()
            if duel.row != duel.col:
                return duel._replace(selves=tuple(selves))
            self.tell(duel, 0.5)
            selves.append(duel)
        raise RuntimeError(
            f"the learner has not shown two different arms in {MOST_SELVES:,} rounds, which have "
            f"passed: one arm has nearly all of its p. {REMEDY}"
        )

    # Duels that it did not choose, or lost in a crash.

    def watch(self, row: int, col: int, p: Any = None) -> Duel:
        """Enter a duel that someone else chose; tell its outcome like any other.

        Parameters
        ----------
        row, col
            The positions of its arms.
        p
            (players, K): the distributions they were drawn from, independently, or given that they
            differ if the learner's own arms always differ; or (K,), if both come from one
            distribution. Needed by learners that divide by the chances of the arms, which are all
            learners with a `p`.

        Examples
        --------
        >>> import sparring
        >>> learner = sparring.steady(3, seed=1)
        >>> duel = learner.watch(0, 2, p=[1 / 3, 1 / 3, 1 / 3])  # a pair drawn uniformly
        >>> learner.tell(duel, 1.0)
        """
        row, col = self._place("row", row), self._place("col", col)
        with self._turn:
            self._settle()
            t = self._book.latest + 1
            self._book.notes[t] = self._note_of(row, col, p)
            self._under_way = True
            self._state.clock[:TOLD] = t, row, col
            self._settle()
            return self._book.duels[t]

    def adopt(self, duel: Duel) -> Duel:
        """Accept a duel that was lost in a crash, once; returns it, open.

        This learner must have asked it after the snapshot that `sparring.replay` started from, and
        it must carry the distributions of its arms, as `Duel.to_json` writes them.
        """
        if not isinstance(duel, Duel):
            raise DuelError(f"expected a Duel; got {short(duel)}")
        with self._turn:
            self._settle()
            if duel.learner != self._book.owner or not self._book.is_lost(duel.t):
                return self._book.find(duel)  # or says why it cannot be told
            names = self._book.names
            if names is not None:
                places = [arm for arm in (duel.row, duel.col) if 0 <= arm < len(names)]
                if duel.names != tuple(names[arm] for arm in places):
                    raise DuelError(
                        f"the duel of round {duel.t} is of {duel.names}, and arms have changed "
                        "since the snapshot: take one whenever they do"
                    )
            try:
                row, col = self._place("row", duel.row), self._place("col", duel.col)
                note = self._note_of(row, col, duel.p)
            except ValueError as error:
                raise DuelError(f"the duel of round {duel.t} cannot be adopted: {error}") from None
            self._book = self._book.found(int(duel.t), row, col, self._shown(note), note)
            return self._book.duels[int(duel.t)]

    def _note_of(self, row: int, col: int, p: Any) -> Any:
        """The note of a duel of these arms, drawn from p, all checked."""
        if not self.WATCHES or self._note != self._players * self.K:
            raise ValueError(f"a {type(self).__name__} learns only from the duels it asks")
        if not self._players:
            return np.empty(0)
        note = given_p(p, self._players, self.K, 0.0).ravel()
        if not self._fits(row, col, note):
            raise checks.refuse("p", "what this learner could have drawn the arms from", p)
        return note

    def _lose_track(self, asked: int) -> None:
        """Leave numbers free for rounds that were asked after the snapshot and lost."""
        with self._turn:
            self._settle()
            if asked > self._book.latest:
                self._book.lose(self._book.latest + 1, asked + AHEAD)

    def _place(self, name: str, arm: Any) -> int:
        return checks.whole(name, arm, low=0, high=self._K - 1)


def demand_distinct(learner: Any) -> None:
    """Refuse a learner whose asks may never show two different arms.

    A learner that couples its arms may show an arm against itself forever, once it is sure.
    """
    if not (learner.differ or len(learner.p)):
        raise ValueError(
            f"{type(learner).__name__} couples its arms, and once it is sure it may show one "
            f"against itself forever, so it has no ask(distinct=True). {REMEDY}"
        )


def given_p(p: Any, players: int, K: int, least: float) -> Floats:
    """(players, K): what the arms of a duel were drawn from, each entry at least `least`."""
    remedy = "Give what its arms were drawn from, such as [1 / K] * K for a uniform pair"
    if p is None:
        raise checks.refuse("p", "given for this learner", p, remedy)
    rows = checks.array("p", np.atleast_2d(np.asarray(p, np.float64)), np.float64, (None, K))
    if len(rows) == 1:
        rows = np.repeat(rows, players, axis=0)
    if len(rows) != players:
        raise checks.refuse("p", f"of {players} rows", checks.Shown(f"{len(rows)} rows"), remedy)
    if not (np.isfinite(rows).all() and (rows >= least).all() and (rows <= 1).all()):
        raise checks.refuse("p", f"of chances from {least:g} to 1", p, remedy)
    return rows.copy()
