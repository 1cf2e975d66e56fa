"""The report in a real browser: charts, readouts, buttons, themes, small screens, no network."""

import re
import shutil

import numpy as np
import pytest

from browser.tiny_results import COMMAND, HOSTILE, VERDICTS, play, play_lone, shown
from sparring import report
from sparring.report.wording import size
from sparring.summaries import read

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra dev")
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=f"needs one of {', '.join(NAMES)}")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def summaries(tmp_path_factory):
    return shown(play(tmp_path_factory.mktemp("results")))


@pytest.fixture(scope="module")
def file(summaries, tmp_path_factory):
    return report.write(tmp_path_factory.mktemp("page"), summaries, VERDICTS, command=COMMAND)


@pytest.fixture(scope="module")
def browser():  # of one file only: while it is open, nobody else may have an event loop
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Open a file in a new window; at the end there must have been no error and no request."""
    contexts, bad = [], []

    def visit(file, **options):
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: bad.append(message.text))
        page.on("pageerror", lambda error: bad.append(str(error)))
        page.on("dialog", lambda dialog: (bad.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: request.url == file.as_uri() or bad.append(request.url))
        page.goto(file.as_uri())
        return page

    yield visit
    for context in contexts:
        context.close()
    assert bad == []


@pytest.fixture
def page(visit, file):
    return visit(file)


def panel(page, name):
    return page.locator(f"#panel-{name}")


def curves(section):
    return section.locator("g.curve").evaluate_all("all => all.map((one) => one.dataset.label)")


def key(section, label):
    return section.locator(".legend").get_by_role("button", name=label, exact=True)


def markers(section, label):
    """Where the markers of a curve are, in pixels of the plot."""
    transforms = section.locator("g.curve").evaluate_all(
        """(all, label) => all.filter((one) => one.dataset.label === label).flatMap((one) =>
        [...one.querySelectorAll(".mark")].map((mark) => mark.getAttribute("transform")))""",
        label,
    )
    return np.array([[float(n) for n in re.findall(r"-?[\d.]+", one)] for one in transforms])


def ticks(section):
    """The values that the vertical axis names, and where."""
    found = section.locator(".drawing text[x='36']").evaluate_all(
        "all => all.map((one) => [one.textContent, Number(one.getAttribute('y')) - 4 - 26])"
    )
    values = [float(text.rstrip("kM")) * {"k": 1e3, "M": 1e6}.get(text[-1], 1) for text, _ in found]
    return np.array(values), np.array([place for _, place in found])


def readout(section):
    """The heading of a readout and its numbers, label by label."""
    box = section.locator(".readout")
    assert box.is_visible()
    labels, numbers = (box.locator(tag).all_text_contents() for tag in ("dt", "dd"))
    found = {
        label: tuple(
            float(part.replace(",", "").replace("\N{MINUS SIGN}", "-")) for part in text.split("±")
        )
        for label, text in zip(labels, numbers, strict=True)
    }
    return box.locator("b").text_content(), found


def expected(curves, i):
    return {
        curve.label: pytest.approx((curve.mean[i], curve.sd[i]), abs=0.051)
        if max(curve.mean[i], curve.sd[i]) >= 100
        else pytest.approx((curve.mean[i], curve.sd[i]), rel=1e-2, abs=6e-3)
        for curve in curves
    }


def test_every_panel_has_a_curve_for_each_learner_and_line(page, summaries):
    for summary in summaries:
        labels = [curve.label for curve in (*summary.curves, *summary.lines)]
        assert curves(panel(page, summary.name)) == labels
        assert panel(page, summary.name).locator(".band").count() == len(labels)


def test_markers_are_where_the_numbers_are(page, summaries):
    for summary in summaries:
        for curve in summary.curves:
            drawn = curve.mean > 0
            found = markers(panel(page, summary.name), curve.label)
            assert len(found) == drawn.sum()
            if drawn.sum() < 3:
                continue
            for values, places in zip((curve.x[drawn], curve.mean[drawn]), found.T, strict=True):
                slope, start = np.polyfit(np.log10(values), places, 1)
                np.testing.assert_allclose(places, start + slope * np.log10(values), atol=0.2)
            if np.ptp(found[:, 1]) > 50:  # far enough apart to tell the scale from
                values, places = ticks(panel(page, summary.name))
                assert len(values) >= 2
                np.testing.assert_allclose(places, start + slope * np.log10(values), atol=1)


def test_theory_goes_through_the_last_point_with_its_slope(page, summaries):
    for summary in summaries:
        if not summary.experiment.guide:
            continue
        section = panel(page, summary.name)
        found = section.locator(".guide").get_attribute("d")
        x0, y0, x1, y1 = map(float, re.findall(r"-?[\d.]+", found))
        spots = markers(section, summary.experiment.guide)
        rise = (y1 - y0) / (x1 - x0)
        assert y0 + rise * (spots[-1, 0] - x0) == pytest.approx(spots[-1, 1], abs=0.2)
        (curve,) = (one for one in summary.curves if one.label == summary.experiment.guide)
        decades = np.log10([curve.x[-1] / curve.x[0], curve.mean[-1] / curve.mean[0]])
        across, up = (spots[-1] - spots[0]) / decades  # pixels a decade
        assert rise * across / up == pytest.approx(summary.experiment.slope, rel=0.05)
    assert panel(page, "first").locator(".theory").text_content() == "√T"
    assert panel(page, "variation").locator(".theory").text_content() == "VT1/3"


def test_a_learner_is_switched_off_and_on(page):
    section = panel(page, "first")
    before = section.locator(".drawing text").all_text_contents()
    button = key(section, "RAND")
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert curves(section) == ["DEX3.S", "DEX3.S corrected"]
    alone = markers(section, "DEX3.S")
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert curves(section) == ["RAND", "DEX3.S", "DEX3.S corrected"]
    assert section.locator(".drawing text").all_text_contents() == before
    assert abs(alone - markers(section, "DEX3.S"))[:, 1].max() > 3, "axes fit what is shown"
    assert curves(panel(page, "second"))[0] == "RAND", "other panels stay"


def test_without_its_learner_there_is_no_line_of_theory_and_without_any_a_word(page):
    section = panel(page, "first")
    key(section, "DEX3.S").click()
    assert section.locator(".guide").count() == 0
    key(section, "RAND").click()
    key(section, "DEX3.S corrected").click()
    assert "All curves are switched off." in section.locator(".drawing").text_content()
    section.locator(".chart").hover()
    assert section.locator(".readout").is_hidden()


def test_a_learner_is_switched_off_everywhere(page, summaries):
    everywhere = page.locator("#everywhere").get_by_role("button", name="DEX3.S", exact=True)
    key(panel(page, "second"), "DEX3.S").click()
    assert everywhere.get_attribute("aria-pressed") == "mixed"
    everywhere.click()
    assert everywhere.get_attribute("aria-pressed") == "true"
    everywhere.click()
    assert everywhere.get_attribute("aria-pressed") == "false"
    for summary in summaries:
        assert "DEX3.S" not in curves(panel(page, summary.name))
        if "DEX3.S" in summary.labels:
            button = key(panel(page, summary.name), "DEX3.S")
            assert button.get_attribute("aria-pressed") == "false"


def test_pointing_reads_the_numbers_at_the_nearest_point(page, summaries):
    for summary in summaries:
        section = panel(page, summary.name)
        chart = section.locator(".chart")
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        for i, (x, _) in enumerate(markers(section, "RAND")):
            page.mouse.move(box["x"] + 44 + x + 5, box["y"] + 90)
            head, found = readout(section)
            assert head == f"{summary.experiment.axis} = {size(summary.points[i])}"
            assert found == expected((*summary.curves, *summary.lines), i)
            assert list(found) == sorted(found, key=lambda label: -found[label][0])
        page.mouse.move(0, 0)
        assert section.locator(".readout").is_hidden()


def test_keys_read_the_numbers_too(page, summaries):
    section, summary = panel(page, "first"), summaries[1]
    key(section, "DEX3.S corrected").focus()
    page.keyboard.press("Tab")
    chart = section.locator(".chart")
    assert chart.evaluate("one => one === document.activeElement")
    assert readout(section) == ("T = 5,623", expected(summary.curves, 3))
    for press, i in (("ArrowLeft", 2), ("Home", 0), ("ArrowLeft", 0), ("ArrowRight", 1)):
        page.keyboard.press(press)
        assert readout(section)[1] == expected(summary.curves, i)
    assert chart.get_attribute("aria-valuenow") == "1"
    assert chart.get_attribute("aria-valuetext").startswith("T = 1,778: RAND ")
    page.keyboard.press("Escape")
    assert section.locator(".readout").is_hidden()


def test_over_time_is_the_last_point_on_linear_axes(page, summaries):
    for summary in summaries:
        section = panel(page, summary.name)
        section.locator("[data-view=time]").click()
        assert section.locator("[data-view=time]").get_attribute("aria-pressed") == "true"
        assert section.locator("[data-view=axis]").get_attribute("aria-pressed") == "false"
        assert curves(section) == list(summary.labels)
        assert section.locator(".guide").count() == 0
        for line in summary.lines:
            assert key(section, line.label).is_disabled()
        spots = markers(section, "RAND")
        np.testing.assert_allclose(np.diff(spots[:, 0], 2), 0, atol=1.5)
        section.locator(".chart").focus()
        page.keyboard.press("Home")
        head, found = readout(section)
        assert head == f"t = {size(summary.over_time[0].x[0])}"
        assert found == expected(summary.over_time, 0)
        section.locator("[data-view=axis]").click()
        assert len(curves(section)) == len(summary.curves) + len(summary.lines)


def test_what_is_not_positive_is_not_drawn_but_read(page, summaries):
    section, summary = panel(page, "below-zero"), summaries[2]
    assert len(markers(section, "REX3")) == 1
    section.locator(".chart").focus()
    page.keyboard.press("End")
    assert readout(section)[1] == expected(summary.curves, 2)


def test_hostile_labels_stay_texts(page):
    assert page.locator("img").count() == 0
    assert key(panel(page, "second"), HOSTILE).inner_text() == HOSTILE
    assert panel(page, "second").locator("h3").inner_text().startswith(f"Second, {HOSTILE}")
    assert page.locator("#command").text_content() == COMMAND
    key(panel(page, "second"), HOSTILE).click()
    assert HOSTILE not in curves(panel(page, "second"))


def test_the_table_of_claims(page):
    rows = page.locator("tr.verdict")
    assert rows.count() == len(VERDICTS)
    for i, verdict in enumerate(VERDICTS):
        badge = rows.nth(i).locator(".badge").inner_text()
        assert badge.split(maxsplit=1)[1] == verdict.verdict
        assert badge[0] == {"holds": "✓", "does not hold": "✗", "not decidable": "?"}[badge[2:]]
    page.locator("#claim-c a").click()
    assert page.evaluate("location.hash") == "#panel-second"
    top = panel(page, "second").bounding_box()["y"]
    assert -1 <= top < DESKTOP["height"]


def test_the_command_can_be_copied(page):
    page.get_by_role("button", name="Copy").click()
    page.wait_for_function("document.getElementById('copy').textContent !== 'Copy'")
    assert page.evaluate("getSelection().toString()") == COMMAND


def test_a_phone_has_no_sideways_scroll(visit, file):
    page = visit(file, viewport=PHONE, has_touch=True, is_mobile=True)
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    for name, at in (("first", 0.95), ("second", 0.5), ("floor", 0.2)):
        chart = panel(page, name).locator(".chart")
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        page.touchscreen.tap(box["x"] + at * box["width"], box["y"] + 100)
        assert readout(panel(page, name))[1]
        inside = panel(page, name).locator(".readout").bounding_box()
        assert inside["x"] >= 0 and inside["x"] + inside["width"] <= PHONE["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


CONTRASTS = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = parts(colour).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return (parts(colour)[3] ?? 1) > 0 ? colour : behind(element.parentElement);
  };
  const hasText = (element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  return [...document.querySelectorAll("body *")].filter(hasText)
    .filter((element) => element.getClientRects().length && !element.closest("script"))
    .map((element) => {
      const style = getComputedStyle(element);
      const ink = element.closest("svg") ? style.fill : style.color;
      const [low, high] = [light(ink), light(behind(element))].sort((a, b) => a - b);
      return [(high + 0.05) / (low + 0.05), `${element.tagName}.${element.className}`];
    });
}"""


def test_both_themes_are_readable(visit, file):
    grounds = {}
    for scheme in ("light", "dark"):
        page = visit(file, color_scheme=scheme, reduced_motion="reduce")
        page.locator("details").first.evaluate("one => { one.open = true; }")
        page.locator(".chart").first.hover()
        key(panel(page, "second"), "RAND").click()
        grounds[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
        contrasts = page.evaluate(CONTRASTS)
        assert len(contrasts) > 300
        assert min(contrasts)[0] >= 4.5, min(contrasts)
    light, dark = (sum(map(int, re.findall(r"\d+", grounds[one])[:3])) for one in grounds)
    assert light > 700 and dark < 100


def test_the_theme_can_be_chosen_and_is_remembered(visit, file):
    page = visit(file, color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.locator("#theme").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark
    page.locator("#theme").click()
    assert page.evaluate(ground) == light


def test_nothing_jumps_while_the_page_opens(page):
    shifts = page.evaluate(
        """() => new Promise((done) => {
        new PerformanceObserver((list) => done(list.getEntries().map((one) => one.value)))
          .observe({ type: "layout-shift", buffered: true });
        setTimeout(() => done([]), 300);
        })"""
    )
    assert sum(shifts) < 0.001  # of the window's area times the way


def test_without_scripts_the_numbers_are_there(visit, file, summaries):
    page = visit(file, java_script_enabled=False)
    assert page.locator(".key:visible, .views:visible, #theme:visible").count() == 0
    assert page.locator(".panel noscript:visible").count() == len(summaries)
    page.locator("#panel-first summary").click()
    assert page.locator("#panel-first table:visible").count() == 4


def test_one_point_of_one_run(visit, tmp_path):
    summaries = read(play_lone(tmp_path / "results"))
    page = visit(report.write(tmp_path, summaries, (), command="make"))
    section = panel(page, "lone")
    assert curves(section) == ["RAND"] and len(markers(section, "RAND")) == 1
    section.locator(".chart").hover()
    head, found = readout(section)
    assert (head, found["RAND"][1]) == ("T = 1,000", 0)
    assert found == expected(summaries[0].curves, 0)


def test_charts_fit_the_window_when_it_changes(page):
    page.set_viewport_size(PHONE)
    page.wait_for_function(
        "document.querySelector('.drawing svg').viewBox.baseVal.width < innerWidth"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
