"""Certificates of answered duels of two different arms: formulas, counts, files and the command."""

import json
import random

import numpy as np
import polars as pl
import pytest

import log_files
import sparring
from certificate_twin import AnsweredTwin
from logged_duels import PROPERTIES, assert_same, logged
from sparring import Duel, certify
from sparring.certificates import Certificate, CouplingError, LogError
from sparring_cli import main

pytestmark = [pytest.mark.core, pytest.mark.compiled]

K = 3


def duels(n, rng, players=2, share=0.3):
    """n duels with their outcomes: None where nobody answered; those of one arm are always told."""
    rows, cols, outcomes, p = logged(K, n, rng, players)
    comes = (rows == cols) | (rng.random(n) < share)
    return [
        (Duel(t + 1, int(rows[t]), int(cols[t]), p[t], "a1"), float(outcomes[t]) if come else None)
        for t, come in enumerate(comes)
    ]


def certified(asked, **options):
    certificate = Certificate(K, 0.1, only_answered=True, **options)
    for duel, outcome in asked:
        certificate.add(duel, outcome)
    return certificate


def columns(asked):
    """What `add_many` takes."""
    tokens, outcomes = zip(*asked, strict=True)
    rows, cols = (np.array([getattr(duel, name) for duel in tokens]) for name in ("row", "col"))
    answered = np.array([outcome is not None for outcome in outcomes])
    given = np.array([np.nan if outcome is None else outcome for outcome in outcomes])
    return rows, cols, given, np.array([duel.p for duel in tokens]), None, answered


@pytest.mark.parametrize("beta", [0.02, 0.5, (0.01, 0.1)], ids=str)
@pytest.mark.parametrize("cuts", [(), (20, 60)], ids=str)
def test_it_says_what_the_formulas_say(beta, cuts, rng):
    asked = duels(300, rng)
    certificate = Certificate(K, 0.1, beta, only_answered=True)
    for duel, outcome in asked:
        if certificate.rounds in cuts and certificate.segments == 1 + cuts.index(
            certificate.rounds
        ):
            certificate.cut()
        certificate.add(duel, outcome)
    plain = [(d.row, d.col, o, *d.p.tolist()) for d, o in asked]
    twin = AnsweredTwin(K, 0.1, certificate._betas.tolist(), plain, cuts)
    for name in set(PROPERTIES) - {"static", "vacuous"}:
        found, expected = getattr(certificate, name), getattr(twin, name)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("players", [1, 2])
def test_it_counts_what_was_asked_and_answered(players, rng):
    asked = duels(400, rng, players)
    apart = [(duel, outcome) for duel, outcome in asked if duel.row != duel.col]
    answered = [one for one in apart if one[1] is not None]
    certificate = certified(asked)
    assert (certificate.asked, certificate.answered) == (len(apart), len(answered))
    assert certificate.rounds == len(answered) < len(apart) < 400
    assert certified(answered).asked is None  # where nobody told
    np.testing.assert_array_equal(certified(answered).regret_bounds, certificate.regret_bounds)
    assert "whether a duel of two different arms was answered" in certificate.condition
    assert "answered" not in Certificate(K).condition


def test_one_by_one_or_all_at_once_and_after_a_restart_it_is_the_same(rng):
    asked = duels(200, rng)
    whole, pieces = (Certificate(K, 0.1, only_answered=True) for _ in range(2))
    whole.add_many(*columns(asked))
    pieces.add_many(*columns(asked[:90]))
    pieces = Certificate.from_snapshot(json.loads(json.dumps(pieces.snapshot())))
    assert pieces.only_answered
    pieces.add_many(*columns(asked[90:]))
    for again in (whole, pieces):
        assert_same(certified(asked), again)
        assert again.asked == whole.asked


def test_arms_drawn_apart_count_as_they_did():
    """Of a learner that draws pairs given that they differ, all answers are as good."""
    learner, plain, only = (
        sparring.steady(K, differ=True, seed=1),
        Certificate(K),
        Certificate(K, only_answered=True),
    )
    for t in range(300):
        duel = learner.ask()
        outcome = float(duel.row < duel.col)
        learner.tell(duel, outcome)
        if t % 3:
            plain.add(duel, outcome)
        only.add(duel, outcome if t % 3 else None)
    np.testing.assert_array_equal(only.regret_bounds, plain.regret_bounds)
    assert (only.asked, only.answered) == (300, 200)


def test_a_missing_outcome_is_refused_where_all_duels_count(rng):
    certificate, asked = Certificate(K), duels(50, rng)
    with pytest.raises(ValueError, match=r"outcome must be a number in \[0, 1\]; got None.*only_"):
        certificate.add(next(duel for duel, outcome in asked if outcome is None), None)
    with pytest.raises(ValueError, match="answered must be true of every duel"):
        certificate.add_many(*columns(asked))
    assert certificate.rounds == 0
    with pytest.raises(ValueError, match="only_answered must be"):
        Certificate(K, only_answered="yes")


def test_impossible_duels_are_refused_also_where_they_do_not_count(rng):
    certificate = Certificate(K, only_answered=True)
    p = np.full((1, K), 1 / K)
    for duel, outcome in ((Duel(1, 3, 0, p), None), (Duel(1, 0, 0, p / 2), 0.5)):
        with pytest.raises(ValueError, match=r"row must be|p must be"):
            certificate.add(duel, outcome)
    with pytest.raises(CouplingError, match="no distributions"):
        certificate.add(Duel(1, 0, 1, np.empty((0, K))), None)


@pytest.mark.parametrize("how", log_files.WRITERS)
def test_files_say_it_with_a_gap(how, tmp_path, rng):
    """null in JSON, nothing in CSV, null in Parquet; a round without its answer in all of them."""
    asked = duels(120, rng)
    path = log_files.written(tmp_path, how, asked)
    if how == "csv":
        path.write_text(path.read_text().replace("None", ""))
    found = certify(path, 0.1, only_answered=True)
    assert_same(certified(asked), found)
    assert found.asked == certified(asked).asked
    first = next(t for t, (_, outcome) in enumerate(asked, 1) if outcome is None)
    with pytest.raises(LogError, match=f"row {first}: outcome is missing. If some were never ans"):
        certify(path, 0.1)


@pytest.mark.parametrize("size", [1, 30, 10_000])
def test_cuts_and_segments_count_answered_duels(size, tmp_path, rng, monkeypatch):
    asked = duels(150, rng)
    path = log_files.written(tmp_path, "json lines", asked)
    monkeypatch.setattr(sparring.tables.logs, "PIECE", size)
    n = certified(asked).rounds
    middle = (n + 1) // 2
    found = certify(path, 0.1, cuts=[5, middle], only_answered=True)
    direct = Certificate(K, 0.1, only_answered=True)
    for duel, outcome in asked:
        counts = outcome is not None and duel.row != duel.col
        if counts and direct.rounds == (5, middle, None)[direct.segments - 1]:
            direct.cut()
        direct.add(duel, outcome)
    assert_same(direct, found)
    halves = certify(path, 0.1, segments=2, only_answered=True)
    assert halves.segments == 2 and halves.rounds == n
    with pytest.raises(ValueError, match=f"segments must be at most the {n} duels"):
        certify(path, segments=n + 1, only_answered=True)


def test_a_piece_without_any_answer_is_a_piece(tmp_path):
    p = [[0.5, 0.25, 0.25]]
    frame = pl.DataFrame({"row": [0, 1], "col": [1, 2], "outcome": [None, None], "p": [p, p]})
    frame.write_parquet(tmp_path / "log.parquet")
    found = certify(tmp_path / "log.parquet", only_answered=True)
    assert (found.rounds, found.asked, found.vacuous) == (0, 2, True)


def served(folder, learner, share, rounds=6_000):
    """The flow of docs/certificates.md, where some visitors do not answer: two logs, and the truth.

    One has a line for all duels that were asked, the other for those that were told.
    """
    crowd, true = random.Random(1), np.zeros(5)
    P = np.array([[0.5 + 0.2 * np.sign(b - a) for b in range(5)] for a in range(5)])
    with (folder / "asked.jsonl").open("w") as asked, (folder / "told.jsonl").open("w") as told:
        for _ in range(rounds):
            duel = learner.ask()
            outcome = None
            if duel.row == duel.col:
                outcome = 0.5
            elif crowd.random() < share:
                outcome = float(crowd.random() < P[duel.row, duel.col])
                true += (P[:, duel.row] + P[:, duel.col] - 1) / 2
            if outcome is None:
                learner.forget(duel)
            else:
                learner.tell(duel, outcome)
                told.write(json.dumps({**duel.to_json(), "outcome": outcome}) + "\n")
            asked.write(json.dumps({**duel.to_json(), "outcome": outcome}) + "\n")
    return true


FLOWS = {
    "steady": lambda: sparring.steady(5, seed=7),
    "dex3s": lambda: sparring.dex3s(5, 6_000, S=2, corrected=True, seed=7),
}


@pytest.mark.parametrize("name", FLOWS)
def test_the_flow_of_the_readme_with_three_votes_in_ten(name, tmp_path, capsys):
    """Ask, show, three in ten answer, log, certify: refused without the condition, which is named;
    certified under it, and rightly; the truth is known to the simulation only."""
    true = served(tmp_path, FLOWS[name](), 0.3)
    for log in ("asked", "told"):
        assert main(["certify", str(tmp_path / f"{log}.jsonl"), "--quiet"]) == 1
        assert "--only-answered, which holds if answering had nothing" in capsys.readouterr().err
        assert main(["certify", str(tmp_path / f"{log}.jsonl"), "--only-answered", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["only_answered"] and "or with which of them would" in found["condition"]
        assert not found["vacuous"]
        assert found["static"] > true.max()
        assert (np.array(found["regret_bounds"]) > true).all()
        assert found["answered"] == found["duels"]
    path = str(tmp_path / "asked.jsonl")
    assert main(["certify", path, "--only-answered"]) == 0
    shown = capsys.readouterr().out
    found = certify(path, only_answered=True)
    assert f"{found.answered:,} answered duels of two different arms, of 5 arms" in shown
    share = f"{100 * found.answered / found.asked:.0f}% were answered"
    assert f"of {found.asked:,} that were asked: {share}" in shown
    assert 0.25 < found.answered / found.asked < 0.35
    assert "It holds if the two arms" in shown
