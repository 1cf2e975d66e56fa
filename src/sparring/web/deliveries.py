"""Deliveries of webhooks: signed, tried again, and never in the way of a vote."""

import asyncio
import hashlib
import hmac
import ipaddress
import json
import logging
import re
import secrets
import socket
import ssl
import time
from collections import deque
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from sparring.web.hooks import Hook
from sparring.web.metrics import Metrics
from sparring.web.workers import Workers

PAUSES = (1.0, 5.0, 30.0, 180.0)  # seconds between attempts
DEADLINE = 10.0  # seconds for all of an attempt
WAITING = 100  # deliveries to one receiver; beyond that new ones are dropped, and counted
AT_ONCE, LOOKUPS = 64, 8  # attempts; and names that are being looked up
LONGEST_LINE = 8192  # of a reply
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})[ \r\n]")
NAME = "webhooks"  # among the workers
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # IPv4 addresses for those who have IPv6 alone
GIVEN_OUT = ipaddress.IPv6Network("2000::/3")
# Within what is global otherwise: protocol assignments (with Teredo), 6to4 and its relays,
# documentation, and the host of a cloud as its guests see it.
SPECIAL = [
    ipaddress.ip_network(block)
    for block in (
        *("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32"),
        *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    )
]
SIGNATURE = "X-Sparring-Signature"

log = logging.getLogger("sparring.web")


class ForbiddenTargetError(OSError):
    """The target is in a private network, or on this machine."""


class Delivery(NamedTuple):
    """A message on its way."""

    hook: Hook
    body: bytes


class Courier:
    """Sends messages: to each receiver one after the other, to different ones side by side.

    A slow, dead or hostile receiver keeps no other one waiting, and no vote. Redirects are not
    followed. A name is looked up once, and the address that was checked is the one that is
    called: another answer a moment later changes nothing.

    Parameters
    ----------
    metrics
        Where deliveries are counted.
    workers
        Told of what goes wrong here.
    private
        Whether this machine and private networks may be called. Off by default: otherwise anyone
        who may make a webhook could reach what only this machine can reach.
    """

    def __init__(
        self,
        metrics: Metrics,
        workers: Workers,
        *,
        private: bool,
        pauses: tuple[float, ...] = PAUSES,
    ) -> None:
        self._metrics, self._workers = metrics, workers
        self._private, self._pauses = private, pauses
        self._waiting: dict[int, deque[Delivery]] = {}  # by hook
        self._tasks: dict[int, asyncio.Task[None]] = {}
        # A name may take long to look up: threads of its own, so that nobody else waits for one.
        self._names = ThreadPoolExecutor(LOOKUPS, "sparring-names")
        self._places = asyncio.Semaphore(AT_ONCE)

    async def close(self) -> None:
        """Stop. Undelivered messages are dropped; the board has everything."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self._names.shutdown(wait=False, cancel_futures=True)

    def send(self, hook: Hook, kind: str, arena: str, facts: dict[str, Any]) -> None:
        """Send a message soon."""
        message = {
            "id": secrets.token_hex(12),
            "kind": kind,
            "arena": arena,
            "at": time.time(),
            **facts,
        }
        waiting = self._waiting.setdefault(hook.id, deque())
        if len(waiting) >= WAITING:
            self._metrics.hooks.labels("dropped").inc()
            return
        waiting.append(Delivery(hook, json.dumps(message).encode()))
        if hook.id not in self._tasks:
            self._tasks[hook.id] = asyncio.create_task(self._run(hook.id))

    async def _run(self, hook: int) -> None:
        """Deliver what waits for a receiver."""
        while self._waiting[hook]:
            delivery = self._waiting[hook].popleft()
            try:
                await self._deliver(delivery)
            except Exception as error:
                self._metrics.hooks.labels("failed").inc()
                self._workers.failed(NAME, error)
        del self._waiting[hook], self._tasks[hook]

    async def _deliver(self, delivery: Delivery) -> None:
        for pause in (*self._pauses, None):
            try:
                async with self._places, asyncio.timeout(DEADLINE):
                    status = await post(delivery, self._names, private=self._private)
            except (OSError, ValueError, EOFError, asyncio.LimitOverrunError) as error:
                status = 0
                log.warning("webhook %d: %s", delivery.hook.id, type(error).__name__)
                if isinstance(error, ForbiddenTargetError):
                    self._metrics.hooks.labels("forbidden").inc()
                    return
            if 200 <= status < 300:
                self._metrics.hooks.labels("delivered").inc()
                return
            if pause is not None:
                await asyncio.sleep(pause * (0.5 + secrets.randbelow(1000) / 1000))
        self._metrics.hooks.labels("failed").inc()


def signature(secret: str, at: int, body: bytes) -> str:
    """The header by which a receiver knows that a message is from here, and new.

    Examples
    --------
    >>> signature("s", 1700000000, b"{}")[:20]
    't=1700000000,v1=e923'
    """
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


async def post(delivery: Delivery, names: Executor, *, private: bool) -> int:
    """Send a message once; the status of the reply.

    Parameters
    ----------
    delivery
        The message.
    names
        Where names are looked up.
    private
        Whether the target may be in a private network.
    """
    url = urlsplit(delivery.hook.url)
    assert url.hostname is not None
    is_safe = url.scheme == "https"
    port = url.port or (443 if is_safe else 80)
    look = partial(judged_address, url.hostname, port, private=private)
    loop = asyncio.get_running_loop()
    address = await loop.run_in_executor(names, look)
    trust = await loop.run_in_executor(names, _trust) if is_safe else None
    sent = _request(delivery, url)
    reader, writer = await asyncio.open_connection(
        address,
        port,
        limit=LONGEST_LINE,
        ssl=trust,
        server_hostname=url.hostname if is_safe else None,
    )
    try:
        writer.write(sent)
        await writer.drain()
        return await _status(reader)
    finally:
        writer.transport.abort()  # there is nothing to wait for


def _request(delivery: Delivery, url: SplitResult) -> bytes:
    at = int(time.time())
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: {url.netloc}",
        "Content-Type: application/json",
        f"Content-Length: {len(delivery.body)}",
        "User-Agent: sparring-webhook",
        f"{SIGNATURE}: {signature(delivery.hook.secret, at, delivery.body)}",
        "Connection: close",
    ]
    return "".join(f"{line}\r\n" for line in lines).encode("ascii") + b"\r\n" + delivery.body


async def _status(reader: asyncio.StreamReader) -> int:
    """The status of a reply; those that only say that one comes are passed over."""
    while True:
        found = STATUS.match(await reader.readuntil(b"\n"))
        if found is None:
            raise ValueError("this is not a reply of HTTP")
        if not 100 <= int(found[1]) < 200:
            return int(found[1])
        while (await reader.readuntil(b"\n")).strip():
            pass


@cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()


def judged_address(host: str, port: int, *, private: bool) -> str:
    """The address of a host, if it may be called."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(entry[4][0]) for entry in found]
    for address in addresses:
        if not private and not is_open(address):
            raise ForbiddenTargetError("this target is not in the open internet")
    return addresses[0]


def is_open(address: str) -> bool:
    """Whether an address is for everybody on the internet.

    Of IPv6 only what is given out for that, 2000::/3, less its special blocks; and what a network
    with IPv6 alone says for an address of IPv4 (NAT64).

    Examples
    --------
    >>> is_open("1.1.1.1"), is_open("192.0.0.192"), is_open("2606:4700::1"), is_open("::1.1.1.1")
    (True, False, True, False)
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        if found in NAT64:
            return is_open(str(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)))
        if found not in GIVEN_OUT:
            return False
    is_special = any(found in block for block in SPECIAL if block.version == found.version)
    return found.is_global and not found.is_multicast and not is_special


def demand_open(url: str) -> None:
    """Refuse a target in a private network at once; each delivery looks again."""
    target = urlsplit(url)
    try:
        judged_address(target.hostname or "", target.port or 443, private=False)
    except ForbiddenTargetError:
        raise ValueError(
            "url must be on the public internet; the operator of the service may allow private "
            "networks with --private-hooks"
        ) from None
    except (OSError, UnicodeError):
        return  # it may have no address yet
