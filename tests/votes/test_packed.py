"""Votes that are packed or piped: read as they are, bounded, and told by their own name."""

import gzip
import io
import json

import pytest

from sparring.tables import FileError, kinds
from sparring.tables.kinds import piped
from sparring.votes import examine, read

TEXT = "a,b,winner\nx,y,a\ny,z,b\nx,z,tie\n"
LINES = "".join(
    json.dumps({"a": a, "b": b, "winner": w}) + "\n"
    for a, b, w in (("x", "y", "a"), ("y", "z", "b"), ("x", "z", "tie"))
)
LIST = "[" + ",".join(LINES.split("\n")[:-1]) + "]"
KINDS = {"csv": TEXT, "jsonl": LINES, "json": LIST, "tsv": TEXT.replace(",", "\t")}


def rows(votes):
    return list(votes.rows())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_packed_text_is_read_as_it_was(tmp_path, kind, mark):
    plain, tight = tmp_path / f"votes.{kind}", tmp_path / f"votes.{kind}.gz"
    plain.write_bytes(mark + KINDS[kind].encode())
    tight.write_bytes(gzip.compress(plain.read_bytes()))
    ticks = []
    found = examine(tight, tick=ticks.append)
    assert rows(found.votes) == rows(read(plain)) and len(found.votes) == 3
    assert sum(ticks) == tight.stat().st_size  # of what is packed, for a bar that ends


def test_what_unpacks_to_too_much_is_given_up_there(tmp_path, monkeypatch):
    monkeypatch.setattr(kinds, "MOST", 1 << 22)
    bomb = tmp_path / "bomb.csv.gz"
    with gzip.open(bomb, "wb", 1) as file:
        file.write(TEXT.encode())
        for _ in range(16):
            file.write(b"x" * (1 << 20))
    assert bomb.stat().st_size < 200_000
    with pytest.raises(FileError, match="unpacks to more than 4,194,304 bytes: unpack it first"):
        read(bomb)


def test_a_packed_file_without_its_ending_says_what_to_do(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_bytes(gzip.compress(TEXT.encode()))
    with pytest.raises(FileError, match=r"let its name end in \.gz"):
        read(path)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_pipe_is_known_by_its_first_bytes(kind, pack):
    with piped(io.BytesIO(pack(KINDS[kind].encode()))) as path:
        assert len(read(path)) == 3
    assert not path.exists()


def test_parquet_through_a_pipe(tmp_path):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"a": ["x", "y"], "b": ["y", "z"], "winner": ["a", "b"]})
    table.write_parquet(tmp_path / "votes.parquet")
    with piped(io.BytesIO((tmp_path / "votes.parquet").read_bytes())) as path:
        assert len(read(path)) == 2


def test_errors_of_a_pipe_speak_of_standard_input(monkeypatch):
    with (
        pytest.raises(ValueError, match=r"^standard input: 1 of 1 rows are no votes"),
        piped(io.BytesIO(b"a,b,winner\nx,y,nobody\n")) as path,
    ):
        read(path)
    with pytest.raises(ValueError, match=r"^standard input is empty"), piped(io.BytesIO()) as path:
        read(path)
    monkeypatch.setattr(kinds, "MOST", 10)
    with (
        pytest.raises(FileError, match="standard input has more than 10 bytes"),
        piped(io.BytesIO(TEXT.encode())),
    ):
        raise AssertionError("it was read")
