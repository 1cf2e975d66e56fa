"""Whatever happens in whatever order, an arena does what a model of fifty lines does."""

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

import arena_log
import sparring
from sparring.arena import AnswerConflictError, Arena, check
from sparring.learners import Family

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

NAMES = [f"arm{n}" for n in range(12)]
ANSWERS = st.sampled_from(["first", "second", "tie", 0.25])
LEARNERS = {"tracker": {"differ": True}, "steady": {}, "versatile_db": {}}


class Service(RuleBasedStateMachine):
    """An arena that is asked, told, told again, changed, closed and crashed."""

    learner = "tracker"
    tickets = Bundle("tickets")

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "arena.db")
        options = LEARNERS[self.learner]
        self.arena = Arena(self.path, NAMES[:3], learner=self.learner, options=options, seed=1)
        # The model.
        self.present, self.used = NAMES[:3], 3
        self.stored, self.votes, self.asked = {}, 0, {}

    @rule(target=tickets, voter=st.sampled_from([None, None, "ann", "bob"]))
    def ask(self, voter):
        ticket = self.arena.ask(voter)
        assert ticket.first != ticket.second
        assert {ticket.first, ticket.second} <= set(self.present)
        if voter in self.asked:
            assert ticket == self.asked[voter]
        elif voter is not None:
            self.asked[voter] = ticket
        return ticket

    @rule(ticket=tickets, answer=ANSWERS)
    def tell(self, ticket, answer):
        words = {"first": ticket.first, "second": ticket.second}
        value = {"first": 1.0, "second": 0.0, "tie": 0.5}.get(answer, answer)
        before = self.stored.get(ticket.text)
        if before is not None and before[0] != value:
            with pytest.raises(AnswerConflictError):
                self.arena.tell(ticket, words.get(answer, answer))
            return
        got = self.arena.tell(ticket.text, words.get(answer, answer))
        if before is not None:
            assert got == before[1]
            return
        assert got.learnt == ({ticket.first, ticket.second} <= set(self.present))
        self.stored[ticket.text] = (value, got)
        self.votes += got.learnt
        self.asked = {who: its for who, its in self.asked.items() if its != ticket}

    @rule(ticket=consumes(tickets))
    def lose(self, ticket):
        """Its answer never comes."""

    @rule()
    def add(self):
        if self.used < len(NAMES):
            self.arena.add(NAMES[self.used])
            self.present = [*self.present, NAMES[self.used]]
            self.used += 1

    @rule(place=st.integers(0, 11))
    def withdraw(self, place):
        name = self.present[place % len(self.present)]
        if len(self.present) == 2:
            with pytest.raises(ValueError, match="two"):
                self.arena.withdraw(name)
            return
        self.arena.withdraw(name)
        self.present = [other for other in self.present if other != name]
        gone = {who for who, its in self.asked.items() if name in (its.first, its.second)}
        self.asked = {who: its for who, its in self.asked.items() if who not in gone}

    @rule(checkpoint=st.booleans())
    def restart(self, checkpoint):
        """As it should be, or as after a crash."""
        if checkpoint:
            self.arena.close()
        else:
            self.arena._database.close()
        self.arena = Arena(self.path, reversed(NAMES[:3]))

    @invariant()
    def agrees(self):
        assert self.arena.votes == self.votes
        assert sorted(self.arena.arms) == sorted(self.present)
        assert self.arena.favourite in self.present

    def teardown(self):
        self.arena._database.close()
        opened, folded = arena_log.fold_again(self.path)
        assert opened == folded
        found, _ = arena_log.answers(self.path)
        assert len(found) == len(self.stored)
        self.folder.cleanup()


class SteadyService(Service):
    """The same with exponential weights."""

    learner = "steady"


class SparringService(Service):
    """The same with two players."""

    learner = "versatile_db"


for machine in (Service, SteadyService, SparringService):
    machine.TestCase.settings = settings(max_examples=15, stateful_step_count=25, deadline=None)
TestService = Service.TestCase
TestSteadyService = SteadyService.TestCase
TestSparringService = SparringService.TestCase


def test_a_bad_newcomer_does_not_lead_before_it_was_voted_on(tmp_path):
    """Nor is it served: the learner is curious about it, visitors need not be."""
    with Arena(tmp_path / "arena.db", NAMES[:3], seed=1) as arena:
        for _ in range(200):
            ticket = arena.ask()
            arena.tell(ticket, "arm1" if "arm1" in (ticket.first, ticket.second) else "tie")
        arena.add("worse")
        assert arena.serve() == "arm1"
        for _ in range(100):
            ticket = arena.ask()
            pair = {ticket.first, ticket.second}
            arena.tell(ticket, (pair - {"worse"}).pop() if "worse" in pair else "tie")
            assert arena.serve() == "arm1"


def test_to_add_or_withdraw_twice_changes_nothing(tmp_path):
    with Arena(tmp_path / "arena.db", NAMES[:3]) as arena:
        for _ in range(2):
            arena.add("new")
            arena.withdraw("arm0")
        assert sorted(arena.arms) == ["arm1", "arm2", "new"]
        with pytest.raises(ValueError, match="one of"):
            arena.withdraw("never there")


def test_shares_of_arms_that_were_never_shown(tmp_path):
    with Arena(tmp_path / "arena.db", NAMES[:2]) as arena:
        arena.add("c")
        arena.add("d")
        arena.withdraw("arm0")
        arena.withdraw("arm1")
        assert [arm.share for arm in arena.standing().arms] == [0.5, 0.5]


@pytest.mark.parametrize("learner", ["periodic_restarts", "rucb", "anaconda"])
def test_what_is_not_fit_for_service_is_refused_at_once(tmp_path, learner):
    with pytest.raises(ValueError, match=r"fit for service|couples its arms"):
        Arena(tmp_path / "arena.db", NAMES[:3], learner=learner, options={"T": 10_000})


def test_a_change_that_the_learner_refuses_leaves_the_arena_whole(tmp_path):
    """The learner's least memory is longer with one arm more."""
    path = tmp_path / "arena.db"
    least = sparring.tunings.least_memory(4)
    with Arena(path, NAMES[:3], learner="steady", options={"memory": least}) as arena:
        arena.add("d")
        ticket = arena.ask()
        with pytest.raises(ValueError, match="memory"):
            arena.add("e")
        assert arena.tell(ticket, "tie").learnt
    with Arena(path) as arena:
        assert (arena.votes, len(arena.arms)) == (1, 4)
        arena.ask()


def test_a_standing_says_how_often_each_arm_was_shown(tmp_path):
    with Arena(tmp_path / "arena.db", NAMES[:4]) as arena:
        assert str(arena.standing()).startswith("no one leads yet; votes: 0\n")
        shown = Counter()
        for _ in range(40):
            ticket = arena.ask()
            shown.update([ticket.first, ticket.second])
            arena.tell(ticket, "tie")
        found = arena.standing()
        assert {arm.name: round(80 * arm.share, 6) for arm in found.arms} == shown
        assert f"has led since {found.since:%Y-%m-%d %H:%M} UTC; votes: 40" in str(found)


def test_an_arena_that_was_meant_otherwise_is_refused(tmp_path):
    path = tmp_path / "arena.db"
    Arena(path, NAMES[:3], lifetime="1h").close()
    Arena(path, [NAMES[1]], learner="tracker", options={}, lifetime=3600).close()
    for other in ({"lifetime": "2h"}, {"learner": "steady"}, {"options": {"differ": False}}):
        with pytest.raises(ValueError, match=r"with which it was made; got .*\. Leave it out"):
            Arena(path, **other)
    with pytest.raises(ValueError, match=r"must be 3600 seconds.* got 7200 seconds"):
        Arena(path, lifetime="2h")


@pytest.mark.parametrize(
    ("bad", "match"),
    [
        ({"arms": 3}, "a list of names"),
        ({"arms": ["a"]}, "at least two"),
        ({"arms": ["a", "a"]}, "differ"),
        ({"arms": ["a", "tie"]}, "other than 'tie'"),
        ({"arms": ["a", "b\0"]}, "cannot hold a null"),
        ({"arms": ["a", "b\udc80"]}, "half a character"),
        ({"learner": "traker"}, "Did you mean 'tracker'"),
        ({"options": {"memory": "14d"}}, "options of tracker"),
        ({"options": {"differ": {1}}}, "JSON"),
        ({"lifetime": 0}, "lifetime"),
        ({"lifetime": "1y"}, "lifetime"),
        ({"seed": -1}, "seed"),
        ({"name": ""}, "name"),
    ],
)
def test_bad_input(tmp_path, bad, match):
    with pytest.raises(ValueError, match=match):
        Arena(tmp_path / "arena.db", **{"arms": ["a", "b"], **bad})


@pytest.mark.parametrize("learner", ["tracker", "steady", "elo", "rucb"])
def test_arms_that_come_together_are_as_if_they_had_come_one_by_one(learner):
    """To the last bit: logs of both kinds must fold to the same state."""
    options = {"differ": True} if learner in ("tracker", "steady") else {}
    one, other = (sparring.LEARNERS[learner](4, **options, seed=3) for _ in range(2))
    for adding in range(4):
        for _ in range(30):
            duels = [each.ask() for each in (one, other)]
            assert (duels[0].row, duels[0].col) == (duels[1].row, duels[1].col)
            for each, duel in zip((one, other), duels, strict=True):
                each.tell(duel, float(duel.row < duel.col))
        waiting = [each.ask() for each in (one, other)]
        boosts = [1.0, 3.0, 0.5][:adding]
        for boost in boosts:
            one.add(boost=boost)
        other.add_all(boosts)
        for each, duel in zip((one, other), waiting, strict=True):
            each.tell(each.open[duel.t], 0.5)
        kept = [each.snapshot() for each in (one, other)]
        for snapshot in kept:
            del snapshot["id"], snapshot["digest"]
        assert kept[0] == kept[1]


def test_many_arms_cost_the_learner_one_change(tmp_path, monkeypatch):
    changes, regroup = [], Family._regroup

    def counted(self, before, *more):
        changes.append(len(before))
        regroup(self, before, *more)

    monkeypatch.setattr(Family, "_regroup", counted)
    path = tmp_path / "arena.db"
    with Arena(path, ["a", "b"]) as arena:
        changes.clear()
        arena.add_all({f"arm {k}": {"text": str(k)} for k in range(50)})
        assert changes == [52]
        assert len(arena.arms) == 52
        arena.tell(arena.ask(), "tie")
        arena._database.change("DELETE FROM sparring_checkpoints")
        changes.clear()
        assert check(path).votes == 1
        assert changes == [52]
    opened, folded = arena_log.fold_again(path)
    assert opened == folded


def test_arms_that_come_together_all_come_or_none(tmp_path):
    least = sparring.tunings.least_memory(5)
    with Arena(tmp_path / "a.db", ["a", "b"], learner="steady", options={"memory": least}) as arena:
        with pytest.raises(ValueError, match="memory"):
            arena.add_all(dict.fromkeys("cdefgh"))
        with pytest.raises(ValueError, match="tie"):
            arena.add_all(dict.fromkeys(["c", "tie"]))
        assert arena.arms == ("a", "b")
        arena.add_all(dict.fromkeys("bcd"))
        assert arena.arms == ("a", "b", "c", "d")
        arena.tell(arena.ask(), "tie")
