"""What `bounds`, `certify` and `coverage` do: they call the library, and hand on what came out."""

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from sparring import bounds, comparison, coverage, figures, tunings
from sparring.bounds import Lower, Upper
from sparring.certificates import Certificate, certify, files
from sparring.problem import Problem, Tuning
from sparring.simulation.progress import progress_bar
from sparring.simulation.workers import cores
from sparring_cli import tables
from sparring_cli.folders import folder_of


class Row(NamedTuple):
    """One upper bound of a table."""

    learner: str
    theorem: str
    upper: Upper
    informative_from: int | None
    """The T from which on it says something."""


def show_bounds(options: argparse.Namespace, command: Sequence[str]) -> Any:
    """The bounds for a problem, and a figure of them if one is asked for."""
    problem = Problem(options.K, options.T, options.S, options.V_T)
    rows = list(_uppers(problem, options.delta))
    lowers = dict(_lowers(problem))
    files_made = _bounds_figure(options, problem) if options.figure else []
    outcome = {
        "problem": {"K": problem.K, "T": problem.T, "S": problem.S, "V_T": problem.V_T},
        "delta": options.delta,
        "upper": [_upper_json(row) for row in rows],
        "lower": {name: _lower_json(lower) for name, lower in lowers.items()},
        "figures": [str(file) for file in files_made],
    }
    return outcome, lambda: tables.bounds(problem, options.delta, rows, lowers, files_made)


def show_certificate(options: argparse.Namespace, command: Sequence[str]) -> Any:
    """The certificate of a log."""
    path, talks = Path(options.file), not (options.json or options.quiet)
    cuts = _cuts(options, path)
    with progress_bar(files.length(path), path.name, shown=talks) as tick:
        found = certify(path, options.delta, options.beta or None, cuts=cuts, tick=tick)
    return certificate_json(found), lambda: tables.certificate(found, path)


def show_coverage(options: argparse.Namespace, command: Sequence[str]) -> Any:
    """How often the guarantees fail, as a table, a file of numbers and a figure."""
    talks = not (options.json or options.quiet)
    with ThreadPoolExecutor(cores()) as threads:
        found = coverage.run(
            coverage.cases(), runs=options.runs, seed=options.seed, executor=threads, progress=talks
        )
    folder = folder_of(options)
    coverage.write(folder, found)
    made = figures.save(figures.coverage_figure(found), folder / "figures", "coverage")
    return [case.to_json() for case in found], lambda: tables.coverage(found, made)


def certificate_json(found: Certificate) -> dict[str, Any]:
    """A certificate, for a program."""
    return {
        "duels": found.rounds,
        "arms": found.K,
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


def _uppers(problem: Problem, delta: float) -> Iterator[Row]:
    """All upper bounds there are for a problem; without S and V_T the benchmark is one arm."""
    K, T, S, V_T = problem.K, problem.T, problem.S, problem.V_T

    def row(learner: str, theorem: str, function: Any, **options: Any) -> Row:
        options["delta"] = delta
        since = bounds.informative_from(function, K, **options)
        return Row(learner, theorem, function(K, T, **options), since)

    def best(problem: Problem) -> Tuning:
        return tunings.best(problem, delta)

    def best_static(problem: Problem) -> Tuning:
        return tunings.best(Problem(problem.K, problem.T, S=1), delta)

    def best_borda(problem: Problem) -> Tuning:
        return tunings.best(problem, delta, gain="borda")

    if S in (None, 1) and V_T is None:
        yield row("DEX3.P", "3.3", bounds.dex3p)
        yield row("DEX3.P best", "3.3", bounds.dex3p, tuning=best_static)
    if S is not None:
        known, unknown = bounds.dex3s_known, bounds.dex3s_unknown
        yield row("DEX3.S printed", "4.1 (1)", known, S=S)
        yield row("DEX3.S corrected", "4.1 (1)", known, S=S, corrected=True)
        yield row("DEX3.S best", "4.1 (1)", known, S=S, tuning=best)
        yield row("DEX3.S, S unknown", "4.1 (2)", unknown, S=S, corrected=True)
        yield row("Borda corrected", "6.1", bounds.borda_dex3s, S=S, corrected=True)
        yield row("Borda best", "6.1", bounds.borda_dex3s, S=S, tuning=best_borda)
    if V_T is not None:
        drift = {"V_T": V_T}
        continuous, winners = bounds.dex3s_continuous, bounds.dex3s_condorcet
        if V_T > 0:
            yield row("DEX3.S printed", "4.4", continuous, **drift)
        yield row("DEX3.S corrected", "4.4", continuous, **drift, corrected=True)
        yield row("DEX3.S best", "4.4", continuous, **drift, tuning=best)
        yield row("DEX3.S best", "4.4 (b)", winners, **drift, tuning=best)
        scores = bounds.borda_dex3s_continuous
        yield row("Borda best", "6, drift", scores, **drift)


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
    path = Path(options.figure)
    if path.suffix[1:] not in figures.FORMATS:
        endings = ", ".join(f".{ending}" for ending in figures.FORMATS)
        raise ValueError(f"--figure must end in one of {endings}; got {options.figure}")
    sizes = {"V_T": problem.V_T} if problem.S is None else {"S": problem.S}
    if problem.S is None and problem.V_T is None:
        sizes = {"S": 1}
    with ThreadPoolExecutor(cores()) as threads:
        found = comparison.compare(
            problem.K,
            problem.T,
            **sizes,
            delta=options.delta,
            runs=options.runs,
            seed=options.seed,
            executor=threads,
            progress=not (options.json or options.quiet),
        )
    figure = figures.bounds_figure(found)
    return figures.save(figure, path.parent, path.stem, formats=[path.suffix[1:]])


def _cuts(options: argparse.Namespace, path: Path) -> list[int]:
    """Where a log is cut: given, or into equal segments."""
    if options.segments is None:
        return sorted(set(options.cut))
    total = files.duels(path)
    if not 1 <= options.segments <= total:
        raise ValueError(
            f"--segments must be from 1 to the {total:,} duels of the log; got {options.segments}"
        )
    return [total * s // options.segments for s in range(1, options.segments)]


def _upper_json(row: Row) -> dict[str, Any]:
    upper = row.upper
    senses = ("probable", "best", "expected", "printed")
    return {
        "learner": row.learner,
        "theorem": row.theorem,
        **{sense: _finite(getattr(upper, sense)._asdict()) for sense in senses},
        "tuning": None if upper.tuning is None else vars(upper.tuning),
        "unmet": upper.unmet,
        "block": upper.block,
        "informative_from": row.informative_from,
    }


def _lower_json(lower: Lower) -> dict[str, Any]:
    return {**lower._asdict(), "printed": lower.printed._asdict()}


def _finite(fields: dict[str, Any]) -> dict[str, Any]:
    """None for what is infinite, which JSON cannot say."""
    return {name: None if value == float("inf") else value for name, value in fields.items()}
