"""Tickets: signed text that a voter's page carries from the question to the answer."""

import base64
import binascii
import hashlib
import hmac
import secrets
import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

FORM = struct.Struct(">B12sIIQ")  # version, name, first, second, expires
VERSION = 1
SIGNATURE = 16  # bytes: nobody guesses 128 bits
LENGTH = FORM.size + SIGNATURE
LETTERS = LENGTH // 3 * 4  # of base 64, in which three bytes are four letters: no padding is left
_ORDINARY = bytes.maketrans(b"-_+/", b"+/!!")  # from the alphabet of links; ! is in no alphabet


class TicketError(ValueError):
    """Not a ticket of this arena, or changed on the way."""


@dataclass(frozen=True)
class Ticket:
    """Two arms to show side by side, and the text to send back with the answer."""

    first: str
    """The name of the arm to show first."""
    second: str
    """The name of the other."""
    text: str
    """What `tell` takes: opaque, signed, safe in a form, a link or a queue."""
    contents: tuple[dict[str, Any] | None, dict[str, Any] | None] = (None, None)
    """What to show for each, if that is not its name."""
    expires: float = 0.0
    """Until when an answer is learnt, in seconds since 1970."""


class Claims(NamedTuple):
    """What a ticket says."""

    name: str
    """Name of the ticket: random, and used once."""
    first: int
    second: int
    """The ids of the two arms."""
    expires: int
    """In microseconds since 1970."""


def new_name() -> str:
    """The name of a new ticket."""
    return secrets.token_hex(12)


def write(claims: Claims, key: bytes) -> str:
    """The text of a ticket."""
    name = bytes.fromhex(claims.name)
    content = FORM.pack(VERSION, name, claims.first, claims.second, claims.expires)
    return base64.urlsafe_b64encode(content + _signature(content, key)).decode()


def read(text: object, key: bytes) -> Claims:
    """What a ticket says, if it is one that this key has signed."""
    try:
        if not isinstance(text, str) or len(text) != LETTERS:
            raise ValueError
        # Decoding skips what is no letter of base 64. Then bytes are missing, so that a ticket has
        # one text: the one we wrote.
        data = binascii.a2b_base64(text.encode("ascii").translate(_ORDINARY))
        content, signature = data[: FORM.size], data[FORM.size :]
        genuine = len(data) == LENGTH and hmac.compare_digest(_signature(content, key), signature)
        if not genuine or data[0] != VERSION:
            raise ValueError
    except (ValueError, binascii.Error):
        raise TicketError(
            "this is not a ticket of this arena, or it was changed on the way: send back the text "
            "of the ticket as ask() returned it"
        ) from None
    _, name, first, second, expires = FORM.unpack(content)
    return Claims(name.hex(), first, second, expires)


def pseudonym(voter: str, key: bytes) -> str:
    """The pseudonym of a voter in the log, from which the voter cannot be found."""
    return hmac.digest(key, b"voter " + voter.encode(), "sha256").hex()[:24]


def _signature(content: bytes, key: bytes) -> bytes:
    """What `hmac.digest(key, b"ticket " + content, "sha256")` begins with.

    That would start from the key each time, and let other threads run meanwhile, for which this one
    would then have to wait.
    """
    begun, ended = _halves(key)
    inner, outer = begun.copy(), ended.copy()
    inner.update(content)
    outer.update(inner.digest())
    signature: bytes = outer.digest()[:SIGNATURE]
    return signature


@lru_cache(maxsize=100)
def _halves(key: bytes) -> tuple[Any, Any]:
    """The two digests of HMAC (RFC 2104), up to where tickets of the same key differ."""
    padded = key.ljust(hashlib.sha256().block_size, b"\0")
    begun = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded) + b"ticket ")
    return begun, hashlib.sha256(bytes(byte ^ 0x5C for byte in padded))
