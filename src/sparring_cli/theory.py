"""What `bounds`, `certify` and `coverage` do: they call the library and return the results."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

from sparring import atomic, bounds, tunings
from sparring.bounds import Bound, LikelyUpper, Lower, Upper
from sparring.bounds.values import SENSES
from sparring.certificates import Certificate, certify, logs
from sparring.lab import comparison, coverage
from sparring.problem import Problem
from sparring.simulation.progress import progress_bar
from sparring.simulation.workers import cores
from sparring_cli import tables
from sparring_cli.machine import folder_of, talks
from sparring_cli.outcome import Outcome

Asked = tuple[str, str, Callable[..., Any], dict[str, Any]]  # learner, theorem, bound, options

OURS = "ours"  # instead of a theorem of the paper


class Row(NamedTuple):
    """One upper bound of a table."""

    learner: str
    theorem: str
    upper: Upper
    informative_from: int | None
    """The smallest T at which it says something: with high probability; for ours, on average."""

    @property
    def tuning(self) -> dict[str, float]:
        """The numbers that it is about; empty if there is no single tuning."""
        found = self.upper.tuning
        if found is None:
            return {}
        return dict(found._asdict() if hasattr(found, "_asdict") else vars(found))


def show_bounds(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """The bounds for a problem, and a figure of them if asked for."""
    problem = Problem(options.K, options.T, options.S, options.V_T)
    files_made = _bounds_figure(options, problem) if options.figure else []
    rows, lowers = _uppers(problem, options.delta, talks(options)), dict(_lowers(problem))
    told = {
        "problem": {"K": problem.K, "T": problem.T, "S": problem.S, "V_T": problem.V_T},
        "delta": options.delta,
        "upper": [_upper_json(row) for row in rows],
        "unproved": tables.UNPROVED,
        "lower": {name: _lower_json(lower) for name, lower in lowers.items()},
        "figures": [str(file) for file in files_made],
    }
    return Outcome(told, lambda: tables.bounds(problem, options.delta, rows, lowers, files_made))


def show_certificate(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """The certificate of a log."""
    path = Path(options.file)
    how = {name: getattr(options, name) for name in ("segments", "only_answered", "gaps")}
    cuts = sorted(set(options.cut))
    with progress_bar(logs.length(path), path.name, shown=talks(options)) as tick:
        found = certify(path, options.delta, options.beta or None, cuts=cuts, **how, tick=tick)
    return Outcome(certificate_json(found), lambda: tables.certificate(found, path))


def show_coverage(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """How often the guarantees fail, as a table, a file of numbers and a figure."""
    from sparring.lab import draw  # only now: Matplotlib takes half a second

    folder = folder_of(options)
    with atomic.explained(folder):  # before the work rather than after
        (folder / "figures").mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(cores()) as threads:
        found = coverage.run(
            coverage.cases(),
            runs=options.runs,
            seed=options.seed,
            executor=threads,
            progress=talks(options),
        )
    coverage.write(folder, found)
    made = draw.save(draw.coverage_figure(found), folder / "figures", "coverage")
    return Outcome([case.to_json() for case in found], lambda: tables.coverage(found, made))


def certificate_json(found: Certificate) -> dict[str, Any]:
    """A certificate, for a program."""
    return {
        "duels": found.rounds,
        "arms": found.K,
        "only_answered": found.only_answered,
        "asked": found.asked,
        "answered": found.answered,
        "condition": found.condition,
        "delta": found.delta,
        "static": found.static,
        "segments": found.segments,
        "dynamic": found.dynamic,
        "trivial": found.rounds / 2,
        "vacuous": found.vacuous,
        "estimates": found.estimates.tolist(),
        "standard_errors": found.standard_errors.tolist(),
        "regret_bounds": found.regret_bounds.tolist(),
        "lemma_bounds": found.lemma_bounds.tolist(),
    }


def _uppers(problem: Problem, delta: float, shown: bool) -> list[Row]:
    """All upper bounds for a problem."""
    asked = list(_asked(problem))
    rows = []
    with progress_bar(len(asked), f"{len(asked)} bounds", shown=shown) as tick:
        for learner, theorem, function, options in asked:
            if "delta" in signature(function).parameters:
                options["delta"] = delta
            sense = "mean_fixed" if theorem == OURS else "probable"
            since = bounds.informative_from(function, problem.K, sense=sense, **options)
            upper = _upper(function(problem.K, problem.T, **options))
            rows.append(Row(learner, theorem, upper, since))
            tick(1)
    return rows


def _upper(found: Upper | LikelyUpper) -> Upper:
    """The same as an `Upper`, in which nothing is printed."""
    if isinstance(found, Upper):
        return found
    nothing = Bound.of(float("inf"), found.mean.trivial)
    senses = (found.probable, found.hindsight_cuts, found.mean, found.mean_fixed, nothing)
    return Upper(*senses, found.tuning, found.unmet, found.block)


def _asked(problem: Problem) -> Iterator[Asked]:
    """Learner, theorem, function and options; without S and V_T the benchmark is one arm."""
    best, corrected = {"tuning": tunings.best}, {"corrected": True}
    if problem.S in (None, 1) and problem.V_T is None:
        yield "DEX3.P", "3.3", bounds.dex3p, {}
        yield "DEX3.P best", "3.3", bounds.dex3p, best
    if problem.S is not None:
        S = {"S": problem.S}
        known, unknown, borda = bounds.dex3s_known, bounds.dex3s_unknown, bounds.borda_dex3s
        scored = {"tuning": partial(tunings.best, gain="borda")}
        for_any_cuts = partial(tunings.best, hindsight_cuts=True)
        yield "DEX3.S printed", "4.1 (1)", known, S
        yield "DEX3.S corrected", "4.1 (1)", known, S | corrected
        yield "DEX3.S best", "4.1 (1)", known, S | best
        if problem.S > 1:
            yield "DEX3.S any cuts", "4.1 (1)", known, S | {"tuning": for_any_cuts}
        yield "DEX3.S, S unknown", "4.1 (2)", unknown, S | corrected
        yield "Borda corrected", "6.1", borda, S | corrected
        yield "Borda best", "6.1", borda, S | scored
    if problem.V_T is not None:
        V_T = {"V_T": problem.V_T}
        continuous = bounds.dex3s_continuous
        if problem.V_T > 0:
            yield "DEX3.S printed", "4.4", continuous, V_T
        yield "DEX3.S corrected", "4.4", continuous, V_T | corrected
        yield "DEX3.S best", "4.4", continuous, V_T | best
        yield "DEX3.S best", "4.4 (b)", bounds.dex3s_condorcet, V_T | best
        yield "Borda best", "6, drift", bounds.borda_dex3s_continuous, V_T
        yield from _ours(V_T)
    if problem.S is not None or problem.V_T is None:
        yield from _ours({"S": problem.S or 1})


def _ours(size: dict[str, Any]) -> Iterator[Asked]:
    """Learners that are not in the paper; `steady` with its default tuning."""
    yield "SYM-EXP3.S", OURS, bounds.sym_exp3s, dict(size)
    relative = {"tuning": partial(tunings.best, gain="relative")}
    yield "SYM-EXP3.S best", OURS, bounds.sym_exp3s, size | relative
    yield "SYM-EXP3-SIX", OURS, bounds.sym_exp3six, dict(size)
    if size.get("S", 1) > 1:
        for_any_cuts = {"tuning": partial(tunings.sym_exp3six, hindsight_cuts=True)}
        yield "SIX any cuts", OURS, bounds.sym_exp3six, size | for_any_cuts
    steady = {"tuning": lambda problem: tunings.steady(problem.K)}
    yield "steady", OURS, bounds.sym_exp3s, size | steady


def _lowers(problem: Problem) -> Iterator[tuple[str, Lower]]:
    """The lower bounds of both families, by theorem and family."""
    families = ("simple", "paper") if problem.K > 2 else ("simple",)
    for family in families:
        if problem.V_T is None or problem.S is not None:
            S = problem.S or 1
            yield f"5.1, {family}", bounds.lower_switching(problem.K, problem.T, S, family=family)
        if problem.V_T is not None:
            found = bounds.lower_continuous(problem.K, problem.T, problem.V_T, family=family)
            yield f"5.2, {family}", found


def _bounds_figure(options: argparse.Namespace, problem: Problem) -> list[Path]:
    from sparring.lab import draw  # only now: Matplotlib takes half a second

    path = Path(options.figure)
    if path.suffix[1:] not in draw.FORMATS:
        endings = ", ".join(f".{ending}" for ending in draw.FORMATS)
        raise ValueError(f"--figure must end in one of {endings}; got {options.figure}")
    if problem.S is not None and problem.V_T is not None:
        raise ValueError("--figure draws bounds for --S or for --V_T: give one of them")
    sizes = {"V_T": problem.V_T} if problem.V_T else {"S": problem.S or 1}
    with ThreadPoolExecutor(cores()) as threads:
        found = comparison.compare(
            problem.K,
            problem.T,
            **sizes,
            delta=options.delta,
            runs=options.runs,
            seed=options.seed,
            executor=threads,
            progress=talks(options),
        )
    figure = draw.bounds_figure(found)
    return draw.save(figure, path.parent, path.stem, formats=[path.suffix[1:]])


def _upper_json(row: Row) -> dict[str, Any]:
    upper = row.upper
    return {
        "learner": row.learner,
        "theorem": row.theorem,
        **{sense: getattr(upper, sense)._asdict() for sense in SENSES},
        "tuning": row.tuning or None,
        "unmet": upper.unmet,
        "block": upper.block,
        "informative_from": row.informative_from,
    }


def _lower_json(lower: Lower) -> dict[str, Any]:
    return {**lower._asdict(), "printed": lower.printed._asdict()}
