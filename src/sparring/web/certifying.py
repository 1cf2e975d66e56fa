"""The certificate so far: an upper bound on the learner's regret, if its log allows one."""

from typing import Any

import numpy as np

from sparring.arena.questions import Question
from sparring.certificates import Certificate, CouplingError

DELTA = 0.05
SETTLED = 100  # duels, below which a bound says nothing
TOGETHER = 1000  # duels that are added at once
NONE = (
    "None: this learner does not draw its pairs by chance, so its log cannot bound its regret. "
    "The uniform pairs are the yardstick. A learner such as steady has a certificate."
)


class Certifying:
    """Adds answered duels as they come. A certificate is for fixed arms; new arms restart it."""

    def __init__(self) -> None:
        self.by_chance = True
        """Whether all pairs were drawn by logged probabilities."""
        self._present: list[int] = []
        self._era = -1
        self._certificate: Certificate | None = None
        self._refused = ""
        self._waiting: list[tuple[int, int, float, list[list[float]]]] = []
        self._players = 1

    def begin(self, present: list[int], era: int) -> None:
        """Begin again, for these arms."""
        self._present, self._era = list(present), era
        self._certificate = Certificate(len(present), DELTA, only_answered=True)
        self._refused, self._waiting = "", []

    def add(self, question: Question, outcome: float) -> None:
        """Add an answer that stands; one to a question about other arms is left out."""
        if question.era != self._era or not self.by_chance or self._refused:
            return
        K = len(self._present)
        row, col = question.first, question.second
        if question.swapped:
            row, col, outcome = col, row, 1 - outcome
        p = [[1 / K] * K] if question.uniform else question.p
        assert p is not None
        places = self._present.index(row), self._present.index(col)
        self._waiting.append((*places, outcome, p))
        if len(self._waiting) >= TOGETHER:
            self._add_waiting()

    def so_far(self) -> dict[str, Any]:
        """What it says, or in plain words why there is none."""
        if not self.by_chance:
            return {"text": NONE}
        self._add_waiting()
        certificate = self._certificate
        if self._refused or certificate is None:
            return {"text": f"None: {self._refused}"}
        many = certificate.rounds
        if many < SETTLED:
            more = SETTLED - many
            return {"text": f"Not yet: it needs {more} more answers since the items last changed."}
        bound = certificate.static
        if certificate.vacuous:
            text = (
                f"After {many:,} answered pairs it says nothing yet: the bound is above 0.5 a pair."
            )
        else:
            text = (
                f"With 95% confidence the {many:,} pairs since the items last changed cost at "
                f"most {bound / many:.3f} a pair more than the best item would have."
            )
        text += f" It holds if {certificate.condition}."
        return {"text": text, "rounds": many, "bound": bound, "delta": DELTA}

    def _add_waiting(self) -> None:
        if not self._waiting or self._certificate is None:
            return
        rows, cols, outcomes, chances = zip(*self._waiting, strict=True)
        self._waiting = []
        self._players = max(self._players, *map(len, chances))  # a uniform pair has one p for both
        p = np.array([one * (self._players // len(one)) for one in chances])
        try:
            self._certificate.add_many(
                np.array(rows), np.array(cols), np.array(outcomes), p, np.ones(len(rows), np.bool_)
            )
        except CouplingError as error:
            self._refused = str(error)
