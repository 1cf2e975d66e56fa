"""Snapshots: exact, versioned, JSON, any generator, and damage noticed."""

import copy
import json
import pickle
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparring
from learner_factories import ALL
from sparring.learners import snapshots
from sparring.learners.snapshots import digest, in_pieces

pytestmark = [
    pytest.mark.core,
    pytest.mark.compiled,
]  # with the JIT off, others cross every line of the kernels


def trained(seed=3, make=lambda seed: sparring.dex3s(4, 5_000, S=3, seed=seed)):
    learner = make(seed)
    for t in range(200):
        learner.tell(learner.ask(), t % 3 / 2)
    learner.ask()
    learner.ask()
    return learner


def assert_same_future(learner, again):
    assert repr(again) == repr(learner)
    for t in range(100):
        duel, other = learner.ask(), again.ask()
        assert duel[:3] == other[:3]
        np.testing.assert_array_equal(duel.p, other.p)
        learner.tell(duel, t % 2)
        again.tell(other, t % 2)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "through",
    [
        lambda learner: sparring.restore(json.loads(json.dumps(learner.snapshot()))),
        lambda learner: pickle.loads(pickle.dumps(learner)),
        copy.deepcopy,
        copy.copy,
    ],
    ids=["json", "pickle", "deepcopy", "copy"],
)
def test_a_restored_learner_goes_on_bit_for_bit(name, through):
    learner = trained(make=ALL[name])
    assert_same_future(learner, through(learner))


@pytest.mark.compiled
def test_restoring_in_the_middle_of_blocks_changes_nothing(rng):
    """play, snapshot, play = play, with sleepers and without."""
    P = np.array([[0.5, 1.0, 0.9], [0.0, 0.5, 0.7], [0.1, 0.3, 0.5]])[None]
    for tuning in (sparring.Tuning(0.05, 0.2), sparring.Tuning(0.01, 0.1, 0.01, 1e-4)):
        coins = rng.random(50_000)
        straight = sparring.dex3s(3, tuning=tuning, seed=9)
        broken = sparring.dex3s(3, tuning=tuning, seed=9)
        straight.play(sparring.Block(P, np.array([50_000])), coins)
        for part in np.array_split(coins, 7):
            broken.play(sparring.Block(P, np.array([len(part)])), part)
            broken = sparring.restore(json.loads(json.dumps(broken.snapshot())))
        np.testing.assert_array_equal(straight.p, broken.p)


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_every_numpy_generator_can_be_saved(kind):
    rng = np.random.Generator(getattr(np.random, kind)(11))
    rng.integers(7, dtype=np.uint32)  # leaves half a word waiting in some of them
    learner = trained(seed=rng)
    assert_same_future(learner, sparring.restore(json.loads(json.dumps(learner.snapshot()))))


@pytest.mark.parametrize(
    "seed",
    [
        7,
        2**127 + 1,
        np.random.SeedSequence(5, spawn_key=(2, 3)),
        np.random.SeedSequence([1, 2], pool_size=8),
    ],
)
def test_the_seed_survives_and_repeats_the_run(seed):
    learner = sparring.restore(trained(seed=seed).snapshot())
    again = sparring.dex3s(4, 5_000, S=3, seed=learner.seed)
    fresh = sparring.dex3s(4, 5_000, S=3, seed=seed)
    assert [again.ask()[:3] for _ in range(20)] == [fresh.ask()[:3] for _ in range(20)]


def test_a_generator_without_a_seed_sequence_can_be_saved():
    legacy = np.random.MT19937()
    legacy._legacy_seeding(5)
    learner = trained(seed=np.random.Generator(legacy))
    again = sparring.restore(json.loads(json.dumps(learner.snapshot())))
    assert again.seed is None
    assert_same_future(learner, again)


def test_after_restoring_a_duel_told_before_is_still_known_as_told():
    learner = sparring.dex3s(4, 5_000, S=3, seed=3)
    duel = learner.ask()
    learner.tell(duel, 1.0)
    with pytest.raises(
        sparring.DuelError, match="round 1 is not open: it was already told or forgotten"
    ):
        sparring.restore(learner.snapshot()).tell(duel, 1.0)


def test_the_seed_is_known_also_if_none_was_given():
    learner = sparring.dex3p(5, 10_000)
    again = sparring.dex3p(5, 10_000, seed=learner.seed)
    assert [learner.ask()[:3] for _ in range(20)] == [again.ask()[:3] for _ in range(20)]


def test_numbers_that_another_json_writer_shortened_are_the_same_numbers():
    """JavaScript writes 1.0 as 1."""
    learner = sparring.dex3s(4, 5_000, S=3, seed=3)
    text = json.dumps(learner.snapshot()).replace("1.0", "1")
    assert_same_future(learner, sparring.restore(json.loads(text)))


DAMAGE = {
    "no dictionary": lambda s: [s],
    "empty": lambda s: {},
    "other format": lambda s: {**s, "format": "else"},
    "newer version": lambda s: {**s, "version": 3},
    "no version": lambda s: {k: v for k, v in s.items() if k != "version"},
    "unknown kind": lambda s: {**s, "kind": "oracle"},
    "kind of a number": lambda s: {**s, "kind": 1},
    "extra field": lambda s: {**s, "colour": "red"},
    "K too small": lambda s: {**s, "K": 1},
    "K off by one": lambda s: {**s, "K": 5},
    "negative t": lambda s: {**s, "t": -1},
    "t changed": lambda s: {**s, "t": s["t"] + 1},
    "unknown estimate": lambda s: {**s, "estimate": "guess"},
    "other estimate": lambda s: {**s, "estimate": "borda"},
    "tuning out of range": lambda s: {**s, "tuning": {**s["tuning"], "gamma": 2}},
    "tuning too steep": lambda s: {**s, "tuning": {**s["tuning"], "eta": 1e9}},
    "tuning changed": lambda s: {**s, "tuning": {**s["tuning"], "gamma": 0.25}},
    "tuning lacks eta": lambda s: {**s, "tuning": {"gamma": 0.2}},
    "NaN weight": lambda s: {**s, "weights": [[float("nan")] * 4] * 2},
    "weights of one player": lambda s: {**s, "weights": s["weights"][:1]},
    "text weight": lambda s: {**s, "weights": [["1"] * 4] * 2},
    "a last digit": lambda s: {**s, "weights": np.nextafter(s["weights"], 9).tolist()},
    "ragged weights": lambda s: {**s, "weights": [s["weights"][0], [1.0]]},
    "depth of a half": lambda s: {**s, "depths": [[0.5] * 4] * 2},
    "generator unknown": lambda s: {**s, "generator": {**s["generator"], "kind": "RANDU"}},
    "generator emptied": lambda s: {**s, "generator": {**s["generator"], "state": {}}},
    "generator moved": lambda s: {
        **s,
        "generator": {
            **s["generator"],
            "state": {**s["generator"]["state"], "state": {"state": "0x1", "inc": "0x1"}},
        },
    },
    "open duel of a later round": lambda s: {**s, "open": [[999, 0, 1, 0]]},
    "open duel of no such arm": lambda s: {**s, "open": [[1, 4, 1, 0]]},
    "open duel without distribution": lambda s: {**s, "open": [[1, 0, 1, 5]]},
    "open duel dropped": lambda s: {**s, "open": s["open"][:1]},
    "open duel of three numbers": lambda s: {**s, "open": [[1, 0, 1]]},
    "distribution changed": lambda s: {**s, "distributions": [[[0.25] * 4] * 2]},
    "id changed": lambda s: {**s, "id": "0" * 16},
    "digest changed": lambda s: {**s, "digest": "0" * 64},
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_noticed(damage):
    saved = json.loads(json.dumps(trained().snapshot()))
    sparring.restore(saved)
    with pytest.raises(sparring.SnapshotError, match="snapshot"):
        sparring.restore(DAMAGE[damage](saved))


@pytest.mark.parametrize("field", sorted(trained().snapshot().keys() - {"release"}))
@pytest.mark.parametrize("value", [None, [], {}, -1, "x", ...], ids=str)
def test_every_field_missing_or_replaced_is_noticed(field, value):
    saved = trained().snapshot()
    damaged = {name: part for name, part in saved.items() if name != field}
    if value is not ...:
        damaged[field] = value
    with pytest.raises(sparring.SnapshotError) as error:
        sparring.restore(damaged)
    if value is ... and field != "format":
        # Without a recipe it is a whole snapshot of another learner: only the digest tells.
        assert f"{field!r}" in str(error.value) or field in ("version", "kind", "recipe")


def reseal(snapshot):
    """With a digest that fits: damage by somebody who knows how."""
    return {**snapshot, "digest": digest(snapshot)}


@pytest.mark.parametrize(
    "change",
    [
        {"weights": [[0.0] * 4] * 2},
        {"weights": [[-1.0] * 4] * 2},
        {"weights": [[1.7e308] * 4] * 2},
        {"weights": [[5e-324] * 4] * 2},
        {"weights": [[1e-100] * 4] * 2},
        {"depths": [[2**62] * 4] * 2},
        {"depths": [[1] * 4] * 2},
        {"depths": [[-5] * 4] * 2},
        {"distributions": [[[0.0] * 4] * 2]},
        {"distributions": [[[5e-324] * 4] * 2]},
        {"open": [[1, 9, 0, 0]]},
        {"K": 2**31},
        {"K": 150_000_000},
        {"seed": {"entropy": "0x1", "spawn_key": [], "pool_size": "0x4000000"}},
    ],
    ids=str,
)
def test_impossible_values_are_refused_even_with_a_digest_that_fits(change):
    """They would hang a kernel, spoil the weights or fill the memory."""
    saved = trained().snapshot()
    sparring.restore(reseal(saved))
    with pytest.raises(sparring.SnapshotError, match=f"field '{next(iter(change))}' is damaged"):
        sparring.restore(reseal({**saved, **change}))


def test_a_generator_that_would_read_beyond_its_memory_is_refused():
    saved = trained(seed=np.random.Generator(np.random.MT19937(1))).snapshot()
    saved["generator"]["state"]["state"]["pos"] = "0x7fffffff"
    with pytest.raises(sparring.SnapshotError, match="pos must be from 0 to 624"):
        sparring.restore(reseal(saved))


def test_nesting_without_end_is_refused():
    nested = []
    for _ in range(900):
        nested = [nested]
    saved = trained().snapshot()
    saved["seed"]["entropy"] = nested
    with pytest.raises(sparring.SnapshotError):
        sparring.restore(saved)


def test_whole_numbers_beyond_64_bits_are_weights_too():
    """JavaScript writes doubles below 1e21 without a point."""
    learner = sparring.dex3p(4, tuning=sparring.Tuning(0.05, 0.2), seed=1)
    while not 2**64 < np.max(learner.snapshot()["weights"]) < 1e21:
        learner.tell(learner.ask(), 1.0)
    saved = learner.snapshot()
    saved["weights"] = [[int(w) if w > 2**53 else w for w in row] for row in saved["weights"]]
    assert_same_future(learner, sparring.restore(json.loads(json.dumps(saved))))


def test_a_newer_version_says_what_to_do():
    with pytest.raises(
        sparring.SnapshotError,
        match=r"version 3, .*reads version 2: .* that wrote it, '0",
    ):
        sparring.restore({**trained().snapshot(), "version": 3})


def test_another_release_of_the_same_version_is_read():
    learner = trained()
    assert_same_future(learner, sparring.restore({**learner.snapshot(), "release": "0.0.9"}))


def test_damage_elsewhere_is_mentioned():
    """With t set back, the open duels do not fit: the message says that a field changed."""
    with pytest.raises(sparring.SnapshotError, match="some field was changed after"):
        sparring.restore({**trained().snapshot(), "t": 3})


def test_a_foreign_bit_generator_is_refused_when_saving():
    class Home(np.random.PCG64):
        pass

    learner = sparring.rand(3, seed=np.random.Generator(Home(1)))
    with pytest.raises(ValueError, match="generator's kind must be one of"):
        learner.snapshot()


@pytest.mark.parametrize("name", ALL)
def test_a_damaged_number_of_arms_is_refused_before_it_takes_memory(name):
    """2^30 arms of the learners that keep distributions would take gigabytes."""
    saved = {**ALL[name](3).snapshot(), "K": 2**30}
    with pytest.raises(sparring.SnapshotError, match=r"'(K|inner)' is damaged: it does not fit"):
        sparring.restore({**saved, "digest": digest(saved)})


SMALL = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
JSON = st.recursive(
    SMALL, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(JSON, st.integers(0, 3))
def test_pieces_are_the_text_of_the_whole(value, size):
    with mock.patch.object(snapshots, "PIECE", size + 1):
        assert "".join(in_pieces(value)) == json.dumps(value, sort_keys=True)


def test_a_long_text_comes_in_short_pieces():
    value = {"duels": [[n, 1, 2] for n in range(10_000)], "names": {f"{n}": n for n in range(9999)}}
    pieces = list(in_pieces(value))
    assert max(map(len, pieces)) < 10_000
    assert "".join(pieces) == json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("name", ALL)
def test_a_snapshot_can_be_made_later(name):
    learner = trained(make=ALL[name])
    now, later = learner.snapshot(), learner.snapshot_later()
    for t in range(30):
        learner.tell(learner.ask(), t % 2)
    learner.ask()
    assert later() == now
