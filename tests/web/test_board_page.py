"""The board in a real browser: in plain words, live, for whom it is meant, and at its price."""

import re
import time

import httpx
import numpy as np
import pytest

from live_service import listening
from sparring.arena import Arena
from sparring.web import demo
from sparring.web.readings import Readings
from sparring.web.studio import Studio

pytestmark = pytest.mark.compiled  # no kernel is tested here

PHONE = {"width": 390, "height": 844}
VOTES = 150


def vote(arena, many, seed=1):
    """Votes of people who like the first item best."""
    rng = np.random.default_rng(seed)
    for _ in range(many):
        ticket = arena.ask(f"voter {rng.integers(9)}")
        best = min(ticket.first, ticket.second)
        other = max(ticket.first, ticket.second)
        arena.tell(ticket, best if rng.random() < 0.85 else other)


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    address = tmp_path_factory.mktemp("board") / "arena.db"
    for name in ("open", "few", "private"):
        with Arena(address, ["ash", "birch", "cedar", "elm"], name=name, seed=1) as arena:
            public = {"board": "private" if name == "private" else "public"}
            arena.set(page={"title": "Trees", **public}, uniform=0.3)
            vote(arena, VOTES if name == "open" else 3)
    with listening(address) as live:
        yield live


def test_it_says_who_leads_and_follows_the_votes(visit, live):
    page = visit(f"{live.url}/a/open/board")
    page.get_by_role("heading", level=1, name="ash leads").wait_for()
    assert f"{VOTES} votes" in page.locator(".stamp").text_content()
    assert page.locator(".course svg:visible").count() == 3
    assert page.locator(".pairs table tbody tr").count() == 4
    name = page.locator(".course svg:visible .end", has_text="elm").first
    before = name.get_attribute("aria-pressed")
    name.click()
    name.focus()
    vote(live.arena("open"), 30, seed=2)
    page.wait_for_function(
        "many => document.querySelector('.stamp').textContent.includes(`${many} votes`)",
        arg=VOTES + 30,
    )
    # What was pressed stays so, and who reads with keys is still there.
    name = page.locator(".course svg:visible .end", has_text="elm").first
    assert name.get_attribute("aria-pressed") != before
    assert name.evaluate("one => one === document.activeElement")
    chart = page.locator(".course svg:visible .reader").first
    chart.focus()
    page.keyboard.press("End")
    assert "ash" in chart.get_attribute("aria-valuetext")


def test_the_same_as_json(live):
    found = httpx.get(f"{live.url}/api/v1/arenas/open/board", timeout=60).json()
    assert found["favourite"]["name"] == "ash"
    assert found["answer"]["standings"]["leader"] == "ash"
    assert found["lines"][0].startswith("ash leads now")
    assert "better items than chance" in found["uniform_slice"]["text"]
    assert 0 <= found["sides"]["share"]["low"] <= found["sides"]["share"]["high"] <= 1


def test_few_votes_are_said_to_be_few(visit, live):
    page = visit(f"{live.url}/a/few/board")
    page.get_by_text("There are 3 votes so far. Standings begin with 20: 17 more.").wait_for()
    assert page.locator(".course").count() == 0


def test_a_private_board_asks_for_a_key_and_hides_it(visit, live):
    page = visit(f"{live.url}/a/private/board", noisy=True)
    page.get_by_label("This board needs a key").wait_for()
    assert "Trees" not in page.content()
    page = visit(f"{live.url}/a/private/board#key={live.keys['reader']}")
    page.get_by_text("Standings begin with 20").wait_for()
    assert "#" not in page.url and live.keys["reader"] not in page.content()


def test_the_form_for_a_key_looks_like_other_forms(visit, live):
    look = """input => {
        input.blur();
        const style = getComputedStyle(input);
        const text = document.createRange();
        text.selectNode(input.parentElement.firstChild);
        const gap = input.getBoundingClientRect().top - text.getBoundingClientRect().bottom;
        return [style.border, style.borderRadius, style.padding, style.minHeight, gap > 0];
    }"""
    board = visit(f"{live.url}/a/private/board", noisy=True)
    admin = visit(f"{live.url}/admin", noisy=True)
    found = board.get_by_label("This board needs a key").evaluate(look)
    assert found == admin.get_by_label("Admin key").evaluate(look)
    assert found[-1] and not found[0].startswith("0px")


def test_the_owner_comes_to_a_private_board_from_the_admin_page(visit, live):
    page = visit(f"{live.url}/admin#key={live.keys['admin']}")
    page.locator("#arena").select_option("private")
    page.get_by_role("link", name="Board", exact=True).click()
    page.get_by_text("Standings begin with 20").wait_for()


def test_everybody_can_use_it(visit, live, axe):
    for options in ({}, {"color_scheme": "dark"}, {"viewport": PHONE}):
        page = visit(f"{live.url}/a/open/board", **options)
        page.get_by_role("heading", name="ash leads").wait_for()
        assert axe(page) == []
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= page.viewport_size["width"]
    # A phone has a drawing of its own, whose text can be read.
    chart = page.locator(".course svg:visible").first
    assert chart.get_attribute("class") == "narrow"
    assert chart.bounding_box()["width"] <= PHONE["width"]


def test_a_board_is_drawn_again_only_when_votes_have_come(tmp_path):
    with Arena(tmp_path / "arena.db", ["ash", "birch", "cedar"], seed=1) as arena:
        studio = Studio(Readings(str(tmp_path / "arena.db")))
        try:
            first = waited(studio, arena, lambda board: board is not None)
            again = waited(studio, arena, lambda _: studio.looks > 2)
            assert again is first
            vote(arena, 1)
            assert waited(studio, arena, lambda board: board is not first).facts["votes"] == 1
        finally:
            studio.close()


def waited(studio, arena, enough):
    """The board as soon as it is enough."""
    end = time.monotonic() + 120
    while not enough(found := studio.newest("arena", arena)):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def test_the_taste_of_the_demonstration_changes(tmp_path):
    with demo.prepare(tmp_path / "demo.db") as arena:
        assert re.match("Where is my parcel", arena.settings.page["title"])
    with demo.prepare(tmp_path / "demo.db") as again:
        assert again.settings == arena.settings
    leaders = [int(np.argmax(demo.taste(age))) for age in (0, demo.FIRST + 1, 10 * demo.LATER)]
    assert leaders[0] != leaders[1]
    rng = np.random.default_rng(1)
    told = [demo.opinion(demo.TASTES[0], 2, 7, rng, ("tie",)) for _ in range(400)]
    assert told.count("first") > 300 and set(told) == {"first", "second", "tie"}
