"""The plans of learners that begin anew: what is refused, and the named ones by their formulas."""

import math

import numpy as np
import pytest

import sparring
from restarted import reseal, through_json
from sparring.learners.frame import PLAIN
from sparring.learners.restarts import Restarting
from sparring.problem import LONGEST
from worlds import random_matrices

pytestmark = pytest.mark.compiled  # with the JIT off, others cross every line of the kernels


@pytest.mark.parametrize("inner", ["periodic_restarts", "tracker"])
def test_what_begins_anew_is_not_inside_of_what_begins_anew(inner):
    """Two plans in one learner would be one plan that nobody could read."""
    with pytest.raises(ValueError, match=f"learner must be one of .*got '{inner}'"):
        Restarting(3, inner, every=100)


BAD = [
    ({"K": 1}, "K must be"),
    ({"learner": "nobody"}, "learner must be one of .*got 'nobody'"),
    ({"learner": "dex3pp"}, r"got 'dex3pp'\. Did you mean 'dex3p'"),
    ({"learner": None}, "learner must be one of"),
    ({"learner": sparring.dex3p}, "learner must be one of"),
    ({"every": None}, "give every or changes"),
    ({"changes": (), "T": 9}, "give every or changes"),
    ({"every": 0}, "every must be a whole number of at least 1"),
    ({"every": 2.5}, "every must be"),
    ({"every": True}, "every must be"),
    ({"every": 10**19}, "every must be at most"),
    ({"T": 500}, "T must be given only with changes; got 500"),
    ({"every": None, "changes": (3,)}, "T must be given with changes"),
    ({"every": None, "changes": (3,), "T": 0}, "T must be"),
    ({"every": None, "changes": (1,), "T": 500}, "changes must be"),
    ({"every": None, "changes": (501,), "T": 500}, "changes must be at most 500"),
    ({"every": None, "changes": (200, 100), "T": 500}, "changes must be ascending"),
    ({"every": None, "changes": (200, 200), "T": 500}, "changes must be ascending"),
    ({"every": None, "changes": 200, "T": 500}, "changes must be ascending"),
    ({"every": None, "changes": "ab", "T": 500}, "changes must be"),
    ({"options": [1]}, "options must be a dictionary"),
    ({"options": {"luck": 1}}, r"options must be among \['S', 'V_T', 'corrected'\] for dex3s"),
    ({"options": {1: 1}}, "options must be among"),
    *(({"options": {name: 9}}, "options must be among") for name in ("K", "T", "seed")),
    ({"options": {"tuning": sparring.Tuning(0.1, 0.2)}}, "options must be among"),
    ({"options": {"S": 0}}, "S must be"),
    ({"seed": "lucky"}, "seed must be"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_arguments_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Restarting(**{"K": 3, "learner": "dex3s", "every": 10_000, **changes})


@pytest.mark.parametrize("plan", [{"every": 5}, {"changes": (500, 505, 900), "T": 2_000}], ids=str)
def test_an_epoch_without_a_tuning_is_refused_at_once(plan):
    """Not when the short epoch comes."""
    with pytest.raises(sparring.tunings.NoTuningError, match=r"T=5.*would do"):
        Restarting(5, "dex3p", **plan)


def test_numbers_of_numpy_are_numbers():
    options = {"S": np.int64(2), "corrected": np.bool_(True)}
    learner = Restarting(3, "dex3s", options=options, every=np.int64(10_000), seed=1)
    assert through_json(learner).snapshot()["plan"]["options"] == {"S": 2, "corrected": True}
    changes = np.array([300, 600])
    assert through_json(Restarting(3, "rand", changes=changes, T=900)).epoch == 0


@pytest.mark.parametrize("K", [2, 10])
@pytest.mark.parametrize(("T", "V_T"), [(1_000, 1), (100_000, 10), (10**6, 0.3), (10**9, 999.0)])
def test_the_period_is_that_of_besbes_gur_and_zeevi(K, T, V_T):
    D = math.ceil((K * math.log(K)) ** (1 / 3) * (T / V_T) ** (2 / 3))
    learner = sparring.learners.periodic_restarts(K, T, V_T=V_T)
    assert learner.snapshot()["plan"]["every"] == min(D, T)


def test_the_period_in_other_cases():
    def period(**sizes):
        return sparring.learners.periodic_restarts(4, **sizes).snapshot()["plan"]["every"]

    assert period(T=1_000, S=3) == 334
    assert period(T=1_000) == period(T=1_000, V_T=0) == period(T=1_000, S=1) == 1_000
    assert period(T=1_000, V_T=1e-3) == period(T=1_000, V_T=5e-324) == 1_000  # no more than all
    assert period(every=77) == period(T=1_000, every=77) == 77
    for sizes, message in (
        ({}, "T must be given: .*every=ROUNDS"),
        ({"every": 77, "S": 3}, "give every, or T with S or V_T, not both"),
        ({"T": 1_000, "S": 3, "V_T": 1.0}, "give S or V_T, not both"),
        ({"T": 1_000, "S": 1_001}, "S must be at most T"),
    ):
        with pytest.raises(ValueError, match=message):
            period(**sizes)


CHANGING = [
    sparring.SwitchingWalk(4, 600, S=5),
    sparring.CondorcetSwitches(4, 600, S=6),
    sparring.CondorcetSwitches(4, 600, V_T=3.0),
    sparring.FreshWinner(4, 601, S=4),
    sparring.Storm(4, 600, S=9),
    sparring.Newcomer(4, 600, S=3),
    sparring.Cyclic(4, 600),
    sparring.worlds.Recorded(random_matrices(3, 4, np.random.default_rng(2)), 600),
]


@pytest.mark.parametrize("world", CHANGING, ids=repr)
def test_with_the_changes_of_a_world_a_fresh_learner_meets_each_matrix(world, rng):
    """After the last round of each segment the next learner is new, on every world that tells."""
    learner = Restarting(4, "double_thompson", changes=world.changes, T=world.T, seed=1)
    holds = np.concatenate([block.hold for block in world.blocks(rng)])
    for segment, hold in enumerate(holds.tolist()):
        assert (learner.epoch, learner.inner.t) == (segment, 0)
        P = np.full((1, 4, 4), 0.5)
        learner.play(sparring.Block(P, np.array([hold])), rng.random(hold))
    assert learner.epoch == len(holds) - 1 == len(world.changes)


def aged(learner, told):
    """The same learner after so many rounds more."""
    old = learner.snapshot()
    return sparring.restore(reseal({**old, "t": told, "told": told}))


@pytest.mark.parametrize(
    ("plan", "told", "epoch"),
    [
        ({"every": 100}, 10**15 - 3, 10**13),
        ({"changes": (100, 10**15 - 2), "T": 2 * 10**15}, 10**15 - 6, 2),
    ],
    ids=str,
)
def test_after_years_it_begins_anew_as_on_the_first_day(plan, told, epoch):
    learner = aged(Restarting(3, "dex3p", **plan, seed=1), told)
    assert learner.epoch == epoch - 1
    for _ in range(3):
        assert learner.epoch == epoch - 1
        learner.tell(learner.ask(), 1.0)
    assert (learner.epoch, learner.t, learner.inner.t) == (epoch, told + 3, 0)
    again = through_json(learner)
    duel = again.ask()
    assert duel.t == told + 4 and duel[:3] == learner.ask()[:3]
    learner.play(sparring.Block(np.full((1, 3, 3), 0.5), np.array([150])), np.full(150, 0.5))
    assert learner.epoch == epoch + ("every" in plan)


@pytest.mark.parametrize("inner", PLAIN)
def test_every_learner_can_be_planned_for_the_longest_epoch(inner):
    """`every` may be as long."""
    planned = {"T": LONGEST} if "T" in PLAIN[inner].told else {}
    PLAIN[inner](3, **planned, **({"S": 1} if inner == "borda_dex3s" else {}), seed=1)


def test_many_changes_take_no_long_search():
    """Many epochs of a round each: what a change costs does not grow with their number."""
    learner = Restarting(2, "rand", changes=range(2, 10**5), T=10**5, seed=1)
    learner = aged(learner, 50_000)
    for _ in range(200):
        learner.tell(learner.ask(), 1.0)
    assert learner.epoch == 50_200


def test_the_longest_epoch_must_have_a_plan_too(monkeypatch):
    monkeypatch.setattr("sparring.learners.counts.LARGEST_WINDOW", 5000)
    with pytest.raises(ValueError, match="the window must be at most 5000"):
        Restarting(3, "rucb", options={"forget": "window"}, changes=(1000,), T=200_000)
