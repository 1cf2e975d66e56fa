"""The course of strengths: true to its numbers, safe for any name, with labels apart."""

import json
import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from payloads import payloads
from sparring.charts.course import DRAWN, HUES, SIZES, Line, Takeover, bars, course, hue
from sparring.charts.elements import element, pixels, polyline
from sparring.charts.labels import Box, width
from sparring.formats import Counted, Dates

pytestmark = pytest.mark.compiled  # no kernel is tested here

DAY = 86_400.0
YEAR = Dates(1735689600, 1735689600 + 365 * DAY)
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1)


def line(key, y, *, x=None, name="", **more):
    """A curve with bands of five points."""
    y = np.asarray(y, float)
    x = np.linspace(YEAR.first, YEAR.last, len(y)) if x is None else np.asarray(x, float)
    low, high = np.clip(y - 0.05, 0.001, 0.999), np.clip(y + 0.05, 0.001, 0.999)
    return Line(key, name or f"arm {key}", x, y, low, high, **more)


def drawn(lines, moments=YEAR, **more):
    """The drawings of a chart, and its numbers."""
    words = {"name": "test", "label": "Strength", "finding": "It is so"} | more
    text = str(course(lines, moments, **words))
    root = ElementTree.fromstring(text)
    svgs = root.findall("svg")
    assert [svg.get("class") for svg in svgs] == [size.kind for size in SIZES]
    return svgs, json.loads(root.find("script").text)


def parts(svg, kind):
    """Elements of a class."""
    return [one for one in svg.iter() if kind in (one.get("class") or "").split()]


def text(one):
    return "".join(one.itertext()).strip()


def points(path):
    """The points of the data of a path."""
    return np.array([list(map(float, one.split())) for one in re.split("[ML]", path)[1:]])


TAKEN = [
    line(0, [0.6] * 5 + [0.4] * 5, coloured=True),
    line(1, [0.4] * 5 + [0.6] * 5, coloured=True, banded=True),
    line(2, [0.5] * 10),
]
AT = float(YEAR.first + 182 * DAY)
TAKEOVER = Takeover(1, 0, AT, AT - 5 * DAY, AT + 5 * DAY)


def test_a_takeover_is_labelled_on_its_date_where_the_curves_cross():
    for svg in drawn(TAKEN, takeovers=[TAKEOVER])[0]:
        (flag,) = parts(svg, "flag")
        assert "arm 1" in text(flag) and "takes over" in text(flag)
        (ring,) = parts(svg, "turn")
        x, y = float(ring.get("cx")), float(ring.get("cy"))
        (event,) = parts(svg, "event")
        assert event.get("d").startswith(f"M{x:.1f}")
        (maybe,) = parts(svg, "maybe")
        begin = float(maybe.get("x"))
        assert begin < x < begin + float(maybe.get("width"))
        for arm in parts(svg, "arm"):
            if arm.get("data-key") in "01":
                path = points(parts(arm, "line")[0].get("d"))
                assert np.interp(x, *path.T) == pytest.approx(y, abs=0.2)


def test_a_curve_begins_and_ends_with_its_arm():
    begin, end = YEAR.first + 100 * DAY, YEAR.first + 200 * DAY
    x = np.linspace(begin, end, 5)
    lines = [TAKEN[2], line(7, [0.6] * 5, x=x, joined=True, left=True)]
    for svg in drawn(lines)[0]:
        left, right = float(svg.get("data-left")), float(svg.get("data-right"))
        place = {
            at: left + (at - YEAR.first) / (YEAR.last - YEAR.first) * (right - left)
            for at in (begin, end)
        }
        (arm,) = (one for one in parts(svg, "arm") if one.get("data-key") == "7")
        path = points(parts(arm, "line")[0].get("d"))
        assert path[0, 0] == pytest.approx(place[begin], abs=0.1)
        assert path[-1, 0] == pytest.approx(place[end], abs=0.1)
        assert parts(arm, "start") and parts(arm, "stop")
        assert [one.get("data-key") for one in parts(svg, "end")] == ["2"]  # none where it left
        notes = " ".join(map(text, parts(svg, "note")))
        assert "joined" in notes and "left" in notes


def test_higher_shares_are_higher_and_marks_are_where_they_say():
    for svg in drawn(TAKEN)[0]:
        ticks = {
            int(text(one)[:-1]): float(one.get("y")) - 4
            for one in parts(svg, "tick")
            if text(one).endswith("%")
        }
        shares = sorted(ticks)
        assert len(shares) >= 3 and 50 in shares
        heights = [ticks[one] for one in shares]
        assert heights == sorted(heights, reverse=True)
        assert min(-np.diff(heights)) >= 18
        (arm,) = (one for one in parts(svg, "arm") if one.get("data-key") == "2")
        path = points(parts(arm, "line")[0].get("d"))
        assert path[:, 1] == pytest.approx(ticks[50], abs=0.2)


def test_colours_stay_with_an_arm_whatever_its_rank():
    for lines in (TAKEN, TAKEN[::-1]):
        for svg in drawn(lines)[0]:
            for arm in parts(svg, "arm"):
                assert arm.get("class").split()[1] == f"h{arm.get('data-key')}"
    assert len({hue(key) for key in range(2 * HUES)}) == 2 * HUES
    assert hue(0) == "h0" and hue(HUES) == "h0 dash"


@given(
    st.lists(
        st.tuples(NAMES, st.lists(st.floats(0.001, 0.999), min_size=6, max_size=6)),
        min_size=1,
        max_size=20,
    ),
    st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19), st.floats(0, 1)), max_size=6),
)
def test_no_label_overlaps_another_or_leaves_the_drawing(found, changes):
    lines = [
        line(key, y, name=name, coloured=key < 3, joined=key % 5 == 3, left=key % 7 == 5)
        for key, (name, y) in enumerate(found)
    ]
    taken = [
        Takeover(one % len(lines), other % len(lines), *[YEAR.first + at * 365 * DAY] * 3)
        for one, other, at in sorted(changes, key=lambda change: change[2])
        if one % len(lines) != other % len(lines)
    ]
    for size, svg in zip(SIZES, drawn(lines, takeovers=taken)[0], strict=True):
        wide, high = map(float, svg.get("viewBox").split()[2:])
        assert wide == size.width
        ends = [
            box_of(one.find("text"), size.text, "on" in one.get("class"))
            for one in parts(svg, "end")
        ]
        flags = [box_of(one, size.text, True) for one in parts(svg, "flag")]
        notes = [box_of(one, size.text, False) for one in parts(svg, "note")]
        for some in (ends, flags, notes):
            for one, other in combinations(some, 2):
                assert not one.meets(other)
        for box in [*flags, *notes]:
            assert box.x0 >= 0 and box.x1 <= wide and box.y0 >= -1 and box.y1 <= high
        for box in ends:
            assert box.y1 <= high


def box_of(one, size, bold):
    """Where a text is, at most."""
    long, x, y = width(text(one), size, bold=bold), float(one.get("x")), float(one.get("y"))
    x0 = x - long if one.get("text-anchor") == "end" else x
    return Box(x0, y - 0.7 * size, x0 + long, y)  # as high as letters without descenders


def test_any_name_is_text_and_no_markup():
    for at, payload in enumerate(payloads(200)):
        name = payload.replace("\n", " ")
        lines = [line(0, [0.4, 0.6], name=name, coloured=True, joined=True), TAKEN[2]]
        svgs, told = drawn(lines, name=f"chart-{at}", label=name, finding=name)
        assert told["names"][0] == name
        for svg in svgs:
            tags = {one.tag for one in svg.iter()}
            assert tags <= {"svg", "title", "desc", "g", "path", "text", "tspan", "rect", "circle"}
            assert not [key for one in svg.iter() for key in one.attrib if key.startswith("on")]
            assert svg.find("title").text == name and svg.find("desc").text == name
        # Within HTML nothing in the numbers may end their element.
        raw = str(course(lines, YEAR, name="x", label="x", finding="x"))
        numbers = re.search(r'<script type="application/json">(.*?)</script>', raw, re.DOTALL)[1]
        assert "<" not in numbers and json.loads(numbers)["names"][0] == name


def test_the_numbers_are_those_of_the_curves():
    _, told = drawn(TAKEN)
    assert told["keys"] == [0, 1, 2]
    for one, shares in zip(TAKEN, told["shares"], strict=True):
        for at, share in zip(told["at"], shares, strict=True):
            assert share == pytest.approx(100 * np.interp(at, one.x, one.y), abs=0.51)
    assert told["when"][0] == "1 January 2025"


def test_of_very_many_arms_those_that_matter_are_drawn():
    lines = [line(key, [0.9 - key / 300] * 3) for key in range(200)]
    lines[150] = line(150, [0.2, 0.9, 0.9], coloured=True)
    svgs, told = drawn(lines)
    assert len(told["keys"]) == DRAWN and 150 in told["keys"] and 0 in told["keys"]
    assert f"{200 - DRAWN} more" in str(course(lines, YEAR, name="x", label="x", finding="x"))
    for svg in svgs:
        assert "150" in [one.get("data-key") for one in parts(svg, "end")]


@pytest.mark.parametrize("moments", [Dates(1e9, 1e9), Counted(1)])
def test_a_single_vote_has_a_point(moments):
    x = [1e9 if isinstance(moments, Dates) else 1.0]
    svgs, told = drawn([line(0, [0.5], x=x), line(1, [0.5], x=x)], moments)
    assert len(told["at"]) == 1
    assert all(len(parts(svg, "start")) == 2 for svg in svgs)


def test_shares_of_pairs_begin_with_zero():
    (svg, *_), _ = drawn([line(0, [0.1, 0.2, 0.4])], odds=False)
    assert "0%" in [text(one) for one in parts(svg, "tick")]


def test_bars_are_as_high_as_their_numbers():
    edges, heights = YEAR.first + DAY * np.arange(5), np.array([0.0, 10.0, 5.0, 0.0])
    made = bars(edges, heights, YEAR, name="t", label="Votes", unit="votes per hour")
    for svg in ElementTree.fromstring(str(made)).findall("svg"):
        (steps,) = parts(svg, "steps")
        path = points(steps.get("d").rstrip("Z"))
        ground, top = path[:, 1].max(), path[:, 1].min()
        middle = sorted(set(path[:, 1]))[1]
        assert (ground - middle) == pytest.approx((ground - top) / 2, abs=0.2)
        assert "10 votes per hour" in svg.find("title").text


@given(st.lists(st.tuples(st.floats(0, 1e3), st.floats(0, 1e3)), min_size=1, max_size=30))
def test_a_path_keeps_its_ends(found):
    xs, ys = np.array(found).T
    path = points(polyline(xs, ys))
    assert path[0] == pytest.approx([xs[0], ys[0]], abs=0.06)
    assert path[-1] == pytest.approx([xs[-1], ys[-1]], abs=0.06)


@given(NAMES, NAMES)
def test_an_element_is_what_it_was_made_of(content, value):
    found = ElementTree.fromstring(str(element("text", content, data_x=value, x=2.0, y=None)))
    assert found.text == content and found.get("data-x") == value
    assert found.get("x") == pixels(2.0) == "2" and found.get("y") is None
