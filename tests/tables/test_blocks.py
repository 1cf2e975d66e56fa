"""Blocks of columns say what the careful reader says, however a file is written, cut or damaged."""

import gzip
import json
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.tables import Limits, Table, blocks, rows

BLOCKS = (64, 700, 1 << 20)
WANTED = ["a", "winner"]

# Pieces of which fields are made: marks, quotes and breaks, spaces, letters that some readers take
# for others, and bytes that are no UTF-8 or look like something packed.
PIECES = st.sampled_from(
    [
        *("x", "tea", "1.50", "", " ", "  y", '"', '""', ",", ";", "\n", "\r\n", "\r", "\t"),
        *("\x1f", "\x1e", "\x01", "ü", "\u2028", "\ud83d", "x\u005e", "null", "é" * 40, "'", "\\"),
    ]
)
FIELDS = st.lists(PIECES, max_size=3).map("".join)


@st.composite
def some_rows(draw):
    """Rows of few different pieces, so that not every block has one that needs care."""
    pieces = draw(st.lists(PIECES, min_size=1, max_size=4, unique=True))
    field = st.lists(st.sampled_from(pieces), max_size=3).map("".join)
    return draw(st.lists(st.lists(field, min_size=3, max_size=3), max_size=20))


def written(folder, data, name):
    path = folder / name
    path.write_bytes(data)
    return path


def by_row(path, wanted=WANTED):
    return [(line, _fields(found), many) for line, found, many in Table(path).rows(wanted)]


def by_block(path, limits, wanted=WANTED):
    """The same from blocks, with the rows that are none in their places."""
    found = []
    for block in Table(path, limits).blocks(wanted):
        bad = list(block.bad)
        for at, (line, fields) in enumerate(block.rows()):
            while bad and bad[0].place == at:
                found.append(bad.pop(0))
            found.append((line, fields, None))
        found += bad
    return found


def _fields(found):
    return found if isinstance(found, str) else list(found)


def assert_same(path, wanted=WANTED):
    """In blocks of every size."""
    careful = by_row(path, wanted)
    for size in BLOCKS:
        fast = by_block(path, Limits(block=size), wanted)
        assert len(fast) == len(careful)
        for one, (line, fields, many) in zip(fast, careful, strict=True):
            if isinstance(one, blocks.Bad):
                assert (one.line, one.why, one.many) == (line, fields, many)
            else:
                assert one[:2] == (line, fields)


def quoted(field, mark):
    """As a writer of CSV does it."""
    if any(letter in field for letter in (mark, '"', "\n", "\r")):
        return '"' + field.replace('"', '""') + '"'
    return field


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("blocks")


@settings(deadline=None, max_examples=300)
@given(
    some_rows(),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([quoted, lambda field, mark: field]),
    st.lists(st.tuples(st.integers(0, 400), PIECES), max_size=2),
    st.booleans(),
)
def test_csv_is_read_as_with_care(folder, table, mark, end, write, damage, ended):
    """Well-formed or not: fields as they are have marks, quotes and breaks where none belong."""
    header = mark.join(["a", "b", "winner"]) + end
    lines = [mark.join(write(field, mark) for field in fields) for fields in table]
    text = end.join(lines) + (end if ended else "")
    for at, piece in damage:
        text = text[:at] + piece + text[at:]
    text = header + text
    assert_same(written(folder, text.encode("utf-8", "surrogatepass"), "votes.csv"))


VALUES = st.one_of(
    FIELDS,
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=True),
    st.lists(st.integers(), max_size=1),
)
LINES = st.one_of(
    st.dictionaries(st.sampled_from(["a", "b", "winner", "n: {}", 'so "called"']), VALUES).map(
        json.dumps
    ),
    st.fixed_dictionaries({"a": VALUES, "b": FIELDS, "winner": FIELDS}).flatmap(
        lambda found: st.sampled_from(
            [
                json.dumps(found),
                json.dumps(found).encode("ascii").decode("unicode_escape", "replace"),
                json.dumps(found, separators=(" ,", "\t:")),
                json.dumps(dict(reversed(found.items()))),
                json.dumps(found).replace("{", '{"a": "again", ', 1),
            ]
        )
    ),
    st.sampled_from(["", "  ", "[]", "3", "{", '"x"', "{}", "NaN", "\x1f", "{" * 30, "\r"]),
)


@settings(deadline=None, max_examples=150)
@given(st.lists(LINES, min_size=1, max_size=30), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_json_lines_are_read_as_with_care(folder, lines, end, ended):
    text = end.join(['{"a": "x", "b": "y", "winner": "a"}', *lines]) + (end if ended else "")
    assert_same(written(folder, text.encode("utf-8", "surrogatepass"), "votes.jsonl"))


@pytest.mark.parametrize(
    "text",
    [
        "a,b,winner\n" + "x^,y,a\n" * 40,  # begins as zlib does
        "a,b,winner\n\n\n" + "x,y,a\n\n" * 40,
        "a,b,winner\n" + "x,y,a\n" * 30 + "x,y\n" + "x,y,a,b\n" + "x,y,a\n" * 30,
        "a,b,winner\n" + 'x,y,"a\nb"\n' * 40,
        "a,b,winner\n" + 'x, "y",a\n' * 40,
        "a,b,winner\n" + ' x,y,"  a, b"\n' * 40,
        'a,b,winner\nx,y,"a\n' + "x,y,a\n" * 40,
        "a,b,winner\n" + "x,y,a\n" * 20 + '"x,y,a\n' + "x,y,a\n" * 40,
        "a,b,winner\r\n" + " x , y , a \r\n" * 40,
        'a,b,winner\n"x",y,a\n' * 30,
        "a,b,winner\n" + '"","",""\n' * 40,
        "a,b,winner\n" + ",,\n" * 40,
        "a,b,winner",
        "a;b,c;winner\n" + "x;y,z;a\n" * 40,
    ],
)
def test_files_on_which_readers_differ(folder, text):
    assert_same(written(folder, text.encode(), "votes.csv"), ["winner", "a"])


def test_most_of_a_file_is_read_fast(folder, monkeypatch):
    """A block with one doubtful row goes to the careful reader alone, and the others do not."""
    taken, real = [], blocks.of_rows

    def of_rows(found, wanted):
        taken.append(list(found))
        return real(taken[-1], wanted)

    monkeypatch.setattr(blocks, "of_rows", of_rows)
    many = b"tea,milk,tea\n" * 40_000
    text = b"a,b,winner\n" + many + b"te\ra,milk,tea\n" + many
    path = written(folder, text, "votes.csv")
    assert sum(len(block.lines) for block in Table(path).blocks(WANTED)) == 80_000
    assert 0 < sum(map(len, taken)) < 10_000
    taken.clear()
    lines = b'{"a": "x", "b": "y", "winner": "a"}\n' * 10_000
    path = written(folder, lines, "votes.jsonl")
    assert sum(len(block.lines) for block in Table(path).blocks(WANTED)) == 10_000
    assert not taken


@pytest.mark.parametrize("limit", [100, 5_000])
def test_a_long_line_is_no_row_in_either_reader(folder, limit):
    text = b"a,b,winner\n" + b"x,y,a\n" * 9 + b"z" * 10_000 + b",y,a\n" + b"x,y,a\n" * 9
    path = written(folder, text, "votes.csv")
    for size in BLOCKS:
        found = by_block(path, Limits(block=size, line=limit))
        assert [one for one in found if isinstance(one, blocks.Bad)] == [
            blocks.Bad(one.place, 11, f"longer than {limit:,} bytes", 1)
            for one in found
            if isinstance(one, blocks.Bad)
        ]
        assert len(found) == 19


def test_columns_that_nobody_asked_for_may_be_many(folder):
    header = ",".join(f"c{k}" for k in range(2_000))
    text = f"a,{header},winner\n" + f"x,{header},a\n" * 3
    assert by_block(written(folder, text.encode(), "wide.csv"), Limits()) == [
        (line, ["x", "a"], None) for line in (2, 3, 4)
    ]


def test_ticks_are_the_bytes_of_the_file(folder):
    text = b"a,b,winner\n" + b"tea,milk,tea\n" * 200_000
    for name, data in (("votes.csv", text), ("votes.csv.gz", gzip.compress(text, 1))):
        path, ticks = written(folder, data, name), []
        for read in (Table(path).rows, Table(path).blocks):
            ticks.clear()
            assert sum(1 for _ in read(WANTED, ticks.append))
            assert sum(ticks) == path.stat().st_size


def test_what_looks_packed_inside_is_not_unpacked(folder):
    bomb = zlib.compress(b"x,y,a\n" * 100_000).replace(b"\n", b" ")
    text = b"a,b,winner\n" + b"x,y,a\n" * 1_000 + bomb + b"\n" + b"x,y,a\n"
    path = written(folder, text, "votes.csv")
    for size in BLOCKS:
        assert 1_000 < len(by_block(path, Limits(block=size))) < 1_100
    assert_same(path)


def test_the_first_rows_are_the_same_however_they_are_read(folder):
    text = (
        b"a,b,winner\n" + b"x,\xff,a\n" + b"x,y\n" + b"long" * 100 + b",y,b\n" + b"x,y,a\n" * 2_000
    )
    path = written(folder, text, "votes.csv")
    sample = Table(path).sample(["a", "winner"])
    assert len(sample["a"]) == rows.SAMPLE - 1  # one of them is no row
    assert sample["a"][:3] == ["x", "", "x"]
