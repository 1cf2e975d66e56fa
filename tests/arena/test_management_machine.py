"""Undo, skip, verdicts, settings and time in any order: an arena counts as a small model."""

import tempfile
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import arena_log
from sparring.arena import Arena, UndoError, making

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

VOTERS = ["ann", "bob", "eve", None]
VERDICTS = ["held", "banned", "free"]
DAY = 86_400


class Managed(RuleBasedStateMachine):
    """An arena that is run by somebody who changes their mind."""

    learner = "tracker"

    def __init__(self):
        super().__init__()
        self.now = 1_800_000_000
        self.clock = mock.patch.object(making, "now", self.microseconds)
        self.clock.start()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "arena.db")
        self.arena = Arena(self.path, list("abcd"), learner=self.learner, seed=1)
        # The model.
        self.votes, self.verdicts, self.grace, self.mode, self.cap = [], {}, 0, "live", None
        self.latest = {}  # by voter: the ticket and the vote that may be undone

    def microseconds(self):
        return self.now * 1_000_000

    @rule(voter=st.sampled_from(VOTERS), answer=st.sampled_from(["tie", "both bad", "skip", 1.0]))
    def vote(self, voter, answer):
        ticket = self.arena.ask(voter)
        told = self.arena.tell(ticket, answer)
        today = sum(
            one["voter"] == voter
            and one["at"] // DAY == self.now // DAY
            and self.counts({**one, "undone": False})
            for one in self.votes
        )
        if answer == "skip":
            why = "skip"
        elif self.mode == "frozen":
            why = "frozen"
        elif self.cap is not None and voter is not None and today >= self.cap:
            why = "cap"
        else:
            why = ""
        verdict = self.verdicts.get(voter, "free")
        one = {
            "voter": voter, "at": self.now, "why": why, "held": verdict == "held",
            "counted_then": not why and verdict == "free", "undone": False,
        }  # fmt: skip
        assert told.learnt == one["counted_then"]
        assert self.arena.tell(ticket, answer) == told
        self.votes.append(one)
        self.latest[voter] = (ticket, one, self.now + self.grace)

    @rule(voter=st.sampled_from(VOTERS))
    def undo(self, voter):
        if voter not in self.latest:
            return
        ticket, one, until = self.latest[voter]
        possible = voter is not None and until > one["at"] and self.now <= until
        if not possible or one["why"]:
            with pytest.raises(UndoError):
                self.arena.undo(ticket)
            return
        again = self.arena.undo(ticket)
        one["undone"] = True
        self.arena.tell(again, "skip")  # its pair is answered, so that the next ask is a new one
        self.votes.append({**one, "why": "skip", "undone": False, "counted_then": False})
        del self.latest[voter]

    @rule(seconds=st.sampled_from([1, 5, 20, DAY]))
    def wait(self, seconds):
        self.now += seconds

    @rule(
        grace=st.sampled_from([0, 10]),
        mode=st.sampled_from(["live", "live", "shadow", "frozen"]),
        uniform=st.sampled_from([0, 0.3]),
        cap=st.sampled_from([None, None, 2]),
    )
    def change(self, grace, mode, uniform, cap):
        self.arena.set(grace=grace, mode=mode, uniform=uniform, cap=cap)
        self.grace, self.mode, self.cap = grace, mode, cap

    @rule(
        voter=st.sampled_from(["ann", "eve"]), verdict=st.sampled_from(["held", "banned", "free"])
    )
    def judge(self, voter, verdict):
        before = self.verdicts.get(voter, "free")
        if (before, verdict) == ("banned", "held"):
            return
        self.arena.judge(self.arena.pseudonym(voter), verdict)
        self.verdicts[voter] = verdict
        if before != verdict:  # all is folded again: whose vote was fresh may be learnt by now
            for one in self.votes:
                if one["voter"] == voter and verdict == "free":
                    one["held"] = False

    @rule(crash=st.booleans())
    def restart(self, crash):
        if crash:
            self.arena._database.close()
        else:
            self.arena.close()
        self.arena = Arena(self.path)

    def counts(self, one):
        """Whether a vote counts by what is known now."""
        verdict = self.verdicts.get(one["voter"], "free")
        held = verdict == "held" and one["held"]
        return not (one["why"] or one["undone"] or held or verdict == "banned")

    @invariant()
    def agrees(self):
        assert [one.counted for one in self.arena.records()] == [*map(self.counts, self.votes)]

    def teardown(self):
        self.now += 100
        self.arena.set(page={"title": "the end"})  # all that was fresh is learnt
        assert self.arena.votes == sum(map(self.counts, self.votes))
        self.arena._database.close()
        opened, folded = arena_log.fold_again(self.path)
        assert opened == folded
        self.clock.stop()
        self.folder.cleanup()


class ManagedWeights(Managed):
    """The same with exponential weights."""

    learner = "steady"


for machine in (Managed, ManagedWeights):
    machine.TestCase.settings = settings(max_examples=20, stateful_step_count=25, deadline=None)
TestManaged = Managed.TestCase
TestManagedWeights = ManagedWeights.TestCase
