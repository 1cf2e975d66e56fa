"""Labels: no two overlap, whatever the names and wherever the curves end."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.charts.labels import CLEAR, Box, Note, apart, fitted, noted, rows, width

pytestmark = pytest.mark.compiled  # no kernel is tested here

HEIGHTS = st.lists(st.floats(0, 400), min_size=1, max_size=24)
NAMES = st.text(min_size=1, max_size=60)
WITHIN = Box(40, 10, 900, 390)


@given(HEIGHTS, st.floats(1, 17))
def test_names_at_line_ends_keep_their_order_and_a_gap(wanted, gap):
    found = apart(wanted, gap, 0, 420)
    order = np.argsort(wanted, kind="stable")
    assert (np.diff(found[order]) >= gap - 1e-9).all()
    assert found.min() >= -1e-9 and found.max() <= 420 + 1e-9


@given(HEIGHTS, st.floats(1, 17))
def test_names_that_have_room_stand_at_their_curves(wanted, gap):
    spread = (np.arange(len(wanted)) * (gap + 1)).tolist()
    assert apart(spread, gap, 0, 1e6) == pytest.approx(spread)


@given(st.lists(st.floats(50, 350), min_size=2, max_size=8), st.floats(1, 20))
def test_names_stand_as_near_as_can_be(wanted, gap):
    """No single name can come nearer to its curve without another one giving way."""
    found = apart(wanted, gap, 0, 2000)
    cost = float(((found - wanted) ** 2).sum())
    for one in range(len(wanted)):
        for step in (-0.5, 0.5):
            other = found.copy()
            other[one] += step
            order = np.sort(other)
            if (np.diff(order) >= gap).all() and other.min() >= 0:
                assert float(((other - wanted) ** 2).sum()) >= cost - 1e-6


@given(st.lists(st.tuples(st.floats(0, 1000), st.floats(1, 200)), max_size=12))
def test_labels_in_one_row_do_not_overlap(found):
    spans = [(low, low + long) for low, long in found]
    given_rows = rows(spans)
    for i, (low, high) in enumerate(spans):
        for j in range(i):
            if given_rows[i] == given_rows[j]:
                assert high < spans[j][0] or spans[j][1] < low


@given(
    st.lists(st.tuples(st.floats(40, 900), st.floats(10, 390), NAMES, st.booleans()), max_size=8),
    st.lists(st.floats(40, 900), max_size=3),
)
def test_notes_overlap_nothing_and_stay_inside(found, bars):
    notes = [Note(*one) for one in found]
    ring = Box(400, 200, 410, 210)
    wave = np.linspace(40, 900, 50)
    lines = [(wave, 200 + 100 * np.sin(wave / 50))]
    boxes = [box for box in noted(notes, WITHIN, 12, lines=lines, bars=bars, taken=[ring]) if box]
    for i, box in enumerate(boxes):
        assert WITHIN.x0 <= box.x0 and box.x1 <= WITHIN.x1
        assert WITHIN.y0 <= box.y0 and box.y1 <= WITHIN.y1
        assert not any(box.meets(other) for other in [*boxes[:i], ring])


def test_a_note_stands_where_no_curve_runs():
    x = np.array([40.0, 900.0])
    level = (x, np.array([200.0, 200.0]))
    (box,) = noted([Note(400, 200, "owl left, 5 Feb", False)], WITHIN, 12, lines=[level])
    assert box is not None and (box.y1 < 200 or box.y0 > 200)


@given(NAMES, st.floats(0, 400), st.booleans())
def test_a_fitted_name_has_room_or_is_as_short_as_can_be(name, room, bold):
    found = fitted(name, room, 13, bold=bold)
    assert width(found, 13, bold=bold) <= room or len(found) <= 4
    assert found == name or "…" in found


@given(NAMES, NAMES)
def test_a_longer_text_is_wider(one, other):
    assert width(one + other, 12) == pytest.approx(width(one, 12) + width(other, 12))
    assert width(one, 12, bold=True) >= width(one, 12)


def test_boxes_that_touch_by_a_margin_meet():
    one = Box(0, 0, 10, 10)
    assert not one.meets(Box(12, 0, 20, 10)) and one.meets(Box(12, 0, 20, 10), CLEAR)
