"""Votes from duels: chances against enumeration of all draws, files, refusals."""

import itertools
import json

import numpy as np
import pytest

import sparring
from learner_factories import ALL, coupled
from sparring.certificates import CouplingError, LogError
from sparring.problem import Duel
from sparring.votes import examine, from_duels, shown_shares


def pair_law(p, q):
    """The law of the unordered pair, given that the arms differ, by going through all draws."""
    law = {}
    for (i, x), (j, y) in itertools.product(enumerate(p), enumerate(q)):
        if i != j:
            pair = frozenset((i, j))
            law[pair] = law.get(pair, 0) + x * y
    total = sum(law.values())
    return {pair: chance / total for pair, chance in law.items()}


@pytest.mark.parametrize("players", [1, 2])
def test_chances_are_the_law_of_pairs(players, rng):
    for K in (2, 3, 4):
        p = rng.dirichlet(np.ones(K) / 2, players)
        law = pair_law(p[0], p[-1])
        for i, j in itertools.permutations(range(K), 2):
            for differ in {False, players == 1}:
                duel = Duel(1, i, j, p, differ=differ)
                votes = from_duels([(duel, 1.0)])
                assert votes.chance[0] == pytest.approx(law[frozenset((i, j))], rel=1e-9)


def test_differing_arms_by_the_formula_of_duel():
    p = np.array([0.7, 0.2, 0.1])
    D = (p * (1 - p)).sum()
    votes = from_duels([(Duel(1, 2, 0, p[None], differ=True), 0.0)])
    assert votes.chance[0] == pytest.approx(2 * p[2] * p[0] / D, rel=1e-12)


def test_an_arm_that_has_nearly_everything():
    """1 - p would lose all digits; the chance is of the other two against it, 3 to 1."""
    least = 1e-12  # what a log is refused below
    p = np.array([[1 - 4 * least, 3 * least, least]])
    votes = from_duels([(Duel(1, 0, 1, p), 1.0), (Duel(2, 0, 2, p), 1.0)])
    assert votes.chance == pytest.approx([0.75, 0.25], rel=1e-6)


def test_shares_of_arms_shown(rng):
    for players in (1, 2):
        p = rng.dirichlet(np.ones(4), players)
        law = pair_law(p[0], p[-1])
        found = shown_shares([(Duel(1, 0, 1, p), 1.0)])[0]
        for arm in range(4):
            share = sum(chance for pair, chance in law.items() if arm in pair) / 2
            assert found[arm] == pytest.approx(share, rel=1e-9)


def test_duels_of_an_arm_with_itself_are_left_out_and_names_kept():
    p = np.full((1, 3), 1 / 3)
    duels = [
        (Duel(1, 0, 0, p, names=("tea", "tea")), 0.5),
        (Duel(2, 0, 2, p, names=("tea", "milk")), 1.0),
    ]
    votes = from_duels(duels)
    assert len(votes) == 1
    assert votes.names == ("tea", "1", "milk")
    assert from_duels(duels, names=("a", "b", "c")).names == ("a", "b", "c")
    with pytest.raises(ValueError, match="3 names"):
        from_duels(duels, names=("a", "b"))


@pytest.mark.parametrize("name", list(ALL))
def test_every_learner_that_has_probabilities_can_be_logged(name):
    learner = ALL[name](1)
    is_coupled = coupled(learner)
    duels = []
    for _ in range(50):
        duel = learner.ask()
        learner.tell(duel, 0.5)
        duels.append((duel, 0.5))
    if is_coupled:
        with pytest.raises(CouplingError):
            from_duels(duels)
        return
    votes = from_duels(duels)
    assert len(votes) == sum(duel.row != duel.col for duel, _ in duels)
    assert votes.K == learner.K


def test_the_three_kinds_of_files_agree(tmp_path):
    learner = sparring.steady(3, differ=True, seed=1)
    mixed = sparring.dex3p(3, T=1000, seed=2)
    for one, stem in ((learner, "apart"), (mixed, "two")):
        duels = []
        for t in range(200):
            duel = one.ask()
            outcome = 0.5 if duel.row == duel.col else float(t % 3 == 0)
            one.tell(duel, outcome)
            duels.append((duel, outcome))
        lines = tmp_path / f"{stem}.jsonl"
        text = (json.dumps({**duel.to_json(), "outcome": o}) for duel, o in duels)
        lines.write_text("\n".join(text) + "\n")
        import polars

        table = polars.read_ndjson(lines)
        table.write_parquet(tmp_path / f"{stem}.parquet")
        flat = {f"p_row_{k}": [duel.p[0, k] for duel, _ in duels] for k in range(3)}
        if len(duels[0][0].p) == 2:
            flat |= {f"p_col_{k}": [duel.p[1, k] for duel, _ in duels] for k in range(3)}
        else:
            flat = {f"p_{k}": [duel.p[0, k] for duel, _ in duels] for k in range(3)}
        arms = {
            "row": [duel.row for duel, _ in duels],
            "col": [duel.col for duel, _ in duels],
            "outcome": [o for _, o in duels],
            "differ": [duel.differ for duel, _ in duels],
        }
        polars.DataFrame({**arms, **flat}).write_csv(tmp_path / f"{stem}.csv")
        memory = from_duels(duels)
        for suffix in ("jsonl", "parquet", "csv"):
            read = from_duels(tmp_path / f"{stem}.{suffix}")
            assert read.first.tolist() == memory.first.tolist()
            assert read.outcome.tolist() == memory.outcome.tolist()
            assert read.chance == pytest.approx(memory.chance, rel=1e-12)


def test_what_is_impossible_is_refused_with_its_row(tmp_path):
    path = tmp_path / "bad.jsonl"
    good = {"row": 0, "col": 1, "outcome": 1, "p": [[0.5, 0.5]]}
    path.write_text("\n".join(json.dumps(line) for line in (good, {**good, "p": [[0.9, 0.2]]})))
    with pytest.raises(LogError, match="row 2"):
        from_duels(path)
    with pytest.raises(LogError, match="no duels"):
        from_duels([])
    with pytest.raises(ValueError, match=r"sparring\.Duel"):
        from_duels([("a", 1.0)])


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_file_of_named_duels_has_their_names(tmp_path, suffix):
    polars = pytest.importorskip("polars", reason="logs are read with polars")
    learner = sparring.steady(K=3, seed=1).named(["plain", "terse\x1b[31m", "<b>"])
    rows = []
    for _ in range(200):
        duel = learner.ask()
        outcome = None if duel.t % 10 == 0 else 1.0
        learner.tell(duel, 0.5 if duel.row == duel.col else 1.0)
        rows.append({**duel.to_json(), "outcome": outcome})
    path = tmp_path / f"duels.{suffix}"
    table = polars.DataFrame(rows, infer_schema_length=None)
    table.write_parquet(path) if suffix == "parquet" else table.write_ndjson(path)
    found = examine(path)
    assert found.votes.names == ("plain", "terse\u241b[31m", "<b>")
    assert (found.rows, found.silent) == (200, 20)
    selves = sum(row["row"] == row["col"] and row["outcome"] is not None for row in rows)
    assert (found.selves, len(found.votes)) == (selves, 180 - selves)
    assert found.notes()[0] == "20 rows without an answer are left out"


def test_a_column_of_other_names_is_none_of_ours(tmp_path):
    pytest.importorskip("polars", reason="logs are read with polars")
    path = tmp_path / "duels.jsonl"
    line = {"row": 0, "col": 1, "outcome": 1.0, "p": [[0.5, 0.5]]}
    for names in ("somebody", ["a"], [None, "b"], None):
        path.write_text(json.dumps({**line, "names": names}) + "\n")
        assert from_duels(path).names in {("0", "1"), ("0", "b")}
