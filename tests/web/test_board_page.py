"""The board in a real browser: in plain words, live, for whom it is meant, and at its price."""

import re
import time

import httpx
import numpy as np
import pytest

from live_service import listening
from sparring.arena import Arena
from sparring.votes import Votes, standings
from sparring.web import demo
from sparring.web.readings import Readings
from sparring.web.studio import Studio

pytestmark = pytest.mark.compiled  # no kernel is tested here

PHONE = {"width": 390, "height": 844}
VOTES = 150
# Long without a place to break, from right to left, and both.
NAMES = ["a" * 101, "\u0634\u0627\u064a 2", "\u05ea" * 100, "elm", "organisation/" + "b-2" * 30]


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
    with Arena(address, NAMES, name="names", seed=1) as arena:
        arena.set(page={"title": NAMES[0] * 2, "board": "public"}, uniform=0.3)
        vote(arena, VOTES)
    with Arena(address, ["ash", "birch"], name="even", seed=1) as arena:
        arena.set(page={"board": "public"})
        for number in range(40):  # each wins half
            ticket = arena.ask(f"voter {number % 5}")
            arena.tell(ticket, ["ash", "birch"][number // 2 % 2])
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


def test_headline_sentence_and_json_agree(visit, live):
    """Of two items one always has a probability of a half or more: that is no lead yet."""
    for name in ("even", "open"):
        page = visit(f"{live.url}/a/{name}/board")
        page.locator(".result p").first.wait_for()
        found = httpx.get(f"{live.url}/api/v1/arenas/{name}/board", timeout=60).json()
        standings = found["answer"]["standings"]
        if name == "even":
            assert standings["leads"] < 0.745 and not standings["clear"]
            assert "leads" not in found["headline"] or found["headline"].startswith("Nobody")
        assert page.locator("h1").text_content() == found["headline"] == standings["headline"]
        assert page.title().startswith(found["headline"])
        assert found["lines"][0].startswith(found["headline"])
        assert page.locator(".result p").first.text_content() == found["lines"][0]


def test_what_was_voted_on_is_called_an_item(visit, live):
    page = visit(f"{live.url}/a/open/board")
    page.locator(".result p").first.wait_for()
    assert not re.search(r"\barms?\b", page.locator("main").text_content())
    assert not page.locator("[title*=' arm']").count()


@pytest.mark.parametrize("width", [375, 1280])
def test_long_names_and_names_from_right_to_left_have_room(visit, live, width):
    page = visit(f"{live.url}/a/names/board", viewport={"width": width, "height": 812})
    page.locator(".stamp").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for shown in (".who", ".pairs:visible th, .pairs summary:visible, .result p", ".end:visible"):
        boxes = [one.bounding_box() for one in page.locator(shown).all() if one.is_visible()]
        assert boxes and max(box["height"] for box in boxes) < 300
    assert page.locator("table.standings tbody th bdi").count() == len(NAMES)
    places = page.locator(".result p", has_text="Places")
    assert NAMES[1] in places.locator("bdi").all_text_contents()


def test_places_beside_a_name_from_right_to_left_are_read_in_order(visit, live):
    """Where the digits of "1-5" are drawn: without isolation the name turns them round."""
    page = visit(f"{live.url}/a/names/board")
    page.locator(".stamp").wait_for()
    places = page.evaluate(
        """name => {
            const lines = [...document.querySelectorAll(".result p")];
            const line = lines.find((one) => one.textContent.startsWith("Places"));
            const names = [...line.querySelectorAll("bdi")];
            const before = names.find((one) => one.textContent === name);
            const text = before.nextSibling, found = /\\d+(\u2013\\d+)?/.exec(text.data);
            return [...found[0]].map((_, at) => {
                const range = document.createRange();
                range.setStart(text, found.index + at);
                range.setEnd(text, found.index + at + 1);
                const box = range.getBoundingClientRect();
                return [box.top, box.left];
            });
        }""",
        NAMES[1],
    )
    assert places == sorted(places) and len(places) >= 1


def test_an_item_that_came_later_has_no_earlier_curve_and_colours_stay(visit, live):
    arena = live.arena("even")
    page = visit(f"{live.url}/a/even/board")
    page.locator(".stamp").wait_for()
    key = {"ash": 0, "birch": 1, "cedar": 2}

    def line(name):
        return page.locator(f".course svg:visible g.arm[data-key='{key[name]}'] .line").first

    def colour(name):
        return line(name).evaluate("one => getComputedStyle(one).stroke")

    before = {name: colour(name) for name in ("ash", "birch")}
    assert len(set(before.values())) == 2
    arena.add("cedar")
    time.sleep(1.1)  # so that it begins visibly later
    for number in range(60):
        ticket = arena.ask(f"voter {number % 5}")
        arena.tell(ticket, "cedar" if "cedar" in (ticket.first, ticket.second) else "birch")
    page.locator("g.arm[data-key='2']").first.wait_for(state="attached")
    assert {name: colour(name) for name in before} == before
    assert colour("cedar") not in before.values()
    assert line("cedar").bounding_box()["x"] > line("ash").bounding_box()["x"] + 1


def test_few_votes_are_said_to_be_few(visit, live):
    page = visit(f"{live.url}/a/few/board")
    page.get_by_text("There are 3 votes so far. Standings begin with 20: 17 more.").wait_for()
    assert page.locator(".course").count() == 0


def test_a_private_board_asks_for_a_key_and_hides_it(visit, live):
    page = visit(f"{live.url}/a/private/board", noisy=True)
    page.get_by_label("This board needs a key").wait_for()
    assert page.get_by_text("third link").is_visible()  # the owner's way, as serve says it
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


@pytest.mark.parametrize("seed", range(5))
def test_a_minute_of_the_demonstration_ends_with_a_leader_that_is_sure(seed):
    """And so do two, and five: the board may not be unsure of what anyone can see."""
    rng, names = np.random.default_rng(seed), tuple(demo.ITEMS)
    sides, told, times, age = [], [], [], 0.0
    while age < 300:
        age += rng.exponential() / demo.PACES[age > demo.BUSY]
        one, other = rng.choice(len(names), 2, replace=False)
        word = demo.opinion(demo.taste(age), one, other, rng, ("tie",))
        sides.append((one, other))
        told.append({"first": 1.0, "second": 0.0, "tie": 0.5}[word])
        times.append(1.7e9 + age)
    first, second = np.array(sides).T
    votes = Votes(names, first, second, np.array(told), time=np.array(times))
    for minutes in (1, 2, 5):
        now = standings(votes[votes.time < 1.7e9 + 60 * minutes])
        assert now.leader == names[int(np.argmax(demo.taste(60 * minutes)))] == "brief"
        assert now.headline == "brief leads"
