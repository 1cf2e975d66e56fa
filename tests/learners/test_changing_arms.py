"""Arms that come and go: the learner goes on as one made for these arms that has this state."""

import json

import numpy as np
import pytest

import sparring
from learner_factories import SIZES
from sparring.learners import Counting, ExponentialWeights, snapshots
from sparring.tunings import TsallisINF

WEIGHTS = [
    "rand",
    "rex3",
    "dex3p",
    "dex3s",
    "borda_dex3s",
    "sym_exp3s",
    "d_exp3",
    "steady",
    "sturdy",
]
COUNTS = ["rucb", "rmed1", "double_thompson"]
PLAYERS = ["sparring_exp3", "sparring_exp3ix", "sparring_exp3six", "sym_exp3six", "versatile_db"]
RATERS = ["elo", "glicko2", "trueskill", "bradley_terry"]
ABLE = ["tracker", "seasoned", *WEIGHTS, *COUNTS, *PLAYERS, *RATERS]
FIXED = sorted(set(sparring.LEARNERS) - set(ABLE))


def make(name, **changed):
    name, *differ = name.split(", ")
    options = dict.fromkeys(differ, True)
    return sparring.LEARNERS[name](**{**SIZES[name], **options, **changed}, seed=5)


def live(learner, rounds, best, seed=1):
    """Duels in which `best` beats each other arm with chance 0.8."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        duel = learner.ask()
        chance = 0.5 + 0.3 * ((duel.row == best) - (duel.col == best))
        learner.tell(duel, float(rng.random() < chance))


def changed(snapshot, fields):
    """A snapshot with other fields, as if it had been taken so."""
    found = {**snapshot, **fields}
    return {**found, "digest": snapshots.digest(found)}


def same(one, other):
    """Whether two learners are in the same state, to rounding: whoever asked them."""
    first, second = one.snapshot(), other.snapshot()
    for name in ("id", "digest"):
        del first[name], second[name]
    return _close(first, second)


def _close(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_close(a[name], b[name]) for name in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(_close, a, b))
    if isinstance(a, float):
        return a == pytest.approx(b, rel=1e-12, abs=1e-300)
    return a == b


@pytest.mark.parametrize("name", [*WEIGHTS, "steady, differ", "sym_exp3s, differ"])
@pytest.mark.parametrize("change", ["add", "withdraw"])
def test_weights_go_on_as_a_learner_made_so(name, change):
    learner = make(name)
    live(learner, 400, best=1)
    before = learner.snapshot()
    weights = np.array(before["weights"])
    if change == "add":
        learner.add(boost=2.0)
        mean = weights.mean(axis=1, keepdims=True)
        weights = np.append(weights, 2 * mean, axis=1)
    else:
        learner.withdraw(1)
        weights = np.delete(weights, 1, axis=1)
    # The twin is made by name for so many arms, and its state is written into its snapshot.
    fresh = make(name, K=weights.shape[1])
    scale = np.array(learner.snapshot()["weights"])[:, :1] / weights[:, :1]
    assert np.log2(scale) == pytest.approx(np.rint(np.log2(scale)))  # a power of two: the same law
    state = {
        "t": 400,
        "generator": before["generator"],
        "weights": (weights * scale).tolist(),
    }
    twin = sparring.restore(changed(fresh.snapshot(), state))
    assert learner.tuning == fresh.tuning
    assert same(learner, twin)
    for one in (learner, twin):
        live(one, 300, best=0, seed=2)
    assert same(learner, twin)


@pytest.mark.parametrize("change", ["add", "withdraw"])
def test_tracker_goes_on_as_a_learner_made_so(change):
    learner = sparring.tracker(4, seed=5)
    live(learner, 1500, best=1)
    before = learner.snapshot()
    m = {name: np.array(part) for name, part in before["memory"].items() if name != "words"}
    m["words"] = before["memory"]["words"]
    newest = m["counter"][0] - 1
    if change == "add":
        learner.add()
        m["W"] = np.pad(m["W"], ((0, 0), (0, 1), (0, 1)))
        m["A"] = np.pad(m["A"], ((0, 1), (0, 0)))
        m["A"][4, newest] = 1.0
        for name in ("median", "drawn"):
            m[name] = np.append(m[name], newest)
        m["phase"] = np.append(m["phase"], sparring.tracker(5).snapshot()["memory"]["phase"][4])
        m["y"] = np.append(m["y"], 1e-60)
    else:
        learner.withdraw(0)
        m["W"] = np.delete(np.delete(m["W"], 0, axis=1), 0, axis=2)
        for name in ("A", "median", "drawn", "phase", "y"):
            m[name] = np.delete(m[name], 0, axis=0)
        m["y"] = m["y"] / m["y"].sum()
        assert m["counter"][2] > 0  # the latest row arm was another
        m["counter"][2] -= 1
        if 0 in m["suspicion"][1:3]:
            m["suspicion"][1:] = (-1, -1, 0, 0)
            m["odds"] = np.zeros(3)
        else:
            m["suspicion"][1:3] -= m["suspicion"][1:3] > 0
    K = 5 if change == "add" else 3
    scratch = {"rivals": np.zeros(K, int), "z": np.zeros(K + 1)}
    memory = {name: np.array(part).tolist() for name, part in {**m, **scratch}.items()}
    fresh = sparring.tracker(K, seed=5).snapshot()
    twin = sparring.restore(changed(fresh, {"t": 1500, "memory": memory}))
    for one in (learner, twin):
        live(one, 500, best=2, seed=3)
    assert same(learner, twin)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_stay_and_a_newcomer_has_none(name):
    learner = make(name)
    live(learner, 600, best=3)
    wins = learner.wins
    learner.add()
    assert np.array_equal(learner.wins[:5, :5], wins)
    assert not learner.wins[5].any()
    assert not learner.wins[:, 5].any()
    learner.withdraw(0)
    assert np.array_equal(learner.wins[:4, :4], wins[1:, 1:])
    assert learner.favourite == 2


@pytest.mark.parametrize("forget", ["window", "discount"])
@pytest.mark.parametrize("name", COUNTS)
def test_counts_forget_on_after_a_change(name, forget):
    rule = {"double_thompson": "thompson"}.get(name, name)
    options = {"window": 400} if forget == "window" else {"discount": 0.997}
    learner = Counting(4, rule=rule, **options, seed=5)
    live(learner, 900, best=3)
    learner.withdraw(1)
    learner.add()
    live(learner, 2_000, best=3, seed=4)
    assert learner.wins.sum() <= 401
    assert learner.favourite == 3
    assert same(sparring.restore(learner.snapshot()), learner)


@pytest.mark.parametrize("name", PLAYERS)
def test_players_keep_the_odds_of_their_arms(name):
    learner = make(name)
    live(learner, 400, best=1)
    before = learner.p
    learner.add()
    after = learner.p
    mean = before.mean(axis=1)
    mixing = 0.99 if isinstance(learner.base, TsallisINF) else 1e-9
    if not isinstance(learner.base, TsallisINF):  # whose distribution is no ratio of weights
        odds = (before[:, :1] - before[:, 1:]) / before.sum(axis=1, keepdims=True)
        assert (after[:, :1] - after[:, 1:5]) / (after[:, :5].sum(axis=1, keepdims=True)) == (
            pytest.approx(odds, rel=0.05, abs=1e-3)
        )
    assert after[:, 5] == pytest.approx(mean * 5 / 6, rel=max(mixing, 0.05))
    assert after.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("name", ABLE)
def test_open_duels_are_told_on_their_own_arms(name):
    """Also those asked before arms changed: by the token of then, once, and none of an arm gone."""
    learner = make(name).named([f"arm {n}" for n in range(5)])
    live(learner, 300, best=1)
    tokens = [learner.ask() for _ in range(40)]
    learner.add("new")
    learner.withdraw("arm 2")
    learner = sparring.restore(json.loads(json.dumps(learner.snapshot())))
    for duel in tokens:
        kept = "arm 2" not in duel.names
        assert (duel.t in learner.open) == kept
        if kept:
            assert learner.open[duel.t].names == duel.names
            learner.tell(duel, duel.names[0])
        with pytest.raises(sparring.DuelError, match="told or forgotten"):
            learner.tell(duel, duel.names[0])
    assert learner.arms == ("arm 0", "arm 1", "arm 3", "arm 4", "new")


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["tracker", "steady", "sym_exp3s", "sparring_exp3six"])
def test_a_newcomer_that_is_best_is_found_and_one_withdrawn_never_shown(name):
    learner = make(name)
    live(learner, 1_000, best=1)
    learner.add()
    learner.withdraw(1)
    live(learner, 6_000, best=4, seed=2)
    assert learner.favourite == 4
    shown = {arm for duel in (learner.ask() for _ in range(500)) for arm in (duel.row, duel.col)}
    assert shown <= set(range(5))


@pytest.mark.parametrize("name", FIXED)
def test_others_refuse(name):
    learner = make(name)
    before = learner.snapshot()
    with pytest.raises(ValueError, match=r"the arms of a \w+ cannot change: begin a new learner"):
        learner.add()
    assert learner.snapshot() == before


def test_numbers_given_by_hand_stay():
    tuning = sparring.Tuning(0.05, 0.2)
    learner = ExponentialWeights(3, tuning, seed=1)
    learner.add()
    assert (learner.K, learner.tuning) == (4, tuning)


def test_what_depends_on_arms_is_found_again_after_a_restart():
    learner = sparring.restore(sparring.steady(3, seed=1).snapshot())
    learner.add()
    assert learner.tuning == sparring.steady(4).tuning


def test_a_giant_can_go():
    """Also if all others sleep, far below what a double can hold beside it."""
    learner = sparring.dex3p(17, tuning=sparring.Tuning(5.0, 0.5), seed=1)
    for _ in range(3_000):
        duel = learner.ask()
        learner.tell(duel, 0.5 + 0.5 * ((duel.row == 3) - (duel.col == 3)))
    assert learner._memory.asleep.any()
    learner.withdraw(3)
    assert learner.p.sum(axis=1) == pytest.approx(1.0)
    live(learner, 500, best=0)
    sparring.restore(learner.snapshot())


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda it: it.withdraw(5), "at most 4"),
        (lambda it: it.withdraw(-1), "at least 0"),
        (lambda it: it.withdraw("x"), "one of"),
        (lambda it: it.add("x"), r"named\(\) gives names"),
        (lambda it: it.add(boost=0), "boost"),
        (lambda it: it.named(["a"]), "5 names"),
        (lambda it: it.named("abcde"), "a list of names"),
        (lambda it: it.named(["a", "b", "c", "d", "a"]), "differ"),
        (lambda it: it.named(["a", "b", "c", "d", "tie"]), "answer"),
        (lambda it: it.named(["a", "b", "c", "d", 7]), "text"),
        (lambda it: it.tell(it.ask(), "a"), r"named\(\) gives names"),
    ],
)
def test_bad_input(call, match):
    with pytest.raises(ValueError, match=match):
        call(make("steady"))


def test_two_arms_stay():
    with pytest.raises(ValueError, match="A duel needs two"):
        make("steady", K=2).withdraw(0)


def test_names_are_told():
    learner = make("tracker", K=3).named(["a", "b", "c"])
    for _ in range(300):
        duel = learner.ask()
        learner.tell(duel, "b" if "b" in duel.names else "tie")
    assert learner.arms[learner.favourite] == "b"
    copied = sparring.Duel.from_json(json.loads(json.dumps(learner.ask().to_json())))
    learner.tell(copied, copied.names[1])
    with pytest.raises(ValueError, match="one of"):
        learner.tell(learner.ask(), "z")


def test_names_in_another_order_after_a_restart_change_nothing():
    learner = make("tracker", K=3).named(["a", "b", "c"])
    for _ in range(300):
        duel = learner.ask()
        learner.tell(duel, "b" if "b" in duel.names else "tie")
    again = sparring.restore(json.loads(json.dumps(learner.snapshot()))).named(["c", "a", "b"])
    assert again.arms == ("a", "b", "c") and again.arms[again.favourite] == "b"
    for others in (["a", "b", "d"], ["a", "b"]):
        with pytest.raises(ValueError, match=r"those it has, \['a', 'b', 'c'\].*withdraw\(\)"):
            again.named(others)
    assert again.snapshot() == learner.snapshot()


@pytest.mark.parametrize("name", ["steady", "tracker", "double_thompson"])
def test_an_arm_that_comes_while_a_snapshot_is_written_is_in_it_or_not(name, monkeypatch):
    """Writing takes long and holds no lock: here another thread's call comes in its middle."""
    learner = sparring.LEARNERS[name](3, seed=1)
    learner.ask()
    write, came = learner._saved, []

    def interrupted(*parts):
        if not came:
            came.append(learner.add())
        return write(*parts)

    monkeypatch.setattr(learner, "_saved", interrupted)
    again = sparring.restore(learner.snapshot())
    assert came and again.K == learner.K == 4
    assert again.ask() == learner.ask()
