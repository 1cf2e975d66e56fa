"""Certificate: an upper bound on your regret, from arms, outcomes and probabilities alone."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.certificates import _estimates as kernels
from sparring.certificates import conditions
from sparring.certificates.checking import ImpossibleDuelError, check_duels, demand_players
from sparring.certificates.sums import Sums
from sparring.learners import snapshots
from sparring.learners.frame import Turns
from sparring.problem import Duel, arms

GRID = tuple(2.0**-power for power in range(4, 28))  # good from a hundred duels to 1e14
RATE = 8.0  # lambda / beta: a centred outcome is 1/2 or -1/2, so its variance is a quarter
TOGETHER = 0.5  # up to this lambda the two players' chances are as good as independent

Floats = NDArray[np.float64]


class Certificate(Turns):
    """An upper bound on the realised regret to every arm, without knowing any preference.

    With probability 1 - delta, for all arms j and at every moment at once (docs/theory.md,
    Theorem 7, from Lemma A.1),

        SR(j) <= estimate(j) + [sum of (psi(p+(j)) + psi(p-(j))) + ln(K / delta)] / (16 beta),

    where the estimate is unbiased and psi / (8 beta) is about beta / p. It holds if the arms of
    each duel were drawn independently given the past, from the logged probabilities; if who wins
    does not depend on which of the two is the row arm, P(a, b) + P(b, a) = 1; and if beta was fixed
    in advance. Duels may be left out only for reasons that have nothing to do with their arms and
    outcome. Self-duels belong in the log, too, and count as ties whatever their outcome. Duels
    whose arms were drawn given that they differ also count, if they say so (`Duel.differ`), by
    Theorems 13 and 14. Memory does not grow with the number of duels.

    If votes may not come, `only_answered` counts only the answered duels of two different arms and
    bounds their regret (Theorem 14). `condition` says what that assumes about the voters.

    Parameters
    ----------
    K
        Number of arms.
    delta
        How often the certificate may fail.
    beta
        A number in (0, 1], or several, which then share delta. If None, 24 numbers that suit any
        number of duels. A single one chosen for T duels, about sqrt(ln(K / delta) / (16 K T)),
        gives a sharper certificate at T. Above 1/16 the certificate is weaker, with 2 ln(K /
        delta).
    only_answered
        Whether only answered duels of two different arms count. Add the others, too, with the
        outcome None if there was no answer, so that `asked` is known.

    Examples
    --------
    >>> import sparring
    >>> learner = sparring.dex3p(K=3, T=10_000, seed=1)
    >>> certificate = Certificate(K=3, delta=0.05)
    >>> for _ in range(1000):
    ...     duel = learner.ask()
    ...     outcome = 0.5 + 0.5 * ((duel.row < duel.col) - (duel.row > duel.col))  # the first arm
    ...     learner.tell(duel, outcome)
    ...     certificate.add(duel, outcome)
    >>> certificate.rounds, certificate.regret_bounds.shape
    (1000, (3,))
    """

    KIND = "certificate"

    def __init__(
        self,
        K: int,
        delta: float = 0.05,
        beta: float | Sequence[float] | None = None,
        *,
        only_answered: bool = False,
    ) -> None:
        super().__init__()
        self._K = arms(K)
        self._delta = _delta(delta)
        self._betas = _betas(beta)
        self._rates = RATE * self._betas
        self._weights = np.where(self._rates <= TOGETHER, 0.5, 1.0)  # of the logarithms
        self._only_answered = checks.flag("only_answered", only_answered)
        self._sums = Sums.zero(len(self._betas), self.K)

    def __repr__(self) -> str:
        return (
            f"<Certificate K={self.K}, delta={self.delta:g}, {len(self._betas)} beta; "
            f"{self.rounds} duels in {self.segments} segments>"
        )

    @property
    def K(self) -> int:
        """Number of arms."""
        return self._K

    @property
    def delta(self) -> float:
        """How often the certificate may fail."""
        return self._delta

    @property
    def only_answered(self) -> bool:
        """Whether only answered duels of two different arms count."""
        return self._only_answered

    @property
    def condition(self) -> str:
        """What must be true for the certificate to hold."""
        return conditions.ONLY_ANSWERED if self.only_answered else conditions.ALL

    @property
    def rounds(self) -> int:
        """Duels that count so far; with `only_answered` these are the `answered` ones."""
        return self._sums.rounds

    @property
    def answered(self) -> int:
        """Duels that have an outcome, of those in `asked`."""
        return self._sums.rounds

    @property
    def asked(self) -> int | None:
        """Duels of two different arms that were asked; None if unknown."""
        return self.rounds + self._sums.unanswered if self._sums.unanswered else None

    @property
    def segments(self) -> int:
        """One more than the cuts so far."""
        return self._sums.segments

    @property
    def estimates(self) -> Floats:
        """(K,): an unbiased estimate of the regret to each arm."""
        sums = conditions.demand_independent(self._sums)
        return sums.past_estimate + sums.estimate

    @property
    def standard_errors(self) -> Floats:
        """(K,): standard errors of the estimates; their squares are not too small on average."""
        return np.asarray(np.sqrt(conditions.demand_independent(self._sums).variance) / 4)

    @property
    def regret_bounds(self) -> Floats:
        """(K,): upper bounds on the regret to each arm; T/2 if nothing better is known."""
        sums = conditions.demand_independent(self._sums)
        slack = self._weights * math.log(self.K * len(self._betas) / self.delta)
        chance = (sums.past_charges + sums.charges + slack[:, None]) / self._rates[:, None]
        found = sums.past_estimate + sums.estimate + chance.min(axis=0)
        return np.asarray(np.minimum(found, sums.rounds / 2))

    @property
    def static(self) -> float:
        """An upper bound on SR_T, the regret to the best arm in hindsight."""
        return float(self.regret_bounds.max())

    @property
    def dynamic(self) -> float:
        """An upper bound on the regret to the best arm of each segment between cuts.

        The sum over segments of the largest estimate + sum of psi / (8 beta), and
        (S ln K + ln(1 / delta)) / (16 beta) (docs/theory.md, Theorem 7).
        """
        sums = conditions.demand_independent(self._sums)
        slack = sums.segments * math.log(self.K) + math.log(len(self._betas) / self.delta)
        found = sums.closed + self._best_arms(sums) + self._weights * slack / self._rates
        return float(min(found.min(), sums.rounds / 2))

    @property
    def lemma_bounds(self) -> Floats:
        """(K,): like `regret_bounds`, from the paper's own estimate and Lemma A.1; less sharp.

        1/2 [sum of ghat+(j) + sum of ghat-(j) - T] + ln(2 K / delta) / beta. This and
        `regret_bounds` hold with probability 1 - delta each. It says nothing, T/2, if arms differ
        by design: the lemma is for independent arms.
        """
        sums, betas = conditions.demand_independent(self._sums), self._betas[:, None]
        slack = math.log(2 * self.K * len(self._betas) / self.delta)
        chance = (betas * sums.inverse / 2 + slack / betas).min(axis=0)
        return np.asarray(np.minimum(sums.wins - sums.rounds / 2 + chance, sums.rounds / 2))

    @property
    def vacuous(self) -> bool:
        """Whether `static` says nothing: no learner loses more than 1/2 a round anyway."""
        return self.static >= self.rounds / 2

    def add(self, duel: Duel, outcome: float | None) -> None:
        """Add a duel and its outcome: 1 if the row arm won, 0 if the column arm won, 0.5 a tie.

        An outcome of None, for no answer, is only allowed with `only_answered`.
        """
        if not isinstance(duel, Duel):
            raise checks.refuse("duel", "a sparring.Duel", duel, "add_many takes arrays")
        answered = outcome is not None
        remedy = "1 is a win of the row arm, 0 of the column arm, 0.5 a tie"
        if not (answered or self.only_answered):
            raise checks.refuse("outcome", "a number in [0, 1]", outcome, conditions.REMEDY)
        o = checks.real("outcome", outcome, low=0, high=1, remedy=remedy) if answered else 0.5
        p = checks.array("p", duel.p, np.float64, (None, None))
        demand_players(len(p))
        row, col = (np.array([checks.whole(n, getattr(duel, n), low=0)]) for n in ("row", "col"))
        differ = np.array([checks.flag("differ", duel.differ)])
        self.add_many(row, col, np.array([o]), p[None], differ, np.array([answered]))

    def add_many(
        self, rows: Any, cols: Any, outcomes: Any, p: Any, differ: Any = None, answered: Any = None
    ) -> None:
        """Add n duels: arms and outcomes of shape (n,), probabilities (n, players, K).

        `differ`, of shape (n,), says which were drawn given that their arms differ; none if None.
        `answered`, of shape (n,), says which have an outcome; all if None. If one of them is
        impossible, none is added. Once arms turn out to be coupled, the certificate refuses every
        request.
        """
        rows = checks.array("rows", rows, np.int64, (None,))
        n = len(rows)
        cols = checks.array("cols", cols, np.int64, (n,))
        outcomes = checks.array("outcomes", outcomes, np.float64, (n,))
        p = checks.array("p", p, np.float64, (n, None, self.K))
        differ = np.zeros(n, np.bool_) if differ is None else differ
        differ = checks.array("differ", differ, np.bool_, (n,))
        answered = np.ones(n, np.bool_) if answered is None else answered
        answered = checks.array("answered", answered, np.bool_, (n,))
        if not (self.only_answered or answered.all()):
            raise checks.refuse("answered", "true of every duel", False, conditions.REMEDY)
        outcomes = np.where(answered, outcomes, 0.5)
        try:
            check_duels(rows, cols, outcomes, p, differ)
        except ImpossibleDuelError as error:
            if n == 1:
                raise
            which = f"duel {error.at + 1:,} of {n:,}"
            raise ImpossibleDuelError(f"{which}: {error}", error.at) from None
        missing = 0
        if self.only_answered:
            apart = rows != cols
            missing, counts = int((apart & ~answered).sum()), apart & answered
            rows, cols, outcomes, p = (part[counts] for part in (rows, cols, outcomes, p))
            differ = np.ones(len(rows), np.bool_)
        with self._turn:
            sums = self._sums.copy()
            kernels.add(rows, cols, outcomes, p, differ, self._rates, *sums.growing())
            rounds, unanswered = sums.rounds + len(rows), sums.unanswered + missing
            self._sums = replace(sums, rounds=rounds, unanswered=unanswered)
        conditions.demand_independent(self._sums)

    def cut(self) -> None:
        """Begin a new segment, in which the benchmark may be another arm.

        When to cut may depend on the duels so far, but not on later ones.
        """
        with self._turn:
            sums = self._sums
            if sums.rounds == 0:
                raise ValueError("there is nothing to cut yet: add a duel first")
            self._sums = replace(
                sums,
                segments=sums.segments + 1,
                closed=sums.closed + self._best_arms(sums),
                past_estimate=sums.past_estimate + sums.estimate,
                past_charges=sums.past_charges + sums.charges,
                estimate=np.zeros_like(sums.estimate),
                charges=np.zeros_like(sums.charges),
            )

    def snapshot(self) -> dict[str, Any]:
        """Everything the certificate knows, for `json.dumps`; `from_snapshot` continues from it."""
        fields = {"K": self.K, "delta": self.delta, "betas": self._betas.tolist()}
        fields["only_answered"] = self.only_answered
        return snapshots.seal(self.KIND, {**fields, **self._sums.to_json()})

    @classmethod
    def from_snapshot(cls, snapshot: dict[str, Any]) -> "Certificate":
        """The certificate that the snapshot was taken from; it continues bit for bit."""
        fields = snapshots.Fields(snapshot, cls.KIND)
        K, betas = fields.read("K", arms), fields.read("betas", lambda it: _betas(list(it)))
        sizes = [fields.read(name, np.shape) for name in ("wins", "inverse")]
        fields.demand("K", (K,) in sizes)  # before there is room for K arms
        only = fields.read("only_answered", lambda it: checks.flag("only_answered", it))
        found = cls(K, fields.read("delta", _delta), betas.tolist(), only_answered=only)
        found._sums = Sums.from_json(fields, len(betas), K)
        fields.verify(found.snapshot())
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by snapshot."""
        return type(self).from_snapshot, (self.snapshot(),)

    def _best_arms(self, sums: Sums) -> Floats:
        """For each beta, the largest sum of an arm on the segment that is open."""
        return np.asarray((sums.estimate + sums.charges / self._rates[:, None]).max(axis=1))


def _delta(delta: float) -> float:
    return checks.real("delta", delta, low=1e-300, high=1)


def _betas(beta: float | Sequence[float] | None) -> Floats:
    """The values of beta, checked."""
    if beta is None:
        return np.array(GRID)
    given = [beta] if np.ndim(beta) == 0 else list(beta)  # type: ignore[arg-type]
    if not given:
        raise checks.refuse("beta", "one or more numbers", beta)
    return np.array([checks.real("beta", b, low=1e-12, high=1) for b in given])
