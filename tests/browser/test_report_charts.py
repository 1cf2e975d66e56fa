"""The charts of the report in a real browser: where points are, what is read, switched and fits."""

import re

import numpy as np
import pytest

from browser.seen import curves, expected, key, markers, panel, readout, ticks
from browser.tiny_results import PHONE, play_lone
from sparring.lab import report
from sparring.lab.report.wording import size
from sparring.lab.summaries import read

pytestmark = pytest.mark.compiled  # no kernel is tested here


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
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert curves(section) == ["RAND", "DEX3.S", "DEX3.S corrected"]
    assert section.locator(".drawing text").all_text_contents() == before
    assert curves(panel(page, "second"))[0] == "RAND", "other panels stay"


def test_axes_fit_what_is_shown(page):
    section = panel(page, "floor")
    before = markers(section, "RAND")
    key(section, "irreducible").click()
    after = markers(section, "RAND")
    assert np.ptp(after[:, 1]) > np.ptp(before[:, 1]) + 20


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
    assert readout(section) == ("T = 1,125", expected(summary.curves, 3))
    for press, i in (("ArrowLeft", 2), ("Home", 0), ("ArrowLeft", 0), ("ArrowRight", 1)):
        page.keyboard.press(press)
        assert readout(section)[1] == expected(summary.curves, i)
    assert chart.get_attribute("aria-valuenow") == "1"
    assert chart.get_attribute("aria-valuetext").startswith("T = 356: RAND ")
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
