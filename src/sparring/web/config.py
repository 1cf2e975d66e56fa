"""How an arena is served: where, for whom, and within which limits."""

import json
from dataclasses import asdict, dataclass, field
from typing import Self
from urllib.parse import urlsplit

from sparring import checks

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Limits:
    """What is too much. Everything here is checked before anything is stored."""

    small: int = 16 << 10
    """Bytes of a body without a key, and of any that asks or votes."""
    body: int = 1 << 20
    """Bytes of another body."""
    bulk: int = 32 << 20
    """Bytes of a body that brings many items or votes."""
    items: int = 400  # a pair costs the processor 20 ms at most; see docs/operating.md
    """Items in an arena, withdrawn ones not counted."""
    batch: int = 50
    """Pairs in one ask."""
    ahead: int = 5
    """Pairs that a voter without a key may have open."""
    address_ahead: int = 2_000
    """Pairs that callers from one neighbourhood of addresses may have open: the oldest lapse."""
    open: int = 25_000
    """Pairs that an arena may have open: the oldest lapse."""
    waiting: int = 1024
    """Calls that wait for the database."""
    connections: int = 2000
    """Connections of one process."""
    voter_minute: float = 240
    """Requests of one voter without a key in a minute; 0 for any number."""
    voter_day: float = 5_000
    """Votes of one voter without a key in a day."""
    address_minute: float = 2_400
    """Requests without a key from one neighbourhood of addresses in a minute."""
    address_day: float = 50_000
    """Votes without a key from one neighbourhood in a day."""


@dataclass(frozen=True)
class ServiceConfig:
    """How an arena is served."""

    address: str
    """The database: a file, or postgresql://..."""
    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str | None = None
    """How people reach it, if that is not http://HOST:PORT, as behind a proxy."""
    proxy_hops: int = 0
    """How many proxies in front are ours; X-Forwarded-For is believed for so many steps."""
    origins: tuple[str, ...] = ()
    """Sites whose pages may show the arena in a frame and call its public routes."""
    open_board: bool = False
    """Whether everybody may look at the board."""
    private_hooks: bool = False
    """Whether webhooks may go to addresses of this machine and of private networks."""
    workers: int = 1
    """Processes."""
    shared: str | None = None
    """A folder in which several processes of this machine count together."""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        checks.whole("port", self.port, low=0, high=65535)
        checks.whole("proxy hops", self.proxy_hops, low=0, high=10)
        checks.whole("workers", self.workers, low=1, high=64)
        if self.public_url is not None:
            _demand_origin("public url", self.public_url.rstrip("/"))
        for origin in self.origins:
            _demand_origin("origin", origin)

    @property
    def url(self) -> str:
        """Where people find it, without a slash at the end."""
        if self.public_url is not None:
            return self.public_url.rstrip("/")
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK

    @property
    def hosts(self) -> frozenset[str]:
        """The names by which it may be called; empty for any.

        A site that someone visits here could point its own name at this machine and then talk to
        what listens here. So a service for this machine alone answers only to its own names.
        """
        if self.public_url is None and not self.is_local:
            return frozenset()
        public = urlsplit(self.url).hostname or ""
        return frozenset((*LOOPBACK, public))

    def to_json(self) -> str:
        """For the environment of worker processes."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote."""
        fields = json.loads(text)
        limits, origins = Limits(**fields.pop("limits")), tuple(fields.pop("origins"))
        return cls(**fields, limits=limits, origins=origins)


def _demand_origin(name: str, value: str) -> None:
    found = urlsplit(value)
    is_origin = found.scheme in ("http", "https") and found.hostname and not found.path
    if not is_origin or found.query or found.fragment or found.username:
        raise checks.refuse(name, "like https://votes.example.org", value)
