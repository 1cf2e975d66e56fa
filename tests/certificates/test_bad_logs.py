"""Bad logs of duels are refused, and the message says where and why."""

import gzip
import json
import re
import sys
import traceback

import numpy as np
import polars as pl
import pytest

from log_files import LOGGED, ROWS, SMALL, WRITERS, csv, lines, written
from sparring import Duel, certify
from sparring.certificates import CouplingError, LogError
from sparring.tables import logs as of_tables

pytestmark = pytest.mark.compiled


@pytest.fixture(params=WRITERS)
def how(request):
    return request.param


def refusal(path, kind=LogError, **options):
    """The message; it names the path, and no frame of polars is shown with it."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the kind is asserted below
        certify(path, **options)
    assert type(caught.value) is kind
    assert str(path) in str(caught.value)
    shown = "".join(traceback.format_exception(caught.value))
    assert "site-packages/polars" not in shown
    return str(caught.value)


@pytest.mark.parametrize("suffix", of_tables.FORMATS)
def test_what_is_no_file_is_refused(suffix, tmp_path):
    assert "is not a file" in refusal(tmp_path / f"missing{suffix}")
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    assert "is not a file" in refusal(folder)


@pytest.mark.parametrize("name", ["log.txt", "log", "log.csv.gz", "log.json", ".csv"])
def test_another_suffix_is_refused_with_those_that_will_do(name, tmp_path):
    (tmp_path / name).write_text(csv(ROWS))
    assert "must end in one of .csv, .parquet, .jsonl, .ndjson" in refusal(tmp_path / name)


@pytest.mark.parametrize("suffix", of_tables.FORMATS)
def test_an_empty_file_is_refused(suffix, tmp_path):
    path = tmp_path / f"log{suffix}"
    path.write_bytes(b"")
    refusal(path)


@pytest.mark.parametrize("end", ["", "\n", "\r\n"], ids=repr)
def test_a_header_alone_has_no_duels(end, tmp_path):
    (tmp_path / "log.csv").write_text(",".join(ROWS[0]) + end)
    assert "has no duels. A log has the columns row, col, outcome" in refusal(tmp_path / "log.csv")
    pl.DataFrame(ROWS).head(0).write_parquet(tmp_path / "log.parquet")
    assert "has no duels" in refusal(tmp_path / "log.parquet")


@pytest.mark.parametrize("suffix", of_tables.FORMATS)
def test_what_is_no_text_nor_table_is_refused(suffix, tmp_path):
    path = tmp_path / f"log{suffix}"
    path.write_bytes(np.random.default_rng(1).bytes(5_000))
    refusal(path)


@pytest.mark.parametrize("kept", [3, 100, 0.5, -1, -8, -100])
def test_a_truncated_parquet_file_is_refused(kept, tmp_path):
    path = written(tmp_path, "parquet, p", SMALL)
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content)) if kept == 0.5 else kept])
    refusal(path)


def test_a_parquet_file_damaged_inside_is_refused(tmp_path):
    path = written(tmp_path, "parquet, p", SMALL)
    content = bytearray(path.read_bytes())
    content[20:120] = bytes(100)
    path.write_bytes(content)
    refusal(path)


def changed(at, **change):
    """The rows, with one of them changed; None drops a field."""
    row = {name: x for name, x in {**ROWS[at], **change}.items() if x is not None}
    return [*ROWS[:at], row, *ROWS[at + 1 :]]


BAD_ROWS = {  # what is wrong in row 8 -> (kind, message)
    "text in outcome": ({"outcome": "won"}, LogError, "outcome must be a number"),
    "no outcome": ({"outcome": ""}, LogError, "outcome is missing"),
    "no row": ({"row": ""}, LogError, "row is missing"),
    "no p": ({"p_col_1": ""}, LogError, "probabilities are missing"),
    "text in row": ({"row": "first"}, LogError, "row must be a number"),
    "text in p": ({"p_row_1": "high"}, LogError, "probabilities must be numbers"),
    "row 1.5": ({"row": 1.5}, LogError, "row must be whole numbers"),
    "col nan": ({"col": "NaN"}, LogError, "col must be whole numbers"),
    "col beyond": ({"col": 3}, LogError, "col must be an arm from 0 to 2; got 3"),
    "row below": ({"row": -1}, LogError, "row must be an arm from 0 to 2; got -1"),
    "row huge": ({"row": 10**30}, LogError, "row must be whole numbers"),
    "outcome 2": ({"outcome": 2}, LogError, "outcome must be in"),
    "outcome nan": ({"outcome": "NaN"}, LogError, "outcome must be in"),
    "p nan": ({"p_row_1": "NaN"}, LogError, "p must be probabilities that sum to 1"),
    "p inf": ({"p_row_1": "inf"}, LogError, "p must be probabilities that sum to 1"),
    "p half": ({"p_row_1": 0.001}, LogError, "p must be probabilities that sum to 1"),
}


@pytest.mark.parametrize("bad", BAD_ROWS)
def test_a_bad_row_is_refused_with_its_whereabouts(bad, tmp_path, monkeypatch):
    """The message says which row, or among which it is if that is a matter of the whole column."""
    change, kind, message = BAD_ROWS[bad]
    path = tmp_path / "log.csv"
    path.write_text(csv(changed(7, **change)))
    text = refusal(path, kind)
    if "in lines 2 to 21." in text:  # polars itself could not make anything of it
        return
    assert "rows 1 to 20: " in text or "row 8: " in text
    assert re.search(message, text)
    size = sum(len(line) + 1 for line in csv(ROWS).split("\n")[1:6])
    monkeypatch.setattr(of_tables, "PIECE", size)
    text = refusal(path, kind)
    if "row 8: " not in text:
        first, last = map(int, text.split("rows ")[1].split(":")[0].split(" to "))
        assert 1 < first <= 8 <= last < 20


def without(*names):
    return [{name: x for name, x in row.items() if name not in names} for row in ROWS]


def renamed(**names):
    return [{names.get(name, name): x for name, x in row.items()} for row in ROWS]


HEADERS = {
    "no outcome": (without("outcome"), "no column 'outcome'"),
    "no row": (without("row"), "no column 'row'"),
    "no col": (without("col"), "no column 'col'"),
    "no p": ([{name: row[name] for name in ("row", "col", "outcome")} for row in ROWS], "no prob"),
    "no p of the column": (without("p_col_0", "p_col_1", "p_col_2"), "no probabilities"),
    "a gap": (renamed(p_col_2="p_col_3"), r"have gaps: \[0, 1, 3\]"),
    "from 1": (renamed(p_row_0="p_row_3"), r"have gaps: \[1, 2, 3\]"),
    "one arm less": (without("p_col_2"), "different numbers of arms"),
    "leading zeros": (renamed(p_row_0="p_row_00"), "p_row_"),
    "one arm": ([{"row": 0, "col": 0, "outcome": 1, "p_0": 1}], "K must be"),
}


@pytest.mark.parametrize("bad", HEADERS)
def test_bad_columns_are_refused(bad, tmp_path):
    rows, message = HEADERS[bad]
    for name, write in (
        ("log.csv", lambda path: path.write_text(csv(rows))),
        ("log.parquet", lambda path: pl.DataFrame(rows).write_parquet(path)),
        ("log.jsonl", lambda path: path.write_text("".join(f"{json.dumps(r)}\n" for r in rows))),
    ):
        write(tmp_path / name)
        with pytest.raises(ValueError, match=message) as caught:
            certify(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)


LAST = json.loads(lines(SMALL[-1:]))
BAD_LINES = {  # what is wrong in the last line
    "p of other lengths": ({"p": [[0.5, 0.5], [0.25, 0.25, 0.5]]}, "p must have one length"),
    "p of other players": ({"p": [[0.5, 0.25, 0.25]]}, "p must have one length"),
    "p of numbers": ({"p": [0.5, 0.25, 0.25]}, "p"),
    "p of text": ({"p": [["a", "b", "c"]] * 2}, "p must be lists of numbers"),
    "p null": ({"p": None}, "p must be lists of numbers"),
    "null in p": ({"p": [[0.5, 0.5, None]] * 2}, "p must be lists of numbers"),
    "outcome null": ({"outcome": None}, "outcome is missing"),
    "outcome text": ({"outcome": "1"}, "outcome must be a number"),
    "outcome a list": ({"outcome": [1]}, "outcome"),
    "row a list": ({"row": [1]}, "row"),
    "row 1.5": ({"row": 1.5}, "row must be whole numbers"),
}


@pytest.mark.parametrize("bad", BAD_LINES)
def test_a_bad_line_is_refused(bad, tmp_path):
    change, message = BAD_LINES[bad]
    path = tmp_path / "log.jsonl"
    path.write_text(lines(SMALL[:-1]) + json.dumps({**LAST, **change}) + "\n")
    assert re.search(message, refusal(path))


def test_a_line_without_a_field_is_refused(tmp_path):
    for field in ("row", "col", "outcome", "p"):
        part = {name: x for name, x in LAST.items() if name != field}
        path = tmp_path / "log.jsonl"
        path.write_text(lines(SMALL[:-1]) + json.dumps(part) + "\n")
        assert field in refusal(path)


def test_another_number_of_arms_later_in_the_file_is_refused(tmp_path, monkeypatch):
    """In one piece and over the border of two."""
    path = tmp_path / "log.jsonl"
    others = [(duel._replace(learner="a2"), outcome) for duel, outcome in LOGGED[2][:3]]
    path.write_text(lines(SMALL) + lines(others))
    assert "p must have one length; got [3, 12]" in refusal(path)
    monkeypatch.setattr(of_tables, "PIECE", 1)
    assert "3 arms before row 21, 12 after it" in refusal(path)


@pytest.mark.parametrize("kept", [1, 5, 20, 60, 0.5, -3, -2])
def test_a_line_half_written_before_a_crash_is_refused(kept, tmp_path):
    """All the rest is fine, but which duels were lost had to do with something: no guessing.

    The message has the number of the line.
    """
    text = lines(SMALL[-1:])
    path = tmp_path / "log.jsonl"
    path.write_text(lines(SMALL[:-1]) + text[: int(len(text) / 2) if kept == 0.5 else kept])
    assert f"in line {len(SMALL)}." in refusal(path)


@pytest.mark.parametrize("fields", [1, 2, 3, 4, 6, 8])
def test_a_csv_line_half_written_is_refused(fields, tmp_path):
    *rest, last = csv(ROWS).splitlines()
    path = tmp_path / "log.csv"
    path.write_text("\n".join([*rest, ",".join(last.split(",")[:fields])]))
    assert re.search("rows 1 to 20: |row 20: ", refusal(path))


def test_what_is_compressed_is_refused_as_such(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(gzip.compress(csv(ROWS).encode()))
    assert "compressed" in refusal(path)


def test_deep_nonsense_is_no_json(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("[" * 100_000)
    refusal(path)


def test_a_csv_line_with_too_many_fields_is_refused(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(csv(ROWS) + csv(ROWS[:1]).splitlines()[1] + ",0.5\n")
    refusal(path)


def test_a_log_of_a_learner_without_distributions_is_refused_as_such(tmp_path):
    """Duel.to_json writes p of shape (0, K) as []: a certificate is impossible, not a bad file."""
    logged = [(Duel(t, 0, 1, np.empty((0, 3))), 1.0) for t in range(5)]
    (tmp_path / "log.jsonl").write_text(lines(logged))
    assert "independently" in refusal(tmp_path / "log.jsonl", CouplingError)


def test_a_log_of_coupled_arms_is_refused_with_the_path(how, tmp_path):
    """Always a = b, uniform: after 23 duels nobody believes it."""
    logged = [(Duel(t, t % 2, t % 2, np.full((2, 2), 0.5)), 1.0) for t in range(30)]
    path = written(tmp_path, how, logged)
    last = (28, 30) if "parquet" in how else (30,)  # a batch may end with its row group of 7
    assert any(f"up to row {row}: " in refusal(path, CouplingError) for row in last)
    assert certify(written(tmp_path, how, logged[:22])).rounds == 22


@pytest.mark.parametrize("suffix", of_tables.FORMATS)
def test_without_polars_the_error_says_what_to_install(suffix, tmp_path, monkeypatch):
    path = tmp_path / f"log{suffix}"
    path.write_text(csv(ROWS))
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"reading a log .* pip install .*\[lab\]'"):
        certify(path)
