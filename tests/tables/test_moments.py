"""Numbers and moments of a column at once: what one by one says, or nothing."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.tables.texts import number, seconds
from sparring.tables.values import joined, moments, numbers

DIGIT = st.sampled_from("0123456789")
# 0 is any digit; a month is written M, as most are none otherwise.
SHAPES = [
    *("0000-M-00", "0000-M-00T00:00", "0000-M-00 00:00:00", "0000-M-00T00:00:00Z"),
    *("0000-M-00T00:00:00.0", "0000-M-00T00:00:00.000000", "0000-M-00T00:00:00.000000000+00:00"),
    *(
        "0000-M-00T00:00:00-00:00",
        "00.M.0000",
        "M/00/0000",
        "00-M-0000 00:00",
        "00.M.0000 00:00:00",
    ),
    *("0000/M/00", "0000", "0000000000", "0000000000.0000", "0000000000000", "0000000000000000"),
]
EDGES = [
    *(
        "2023-02-29",
        "2024-02-29",
        "1900-02-29",
        "2000-02-29",
        "2024-04-31",
        "0001-01-01",
        "9999-12-31",
    ),
    *("2024-01-31T24:00", "2024-01-31T10:60", "2024-01-31T10:00:60", "29.02.2023", "29.02.2024"),
]


@st.composite
def texts(draw):
    """Texts of one shape, most of them moments, and perhaps another."""
    shape = draw(st.sampled_from(SHAPES))
    some = []
    for _ in range(draw(st.integers(1, 8))):
        month = draw(st.sampled_from(["01", "02", "06", "12", "13", "00"]))
        text = "".join(draw(DIGIT) if letter == "0" else letter for letter in shape)
        some.append(text.replace("M", month))
    return some + draw(st.lists(st.sampled_from([*EDGES, "", "x", "\u0663" * 5]), max_size=2))


def one_by_one(some, read):
    found = []
    for text in some:
        try:
            found.append(read(text))
        except ValueError:
            found.append(np.nan)
    return np.array(found)


def refuse(text):
    raise ValueError


@settings(deadline=None, max_examples=500)
@given(texts(), st.sampled_from([None, "day-first", "month-first"]))
def test_moments_are_what_each_text_says(some, order):
    alone = one_by_one(some, lambda text: seconds(text.strip(), order))
    column = pl.Series(some)
    whole = moments(column, order, lambda text: seconds(text.strip(), order))
    np.testing.assert_array_equal(whole, alone)
    at_once = moments(column, order, refuse)
    np.testing.assert_array_equal(at_once, np.where(np.isnan(at_once), np.nan, alone))


@pytest.mark.parametrize("text", [text for text in EDGES if text[4:5] == "-"])
def test_moments_at_the_edges_are_read_at_once_or_not_at_all(text):
    column = pl.Series([("2024-01-31T10:00:00")[: len(text)], text])
    (found,) = moments(column, None, refuse)[1:]
    np.testing.assert_array_equal(found, one_by_one([text], seconds)[0])


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("2024-01-31", None),
        ("2024-01-31 10:00", None),
        ("2024-01-31T10:00:59", None),
        ("2024-01-31T10:00:59.25+01:30", None),
        ("2024-01-31T10:00:59.1234567Z", None),
        ("31.01.2024", "day-first"),
        ("01/31/2024 10:00", "month-first"),
        ("1700000000", None),
        ("1700000000123", None),
    ],
)
def test_common_moments_are_read_at_once(text, order):
    """None is left to be read by itself."""
    found = moments(pl.Series([text] * 3), order, refuse)
    assert found.tolist() == [seconds(text, order)] * 3


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.one_of(
            st.floats().map(repr),
            st.integers().map(str),
            st.text("0123456789+-.,eE_ x", max_size=6),
            st.sampled_from(["\uff11", "inf", "nan", "1e400", "0x1", "5.", ".5", "1_0"]),
        ),
        min_size=1,
    ),
    st.booleans(),
)
def test_numbers_are_what_each_text_says(some, comma):
    alone = one_by_one(some, lambda text: number("", text.strip(), comma=comma))
    found = numbers(pl.Series(some), comma=comma)
    np.testing.assert_array_equal(found, np.where(np.isnan(found), np.nan, alone))
    plain = ["1", "-0.5", "1e-7", ".25"] if not comma else ["1", "-0,5", "12,75"]
    assert not np.isnan(numbers(pl.Series(plain), comma=comma)).any()


def test_numbers_and_moments_that_are_stored_as_such():
    assert numbers(pl.Series([1, None, 3])).tolist()[::2] == [1, 3]
    days = pl.Series([0, 1, None, -800_000], dtype=pl.Int32).cast(pl.Date)
    found = moments(days, None, refuse)
    assert found[:2].tolist() == [0, 86_400] and np.isnan(found[2:]).all()
    clock = pl.Series([1_500_000_000_500, None]).cast(pl.Datetime("ms", "UTC"))
    assert moments(clock, None, refuse)[0] == 1_500_000_000.5
    assert moments(pl.Series([1990, 1_700_000_000]), None, seconds).tolist() == [
        seconds("1990"),
        1_700_000_000,
    ]


def test_days_and_times_of_day_are_joined():
    day, clock = pl.Series([" 2024-01-31", "2024-01-31", None]), pl.Series(["15:30 ", "", "9:00"])
    assert joined(day, clock).to_list() == ["2024-01-31 15:30", "2024-01-31", "9:00"]
