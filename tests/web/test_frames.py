"""Frames: whatever way bytes arrive, a server sees requests that can be read in one way only."""

import asyncio
from importlib.util import find_spec

import pytest
import uvicorn
from hypothesis import given, settings
from hypothesis import strategies as st
from uvicorn.server import ServerState

from sparring.web.connections import Connections
from sparring.web.frames import MOST, Frames
from sparring.web.guard import CONNECTION
from sparring.web.problems import ProblemError

HEAD = b"POST /x HTTP/1.1\r\nHost: a\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def requests(*parts):
    """What is handed on of each request, where the parts arrive one after the other."""
    frames, found, current = Frames(), [], b""
    for part in parts:
        frames.add(part)
        while piece := frames.piece():
            current += piece
            if frames.is_between:
                found.append(current)
                current = b""
    return found, current, frames.rest


class Wire(asyncio.Transport):
    """Takes what is sent on a connection, and knows whether it was closed."""

    def __init__(self):
        super().__init__()
        self.sent, self.closed = b"", False

    def write(self, data):
        self.sent += bytes(data)

    def is_closing(self):
        return self.closed

    def close(self):
        self.closed = True

    abort = close

    def can_write_eof(self):
        return False

    def pause_reading(self):
        pass

    resume_reading = pause_reading


def served(parser, parts):
    """Method, address and body of each request that an app gets, and the wire they came on."""
    found, wire = [], Wire()

    async def app(scope, receive, send):
        content, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":  # the rest was refused
                return
            content, more = content + message.get("body", b""), message.get("more_body", False)
        found.append((scope["method"].encode(), scope["raw_path"], content))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})
        scope["state"][CONNECTION].answered()

    async def serve():
        http = Connections(10, by_address=False, parser=parser)
        config = uvicorn.Config(app, http=http, ws="none", log_level="critical")
        config.load()
        made = http(config=config, server_state=ServerState(), app_state={})
        made.connection_made(wire)
        for part in parts:
            made.data_received(part)
            await asyncio.sleep(0)
        for _ in range(50):
            await asyncio.sleep(0)
        assert not made._is_asked or wire.closed  # or it would wait for a reply for ever
        made.connection_lost(None)

    asyncio.run(serve())
    return found, wire


def body(request):
    """Of a chunked request, as it is handed on."""
    head, _, rest = request.partition(b"\r\n\r\n")
    found = b""
    while rest != b"0\r\n\r\n":
        size, _, rest = rest.partition(b"\r\n")
        found, end, rest = (
            found + rest[: int(size, 16)],
            rest[int(size, 16) :][:2],
            rest[int(size, 16) + 2 :],
        )
        assert end == b"\r\n"
    return head, found


def plain(length, content):
    return HEAD + b"Content-Length: %d\r\n\r\n" % length + content


def test_one_after_the_other():
    first, second = plain(3, b"abc"), HEAD + b"\r\n"
    assert requests(b"\r\n" + first + second) == ([first, second], b"", b"")
    assert requests(first[:-1]) == ([], first[:-1], b"")
    assert requests(first[:20]) == ([], b"", first[:20])


def test_trailers_and_extensions_are_dropped():
    sent = (
        CHUNKED + b"3;a=b\r\nabc\r\n2 ; c\r\nde\r\n0\r\nX-Forwarded-For: 10.1.2.3\r\nb: c\r\n\r\n"
    )
    (found,), *rest = requests(sent)
    assert rest == [b"", b""]
    assert found == CHUNKED + b"5\r\nabcde\r\n0\r\n\r\n"


@given(st.data())
def test_it_does_not_matter_in_what_pieces_bytes_arrive(data):
    chunks = data.draw(st.lists(st.binary(min_size=1, max_size=20), max_size=5))
    trailers = data.draw(st.sampled_from([b"", b"X-Voter: somebody\r\n", b"a: b\r\nc: d\r\n"]))
    chunked = CHUNKED + b"".join(b"%x;e\r\n%b\r\n" % (len(one), one) for one in chunks)
    sent = chunked + b"0\r\n" + trailers + b"\r\n" + plain(4, b"wxyz") + HEAD + b"\r\n"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=12)))
    parts = [sent[a:b] for a, b in zip([0, *cuts], [*cuts, len(sent)], strict=True)]
    (first, second, third), *rest = requests(*parts)
    assert rest == [b"", b""]
    assert body(first) == (CHUNKED[:-4], b"".join(chunks))
    assert (second, third) == (plain(4, b"wxyz"), HEAD + b"\r\n")


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00",
        b"GET / HTTP/1.1\nHost: a\n\n",
        b"GET / HTTP/1.1\r\nHost: a\nX-Voter: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\rX-Voter: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n\tb\r\n\r\n",
        HEAD + b"Content-Length: 1\r\ncontent-length: 1\r\n\r\na",
        HEAD + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n",
        HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n",
        HEAD + b"Transfer-Encoding: identity\r\n\r\n",
        b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        *(
            HEAD + b"Content-Length: %b\r\n\r\n" % one
            for one in (b"-1", b"+1", b"1e3", b"", b"1 1")
        ),
        HEAD + b"Content-Length: 9999999999999999\r\n\r\n",
        *(CHUNKED + one for one in (b"\r\n", b"x\r\n", b"-1\r\n", b"0x1\r\n", b"1 1\r\n", b"1\n")),
        b"PRI * HTTP/2.0\r\n\r\n",
        b"GET / HTTP/1.2\r\n\r\n",
        b"GET / http/1.1\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET  / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1 \r\n\r\n",
        b"CONNECT a:80 HTTP/1.1\r\n\r\n",
        HEAD + b"host: b\r\n\r\n",
        CHUNKED + b"1;a\nb\r\n",
        CHUNKED + b"1\r\nabc",
        CHUNKED + b"fffffffffffffffff\r\n",
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(sent):
    if sent.endswith(b"1\n"):  # a line that has not ended yet
        sent += b"\r\n"
    with pytest.raises(ProblemError) as refused:
        requests(sent)
    assert refused.value.status == 400


@pytest.mark.parametrize("size", [MOST, 50 * MOST])
@pytest.mark.parametrize(
    ("before", "one"),
    [
        (b"GET /", b"a"),
        (HEAD + b"A: ", b"a"),
        (HEAD, b"a: bcd\r\n"),
        (CHUNKED + b"1;", b"a"),
        (CHUNKED, b"1;abcde\r\nx\r\n"),
        (CHUNKED + b"0\r\na: ", b"a"),
        (CHUNKED + b"0\r\n", b"a: b\r\n"),
    ],
    ids=["line", "header", "headers", "extension", "extensions", "trailer", "trailers"],
)
def test_too_much_beside_the_body_is_refused_before_it_ends(before, one, size):
    sent = before + one * (2 * size // len(one))
    with pytest.raises(ProblemError) as refused:
        requests(*(sent[start : start + 1000] for start in range(0, len(sent), 1000)))
    assert refused.value.status == 431


def test_much_beside_the_body_in_all_is_refused():
    """Each part alone would do."""
    part = b"a" * (MOST // 3)
    sent = (
        HEAD
        + b"Transfer-Encoding: chunked\r\nA: "
        + part
        + b"\r\n\r\n1;"
        + part
        + b"\r\nx\r\n0\r\n"
    )
    assert requests(sent + b"\r\n")[0]
    with pytest.raises(ProblemError) as refused:
        requests(sent + b"a: " + part)
    assert refused.value.status == 431


def test_a_body_of_any_length_is_handed_on():
    content = b"x" * (3 * MOST)
    assert requests(plain(len(content), content))[0] == [plain(len(content), content)]
    (found,), *_ = requests(CHUNKED + b"".join([b"1\r\nx\r\n"] * MOST) + b"0\r\n\r\n")
    assert body(found)[1] == b"x" * MOST


METHODS = (
    b"GET",
    b"POST",
    b"HEAD",
    b"OPTIONS",
    b"CONNECT",
    b"PRI",
    b"PUT",
    b"M-SEARCH",
    b"X",
    b"get",
)
ADDRESSES = (b"/a", b"*", b"a:80", b"http://b/a?c", b"/%00", b"//a", b"/a#b", b"/a b", b"")
VERSIONS = (b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2.0", b"HTTP/1.10", b"")
LINES = (
    *(
        b"Upgrade: websocket",
        b"upgrade:h2c",
        b"Upgrade : a",
        b"Connection: upgrade",
        b"Connection: close",
    ),
    *(b"Connection: keep-alive, Upgrade", b"Expect: 100-continue", b"Host: b", b"Trailer: a", b"a"),
    *(
        b"HTTP2-Settings: a",
        b"Proxy-Connection: upgrade",
        b"Content-Length:",
        b"a:\x00",
        b": a",
        b"a:\xff",
    ),
    *(
        b"Content-Length : 5",
        b"Transfer-Encoding : chunked",
        b"X-Content-Length: 5",
        b"Keep-Alive: a",
    ),
)
SENT = b"GET /inside HTTP/1.1\r\nHost: a\r\n\r\n"  # as a body: a parser that is mistaken finds it


@pytest.mark.parametrize("parser", ["h11", *(["httptools"] if find_spec("httptools") else [])])
@settings(deadline=None)
@given(st.data())
def test_a_parser_sees_the_requests_that_were_framed(parser, data):
    parts, expected = [], []
    for _ in range(data.draw(st.integers(1, 3))):
        method, address, version = (
            data.draw(st.sampled_from(of)) for of in (METHODS, ADDRESSES, VERSIONS)
        )
        lines = data.draw(st.lists(st.sampled_from(LINES), max_size=3))
        is_chunked = data.draw(st.booleans())
        framing = b"Transfer-Encoding: chunked" if is_chunked else b"Content-Length: %d" % len(SENT)
        lines.insert(data.draw(st.integers(0, len(lines))), framing)
        head = b" ".join((method, address, version)) + b"\r\nHost: a\r\n" + b"\r\n".join(lines)
        content = b"%x\r\n%b\r\n0\r\n\r\n" % (len(SENT), SENT) if is_chunked else SENT
        cut = data.draw(st.integers(0, len(content)))
        parts += [head + b"\r\n\r\n" + content[:cut], content[cut:]]
        expected.append((method, SENT))
    found, wire = served(parser, parts)
    assert [(method, content) for method, _, content in found] == expected[: len(found)]
    assert len(found) == len(expected) or wire.closed


@pytest.mark.parametrize("parser", ["h11", *(["httptools"] if find_spec("httptools") else [])])
def test_a_body_after_upgrade_is_no_request(parser):
    head = b"POST /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUPGRADE: h2c\r\n"
    head += b"Content-Length: %d\r\n\r\n" % len(SENT)
    found, _ = served(parser, [head, SENT])
    assert found == [(b"POST", b"/a", SENT)]
