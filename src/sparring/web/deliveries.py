"""Deliveries of webhooks: signed, tried again, and never in the way of a vote."""

import asyncio
import hashlib
import hmac
import http.client
import ipaddress
import json
import logging
import secrets
import socket
import ssl
import time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sparring.web.hooks import Hook
from sparring.web.metrics import Metrics

PAUSES = (1.0, 5.0, 30.0, 180.0)  # seconds between attempts
TIMEOUT = 5.0  # seconds for each step of an attempt
WAITING = 1000  # deliveries; beyond that new ones are dropped, and counted
AT_ONCE = 4
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # IPv4 addresses for those who have IPv6 alone
SIGNATURE = "X-Sparring-Signature"

log = logging.getLogger("sparring.web")


class ForbiddenTargetError(OSError):
    """The target is in a private network, or on this machine."""


class Delivery(NamedTuple):
    """A message on its way."""

    hook: Hook
    body: bytes


class Courier:
    """Sends messages from a queue, a few at once.

    A slow, dead or hostile receiver costs a thread for some seconds and nothing else. Redirects are
    not followed. A name is looked up once, and the address that was checked is the one that is
    called: another answer a moment later changes nothing.

    Parameters
    ----------
    metrics
        Where deliveries are counted.
    private
        Whether this machine and private networks may be called. Off by default: otherwise anyone
        who may make a webhook could reach what only this machine can reach.
    """

    def __init__(self, metrics: Metrics, *, private: bool, pauses: tuple[float, ...] = PAUSES):
        self._metrics, self._private, self._pauses = metrics, private, pauses
        self._queue: asyncio.Queue[Delivery] = asyncio.Queue(WAITING)
        self._tasks: list[asyncio.Task[None]] = []

    def open(self) -> None:
        """Begin to deliver."""
        self._tasks = [asyncio.create_task(self._run()) for _ in range(AT_ONCE)]

    async def close(self) -> None:
        """Stop. Undelivered messages are dropped; the board has everything."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def send(self, hook: Hook, kind: str, arena: str, facts: dict[str, Any]) -> None:
        """Send a message soon."""
        message = {
            "id": secrets.token_hex(12),
            "kind": kind,
            "arena": arena,
            "at": time.time(),
            **facts,
        }
        try:
            self._queue.put_nowait(Delivery(hook, json.dumps(message).encode()))
        except asyncio.QueueFull:
            self._metrics.hooks.labels("dropped").inc()

    async def _run(self) -> None:
        while True:
            await self._deliver(await self._queue.get())

    async def _deliver(self, delivery: Delivery) -> None:
        for pause in (*self._pauses, None):
            try:
                status = await asyncio.to_thread(post, delivery, private=self._private)
            except (OSError, http.client.HTTPException, ValueError) as error:
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


def post(delivery: Delivery, *, private: bool) -> int:
    """Send a message once; the status of the reply."""
    url = urlsplit(delivery.hook.url)
    assert url.hostname is not None
    is_safe = url.scheme == "https"
    port = url.port or (443 if is_safe else 80)
    address = judged_address(url.hostname, port, private=private)
    at = int(time.time())
    headers = {
        "Content-Type": "application/json",
        "Host": url.netloc,
        "User-Agent": "sparring-webhook",
        SIGNATURE: signature(delivery.hook.secret, at, delivery.body),
    }
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    connection = http.client.HTTPConnection(url.hostname, port, timeout=TIMEOUT)
    try:
        plain = socket.create_connection((address, port), timeout=TIMEOUT)
        connection.sock = (
            ssl.create_default_context().wrap_socket(plain, server_hostname=url.hostname)
            if is_safe
            else plain
        )
        connection.request("POST", path, delivery.body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def judged_address(host: str, port: int, *, private: bool) -> str:
    """The address of a host, if it may be called."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(entry[4][0]) for entry in found]
    for address in addresses:
        if not private and not _is_open(ipaddress.ip_address(address.split("%")[0])):
            raise ForbiddenTargetError("this target is not in the open internet")
    return addresses[0]


def _is_open(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address is on the public internet, and not a private one in disguise."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.sixtofour
        if address in NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return _is_open(inner)
    return address.is_global and not address.is_multicast


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
