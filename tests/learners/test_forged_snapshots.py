"""Snapshots that somebody forged are refused at once: no memory, no minutes, no long message."""

import json
import time
import tracemalloc

import numpy as np
import pytest

import sparring
from sparring.learners.snapshots import digest

# With the JIT off, others cross every line of the kernels.
pytestmark = [pytest.mark.oldest, pytest.mark.compiled]

FEW = 20_000_000  # bytes
SOON = 10.0  # seconds of processor time: more than ten times what it takes


def sealed(snapshot):
    """With a digest that fits."""
    return {**snapshot, "digest": digest(snapshot)}


def options_of(learner, **changed):
    saved = learner.snapshot()
    return sealed({**saved, "options": {**saved["options"], **changed}})


def planned_for(every):
    saved = sparring.learners.periodic_restarts(
        2, every=9, learner="double_thompson", forget="window", seed=1
    ).snapshot()
    return sealed({**saved, "plan": {**saved["plan"], "every": every}})


def other_seed(entropy):
    saved = sparring.dex3p(3, 1_000, seed=1).snapshot()
    return sealed({**saved, "seed": {**saved["seed"], "entropy": entropy}})


FORGED = {
    "a window": lambda: options_of(
        sparring.learners.Counting(2, rule="rucb", window=9, seed=1), window=10**8
    ),
    "windows of pairs": lambda: options_of(
        sparring.learners.Monitored(2, base="rucb", window=8, threshold=1.0, gamma=0.5, seed=1),
        window=10**8,
    ),
    "a window of the learner inside": lambda: planned_for(10**13),
    "many arms": lambda: sealed({**sparring.tracker(44, seed=1).snapshot(), "K": 2_000}),
    "a seed of a million digits": lambda: other_seed("0x" + "f" * 10**6),
    "a seed of many words": lambda: other_seed(["0xffffffff"] * 300_000),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_forged_size_costs_neither_memory_nor_time(forgery):
    saved = FORGED[forgery]()
    tracemalloc.start()
    begun = time.process_time()
    with pytest.raises(sparring.SnapshotError, match="is damaged") as refused:
        sparring.restore(saved)
    spent, (_, peak) = time.process_time() - begun, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(str(refused.value)) < 1_000 and spent < SOON
    assert peak < FEW + 10 * len(json.dumps(saved))


@pytest.mark.parametrize("field", ["kind", "version", "release", "id", "options", "format"])
def test_no_message_is_as_long_as_what_it_is_about(field):
    learner = sparring.learners.btwr(3, seed=1)
    saved = learner.snapshot()
    long = "x" * 10**6
    value = {long: 1} if field == "options" else long
    forged = {**saved, field: value, **({"version": 9} if field == "release" else {})}
    with pytest.raises(sparring.SnapshotError) as refused:
        sparring.restore(forged)
    assert len(str(refused.value)) < 1_000
    with pytest.raises(sparring.SnapshotError) as refused:
        sparring.restore({**saved, long: 1})
    assert len(str(refused.value)) < 1_000


def test_a_large_seed_is_refused_before_it_is_saved():
    for seed in (1 << 2**17, np.random.SeedSequence([2**32 - 1] * 5_000)):
        with pytest.raises(ValueError, match=r"the seed must be at most 65,536 bits; got 1\d\d,"):
            sparring.dex3p(3, 1_000, seed=seed)
    assert sparring.restore(sparring.rand(3, seed=1 << 60_000).snapshot()).seed is not None


@pytest.mark.parametrize(
    ("make", "field", "name"),
    [
        (lambda: sparring.learners.rucb(3, seed=1), "options", "alpha"),
        (lambda: sparring.tracker(3, seed=1), "options", "oldest"),
        (lambda: sparring.dex3p(3, 1_000, tuning=None, seed=1), "tuning", "alpha"),
        (lambda: sparring.learners.periodic_restarts(3, every=90, seed=1), "plan", "T"),
    ],
)
def test_an_option_that_is_missing_is_noticed_even_if_it_had_its_default(make, field, name):
    """The digest is of what was restored, default included: it would fit."""
    saved = json.loads(json.dumps(make().snapshot()))
    del saved[field][name]
    with pytest.raises(sparring.SnapshotError, match=f"'{field}' is damaged"):
        sparring.restore(saved)


@pytest.mark.parametrize(
    "p", [None, 7, "p", [], [[1], [1, 2]], np.array(None), object()], ids=lambda p: type(p).__name__
)
@pytest.mark.parametrize("name", ["dex3s", "tracker"])
def test_a_duel_with_something_else_in_place_of_p_is_another_duel(name, p):
    learner = sparring.LEARNERS[name](4, **({"T": 5_000} if name == "dex3s" else {}), seed=1)
    duel = learner.ask()
    if name == "tracker" and isinstance(p, list) and not p:  # it has no distributions
        learner.tell(duel._replace(p=p), 1.0)
        return
    with pytest.raises(sparring.DuelError, match="not the duel asked in round 1"):
        learner.tell(duel._replace(p=p), 1.0)
    learner.tell(duel, 1.0)
