"""Logs of duels: every format gives the certificate of the duels, whole or in pieces."""

import json

import numpy as np
import polars as pl
import pytest

import sparring
from log_files import LOGGED, ROWS, SMALL, WRITERS, N, csv, directly, flat, lines, table, written
from sparring import certify, tables
from sparring.certificates import Certificate, logs
from sparring.tables import Limits

pytestmark = pytest.mark.compiled


@pytest.fixture(params=WRITERS)
def how(request):
    return request.param


# Parquet is read in batches, whatever its columns are called: where pieces
# and cuts are tested, files with one kind of columns stand for those with any.
ONE_EACH = [how for how in WRITERS if how not in ("parquet, p", "parquet, lists")]


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


@pytest.mark.parametrize("how", ONE_EACH)
@pytest.mark.parametrize("size", [1, 7, 59, 60, 61])
def test_pieces_of_any_size_give_the_same(how, size, tmp_path, monkeypatch):
    """Rows of Parquet, and bytes of text: from a line each to most of the file."""
    monkeypatch.setattr(tables.logs, "LIMITS", Limits(parquet_rows=size))
    monkeypatch.setattr(tables.logs, "PIECE", 1 if size == 1 else size * 450)
    path = written(tmp_path, how, LOGGED[2])
    ticks = []
    found = certify(path, tick=ticks.append)
    assert_same(directly(LOGGED[2]), found)
    assert sum(ticks) == logs.length(path)
    assert size > 59 or len(ticks) > 1
    assert logs.duels(path) == N


@pytest.mark.parametrize("cuts", [(), (1,), (59,), (20,), (19, 20, 21), (1, 20, 40, 59)], ids=str)
@pytest.mark.parametrize("size", [1, 20, 1000])
@pytest.mark.parametrize("how", ONE_EACH)
def test_cuts_fall_where_they_are_asked_for(how, cuts, size, tmp_path, monkeypatch):
    """Within a piece, at the end of one, at its first and its last row."""
    monkeypatch.setattr(tables.logs, "LIMITS", Limits(parquet_rows=size))
    monkeypatch.setattr(tables.logs, "PIECE", 1 if size == 1 else size * 450)
    certificate = certify(written(tmp_path, how, LOGGED[2]), cuts=cuts)
    assert certificate.segments == len(cuts) + 1
    assert_same(directly(LOGGED[2], cuts), certificate)


@pytest.mark.parametrize("how", ONE_EACH)
@pytest.mark.parametrize("cuts", [[0], [-1], [60], [61], [1000], [5, 4], [5, 5], [1.5], ["x"]])
def test_bad_cuts_are_refused(how, cuts, tmp_path):
    path = written(tmp_path, how, LOGGED[2])
    with pytest.raises(ValueError, match="cuts must be"):
        certify(path, cuts=cuts)


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


def test_delta_and_beta_are_handed_on(how, tmp_path):
    path = written(tmp_path, how, LOGGED[2])
    certificate = certify(str(path), 0.01, (0.1, 0.2))
    assert certificate.delta == 0.01
    assert certificate.snapshot()["betas"] == [0.1, 0.2]
    for bad in ({"delta": 0}, {"beta": 2}):
        with pytest.raises(ValueError, match=f"{next(iter(bad))} must be"):
            certify(path, **bad)


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
    monkeypatch.setattr(tables.logs, "PIECE", piece)
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
    monkeypatch.setattr(tables.logs, "PIECE", piece)
    assert_same(directly(SMALL, arms=3), certified_text(tmp_path, JSON[kind], "log.jsonl"))


@pytest.mark.parametrize("piece", [1, 1 << 23])
@pytest.mark.parametrize("wins", [(0, 1), (0.0, 1.0), (False, True)], ids=str)
def test_outcomes_are_integers_floats_or_booleans(wins, piece, tmp_path, monkeypatch):
    monkeypatch.setattr(tables.logs, "PIECE", piece)
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


def test_a_name_with_a_star_is_one_file(tmp_path):
    """And no pattern, by which polars would read others, too."""
    table = pl.DataFrame(ROWS)
    table.write_parquet(tmp_path / "d*.parquet")
    table.write_parquet(tmp_path / "d2.parquet")
    assert certify(tmp_path / "d*.parquet").rounds == len(ROWS)
