"""Regret: a gain and a benchmark, for both players together or for one of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from sparring import checks
from sparring.problem import LONGEST

GAINS = ("preference", "borda")
WINDOWS = ("horizon", "stretch", "round")
WINNERS = ("condorcet", "von neumann")
SIDES = ("both", "row", "column", "weak", "strong")


@dataclass(frozen=True)
class Arms:
    """A benchmark j^T: the arms to compare with, and for how many rounds each.

    Without `rounds` there is one arm a round; equal neighbours are joined.

    Examples
    --------
    >>> Arms([3, 3, 3, 7])
    Arms(arms=(3, 7), rounds=(3, 1))
    """

    arms: Sequence[int]
    rounds: Sequence[int] | None = None

    def __post_init__(self) -> None:
        arms = checks.array("arms", self.arms, np.int64, (None,))
        rounds = np.ones_like(arms)
        if self.rounds is not None:
            rounds = checks.array("rounds", self.rounds, np.int64, (len(arms),))
        if not (len(arms) and arms.min() >= 0):
            raise checks.refuse("arms", "one or more arms, from 0", self.arms)
        if rounds.min() < 1 or sum(rounds.tolist()) > LONGEST:
            rule = f"at least 1 everywhere and at most {LONGEST:g} in all"
            raise checks.refuse("rounds", rule, self.rounds)
        starts = np.flatnonzero(np.append(True, arms[1:] != arms[:-1]))
        object.__setattr__(self, "arms", tuple(arms[starts].tolist()))
        object.__setattr__(self, "rounds", tuple(np.add.reduceat(rounds, starts).tolist()))

    def __str__(self) -> str:
        return "arms"

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Kept, since there may be millions of arms and a simulation looks them up all the time."""
        return hash((self.arms, self.rounds))


@dataclass(frozen=True)
class Mixture:
    """A benchmark that draws its arm from a fixed distribution pi.

    Examples
    --------
    >>> Mixture([0.25, 0.75])
    Mixture(pi=(0.25, 0.75))
    """

    pi: Sequence[float]

    def __post_init__(self) -> None:
        pi = tuple(checks.array("pi", self.pi, np.float64, (None,)).tolist())
        for probability in pi:
            checks.real("pi", probability, low=0, high=1)
        if abs(math.fsum(pi) - 1) > 1e-9:
            raise checks.refuse("pi", "probabilities that sum to 1", math.fsum(pi))
        object.__setattr__(self, "pi", pi)

    def __str__(self) -> str:
        return "mixture"


@dataclass(frozen=True)
class Regret:
    """How much more a benchmark would have gained than the arms that were played.

    Parameters
    ----------
    gain
        "preference": r_t(j) = (P_t(j, row) + P_t(j, col) - 1) / 2 (Sec. 2), or "borda":
        b_t(j) - (b_t(row) + b_t(col)) / 2 (Sec. 6).
    benchmark
        The best arm, in hindsight, of the "horizon" (SR_T), of each "stretch" of constant P (Remark
        4.2) or of each "round" (the best response); the "condorcet" winner of each round; the "von
        neumann" winner of the averaged matrix; `Arms` of your own; or a `Mixture`.
    side
        "both" players; or only the "row" player's regret, P_t(j, col) - P_t(row, col) or b_t(j) -
        b_t(row), or only the "column" player's, P_t(j, row) - P_t(col, row) or b_t(j) - b_t(col)
        (Sec. 3.2). "both" is the mean of these two for the same j. Where the benchmark is a known
        arm in each round, also "weak", min(P_t(j, row), P_t(j, col)) - 1/2, and "strong", with the
        maximum.

    Examples
    --------
    >>> print(Regret("preference", "stretch"))
    preference/stretch
    >>> print(Regret("preference", "condorcet", side="weak"))
    preference/condorcet/weak
    >>> Regret.from_json(Regret("borda", Arms([0, 0, 1])).to_json()).benchmark
    Arms(arms=(0, 1), rounds=(2, 1))
    """

    gain: str = "preference"
    benchmark: str | Arms | Mixture = "horizon"
    side: str = "both"

    def __post_init__(self) -> None:
        _one_of("gain", self.gain, GAINS)
        if not isinstance(self.benchmark, (Arms, Mixture)):
            remedy = "Or give sparring.regret.Arms or a sparring.regret.Mixture"
            _one_of("benchmark", self.benchmark, (*WINDOWS, *WINNERS), remedy)
        _one_of("side", self.side, SIDES)
        if self.side in ("weak", "strong"):
            if self.gain != "preference":
                raise checks.refuse("gain", f"'preference' for {self.side} regret", self.gain)
            if not self.follows:
                remedy = "It needs to know the arm of each round"
                rule = f"'condorcet' or Arms for {self.side} regret"
                raise checks.refuse("benchmark", rule, self.benchmark, remedy)

    def __str__(self) -> str:
        side = "" if self.side == "both" else f"/{self.side}"
        return f"{self.gain}/{self.benchmark}{side}"

    @property
    def follows(self) -> bool:
        """Whether the benchmark is one known arm in each round, or none."""
        return self.benchmark == "condorcet" or isinstance(self.benchmark, Arms)

    def to_json(self) -> dict[str, Any]:
        """The regret as a dictionary for `json.dumps`."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Regret":
        """The regret that `to_json` wrote."""
        try:
            benchmark = fields["benchmark"]
            if isinstance(benchmark, dict):
                benchmark = (Arms if "arms" in benchmark else Mixture)(**benchmark)
            return cls(fields["gain"], benchmark, fields["side"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a regret as Regret.to_json writes it: {error!r}") from None


def _one_of(name: str, value: Any, known: tuple[str, ...], remedy: str = "") -> None:
    if not isinstance(value, str) or value not in known:
        raise checks.refuse(name, f"one of {', '.join(map(repr, known))}", value, remedy)


# The paper's words: SR_T, DR_T to the arms of Remark 4.2 and to best responses, DBR_T.
WORDS: Mapping[str, Regret] = MappingProxyType(
    {
        "static": Regret("preference", "horizon"),
        "dynamic": Regret("preference", "stretch"),
        "best response": Regret("preference", "round"),
        "static borda": Regret("borda", "horizon"),
        "dynamic borda": Regret("borda", "stretch"),
    }
)


def regret_of(given: Regret | str, name: str = "regret") -> Regret:
    """A regret, given as such or by one of the paper's words.

    Examples
    --------
    >>> print(regret_of("dynamic"))
    preference/stretch
    """
    if isinstance(given, str) and given in WORDS:
        return WORDS[given]
    remedy = f"Or one of {', '.join(map(repr, WORDS))}"
    benchmarks = {regret.benchmark for regret in WORDS.values()}
    if isinstance(given, str) and given not in benchmarks:  # "stretch" looks like "static"
        remedy = f"{checks.meant(given, WORDS)} {remedy}".lstrip()
    return checks.instance(name, given, Regret, remedy)
