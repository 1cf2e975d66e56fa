"""The guarantees to test, on which worlds, and at sizes at which they say something."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from inspect import signature

import numpy as np

from sparring import bounds, tunings
from sparring.bounds import Upper
from sparring.problem import Problem, Tuning
from sparring.regret import Regret
from sparring.segments import equal_cuts
from sparring.simulation import Entrant
from sparring.worlds import (
    CondorcetSwitches,
    Constant,
    FreshWinner,
    GaussianWalk,
    PreferenceSequence,
    RotatingWinner,
)

DELTA = 0.05
STATIC, DYNAMIC = Regret("preference", "horizon"), Regret("preference", "stretch")
RESPONSE, WINNER = Regret("preference", "round"), Regret("preference", "condorcet")
SCORES, SCORES_OF_ROUNDS = Regret("borda", "stretch"), Regret("borda", "round")


@dataclass(frozen=True)
class BoundCase:
    """A theorem's bound on the regret of a learner on a world."""

    name: str
    says: str
    world: PreferenceSequence | None
    """None for the adversary that looks at the learner."""
    problem: Problem
    entrant: Entrant
    regret: Regret
    bound: float
    printed: bool = False
    """Whether it is as the paper prints it, and need not hold."""
    delta: float = DELTA


@dataclass(frozen=True)
class CertificateCase:
    """The certificate of a learner's log, at many moments of a run, for all arms."""

    name: str
    world: PreferenceSequence | None
    """None for the adversary that looks at the learner."""
    problem: Problem
    entrant: Entrant
    cuts: tuple[int, ...] = ()
    delta: float = DELTA


Case = BoundCase | CertificateCase


def cases(K: int = 3, T: int = 100_000, rounds: int = 2000) -> tuple[Case, ...]:
    """All of them; certificates are read along `rounds`, as these runs are asked and told."""
    return (*of_bounds(K, T), *as_printed(), *of_certificates(K, rounds))


def of_bounds(K: int, T: int, S: int = 3, V_T: float = 0.5) -> tuple[BoundCase, ...]:
    """The upper bounds, with the theorems' tunings and with the best ones."""
    one, some, drift = Problem(K, T, S=1), Problem(K, T, S=S), Problem(K, T, V_T=V_T)
    two = Problem(2, T, V_T=V_T)  # among two arms a block has two winners at most
    fresh, turning = FreshWinner(K, T, S=S), RotatingWinner(K, T, V_T=V_T)
    static = ((GaussianWalk(K, T), STATIC), (CondorcetSwitches(K, T, S=1), STATIC), (None, STATIC))
    switching, watched = (fresh, DYNAMIC), (None, DYNAMIC)
    scores, watched_scores = (fresh, SCORES), (None, SCORES)
    winners = (RotatingWinner(2, T, V_T=V_T), WINNER)
    best = functools.partial(tunings.best, delta=DELTA)
    scored = functools.partial(best, gain="borda")
    known, borda = tunings.dex3s_known, tunings.borda_dex3s
    unknown = tunings.dex3s_unknown(some, corrected=True)
    corrected = tunings.dex3s_continuous(drift, corrected=True)
    continuous, scored_drift = bounds.dex3s_continuous, bounds.borda_dex3s_continuous
    six = bounds.sym_exp3six(K, T, S=S, delta=DELTA).probable.raw
    implicit = Entrant("sym_exp3six", S=S, delta=DELTA)
    dex3p = functools.partial(_cases, "dex3p", "Thm 3.3", bounds.dex3p, one)
    dex3s = functools.partial(_cases, "dex3s", "Thm 4.1 (1)", bounds.dex3s_known, some)
    drifting = functools.partial(_cases, "dex3s", "Thm 4.4", continuous, drift)
    scoring = functools.partial(_cases, "borda_dex3s", "Thm 6.1", bounds.borda_dex3s, some)
    return (
        *dex3p("DEX3.P", tunings.dex3p(one), *static),
        *dex3p("DEX3.P best", best(one), *static),
        *dex3s("DEX3.S as printed", known(some), switching),
        *dex3s("DEX3.S corrected", known(some, corrected=True), switching),
        *dex3s("DEX3.S best", best(some), switching, watched),
        *_cases(
            "dex3s",
            "Thm 4.1 (2)",
            bounds.dex3s_unknown,
            some,
            "DEX3.S, S unknown",
            unknown,
            switching,
        ),
        *drifting("DEX3.S corrected", corrected, (turning, RESPONSE)),
        *drifting("DEX3.S best", best(drift), (turning, RESPONSE)),
        *_cases(
            "dex3s",
            "Thm 4.4 (b)",
            bounds.dex3s_condorcet,
            two,
            "DEX3.S best",
            best(two),
            winners,
        ),
        *scoring("Borda-DEX3.S corrected", borda(some, delta=DELTA, corrected=True), scores),
        *scoring("Borda-DEX3.S best", scored(some), scores, watched_scores),
        *_cases(
            "borda_dex3s",
            "Sec. 6, drift",
            scored_drift,
            drift,
            "Borda-DEX3.S best",
            scored(drift),
            (turning, SCORES_OF_ROUNDS),
        ),
        BoundCase("SYM-EXP3-SIX", "Theorem 12", fresh, some, implicit, DYNAMIC, six),
    )


def as_printed() -> tuple[BoundCase, ...]:
    """A bound that fails as printed: App. B.1 subtracts beta K T where it should add it (E2)."""
    problem = Problem(K=10, T=20_000, S=1)
    tuning = Tuning(eta=0.002, gamma=0.044, beta=0.1, alpha=1 / 200_000)
    found = bounds.dex3s_known(problem.K, problem.T, 1, tuning=tuning, delta=DELTA)
    case = BoundCase(
        name="DEX3.S, beta = 0.1",
        says="App. B.1 as printed",
        world=Constant(np.full((problem.K, problem.K), 0.5), problem.T),
        problem=problem,
        entrant=Entrant("dex3s", tuning=tuning),
        regret=DYNAMIC,
        bound=found.printed.raw,
        printed=True,
    )
    corrected = replace(case, says="App. B.1 corrected", bound=found.probable.raw, printed=False)
    return case, corrected


def of_certificates(K: int, T: int) -> tuple[CertificateCase, ...]:
    """Logs of learners that an adversary watches, on switches, with cuts, and on a drift."""
    problem, S = Problem(K, T), 4
    fresh, rotating = FreshWinner(K, T, S=S), RotatingWinner(K, T, V_T=2.0)
    cuts = tuple(equal_cuts(T, S))
    tracking = Entrant("dex3s", S=S, corrected=True)
    return (
        CertificateCase("DEX3.P", None, problem, Entrant("dex3p")),
        CertificateCase("REX3", None, problem, Entrant("rex3")),
        CertificateCase("DEX3.S corrected", fresh, problem, tracking, cuts),
        CertificateCase("DEX3.S corrected", rotating, problem, tracking),
        CertificateCase("RAND", rotating, problem, Entrant("rand")),
    )


def _cases(
    learner: str,
    says: str,
    function: Callable[..., Upper],
    problem: Problem,
    name: str,
    tuning: Tuning,
    *places: tuple[PreferenceSequence | None, Regret],
) -> Iterator[BoundCase]:
    """A bound in several places."""
    takes = signature(function).parameters
    sizes = {size: value for size, value in asdict(problem).items() if size in takes}
    bound = function(**sizes, tuning=tuning, delta=DELTA).probable.raw
    for world, regret in places:
        yield BoundCase(name, says, world, problem, Entrant(learner, tuning=tuning), regret, bound)
