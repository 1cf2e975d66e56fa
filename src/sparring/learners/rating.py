"""Rating and BradleyTerry: learners that know an arm by one number and its uncertainty."""

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import _strengths as strengths
from sparring import checks
from sparring._kernels import bradley_terry as fitting
from sparring._kernels import pairing as rules
from sparring._kernels import rating as kernels
from sparring.learners.compiled import Built, Compiled, Kernels
from sparring.problem import LONGEST
from sparring.streams import Seed

PAIRINGS = {
    "random": rules.ANY,
    "near": rules.NEAR,
    "greedy": rules.GREEDY,
    "thompson": rules.THOMPSON,
    "top two": rules.TOP_TWO,
}
SYSTEMS = {"elo": kernels.ELO, "glicko2": kernels.GLICKO2, "trueskill": kernels.TRUESKILL}
POINTS = 400 / math.log(10)  # of Elo and Glicko, in log-odds
BEGIN = {"elo": 1500.0, "glicko2": 1500.0, "trueskill": 25.0}
GAMES = 10  # of each arm in a period: Glickman advises at least 10 to 15
PROBIT = 1.702  # the logistic function of this times x is the normal law's of x, to 0.01
HIGHEST = 1e6  # rating that a snapshot may have
HIGHEST_LOGIT = 50.0  # the same for Glicko-2, which divides by the variance of an outcome
LONGEST_HALF_LIFE = 1e12


class Number(NamedTuple):
    """A number that tunes a system: its usual value and its range."""

    usual: float
    low: float
    high: float


NUMBERS: dict[str, dict[str, Number]] = {
    "elo": {"factor": Number(32.0, 1e-3, 1e3)},
    "glicko2": {
        "deviation": Number(350.0, 10.0, 2000.0),
        "volatility": Number(0.06, 1e-6, 1.0),
        "tau": Number(0.5, 0.01, 10.0),
    },
    "trueskill": {
        "deviation": Number(25 / 3, 1e-2, 1e3),
        "beta": Number(25 / 6, 1e-2, 1e3),
        "dynamics": Number(25 / 300, 0.0, 1e3),
    },
}


class Rating(Compiled):
    """A learner that uses the ratings of Elo, Glicko-2 or TrueSkill.

    Use the named learners (`elo`, `glicko2`, `trueskill`), which are explained there.

    Parameters
    ----------
    K
        Number of arms.
    system
        "elo", "glicko2" or "trueskill".
    pairing
        "random", "near", "greedy", "thompson" or "top two", as for `glicko2`; for Elo one of the
        first three.
    explore
        The share of random pairs if `pairing` is "greedy".
    period
        Duels in a rating period of Glicko-2; None for 5 K, so that an arm has ten on average.
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.
    numbers
        What tunes the system: `factor` of Elo; `deviation`, `volatility` and `tau` of Glicko-2;
        `deviation`, `beta` and `dynamics` of TrueSkill; the usual values if not given.

    Examples
    --------
    >>> learner = Rating(3, system="elo", pairing="random", factor=20, seed=1)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> float(learner.ratings[duel.row])
    1510.0
    """

    KIND = "ratings"
    KERNELS: ClassVar[Kernels] = kernels
    WATCHES = True
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = dict.fromkeys(
        ("mu", "variance", "volatility", "gain", "bend"), (0,)
    )

    def __init__(
        self,
        K: int,
        *,
        system: str,
        pairing: str,
        explore: float = 0.1,
        period: int | None = None,
        seed: Seed = None,
        **numbers: float,
    ) -> None:
        if not isinstance(system, str) or system not in SYSTEMS:
            raise checks.refuse("system", f"one of {sorted(SYSTEMS)}", system)
        options: dict[str, Any] = {"system": system, **paired(pairing, explore)}
        if system == "elo" and pairing in ("thompson", "top two"):
            remedy = "Elo's ratings have no doubt to draw from; glicko2's have"
            raise checks.refuse("pairing", "'random', 'near' or 'greedy'", pairing, remedy)
        known = NUMBERS[system]
        if other := sorted(numbers.keys() - known.keys()):
            raise checks.refuse(f"what tunes {system}", f"among {sorted(known)}", other[0])
        if period is not None:
            if system != "glicko2":
                raise checks.refuse("period", "None: only Glicko-2 has rating periods", period)
            period = checks.whole("period", period, low=1, high=LONGEST)
        options["period"] = period
        for name, (usual, low, high) in known.items():
            options[name] = checks.real(name, numbers.get(name, usual), low=low, high=high)
        super().__init__(K, options, seed)

    def _build(self, *_: Any, system: str, **options: Any) -> Built:
        K = self.K
        first = (options.get("deviation", 0.0) / self._unit) ** 2
        beta = options.get("beta", 1.0)
        memory = kernels.Ratings(
            mu=np.zeros(K),
            variance=np.full(K, first),
            volatility=np.full(K, options.get("volatility", 0.0)),
            gain=np.zeros(K),
            bend=np.zeros(K),
            told=np.zeros(1, np.int64),
            words=np.zeros(4, np.uint64),
        )
        numbers = kernels.RatingNumbers(
            K=K,
            system=SYSTEMS[system],
            pairing=PAIRINGS[options["pairing"]],
            explore=options["explore"],
            scale=PROBIT / (math.sqrt(2) * beta) if system == "trueskill" else 1.0,
            first=first,
            step=options.get("factor", 0.0) / POINTS,
            period=options["period"] or GAMES * K // 2,
            tau=options.get("tau", 1.0),
            beta2=beta**2,
            pace=2 * options.get("dynamics", 0.0) ** 2 / K,
        )
        return Built(memory, numbers, players=0, note=0)

    def _possible(self) -> bool:
        m, first = self._memory, kernels.RatingNumbers(*self._numbers).first
        doubtful, games = self._options["system"] == "glicko2", 1.0 + m.told[0]
        fits = [
            (m.told >= 0) & (m.told <= LONGEST),
            abs(m.mu) <= (HIGHEST_LOGIT if doubtful else HIGHEST),
            (m.variance >= 1e-9 * first) & (m.variance <= first),
            (m.volatility >= (1e-7 if doubtful else 0.0)) & (m.volatility <= 10.0),
            (m.bend >= 0) & (m.bend <= games),
            (abs(m.gain) <= games) & ((m.bend > 0) | (m.gain == 0)),
        ]
        return all(bool(part.all()) for part in fits)

    @property
    def _unit(self) -> float:
        return 1.0 if self._options["system"] == "trueskill" else POINTS

    @property
    def ratings(self) -> NDArray[np.float64]:
        """(K,): the ratings, in the points of the system."""
        with self._turn:
            return np.asarray(BEGIN[self._options["system"]] + self._unit * self._memory.mu)

    @property
    def deviations(self) -> NDArray[np.float64]:
        """(K,): the standard deviation of each rating, in the same points; 0 for Elo."""
        with self._turn:
            return np.asarray(self._unit * np.sqrt(self._memory.variance))

    @property
    def favourite(self) -> int:
        """The arm it thinks best at present: the one rated highest."""
        return int(np.argmax(self.ratings))


class BradleyTerry(Compiled):
    """A learner that uses Bradley-Terry strengths and forgets; use `bradley_terry`.

    Parameters
    ----------
    K
        Number of arms.
    pairing, explore, half, deviation
        As for `bradley_terry`; `half` is 100 K if None.
    seed
        An int, a SeedSequence, a numpy Generator (which gives four words of it) or None.

    Examples
    --------
    >>> learner = BradleyTerry(3, pairing="random", seed=1)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> learner.favourite == duel.row
    True
    """

    KIND = "strengths"
    MOST_ARMS = 5_000  # nearly half a gigabyte
    KERNELS: ClassVar[Kernels] = fitting
    WATCHES = True
    ARMS: ClassVar[dict[str, tuple[int, ...]] | None] = {
        "mu": (0,),
        "information": (0,),
        "met": (0, 1),
        "won": (0, 1),
    }

    def __init__(
        self,
        K: int,
        *,
        pairing: str,
        explore: float = 0.1,
        half: float | None = None,
        deviation: float = 1.0,
        seed: Seed = None,
    ) -> None:
        options = paired(pairing, explore)
        if half is not None:
            half = checks.real("half", half, low=1, high=LONGEST_HALF_LIFE)
        deviation = checks.real("deviation", deviation, low=0.01, high=100)
        super().__init__(K, {**options, "half": half, "deviation": deviation}, seed)

    def _build(self, *_: Any, **options: Any) -> Built:
        K, ridge = self.K, options["deviation"] ** -2
        memory = fitting.Fitted(
            mu=np.zeros(K),
            information=np.full(K, ridge),
            met=np.zeros((K, K)),
            won=np.zeros((K, K)),
            state=np.zeros(strengths.SIZE),
            told=np.zeros(1, np.int64),
            variance=np.zeros(K),
            words=np.zeros(4, np.uint64),
        )
        memory.state[strengths.SIDE_INFORMATION] = strengths.CERTAIN
        numbers = fitting.FittedNumbers(
            K=K,
            pairing=PAIRINGS[options["pairing"]],
            explore=options["explore"],
            scale=1.0,
            ridge=ridge,
            half=options["half"] or 100.0 * K,
            block=max(strengths.FIRST, K),
        )
        return Built(memory, numbers, players=0, note=0)

    @classmethod
    def _largest(cls, K: int, *_: Any, **options: Any) -> int:
        return K * K

    def _possible(self) -> bool:
        m, ridge = self._memory, fitting.FittedNumbers(*self._numbers).ridge
        told = float(m.told[0])
        state = m.state
        known = (strengths.SIDE, strengths.SIDE_INFORMATION)
        fits = 0 <= told <= LONGEST and tuple(state[list(known)]) == (0.0, strengths.CERTAIN)
        passed = state[[strengths.VOTES, strengths.SINCE, strengths.ORIGIN, strengths.LATEST]]
        fits &= bool((passed >= 0).all() and (passed <= told).all())
        fits &= bool((abs(m.mu) <= HIGHEST).all() and (m.information >= ridge * 0.999).all())
        fits &= bool((m.won >= 0).all() and (m.won <= m.met).all())
        return fits and not m.met.diagonal().any()

    @property
    def strengths(self) -> NDArray[np.float64]:
        """(K,): the strengths, in log-odds."""
        with self._turn:
            return np.asarray(self._memory.mu.copy())

    @property
    def deviations(self) -> NDArray[np.float64]:
        """(K,): the standard deviation of each strength if the others are known."""
        with self._turn:
            return np.asarray(1 / np.sqrt(self._memory.information))

    @property
    def favourite(self) -> int:
        """The arm it thinks best at present: the strongest."""
        return int(np.argmax(self.strengths))


def paired(pairing: str, explore: float) -> dict[str, Any]:
    """How pairs are chosen, checked."""
    if not isinstance(pairing, str) or pairing not in PAIRINGS:
        raise checks.refuse("pairing", f"one of {sorted(PAIRINGS)}", pairing)
    return {"pairing": pairing, "explore": checks.real("explore", explore, low=0, high=1)}
