"""How often somebody without a key may call: by voter, and by the neighbourhood of an address."""

import hashlib
import ipaddress
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache

from starlette.datastructures import Headers
from starlette.types import Scope

from sparring.web.config import Limits

MINUTE, DAY = 60.0, 86_400.0
REMEMBERED = 100_000  # callers of each kind; beyond that the one not seen for longest is forgotten
FORWARDED = "x-forwarded-for"


class Allowance:
    """So many calls in a period for each caller, in a row or spread out: a bucket of tokens.

    Parameters
    ----------
    most
        Calls in the period; 0 for any number.
    period
        Seconds.
    """

    def __init__(self, most: float, period: float) -> None:
        self._most = most
        self._rate = most / period
        self._buckets: OrderedDict[bytes, tuple[float, float]] = OrderedDict()

    def wait(self, caller: bytes, now: float, cost: float = 1.0) -> float:
        """Seconds until a call of this one is allowed: 0 if it is now, and then it is counted."""
        if self._most == 0:
            return 0.0
        tokens, since = self._buckets.pop(caller, (self._most, now))
        tokens = min(self._most, tokens + (now - since) * self._rate)
        allowed = tokens >= cost
        self._buckets[caller] = (tokens - cost * allowed, now)  # the last place: seen latest
        if len(self._buckets) > REMEMBERED:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (cost - tokens) / self._rate

    def forget(self) -> None:
        """Begin anew with everybody."""
        self._buckets.clear()


class Throttle:
    """Allowances of voters and of addresses, which are remembered as keyed hashes alone.

    The key is in memory only and is replaced every day, so that nobody can find out later who
    called. Each process counts for itself.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._key, self._since = secrets.token_bytes(16), clock()
        self._minute = (
            Allowance(limits.voter_minute, MINUTE),
            Allowance(limits.address_minute, MINUTE),
        )
        self._day = Allowance(limits.voter_day, DAY), Allowance(limits.address_day, DAY)

    def wait(self, voter: str, address: str, *, is_vote: bool, pairs: int = 0) -> float:
        """Seconds that a caller has to wait; 0 if the call is allowed, and then it is counted.

        Pairs asked for cost as many calls, as each is stored.
        """
        now = self._clock()
        if now - self._since > DAY:
            self._key, self._since = secrets.token_bytes(16), now
            for allowance in (*self._minute, *self._day):
                allowance.forget()
        who = self._hashed(voter), self._hashed(neighbourhood(address))
        for allowances in (self._minute, self._day) if is_vote else (self._minute,):
            for allowance, caller in zip(allowances, who, strict=True):
                seconds = allowance.wait(caller, now, max(1, pairs))
                if seconds > 0:
                    return seconds
        return 0.0

    def _hashed(self, text: str) -> bytes:
        return hashlib.blake2b(text.encode(), key=self._key, digest_size=12).digest()


def retry_after(seconds: float) -> str:
    """The header for so many seconds: whole ones, and at least one."""
    return str(max(1, math.ceil(seconds)))


@lru_cache(maxsize=1000)
def neighbourhood(address: str) -> str:
    """The network from which one person can usually choose addresses: /24, or /56 of IPv6.

    Examples
    --------
    >>> neighbourhood("192.0.2.77"), neighbourhood("2001:db8:1:2ff::1")
    ('192.0.2.0/24', '2001:db8:1:200::/56')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    length = 24 if found.version == 4 else 56
    return str(ipaddress.ip_network((found, length), strict=False))


def caller_address(scope: Scope, hops: int) -> str:
    """Where a request comes from.

    Each proxy adds the address it was called from at the end of X-Forwarded-For. So the last of
    them are written by our own proxies, as many as there are, and the rest by whoever likes.
    """
    peer = scope.get("client") or ("local", 0)
    if hops == 0:
        return str(peer[0])
    lines = Headers(scope=scope).getlist(FORWARDED)
    chain = [part.strip() for line in lines for part in line.split(",") if part.strip()]
    if len(chain) < hops:  # it came past our proxies
        return str(peer[0])
    return chain[-hops]


def is_from_here(scope: Scope) -> bool:
    """Whether a request comes from this machine, and not through a proxy on it."""
    peer = scope.get("client")
    if peer is None or FORWARDED in Headers(scope=scope):
        return False
    try:
        return ipaddress.ip_address(peer[0]).is_loopback
    except ValueError:
        return False
