"""Logs of duels: every format gives the same certificate, and bad files say where and why."""

import gzip
import json
import re
import sys
import traceback

import numpy as np
import polars as pl
import pytest

import sparring
from sparring import Certificate, CouplingError, Duel, LogError, certify
from sparring.certificates import files

pytestmark = pytest.mark.compiled

N, K = 60, 12  # twelve arms: p_10 comes after p_9, and not after p_1


def duels(players, n=N, arms=K):
    """n duels with their outcomes; probabilities with all their digits, 0 and tiny ones too."""
    rng = np.random.default_rng(7)
    found = []
    for t in range(n):
        p = rng.dirichlet(np.full(arms, 0.3), players)
        p[:, rng.integers(arms)] *= 1e-20
        p /= p.sum(axis=1, keepdims=True)
        row, col = int(rng.choice(arms, p=p[0])), int(rng.choice(arms, p=p[-1]))
        found.append((Duel(t + 1, row, col, p, "a1"), float(rng.integers(3) / 2)))
    return found


LOGGED = {players: duels(players) for players in (1, 2)}


def directly(logged, cuts=(), arms=K):
    certificate = Certificate(arms)
    for t, (duel, outcome) in enumerate(logged):
        if t in cuts:
            certificate.cut()
        certificate.add(duel, outcome)
    return certificate


def flat(duel, outcome):
    """The columns of a row of a CSV file, in order."""
    names = ("p_",) if len(duel.p) == 1 else ("p_row_", "p_col_")
    fields = {"row": duel.row, "col": duel.col, "outcome": outcome}
    for name, player in zip(names, duel.p.tolist(), strict=True):
        fields.update({f"{name}{k}": chance for k, chance in enumerate(player)})
    return fields


def csv(rows, end="\n"):
    """Text of rows that are dictionaries; repr gives every digit."""
    lines = [",".join(rows[0])]
    lines += [",".join(x if isinstance(x, str) else repr(x) for x in row.values()) for row in rows]
    return end.join([*lines, ""])


def lines(logged, end="\n", **more):
    texts = [json.dumps({**duel.to_json(), "outcome": o, **more}) for duel, o in logged]
    return end.join([*texts, ""])


def table(logged):
    fields = [{**duel.to_json(), "outcome": outcome} for duel, outcome in logged]
    return pl.DataFrame(fields, infer_schema_length=None)


def as_csv(path, logged):
    path.write_text(csv([flat(*one) for one in logged]))


def as_lines(path, logged):
    path.write_text(lines(logged))


def as_nested(path, logged):
    table(logged).write_parquet(path, row_group_size=7)


def as_lists(path, logged):
    nested = pl.col("p").list
    players = {"p_row": nested.get(0), "p_col": nested.get(-1)}
    table(logged).with_columns(**players).drop("p").write_parquet(path)


def as_columns(path, logged):
    pl.DataFrame([flat(*one) for one in logged], infer_schema_length=None).write_parquet(path)


WRITERS = {
    "csv": (as_csv, "log.csv"),
    "json lines": (as_lines, "log.jsonl"),
    "ndjson": (as_lines, "log.ndjson"),
    "parquet, p": (as_nested, "log.parquet"),
    "parquet, lists": (as_lists, "log.parquet"),
    "parquet, columns": (as_columns, "log.parquet"),
}


def written(folder, how, logged):
    write, name = WRITERS[how]
    write(folder / name, logged)
    return folder / name


@pytest.fixture(params=WRITERS)
def how(request):
    return request.param


@pytest.fixture(params=[1, 2], ids=["one player", "two players"])
def logged(request):
    return LOGGED[request.param]


def assert_same(certificate, again):
    """Bit for bit, by what is said and what is remembered."""
    for name in ("estimates", "standard_errors", "regret_bounds", "lemma_bounds"):
        np.testing.assert_array_equal(getattr(again, name), getattr(certificate, name))
    assert again.dynamic == certificate.dynamic
    assert again.snapshot() == certificate.snapshot()


def assert_nearly(certificate, again):
    """One player logged twice, as p_row and p_col: the same up to the order of sums."""
    assert again.rounds == certificate.rounds
    np.testing.assert_allclose(again.estimates, certificate.estimates, rtol=1e-12)
    np.testing.assert_allclose(again.regret_bounds, certificate.regret_bounds, rtol=1e-12)


# --- The same certificate -------------------------------------------------------------------------


def test_every_format_gives_the_certificate_of_the_duels(how, logged, tmp_path):
    found = certify(written(tmp_path, how, logged))
    twice = how == "parquet, lists" and len(logged[0][0].p) == 1
    (assert_nearly if twice else assert_same)(directly(logged), found)


def test_lists_of_a_fixed_size_are_lists(tmp_path):
    """As polars makes them of NumPy's arrays."""
    p = np.array([duel.p for duel, _ in SMALL])
    frame = table(SMALL).drop("p").with_columns(p_row=p[:, 0].copy(), p_col=p[:, 1].copy())
    assert isinstance(frame["p_row"].dtype, pl.Array)
    frame.write_parquet(tmp_path / "log.parquet")
    assert_same(directly(SMALL, arms=3), certify(tmp_path / "log.parquet"))


@pytest.mark.parametrize("size", [1, 7, 59, 60, 61])
def test_pieces_of_any_size_give_the_same(how, size, tmp_path, monkeypatch):
    """Rows of Parquet, and bytes of text: from a line each to most of the file."""
    monkeypatch.setattr(files, "ROWS", size)
    monkeypatch.setattr(files, "PIECE", 1 if size == 1 else size * 450)
    path = written(tmp_path, how, LOGGED[2])
    ticks = []
    found = certify(path, tick=ticks.append)
    assert_same(directly(LOGGED[2]), found)
    assert sum(ticks) == files.length(path)
    assert size > 59 or len(ticks) > 1
    assert files.duels(path) == N


@pytest.mark.parametrize("cuts", [(), (1,), (59,), (20,), (19, 20, 21), (1, 20, 40, 59)], ids=str)
@pytest.mark.parametrize("size", [1, 20, 1000])
def test_cuts_fall_where_they_are_asked_for(how, cuts, size, tmp_path, monkeypatch):
    """Within a piece, at the end of one, at its first and its last row."""
    monkeypatch.setattr(files, "ROWS", size)
    monkeypatch.setattr(files, "PIECE", 1 if size == 1 else size * 450)
    certificate = certify(written(tmp_path, how, LOGGED[2]), cuts=cuts)
    assert certificate.segments == len(cuts) + 1
    assert_same(directly(LOGGED[2], cuts), certificate)


@pytest.mark.parametrize("cuts", [[0], [-1], [60], [61], [1000], [5, 4], [5, 5], [1.5], ["x"]])
def test_bad_cuts_are_refused(how, cuts, tmp_path):
    path = written(tmp_path, how, LOGGED[2])
    with pytest.raises(ValueError, match="cuts must be"):
        certify(path, cuts=cuts)


def test_delta_and_beta_are_handed_on(how, tmp_path):
    path = written(tmp_path, how, LOGGED[2])
    certificate = certify(str(path), 0.01, (0.1, 0.2))
    assert certificate.delta == 0.01
    assert certificate.snapshot()["betas"] == [0.1, 0.2]
    for bad in ({"delta": 0}, {"beta": 2}):
        with pytest.raises(ValueError, match=f"{next(iter(bad))} must be"):
            certify(path, **bad)


SMALL = duels(2, n=20, arms=3)
ROWS = [flat(*one) for one in SMALL]


def certified_text(folder, text, name="log.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return certify(path)


def reordered(row):
    return dict(sorted(row.items(), reverse=True))


CSV = {
    "as written": csv(ROWS),
    "other order": csv([reordered(row) for row in ROWS]),
    "more columns": csv([{"t": t, **row, "learner": "a1"} for t, row in enumerate(ROWS)]),
    "a time": csv([{"time": "2026-01-01T00:00:00Z", **row, "note": '"a, b"'} for row in ROWS]),
    "CRLF": csv(ROWS, "\r\n"),
    "no final newline": csv(ROWS)[:-1],
    "byte order mark": b"\xef\xbb\xbf" + csv(ROWS).encode(),
    "blank lines at the end": csv(ROWS) + "\n\n\n",
    "blank lines at the end, CRLF": csv(ROWS, "\r\n") + "\r\n" * 3,
    "arms as floats": csv([{**row, "row": float(row["row"])} for row in ROWS]),
    "quoted": csv([{**row, "row": f'"{row["row"]}"'} for row in ROWS]),
    "exponents": csv([{**row, "outcome": f"{row['outcome']:e}"} for row in ROWS]),
}


@pytest.mark.parametrize("piece", [1, 200, 1 << 23])
@pytest.mark.parametrize("kind", CSV)
def test_csv_files_as_others_write_them(kind, piece, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PIECE", piece)
    assert_same(directly(SMALL, arms=3), certified_text(tmp_path, CSV[kind]))


JSON = {
    "as written": lines(SMALL),
    "more fields": lines(SMALL, session={"user": 3, "tags": ["a", None]}, note="x\ny"),
    "CRLF": lines(SMALL, "\r\n"),
    "no final newline": lines(SMALL)[:-1],
    "byte order mark": b"\xef\xbb\xbf" + lines(SMALL).encode(),
    "blank lines at the end": lines(SMALL) + "\n" * 300,
    "other order": "".join(
        json.dumps(reordered({**duel.to_json(), "outcome": outcome})) + "\n"
        for duel, outcome in SMALL
    ),
    "no spaces": lines(SMALL).replace(": ", ":").replace(", ", ","),
    "columns": "".join(json.dumps(row) + "\n" for row in ROWS),
}


@pytest.mark.parametrize("piece", [1, 200, 1 << 23])
@pytest.mark.parametrize("kind", JSON)
def test_json_lines_as_others_write_them(kind, piece, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PIECE", piece)
    assert_same(directly(SMALL, arms=3), certified_text(tmp_path, JSON[kind], "log.jsonl"))


@pytest.mark.parametrize("piece", [1, 1 << 23])
@pytest.mark.parametrize("wins", [(0, 1), (0.0, 1.0), (False, True)], ids=str)
def test_outcomes_are_integers_floats_or_booleans(wins, piece, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PIECE", piece)
    decided = [(duel, float(outcome > 0)) for duel, outcome in SMALL]
    expected = directly(decided, arms=3)
    rows = [{**flat(duel, o), "outcome": wins[int(o)]} for duel, o in decided]
    assert_same(expected, certified_text(tmp_path, csv(rows)))
    lower = csv([{**row, "outcome": json.dumps(row["outcome"])} for row in rows])
    assert_same(expected, certified_text(tmp_path, lower))
    text = "".join(json.dumps(row) + "\n" for row in rows)
    assert_same(expected, certified_text(tmp_path, text, "log.jsonl"))
    pl.DataFrame(rows).write_parquet(tmp_path / "log.parquet")
    assert_same(expected, certify(tmp_path / "log.parquet"))


def test_certain_arms_are_whole_numbers_in_text(tmp_path):
    """Python writes 1.0, JavaScript 1: p is [[1, 0]] in some rows and has a point in others."""
    text = '{"row": 0, "col": 0, "outcome": 1, "p": [[1, 0]]}\n'
    half = '{"row": 0, "col": 1, "outcome": 1, "p": [[0.5, 0.5]]}\n'
    for content in (text, text + half, half + text):
        assert certified_text(tmp_path, content, "log.jsonl").rounds == content.count("\n")
    assert certified_text(tmp_path, "row,col,outcome,p_0,p_1\n0,0,1,1,0\n").rounds == 1


def test_probabilities_of_four_bytes_are_read(tmp_path):
    frame = pl.DataFrame(ROWS).with_columns(pl.selectors.float().cast(pl.Float32))
    frame.write_parquet(tmp_path / "log.parquet")
    found = certify(tmp_path / "log.parquet")
    np.testing.assert_allclose(found.estimates, directly(SMALL, arms=3).estimates, rtol=1e-5)


def test_a_learner_s_own_log_of_a_run(tmp_path):
    """As the documentation has it: each duel written as it is told."""
    learner, certificate = sparring.rex3(K=4, T=1_000, seed=1), Certificate(4)
    with (tmp_path / "duels.jsonl").open("w") as log:
        for _ in range(300):
            duel = learner.ask()
            outcome = float(duel.row <= duel.col)
            learner.tell(duel, outcome)
            certificate.add(duel, outcome)
            log.write(json.dumps({**duel.to_json(), "outcome": outcome}) + "\n")
    assert_same(certificate, certify(tmp_path / "duels.jsonl"))


# --- Bad files ------------------------------------------------------------------------------------


def refusal(path, kind=LogError, **options):
    """The message; it names the path, and no frame of polars is shown with it."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the kind is asserted below
        certify(path, **options)
    assert type(caught.value) is kind
    assert str(path) in str(caught.value)
    shown = "".join(traceback.format_exception(caught.value))
    assert "site-packages/polars" not in shown
    return str(caught.value)


@pytest.mark.parametrize("suffix", files.FORMATS)
def test_what_is_no_file_is_refused(suffix, tmp_path):
    assert "is not a file" in refusal(tmp_path / f"missing{suffix}")
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    assert "is not a file" in refusal(folder)


@pytest.mark.parametrize("name", ["log.txt", "log", "log.csv.gz", "log.json", ".csv"])
def test_another_suffix_is_refused_with_those_that_will_do(name, tmp_path):
    (tmp_path / name).write_text(csv(ROWS))
    assert "must end in one of .csv, .parquet, .jsonl, .ndjson" in refusal(tmp_path / name)


@pytest.mark.parametrize("suffix", files.FORMATS)
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


@pytest.mark.parametrize("suffix", files.FORMATS)
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
    assert "rows 1 to 20: " in text or "row 8: " in text
    assert re.search(message, text)
    size = sum(len(line) + 1 for line in csv(ROWS).split("\n")[1:6])
    monkeypatch.setattr(files, "PIECE", size)
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
    path.write_text(lines(SMALL) + lines(LOGGED[2][:3]))
    assert "p must have one length; got [3, 12]" in refusal(path)
    monkeypatch.setattr(files, "PIECE", 1)
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


def test_a_name_with_a_star_is_one_file(tmp_path):
    """And no pattern, by which polars would read others, too."""
    table = pl.DataFrame(ROWS)
    table.write_parquet(tmp_path / "d*.parquet")
    table.write_parquet(tmp_path / "d2.parquet")
    assert certify(tmp_path / "d*.parquet").rounds == len(ROWS)


def test_what_is_compressed_is_refused_as_such(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(gzip.compress(csv(ROWS).encode()))
    assert "compressed" in refusal(path)


def test_deep_nonsense_is_no_json(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("[" * 100_000)
    refusal(path)


def test_equal_segments(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(csv(ROWS))
    assert certify(path, segments=4).snapshot() == certify(path, cuts=[5, 10, 15]).snapshot()
    with pytest.raises(ValueError, match="segments must be at most the 20 duels"):
        certify(path, segments=21)
    with pytest.raises(ValueError, match="give cuts or segments"):
        certify(path, segments=2, cuts=[3])
    with pytest.raises(ValueError, match="cuts must be a list"):
        certify(path, cuts=5)


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
    """Always a = b, uniform: after 66 duels nobody believes it."""
    logged = [(Duel(t, t % 2, t % 2, np.full((2, 2), 0.5)), 1.0) for t in range(70)]
    path = written(tmp_path, how, logged)
    assert "up to row 70: " in refusal(path, CouplingError)
    assert certify(written(tmp_path, how, logged[:65])).rounds == 65


@pytest.mark.parametrize("suffix", files.FORMATS)
def test_without_polars_the_error_says_what_to_install(suffix, tmp_path, monkeypatch):
    path = tmp_path / f"log{suffix}"
    path.write_text(csv(ROWS))
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"reading a log .* pip install 'sparring\[lab\]'"):
        certify(path)
