"""Duels that are in a log twice, or not at all: found by round and learner, where it has both."""

import json

import numpy as np
import polars as pl
import pytest

import log_files
import sparring
from sparring import certify
from sparring.certificates import LogError, rounds
from sparring.certificates.rounds import RepeatedRoundError, Rounds
from sparring_cli import main

pytestmark = pytest.mark.compiled

SMALL = log_files.SMALL


@pytest.mark.parametrize("piece", [1, 500, 1 << 23])
@pytest.mark.parametrize("times", [2, 10])
def test_a_log_that_is_repeated_is_refused_with_its_row(times, piece, tmp_path, monkeypatch):
    """A rotated file read twice: of 100 certificates of such logs, 6 were false at ten times."""
    monkeypatch.setattr(sparring.tables.logs, "PIECE", piece)
    path = tmp_path / "log.jsonl"
    path.write_text(log_files.lines(SMALL * times))
    with pytest.raises(LogError, match="row 21: round 1 of learner 'a1' is there twice") as caught:
        certify(path)
    assert "Log each duel once" in str(caught.value)
    with pytest.raises(LogError, match="row 21: round 1 of learner 'a1' is there twice"):
        certify(path, only_answered=True)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_so_it_is_in_tables(suffix, tmp_path):
    rows = [{"t": d.t, "learner": d.learner, **log_files.flat(d, o)} for d, o in SMALL]
    path = tmp_path / f"log.{suffix}"

    def write(table):
        table.write_csv(path) if suffix == "csv" else table.write_parquet(path)

    write(pl.DataFrame(rows[::-1]))
    assert certify(path).rounds == len(rows)  # in any order
    write(pl.DataFrame([*rows, rows[7]]))
    with pytest.raises(LogError, match="row 21: round 8 of learner 'a1' is there twice"):
        certify(path)
    write(pl.DataFrame([*rows, {**rows[7], "learner": "a2"}]))
    assert certify(path).rounds == len(rows) + 1  # another learner's round 8
    for column in ("t", "learner"):  # without it nobody can tell
        write(pl.DataFrame(rows * 2).drop(column))
        assert certify(path).rounds == 2 * len(rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"t": None}, "row 20: t is missing"),
        ({"t": 1.5}, "t must be whole numbers"),
        ({"t": "x"}, "t must be a number: the round"),
        ({"learner": None}, "row 20: learner is missing"),
    ],
    ids=str,
)
def test_a_round_that_is_none_is_refused(change, message, tmp_path):
    *rest, (duel, outcome) = SMALL
    path = tmp_path / "log.jsonl"
    last = {**duel.to_json(), "outcome": outcome, **change}
    path.write_text(log_files.lines(rest) + json.dumps(last) + "\n")
    with pytest.raises(LogError, match=message):
        certify(path)


def test_rounds_in_any_order_and_pieces_against_a_set(rng):
    """Ranges say of each round what a set says, and where the first gap is."""
    for _ in range(200):
        n = int(rng.integers(1, 60))
        order = rng.permutation(n)[: int(rng.integers(1, n + 1))]
        found, known = Rounds(), set()
        again = int(rng.choice(order)) if rng.random() < 0.5 else None
        pieces = np.array_split(order, rng.integers(1, 6))
        for piece in pieces:
            if len(piece):
                found.add(piece, ["a"] * len(piece))
                known |= set(piece.tolist())
        gaps = sorted(set(range(min(known), max(known))) - known)
        assert found.gap() == (("a", gaps[0]) if gaps else None)
        assert found.missing() == len(gaps)
        firsts, lasts = found._ranges["a"]
        covered = [t for f, e in zip(firsts, lasts, strict=True) for t in range(f, e + 1)]
        assert covered == sorted(known) and (firsts[1:] > lasts[:-1] + 1).all()
        if again is not None:
            with pytest.raises(RepeatedRoundError, match=f"round {again} of") as caught:
                found.add(np.array([n + 1, again, again]), ["a"] * 3)
            assert caught.value.at == 1


def test_rounds_scattered_over_everything_are_refused_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(rounds, "MOST_RANGES", 100)
    found = Rounds()
    found.add(np.arange(0, 200, 2), ["a"] * 100)
    with pytest.raises(ValueError, match="t must be in at most 100 ranges without a gap"):
        found.add(np.array([1_000]), ["a"])


def test_votes_that_never_came_are_found_by_the_rounds_that_are_missing(tmp_path):
    """REX3 where one arm always wins: few votes tell it from a clean log, but rounds do at once."""
    learner, rng = sparring.rex3(5, 20_000, seed=1), np.random.default_rng(1)
    path, kept, missing = tmp_path / "log.jsonl", [], []
    for t in range(1, 401):
        duel = learner.ask()
        if duel.row != duel.col and rng.random() < 0.2:
            learner.forget(duel)
            missing.append(t)
            continue
        outcome = 0.5 + 0.5 * ((duel.row == 0) - float(duel.col == 0))
        learner.tell(duel, outcome)
        kept.append((duel, outcome))
    path.write_text(log_files.lines(kept))
    with pytest.raises(LogError) as caught:
        certify(path)
    named = f"round {missing[0]} of learner '{learner.ask().learner}' is missing"
    assert f"{named}, and {len(missing) - 1} more, and every duel" in str(caught.value)
    assert "only_answered=True, or --only-answered" in str(caught.value)
    assert "gaps=True, or --gaps" in str(caught.value)
    assert certify(path, gaps=True).rounds == len(kept)
    assert certify(path, only_answered=True).rounds == sum(d.row != d.col for d, _ in kept)
    with pytest.raises(ValueError, match="gaps must be"):
        certify(path, gaps="yes")
    begins = next(i for i, (duel, _) in enumerate(kept) if duel.t == missing[-1] + 1)
    path.write_text(log_files.lines(kept[begins:]))  # from any round to any other
    assert certify(path).rounds == len(kept) - begins


def test_the_command_says_what_is_missing_and_takes_gaps(tmp_path, capsys):
    path = tmp_path / "log.jsonl"
    path.write_text(log_files.lines([*SMALL[:5], *SMALL[6:]]))
    assert main(["certify", str(path), "--quiet"]) == 1
    assert "round 6 of learner 'a1' is missing, and every duel" in capsys.readouterr().err
    assert main(["certify", str(path), "--gaps", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["duels"] == len(SMALL) - 1
