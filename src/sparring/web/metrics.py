"""What to watch, as Prometheus reads it."""

import glob
import os
import re
from collections.abc import Callable
from typing import Literal

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SHARED = "PROMETHEUS_MULTIPROC_DIR"  # by which its client knows where processes count together
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

# When a counter began is of no use here, and doubles the text.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """Counters since the start, over all processes that serve together on this machine.

    Parameters
    ----------
    shared
        The folder in which they count. Prometheus' client must find the same one in the environment
        when it is imported. None for this process alone.
    """

    def __init__(self, shared: str | None = None) -> None:
        self._shared = shared
        self._looks: list[tuple[Gauge, Callable[[], dict[str, float]]]] = []
        self.registry = CollectorRegistry()
        self.pairs = Counter(
            "sparring_pairs_asked", "Pairs handed out", ["arena"], registry=self.registry
        )
        self.votes = Counter(
            "sparring_votes", "Votes by result", ["arena", "result"], registry=self.registry
        )
        self.seconds = Histogram(
            "sparring_seconds",
            "From request to reply",
            ["call"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self.limited = Counter(
            "sparring_rate_limited", "Requests refused as too many", registry=self.registry
        )
        self.responses = Counter(
            "sparring_responses", "Responses by status", ["status"], registry=self.registry
        )
        self.failures = Counter(
            "sparring_worker_failures",
            "Turns of background workers that failed",
            ["worker"],
            registry=self.registry,
        )
        self.hooks = Counter(
            "sparring_hook_deliveries", "Webhooks by result", ["result"], registry=self.registry
        )

    def watch(
        self,
        name: str,
        text: str,
        find: Callable[[], dict[str, float]],
        *,
        together: Literal["livesum", "livemax"],
    ) -> None:
        """Show a number for each arena; what several processes find is added, or the largest."""
        gauge = Gauge(name, text, ["arena"], registry=self.registry, multiprocess_mode=together)
        self._looks.append((gauge, find))

    def look(self) -> None:
        """Find those numbers now; for other processes, which cannot find them here."""
        for gauge, find in self._looks:
            for arena, value in find().items():
                gauge.labels(arena).set(value)

    def text(self) -> bytes:
        """All of it, for Prometheus."""
        self.look()
        if self._shared is None:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        for number in _dead(self._shared):
            mark_process_dead(number, self._shared)  # type: ignore[no-untyped-call]
        MultiProcessCollector(together, self._shared)  # type: ignore[no-untyped-call]
        return generate_latest(together)


def _dead(folder: str) -> set[int]:
    """The processes that counted here and have ended. What they counted stays counted."""
    files = glob.glob(os.path.join(glob.escape(folder), "gauge_live*_*.db"))
    numbers = {int(found[1]) for file in files if (found := re.search(r"_(\d+)\.db$", file))}
    return {number for number in numbers if not _is_alive(number)}


def _is_alive(number: int) -> bool:
    try:
        os.kill(number, 0)  # no signal: only whether there is somebody
    except OSError:
        return False
    return True
