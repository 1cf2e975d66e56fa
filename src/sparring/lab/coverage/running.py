"""run: many runs of each guarantee, and how often it failed."""

import math
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from sparring import checks, streams
from sparring.certificates import Certificate
from sparring.lab.coverage.adversary import against_the_favourite, along, logged, watched
from sparring.lab.coverage.cases import BoundCase, Case, CertificateCase
from sparring.lab.coverage.judging import Covered, judge
from sparring.learners import ExponentialWeights
from sparring.simulation import simulate
from sparring.simulation.progress import progress_bar
from sparring.worlds.protocol import name_of

MOMENTS = 20  # of a run at which a certificate is read, more in the beginning
EXPERIMENT = "coverage"

Floats = NDArray[np.float64]


def run(
    cases: Iterable[Case],
    *,
    runs: int = 400,
    seed: int = 0,
    executor: Executor | None = None,
    progress: bool = False,
) -> list[Covered]:
    """Play each case many times, and count how often its guarantee fails.

    Parameters
    ----------
    cases
        From `cases()`.
    runs
        How many runs; with 400, a guarantee of 5% is refuted if it fails in more than 9.5% of
        them.
    seed
        The same seed gives the same runs.
    executor
        An executor for the bounds, whose runs can be parallel; certificates come one after another.
    progress
        Whether to show a bar with the time left.

    Examples
    --------
    >>> from sparring.lab.coverage.cases import as_printed
    >>> [case.holds for case in run(as_printed(), runs=10)]
    [False, True]
    """
    runs = checks.whole("runs", runs, low=1, high=10**6)
    cases = list(cases)
    work = sum(_work(case) for case in cases)
    with progress_bar(work, f"{len(cases)} guarantees", shown=progress) as tick:
        found = []
        for case in cases:
            if isinstance(case, CertificateCase):
                found.append(_certificates(case, runs, seed))
            else:
                found.append(_bounds(case, runs, seed, executor))
            tick(_work(case))
    return found


def _work(case: Case) -> float:
    """How much it is for a progress bar: rounds, at their prices as measured."""
    if isinstance(case, CertificateCase):
        return 200 * case.problem.T  # asked and told
    return case.problem.T * (6 if case.world is None else 1)


def _bounds(case: BoundCase, runs: int, seed: int, executor: Executor | None) -> Covered:
    """The regrets at the end, as parts of the bound."""
    if case.world is None:
        regrets = np.array([_watched(case, run, seed) for run in range(runs)])
    else:
        table = simulate(
            case.world,
            {case.name: case.entrant},
            case.regret,
            runs=runs,
            seed=seed,
            executor=executor,
            experiment=EXPERIMENT,
        )
        regrets = table.sort("run")["value"].to_numpy()
    if case.bound > 0:
        ratios = regrets / case.bound
    else:  # a part of it has no meaning: it fails or not
        ratios = np.where(regrets > case.bound, math.inf, 0.0)
    about = {"name": case.name, "says": case.says, "world": _place(case)}
    return judge(ratios, case.delta, **about, printed=case.printed, bound=case.bound)


def _watched(case: BoundCase, run: int, seed: int) -> float:
    learner = case.entrant(case.problem, _stream(case, "learner", run, seed))
    assert isinstance(learner, ExponentialWeights)
    T, S = case.problem.T, case.problem.S or 1
    coins = _stream(case, "coins", run, seed).random(T)
    return watched(learner, T, S, case.regret.gain, coins)


def _certificates(case: CertificateCase, runs: int, seed: int) -> Covered:
    """The worst moment and arm of each run: how much of the certificate's margin was needed."""
    ratios = np.array([max(_margins(case, run, seed)) for run in range(runs)])
    says = "certificate, cut" if case.cuts else "certificate"
    return judge(ratios, case.delta, name=case.name, says=says, world=_place(case))


def _margins(case: CertificateCase, run: int, seed: int) -> Iterator[float]:
    """At each moment, how much of the margin was needed."""
    K, T, world = case.problem.K, case.problem.T, case.world
    learner = case.entrant(case.problem, _stream(case, "learner", run, seed))
    drawn = _stream(case, "path", run, seed)
    path = against_the_favourite(K) if world is None else along(world, drawn)
    log = logged(learner, T, path, _stream(case, "coins", run, seed).random(T))
    moments = np.geomspace(10, T, MOMENTS).astype(int).tolist()
    certificate, before = Certificate(K, case.delta), [np.zeros(K)]  # estimates at the cuts
    begin = 0
    for end in sorted({*moments, *case.cuts}):
        part = slice(begin, end)
        certificate.add_many(log.rows[part], log.cols[part], log.outcomes[part], log.p[part])
        if case.cuts:
            edges = [0, *(cut for cut in case.cuts if cut < end), end]
            yield _needed_with_cuts(certificate, log.regrets, edges, before)
        else:
            bound, true = certificate.regret_bounds, log.regrets[:end].sum(axis=0)
            yield _needed(true, certificate.estimates, bound)
        if end in case.cuts:
            before.append(certificate.estimates)
            certificate.cut()
        begin = end


def _needed_with_cuts(
    certificate: Certificate, regrets: Floats, edges: list[int], before: list[Floats]
) -> float:
    """The same for the best arm of each segment."""
    sums = [regrets[a:b].sum(axis=0) for a, b in pairwise(edges)]
    arms = [int(regret.argmax()) for regret in sums]
    true = sum(float(regret[arm]) for regret, arm in zip(sums, arms, strict=True))
    estimates = [*before, certificate.estimates]
    estimate = sum(
        float(later[arm] - earlier[arm])
        for arm, (earlier, later) in zip(arms, pairwise(estimates), strict=True)
    )
    return _needed(*(np.array([it]) for it in (true, estimate, certificate.dynamic)))


def _needed(true: Floats, estimate: Floats, bound: Floats) -> float:
    """How much of the margin of a bound above its estimate the regret of the worst arm took."""
    parts = np.where(true > bound, math.inf, 0.0)
    margin = bound > estimate  # else T/2 is the bound, and the estimate is above even that
    np.divide(true - estimate, bound - estimate, out=parts, where=margin)
    return float(parts.max())


def _stream(case: Case, purpose: str, run: int, seed: int) -> Generator:
    K, T, label = case.problem.K, case.problem.T, case.name
    return streams.keyed(seed, purpose, experiment=EXPERIMENT, K=K, T=T, run=run, label=label)


def _place(case: Case) -> str:
    return "adaptive adversary" if case.world is None else str(name_of(case.world))
