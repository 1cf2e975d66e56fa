"""The voting page in a real browser: a click is answered at once, and no answer is lost."""

from pathlib import Path

import pytest

import sparring.web
from live_service import listening
from sparring.arena import Arena

pytestmark = pytest.mark.compiled  # no kernel is tested here

SCRIPTS = ("vote.js", "outbox.js", "cards.js")
PHONE = {"width": 390, "height": 844}
TOUCH = {"viewport": {"width": 375, "height": 812}, "has_touch": True, "is_mobile": True}
CODE = "x = " + "a_very_long_name + " * 40
WIDE = {
    "code": {"kind": "markdown", "text": f"```\n{CODE}\n```"},
    "columns": {"kind": "markdown", "text": f"|{'a column|' * 30}\n|{'-|' * 30}\n|{'cell|' * 30}"},
    "word": {"kind": "text", "text": "a" * 900},
    "brief": {"kind": "text", "text": "Tomorrow."},
}
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
    with Arena(address, list(WIDE), name="wide") as arena:
        for item, content in WIDE.items():
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
    for key in ("ArrowRight", "t", "b", "s"):
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


def test_keys_that_scroll_never_vote(visit, live):
    page = ready(visit(f"{live.url}/a/plain"))
    before, shown = live.arena("plain").tallies().told, on_screen(page)
    for key in ("ArrowDown", "ArrowUp", "PageDown", "End", " "):
        page.keyboard.press(key)
    assert on_screen(page) == shown
    page.keyboard.press("ArrowLeft")
    arrived(page, 1)  # whatever came before it has been sent
    assert live.arena("plain").tallies().told == before + 1


def test_an_arrow_that_scrolls_a_line_of_code_does_not_vote(visit, live):
    page = ready(visit(f"{live.url}/a/wide"))
    page.evaluate(
        """async (text) => {
            const {fill} = await import("/static/cards.js");
            const html = `<pre tabindex=0>${text}</pre>`;
            fill(document.querySelector(".card"), {kind: "markdown", html});
        }""",
        CODE,
    )
    shown = on_screen(page)
    page.locator("pre").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('pre').scrollLeft > 0")
    assert on_screen(page) == shown


def test_letters_can_be_switched_off_and_arrows_stay(visit, live):
    page = ready(visit(f"{live.url}/a/plain"))
    switch = page.get_by_role("checkbox", name="Letters on the keyboard vote")
    hint = page.get_by_role("button", name="Skip").locator("kbd")
    assert hint.is_visible()
    switch.uncheck()
    assert not hint.is_visible()
    page.reload()
    shown = on_screen(ready(page))
    assert not switch.is_checked()
    for key in ("t", "g", "b", "s", "S"):
        page.keyboard.press(key)
    assert on_screen(page) == shown
    switch.focus()
    page.keyboard.press("ArrowLeft")
    arrived(page, 1)
    switch.check()
    shown = on_screen(ready(page))
    page.keyboard.press("S")
    page.wait_for_function(
        "old => document.getElementById('pair').dataset.ticket !== old", arg=shown
    )


@pytest.mark.parametrize("width", [375, 1280])
def test_a_long_line_stays_within_its_card(visit, live, width):
    """Code and tables scroll within the card, words break; the other card is not covered."""
    page = ready(visit(f"{live.url}/a/wide", viewport={"width": width, "height": 812}))
    sizes = page.evaluate(
        """async () => {
            const {fill, isLong} = await import("/static/cards.js");
            const headers = {"X-Voter": "looks-at-all", "Content-Type": "application/json"};
            const request = {method: "POST", headers, body: '{"n": 40}'};
            const {pairs} = await (await fetch("/api/v1/arenas/wide/ask", request)).json();
            const box = document.getElementById("pair");
            const cards = [...document.querySelectorAll(".card")];
            return pairs.map(({first, second}) => {
                [first, second].forEach((side, place) => fill(cards[place], side));
                return [false, true].map((long) => {
                    box.classList.toggle("long", long);
                    const [one, other] = cards.map((card) => card.getBoundingClientRect());
                    const apart = one.right <= other.left || one.bottom <= other.top;
                    const within = Math.max(one.right, other.right) <= innerWidth;
                    return apart && within && document.documentElement.scrollWidth <= innerWidth;
                });
            }).flat();
        }"""
    )
    assert len(sizes) == 80 and all(sizes)


def test_undo_is_not_offered_where_the_arena_would_refuse_it(visit, live):
    page = ready(visit(f"{live.url}/a/undoing"))
    undo = page.locator("#undo")
    page.keyboard.press("ArrowLeft")
    page.get_by_text("You chose").wait_for()
    assert undo.is_visible()
    ready(page)
    page.keyboard.press("s")
    assert not undo.is_visible()
    page.get_by_text("That was").wait_for()
    assert not undo.is_visible()
    live.arena("undoing").set(cap=1)
    ready(page)
    page.keyboard.press("ArrowRight")
    page.get_by_text("You chose").wait_for()
    page.wait_for_function("() => document.getElementById('undo').ariaDisabled === 'true'")
    assert not undo.is_visible()
    live.arena("undoing").set(cap=None)


def test_a_vote_that_is_taken_back_is_no_longer_counted(visit, live):
    page = ready(visit(f"{live.url}/a/undoing"))
    for many in (1, 2):
        page.keyboard.press("ArrowLeft")
        arrived(page, many)
        ready(page)
    page.keyboard.press("u")
    arrived(page, 1)
    assert "1 vote today" in page.locator("#progress").text_content()


def test_on_touch_no_button_keeps_the_look_of_being_pressed(visit, live):
    page = ready(visit(f"{live.url}/a/plain", **TOUCH))
    for answer in ("first", "tie"):
        button = page.locator(f"button[data-answer={answer}]")
        colours = "one => [getComputedStyle(one).backgroundColor, getComputedStyle(one).color]"
        before, shown = button.evaluate(colours), on_screen(page)
        button.tap()
        page.wait_for_function(
            "old => document.getElementById('pair').dataset.ticket !== old", arg=shown
        )
        ready(page)
        assert button.evaluate("one => one.matches(':hover')")
        assert button.evaluate(colours) == before


def test_an_answer_can_be_taken_back_and_names_are_told_after_it(visit, live):
    before = live.arena("undoing").tallies().undone
    page = ready(visit(f"{live.url}/a/undoing"))
    assert page.locator("h1").text_content() == "So?"
    assert page.locator(".card .name").count() == 0
    cards = page.locator(".card").all_inner_texts()
    page.keyboard.press("ArrowLeft")
    page.get_by_text("You chose").wait_for()
    page.keyboard.press("u")
    page.get_by_text("Taken back.").wait_for()
    assert page.locator(".card").all_inner_texts() == cards
    assert live.arena("undoing").tallies().undone == before + 1
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
    sizes = page.evaluate(
        "[...document.querySelectorAll('.choose, .choose span')].map("
        "one => getComputedStyle(one).fontSize)"
    )
    assert len(set(sizes)) == 1


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
