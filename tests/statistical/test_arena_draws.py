"""The pairs that an arena shows have the chances that its log says, and sides are fair."""

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from sparring.arena import Arena
from sparring.arena.database import open_database

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

K, PAIRS, SHARE = 5, 8000, 0.3


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """What the log says of 8,000 questions, after votes that make some arms likelier."""
    address = tmp_path_factory.mktemp("draws") / "arena.db"
    names = [f"{arm}" for arm in range(K)]
    with Arena(address, names, learner="steady", options={"memory": 3000}, seed=5) as arena:
        arena.set(uniform=SHARE)
        for _ in range(100):
            shown = arena.ask_many(None, 20)
            arena.perform([arena.telling(one, min(one.first, one.second)) for one in shown])
        before = arena._look(lambda state: state.number)
        for _ in range(PAIRS // 1000):
            arena.ask_many(None, 1000)
    database = open_database(address, create=False)
    rows = database.rows(
        "SELECT body FROM sparring_events WHERE number > ? AND kind = 'asked'", (before,)
    )
    database.close()
    return [json.loads(body) for (body,) in rows]


def test_pairs_have_the_chances_in_the_log(asked):
    """The learner's pairs against p(i) q(j) + p(j) q(i), given that the arms differ.

    Chi-square over the ten pairs at 1e-7, with the sums of the chances of each question. Power:
    by the same test these counts are not those of uniform pairs.
    """
    pairs = list(combinations(range(K), 2))
    counts, expected = Counter(), np.zeros(len(pairs))
    for body in asked:
        if not body.get("uniform"):
            counts[tuple(sorted((body["row"], body["col"])))] += 1
            p, q = np.array(body["p"])[[0, -1]]
            chances = np.array([p[i] * q[j] + p[j] * q[i] for i, j in pairs])
            expected += chances / chances.sum()
    seen = [counts[pair] for pair in pairs]
    assert stats.chisquare(seen, expected, sum_check=False).pvalue > 1e-7
    uniform = np.full(len(pairs), sum(seen) / len(pairs))
    assert stats.chisquare(seen, uniform).pvalue < 1e-7  # the chances do differ


def test_the_uniform_slice_is_uniform_and_as_large_as_it_should_be(asked):
    """Chi-square over the twenty ordered pairs at 1e-7, and a binomial test of the share: 1e-7."""
    drawn = [(body["row"], body["col"]) for body in asked if body.get("uniform")]
    counts = Counter(drawn)
    seen = [counts[i, j] for i in range(K) for j in range(K) if i != j]
    assert sum(seen) == len(drawn)
    assert stats.chisquare(seen).pvalue > 1e-7
    assert stats.binomtest(len(drawn), len(asked), SHARE).pvalue > 1e-7


def test_sides_are_drawn_by_a_fair_coin(asked):
    """A binomial test at 1e-7, for the learner's pairs and for the uniform ones."""
    for is_uniform in (False, True):
        sides = [body["swapped"] for body in asked if body.get("uniform", False) == is_uniform]
        assert stats.binomtest(sum(sides), len(sides), 0.5).pvalue > 1e-7
