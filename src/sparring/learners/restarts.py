"""Restarting: a learner that begins anew at planned rounds; old preferences are forgotten whole."""

from bisect import bisect_right
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sparring import checks, streams
from sparring.learners import blocks, plans, snapshots
from sparring.learners.bookkeeping import Bookkeeping, told
from sparring.learners.duels import OpenDuels
from sparring.learners.registry import PLAIN
from sparring.learners.restoring import KINDS, restore
from sparring.problem import LONGEST, Block, Duel, Plays, arms

NEVER = 2**63


class Epoch(NamedTuple):
    """The rounds between two restarts."""

    number: int
    """From 0."""
    start: int
    """Rounds before it."""
    length: int
    """How many rounds the learner of this epoch is planned for."""


class Inside(NamedTuple):
    """What an open duel is to the learner inside."""

    epoch: int
    duel: Duel


class Restarting(Bookkeeping):
    """A learner that begins anew at planned rounds.

    Each epoch has a fresh learner, planned for the length of the epoch. Rounds are counted as they
    are told. An answer that comes when the epoch of its asking is over teaches nothing.

    Parameters
    ----------
    K
        Number of arms.
    learner
        The name of the learner inside, of `sparring.LEARNERS`; none that needs no plan or is itself
        made of another.
    options
        Its options besides K, T and seed; no tuning, as each epoch has one for its length.
    every
        Begin anew every so many rounds; or
    changes
        at the beginning of these rounds, with `T` for the length of the last epoch; or
    doubling
        after this many rounds, then after twice as many, and so on: for a T nobody knows.
    seed
        An int, a SeedSequence, a numpy Generator or None.

    Examples
    --------
    >>> learner = Restarting(5, "dex3p", every=1000, seed=1)
    >>> learner.tell(learner.ask(), 1.0)
    >>> learner
    <Restarting K=5, learner='dex3p', every=1000; t=1, 0 open, epoch 0>
    """

    KIND = "restarts"

    def __init__(
        self,
        K: int,
        learner: str,
        *,
        options: dict[str, Any] | None = None,
        every: int | None = None,
        changes: Any = None,
        T: int | None = None,
        doubling: int | None = None,
        seed: streams.Seed = None,
    ) -> None:
        super().__init__(K, seed)
        self._learner = plans.learner(learner)
        self._options = plans.options(learner, options)
        if sum(plan is not None for plan in (every, changes, doubling)) != 1:
            raise ValueError("give one of every, changes and doubling")
        self._every = None if every is None else plans.rounds("every", every)
        self._doubling = None if doubling is None else plans.rounds("doubling", doubling)
        if T is not None and changes is None:
            raise checks.refuse("T", "given only with changes", T, "Other plans need no end")
        self._T = None if T is None else plans.rounds("T", T)
        self._changes = None if changes is None else plans.changes(changes, self._T)
        self._inside: dict[int, Inside] = {}
        self._told = 0
        self._epoch = self._epoch_of(0)
        self._inner = self._fresh(self._epoch)
        if self._changes:  # of the others, the shortest and the longest are the hardest to plan
            starts = [1, *self._changes, (self._T or 0) + 1]
            lengths = [after - start for start, after in pairwise(starts)]
            for rounds in (min(lengths), max(lengths)):
                self._planned(rounds, 0)

    def __repr__(self) -> str:
        plan = {name: value for name, value in self._plan().items() if value not in (None, {})}
        told_of = "".join(f", {name}={checks.short(value, 40)}" for name, value in plan.items())
        state = f"t={self.t}, {len(self.open)} open, epoch {self._epoch.number}"
        return f"<Restarting K={self.K}{told_of}; {state}>"

    @property
    def epoch(self) -> int:
        """How often it has begun anew."""
        return self._epoch.number

    @property
    def inner(self) -> Any:
        """The learner of this epoch: to look at, not to ask."""
        return self._inner

    @property
    def favourite(self) -> int:
        """The arm that the learner of this epoch thinks best at present."""
        with self._turn:
            favourite: int = self._inner.favourite
            return favourite

    @property
    def p(self) -> NDArray[np.float64]:
        """(players, K), read-only: what the next `ask` draws from; no row if arms are coupled."""
        with self._turn:
            p: NDArray[np.float64] = self._inner.p
            return p

    def ask(self) -> Duel:
        """Choose the next pair."""
        with self._turn:
            inside = self._inner.ask()
            self._t += 1
            self._inside[self._t] = Inside(self._epoch.number, inside)
            return self._book.open(self._t, inside.row, inside.col, inside.p)

    def tell(self, duel: Duel, outcome: float) -> None:
        """Learn the outcome of a duel, if its epoch goes on, and begin anew if it is time to.

        Parameters
        ----------
        duel
            What `ask` returned. Answers may come late and in any order; each duel is told once.
        outcome
            1 if the row arm won, 0 if the column arm did, 0.5 for a tie; anything in [0, 1].
        """
        o = told(outcome)
        with self._turn:
            asked = self._book.find(duel)
            inside = self._inside[asked.t]
            if self._awaited(inside):
                self._inner.tell(inside.duel, o)
            self._book.close(asked)
            del self._inside[asked.t]
            self._pass(1)

    def forget(self, duel: Duel | None = None, *, before: int | None = None) -> int:
        """Drop an open duel, or all asked before a round; returns how many were dropped."""
        with self._turn:  # once, lest somebody saves what is forgotten by half
            dropped = self._book.forget(duel, before=before)
            gone = self._inside.keys() - self.open.keys() if duel is None else {duel.t}
            for t in sorted(gone):
                inside = self._inside.pop(t)
                if self._awaited(inside):
                    self._inner.forget(inside.duel)
            return dropped

    def play(self, block: Block, coins: NDArray[np.float64], *, out: Plays | None = None) -> Plays:
        """Play a whole block, epoch by epoch; as `ExponentialWeights.play`."""
        block, coins = blocks.checked(block, coins, self.K)
        out = blocks.room(out, len(coins))
        with self._turn:
            if self._told + len(coins) > self._end():
                blocks.demand_chances(block.P)  # or only the first epochs might be played
            done = 0
            while done < len(coins):
                stop = min(done + self._end() - self._told, len(coins))
                part = Plays._make(arms[done:stop] for arms in out)
                self._inner.play(blocks.cut(block, done, stop), coins[done:stop], out=part)
                self._t += stop - done
                self._pass(stop - done)
                done = stop
        return out

    def snapshot(self) -> dict[str, Any]:
        """Everything the learner knows, for `json.dumps`; `sparring.restore` goes on from it."""
        with self._turn:
            duels = self._book.duels.values()
            fields = {
                "id": self._book.owner,
                "K": self.K,
                "plan": self._plan(),
                "t": self.t,
                "told": self._told,
                "inner": self._inner.snapshot(),
                "seed": streams.seed_to_json(self._seed),
                "generator": streams.to_json(self._rng),
                "open": [[duel.t, duel.row, duel.col] for duel in duels],
                "inside": [[self._inside[d.t].epoch, self._inside[d.t].duel.t] for d in duels],
                "distributions": [duel.p.tolist() for duel in duels],
            }
        return snapshots.seal(self.KIND, fields)

    @classmethod
    def from_snapshot(cls, snapshot: dict[str, Any]) -> Self:
        """The learner a snapshot was taken of; `sparring.restore` calls this."""
        fields = snapshots.Fields(snapshot, cls.KIND)
        K = fields.read("K", arms)
        restored = fields.read("inner", restore)
        fields.demand("inner", restored.K == K)  # first, as a damaged K might not fit into memory
        learner = fields.read("plan", lambda plan: cls(K, **plan, seed=0))
        planned, learner._inner = learner._inner, restored
        fields.demand("inner", type(restored) is type(planned))
        learner._seed = fields.read("seed", streams.seed_from_json)
        learner._rng = fields.read("generator", streams.from_json)
        learner._t = fields.read("t", lambda t: checks.whole("t", t, low=0))
        learner._told = fields.read("told", lambda told: checks.whole("told", told, low=0))
        learner._epoch = learner._epoch_of(learner._told)
        learner._book = OpenDuels(fields.read("id", str), latest=learner.t)
        duels = fields.array("open", np.int64, (None, 3)).tolist()
        fields.demand("told", learner._told + len(duels) <= learner.t)
        insides = fields.array("inside", np.int64, (len(duels), 2)).tolist()
        number, inner = learner._epoch.number, learner._inner.open
        fields.demand("inside", all(0 <= epoch <= number for epoch, _ in insides))
        now = [inner_t for epoch, inner_t in insides if epoch == number]
        fields.demand("inside", sorted(now) == sorted(inner))
        shown = fields.read("distributions", lambda duels: [_distributions(p, K) for p in duels])
        fields.demand("distributions", len(shown) == len(duels))
        for (t, row, col), (epoch, inner_t), p in zip(duels, insides, shown, strict=True):
            fields.demand("open", 0 < t <= learner.t and 0 <= row < K and 0 <= col < K)
            inside = inner[inner_t] if epoch == number else Duel(inner_t, row, col, p)
            fields.demand("open", (inside.row, inside.col) == (row, col))
            learner._book.open(t, row, col, inside.p)
            learner._inside[t] = Inside(epoch, inside)
        fields.verify(learner.snapshot())
        return learner

    def _plan(self) -> dict[str, Any]:
        """What makes it besides K and seed, as JSON has it."""
        return {
            "learner": self._learner,
            "options": dict(self._options),
            "every": self._every,
            "changes": None if self._changes is None else list(self._changes),
            "T": self._T,
            "doubling": self._doubling,
        }

    def _awaited(self, inside: Inside) -> bool:
        """Whether the learner inside waits for it.

        Not if its epoch is over, or if an interrupt came when nobody else knew of the answer.
        """
        return inside.epoch == self._epoch.number and inside.duel.t in self._inner.open

    def _epoch_of(self, t: int) -> Epoch:
        """The epoch that goes on when t rounds were told."""
        if self._every is not None:
            number = t // self._every
            return Epoch(number, number * self._every, self._every)
        if self._doubling is not None:
            number = (t // self._doubling + 1).bit_length() - 1
            return Epoch(number, (2**number - 1) * self._doubling, 2**number * self._doubling)
        assert self._changes is not None and self._T is not None
        number = bisect_right(self._changes, t + 1)
        first = self._changes[number - 1] if number else 1
        after = self._changes[number] if number < len(self._changes) else self._T + 1
        return Epoch(number, first - 1, after - first)

    def _end(self) -> int:
        """The round with which the epoch ends; one that never comes if it is the last."""
        last = self._changes is not None and self._epoch.number == len(self._changes)
        return NEVER if last else self._epoch.start + self._epoch.length

    def _pass(self, rounds: int) -> None:
        """Count rounds that were told, and begin anew if it is time to."""
        self._told += rounds
        if self._told >= self._end():
            epoch = self._epoch_of(self._told)
            self._inner, self._epoch = self._fresh(epoch), epoch

    def _fresh(self, epoch: Epoch) -> Any:
        seed, rounds = int(self._rng.integers(2**63)), epoch.length
        while self._doubling is not None and rounds > self._doubling:
            try:
                return self._planned(rounds, seed)
            except ValueError:  # too many to plan for, after years: a shorter plan goes on as well
                rounds //= 2
        return self._planned(rounds, seed)

    def _planned(self, rounds: int, seed: int) -> Any:
        T = min(rounds, LONGEST)  # doubled for ever, an epoch may be longer than any plan
        return PLAIN[self._learner](self.K, T=T, **self._options, seed=seed)


# `restore` knows all other kinds by itself; of this one it cannot, as this one restores with it.
KINDS[Restarting.KIND] = Restarting


def _distributions(rows: Any, K: int) -> NDArray[np.float64]:
    """What the arms of an open duel were drawn from, of a snapshot: no row if they are coupled."""
    p = checks.array("p", rows, np.float64, (None, K))
    if len(p) > 2 or not np.isfinite(p).all():
        raise checks.refuse("p", "at most two rows of finite numbers", rows)
    return p
