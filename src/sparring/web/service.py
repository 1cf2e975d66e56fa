"""Service: the arenas of a database and all that stands around them, for one process."""

import asyncio
from typing import Self

from sparring.arena import Arena, arenas
from sparring.web.config import ServiceConfig
from sparring.web.deliveries import Courier
from sparring.web.front import Front
from sparring.web.hooks import Hooks
from sparring.web.keys import Keys
from sparring.web.limits import Throttle
from sparring.web.metrics import Metrics
from sparring.web.problems import ProblemError
from sparring.web.watcher import Watcher


class Service:
    """What the routes work with. Open it in the event loop that serves, and close it at the end."""

    keys: Keys
    hooks: Hooks

    def __init__(self, config: ServiceConfig, metrics: Metrics) -> None:
        self.config = config
        self.metrics = metrics
        self.throttle = Throttle(config.limits)
        self.courier = Courier(metrics, private=config.private_hooks)
        self.watcher = Watcher(self, config.address)
        self._fronts: dict[str, Front] = {}

    async def __aenter__(self) -> Self:
        """Open all arenas, and begin to serve them."""
        await asyncio.to_thread(self._open)
        for front in self._fronts.values():
            front.desk.open()
        self.metrics.watch(
            "sparring_calls_waiting",
            "Calls that wait for the database",
            lambda: {name: float(len(front.desk)) for name, front in self._fronts.items()},
        )
        self.metrics.watch(
            "sparring_pairs_open",
            "Pairs that were handed out and can still be answered",
            lambda: {name: float(front.open_pairs) for name, front in self._fronts.items()},
        )
        self.courier.open()
        self.watcher.open()
        return self

    def _open(self) -> None:
        address, most = self.config.address, self.config.limits.waiting
        for name in arenas(address):
            self._fronts[name] = Front(name, Arena(address, name=name), most)
        self.keys, self.hooks = Keys(address), Hooks(address)

    async def __aexit__(self, *_: object) -> None:
        """Finish what waits, save all states and close."""
        await self.watcher.close()
        await self.courier.close()
        for front in self._fronts.values():
            await front.close()
        self.keys.close()
        self.hooks.close()

    def names(self) -> list[str]:
        """The names of the arenas."""
        return list(self._fronts)

    def front(self, name: str) -> Front:
        """The arena of a name, for coroutines."""
        try:
            return self._fronts[name]
        except KeyError:
            raise ProblemError(404, "no-such-arena", "There is no arena of this name.") from None

    def arena(self, name: str) -> Arena:
        """The arena of a name, for threads."""
        return self.front(name).arena
