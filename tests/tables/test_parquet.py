"""Parquet from elsewhere: read in this process, and refused where it would cost too much."""

import random
import resource
import sys

import numpy as np
import polars as pl
import pytest

from sparring.tables import FileError, Limits, Table
from sparring.tables.logs import frames
from sparring.votes import examine

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

WANTED = ["a", "b", "winner"]
VOTES = pl.DataFrame(
    {
        "a": ["x", "y", "ü"] * 50,
        "b": ["z"] * 150,
        "winner": ["a", "b", "tie"] * 50,
        "time": [1.7e9 + k for k in range(150)],
        "weight": [1, 2, 3] * 50,
        "note": ["", None, "so" * 20] * 50,
    }
)


def refusal(path, limits=None):
    with pytest.raises(FileError) as caught:
        list(Table(path, limits).blocks(WANTED))
    assert str(path) in str(caught.value)
    return str(caught.value)


def memory():
    """The most that this process has had, in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_a_million_rows_of_one_long_text_are_refused(tmp_path):
    """A file of 1 MB that is a terabyte when its texts are written out, though its footer is
    modest: it holds the text once."""
    text = "".join(map(chr, np.random.default_rng(1).integers(97, 122, 1_000_000)))
    place = arrow.array([0] * 1_000_000, arrow.int32())
    columns = {
        name: arrow.DictionaryArray.from_arrays(place, arrow.array([value]))
        for name, value in {"a": text, "b": "y", "winner": "a"}.items()
    }
    path = tmp_path / "text.parquet"
    parquet.write_table(arrow.table(columns), path, compression="none", row_group_size=1_000_000)
    assert path.stat().st_size < 1_100_000
    before = memory()
    assert "a must have at most 268,435,456 bytes in 200,000 rows" in refusal(path)
    assert sys.platform != "linux" or memory() < before + 300_000


def test_what_the_footer_says_is_too_much_is_not_unpacked(tmp_path):
    path = tmp_path / "long.parquet"
    long = [f"{k:04}" + "x" * 10_000 for k in range(150)]
    VOTES.with_columns(a=pl.Series(long)).write_parquet(path, compression="zstd")
    told = refusal(path, Limits(parquet_group=1_000_000))
    assert "a must unpack to at most 1,000,000 bytes in a row group; got 1,5" in told
    rows = tmp_path / "rows.parquet"
    VOTES.select(WANTED).select(pl.all().repeat_by(20_000).explode()).write_parquet(rows)
    assert "must have at most 100 rows per byte; got 3,000,000 in" in refusal(rows)


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"winner": [["a"]] * 150}, "columns that are not text: winner is"),
        ({"winner": [{"a": 1}] * 150}, "columns that are not text: winner is"),
        ({"winner": [b"\xff\xfe"] * 150}, "columns that are not text"),
    ],
)
def test_columns_that_are_no_text_are_refused(columns, why, tmp_path):
    path = tmp_path / "votes.parquet"
    VOTES.with_columns(**{name: pl.Series(one) for name, one in columns.items()}).write_parquet(
        path
    )
    assert why in refusal(path)


def test_text_that_is_not_utf_8_is_refused(tmp_path):
    """pyarrow takes any bytes for text, and polars would trust it."""
    path = tmp_path / "votes.parquet"
    VOTES.write_parquet(path, compression="uncompressed")
    for use_dictionary in (True, False):
        parquet.write_table(
            VOTES.to_arrow(), path, compression="none", use_dictionary=use_dictionary
        )
        path.write_bytes(path.read_bytes().replace("ü".encode(), b"\xc3("))
        assert "cannot be read" in refusal(path)


def test_a_column_that_is_there_twice_is_refused(tmp_path):
    path = tmp_path / "votes.parquet"
    table = arrow.table([arrow.array(["x"])] * 4, names=["a", "b", "winner", "a"])
    parquet.write_table(table, path)
    assert "the column 'a' is there twice. Keep one" in refusal(path)


def test_damaged_files_are_read_or_refused(tmp_path):
    """Most bytes of the damage are in the footer. Files that polars' own reader panicked over, or
    that ended its process, are in tests/data."""
    files = []
    for codec in ("zstd", "snappy", "uncompressed", "gzip"):
        VOTES.write_parquet(tmp_path / "votes.parquet", compression=codec, row_group_size=50)
        files.append((tmp_path / "votes.parquet").read_bytes())
    path, refused, whole = tmp_path / "damaged.parquet", 0, 0
    for seed in range(300):
        r = random.Random(seed)
        data = bytearray(r.choice(files))
        for _ in range(r.choice([1, 2, 8])):
            at = r.randrange(4, len(data))
            if r.random() < 0.5:
                at = r.randrange(len(data) - 600, len(data))
            data[at] = r.randrange(256)
            if r.random() < 0.3:
                del data[at : at + r.randrange(1, 30)]
        path.write_bytes(data)
        for read in (examine, lambda path: list(frames(path))):
            try:
                read(path)
            except ValueError as error:
                refused += str(path) in str(error)
            else:
                whole += 1
    assert refused + whole == 600 and refused > 100


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "votes.parquet"
    VOTES.write_parquet(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pyarrow: pip install .*\[parquet\]"):
        examine(path)


def test_a_name_with_a_colon_or_a_star_is_a_file(tmp_path):
    for name in ("s3:votes.parquet", "v*.parquet"):
        VOTES.write_parquet(tmp_path / "votes.parquet")
        path = (tmp_path / "votes.parquet").rename(tmp_path / name)
        assert len(examine(path).votes) == 150
