"""Every learner passes every check that `sparring.testing` offers to users, and bad ones fail."""

import subprocess
import sys

import numpy as np
import pytest

import sparring
from learner_factories import ALL, FACTORIES, VARIANTS
from sparring.testing import LEARNER_CHECKS, check_learner


def test_every_learner_is_here():
    assert FACTORIES.keys() == sparring.LEARNERS.keys()


@pytest.mark.plain
@pytest.mark.parametrize("check", LEARNER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", ALL)
def test_contract(name, check):
    check(ALL[name], sparring.restore)


def test_the_sleepy_variants_do_sleep():
    """Else two rows of the contract would test nothing of their own."""
    for name in ("arms asleep", "rex3, arms asleep"):
        learner = VARIANTS[name](1)
        for _ in range(300):
            learner.tell(learner.ask(), 1.0)
        assert np.max(learner.snapshot()["depths"]) > 1, name


class Flawed(sparring.learners.ExponentialWeights):
    """A learner that breaks the contract in one way at a time; None keeps it."""

    def __init__(self, flaw, seed):
        super().__init__(3, sparring.Tuning(0.3, 0.3), seed=seed)
        self.flaw = flaw

    @property
    def p(self):
        p = super().p
        return p * 1.01 if self.flaw == "p_is_a_distribution_for_each_player" else p

    def ask(self):
        if self.flaw == "ask_alone_teaches_nothing":
            self._memory.W[0, 0] *= 1.5
            self._memory.total[0] = self._memory.W[0].sum()
            self._shared_note = -1, None
        duel = super().ask()
        if self.flaw == "ask_counts_rounds_and_draws_from_p":
            return duel._replace(t=duel.t + 1)
        if self.flaw == "draws_follow_p":
            return self._book.open(duel.t, 0, duel.col, duel.p)
        if self.flaw == "arms_are_drawn_independently":  # each from its p, with the same uniform
            u = self._rng.random()
            row, col = (int(np.searchsorted(np.cumsum(p[:-1]), u)) for p in duel.p)
            return self._book.open(duel.t, row, col, duel.p)
        return duel

    def tell(self, duel, outcome):
        if self.flaw == "same_seed_same_run":
            outcome = abs(outcome - int(self._book.owner, 16) % 2**20 / 2**20)
        if self.flaw == "late_answers_are_taken_in_any_order" and duel.t < self.t:
            raise ValueError("too late")
        if self.flaw == "bad_outcomes_are_refused" and isinstance(outcome, float):
            outcome = min(max(outcome, 0.0), 1.0) if outcome == outcome else 0.5
        if self.flaw == "foreign_duels_are_refused" and duel.t not in self.open:
            return
        if self.flaw == "duels_survive_json" and not np.shares_memory(duel.p, self.open[duel.t].p):
            raise ValueError("not my object")
        super().tell(duel, outcome)

    def play(self, block, coins):
        return super().play(block, 1 - coins if self.flaw == "play_equals_ask_and_tell" else coins)

    def snapshot(self):
        saved = super().snapshot()
        if self.flaw == "restored_goes_on_bit_for_bit":
            self._rng.random()  # the saved generator is now one draw behind
        return saved


@pytest.mark.compiled
def test_without_a_flaw_it_passes_every_check():
    check_learner(lambda seed: Flawed(None, seed))


@pytest.mark.compiled  # the checks are tested, and no kernel
@pytest.mark.parametrize("flaw", [check.__name__ for check in LEARNER_CHECKS])
def test_each_check_catches_the_flaw_it_is_named_after(flaw):
    with pytest.raises(AssertionError, match=flaw):
        check_learner(lambda seed: Flawed(flaw, seed))


def test_a_learner_instead_of_a_factory_is_named():
    with pytest.raises(TypeError, match="takes a function of a seed that makes a learner"):
        check_learner(sparring.rand(3))


def test_a_flaw_is_found_without_assert_statements_too():
    """python -O drops every assert."""
    program = """
import numpy as np, sparring, sparring.testing
class Bad(sparring.learners.ExponentialWeights):
    def __init__(self, seed):
        super().__init__(3, sparring.Tuning(0.01, 0.2), seed=seed)
    @property
    def p(self):
        return np.full((2, 3), 7.0)
try:
    sparring.testing.check_learner(Bad)
except AssertionError as error:
    print(error)
"""
    command = [sys.executable, "-O", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "p_is_a_distribution_for_each_player" in done.stdout


@pytest.mark.compiled
def test_a_learner_with_many_arms_that_ignores_p_is_found():
    class Stubborn(sparring.learners.ExponentialWeights):
        def ask(self):
            duel = super().ask()
            return self._book.open(duel.t, 0, duel.col, duel.p)

    with pytest.raises(AssertionError, match="draws_follow_p"):
        check_learner(lambda seed: Stubborn(400, sparring.Tuning(1e-4, 0.3), seed=seed))


class AskTellOnly:
    """The least a learner can be: the ten lines a user writes."""

    def __init__(self, seed):
        self.K, self.rng, self.wins = 3, np.random.default_rng(seed), np.ones(3)
        self.book, self.t = sparring.learners.OpenDuels(), 0

    @property
    def p(self):
        return (self.wins / self.wins.sum())[None]

    def ask(self):
        self.t += 1
        row, col = self.rng.choice(self.K, size=2, p=self.p[0])
        return self.book.open(self.t, int(row), int(col), self.p)

    def tell(self, duel, outcome):
        if not (isinstance(outcome, (int, float)) and 0 <= outcome <= 1):
            raise ValueError(f"outcome must be in [0, 1]; got {outcome!r}")
        duel = self.book.take(duel)
        self.wins[duel.row] += outcome
        self.wins[duel.col] += 1 - outcome


def test_a_learner_of_ten_lines_conforms_without_play_and_snapshot():
    verdicts = check_learner(AskTellOnly)
    assert verdicts["play_equals_ask_and_tell"] == "skipped: the learner has no play"
    assert verdicts["restored_goes_on_bit_for_bit"] == "skipped: the learner has no snapshot"
    assert sum(verdict == "passed" for verdict in verdicts.values()) == len(LEARNER_CHECKS) - 2
