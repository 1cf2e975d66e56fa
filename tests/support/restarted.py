"""What tests of learners that begin anew share: epochs counted naively, learners kept by hand."""

import json

import sparring
from sparring import streams
from sparring.learners.frame import PLAIN
from sparring.learners.snapshots import digest


def naive_epochs(plan, rounds):
    """(first round, rounds planned for) of each epoch that begins within so many rounds, from 1."""
    if "every" in plan:
        return [(t, plan["every"]) for t in range(1, rounds + 1) if (t - 1) % plan["every"] == 0]
    starts = [1, *plan["changes"]]
    ends = [*plan["changes"], plan["T"] + 1]
    found = [(start, end - start) for start, end in zip(starts, ends, strict=True)]
    return [epoch for epoch in found if epoch[0] <= rounds]


class ByHand:
    """Fresh learners one after the other, from the seeds that the one seed gives."""

    def __init__(self, K, inner, plan, seed, rounds):
        self.epochs = dict(naive_epochs(plan, rounds))
        self.make = lambda T, seed: PLAIN[inner](K, T=T, seed=seed)
        self.rng = streams.generator(seed)
        self.told = 0
        self.begin()

    def begin(self):
        if self.told + 1 in self.epochs:
            self.now = self.make(self.epochs[self.told + 1], int(self.rng.integers(2**63)))

    def ask(self):
        return self.now.ask()

    def tell(self, duel, outcome):
        self.now.tell(duel, outcome)
        self.passed()

    def passed(self):
        self.told += 1
        self.begin()


def reseal(snapshot):
    return {**snapshot, "digest": digest(snapshot)}


def through_json(learner):
    return sparring.restore(json.loads(json.dumps(learner.snapshot())))


def without_id(learner):
    """What it knows, apart from its name and those inside it."""
    saved = learner.snapshot()
    del saved["inner"]["id"], saved["inner"]["digest"], saved["id"], saved["digest"]
    return saved
