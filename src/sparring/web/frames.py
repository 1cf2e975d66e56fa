"""Frames: where each request on a connection begins and ends, and what of it a server may see."""

import re

from sparring.web.problems import ProblemError

MOST = 64 * 1024  # bytes of a request that are not its body
LONGEST = 15  # digits of a length
LINE, END = b"\r\n", b"\r\n\r\n"
LENGTH, CODING = b"\r\ncontent-length:", b"\r\ntransfer-encoding:"
HOST, UPGRADE = b"\r\nhost:", b"upgrade:"
NEW, OLD = b"HTTP/1.1", b"HTTP/1.0"
SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}")


class Frames:
    """What arrives on a connection, request by request.

    A head is handed on when all of it is here, and only if it can be read in one way: whatever
    parser comes next must see the same requests. Trailers and chunk extensions are dropped, so that
    no parser takes them for headers (RFC 9110, 6.5.1; RFC 9112, 7.1.1). So is Upgrade, as nothing
    else is spoken here: after it a parser may take the body for the next request.
    """

    def __init__(self) -> None:
        self.rest = b""
        """What has arrived and was not handed on."""
        self.is_between = True
        """Whether no request is being handed on."""
        self._is_chunked = self._in_trailers = False
        self._left = 0  # bytes of the body, or of the chunk and the line's end after it
        self._spent = 0  # bytes of this request that are not its body

    def add(self, data: bytes) -> None:
        """Take in what has arrived."""
        self.rest = self.rest + data if self.rest else data

    def piece(self) -> bytes:
        """What can be handed on of one request now; nothing if more must arrive.

        With the last piece of a request `is_between` is True again. What is no request, or has too
        much that is not its body, raises a ProblemError.
        """
        head = b""
        if self.is_between:
            head = self._head()
            if not head:
                return b""
        body, end = self._chunks() if self._is_chunked else self._plain()
        self.rest = self.rest[end:]
        return head + body

    def _head(self) -> bytes:
        """Request line and headers, if all of them are here."""
        self.rest = self.rest.lstrip(LINE)  # empty lines before a request mean nothing
        end = self.rest.find(END)
        head = self.rest[: end + len(END)] if end >= 0 else self.rest
        _demand_few(len(head))
        if end < 0:
            if self.rest and (
                not self.rest[:1].isalpha() or _has_bare_ends(self.rest.removesuffix(b"\r"))
            ):
                raise _unclear("it does not begin as one")  # and might never end as one
            return b""
        if _has_bare_ends(head) or b"\r\n " in head or b"\r\n\t" in head:
            raise _unclear("its lines do not end with CR LF, or one goes on in the next")
        self._spent, self._in_trailers, self.is_between = len(head), False, False
        small = head.lower()  # quicker to search than by a pattern
        self._is_chunked, self._left = _framing(head, small)
        self.rest = self.rest[len(head) :]
        return _without_upgrade(head, small)

    def _plain(self) -> tuple[bytes, int]:
        """What is here of a body whose length was announced, and where it ends."""
        body = self.rest[: self._left]
        self._left -= len(body)
        self.is_between = self._left == 0
        return body, len(body)

    def _chunks(self) -> tuple[bytes, int]:
        """What is here of a chunked body, as one chunk, and where it ends."""
        rest, at, parts = self.rest, 0, []
        while not self.is_between:
            if self._left > len(LINE):
                parts.append(rest[at : at + self._left - len(LINE)])
                at += len(parts[-1])
                self._left -= len(parts[-1])
            if self._left:
                if self._left > len(LINE) or len(rest) < at + len(LINE):
                    break
                if rest[at : at + len(LINE)] != LINE:
                    raise _unclear("a chunk is longer than announced")
                at, self._left = at + len(LINE), 0
            end = rest.find(LINE, at)
            _demand_few(self._spent + (len(rest) if end < 0 else end) - at)
            if end < 0:
                break
            self._line(rest[at:end])
            at = end + len(LINE)
        body = b"".join(parts)
        given = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
        return given + (b"0\r\n\r\n" if self.is_between else b""), at

    def _line(self, line: bytes) -> None:
        """A line between chunks: the size of the next one, or after the last a trailer."""
        if self._in_trailers:
            self._spent += len(line) + len(LINE)
            self.is_between = not line
            return
        size = SIZE.match(line)
        more = b"" if size is None else line[size.end() :].lstrip(b" \t")
        if size is None or more[:1] not in (b"", b";") or _has_bare_ends(more):
            raise _unclear("a chunk has no size")
        self._spent += len(more)
        self._left = int(size[0], 16)
        self._in_trailers = self._left == 0
        self._left += 0 if self._in_trailers else len(LINE)


def _framing(head: bytes, small: bytes) -> tuple[bool, int]:
    """Whether the body of a request is chunked, and how long it is if not."""
    words = head[: head.index(LINE)].split(b" ")
    if len(words) != 3 or words[0] == b"CONNECT" or words[2] not in (NEW, OLD):
        raise _unclear("it begins with no METHOD ADDRESS HTTP/1.1")
    lengths, codings = small.count(LENGTH), small.count(CODING)
    if lengths + codings > 1 or small.count(HOST) > 1:
        raise _unclear("it has more than one Host, or Content-Length or Transfer-Encoding")
    if codings:
        if _value(small, CODING) != b"chunked" or words[2] != NEW:
            raise _unclear("its Transfer-Encoding must be chunked, with HTTP/1.1")
        return True, 0
    if not lengths:
        return False, 0
    value = _value(small, LENGTH)
    if not value.isdigit() or len(value) > LONGEST:
        raise _unclear("its Content-Length is not a number of bytes")
    return False, int(value)


def _without_upgrade(head: bytes, small: bytes) -> bytes:
    """The head without lines that ask for another protocol."""
    if LINE + UPGRADE not in small:
        return head
    return LINE.join(one for one in head.split(LINE) if not one.lower().startswith(UPGRADE))


def _value(head: bytes, name: bytes) -> bytes:
    start = head.index(name) + len(name)
    return head[start : head.index(LINE, start)].strip(b" \t")


def _has_bare_ends(text: bytes) -> bool:
    """Whether a CR or LF stands alone: some readers take it for the end of a line."""
    pairs = text.count(LINE)
    return text.count(b"\n") != pairs or text.count(b"\r") != pairs


def _demand_few(count: int) -> None:
    if count > MOST:
        detail = f"A request may have {MOST:,} bytes beside its body: headers, trailers and so on."
        raise ProblemError(431, "headers-too-long", detail)


def _unclear(why: str) -> ProblemError:
    return ProblemError(400, "bad-request", f"This is not an HTTP request: {why}.")
