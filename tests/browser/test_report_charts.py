"""The charts of the report in a real browser: where points are, what is read and switched."""

import re

import numpy as np
import pytest

from browser.seen import chart, curves, expected, key, markers, panel, readout
from browser.tiny_results import play_lone
from sparring.formats import number, pair
from sparring.lab.page import write_report
from sparring.lab.summaries import read

pytestmark = pytest.mark.compiled  # no kernel is tested here


def test_every_panel_has_a_curve_for_each_learner_and_line(page, summaries):
    for summary in summaries:
        labels = {curve.label for curve in (*summary.curves, *summary.lines)}
        assert set(curves(panel(page, summary.name))) == labels


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


def test_theory_goes_through_the_last_point_with_its_slope(page, summaries):
    for summary in summaries:
        guide = summary.experiment.guide
        if not guide:
            continue
        section = panel(page, summary.name)
        dotted = chart(section).locator("[data-of] path[stroke='#5a5a5a']")
        x0, y0, x1, y1 = map(float, re.findall(r"-?[\d.]+", dotted.get_attribute("d")))
        spots = markers(section, guide)
        assert (x1, y1) == pytest.approx(spots[-1], abs=0.2)
        (curve,) = (one for one in summary.curves if one.label == guide)
        decades = np.log10([curve.x[-1] / curve.x[0], curve.mean[-1] / curve.mean[0]])
        across, up = (spots[-1] - spots[0]) / decades  # points of the figure a decade
        slope = (y1 - y0) / (x1 - x0) * across / up
        assert slope == pytest.approx(summary.experiment.slope, rel=0.05)


def test_a_learner_is_switched_off_and_on(page):
    section = panel(page, "first")
    before = curves(section)
    button = key(section, "RAND")
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert set(curves(section)) == {"DEX3.S", "DEX3.S corrected"}
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert curves(section) == before
    assert "RAND" in curves(panel(page, "second")), "other panels stay"


def test_without_any_learner_nothing_is_drawn_or_read(page):
    section = panel(page, "first")
    told = section.get_by_text("All curves are switched off.")
    for label in ("RAND", "DEX3.S", "DEX3.S corrected"):
        assert not told.filter(visible=True).count()
        key(section, label).click()
    assert curves(section) == []  # theory's line went with its learner
    assert told.filter(visible=True).count() == 1
    assert chart(section).get_attribute("aria-valuetext") == "All curves are switched off."
    chart(section).hover()
    assert section.locator(".readout:visible").count() == 0
    key(section, "RAND").click()
    assert not told.filter(visible=True).count()


def test_what_has_no_curve_over_time_cannot_be_switched_there(page, summaries):
    for summary in summaries:
        section = panel(page, summary.name)
        for view, labels in (("time", summary.labels), ("axis", summary.all_labels)):
            section.locator(f"button[data-view={view}]").click()
            switched = section.locator(".key:enabled").all_text_contents()
            assert switched == list(labels)
    assert any(summary.lines for summary in summaries)


def test_a_learner_is_switched_off_everywhere(page, summaries):
    everywhere = page.locator("#everywhere").get_by_role("button", name="DEX3.S", exact=True)
    small = page.locator(".overview [data-of='DEX3.S']:visible")
    key(panel(page, "second"), "DEX3.S").click()
    assert everywhere.get_attribute("aria-pressed") == "mixed" and small.count()
    everywhere.click()
    assert everywhere.get_attribute("aria-pressed") == "true"
    everywhere.click()
    assert everywhere.get_attribute("aria-pressed") == "false" and not small.count()
    for summary in summaries:
        assert "DEX3.S" not in curves(panel(page, summary.name))
        if "DEX3.S" in summary.labels:
            button = key(panel(page, summary.name), "DEX3.S")
            assert button.get_attribute("aria-pressed") == "false"


def test_pointing_reads_the_numbers_at_the_nearest_point(page, summaries):
    for summary in summaries:
        section = panel(page, summary.name)
        chart(section).scroll_into_view_if_needed()
        box = chart(section).bounding_box()
        width = float(chart(section).locator("svg").get_attribute("viewBox").split()[2])
        for i, (x, _) in enumerate(markers(section, "RAND")):
            page.mouse.move(box["x"] + (x - 3) / width * box["width"], box["y"] + 90)
            head, found = readout(section)
            assert head == f"{summary.experiment.axis} = {number(summary.points[i])}"
            assert found == expected((*summary.curves, *summary.lines), i)
            assert list(found) == sorted(found, key=lambda label: -found[label][0])
        page.mouse.move(0, 0)
        assert section.locator(".readout:visible").count() == 0


def test_who_is_off_is_not_read(page):
    section = panel(page, "first")
    key(section, "RAND").click()
    chart(section).hover()
    assert set(readout(section)[1]) == {"DEX3.S", "DEX3.S corrected"}


def test_keys_read_the_numbers_too(page, summaries):
    section, summary = panel(page, "first"), summaries[1]
    key(section, "DEX3.S corrected").focus()
    page.keyboard.press("Tab")
    assert chart(section).evaluate("one => one === document.activeElement")
    steps = (("ArrowLeft", 3), ("ArrowLeft", 2), ("Home", 0), ("ArrowLeft", 0), ("ArrowRight", 1))
    for press, i in steps:
        page.keyboard.press(press)
        assert readout(section)[1] == expected(summary.curves, i)
    page.keyboard.press("Escape")
    assert section.locator(".readout:visible").count() == 0


def test_a_screen_reader_is_told_what_is_read(page, summaries):
    section, summary = panel(page, "first"), summaries[1]
    slider = section.get_by_role("slider", name="First, against T")
    assert slider.get_attribute("aria-valuetext") == "no point chosen"
    assert [slider.get_attribute(f"aria-value{end}") for end in ("min", "max")] == ["0", "3"]
    slider.focus()
    for press, i in (("Home", 0), ("ArrowRight", 1), ("ArrowUp", 2), ("ArrowDown", 1)):
        page.keyboard.press(press)
        assert slider.get_attribute("aria-valuenow") == str(i)
        head, _, values = slider.get_attribute("aria-valuetext").partition(": ")
        assert head == f"T = {number(summary.points[i])}"
        told = {f"{one.label} {pair(one.mean[i], one.sd[i])}" for one in summary.curves}
        assert set(values.split("; ")) == told
    page.keyboard.press("Escape")
    assert slider.get_attribute("aria-valuetext") == "no point chosen"
    sliders = page.locator(".chart:visible")
    names = sliders.evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert page.get_by_role("slider").count() == len(set(names)) == len(summaries)


def test_over_time_is_the_last_point_on_linear_axes(page, summaries):
    for summary in summaries:
        section = panel(page, summary.name)
        section.locator("button[data-view=time]").click()
        assert section.locator("button[data-view=time]").get_attribute("aria-pressed") == "true"
        assert section.locator("button[data-view=axis]").get_attribute("aria-pressed") == "false"
        assert set(curves(section)) == set(summary.labels)
        spots = markers(section, "RAND")
        np.testing.assert_allclose(np.diff(spots[:, 0], 2), 0, atol=1.5)
        chart(section).focus()
        page.keyboard.press("Home")
        head, found = readout(section)
        assert head == f"t = {number(summary.over_time[0].x[0])}"
        assert found == expected(summary.over_time, 0)
        section.locator("button[data-view=axis]").click()
        assert len(curves(section)) == len(summary.curves) + len(summary.lines)


def test_what_is_not_positive_is_not_drawn_but_read(page, summaries):
    section, summary = panel(page, "below-zero"), summaries[2]
    assert len(markers(section, "REX3")) == 1
    chart(section).focus()
    page.keyboard.press("End")
    assert readout(section)[1] == expected(summary.curves, 2)


def test_one_point_of_one_run(visit, tmp_path):
    summaries = read(play_lone(tmp_path / "results"))
    page = visit(write_report(tmp_path, summaries, (), command="make"))
    section = panel(page, "lone")
    assert curves(section) == ["RAND"]  # over time, as one point is no curve
    chart(section).focus()
    page.keyboard.press("End")
    head, found = readout(section)
    assert (head, found["RAND"][1]) == ("t = 1,000", 0)
    assert found == expected(summaries[0].over_time, -1)


def test_curves_have_the_tones_of_the_page(visit, file):
    tones = {}
    for scheme in ("light", "dark"):
        section = panel(visit(file, color_scheme=scheme), "first")
        line = chart(section).locator("[data-of='DEX3.S'] path[stroke='#0072b2']")
        edge = chart(section).locator("[data-of='DEX3.S'] use:not([fill-opacity])").first
        tones[scheme] = [
            part.evaluate("one => getComputedStyle(one).stroke") for part in (line, edge)
        ]
    assert tones == {
        "light": ["rgb(0, 114, 178)", "rgb(253, 253, 251)"],
        "dark": ["rgb(42, 134, 200)", "rgb(20, 23, 27)"],
    }
