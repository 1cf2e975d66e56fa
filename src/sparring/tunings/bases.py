"""The players of a sparring match, as values: which learner, and its numbers."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from sparring import checks
from sparring.problem import SMALLEST_MIXING, SMALLEST_SHARE

LARGEST_RATE = 100.0


@dataclass(frozen=True)
class Exp3:
    """EXP3 (Auer, Cesa-Bianchi, Freund and Schapire 2002), on rewards.

    p(k) = (1 - gamma) w(k) / sum w + gamma / K, and w(k) <- w(k) exp(gamma r / (K p(k))) for the
    arm k that was played.

    Parameters
    ----------
    gamma
        Mixing and learning rate.

    Examples
    --------
    >>> Exp3(0.1)
    Exp3(gamma=0.1)
    """

    gamma: float

    def __post_init__(self) -> None:
        _number(self, "gamma", SMALLEST_MIXING, 1)


@dataclass(frozen=True)
class Exp3SIX:
    """EXP3-SIX, and EXP3-IX if alpha = 0 (Neu 2015), on losses, with implicit exploration.

    p(k) <- (1 - alpha) p(k) exp(-eta l(k)) / Z + alpha / K, where l(k) = loss / (p(k) + gamma) for
    the arm played and 0 for others, and Z makes the first part sum to 1 - alpha.

    Parameters
    ----------
    eta
        Learning rate.
    gamma
        Implicit exploration: it cuts the peaks of the estimates, and no arm is played for it.
    alpha
        Share, on the updated and normalised weights.

    Examples
    --------
    >>> Exp3SIX(eta=0.01, gamma=0.005)
    Exp3SIX(eta=0.01, gamma=0.005, alpha=0.0)
    """

    eta: float
    gamma: float
    alpha: float = 0.0

    def __post_init__(self) -> None:
        _number(self, "eta", 0, LARGEST_RATE)
        _number(self, "gamma", SMALLEST_MIXING, 1 / SMALLEST_MIXING)
        _number(self, "alpha", 0, 1)
        if 0 < self.alpha < SMALLEST_SHARE:
            raise checks.refuse("alpha", f"0 or at least {SMALLEST_SHARE:g}", self.alpha)


@dataclass(frozen=True)
class TsallisINF:
    """Tsallis-INF (Zimmert and Seldin 2021) with importance weights, on losses; nothing to tune.

    p(k) = 4 / (eta_t (L(k) - x))^2 with eta_t = 2 / sqrt t and x such that it sums to 1, where
    L(k) is the sum of loss / p(k) over the rounds in which k was played.

    Examples
    --------
    >>> TsallisINF()
    TsallisINF()
    """


Base = Exp3 | Exp3SIX | TsallisINF
BASES: dict[str, type[Any]] = {kind.__name__: kind for kind in (Exp3, Exp3SIX, TsallisINF)}


def to_json(base: Base) -> dict[str, Any]:
    """A base for JSON."""
    return {"name": type(base).__name__, **asdict(base)}


def from_json(written: dict[str, Any]) -> Base:
    """The base that `to_json` wrote."""
    kind = BASES.get(str(written.get("name")))
    if kind is None or {"name", *(field.name for field in fields(kind))} != written.keys():
        raise checks.refuse("base", f"one of sparring's {', '.join(BASES)}", written)
    made: Base = kind(**{name: value for name, value in written.items() if name != "name"})
    return made


def _number(base: Any, name: str, low: float, high: float) -> None:
    """Check a number of a frozen base."""
    object.__setattr__(base, name, checks.real(name, getattr(base, name), low=low, high=high))
