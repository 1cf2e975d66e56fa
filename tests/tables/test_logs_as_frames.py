"""Files from elsewhere: read in bounded memory, or refused with name, rule, value and remedy."""

import bz2
import gzip
import lzma
import resource
import sys
import tracemalloc
import zlib
from pathlib import Path

import polars as pl
import pytest

from sparring.tables import FileError, Limits, logs

DATA = Path(__file__).parents[1] / "data"
CSV = b"a,b,winner\n" + b"tea,milk,tea\n" * 50
LINES = b'{"a": "tea", "b": "milk", "winner": "tea"}\n' * 50


def frames(path):
    return [table.frame for table in logs.frames(path)]


def refusal(path):
    with pytest.raises(FileError) as caught:
        frames(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def put(folder, name, content):
    (folder / name).write_bytes(content)
    return folder / name


# --- What is not there ----------------------------------------------------------------------------


def test_a_file_that_is_not_there_is_answered_with_the_nearest_name_beside_it(tmp_path):
    put(tmp_path, "year.csv", CSV)
    put(tmp_path, "yaar.py", b"")
    (tmp_path / "yeer.csv").mkdir()
    assert refusal(tmp_path / "yaer.csv").endswith("is not a file (did you mean 'year.csv'?)")
    assert refusal(tmp_path / "year.jsonl").endswith("is not a file (did you mean 'year.csv'?)")
    assert refusal(tmp_path / "nowhere.csv").endswith("nowhere.csv is not a file")
    put(tmp_path, "year.parquet", b"")
    said = refusal(tmp_path / "year.jsonl")
    assert said.count("'year.csv'") == said.count("'year.parquet'") == 1
    assert refusal(tmp_path / "nowhere" / "year.csv").endswith("is not a file")


# --- What is packed -------------------------------------------------------------------------------

PACKERS = {
    "gzip": gzip.compress,
    "zlib": zlib.compress,
    "zlib, best": lambda data: zlib.compress(data, 9),
    "zlib, fast": lambda data: zlib.compress(data, 1),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: b"\x28\xb5\x2f\xfd" + data,  # a frame's mark is all that is looked at
    "zstd, after an empty frame": lambda data: b"\x52\x2a\x4d\x18" + data,
    "lz4": lambda data: b"\x04\x22\x4d\x18" + data,
    "zip": lambda data: b"PK\x03\x04" + data,
}


@pytest.mark.parametrize("suffix", logs.FORMATS)
@pytest.mark.parametrize("how", PACKERS)
def test_what_is_packed_is_refused_whatever_it_is_called(how, suffix, tmp_path):
    content = LINES if "l" in suffix[1:2] else CSV
    path = put(tmp_path, f"votes{suffix}", PACKERS[how](content))
    assert "is compressed" in refusal(path)
    assert "unpack it first" in refusal(path)


def test_what_is_packed_further_on_is_not_unpacked_either(tmp_path, monkeypatch):
    """Polars looks at the first bytes of what it is given: of each piece."""
    monkeypatch.setattr(logs, "PIECE", 1)
    path = put(tmp_path, "votes.jsonl", LINES + zlib.compress(LINES * 100))
    assert "is compressed (zlib)" in refusal(path)


# --- Parquet --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["abort", "panic"])
def test_a_damaged_parquet_file_is_refused(name):
    """Found by damaging files at random: polars' own reader panics over one, and aborts the process
    over the other."""
    assert "cannot be read" in refusal(DATA / f"{name}.parquet")
    assert "Write the file again, or as CSV" in refusal(DATA / f"{name}.parquet")


def test_parquet_is_read_whole_and_in_order(tmp_path, monkeypatch):
    frame = pl.DataFrame({"n": range(1000), "p": [[k / 7, None] for k in range(1000)], "s": "é"})
    path = tmp_path / "t.parquet"
    frame.write_parquet(path, row_group_size=300)
    for rows in (70, 1000, 5000):
        monkeypatch.setattr(logs, "LIMITS", Limits(parquet_rows=rows))
        found = list(logs.frames(path))
        assert pl.concat(table.frame for table in found).equals(frame)
        assert found[0].first == 1
        assert sum(table.size for table in found) == logs.length(path) == 1000


def test_a_parquet_file_of_far_too_many_rows_is_refused_before_they_are_read(tmp_path):
    """Thirty million rows that are all alike take 180 kB."""
    path, one = tmp_path / "bomb.parquet", pl.DataFrame({"a": [0], "b": [1]})
    one.select(pl.all().repeat_by(30_000_000).explode()).write_parquet(path, compression="zstd")
    message = refusal(path)
    assert "must have at most 100 rows per byte; got 30,000,000 in" in message


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted as Linux does")
def test_a_parquet_row_of_more_than_a_log_has_is_refused(tmp_path):
    """A list of a hundred million numbers in a file of some kilobytes."""
    path = tmp_path / "bomb.parquet"
    zeros = pl.zeros(100_000_000, pl.Int64, eager=True).implode()
    pl.DataFrame({"p": zeros}).write_parquet(path, compression="zstd")
    del zeros
    assert path.stat().st_size < 200_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "values per row; got 100,000,000" in refusal(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 50_000


# --- Text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", [1, 1 << 23])
def test_a_name_that_comes_twice_is_refused_with_its_line(piece, tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "PIECE", piece)
    twice = b'{"a": "tea", "b": "milk", "winner": "tea", "winner": "milk"}\n'
    path = put(tmp_path, "votes.jsonl", LINES + twice + LINES)
    assert "in line 51: \"winner\" is there twice, with 'tea' and 'milk'. Keep one" in refusal(path)
    inside = b'{"a": {"b": 1, "b": 1}}\n'
    assert 'in line 1: "b" is there twice' in refusal(put(tmp_path, "votes.jsonl", inside))
    path = put(tmp_path, "votes.csv", b"a,b,winner,a\n1,2,3,4\n")
    assert "the column 'a' is there twice. Keep one" in refusal(path)
    path = put(tmp_path, "votes.csv", b'a,b,"a"\n1,2,3\n')
    assert "the column 'a' is there twice" in refusal(path)


@pytest.mark.parametrize("piece", [1, 1 << 23])
def test_what_is_no_json_is_refused_with_its_line(piece, tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "PIECE", piece)
    for bad, message in (
        (b'{"a": NaN}\n', "in line 51: NaN is not a JSON number. Write null"),
        (b'{"a": -Infinity}\n', "in line 51: -Infinity is not a JSON number"),
        (b"[1, 2]\n", "in line 51: it must be an object; got [1, 2]"),
        (b'{"a": "\xff"}\n', "in line 51"),
        (b'{"a": 1', "in line 51. If a crash"),
        (b'{"a": ' + b"[" * 100_000 + b"\n", "in line 51"),
        (b'{"a": "b\0"}\n', "line 51: it has a zero byte, so it is not text"),
    ):
        assert message in refusal(put(tmp_path, "votes.jsonl", LINES + bad))


def test_a_value_unlike_the_others_is_named_with_its_line(tmp_path):
    path = put(tmp_path, "votes.jsonl", b'{"a": 1.5}\n' * 9 + b'{"a": [true]}\n')
    assert "in line 10 a is [True]" in refusal(path)


@pytest.mark.parametrize("piece", [1, 20, 1 << 23])
def test_a_line_break_in_quotes_is_refused_in_files_of_all_sizes(piece, tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "PIECE", piece)
    path = put(tmp_path, "votes.csv", CSV + b'"tea,\nmilk",2,3\n')
    assert "in line 52: a quote is opened and not closed. A field must have no" in refusal(path)
    path = put(tmp_path, "votes.csv", CSV + b'"tea, ""green""",2,3\n')
    assert frames(path)[-1]["a"][-1] == 'tea, "green"'


def test_a_line_without_end_is_refused_before_it_is_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "LONGEST", 1 << 20)
    monkeypatch.setattr(logs, "PIECE", 1 << 16)
    for name, begin in (("votes.csv", b"a,b\n1,"), ("votes.jsonl", b'{"a": 1}\n{"a": ')):
        path = put(tmp_path, name, begin + b"1" * 30_000_000)
        tracemalloc.start()
        assert "line 2: a line must be of at most 1 MB; got more" in refusal(path)
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
        tracemalloc.stop()


BOMBS = {  # small files that polars would make tables of 1e10 cells of
    "names that differ": (
        "votes.jsonl",
        lambda: b"".join(b'{"a%d": 1}\n' % k for k in range(100_000)),
    ),
    "names inside": (
        "votes.jsonl",
        lambda: b"".join(b'{"a": [{"b": {"a%d": 1}}]}\n' % k for k in range(100_000)),
    ),
    "a header": (
        "votes.csv",
        lambda: b",".join(b"a%d" % k for k in range(100_000)) + b"\n" + b"1\n" * 100_000,
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_text_that_would_be_a_huge_table_is_refused(bomb, tmp_path):
    name, content = BOMBS[bomb]
    message = refusal(put(tmp_path, name, content()))
    assert "columns times rows must be at most" in message
    assert "Leave out columns that most rows do not have" in message


def test_columns_that_some_rows_lack_are_fine(tmp_path):
    path = put(tmp_path, "votes.jsonl", LINES + b'{"a": "x", "more": {"b": 2, "c": [{"d": 1}]}}\n')
    (frame,) = frames(path)
    assert frame["more"].null_count() == 50
