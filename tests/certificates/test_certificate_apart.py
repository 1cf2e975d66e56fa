"""Certificates of duels whose arms differ by design: the formulas, mixed logs, files, refusals."""

import json
import math

import numpy as np
import polars as pl
import pytest

import log_files
import sparring
from certificate_twin import MixedTwin
from logged_duels import PROPERTIES, assert_same
from sparring import Duel
from sparring.certificates import Certificate, CouplingError, LogError, certify

pytestmark = [pytest.mark.core, pytest.mark.compiled]


def mixed(K, n, rng, share=0.5):
    """n duels, a share of them of arms that differ by design: (Duel, outcome)."""
    found = []
    for t in range(n):
        p = 0.9 * rng.dirichlet(np.full(K, 0.5)) + 0.1 / K
        differ = bool(rng.random() < share)
        row, col = (int(arm) for arm in rng.choice(K, 2, p=p))
        while differ and row == col:
            row, col = (int(arm) for arm in rng.choice(K, 2, p=p))
        duel = Duel(t + 1, row, col, p[None], differ=differ)
        found.append((duel, float(rng.integers(3) / 2)))
    return found


def columns(duels):
    """What `add_many` takes."""
    tokens, outcomes = zip(*duels, strict=True)
    rows, cols, differ = (
        np.array([getattr(duel, name) for duel in tokens]) for name in ("row", "col", "differ")
    )
    return rows, cols, np.array(outcomes), np.array([duel.p for duel in tokens]), differ


def certified(duels, K, **options):
    certificate = Certificate(K, **options)
    for duel, outcome in duels:
        certificate.add(duel, outcome)
    return certificate


@pytest.mark.parametrize("share", [0.5, 1.0])
@pytest.mark.parametrize(
    ("beta", "K", "n", "cuts"),
    [(0.02, 3, 400, ()), (0.05, 2, 1_000, (1, 700)), (1.0, 2, 40, (20,)), (None, 4, 300, (100,))],
)
def test_it_says_what_the_formulas_say(beta, K, n, cuts, share, rng):
    duels = mixed(K, n, rng, share)
    certificate = Certificate(K, 0.1, beta)
    for t, (duel, outcome) in enumerate(duels):
        if t in cuts:
            certificate.cut()
        certificate.add(duel, outcome)
    betas = certificate._betas.tolist()
    plain = [
        (d.row, d.col, o, d.p[0].tolist(), None if d.differ else d.p[0].tolist()) for d, o in duels
    ]
    twin = MixedTwin(K, 0.1, betas, plain, cuts)
    for name in set(PROPERTIES) - {"static", "vacuous"}:
        found, expected = getattr(certificate, name), getattr(twin, name)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=name)


def test_one_by_one_or_all_at_once_and_after_a_restart_it_is_the_same(rng):
    duels = mixed(5, 200, rng)
    single, whole, pieces = certified(duels, 5), Certificate(5), Certificate(5)
    parts = columns(duels)
    whole.add_many(*parts)
    pieces.add_many(*(part[:90] for part in parts))
    pieces = Certificate.from_snapshot(json.loads(json.dumps(pieces.snapshot())))
    pieces.add_many(*(part[90:] for part in parts))
    assert_same(single, whole)
    assert_same(single, pieces)


@pytest.mark.parametrize("how", sorted(log_files.WRITERS.keys() - {"parquet, lists"}))
def test_files_have_it_in_a_column(how, tmp_path, rng):
    """JSON lines only where it is so; tables as a column of true and false, or of gaps."""
    duels = mixed(log_files.K, log_files.N, rng)
    path = log_files.written(tmp_path, how, duels)
    if how in ("csv", "parquet, columns"):
        table = pl.read_csv(path) if how == "csv" else pl.read_parquet(path)
        table = table.with_columns(differ=pl.Series([duel.differ for duel, _ in duels]))
        table.write_csv(path) if how == "csv" else table.write_parquet(path)
    assert_same(certify(path), certified(duels, log_files.K))


def test_a_column_of_words_is_refused(tmp_path, rng):
    path = tmp_path / "log.jsonl"
    path.write_text(log_files.lines(mixed(3, 5, rng), differ="yes"))
    with pytest.raises(LogError, match="differ must be true or false"):
        certify(path)


def test_equal_arms_are_impossible_there_and_two_players_are_not():
    certificate = Certificate(3)
    p = np.full((1, 3), 1 / 3)
    with pytest.raises(ValueError, match="col must be another arm than row, as differ says"):
        certificate.add(Duel(1, 2, 2, p, differ=True), 0.5)
    assert certificate.rounds == 0
    certificate.add(Duel(1, 0, 2, p, differ=True), 1)
    twice = Certificate(3)
    twice.add(Duel(1, 0, 2, np.full((2, 3), 1 / 3), differ=True), 1)
    np.testing.assert_allclose(twice.estimates, certificate.estimates, rtol=1e-12)


def test_whoever_differs_by_design_is_not_accused_and_whoever_hides_it_is():
    """2,000 duels of steady(differ=True): no bet is made on them. Unmarked, they are refused."""
    learner = sparring.steady(3, differ=True, seed=1)
    certificate, unmarked, shown = Certificate(3), Certificate(3), []
    for _ in range(2_000):
        duel = learner.ask()
        shown.append((duel, float(duel.row < duel.col)))
        learner.tell(*shown[-1])
        certificate.add(*shown[-1])
    assert certificate.rounds == 2_000 and not certificate.vacuous
    rows, cols, outcomes, p, _ = columns(shown)
    with pytest.raises(CouplingError, match="equal in 0 of"):
        unmarked.add_many(rows, cols, outcomes, p)


def test_it_is_sharper_than_a_log_of_all_rounds_of_redrawing():
    """20,000 visible pairs of one learner, each way: what chance adds to the best arm's bound."""
    P, K = np.full((4, 4), 0.5), 4
    P[0, 1:], P[1:, 0] = 0.8, 0.2
    added = {}
    for differ in (False, True):
        learner, rng = sparring.steady(K, differ=differ, seed=3), np.random.default_rng(3)
        certificate, duels = Certificate(K), []
        for _ in range(20_000):
            duel = learner.ask(distinct=True)
            outcome = float(rng.random() < P[duel.row, duel.col])
            learner.tell(duel, outcome)
            duels += [*((it, 0.5) for it in duel.selves), (duel, outcome)]
        certificate.add_many(*columns(duels))
        added[differ] = (certificate.regret_bounds - certificate.estimates).max()
    assert added[True] < 0.5 * added[False] < math.inf
