"""Snapshots that an earlier release wrote are restored, and lead to the same plays.

`PYTHONPATH=tests/support python tests/learners/test_old_snapshots.py` writes the file for the
present release.
"""

import json

import numpy as np
import pytest

import sparring
from places import TESTS
from sparring.learners import snapshots
from sparring.learners.snapshots import GONE, UNUSED_T

DATA = TESTS / "data"
CASES = {path.stem: json.loads(path.read_text()) for path in sorted(DATA.glob("snapshots-*.json"))}
OPTIONS = {
    "monitored_db": {"change": 1.0, "scale": 0.1},
    "double_thompson": {"forget": "window", "S": 60},
    "rucb": {"forget": "discount", "S": 60},
    "borda_dex3s": {"S": 2},
}
pytestmark = [
    pytest.mark.core,
    pytest.mark.compiled,
]  # with the JIT off, others cross every line of the kernels


def play_on(learner):
    """Fifty rounds that tell what was left open too: the arms, and the p behind them."""
    waiting = list(learner.open.values())
    arms = []
    for t in range(50):
        duel = learner.ask()
        arms.append([duel.row, duel.col])
        learner.tell(duel, t % 3 / 2)
        if t % 8 == 0 and waiting:
            learner.tell(waiting.pop(), 1.0)
    return {"arms": arms, "p": learner.p.tolist()}


# Of oracle_restarts only the name went: it made a learner that the laboratory makes still.
REFUSED = sorted({*GONE} - {"oracle_restarts"})


@pytest.mark.parametrize(
    ("release", "name"),
    [(release, name) for release, cases in CASES.items() for name in cases if name not in REFUSED],
)
def test_an_old_snapshot_goes_on_bit_for_bit(release, name):
    case = CASES[release][name]
    learner = sparring.restore(case["snapshot"])
    assert len(learner.open) == 3
    assert play_on(learner) == case["future"]


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("release", [release for release in CASES if release < "snapshots-0.3"])
def test_a_snapshot_of_a_learner_that_went_names_it_and_what_to_take(release, name):
    with pytest.raises(sparring.SnapshotError, match=rf"is of {name}, which went after 0\.2\.0.*:"):
        sparring.restore(CASES[release][name]["snapshot"])


def test_a_recipe_loses_the_T_that_was_not_used_and_arms_still_come_and_go():
    found = CASES["snapshots-0.2.0"]
    for name in {*UNUSED_T} & {*found}:
        case = found[name]["snapshot"]
        assert case["recipe"] == [name, {"T": 2_000}]
        learner = sparring.restore(case)
        assert learner.snapshot()["recipe"] == [name, {}]
        if name != "btwr":  # whose queue is for K arms
            learner.add()
            assert case["K"] + 1 == learner.K
    rex3 = found["rex3"]["snapshot"]
    assert sparring.restore(rex3).snapshot()["recipe"] == rex3["recipe"] == ["rex3", {"T": 2_000}]


def as_version_1(snapshot):
    return {**snapshot, "version": 1, "digest": snapshots.digest({**snapshot, "version": 1})}


@pytest.mark.parametrize(
    "damage",
    [
        {"kind": "sparring", "options": {}},
        {"kind": "sparring", "options": {"base": {"name": "Exp3"}}, "memory": [1]},
        {"kind": "restarts"},
        {"kind": "restarts", "plan": {}},
        {"kind": "restarts", "plan": 7},
        {"recipe": []},
        {"recipe": [["a"], {}]},
        {"recipe": ["rand", None]},
    ],
    ids=str,
)
def test_a_forged_snapshot_of_version_1_is_refused(damage):
    forged = {**CASES["snapshots-0.2.0"]["rand"]["snapshot"], **damage}
    with pytest.raises(sparring.SnapshotError, match="damaged"):
        sparring.restore(as_version_1(forged))


def test_what_is_no_learner_but_has_the_same_form_is_brought_forward():
    names = ["a", "b", "c"]
    certificate, alarm = sparring.certificates.Certificate(3), sparring.votes.Alarm(names)
    standings = sparring.votes.RunningStandings(names)
    for one, restore in (
        (certificate, certificate.from_snapshot),
        (alarm, alarm.restore),
        (standings, standings.restore),
    ):
        assert restore(as_version_1(one.snapshot())).snapshot() == one.snapshot()


def as_version_0(snapshot):
    """A snapshot in a form that never was: the round has another name."""
    older = {"rounds" if name == "t" else name: part for name, part in snapshot.items()}
    if "inner" in older:
        older["inner"] = as_version_0(older["inner"])
    older["version"] = 0
    return {**older, "digest": snapshots.digest(older)}


@pytest.fixture
def version_0(monkeypatch):
    def forward(older):
        return {"t" if name == "rounds" else name: part for name, part in older.items()}

    monkeypatch.setitem(snapshots.MIGRATIONS, 0, forward)


@pytest.mark.parametrize("name", ["tracker", "steady", "periodic_restarts"])
def test_a_snapshot_of_an_earlier_version_is_brought_forward(name, version_0):
    case = CASES["snapshots-0.1.0"][name]
    learner = sparring.restore(as_version_0(case["snapshot"]))
    assert learner.t == case["snapshot"]["t"]
    assert play_on(learner) == case["future"]


def test_a_damaged_snapshot_of_an_earlier_version_is_refused(version_0):
    older = as_version_0(CASES["snapshots-0.1.0"]["periodic_restarts"]["snapshot"])
    with pytest.raises(sparring.SnapshotError, match="changed after it was taken"):
        sparring.restore({**older, "rounds": 10**6})


def test_a_version_that_nothing_brings_forward_is_refused():
    older = as_version_0(CASES["snapshots-0.1.0"]["tracker"]["snapshot"])
    with pytest.raises(sparring.SnapshotError, match="has version 0, and this release"):
        sparring.restore(older)


def write():
    """One snapshot of every learner, and where it leads to."""
    cases = {}
    for name in sparring.LEARNERS:
        learner = sparring.LEARNERS[name](
            **{"K": 3, "T": 2_000, "seed": 5, **OPTIONS.get(name, {})}
        )
        coins = np.random.default_rng(7).random(300)
        for coin in coins:
            duel = learner.ask()
            learner.tell(duel, float(coin < 0.5 + 0.2 * np.sign(duel.col - duel.row)))
        learner.ask()
        learner.tell(learner.ask(), 1.0)
        learner.ask()
        learner.ask()
        snapshot = json.loads(json.dumps(learner.snapshot()))
        cases[name] = {"snapshot": snapshot, "future": play_on(learner)}
    path = DATA / f"snapshots-{sparring.__version__}.json"
    text = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(case, separators=(',', ':'))}"
        for name, case in cases.items()
    )
    path.write_text(f"{{\n{text}\n}}\n")


if __name__ == "__main__":
    write()
