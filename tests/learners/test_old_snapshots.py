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

DATA = TESTS / "data"
CASES = {path.stem: json.loads(path.read_text()) for path in sorted(DATA.glob("snapshots-*.json"))}
OPTIONS = {
    "bandit_over_bandit": {"K": 2},
    "monitored_db": {"change": 1.0, "scale": 0.1},
    "oracle_restarts": {"changes": (40, 150, 250)},
    "doubling": {"first": 100},
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


@pytest.mark.parametrize(
    ("release", "name"), [(release, name) for release, cases in CASES.items() for name in cases]
)
def test_an_old_snapshot_goes_on_bit_for_bit(release, name):
    case = CASES[release][name]
    learner = sparring.restore(case["snapshot"])
    assert len(learner.open) == 3
    assert play_on(learner) == case["future"]


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


@pytest.mark.parametrize("name", ["tracker", "steady", "doubling"])
def test_a_snapshot_of_an_earlier_version_is_brought_forward(name, version_0):
    case = CASES["snapshots-0.1.0"][name]
    learner = sparring.restore(as_version_0(case["snapshot"]))
    assert learner.t == case["snapshot"]["t"]
    assert play_on(learner) == case["future"]


def test_a_damaged_snapshot_of_an_earlier_version_is_refused(version_0):
    older = as_version_0(CASES["snapshots-0.1.0"]["doubling"]["snapshot"])
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
