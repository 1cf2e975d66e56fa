"""Two different arms from learners that let arms meet themselves: the law, the log, refusals."""

import itertools
import json
from collections import deque

import numpy as np
import pytest

import sparring
from learner_factories import ALL, coupled
from sparring.learners import frame as distinct
from sparring.testing.chance import chi_square_limit

APART = sorted(name for name, make in ALL.items() if make(1).differ)
DRAWN = sorted(name for name, make in ALL.items() if not coupled(make(1)) and name not in APART)
COUPLED = sorted(name for name, make in ALL.items() if coupled(make(1)) and name not in APART)


def test_there_are_learners_of_each_kind():
    assert len(DRAWN) > 10 and len(COUPLED) > 5 and APART


@pytest.mark.parametrize("name", DRAWN)
def test_it_is_what_asking_again_and_telling_ties_would_do(name):
    """Bit for bit the learner's own law: the same pairs, the same p, the same rounds."""
    learner, single = ALL[name](3), ALL[name](3)
    for t in range(150):
        duel = learner.ask(distinct=True)
        selves = []
        other = single.ask()
        while other.row == other.col:
            single.tell(other, 0.5)
            selves.append(other)
            other = single.ask()
        assert duel[:3] == other[:3] and np.array_equal(duel.p, other.p)
        assert [it[:3] for it in duel.selves] == [it[:3] for it in selves]
        assert all(np.array_equal(a.p, b.p) for a, b in zip(duel.selves, selves, strict=True))
        learner.tell(duel, t % 2)
        single.tell(other, t % 2)
    assert np.array_equal(learner.p, single.p)
    assert learner.t == single.t > 150


@pytest.mark.parametrize("name", APART)
def test_a_learner_of_different_arms_is_simply_asked(name):
    learner, twin = ALL[name](3), ALL[name](3)
    for t in range(100):
        duel, other = learner.ask(distinct=True), twin.ask()
        assert duel[:3] == other[:3] and duel.row != duel.col
        assert duel.differ and not duel.selves
        learner.tell(duel, t % 2)
        twin.tell(other, t % 2)


@pytest.mark.parametrize("name", COUPLED)
def test_who_couples_its_arms_refuses_and_says_who_does_not(name):
    learner = ALL[name](3)
    with pytest.raises(ValueError, match=r"couples its arms.*tracker\(K, differ=True\)"):
        learner.ask(distinct=True)
    assert learner.t == 0 and not learner.open


def test_the_pairs_have_the_law_of_two_independent_arms_given_that_they_differ():
    """20,000 pairs of p = (0.6, 0.25, 0.15), never told: chi-square with 5 degrees at 1e-7."""
    still = sparring.Tuning(0.0, 1e-9)
    learner = sparring.learners.ExponentialWeights(3, still, estimate="relative", seed=5)
    p = np.array([0.6, 0.25, 0.15])
    learner._set_weights(p[None], np.zeros((1, 3), np.int64))
    pairs = np.zeros((3, 3))
    for _ in range(20_000):
        duel = learner.ask(distinct=True)
        learner.forget(duel)
        pairs[duel.row, duel.col] += 1
    chances = np.outer(p, p) * (1 - np.eye(3))
    expected = 20_000 * chances / chances.sum()
    apart = ~np.eye(3, dtype=bool)
    chi2 = ((pairs - expected)[apart] ** 2 / expected[apart]).sum()
    assert chi2 < chi_square_limit(5)


@pytest.mark.compiled
def test_the_rounds_inside_are_for_the_log_and_make_it_certifiable():
    """A certificate of all rounds is content; of the pairs alone it is refused."""
    learner = sparring.steady(4, seed=2)
    whole, pairs = (sparring.certificates.Certificate(4) for _ in range(2))
    shown = []
    for _ in range(400):
        duel = learner.ask(distinct=True)
        shown.append((duel, float(duel.row < duel.col)))
        learner.tell(*shown[-1])
        for met_itself in duel.selves:
            whole.add(met_itself, 0.5)
        whole.add(*shown[-1])
    assert whole.rounds == learner.t
    with pytest.raises(sparring.certificates.CouplingError, match="equal in 0 of"):
        deque(itertools.starmap(pairs.add, shown))


def test_a_pair_survives_json_without_the_rounds_before_it():
    learner = sparring.rand(2, seed=1)
    duel = learner.ask(distinct=True)
    while not duel.selves:
        duel = learner.ask(distinct=True)
    fields = json.loads(json.dumps(duel.to_json()))
    assert fields.keys() == {"t", "row", "col", "p", "learner"}
    learner.tell(sparring.Duel.from_json(fields), 1.0)
    assert duel.t not in learner.open


def test_an_arm_that_has_all_of_p_ends_with_a_word_of_advice(monkeypatch):
    monkeypatch.setattr(distinct, "MOST_SELVES", 50)
    learner = sparring.rex3(2, tuning=sparring.Tuning(0.3, 1e-3), seed=1)
    learner._set_weights([[1.0, 2.0**-200]], 0)
    with pytest.raises(RuntimeError, match=r"in 50 rounds.*steady\(K, differ=True\)"):
        learner.ask(distinct=True)
    assert learner.t == 50
    assert not learner.open
    learner.tell(learner.ask(), 0.5)  # and it goes on
