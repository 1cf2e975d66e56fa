"""Formats: one style of numbers, names and dates, whatever they are."""

import re
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.formats import (
    CLOSE,
    LAST,
    OPEN,
    Counted,
    Dates,
    chance,
    clipped,
    date,
    isolated,
    near,
    places,
    points,
    rounds,
    series,
)

pytestmark = pytest.mark.compiled  # no kernel is tested here

PROBABILITIES = st.floats(0, 1)
SECONDS = st.floats(-1e9, 4e9)
SPANS = st.one_of(st.just(0.0), st.floats(0.01, 3e9))


def seconds(*when):
    return datetime(*when, tzinfo=UTC).timestamp()


YEAR = Dates(seconds(2025, 1, 1), seconds(2025, 12, 31))
TWO_YEARS = Dates(seconds(2024, 9, 2), seconds(2025, 5, 30))
WEEKEND = Dates(seconds(2025, 5, 30, 9), seconds(2025, 6, 1, 18))
HOUR = Dates(seconds(2025, 5, 30, 9), seconds(2025, 5, 30, 10))
MINUTE = Dates(seconds(2025, 5, 30, 9), seconds(2025, 5, 30, 9, 1))


@given(PROBABILITIES)
def test_a_chance_is_never_rounded_to_none_or_all(p):
    text = chance(p)
    assert text not in ("0%", "100%")
    if text.startswith("over"):
        assert p > 0.99
    elif text.startswith("under"):
        assert p < 0.01
    else:
        assert abs(int(text[:-1]) / 100 - p) <= 0.005 + 1e-12


@given(PROBABILITIES, st.floats(0, 0.5))
def test_a_share_has_an_error_of_a_percent_at_least(p, error):
    share, margin = re.fullmatch(r"(\d+)% ± (\d+)", near(p, error)).groups()
    assert abs(int(share) - 100 * p) <= 0.5 + 1e-9
    assert int(margin) >= 1 and int(margin) >= 100 * error - 0.5 - 1e-9


@given(st.floats(-1, 1))
def test_points_have_one_minus_sign_and_no_zero_has_one(difference):
    text = points(difference)
    assert "-" not in text and text not in ("+0", "\N{MINUS SIGN}0")
    assert int(text.replace("\N{MINUS SIGN}", "-")) == round(100 * difference)


def test_ranges_have_an_en_dash():
    assert places(1, 8) == "1\N{EN DASH}8" and places(2, 2) == "2"


@given(st.lists(st.text(min_size=1), min_size=1, max_size=5))
def test_a_series_names_each_once(words):
    assert len(series(words)) == sum(map(len, words)) + (
        len(" and ") + 2 * (len(words) - 2) if len(words) > 1 else 0
    )


@given(st.text(), st.integers(2, 40))
def test_a_clipped_name_has_room_and_keeps_its_beginning(name, most):
    found = clipped(name, most)
    assert len(found) <= most or found == name
    assert found == name or name.startswith(found.split("…")[0])


@given(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("\u2066\u2067\u2068\u2069")))
def test_a_name_cannot_end_its_isolate(name):
    found = isolated(name)
    if found == name:
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", name)
    else:
        assert found[0] == OPEN and found[-1] == CLOSE
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", found[1:-1])


@pytest.mark.parametrize("name", ["\u05d4", "a \u0627", "a\u202eb", "\u0661"])
def test_a_name_that_may_turn_what_is_beside_it_is_isolated(name):
    assert isolated(name)[0] == OPEN and isolated(name)[-1] == CLOSE


@pytest.mark.parametrize("name", ["tea", "\u5343\u95ee", "Zo\u00eb-7 <b>", ""])
def test_a_name_from_left_to_right_stays_as_it_is(name):
    assert isolated(name) == name


@pytest.mark.parametrize(
    ("dates", "at", "on", "brief", "full"),
    [
        (YEAR, seconds(2025, 9, 17), "17 September", "17 Sep", "17 September 2025"),
        (TWO_YEARS, seconds(2025, 1, 2), "2 January 2025", "2 Jan", "2 January 2025"),
        (
            WEEKEND,
            seconds(2025, 5, 31, 14, 5),
            "31 May, 14:05",
            "31 May, 14:05",
            "31 May 2025, 14:05",
        ),
        (HOUR, seconds(2025, 5, 30, 9, 5), "09:05", "09:05", "30 May 2025, 09:05"),
        (MINUTE, seconds(2025, 5, 30, 9, 0, 7), "09:00:07", "09:00:07", "30 May 2025, 09:00:07"),
    ],
)
def test_a_date_has_as_much_as_the_file_asks_for(dates, at, on, brief, full):
    assert (dates.on(at), dates.brief(at), dates.full(at)) == (on, brief, full)


@pytest.mark.parametrize(
    ("dates", "low", "high", "said"),
    [
        (YEAR, (2025, 9, 16), (2025, 9, 18), "between 16 and 18 September"),
        (YEAR, (2025, 4, 24), (2025, 5, 10), "between 24 April and 10 May"),
        (YEAR, (2025, 4, 24, 3), (2025, 4, 24, 9), "on 24 April"),
        (TWO_YEARS, (2024, 12, 27), (2025, 1, 8), "between 27 December 2024 and 8 January 2025"),
        (TWO_YEARS, (2025, 1, 2), (2025, 1, 8), "between 2 and 8 January 2025"),
        (WEEKEND, (2025, 5, 30, 9), (2025, 5, 30, 11, 30), "between 09:00 and 11:30 on 30 May"),
        (WEEKEND, (2025, 5, 30, 9), (2025, 5, 31, 8), "between 30 May, 09:00 and 31 May, 08:00"),
        (HOUR, (2025, 5, 30, 9, 1), (2025, 5, 30, 9, 9), "between 09:01 and 09:09"),
    ],
)
def test_a_stretch_says_nothing_twice(dates, low, high, said):
    assert dates.between(seconds(*low), seconds(*high)) == said


@pytest.mark.parametrize(
    ("dates", "said"),
    [
        (YEAR, "1 January to 31 December 2025"),
        (TWO_YEARS, "2 September 2024 to 30 May 2025"),
        (WEEKEND, "30 May, 09:00 to 1 June 2025, 18:00"),
        (HOUR, "30 May 2025, 09:00 to 10:00"),
        (Dates(seconds(2025, 5, 30), seconds(2025, 5, 30)), "30 May 2025, 00:00:00"),
        (Counted(12_000), "votes 1 to 12,000"),
    ],
)
def test_the_whole_has_its_year(dates, said):
    assert dates.span() == said


@given(SECONDS, SPANS, st.integers(4, 13))
def test_ticks_are_few_rise_and_lie_within(first, span, most):
    dates = Dates(first, first + span)
    found = dates.ticks(most)
    assert len(found) <= most + 1
    at = [tick.at for tick in found]
    assert all(a < b for a, b in pairwise(at))
    assert all(first <= one <= first + span for one in at)
    # What they belong to is said where it changes, so no two may be taken for one.
    below, seen = "", []
    for tick in found:
        below = tick.below or below
        seen.append((tick.text, below))
    assert len(set(seen)) == len(seen)


@given(SECONDS, st.floats(1, 3e9))
def test_a_span_with_room_has_ticks(first, span):
    assert len(Dates(first, first + span).ticks(13)) >= 1


@given(SECONDS, SPANS, st.floats(0, 1), st.floats(0, 1))
def test_any_moment_can_be_said(first, span, one, other):
    dates = Dates(first, first + span)
    low, high = sorted((first + one * span, first + other * span))
    for text in (dates.on(low), dates.brief(low), dates.full(low), dates.machine(low)):
        assert re.search(r"\d", text)
    assert re.match("between|on|at", dates.between(low, high))
    assert datetime.fromisoformat(dates.machine(low)).year == date(low).year


@given(st.floats(-1e15, 1e15))
def test_a_moment_beyond_the_calendar_is_its_end(at):
    assert 1 <= date(at).year <= 9999
    if 0 <= at <= LAST:
        assert abs(date(at).timestamp() - at) < 1


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 13))
def test_round_numbers_are_few_and_within(low, span, most):
    found = rounds(low, low + span, most)
    assert len(found) <= most
    slack = 1e-9 * max(abs(low), span)
    assert all(low - slack <= one <= low + span + slack for one in found)


def test_votes_without_times_are_numbered():
    file = Counted(12_000)
    assert file.on(7210) == "vote 7,210" and file.machine(7210) == ""
    assert file.between(7100, 7300) == "between votes 7,100 and 7,300"
    assert [tick.text for tick in file.ticks(7)][:3] == ["0", "2,000", "4,000"]
