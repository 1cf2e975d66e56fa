"""The page of votes in a real browser: the answer first, for anyone, on any screen."""

from itertools import combinations

import numpy as np
import pytest

from browser.test_report_page import CONTRASTS
from chromium import axe_core
from payloads import payloads
from sparring.votes import Votes, answer
from sparring.votes.page import write_votes

pytestmark = pytest.mark.compiled  # no kernel is tested here

LONG = "northern-lights-instruct-70b-2025-03-14-preview-long-context-x"
HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "</script><b>bold</b>")
NAMES = (*HOSTILE, "$\\frac{a}{b}$", "שחף-ים-גדול", LONG, "joins late")
NEW = NAMES.index("joins late")
HOUR = 3600.0
PHONE, DESKTOP, LARGE = (
    {"width": 375, "height": 812},
    {"width": 1280, "height": 800},
    {"width": 1920, "height": 1080},
)


def voted(n=3000, seed=1):
    """The second arm takes over from the first one after half of the votes; one joins."""
    rng = np.random.default_rng(seed)
    K, when = len(NAMES), np.arange(n)
    strengths = np.zeros((2, K))
    strengths[0, :2], strengths[1, :2], strengths[:, 2] = (1.5, 0), (0, 1.5), -0.5
    there = np.where(when < 0.6 * n, K - 1, K)
    first = rng.integers(there)
    second = (first + rng.integers(1, there)) % there
    strength = strengths[(when > 0.5 * n) * 1]
    lead = strength[when, first] - strength[when, second]
    outcome = rng.random(n) < 1 / (1 + np.exp(-lead))
    return Votes(NAMES, first, second, outcome, time=1.7e9 + when * HOUR)


@pytest.fixture(scope="module")
def told():
    return answer(voted(), what_if=False)


@pytest.fixture(scope="module")
def file(told, tmp_path_factory):
    folder = tmp_path_factory.mktemp("votes-page")
    notes = ["<b>bold</b> lines"]
    words = {"source": "<i>x</i>.csv", "notes": notes, "command": "sparring votes x.csv"}
    return write_votes(folder / "votes.html", told, **words)


@pytest.fixture(scope="module")
def violations():
    return axe_core()


def seen(page):
    """The drawing that is shown."""
    return page.locator(".course svg:visible")


def boxes(found):
    """Where elements are on the screen."""
    return found.evaluate_all("""all => all.map((one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        return [left, top, right, bottom];
    })""")


def overlap(one, other, slack=1.0):
    return (
        one[0] + slack < other[2]
        and other[0] + slack < one[2]
        and one[1] + slack < other[3]
        and other[1] + slack < one[3]
    )


@pytest.mark.parametrize("size", [PHONE, DESKTOP, LARGE])
def test_the_answer_is_on_the_first_screen(visit, file, told, size):
    page = visit(file, viewport=size)
    assert told.now.clear and told.now.leader == NAMES[1]
    head = page.locator("h1").bounding_box()
    figures = page.locator(".figures > div")
    assert figures.count() == 3
    chart = seen(page).bounding_box()
    bottoms = [head["y"] + head["height"], chart["y"]]
    assert bottoms[0] < bottoms[1]
    fold = size["height"]
    assert chart["y"] + (chart["height"] if size != PHONE else chart["height"] / 2) <= fold
    assert NAMES[1] in page.locator("h1").text_content()
    assert "over 99%" in figures.nth(1).text_content()


@pytest.mark.parametrize("width", [320, 375, 700, 900, 1280, 1920])
def test_the_page_is_no_wider_than_the_screen(visit, file, width):
    page = visit(file, viewport={"width": width, "height": 812})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen(page).count() == 1


@pytest.mark.parametrize("width", [375, 1280])
def test_a_name_without_a_break_makes_nothing_wider(visit, tmp_path, width):
    """A hundred letters made the page of a phone a thousand points wide."""
    rng = np.random.default_rng(2)
    names = ("x" * 100, "y" * 100, "tea")
    first = rng.integers(3, size=200)
    votes = Votes(names, first, (first + 1) % 3, rng.random(200), voter=np.zeros(200, int))
    file = write_votes(tmp_path / "wide.html", answer(votes, what_if=False), source="x" * 80)
    page = visit(file, viewport={"width": width, "height": 812})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_phone_intervals_have_the_width_of_their_row(visit, file):
    page = visit(file, viewport=PHONE)
    wide = page.locator(".standings .interval").first.bounding_box()["width"]
    assert wide > 0.7 * page.locator(".standings tbody tr").first.bounding_box()["width"]


@pytest.mark.parametrize("width", [375, 760, 1280])
def test_no_label_lies_on_another(visit, file, width):
    page = visit(file, viewport={"width": width, "height": 900})
    drawing = seen(page)
    for kind in (".flag", ".end text", ".note"):
        found = boxes(drawing.locator(kind))
        assert found
        for one, other in combinations(found, 2):
            # The box of a text is as high as any letter may be.
            assert not overlap(one, other, slack=4.0)
        assert all(left >= 0 and right <= width for left, _, right, _ in found)


def test_the_text_of_the_chart_can_be_read_on_a_phone(visit, file):
    page = visit(file, viewport=PHONE)
    sizes = seen(page).evaluate(
        """svg => [...svg.querySelectorAll("text")].map(text =>
            parseFloat(getComputedStyle(text).fontSize) * svg.getScreenCTM().a)"""
    )
    assert len(sizes) > 10 and min(sizes) >= 10


def test_names_are_shown_as_they_are(page):
    heads = page.locator(".standings tbody th").all_text_contents()
    assert sorted(heads) == sorted(NAMES)
    assert page.locator("main script:not([type]), main img, main b:has-text('bold')").count() == 0
    assert "<b>bold</b> lines" in page.locator("#h-votes").locator("..").text_content()
    assert "<i>x</i>.csv" in page.locator(".about").text_content()


def test_a_name_from_right_to_left_turns_nothing_round(page):
    cell = page.locator(".standings th bdi", has_text="שחף").first
    assert cell.evaluate("one => getComputedStyle(one).unicodeBidi") == "isolate"
    assert page.locator(".course tspan.who", has_text="\u2068שחף").count() == 3


def test_hostile_names_stay_text(visit, tmp_path):
    names = tuple(dict.fromkeys(one.replace("\n", " ") for one in payloads(36)))
    rng = np.random.default_rng(1)
    first = rng.integers(len(names), size=900)
    second = (first + rng.integers(1, len(names), size=900)) % len(names)
    votes = Votes(names, first, second, rng.random(900) < 0.5)
    path = write_votes(tmp_path / "x.html", answer(votes, what_if=False), source=names[0])
    page = visit(path)  # which fails on any alert, request or message
    assert set(page.locator(".standings tbody th").all_text_contents()) == set(names)


def test_the_chart_is_read_by_keys(page, told):
    reader = seen(page).locator(".reader")
    assert reader.get_attribute("role") == "slider"
    reader.focus()
    page.keyboard.press("Home")
    first = reader.get_attribute("aria-valuetext")
    assert first.startswith("14 November 2023") and NAMES[0] in first
    assert "joins late" not in first  # it was not there yet
    page.keyboard.press("ArrowRight")
    assert reader.get_attribute("aria-valuenow") == "1"
    page.keyboard.press("End")
    last = reader.get_attribute("aria-valuetext")
    share = round(100 * told.now.places[0].share[0])
    assert f"{NAMES[1]} {share}%" in last
    box = page.locator(".reading")
    assert box.is_visible() and f"{share}%" in box.text_content()
    page.keyboard.press("Escape")
    assert box.is_hidden()


def test_the_chart_is_read_by_pointing(page):
    area = seen(page).locator(".reader").bounding_box()
    page.mouse.move(area["x"] + 5, area["y"] + 50)
    box = page.locator(".reading")
    assert box.is_visible() and "14 November 2023" in box.text_content()
    page.mouse.move(area["x"] + area["width"] - 2, area["y"] + 50)
    edge = box.bounding_box()
    assert edge["x"] + edge["width"] <= area["x"] + area["width"] + 1  # it flips at the edge


def test_a_name_colours_its_curve(page):
    end = seen(page).locator(".end").last
    key = end.get_attribute("data-key")
    curve = seen(page).locator(f".arm[data-key='{key}'] .line")
    colour = "one => getComputedStyle(one).stroke"
    assert end.get_attribute("aria-pressed") == "false"
    grey = curve.evaluate(colour)
    end.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "([key, grey]) => getComputedStyle(document.querySelector("
        "`.course .wide .arm[data-key='${key}'] .line`)).stroke !== grey",
        arg=[key, grey],
    )
    assert end.get_attribute("aria-pressed") == "true"
    end.click()
    assert end.get_attribute("aria-pressed") == "false"


def test_the_chart_says_what_it_shows(page, told):
    drawing = seen(page)
    words = {
        name: page.locator(f"#{drawing.get_attribute(name)}").text_content()
        for name in ("aria-labelledby", "aria-describedby")
    }
    assert words["aria-labelledby"] == "Strength over time"
    assert told.now.leader in words["aria-describedby"]
    assert told.now.since.before in words["aria-describedby"]


def test_pairs_are_those_of_all_votes_or_since_the_change(page, told):
    now, ever = page.locator(".pairs.since-latest"), page.locator(".pairs.since-all")
    assert now.is_visible() and not ever.is_visible()
    page.get_by_role("radio", name="all votes").check()
    assert ever.is_visible() and not now.is_visible()
    counts = ever.locator("table small").all_text_contents()
    assert sum(int(one.replace(",", "")) for one in counts) == 2 * len(told.votes)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes_are_readable(visit, file, theme):
    page = visit(file, color_scheme=theme)
    found = page.evaluate(CONTRASTS)
    assert len(found) > 100 and [who for ratio, who in found if ratio < 4.5] == []


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"color_scheme": "dark"},
        {"viewport": PHONE, "has_touch": True},
        {"forced_colors": "active"},
    ],
    ids=["light", "dark", "phone", "forced colours"],
)
def test_everybody_can_use_it(visit, file, violations, options):
    page = visit(file, **options)
    assert violations(page) == []


def test_without_scripts_nothing_pretends_to_be_a_button(visit, file):
    page = visit(file, java_script_enabled=False)
    assert seen(page).locator("[role=button], [role=slider]").count() == 0
    assert page.locator("#theme, #copy").filter(visible=True).count() == 0


def test_forced_colours_keep_curves_and_words(visit, file):
    page = visit(file, forced_colors="active")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for kind, what in ((".arm.on .line", "stroke"), (".flag", "fill"), (".end text", "fill")):
        for colour in (
            seen(page)
            .locator(kind)
            .evaluate_all(f"all => all.map((one) => getComputedStyle(one).{what})")
        ):
            assert colour != ground


def test_on_paper_it_is_light_and_whole(visit, file):
    page = visit(file, color_scheme="dark", viewport={"width": 794, "height": 1123})
    page.emulate_media(media="print")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
    assert not page.locator("#theme").is_visible()
    assert page.locator(".pairs.since-latest table").is_visible()  # not a list to be unfolded
    assert page.evaluate("document.documentElement.scrollWidth") <= 794


def test_who_wants_no_motion_has_none(visit, file):
    moving = "one => getComputedStyle(one).transitionDuration"
    still = visit(file, reduced_motion="reduce")
    assert seen(still).locator(".arm .line").first.evaluate(moving) == "0s"


def test_nothing_but_its_own_style_and_script_may_run(page):
    policy = page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert page.locator("[style]").evaluate_all("all => all.map((one) => one.className)") in (
        [],
        ["reading"],
    )


def test_the_theme_can_be_chosen(visit, file):
    page = visit(file, color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.locator("#theme").click()
    assert page.evaluate(ground) != light
