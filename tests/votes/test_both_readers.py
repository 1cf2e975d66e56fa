"""Votes from blocks of columns and row by row: the same votes, complaints and counts."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.tables import Limits
from sparring.votes import examine, reader

ARRAYS = ("first", "second", "outcome", "time", "weight", "voter", "chance", "bad")
ARMS = st.sampled_from(
    [
        "tea",
        "Tea",
        "milk",
        "rum ",
        "10",
        "skip",
        "none",
        "tie",
        "",
        "x\x1by",
        "x\x1bz",
        "x\u241by",
        "\udcff",
    ]
)
WORDS = st.one_of(
    ARMS,
    st.sampled_from(
        [
            "a",
            "B",
            "model_a",
            "tie",
            "both bad",
            "Tie (bothbad)",
            "",
            "skip",
            "1-0",
            "0\u20131",
            "nix",
            "TEA",
        ]
    ),
)
TIMES = st.sampled_from(
    [
        *(
            "2024-01-31",
            "2024-02-30",
            "2024-01-31T10:00",
            "2024-01-31 10:00:59",
            "1990",
            "1700000000",
        ),
        *("2024-02-29T10:00:00.5Z", "2024-01-31T10:00:00.123456789+05:30", "1700000000123", "inf"),
        *("2024-01-31T24:00", "9999-12-31T23:00:00-05:00", "0001-01-01", "31.01.2024", "1.2.2024"),
        *("01/31/24 8:05", "12.01.2024", " 2024-01-31 ", "20240131", "2024-01-31t10:00", "1e9", ""),
        *(
            "2024-01-31 10:00:00,5",
            "-1700000000",
            "99999999.9",
            "2024-01-31T10:00:60",
            "29.02.2023",
        ),
    ]
)
NUMBERS = st.sampled_from(
    [
        *(
            "1",
            "0.5",
            "0",
            "1.0",
            "-1",
            "nan",
            "",
            " 1 ",
            "\uff11",
            "1_0",
            "inf",
            "-inf",
            "0x1",
            "1e400",
        ),
        *(".5", "5.", "+0.25", "1e-7", "1e6", "1,0", "0,5", "1,000", "2", "3", "none", "skip"),
    ]
)
RESULTS = {
    "model_a,model_b,winner": st.tuples(ARMS, ARMS, WORDS),
    "home,away,result": st.tuples(ARMS, ARMS, WORDS),
    "a,b,outcome": st.tuples(ARMS, ARMS, NUMBERS),
    "home,away,home_score,away_score": st.tuples(ARMS, ARMS, NUMBERS, NUMBERS),
    "winner,loser": st.tuples(ARMS, ARMS),
}
MORE = {
    "time": TIMES,
    "weight": NUMBERS,
    "chance": NUMBERS,
    "voter": st.sampled_from(["v", "w ", "", "\udcff"]),
}
GOOD = {
    "time": "2024-01-31",
    "weight": "1",
    "chance": "0.5",
    "voter": "v",
    "winner": "a",
    "result": "1-0",
    "outcome": "1",
    "home_score": "2",
    "away_score": "1",
}


@st.composite
def files(draw):
    """CSV with a header, and rows of which most are votes."""
    columns = draw(st.sampled_from(sorted(RESULTS)))
    more = draw(st.lists(st.sampled_from(sorted(MORE)), unique=True))
    header = [*columns.split(","), *more]
    row = st.tuples(RESULTS[columns], *(MORE[name] for name in more))
    odd = [[*result, *rest] for result, *rest in draw(st.lists(row, max_size=12))]
    good = ["arm 1", "arm 2", *(GOOD[name] for name in header[2:])]
    # A few odd rows among many good ones, so that the others are taken at once.
    rows = draw(st.permutations([*odd, *[good] * draw(st.sampled_from([0, 300, 300]))]))
    text = "".join(",".join(f'"{field}"' for field in fields) + "\n" for fields in [header, *rows])
    return text.encode("utf-8", "surrogateescape")


def told(path, **options):
    """All that a reader says, in a form that can be compared."""
    try:
        found = examine(path, **options)
    except ValueError as error:
        return type(error), str(error)
    votes = found.votes
    arrays = [None if (it := getattr(votes, name)) is None else it.tobytes() for name in ARRAYS]
    return votes.names, votes.voters, votes.shuffled, arrays, found[1:], found.notes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("both")


@settings(deadline=None, max_examples=250)
@given(
    files(),
    st.sampled_from([None, "day-first", "month-first"]),
    st.sampled_from([None, "comma", "point"]),
    st.sampled_from([None, {"nix": None, "": 0.5}, {"tea": 0.25}]),
    st.booleans(),
    st.sampled_from([64, 700, 1 << 20]),
)
def test_both_readers_say_the_same(folder, data, dates, decimal, words, skip_bad, block):
    path = folder / "votes.csv"
    path.write_bytes(data)
    options = {"dates": dates, "decimal": decimal, "words": words, "skip_bad": skip_bad}
    options["limits"] = Limits(block=block)
    fast = told(path, **options)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reader, "find_spec", lambda name: None)  # as without polars
        assert told(path, **options) == fast


@pytest.mark.parametrize("bad", [1, 300])
def test_hopeless_files_are_given_up_at_the_same_row(folder, bad, monkeypatch):
    path = folder / "hopeless.csv"
    path.write_text("a,b,winner\n" + "x,y,skip\nx,x,a\nx,y\n" * 4_000 + "x,y,a\n" * bad)
    fast = told(path)
    monkeypatch.setattr(reader, "find_spec", lambda name: None)
    assert told(path) == fast
    assert "of the first 10,000 rows" in fast[1]


def test_a_parquet_file_of_many_types_says_what_its_text_says(folder):
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    count = 40
    table = polars.DataFrame(
        {
            "a": [1, 1, 2, 2] * (count // 4),
            "b": [3] * count,
            "outcome": [1.0, None, 0.5, float("nan")] * (count // 4),
            "weight": polars.Series([1, 2] * (count // 2), dtype=polars.UInt8),
            "date": polars.Series(range(count), dtype=polars.Int32).cast(polars.Date),
            "voter": polars.Series(["v", None] * (count // 2), dtype=polars.Categorical),
        }
    )
    path = folder / "votes.parquet"
    table.write_parquet(path, row_group_size=7)
    found = examine(path)
    assert (len(found.votes), found.silent, found.votes.K) == (20, 20, 3)
    assert found.votes.time[:2].tolist() == [0.0, 2 * 86_400.0]
    text = folder / "votes.csv"
    table.write_csv(text)
    assert told(text)[:5] == told(path)[:5]
    for size in (1, 1_000):
        assert told(path, limits=Limits(parquet_rows=size)) == told(path)


def test_without_polars_votes_are_read_row_by_row(folder, monkeypatch):
    path = folder / "votes.csv"
    path.write_text("a,b,winner\n" + "x,y,a\n" * 9)
    monkeypatch.setattr(reader, "find_spec", lambda name: None)
    monkeypatch.setattr(reader, "BlockCollector", SimpleNamespace())
    assert len(examine(path).votes) == 9
