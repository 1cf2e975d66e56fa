"""Whatever is called in whatever order over HTTP, the service does what a small model does."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

import arena_log
from sparring.arena import Arena
from web_service import API, Caller, hosted, made_keys

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

NAMES = [f"arm{n}" for n in range(10)]
VOTERS = ["voter-ann", "voter-bob"]
GRACE = 3000.0


class HttpService(RuleBasedStateMachine):
    """A service that is asked, told, told again, changed, stopped and crashed."""

    tickets = Bundle("tickets")

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "arena.db")
        with Arena(self.path, NAMES[:3], seed=1) as arena:
            arena.set(grace=GRACE)
        self.keys = made_keys(self.path)
        self.start()
        # The model: items, open tickets by voter, answers by ticket, and which can be taken back.
        self.present, self.used = NAMES[:3], 3
        self.open = {voter: [] for voter in VOTERS}
        self.answers, self.fresh, self.again = {}, {}, {}

    def start(self):
        self.running = ExitStack()
        arms = [NAMES[0], NAMES[1], NAMES[2]]
        self.service = self.running.enter_context(hosted(self.path, arms=arms, keys=self.keys))

    @rule(target=tickets, voter=st.sampled_from(VOTERS), n=st.integers(1, 3))
    def ask(self, voter, n):
        pairs = Caller(self.service.client, voter=voter).ask(n)
        texts = [pair["ticket"] for pair in pairs]
        known = self.open[voter][:n]
        assert texts[: len(known)] == known and len(texts) == n
        for pair in pairs:
            assert {pair["first"]["text"], pair["second"]["text"]} <= set(self.present)
        self.open[voter] += texts[len(known) :]
        pair = pairs[-1]
        return voter, pair["ticket"], pair["first"]["text"], pair["second"]["text"]

    @rule(ticket=tickets, answer=st.sampled_from(["first", "second", "tie", "both bad", "skip"]))
    def vote(self, ticket, answer):
        voter, text, *names = ticket
        reply = Caller(self.service.client, voter=voter).vote(text, answer)
        before = self.answers.get(text)
        if text in self.again or (before is not None and before[0] != answer):
            assert reply.status_code == 409
            return
        assert reply.status_code == 200, reply.text
        if before is not None:
            assert reply.json() == before[1]
            return
        is_open = set(names) <= set(self.present)
        assert reply.json()["learnt"] == (is_open and answer != "skip")
        self.answers[text] = (answer, reply.json())
        if text in self.open[voter]:
            self.open[voter].remove(text)
        if is_open:
            self.fresh.pop(voter, None)  # the last answer alone can be taken back
        if reply.json()["learnt"]:
            self.fresh[voter] = text

    @rule(ticket=tickets)
    def vote_of_somebody_else(self, ticket):
        voter, text, *_ = ticket
        if text in self.again.values():  # the log has no question of its own for it
            return
        other = next(name for name in VOTERS if name != voter)
        assert Caller(self.service.client, voter=other).vote(text).status_code == 404

    @rule(ticket=consumes(tickets), target=tickets)
    def undo(self, ticket):
        voter, text, *names = ticket
        reply = Caller(self.service.client, voter=voter)("POST", "undo", {"ticket": text})
        if reply.status_code == 409:
            assert self.fresh.get(voter) != text
            return ticket
        assert reply.status_code == 200
        again = reply.json()["ticket"]
        if text not in self.again:
            assert self.fresh.pop(voter) == text
            del self.answers[text]
            self.again[text] = again
            self.open[voter].append(again)
        assert self.again[text] == again
        return (voter, again, *names)

    @rule()
    def add(self):
        if self.used < len(NAMES):
            name = NAMES[self.used]
            for status in (201, 200):
                assert self.service.writer("POST", "items", {"name": name}).status_code == status
            self.present = [*self.present, name]
            self.used += 1

    @rule(place=st.integers(0, 9))
    def withdraw(self, place):
        name = self.present[place % len(self.present)]
        reply = self.service.writer("DELETE", f"items/{name}")
        if len(self.present) == 2:
            assert reply.status_code == 409
            return
        assert reply.status_code == 204
        self.present = [other for other in self.present if other != name]
        self.fresh = {}  # what was answered is learnt before an arm goes
        # Which pairs are gone the next ask tells: it must show items that are there.
        self.open = {voter: self.still_open(texts) for voter, texts in self.open.items()}

    def still_open(self, texts):
        arena = self.service.arena()
        names = {text: arena._claims(text).name for text in texts}
        there = arena._look(lambda state: set(state.open))
        return [text for text in texts if names[text] in there]

    @rule(gracefully=st.booleans())
    def restart(self, gracefully):
        if not gracefully:  # as after a crash: nothing is saved but what was acknowledged
            self.service.arena()._finish = self.service.arena()._database.close
        self.running.close()
        self.start()

    @invariant()
    def agrees(self):
        items = self.service.reader("GET", "items").json()["items"]
        there = [item["name"] for item in items if item["withdrawn"] is None]
        assert sorted(there) == sorted(self.present)
        assert self.service.client.get(f"{API}/serve").json()["name"] in self.present

    def teardown(self):
        self.running.close()
        opened, folded = arena_log.fold_again(self.path)
        assert opened == folded
        with Arena(self.path) as arena:
            kept = [record for record in arena.records() if record.why != "it was taken back"]
        assert len(kept) == len(self.answers)
        self.folder.cleanup()


HttpService.TestCase.settings = settings(max_examples=10, stateful_step_count=20, deadline=None)
TestHttpService = HttpService.TestCase
