"""What items may show: checked on the way in, made safe on the way out."""

import asyncio
import json
import threading

import pytest

from sparring.arena import Arena, Settings, Ticket
from sparring.web import contents
from sparring.web.evidence import evidence
from sparring.web.health import against_chance, share
from sparring.web.showing import Showing
from sparring.web.window import Told

DOT = "data:image/png;base64,iVBORw0KGgo="
CDN = "https://cdn.example.org"


@pytest.mark.parametrize(
    "content",
    [
        {"kind": "text", "text": "<b>so</b>"},
        {"kind": "markdown", "text": "# So"},
        {"kind": "image", "url": DOT, "alt": "a dot"},
        {"kind": "video", "url": f"{CDN}/film.webm"},
        {"kind": "link", "url": "https://example.org/a?b=c", "text": "A page"},
    ],
)
def test_good_contents_stay_as_they_are(content):
    assert contents.checked(content, [CDN]) == content


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("text", "the kind of a content must be one of"),
        ({"kind": "poem", "text": "x"}, "must be one of text, markdown"),
        ({"kind": "text", "text": " "}, "needs a text"),
        ({"kind": "text", "text": 7}, "must be text"),
        ({"kind": "text", "text": "x", "style": "y"}, "and not 'style'"),
        ({"kind": "text", "text": "x" * 20_001}, "at most 20,000 letters"),
        ({"kind": "image", "url": "https://elsewhere.org/a.png"}, "not among the allowed origins"),
        ({"kind": "image", "url": "data:image/svg+xml;base64,AAAA"}, "no data: address of kind"),
        ({"kind": "image", "url": "data:text/html;base64,AAAA"}, "no data: address of kind"),
        ({"kind": "image", "url": DOT + "A" * 600_000}, "at most 500,000 letters"),
        ({"kind": "link", "url": "javascript:alert(1)", "text": "x"}, "must begin with https://"),
        ({"kind": "link", "url": "https://a b.org", "text": "x"}, "must begin with https://"),
        ({"kind": "audio"}, "must begin with https://"),
    ],
)
def test_bad_contents_are_refused_in_plain_words(content, words):
    with pytest.raises(ValueError, match=words):
        contents.checked(content, [CDN])


def test_what_was_never_checked_is_shown_as_text():
    evil = {"kind": "image", "url": "https://evil.org/pixel.png", "alt": "a cat"}
    assert contents.shown("cat", evil, {}) == {"kind": "text", "text": "a cat", "name": "cat"}
    assert contents.shown("cat", {"kind": "poem"}, {"blind": True}) == {
        "kind": "text",
        "text": "cat",
    }
    assert contents.shown("cat", None, {"blind": True}) == {"kind": "text", "text": "cat"}


def test_markdown_has_neither_pictures_nor_markup_of_others():
    html = contents.markdown("![a cat](https://evil.org/x.png) <i>so</i> [x](https://a.org)")
    assert "<img" not in html and "a cat" in html and "&lt;i&gt;" in html
    assert 'rel="noopener noreferrer nofollow"' in html


TABLES = [
    "a|" * 60 + "\n" + "-|" * 60 + "\n" + "|\n" * 9_000,
    "|a|b|\n|-|-|\n" + "x\n" * 5_000,
    "> |a|b|\r> |-|:-|\r" + "> x\r" * 1_500,
    ("|a|b|c|\n|-|-|-|\n" + "x\n" * 100 + "\n") * 7,
]


@pytest.mark.parametrize("text", TABLES)
def test_tables_beyond_all_use_are_refused_and_shown_as_text(text):
    text = text[:20_000]
    with pytest.raises(ValueError, match=r"at most 2,000 cells.*not [\d,]+"):
        contents.checked({"kind": "markdown", "text": text})
    shown = contents.shown("a", {"kind": "markdown", "text": text}, {})  # stored by Python
    assert "<table" not in shown["html"]
    assert len(shown["html"]) < 10 * len(text)


@pytest.mark.parametrize("columns", [1, 2, 7, 40])
def test_no_table_has_more_cells_than_are_counted(columns):
    for text in (
        "|a" * columns + "|\n" + "|:-" * columns + "|\n" + "|x|\n" * 20,
        "* b\n\n  " + "a|" * columns + "\n  " + "-|" * columns + "\n" + "  x\n" * 20,
        "> " + "a|" * columns + "\n> " + "--|" * columns + "\n" + "> x\n" * 20,
    ):
        html = contents.markdown(text)
        assert 21 * columns == html.count("<td") + html.count("<th>") + html.count("<th ")
        assert html.count("<td") + html.count("<th") <= contents.cells(text) < 50 * columns + 50


def test_a_text_too_long_to_be_read_as_markdown_is_shown_as_it_is():
    content = {"kind": "markdown", "text": "[" * 20_001}
    assert contents.shown("a", content, {"blind": True}) == {**content, "kind": "text"}


def test_markdown_is_read_once_and_beside_the_event_loop(monkeypatch):
    threads, markdown = [], contents.markdown

    def read(text):
        threads.append(threading.current_thread())
        return markdown(text)

    monkeypatch.setattr(contents, "markdown", read)
    content = {"kind": "markdown", "text": "*so*"}
    tickets = [Ticket("a", "b", "t", (content, None))] * 3
    settings, showing = Settings(), Showing()

    async def ask():
        many = (showing.pairs(tickets, settings, names=False) for _ in range(5))
        return await asyncio.gather(*many)

    replies = asyncio.run(ask())
    assert len({*replies}) == 1
    assert len(json.loads(replies[0])) == 3
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


def record(voter, first, second, answer, seconds=2.0):
    return Told(voter, first, second, answer, seconds, True)


def test_who_votes_against_all_others_is_seen():
    honest = [record(f"v{k}", "a", "b", "first") for k in range(5)]
    odd = [record("odd", "a", "b", "second", 0.1), record("odd", "b", "a", "first", 0.1)]
    found = {one["voter"]: one for one in evidence([*honest, *odd], {"odd": "held"})}
    assert (found["odd"]["agrees"], found["v0"]["agrees"]) == (0.0, 1.0)
    assert found["odd"]["seconds"] == pytest.approx(0.1)
    assert (found["odd"]["verdict"], found["v0"]["verdict"]) == ("held", "free")
    assert found["odd"]["left"] == 0.5


def test_a_yardstick_that_nobody_answered_yet_is_not_said_to_be_missing(tmp_path):
    with Arena(tmp_path / "arena.db", ["ash", "birch"]) as arena:
        standing = arena.standing()
        for change, words in (
            ({"uniform": 0.05}, "No vote yet on the 5% of pairs"),
            ({"mode": "shadow", "uniform": 0.0}, "No vote yet on the 100% of pairs"),
            ({"mode": "live"}, "Set a uniform share"),
        ):
            share_, said = against_chance((0.0, 0), standing, arena.set(**change), any_=False)
            assert share_ is None and words in said


def test_a_share_has_an_interval():
    assert share(0, 0) is None
    found = share(8, 10)
    assert 0.49 < found.low < 0.5 < 0.8 < found.high < 0.95  # Wilson's
