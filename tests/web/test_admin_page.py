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
    Arena(address, ["heron", "owl"], name="waders").close()
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
    locked.get_by_role("alert").get_by_text("This is no key").wait_for()
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


def in_view(element):
    return element.evaluate(
        """one => {
            const box = one.getBoundingClientRect();
            return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
        }"""
    )


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE, "has_touch": True}])
def test_what_an_action_did_is_said_where_one_looks(visit, live, options):
    page = visit(f"{live.url}/admin#key={live.keys['admin']}", **options)
    page.get_by_role("cell", name="writer", exact=True).wait_for()
    look = page.get_by_role("button", name="Look again")
    look.scroll_into_view_if_needed()
    free = page.locator("#voters tbody tr").first.get_by_role("button").first
    free.click()
    said(page, "The voter is")
    assert page.evaluate("scrollY") > 500 and in_view(page.locator("#said"))


def test_what_was_wrong_is_said_beside_the_field(visit, live):
    page = visit(f"{live.url}/admin#key={live.keys['admin']}", noisy=True)
    page.get_by_role("cell", name="writer", exact=True).wait_for()
    form = page.locator("#item-form")
    name = form.get_by_label("Name", exact=True)
    name.fill("ash")
    form.get_by_role("textbox", name="Text").fill("Another content.")
    form.get_by_role("button", name="Add").click()
    alert = form.get_by_role("alert")
    alert.get_by_text("There is an item of this name").wait_for()
    assert name.get_attribute("aria-invalid") == "true" and in_view(alert)
    assert name.get_attribute("aria-describedby") == alert.get_attribute("id")
    field, told = name.bounding_box(), alert.bounding_box()
    assert abs(field["y"] - told["y"]) < 100
    assert name.evaluate("one => one === document.activeElement")
    name.fill("photo")
    form.get_by_label("Kind").select_option("image")
    url = form.get_by_label("Address")
    url.fill("https://elsewhere.example.org/a.png")
    form.get_by_role("button", name="Add").click()
    alert.get_by_text("not among the allowed origins").wait_for()
    assert url.get_attribute("aria-invalid") == "true"
    assert name.get_attribute("aria-invalid") is None
    form.get_by_role("button", name="Cancel").click()
    assert not alert.count()


def test_settings_that_are_not_saved_stay_whatever_else_is_pressed(page, live):
    form = page.locator("#settings-form")
    note = page.get_by_text("Not saved yet.", exact=True)
    assert not note.is_visible()
    form.get_by_label("Question").fill("Half written?")
    assert note.is_visible()
    page.evaluate("window.confirm = () => true")
    for name, words in (
        ("Pause", "The arena is paused now."),
        ("Close", "The arena is closed now."),
        ("Open", "The arena is open now."),
        ("Frozen", "The mode is frozen now."),
        ("Live", "The mode is live now."),
    ):
        page.get_by_role("button", name=name, exact=True).click()
        said(page, f"{words} The settings below are not saved yet.")
        assert form.get_by_label("Question").input_value() == "Half written?" and note.is_visible()
    assert live.arena("trees").settings.page.get("question") != "Half written?"
    form.get_by_role("button", name="Save settings").click()
    said(page, "Saved.")
    assert not note.is_visible()
    assert live.arena("trees").settings.page["question"] == "Half written?"
    page.get_by_role("button", name="Live", exact=True).click()
    page.locator("#said", has_text=re.compile(r"^The mode is live now\.$")).wait_for()


def test_another_arena_is_not_chosen_over_settings_that_are_not_saved(page, live):
    page.evaluate("() => { window.asked = []; window.confirm = (words) => asked.push(words) > 1; }")
    question = page.locator("#settings-form").get_by_label("Question")
    question.fill("Half written?!")
    page.locator("#arena").select_option("waders")
    assert page.locator("#arena").input_value() == "trees"
    assert question.input_value() == "Half written?!"
    page.locator("#arena").select_option("waders")
    page.get_by_role("rowheader", name="heron").wait_for()
    assert question.input_value() == "" and page.evaluate("asked.length") == 2


def test_an_item_without_a_text_shows_its_name(page, live):
    form = page.locator("#item-form")
    for kind in ("text", "markdown"):
        form.get_by_label("Name", exact=True).fill(f"bare {kind}")
        form.get_by_label("Kind").select_option(kind)
        form.get_by_role("button", name="Add").click()
        said(page, f"bare {kind} is added.")
    page.get_by_role("button", name="Edit birch").click()
    form.get_by_role("textbox", name="Text").fill("White bark.")
    form.get_by_role("button", name="Save").click()
    said(page, "birch is changed.")
    page.get_by_role("button", name="Edit birch").click()
    form.get_by_role("textbox", name="Text").fill("")
    form.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Edit birch").wait_for()
    page.locator("#items tr", has_text="birch").get_by_text("White bark.").wait_for(
        state="detached"
    )
    page.get_by_text("Many at once").click()
    bulk = page.locator("#bulk-form")
    bulk.get_by_label("or its text").fill("name,kind,text\nbare row,text,\nbare rows,markdown,\n")
    bulk.get_by_role("button", name="Add or edit 2 items").click()
    said(page, "2 added")
    items = {item.name: item for item in live.arena("trees").items()}
    assert all(items[f"bare {one}"].content is None for one in ("text", "markdown", "row", "rows"))
    assert items["birch"].content == {"kind": "text", "text": "birch"}


@pytest.mark.parametrize("width", [375, 1280])
def test_long_names_and_names_from_right_to_left_have_room(visit, tmp_path, width):
    names = ["a" * 101, "\u05ea" * 100, "organisation/" + "b-2" * 30]
    with Arena(tmp_path / "arena.db", names, name="n" * 100) as arena:
        arena.set(page={"title": "t" * 150})
    with listening(tmp_path / "arena.db") as live:
        view = {"width": width, "height": 812}
        page = visit(f"{live.url}/admin#key={live.keys['admin']}", viewport=view)
        page.get_by_role("cell", name="writer", exact=True).wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        heads = page.locator("#items tbody th")
        assert heads.count() == 3 == heads.locator("bdi").count()
        names = heads.locator("bdi").all()
        assert max(name.bounding_box()["width"] for name in names) < 300


def test_another_arena_is_made(page, live):
    form = page.locator("#arena-form")
    form.get_by_label("Name", exact=True).fill("birds")
    form.get_by_label("Items").fill("heron\nowl\n\nwren")
    form.get_by_role("button", name="Make it").click()
    said(page, "birds is made.")
    assert set(live.arena("birds").arms) == {"heron", "owl", "wren"}
    assert page.locator("#arena").input_value() == "birds"
