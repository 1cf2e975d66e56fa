"""Suspects: a sequential test of each voter against all others' answers on the same pairs.

The test bets against the honesty of a voter, from answers alone. On a pair of which the others
clearly prefer one arm, an honest voter takes the other arm with a chance of at most b = 0.65. That
holds for voters who answer like the others, who answer at random, or who have a moderately
different taste. With each answer x (1 for that arm, 0.5 a tie) the capital W of a bettor becomes

    W (1 + f (x - b) / b),    f in (0, 1),

which on average does not grow as long as the voter is honest, however the pairs are chosen. By
Ville's inequality W ever exceeds 1/alpha with a chance of at most alpha. Several bettors share a
capital of 1, so the same holds for their sum:

- for each arm, one who bets that the voter takes this arm wherever the others do not,
- one that the voter takes what the others do not, whichever arm it is,
- for each side, one that the voter always clicks there (b = 0.8: people lean to a side).

A bettor does not know when cheating begins, so the share 1 / (n (n + 1)) of its capital enters with
the n-th answer. Nor does it know how blatant the cheating is, so a third of it plays with each f.

Whether the others clearly prefer an arm is decided from the latest answer of each of them: if the
chance of the other arm were b or more, so few would choose it in only one of 10,000 looks.
"""

import math
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from sparring import checks
from sparring.arena.history import UNDONE, Record

TASTE, SIDE = 0.65, 0.8  # b: what an honest voter's chance of an answer is at most
FRACTIONS = (0.25, 0.5, 0.9)  # f
AGAINST, FIRST, SECOND, FOR = "against", "first", "second", "for "
SHARES = {AGAINST: 0.25, FIRST: 0.125, SECOND: 0.125}  # of the capital; arms have the rest
LOOK = math.log(10_000)  # how clear the others have to be, in nats
OF_OTHERS, SIDES = 60, 200  # latest answers of others that are remembered, of a pair and of sides
OF_A_PAIR = 15  # answers of a voter on a pair that count: no single pair is enough
VOTERS, PAIRS = 10_000, 20_000  # that are remembered; beyond, the one not seen for longest goes

Pair = tuple[str, str]
Answers = dict[str, float]  # of others, by voter, the oldest first: 1 for the first of two


class Suspicion(NamedTuple):
    """A voter whose answers do not look honest."""

    voter: str
    """By pseudonym."""
    evidence: float
    """The capital won; at most one in that many honest voters ever gets there."""
    words: str
    """What speaks against this voter."""


@dataclass(slots=True)
class Bettor:
    """One that bets on a kind of answer."""

    share: float
    """Of the capital of 1."""
    most: float
    """b: the chance of such an answer that is honest."""
    answers: int = 0
    agreed: float = 0.0
    """How many of them were of the kind."""
    capital: list[float] = field(default_factory=lambda: [0.0] * len(FRACTIONS))

    def bet(self, x: float) -> None:
        """See an answer: 1 if it is of the kind, 0 if not, 0.5 for a tie."""
        self.answers += 1
        self.agreed += x
        enters = self.share / (self.answers * (self.answers + 1)) / len(FRACTIONS)
        gain = x / self.most - 1
        self.capital = [
            (before + enters) * (1 + f * gain)
            for before, f in zip(self.capital, FRACTIONS, strict=True)
        ]


@dataclass(slots=True)
class Voter:
    """What is remembered of a voter."""

    bettors: dict[str, Bettor] = field(default_factory=dict)
    """By what they bet on; those for arms in the order in which they came up."""
    counted: dict[Pair, int] = field(default_factory=dict)
    """Answers on each pair."""

    def bettor(self, kind: str, most: float) -> Bettor:
        """The one of this kind."""
        if kind not in self.bettors:
            arms = sum(known not in SHARES for known in self.bettors) + 1
            share = SHARES.get(kind, (1 - sum(SHARES.values())) / (arms * (arms + 1)))
            self.bettors[kind] = Bettor(share, most)
        return self.bettors[kind]

    def evidence(self) -> float:
        """The capital of all bettors, including what has not been bet yet."""
        return sum(sum(bettor.capital) for bettor in self.bettors.values())


class Suspects:
    """Hears every answer in turn, and says when to hold a voter.

    Parameters
    ----------
    alpha
        The share of honest voters that may ever be suspected.

    Examples
    --------
    >>> suspects = Suspects()
    >>> for turn in range(3):  # twenty people say that "weak" loses against all
    ...     for person in "abcdefghijklmnopqrst":
    ...         for rival in "123":
    ...             found = suspects.hear(person, "weak", rival, 0.0)
    >>> for turn in range(30):
    ...     found = suspects.hear("z", "weak", "123"[turn % 3], 1.0)
    ...     if found is not None:
    ...         print(found.words)
    23 of 23 answers are for 'weak', on pairs of which the others do not prefer it
    """

    def __init__(self, *, alpha: float = 0.001) -> None:
        self._enough = 1 / checks.real("alpha", alpha, low=1e-12, high=0.5)
        self._voters: OrderedDict[str, Voter] = OrderedDict()
        self._pairs: OrderedDict[Pair, Answers] = OrderedDict()
        self._sides: Answers = {}
        self._out: set[str] = set()
        self._nameless = 0

    def take_in(self, record: Record) -> Suspicion | None:
        """Take in an answer; returns the suspicion against its voter, if there is one now."""
        if record.outcome is None or record.source or record.why == UNDONE:
            return None
        who, shown = record.voter, (record.first, record.second)
        return self.hear(who, *shown, record.outcome, counted=record.counted)

    def hear(
        self, voter: str | None, first: str, second: str, outcome: float, *, counted: bool = True
    ) -> Suspicion | None:
        """The same, from the fields of a record.

        Parameters
        ----------
        voter
            Who answered; without a name no one is suspected.
        first, second
            The arms in the order in which they were shown.
        outcome
            How good the first was, from 0 to 1.
        counted
            Whether it is learnt; if not, it does not count among the others' answers.
        """
        of_pair = outcome
        if first > second:
            first, second, of_pair = second, first, 1 - outcome
        pair = first, second
        if voter is not None:
            if voter in self._out:
                return None
            found = self._test(voter, pair, of_pair, outcome)
            if found is not None:
                return found
        if counted:
            self._join(voter, pair, of_pair, outcome)
        return None

    def leave_out(self, voter: str) -> None:
        """From now on, ignore a voter, also as one of the others."""
        self._out.add(voter)
        self._voters.pop(voter, None)
        for answers in (self._sides, *self._pairs.values()):
            answers.pop(voter, None)

    def begin_anew(self, voter: str) -> None:
        """Forget what speaks against a voter, as a person has looked and found nothing."""
        self._out.discard(voter)
        self._voters.pop(voter, None)

    def _test(self, name: str, pair: Pair, of_pair: float, of_sides: float) -> Suspicion | None:
        voter = self._voters.setdefault(name, Voter())
        self._voters.move_to_end(name)
        if len(self._voters) > VOTERS:
            self._voters.popitem(last=False)
        self._test_sides(name, voter, of_sides)
        self._test_taste(name, voter, pair, of_pair)
        evidence = voter.evidence()
        if evidence < self._enough:
            return None
        best = max(voter.bettors, key=lambda kind: sum(voter.bettors[kind].capital))
        self.leave_out(name)
        return Suspicion(name, evidence, _words(best, voter.bettors[best]))

    def _test_sides(self, name: str, voter: Voter, outcome: float) -> None:
        n, share = count(self._sides, name)
        for kind, of_others, x in ((FIRST, share, outcome), (SECOND, 1 - share, 1 - outcome)):
            if is_clearly_below(of_others, n, SIDE):
                voter.bettor(kind, SIDE).bet(x)

    def _test_taste(self, name: str, voter: Voter, pair: Pair, outcome: float) -> None:
        n, share = count(self._pairs.get(pair, {}), name)
        arms = (pair[0], share, outcome), (pair[1], 1 - share, 1 - outcome)
        tested = [one for one in arms if is_clearly_below(one[1], n, TASTE)]
        if not tested or voter.counted.get(pair, 0) >= OF_A_PAIR:
            return
        voter.counted[pair] = voter.counted.get(pair, 0) + 1
        for arm, of_others, x in tested:
            voter.bettor(FOR + arm, TASTE).bet(x)
            if of_others < 0.5:
                voter.bettor(AGAINST, TASTE).bet(x)

    def _join(self, name: str | None, pair: Pair, of_pair: float, of_sides: float) -> None:
        """Remember an answer as one of the others'; only each voter's latest on a pair."""
        if name is None:
            self._nameless += 1
            name = f"nameless {self._nameless}"
        _remember(self._sides, name, of_sides, SIDES)
        _remember(self._pairs.setdefault(pair, {}), name, of_pair, OF_OTHERS)
        self._pairs.move_to_end(pair)
        if len(self._pairs) > PAIRS:
            self._pairs.popitem(last=False)


def _remember(answers: Answers, name: str, outcome: float, most: int) -> None:
    answers.pop(name, None)
    answers[name] = outcome  # at the end: the latest
    if len(answers) > most:
        del answers[next(iter(answers))]


def count(answers: Answers, but: str) -> tuple[int, float]:
    """How many others answered, and the mean of their answers."""
    n, total = len(answers), sum(answers.values())
    if but in answers:
        n, total = n - 1, total - answers[but]
    return n, total / n if n else 0.5


def is_clearly_below(share: float, n: int, chance: float) -> bool:
    """Whether a chance gives so low a share of n answers in at most one of 10,000 cases.

    Examples
    --------
    >>> is_clearly_below(0.0, 8, 0.65), is_clearly_below(0.0, 9, 0.65)
    (False, True)
    """
    return share < chance and n * divergence(share, chance) >= LOOK


@lru_cache(maxsize=10_000)
def divergence(share: float, chance: float) -> float:
    """The Kullback-Leibler divergence of a share from a chance.

    So low a mean of n answers, each from 0 to 1, has a probability of at most exp(-n divergence)
    (Hoeffding 1963, Theorem 1).

    Examples
    --------
    >>> round(divergence(0.2, 0.65), 3)
    0.426
    """
    parts = ((share, chance), (1 - share, 1 - chance))
    return sum(p * math.log(p / q) for p, q in parts if p > 0)


def _words(kind: str, bettor: Bettor) -> str:
    arm = kind.removeprefix(FOR)
    said = {
        AGAINST: "for the arm that the others do not prefer",
        FIRST: "for whatever is shown first",
        SECOND: "for whatever is shown second",
    }.get(kind, f"for {arm!r}, on pairs of which the others do not prefer it")
    return f"{bettor.agreed:g} of {bettor.answers} answers are {said}"
