"""Service: the arenas of a database and all that goes with them, for one process."""

import asyncio
import os
from functools import partial
from typing import Self

from sparring.arena import Arena, StorageError, arenas
from sparring.web.config import ServiceConfig
from sparring.web.deliveries import Courier
from sparring.web.front import Front
from sparring.web.gate import Gate
from sparring.web.hooks import Hooks
from sparring.web.invites import Invites
from sparring.web.keys import Keys
from sparring.web.limits import Throttle
from sparring.web.metrics import Metrics
from sparring.web.problems import ProblemError
from sparring.web.readings import Readings
from sparring.web.suspects import Warden
from sparring.web.watcher import Watcher
from sparring.web.workers import Workers

NEW = "the look for new arenas"  # among the workers
LOOK = 5.0  # seconds between looks for arenas that another process has made


class Service:
    """What the routes work with. Open it in the event loop that serves, and close it at the end."""

    keys: Keys
    hooks: Hooks
    invites: Invites
    gate: Gate

    def __init__(self, config: ServiceConfig, metrics: Metrics) -> None:
        self.config = config
        self.metrics = metrics
        shared = None if config.shared is None else os.path.join(config.shared, "allowances")
        self.throttle = Throttle(config.limits, shared)
        self.workers = Workers(metrics.failures)
        self.courier = Courier(metrics, self.workers, private=config.private_hooks)
        self.readings = Readings(config.address)
        self.watcher = Watcher(self, config.address)
        self.warden = Warden(self, self.watcher.is_my_turn)
        self._fronts: dict[str, Front] = {}
        self._looking: asyncio.Task[None]

    async def __aenter__(self) -> Self:
        """Open all arenas, and begin to serve them."""
        self.keys, self.hooks, self.invites = await asyncio.to_thread(self._doors)
        self.gate = Gate(self.invites)
        await self.open_new()
        self.metrics.watch(
            "sparring_calls_waiting",
            "Calls that wait for the database",
            lambda: {name: float(len(front.desk)) for name, front in self._fronts.items()},
            together="livesum",
        )
        self.metrics.watch(
            "sparring_pairs_open",
            "Pairs that were handed out and can still be answered",
            lambda: {name: float(front.open_pairs) for name, front in self._fronts.items()},
            together="livemax",  # all know of the same pairs
        )
        self.watcher.open()
        self.warden.open()
        self._looking = looking = asyncio.create_task(self._open_new_now_and_then())
        self.workers.add(NEW, lambda: not looking.done())
        return self

    def _doors(self) -> tuple[Keys, Hooks, Invites]:
        address = self.config.address
        return Keys(address), Hooks(address), Invites(address)

    async def open_new(self) -> None:
        """Open the arenas that were made since the last look, here or by another process."""
        for name in await asyncio.to_thread(arenas, self.config.address):
            if name not in self._fronts:
                arena = await asyncio.to_thread(Arena, self.config.address, name=name)
                failed = partial(self.workers.failed, _desk_of(name))
                front = Front(name, arena, self.config.limits, failed)
                if self._fronts.setdefault(name, front) is front:
                    front.desk.open()
                    self.workers.add(_desk_of(name), partial(_is_alive, front))
                else:  # somebody else has opened it meanwhile
                    await asyncio.to_thread(arena.close)

    async def _open_new_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            try:
                await self.open_new()
                self.metrics.look()
            except StorageError:  # the next look may succeed
                pass
            except Exception as error:
                self.workers.failed(NEW, error)

    async def __aexit__(self, *_: object) -> None:
        """Finish what waits, save all states and close."""
        self._looking.cancel()
        await asyncio.gather(self._looking, return_exceptions=True)
        await self.warden.close()
        await self.watcher.close()
        await self.courier.close()
        await asyncio.to_thread(self.gate.close)
        for name, front in self._fronts.items():
            self.workers.remove(_desk_of(name))
            await front.close()
        self.keys.close()
        self.hooks.close()
        self.invites.close()
        self.throttle.close()

    def names(self) -> list[str]:
        """The names of the arenas."""
        return list(self._fronts)

    def front(self, name: str) -> Front:
        """The arena with a name, for coroutines."""
        try:
            return self._fronts[name]
        except KeyError:
            raise ProblemError(404, "no-such-arena", "There is no arena of this name.") from None

    def arena(self, name: str) -> Arena:
        """The arena of a name, for threads."""
        return self.front(name).arena


def _desk_of(name: str) -> str:
    """The name of an arena's desk among the workers."""
    return f"the desk of {name}"


def _is_alive(front: Front) -> bool:
    return front.desk.is_alive
