"""The voting page in a real browser: a click is answered at once, and no answer is lost."""

from pathlib import Path

import pytest

import sparring.web
from live_service import listening
from sparring.arena import Arena

pytestmark = pytest.mark.compiled  # no kernel is tested here

SCRIPTS = ("vote.js", "outbox.js", "cards.js")
PHONE = {"width": 390, "height": 844}
DOT = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA"
    "WjR9awAAAABJRU5ErkJggg=="
)
ITEMS = {
    "brief": {"kind": "text", "text": "Tomorrow."},
    "long": {"kind": "text", "text": "It will be with you tomorrow, if nothing happens. " * 8},
    "steps": {"kind": "markdown", "text": "1. *left*\n2. **arrives**"},
    "dot": {"kind": "image", "url": DOT, "alt": "a dot"},
    "guide": {"kind": "link", "url": "https://example.org/guide", "text": "The guide"},
}
BLOCKED = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked'); }})"


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    address = tmp_path_factory.mktemp("vote") / "arena.db"
    for name in ("plain", "undoing", "shut", "lost", "invited"):
        with Arena(address, list(ITEMS), name=name) as arena:
            for item, content in ITEMS.items():
                arena.edit(item, content)
    with listening(address) as live:
        live.arena("undoing").set(
            grace=600.0, dwell=0.001, page={"blind": True, "reveal": True, "question": "So?"}
        )
        yield live


def ready(page):
    page.wait_for_selector('#pair[aria-busy="false"]')
    return page


def on_screen(page):
    return page.locator("#pair").get_attribute("data-ticket")


def arrived(page, many):
    """Wait until the page has thanked for so many votes."""
    page.wait_for_function(
        "many => document.getElementById('progress').textContent.includes(`: ${many} `)", arg=many
    )


def test_buttons_and_keys_vote_and_a_reload_shows_the_same_pair(visit, live):
    page = ready(visit(f"{live.url}/a/plain"))
    before = live.arena("plain").tallies()
    seen = [on_screen(page)]
    page.get_by_role("button", name="Left is better").click()
    for key in ("ArrowRight", "ArrowDown", "b", "s"):
        page.wait_for_function(
            "old => document.getElementById('pair').dataset.ticket !== old", arg=seen[-1]
        )
        ready(page)
        seen.append(on_screen(page))
        page.keyboard.press(key)
    arrived(page, 4)  # a skip is no vote
    ready(page)
    shown = on_screen(page)
    page.reload()
    assert on_screen(ready(page)) == shown
    page.wait_for_load_state("networkidle")
    after = live.arena("plain").tallies()
    assert len({*seen, shown}) == 6
    assert (after.told - before.told, after.first_won, after.second_won) == (5, 1, 1)
    assert (after.ties, after.both_bad, after.kept["skip"]) == (1, 1, 1)


def test_a_click_is_answered_before_the_server_has_answered(visit, live):
    page = ready(visit(f"{live.url}/a/plain"))
    page.wait_for_load_state("networkidle")  # the next pair is there
    held = []
    page.route("**/vote", lambda route: held.append(route))
    first = on_screen(page)
    with page.expect_request("**/vote"):
        page.keyboard.press("ArrowLeft")
    assert on_screen(page) not in ("", first)
    held[0].continue_()
    arrived(page, 1)


def test_no_answer_is_lost_without_a_connection_and_none_counts_twice(visit, live):
    page = ready(visit(f"{live.url}/a/lost", noisy=True))
    page.wait_for_load_state("networkidle")
    page.route("**/vote", lambda route: route.abort())
    page.keyboard.press("ArrowLeft")
    page.get_by_text("No connection.").wait_for()
    page.keyboard.press("ArrowRight")
    assert live.arena("lost").tallies().told == 0
    page.unroute("**/vote")
    page.reload()
    arrived(page, 2)
    page.reload()
    ready(page)
    tallies = live.arena("lost").tallies()
    assert (tallies.told, tallies.first_won, tallies.second_won) == (2, 1, 1)


def test_it_works_where_storage_is_blocked(visit, live):
    page = ready(visit(f"{live.url}/a/plain", script=BLOCKED))
    page.keyboard.press("ArrowLeft")
    arrived(page, 1)
    shown = on_screen(ready(page))
    page.reload()
    assert on_screen(ready(page)) == shown
    assert page.context.cookies() == []


def test_an_answer_can_be_taken_back_and_names_are_told_after_it(visit, live):
    page = ready(visit(f"{live.url}/a/undoing"))
    assert page.locator("h1").text_content() == "So?"
    assert page.locator(".card .name").count() == 0
    cards = page.locator(".card").all_inner_texts()
    page.keyboard.press("ArrowLeft")
    page.get_by_text("You chose").wait_for()
    page.keyboard.press("u")
    page.get_by_text("Taken back.").wait_for()
    assert page.locator(".card").all_inner_texts() == cards
    assert live.arena("undoing").tallies().undone == 1
    page.keyboard.press("ArrowRight")
    page.get_by_text("You chose").wait_for()


def test_it_says_in_plain_words_why_nobody_is_asked(visit, live):
    arena = live.arena("shut")
    for status, words in (("paused", "is paused"), ("closed", "is closed")):
        arena.set(status=status)
        page = visit(f"{live.url}/a/shut", noisy=True)
        page.get_by_role("alert").get_by_text(words).wait_for()
    arena.set(status="open")
    page = visit("about:blank", noisy=True)
    later = {"status": 429, "headers": {"Retry-After": "7"}, "body": "{}"}
    page.route("**/ask", lambda route: route.fulfill(**later))
    page.goto(f"{live.url}/a/shut")
    page.get_by_text("Please go on in 7 seconds").wait_for()


def test_an_invite_in_the_link_lets_one_in_and_a_reload_needs_it_no_more(visit, live):
    from sparring.web.invites import Invites

    live.arena("invited").set(invited=True)
    invites = Invites(live.address)
    _, text = invites.make("invited", "friends")
    invites.close()
    stranger = visit(f"{live.url}/a/invited", noisy=True)
    stranger.get_by_role("alert").get_by_text("for invited people").wait_for()
    page = ready(visit(f"{live.url}/a/invited#invite={text}", script=BLOCKED))
    page.keyboard.press("ArrowLeft")
    arrived(page, 1)
    page.goto("about:blank")
    page.go_back()
    ready(page)
    assert page.context.cookies() == []


def test_its_scripts_are_small():
    folder = Path(sparring.web.__file__).parent / "static"
    assert sum((folder / name).stat().st_size for name in SCRIPTS) < 15_000


def test_it_is_painted_before_any_script_or_pair_has_arrived(visit, live):
    """What the first paint waits for: the page and its style, few bytes; benchmarks/paint.py."""
    held = []
    page = visit("about:blank", noisy=True)
    for late in ("**/*.js", "**/api/**"):
        page.route(late, lambda route: held.append(route))
    replies = []
    page.on("requestfinished", lambda request: replies.append(request))
    page.goto(f"{live.url}/a/plain", wait_until="commit")
    page.wait_for_function(
        "() => performance.getEntriesByName('first-contentful-paint').length > 0"
    )
    assert page.get_by_role("heading", level=1).is_visible()
    assert page.get_by_role("button", name="Left is better").is_visible()
    assert held and all("/static/" in route.request.url for route in held)
    assert len(replies) == 3  # the page and two styles
    assert sum(len(request.response().body()) for request in replies) < 30_000


def test_everybody_can_use_it(visit, live, axe):
    for options in ({}, {"color_scheme": "dark"}, {"viewport": PHONE}):
        page = ready(visit(f"{live.url}/a/plain", reduced_motion="reduce", **options))
        assert axe(page) == []
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= page.viewport_size["width"]
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.answer ?? document.activeElement.href")


def test_buttons_say_where_their_card_is(visit, live):
    page = ready(visit(f"{live.url}/a/plain", viewport=PHONE))
    for is_long, names in ((False, ["Left is", "Right is"]), (True, ["Upper is", "Lower is"])):
        page.evaluate("on => document.querySelector('#pair').classList.toggle('long', on)", is_long)
        for name in names:
            assert page.get_by_role("button", name=name).is_visible()
    page.set_viewport_size({"width": 1200, "height": 800})
    assert page.get_by_role("button", name="Left is").is_visible()


def test_cards_show_each_kind(visit, live):
    page = ready(visit(f"{live.url}/a/plain"))
    html = page.evaluate(
        """async () => {
            const {fill} = await import("/static/cards.js");
            const headers = {"X-Voter": "a-new-voter", "Content-Type": "application/json"};
            const request = {method: "POST", headers, body: '{"n": 40}'};
            const {pairs} = await (await fetch("/api/v1/arenas/plain/ask", request)).json();
            for (const side of pairs.flatMap((pair) => [pair.first, pair.second])) {
                const card = document.createElement("div");
                document.body.append(card);
                fill(card, side);
            }
            return document.body.innerHTML;
        }"""
    )
    for part in ("<em>left</em>", 'alt="a dot"', 'rel="noopener', "Tomorrow."):
        assert part in html
