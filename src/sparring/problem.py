"""The vocabulary: Problem, Tuning, Block, Plays and Duel."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks

LONGEST = 10**18  # rounds: one a nanosecond for thirty years
SMALLEST_SHARE = 1e-100  # with less, a weight might leave the doubles before the share refills it
SMALLEST_MIXING = 1e-50  # with less, gamma / K would not dwarf the weight of an arm asleep


def arms(K: Any, *, most: int = 2**31, remedy: str = "") -> int:
    """K, checked."""
    number = checks.whole("K", K, low=2, remedy="A duel needs two arms")
    if number > most:
        raise checks.refuse("K", f"at most {most:,}", K, remedy)
    return number


def rounds(T: Any) -> int:
    """T, checked."""
    return checks.whole("T", T, low=1, high=LONGEST)


def segments(S: Any, T: int) -> int:
    """S, checked: each of the S segments has at least one round."""
    number = checks.whole("S", S, low=1, remedy="S counts segments: 1 if nothing changes")
    if number > T:
        raise checks.refuse("S", f"at most T = {T}", number, "Each segment has a round")
    return number


def demand_one(S: Any, V_T: Any, *, needed: bool = False, remedy: str = "") -> None:
    """Refuse S together with V_T, as each has its own plan; refuse neither if one is needed."""
    given = (S is not None) + (V_T is not None)
    if given > 1 or (needed and not given):
        hint = f". {remedy}" if remedy else ""
        raise ValueError(f"give S or V_T, not both; got S={S}, V_T={V_T}{hint}")


@dataclass(frozen=True)
class Problem:
    """The four sizes that the theorems are about.

    Parameters
    ----------
    K
        Number of arms, at least 2.
    T
        Number of rounds.
    S
        Number of segments of the benchmark: one more than its changes, so 1 if it never changes.
    V_T
        Continuous variation, the sum over rounds of the largest change of an entry of P.

    Examples
    --------
    >>> Problem(K=10, T=1e6, S=10)
    Problem(K=10, T=1000000, S=10, V_T=None)
    """

    K: int
    T: int
    S: int | None = None
    V_T: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "K", arms(self.K))
        object.__setattr__(self, "T", rounds(self.T))
        if self.S is not None:
            object.__setattr__(self, "S", segments(self.S, self.T))
        if self.V_T is not None:
            remedy = "No entry moves by more than 1 a round"
            object.__setattr__(
                self, "V_T", checks.real("V_T", self.V_T, low=0, high=self.T, remedy=remedy)
            )


@dataclass(frozen=True)
class Tuning:
    """The four numbers that tune a learner: eta, gamma, beta and alpha of Algorithm 2.

    Parameters
    ----------
    eta
        Learning rate.
    gamma
        Mixing: the share of the probability that is uniform over the arms.
    beta
        Bias added to each gain estimate; 0 for none.
    alpha
        Share: in every round each weight gets e alpha of the sum of all weights; 0 for none.

    Examples
    --------
    >>> Tuning(eta=0.01, gamma=0.1, beta=0.001)
    Tuning(eta=0.01, gamma=0.1, beta=0.001, alpha=0.0)
    """

    eta: float
    gamma: float
    beta: float = 0.0
    alpha: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "eta", checks.real("eta", self.eta, low=0, high=float("inf")))
        object.__setattr__(
            self, "gamma", checks.real("gamma", self.gamma, low=SMALLEST_MIXING, high=1)
        )
        object.__setattr__(self, "beta", checks.real("beta", self.beta, low=0, high=1))
        object.__setattr__(self, "alpha", checks.real("alpha", self.alpha, low=0, high=1))
        if 0 < self.alpha < SMALLEST_SHARE:
            raise checks.refuse("alpha", f"0 or at least {SMALLEST_SHARE:g}", self.alpha)


class Block(NamedTuple):
    """Some preference matrices and for how many rounds each holds."""

    P: NDArray[np.float64]
    """(m, K, K): the matrices; P[i, j] is the probability that i beats j."""
    hold: NDArray[np.int64]
    """(m,): the rounds that each one lasts."""


class Plays(NamedTuple):
    """The arms that were shown, round by round."""

    rows: NDArray[np.int64]
    cols: NDArray[np.int64]


class Duel(NamedTuple):
    """The token between `ask` and `tell`: the two arms, and the distributions they were drawn from.

    Examples
    --------
    >>> duel = Duel(t=1, row=0, col=1, p=np.array([[0.5, 0.5]]), learner="a1")
    >>> Duel.from_json(duel.to_json()).row
    0
    """

    t: int
    """The round, from 1 as in the paper."""
    row: int
    """k_{+1,t}: the arm that won if the outcome is 1."""
    col: int
    """k_{-1,t}: the arm that won if the outcome is 0."""
    p: NDArray[np.float64]
    """(players, K): what the arms were drawn from, independently, at the time of asking: a row for
    each, or one for both. Empty if they were drawn in another way, unless `differ` says how."""
    learner: str = ""
    """Which learner asked."""
    names: tuple[str, str] | None = None
    """The names of the row and the column arm, if arms have names."""
    differ: bool = False
    """Whether they were drawn given that they differ: i and j with chance p(i) p(j) / D, where D is
    the sum of p (1 - p); for two distributions, p(i) q(j) / (1 - sum of p q)."""
    selves: tuple["Duel", ...] = ()
    """The self-duels that `ask(distinct=True)` has told as ties before this one. They are not in
    its JSON: log each as its own duel, with the outcome 0.5."""

    def __eq__(self, other: object) -> bool:
        """Whether all fields are equal, the distributions in every entry."""
        if not isinstance(other, Duel) or self._label() != other._label():
            return False
        return np.array_equal(self.p, other.p) or (_is_empty(self.p) and _is_empty(other.p))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._label())

    def _label(self) -> tuple[int, int, int, str]:
        return self.t, self.row, self.col, self.learner

    def to_json(self) -> dict[str, Any]:
        """The duel as a dictionary for `json.dumps`, exact to the last bit."""
        fields = {**self._asdict(), "p": self.p.tolist()}
        del fields["selves"]
        for name in ("names", "differ"):
            if not fields[name]:
                del fields[name]
        return fields

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Duel":
        """The duel that `to_json` wrote."""
        if not isinstance(fields, dict):
            raise checks.DuelError(
                f"expected the dictionary of Duel.to_json; got {type(fields).__name__}: text goes "
                "through json.loads first"
            )
        try:
            duel = cls(**fields)
            t, row, col = (
                checks.whole(name, getattr(duel, name), low=0) for name in ("t", "row", "col")
            )
            p = checks.array("p", duel.p, np.float64, (None, None))
            differ = checks.flag("differ", duel.differ)
        except (TypeError, ValueError) as error:
            raise checks.DuelError(f"not a duel as Duel.to_json writes it: {error}") from None
        names = duel.names
        if names is not None:
            if not isinstance(names, (list, tuple)) or len(names) != 2:
                raise checks.DuelError(f"names must be two; got {checks.short(names)}")
            names = (str(names[0]), str(names[1]))
        return cls(t, row, col, p, str(duel.learner), names, differ)


def duel_outcome(duel: Duel, answer: str) -> float:
    """The outcome that an answer in words stands for: the winner's name, or "tie"."""
    names = getattr(duel, "names", None)
    if names is None:
        remedy = "1 is a win of the row arm, 0 of the column arm, 0.5 a tie; named() gives names"
        raise checks.refuse("outcome", "a number in [0, 1]", answer, remedy)
    outcomes = {names[0]: 1.0, names[1]: 0.0, checks.TIE: 0.5}
    if names[0] == names[1]:
        outcomes[names[0]] = 0.5
    if answer not in outcomes:
        raise checks.refuse("outcome", f"one of {list(outcomes)}", answer)
    return outcomes[answer]


def _is_empty(p: Any) -> bool:
    """Whether it is an array or a list without entries; it may be any object."""
    return p.size == 0 if isinstance(p, np.ndarray) else isinstance(p, (list, tuple)) and not p
