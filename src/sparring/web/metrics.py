"""What to watch, as Prometheus reads it."""

from collections.abc import Callable, Iterable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector as PrometheusCollector

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

# When a counter began is of no use here, and doubles the text.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Gauges(PrometheusCollector):
    """Numbers that are looked up when somebody asks."""

    def __init__(self, name: str, text: str, look: Callable[[], dict[str, float]]) -> None:
        self._name, self._text, self._look = name, text, look

    def collect(self) -> Iterable[Metric]:
        """The numbers now, by arena."""
        found = GaugeMetricFamily(self._name, self._text, labels=["arena"])
        for arena, value in self._look().items():
            found.add_metric([arena], value)
        yield found


class Metrics:
    """The counters of one process. What is in the log counts over all; this since the start."""

    def __init__(self) -> None:
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
        self.hooks = Counter(
            "sparring_hook_deliveries", "Webhooks by result", ["result"], registry=self.registry
        )

    def watch(self, name: str, text: str, look: Callable[[], dict[str, float]]) -> None:
        """Show a number for each arena that is looked up whenever somebody asks."""
        self.registry.register(Gauges(name, text, look))

    def text(self) -> bytes:
        """All of it, for Prometheus."""
        return generate_latest(self.registry)
