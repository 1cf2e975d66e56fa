"""Features: a learner for arms that are described by numbers; it can forget old answers."""

import math
import secrets
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sparring import _random as draws
from sparring import checks, streams
from sparring.checks import DuelError, SnapshotError
from sparring.contexts import _linear as kernels
from sparring.learners.snapshots import Fields, seal

KIND = "features"
RULES = {
    "max_pair": kernels.MAX_PAIR,
    "colstim": kernels.COLSTIM,
    "thompson": kernels.THOMPSON,
    "max_informative": kernels.MAX_INFORMATIVE,
}
WIDTHS = {"max_pair": 1.5, "colstim": 1.0, "thompson": 1.0, "max_informative": 1.5}
MEMORIES = (math.inf, 8_000.0, 2_000.0, 500.0)
"""The memories, in answers, that a learner uses by default."""
SHARE = 1e-3
MOST_FEATURES, MOST_ARMS = 1_000, 2_000  # so that no array has more than 32 MB


class FeatureDuel(NamedTuple):
    """Two arms that were asked for, and how their features differ."""

    t: int
    """The round, from 1."""
    row: int
    """The arm that won if the outcome is 1, as a row of the given features."""
    col: int
    """The arm that won if the outcome is 0."""
    z: NDArray[np.float64]
    """(d,): the row arm's features minus the column arm's; all that the answer teaches."""
    learner: str

    def __eq__(self, other: object) -> bool:
        """Whether all fields are equal, the features in every entry."""
        if not isinstance(other, FeatureDuel):
            return False
        same = (self.t, self.row, self.col, self.learner)
        return same == (other.t, other.row, other.col, other.learner) and np.array_equal(
            self.z, other.z
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.t, self.learner))


class Features:
    """Duels between arms with features: who wins depends on x(row) - x(col).

    P(i beats j) = 1 / (1 + exp(-(x(i) - x(j)) theta)) with an unknown theta that may drift. The
    learner keeps a Gaussian for theta. After each answer it takes one Newton step of the discounted
    log likelihood, in which an answer weighs 1 - 1/memory times as much as the next. It runs
    several memories, and the one that predicted best so far chooses; so you need not know the
    drift.

    Rules for pairs: "colstim" (CoLSTIM; Bengs, Saha and Huellermeier 2022) shows a winner perturbed
    by Gumbel noise and the arm that may beat it most clearly; "max_pair" (MaxPairUCB; Di et al.
    2024) the pair for which the two utilities and the deviation of their difference sum to most;
    "max_informative" (MaxInP; Saha 2021), of the arms that may be best, the two about whose
    difference least is known; "thompson" the winners under two draws of theta. With memory=math.inf
    these are the published rules up to constants and the one-step fit, for a fixed theta. There is
    no theorem for those that forget.

    If both arms are the same, there is nothing to ask: show that arm and tell 0.5. Only one thread
    may use a learner at a time.

    Parameters
    ----------
    d
        Number of features.
    rule
        "colstim", "max_pair", "max_informative" or "thompson".
    memory
        After how many answers an answer counts e times less; math.inf to forget nothing. Several
        may be given. None stands for 500, 2,000, 8,000 and math.inf.
    width
        How many standard deviations the rule explores.
    ridge
        The precision of theta before the first answer: its deviation is 1 / sqrt(ridge).
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> learner = Features(d=3, seed=1)
    >>> for _ in range(300):
    ...     X = rng.standard_normal((5, 3))  # five arms of this visitor
    ...     duel = learner.ask(X)
    ...     learner.tell(duel, 0.5 + 0.5 * np.sign(duel.z[0]))  # more of the first one wins
    >>> int(np.abs(learner.theta).argmax())
    0
    """

    def __init__(
        self,
        d: int,
        *,
        rule: str = "colstim",
        memory: float | tuple[float, ...] | None = None,
        width: float | None = None,
        ridge: float = 1.0,
        seed: streams.Seed = None,
    ) -> None:
        self.d = checks.whole("d", d, low=1, high=MOST_FEATURES)
        if not isinstance(rule, str) or rule not in RULES:
            raise checks.unknown("rule", rule, RULES)
        self.rule = rule
        self.memory = _memories(memory)
        width = WIDTHS[rule] if width is None else width
        self.width = checks.real("width", width, low=0, high=1e6)
        self.ridge = checks.real("ridge", ridge, low=1e-6, high=1e6)
        M = len(self.memory)
        keep = np.array([1.0 - 1.0 / length for length in self.memory])
        numbers = kernels.LinearNumbers(
            self.d, RULES[rule], keep, self.ridge, self.width, SHARE if M > 1 else 0.0
        )
        self._numbers = tuple(numbers)
        self._memory = kernels.Linear(
            theta=np.zeros((M, self.d)),
            V=np.repeat(np.eye(self.d)[None] / self.ridge, M, axis=0),
            weight=np.full(M, 1.0 / M),
            told=np.zeros(1, np.int64),
            words=draws.seeded(streams.generator(seed)),
        )
        self._owner = secrets.token_hex(8)
        self._open: dict[int, FeatureDuel] = {}
        self.t = 0

    def __repr__(self) -> str:
        made = f"d={self.d}, rule={self.rule!r}, memory={self.memory}, width={self.width:g}"
        return f"<Features {made}; t={self.t}, {len(self._open)} open>"

    @property
    def theta(self) -> NDArray[np.float64]:
        """(d,): the present estimate, from the memory that predicted best."""
        return np.asarray(self._memory.theta[kernels.heaviest(self._memory.weight)].copy())

    @property
    def weights(self) -> dict[float, float]:
        """How much each memory is trusted."""
        return dict(zip(self.memory, self._memory.weight.tolist(), strict=True))

    @property
    def open(self) -> Mapping[int, FeatureDuel]:
        """The duels asked for and not yet told, by round; a live view."""
        return MappingProxyType(self._open)

    def utilities(self, X: Any) -> NDArray[np.float64]:
        """(K,): the estimated utilities of arms with these features."""
        return np.asarray(self._checked(X) @ self.theta)

    def favourite(self, X: Any) -> int:
        """The arm it thinks best among arms with these features."""
        return int(self.utilities(X).argmax())

    def ask(self, X: Any) -> FeatureDuel:
        """Choose a pair among arms with features X, of shape (K, d); K may change."""
        features = self._checked(X)
        memory = self._memory._replace(words=self._memory.words.copy())
        room = scratch(len(features), self.d)
        row, col = kernels.ask(features, tuple(memory), room, self._numbers)
        row, col = int(row), int(col)
        z = features[row] - features[col]
        z.flags.writeable = False
        duel = FeatureDuel(self.t + 1, row, col, z, self._owner)
        self._memory, self._open[duel.t] = memory, duel
        self.t = duel.t
        return duel

    def tell(self, duel: FeatureDuel, outcome: float) -> None:
        """Learn the outcome: 1 row won, 0 column won, 0.5 a tie. It may come late, in any order."""
        o = checks.outcome(outcome)
        asked = self._asked(duel)
        if asked.row != asked.col:
            copies: Any = [part.copy() for part in self._memory]
            memory = kernels.Linear(*copies)
            kernels.tell(o, asked.z, tuple(memory), np.empty(self.d), self._numbers)
            self._memory = memory
        del self._open[asked.t]

    def forget(self, duel: FeatureDuel | None = None, *, before: int | None = None) -> int:
        """Drop an open duel, or all that were asked before a round; returns how many."""
        if (duel is None) == (before is None):
            raise ValueError("give a duel, or before=; not both")
        if duel is not None:
            stale = [self._asked(duel).t]
        else:
            first = checks.whole("before", before, low=0)
            stale = [t for t in self._open if t < first]
        for t in stale:
            del self._open[t]
        return len(stale)

    def snapshot(self) -> dict[str, Any]:
        """Everything it knows, for `json.dumps`; `from_snapshot` continues from it."""
        known = self._memory
        fields = {
            "d": self.d,
            "rule": self.rule,
            "memory": [None if math.isinf(length) else length for length in self.memory],
            "width": self.width,
            "ridge": self.ridge,
            "t": self.t,
            "id": self._owner,
            "theta": known.theta.tolist(),
            "V": known.V.tolist(),
            "weight": known.weight.tolist(),
            "told": known.told.tolist(),
            "words": [hex(word) for word in known.words.tolist()],
            "open": [[duel.t, duel.row, duel.col, duel.z.tolist()] for duel in self.open.values()],
        }
        return seal(KIND, fields)

    @classmethod
    def from_snapshot(cls, snapshot: dict[str, Any]) -> Self:
        """The learner that the snapshot was taken from; it continues bit for bit."""
        fields = Fields(snapshot, KIND)
        lengths = fields.read(
            "memory", lambda given: tuple(math.inf if one is None else one for one in given)
        )
        made = fields.read(
            "d",
            lambda d: cls(
                d,
                rule=fields.read("rule", str),
                memory=lengths,
                width=fields.read("width", float),
                ridge=fields.read("ridge", float),
                seed=0,
            ),
        )
        shapes = {name: part.shape for name, part in made._memory._asdict().items()}
        words = fields.read("words", lambda given: [int(word, 16) for word in given])
        told = fields.array("told", np.int64, shapes["told"])
        theta, V, weight = (
            fields.array(name, np.float64, shapes[name]) for name in ("theta", "V", "weight")
        )
        state = checks.array("words", np.array(words, np.uint64), np.uint64, (4,))
        made._memory = kernels.Linear(theta, V, weight, told, state)
        made.t = fields.read("t", lambda t: checks.whole("t", t, low=0))
        made._owner = fields.read("id", str)
        fields.demand("words", bool(made._memory.words.any()))
        fields.demand("told", bool(0 <= told[0] <= made.t))
        for t, row, col, z in fields.read("open", list):
            made._open[t] = made._reopened(t, row, col, z)
        fields.verify(made.snapshot())
        return made

    def _reopened(self, t: Any, row: Any, col: Any, z: Any) -> FeatureDuel:
        try:
            difference = checks.array("z", z, np.float64, (self.d,))
            places = [checks.whole("an arm", arm, low=0, high=MOST_ARMS) for arm in (row, col)]
            number = checks.whole("t", t, low=1, high=self.t)
        except ValueError as error:
            raise SnapshotError(f"the snapshot's field 'open' is damaged: {error}") from None
        return FeatureDuel(number, places[0], places[1], difference, self._owner)

    def _checked(self, X: Any) -> NDArray[np.float64]:
        """X as the kernels take it: finite, at least two arms, C-ordered, a copy."""
        features = checks.array("X", X, np.float64, (None, self.d)).copy()
        if not 2 <= len(features) <= MOST_ARMS:
            remedy = "One row for each arm of this round"
            found = checks.Shown(f"{len(features):,}")
            raise checks.refuse("the rows of X", f"2 to {MOST_ARMS:,}", found, remedy)
        if not (np.isfinite(features).all() and np.abs(features).max() <= 1e6):
            raise checks.refuse("X", "of finite numbers up to a million", X)
        return features

    def _asked(self, duel: Any) -> FeatureDuel:
        if not isinstance(duel, FeatureDuel):
            raise DuelError(f"expected what ask returned; got {checks.short(duel)}")
        asked = self._open.get(duel.t)
        if asked is None or asked != duel:
            raise DuelError(
                f"the duel of round {checks.short(duel.t)} is not open here: it was already "
                "told or forgotten, or asked elsewhere"
            )
        return asked


def scratch(K: int, d: int) -> tuple[NDArray[np.float64], ...]:
    """Scratch arrays: utilities, deviations, products, and a factor with two spare rows."""
    return np.empty(K), np.empty((K, K)), np.empty((K, d)), np.empty((d + 2, d))


def _memories(memory: Any) -> tuple[float, ...]:
    """The memories of a learner, checked."""
    if memory is None:
        return MEMORIES
    given = memory if isinstance(memory, (tuple, list)) else (memory,)
    found = tuple(
        math.inf
        if isinstance(one, float) and one == math.inf
        else checks.real("memory", one, low=2, high=1e15)
        for one in given
    )
    if not found or len(set(found)) < len(found):
        raise checks.refuse("memory", "one or more different numbers of answers", memory)
    return found
