"""The admin page in a real browser: what an owner does there reaches the arena."""

import re

import pytest

from live_service import listening
from sparring.arena import Arena

pytestmark = pytest.mark.compiled  # no kernel is tested here

PHONE = {"width": 390, "height": 844}
BAD = 'name,kind,text\nelm,text,Broad\n,text,Nameless\noak,poem,"Old,\nand wide"\nelm,text,Again\n'
GOOD = 'name,kind,text\nelm,text,Broad\noak,text,"Old,\nand wide"\n'


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    address = tmp_path_factory.mktemp("admin") / "arena.db"
    with Arena(address, ["ash", "birch", "cedar"], name="trees", seed=1) as arena:
        for number in range(12):
            ticket = arena.ask(f"voter {number % 3}")
            arena.tell(ticket, ticket.first)
    with listening(address) as live:
        yield live


@pytest.fixture
def page(visit, live):
    page = visit(f"{live.url}/admin#key={live.keys['admin']}")
    page.get_by_role("cell", name="writer", exact=True).wait_for()  # the last part has come
    return page


def said(page, words):
    page.locator("#said", has_text=words).wait_for()


def test_the_key_is_asked_for_and_not_left_in_the_address(visit, live, page):
    assert "#" not in page.url and live.keys["admin"] not in page.content()
    page.reload()
    page.get_by_role("cell", name="writer", exact=True).wait_for()
    locked = visit(f"{live.url}/admin", noisy=True)
    locked.get_by_label("Admin key").fill("spk_wrong")
    locked.get_by_role("button", name="Unlock").click()
    said(locked, "This is no key")
    assert not locked.locator("#unlocked").is_visible()


def test_items_are_added_edited_and_withdrawn(page, live):
    form = page.locator("#item-form")
    form.get_by_label("Name", exact=True).fill("larch")
    form.get_by_role("textbox", name="Text").fill("Sheds its needles.")
    form.get_by_role("button", name="Add").click()
    said(page, "larch is added.")
    page.get_by_role("button", name="Edit larch").click()
    form.get_by_role("textbox", name="Text").fill("Gold in autumn.")
    form.get_by_role("button", name="Save").click()
    said(page, "larch is changed.")
    items = {item.name: item for item in live.arena("trees").items()}
    assert items["larch"].content == {"kind": "text", "text": "Gold in autumn."}
    page.evaluate("window.confirm = () => true")
    page.get_by_role("button", name="Withdraw larch").click()
    said(page, "larch is withdrawn.")
    assert "larch" not in live.arena("trees").arms


def test_many_items_come_from_csv_with_errors_by_line(page, live):
    page.get_by_text("Many at once").click()
    form = page.locator("#bulk-form")
    form.get_by_label("or its text").fill(BAD)
    errors = form.locator("#bulk-errors li").all_text_contents()
    assert [error.split(":")[0] for error in errors] == ["line 3", "line 4", "line 6"]
    assert form.locator("#bulk-do").is_disabled()
    form.get_by_label("or its text").fill(GOOD)
    assert form.locator("#bulk-preview tbody tr").count() == 2
    form.get_by_role("button", name="Add or edit 2 items").click()
    said(page, "2 added, 0 edited, 0 as before.")
    items = {item.name: item for item in live.arena("trees").items()}
    assert items["oak"].content == {"kind": "text", "text": "Old,\nand wide"}


def test_state_and_settings(page, live):
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("Paused: nobody is asked").wait_for()
    page.get_by_role("button", name="Shadow").click()
    page.get_by_text("Mode shadow").wait_for()
    form = page.locator("#settings-form")
    form.get_by_label("Question").fill("Which tree?")
    form.get_by_label("both bad").uncheck()
    form.get_by_label("Random pairs").fill("7.5")
    form.get_by_label("Answers per voter per day").fill("50")
    form.get_by_label("Minimum viewing time").fill("0.5")
    form.get_by_label("set aside voters who disagree with everybody").check()
    form.get_by_label("everybody may see the board").check()
    form.get_by_role("button", name="Save settings").click()
    said(page, "Saved.")
    found = live.arena("trees").settings
    assert (found.status, found.mode, found.uniform, found.cap) == ("paused", "shadow", 0.075, 50)
    assert (found.dwell, found.hold) == (0.5, True)
    assert found.answers == ("tie", "both good", "skip")
    assert (found.page["question"], found.page["board"]) == ("Which tree?", "public")
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_text("Open: people are asked").wait_for()


def test_voters_keys_hooks_and_data(page, live):
    page.locator("#voters tbody tr").first.get_by_role("button", name="Hold").click()
    said(page, "The voter is held now.")
    assert list(live.arena("trees").verdicts().values()) == ["held"]
    form = page.locator("#key-form")
    form.get_by_label("What it is for").fill("reports")
    form.get_by_role("button", name="Make a key").click()
    page.locator("#new-key", has_text="spk_").wait_for()
    page.locator("#hook-form").get_by_label("Address").fill("https://example.org/hook")
    page.get_by_role("button", name="Make a webhook").click()
    page.get_by_role("rowheader", name="https://example.org/hook").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export JSON lines").click()
    assert len(download.value.path().read_text().splitlines()) == 12
    assert re.search(r'src="http://[^"]+/a/trees/embed.js"', page.locator("#snippet").inner_text())


def test_everybody_can_use_it(visit, live, axe):
    for options in ({}, {"color_scheme": "dark"}, {"viewport": PHONE}):
        page = visit(f"{live.url}/admin#key={live.keys['admin']}", **options)
        page.get_by_role("cell", name="writer", exact=True).wait_for()
        assert axe(page) == []
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= page.viewport_size["width"]


def test_another_arena_is_made(page, live):
    form = page.locator("#arena-form")
    form.get_by_label("Name", exact=True).fill("birds")
    form.get_by_label("Items").fill("heron\nowl\n\nwren")
    form.get_by_role("button", name="Make it").click()
    said(page, "birds is made.")
    assert set(live.arena("birds").arms) == {"heron", "owl", "wren"}
    assert page.locator("#arena").input_value() == "birds"
