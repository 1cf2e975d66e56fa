"""How often someone without a key may call: by voter, and by the network of an address."""

import hashlib
import ipaddress
import math
import re
import secrets
import time
from collections.abc import Callable, Container, Iterable
from functools import lru_cache
from itertools import islice

from starlette.datastructures import Headers
from starlette.types import Scope

from sparring.web.buckets import Buckets, Memory, size
from sparring.web.config import Limits

AT_A_TIME = 1000  # pairs that lapse
MINUTE, DAY = 60.0, 86_400.0
REMEMBERED = 100_000  # callers of each kind; beyond that those not seen for long are forgotten
FORWARDED = "x-forwarded-for"
FOR = re.compile(r'(?:^|[;,])\s*for=("[^"]*"|[^;,\s]*)', re.IGNORECASE)
PROXIED = (FORWARDED, "forwarded", "x-real-ip", "via")  # only proxies write these


class Allowance:
    """A number of calls in a period for each caller, at once or spread out: a token bucket.

    Parameters
    ----------
    most
        Calls in the period; 0 for any number.
    period
        Seconds.
    buckets
        Where what each caller has left is noted.
    """

    def __init__(self, most: float, period: float, buckets: Buckets) -> None:
        self._most = most
        self._rate = most / period
        self._buckets = buckets

    def wait(self, caller: bytes, now: float, cost: float = 1.0, back: float = 0.0) -> float:
        """Seconds until this caller may call: 0 if allowed now, and then the call is counted.

        What was counted before is given `back` first.
        """
        if self._most == 0:
            return 0.0
        place, tokens, since = self._buckets.find(caller) or (None, self._most, now)
        tokens = min(self._most, tokens + back + (now - since) * self._rate)
        allowed = tokens >= cost
        self._buckets.write(caller, tokens - cost * allowed, now, place)
        return 0.0 if allowed else (cost - tokens) / self._rate


class Throttle:
    """Allowances of voters and of addresses, which are remembered only as keyed hashes.

    The first call after a day replaces the key, so that no one can find out later who called; then
    all callers start again. One process keeps key and hashes in its memory. Several keep them in a
    file that only their user may read. `sparring serve` puts it into a folder in memory (/dev/shm),
    or, where that cannot be written to, into an ordinary temporary folder, which may be on a disk.
    The folder is deleted at the end, but not after a SIGKILL.

    Parameters
    ----------
    limits
        How often.
    path
        A file in which several processes of this machine share their counts.
    clock
        Seconds; the same clock in all of them.
    """

    def __init__(
        self,
        limits: Limits,
        path: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._memory = Memory(4 * size(REMEMBERED), path)
        one, two, three, four = (Buckets(self._memory, part, REMEMBERED) for part in range(4))
        self._minute = (
            Allowance(limits.voter_minute, MINUTE, one),
            Allowance(limits.address_minute, MINUTE, two),
        )
        self._day = (
            Allowance(limits.voter_day, DAY, three),
            Allowance(limits.address_day, DAY, four),
        )

    def wait(
        self, voter: str, address: str, *, is_vote: bool, cost: float = 1.0, back: float = 0.0
    ) -> float:
        """Seconds that a caller must wait; 0 if the call is allowed, and then it is counted.

        Pairs asked for cost as many calls, as each is stored. What was counted of this call before
        is given `back`.
        """
        with self._memory:
            now = self._clock()
            key = self._key(now)
            who = hashed(voter, key), hashed(neighbourhood(address), key)
            for allowances in (self._minute, self._day) if is_vote else (self._minute,):
                for allowance, caller in zip(allowances, who, strict=True):
                    seconds = allowance.wait(caller, now, cost, back)
                    if seconds > 0:
                        return seconds
        return 0.0

    def close(self) -> None:
        """Forget what this process has in memory."""
        self._memory.close()

    def _key(self, now: float) -> bytes:
        key, since = self._memory.key
        if not any(key) or now - since > DAY:
            key = secrets.token_bytes(16)
            self._memory.key = key, now
        return key


def too_many(count: int, most: int) -> int:
    """How many pairs must lapse now: none before a hundredth is too many, as each time is logged.

    And not too many at a time, as others wait meanwhile.

    Examples
    --------
    >>> too_many(2020, 2000), too_many(2021, 2000), too_many(5, 4), too_many(300_000, 25_000)
    (0, 21, 1, 1000)
    """
    return min(count - most, AT_A_TIME) if count > most + most // 100 else 0


class Outstanding:
    """The open pairs of each neighbourhood of addresses, of which the oldest lapse.

    Kept in this process alone, by keyed hashes of the neighbourhoods.

    Parameters
    ----------
    most
        How many one neighbourhood may have.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._key = secrets.token_bytes(16)
        self._of: dict[bytes, dict[str, None]] = {}  # names of tickets, oldest first
        self._new = 0  # tickets since answered ones were forgotten

    def note(self, address: str, tickets: Iterable[str], open_: Container[str]) -> list[str]:
        """Note the tickets of a caller; those that must lapse, as there are too many from there.

        `open_` has those that are not answered yet.
        """
        who = hashed(neighbourhood(address), self._key)
        mine = self._of.setdefault(who, {})
        for name in tickets:  # what is shown again is among the newest again
            self._new += name not in mine
            mine.pop(name, None)
            mine[name] = None
        if too_many(len(mine), self._most):
            mine = self._of[who] = {name: None for name in mine if name in open_}
        found = list(islice(mine, too_many(len(mine), self._most)))
        for name in found:
            del mine[name]
        if self._new > REMEMBERED:
            self._new = 0
            self._forget(open_)
        return found

    def _forget(self, open_: Container[str]) -> None:
        """Forget answered pairs, and those who have no other."""
        left = {who: [name for name in names if name in open_] for who, names in self._of.items()}
        self._of = {who: dict.fromkeys(names) for who, names in left.items() if names}


def hashed(text: str, key: bytes) -> bytes:
    """What stands for a voter or a network until the key is replaced."""
    return hashlib.blake2b(text.encode(), key=key, digest_size=16).digest()


def retry_after(seconds: float) -> str:
    """The header for this many seconds: a whole number, at least one."""
    return str(max(1, math.ceil(seconds)))


@lru_cache(maxsize=1000)
def neighbourhood(address: str) -> str:
    """The network from which one person can usually choose addresses: /24, or /64 of IPv6.

    Examples
    --------
    >>> neighbourhood("192.0.2.77"), neighbourhood("2001:db8:1:2ff::1")
    ('192.0.2.0/24', '2001:db8:1:2ff::/64')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])  # without the zone
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    length = 24 if found.version == 4 else 64
    return str(ipaddress.ip_network((found, length), strict=False))


def caller_address(scope: Scope, hops: int) -> str:
    """Where a request comes from.

    Each proxy adds the address it was called from at the end of X-Forwarded-For, or of Forwarded
    (RFC 7239). So the last ones, as many as there are proxies of ours, are trustworthy, and anyone
    may have written the rest. A proxy that writes one of the two passes on whatever a caller has
    written into the other: where they do not agree, it is not known which to believe. Then, and if
    there is no address, the request counts as that of the proxy.
    """
    peer = str((scope.get("client") or ("local", 0))[0])
    if hops == 0:
        return peer
    headers = Headers(scope=scope)
    found = set()
    for lines in (
        headers.getlist(FORWARDED),
        [",".join(FOR.findall(line)) for line in headers.getlist("forwarded")],
    ):
        chain = [part for line in lines for part in line.split(",") if part.strip()]
        if len(chain) >= hops:  # else it came past our proxies
            found.add(bare_address(chain[-hops]))
        elif lines:
            found.add(None)
    return (found.pop() or peer) if len(found) == 1 else peer


@lru_cache(maxsize=1000)
def bare_address(text: str) -> str | None:
    """The address in what a proxy writes, with or without port, brackets and quotes.

    Examples
    --------
    >>> bare_address("203.0.113.7:51234"), bare_address('"[2001:db8::7]:443"')
    ('203.0.113.7', '2001:db8::7')
    >>> bare_address("2001:db8::7"), bare_address("unknown")
    ('2001:db8::7', None)
    """
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ipaddress.ip_address(text.partition("%")[0]))
    except ValueError:
        return None


def is_from_here(scope: Scope) -> bool:
    """Whether a request comes from this machine, and not through a proxy on it."""
    peer, headers = scope.get("client"), Headers(scope=scope)
    if peer is None or any(name in headers for name in PROXIED):
        return False
    try:
        return ipaddress.ip_address(peer[0]).is_loopback
    except ValueError:
        return False
