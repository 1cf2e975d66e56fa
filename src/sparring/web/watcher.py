"""Watcher: looks at the arenas now and then, and tells webhooks what has happened."""

import asyncio
import hashlib
import os
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from sparring import locks
from sparring.arena.state import State
from sparring.web.deliveries import Courier
from sparring.web.front import Front
from sparring.web.hooks import Hook, Hooks
from sparring.web.readings import Readings
from sparring.web.workers import Workers

EVERY = 10.0  # seconds between two looks
THIN_SHARE, THIN_VOTES = 0.1, 30  # of an equal share; answers on an item
PATIENCE = 50  # questions for each item, for which one may be thin before it is starved
WINDOW = 200  # answers over which the share that is not learnt is looked at
JUMP = 0.1
DRIFT_EVERY, DRIFT_PART = 60.0, 20  # seconds; and at most one part in so many of the time
NAME = "the look for webhooks"  # among the workers


class Glimpse(NamedTuple):
    """What is looked at in an arena."""

    leader: str | None
    asked: int
    told: int
    excluded: int
    """Answers that are not learnt, but for those that were skipped."""
    votes: int
    thin: frozenset[str]
    """Items that are hardly shown, and on which there are few votes."""
    items: int


def glimpse(state: State) -> Glimpse:
    """What can be seen in a state."""
    arms = [state.arms[arm] for arm in state.present]
    least = THIN_SHARE / len(arms)
    counts = state.tallies
    return Glimpse(
        leader=None if state.leader is None else state.arms[state.leader].name,
        asked=counts.asked,
        told=counts.told,
        excluded=sum(counts.kept.values()) - counts.kept.get("skip", 0),
        votes=state.votes,
        thin=frozenset(arm.name for arm in arms if arm.share < least and arm.votes < THIN_VOTES),
        items=len(arms),
    )


@dataclass
class Memory:
    """What was seen of an arena before; `news` compares."""

    last: Glimpse
    mark: Glimpse
    """At the beginning of the window for the share that is not learnt."""
    thin: dict[str, int] = field(default_factory=dict)
    """Since which question each item has been thin."""
    told: set[str] = field(default_factory=set)
    """Starved items of which the hooks were told."""
    rung: tuple[int, Counter[str]] | None = None
    """Which alarm, and how often it rang by kind, when last counted."""
    due: float = 0.0
    """When to count them again."""

    def news(self, now: Glimpse) -> list[tuple[str, dict[str, Any]]]:
        """What has happened since the last look."""
        found: list[tuple[str, dict[str, Any]]] = []
        if now.leader != self.last.leader and self.last.leader is not None:
            facts = {"leader": now.leader, "before": self.last.leader, "votes": now.votes}
            found.append(("leader changed", facts))
        self.thin = {name: self.thin.get(name, now.asked) for name in now.thin}
        self.told &= now.thin
        for name, since in self.thin.items():
            if name not in self.told and now.asked - since >= PATIENCE * now.items:
                self.told.add(name)
                found.append(("item starved", {"item": name, "votes": now.votes}))
        if now.told - self.mark.told >= WINDOW:
            recent = (now.excluded - self.mark.excluded) / (now.told - self.mark.told)
            before = self.mark.excluded / self.mark.told if self.mark.told else 0.0
            if recent > max(before + JUMP, 2 * before):
                shares = {"share": round(recent, 4), "before": round(before, 4)}
                found.append(("excluded share jumped", shares))
            self.mark = now
        self.last = now
        return found


class Watched(Protocol):
    """What the watcher needs from a service."""

    hooks: Hooks
    workers: Workers
    courier: Courier
    readings: Readings

    def names(self) -> list[str]:
        """The names of the arenas."""

    def front(self, name: str) -> Front:
        """The arena of a name."""


class Watcher:
    """One task that looks. Of several processes on a machine only one looks, so hooks hear once."""

    def __init__(self, service: Watched, address: str) -> None:
        self._service = service
        self._turn = Turn(address)
        self._memories: dict[str, Memory] = {}
        self._task: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Begin to look."""
        self._task = task = asyncio.create_task(self._run())
        self._service.workers.add(NAME, lambda: not task.done())

    async def close(self) -> None:
        """Stop."""
        if self._task is not None:
            self._service.workers.remove(NAME)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._turn.give_up()

    def is_my_turn(self) -> bool:
        """Whether this process looks, and not another one of this machine."""
        return self._turn.take()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            for name in self._service.names():
                try:
                    await self.look(name)
                except Exception as error:  # a look that fails must not end all looking
                    self._service.workers.failed(NAME, error)

    async def look(self, name: str) -> None:
        """Look at an arena, if any webhook wants to know."""
        hooks = await asyncio.to_thread(self._service.hooks.all, name)
        if not hooks or not self.is_my_turn():
            self._memories.pop(name, None)
            return
        front = self._service.front(name)
        seen = await front.look(glimpse)
        memory = self._memories.setdefault(name, Memory(seen, seen))
        found = memory.news(seen)
        if any("drift suspected" in hook.kinds for hook in hooks):
            found += await self._drift(name, memory)
        for kind, facts in found:
            self._tell(hooks, name, kind, facts)

    async def _drift(self, name: str, memory: Memory) -> list[tuple[str, dict[str, Any]]]:
        """Alarms that rang since the last count; done rarely, as it reads the log."""
        began = time.monotonic()
        if began < memory.due:
            return []
        rung = await asyncio.to_thread(lambda: self._service.readings.of(name).alarms())
        cost = time.monotonic() - began
        memory.due = began + max(DRIFT_EVERY, DRIFT_PART * cost)
        before, memory.rung = memory.rung, rung
        if before is None or before[0] != rung[0]:  # another alarm counts from the beginning
            return []
        more = dict(rung[1] - before[1])
        return [("drift suspected", {"alarms": more})] if more else []

    def _tell(self, hooks: list[Hook], name: str, kind: str, facts: dict[str, Any]) -> None:
        for hook in hooks:
            if kind in hook.kinds:
                self._service.courier.send(hook, kind, name, facts)


class Turn:
    """A lock for one process of this machine, released when it dies."""

    def __init__(self, address: str) -> None:
        place = address if "://" in address else os.path.realpath(address)
        digest = hashlib.sha256(place.encode()).hexdigest()[:16]
        owner = os.getuid() if hasattr(os, "getuid") else 0
        self._path = os.path.join(tempfile.gettempdir(), f"sparring-{owner}-{digest}.lock")
        self._file: int | None = None

    def take(self) -> bool:
        """Whether this process has it now."""
        if self._file is not None:
            return True
        follow = getattr(os, "O_NOFOLLOW", 0)  # which Windows does not have
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | follow, 0o600)
        except OSError:
            return False
        try:
            taken = locks.lock(file)
        except OSError:  # of a disk that knows no locks
            taken = False
        if taken:
            self._file = file
        else:
            os.close(file)
        return taken

    def give_up(self) -> None:
        """Let another process have it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
