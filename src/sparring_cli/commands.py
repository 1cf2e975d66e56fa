"""What each command does: it calls the library, and hands what comes out to the screen."""

import argparse
import difflib
import json
import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from sparring import extras
from sparring.lab import claims, coverage, experiments, results, summaries
from sparring.lab import panels as library
from sparring.simulation.progress import progress_bar
from sparring_cli import league, screen, theory, votes
from sparring_cli.folders import folder_of as folder
from sparring_cli.machine import executor, peak_memory


def run(options: argparse.Namespace, command: Sequence[str]) -> None:
    """Do what was asked, and print what came out of it; then what failed, if something did."""
    # What a learner of somebody's own prints is no part of the JSON.
    with redirect_stdout(sys.stderr if options.json else sys.stdout):
        outcome, show, *failures = COMMANDS[options.command](options, command)
    if options.json:
        print(json.dumps(outcome, indent=1))
    elif not options.quiet:
        show()
    if failures:
        raise RuntimeError("\n".join(failures))


def list_panels(options: argparse.Namespace, command: Sequence[str]) -> Any:
    """The panels of a scale."""
    found = list(library.panels(options.scale).values())
    runs = library.SCALES[options.scale].runs
    return [panel.to_json() for panel in found], lambda: screen.panels(found, runs)


def play(options: argparse.Namespace, command: Sequence[str]) -> Any:
    """Play panels into the folder."""
    names = () if options.panels == ["all"] else tuple(options.panels)
    ran = _play(options, names, command)
    outcome = {
        "folder": str(folder(options)),
        **ran._asdict(),
        "damaged": len(ran.damaged),
        "megabytes": peak_memory(),
    }
    return outcome, lambda: screen.ran(ran, folder(options))


def plot(options: argparse.Namespace, command: Sequence[str]) -> Any:
    """Draw the figures of the folder."""
    from sparring.lab import draw  # only now: Matplotlib takes half a second

    formats = tuple(options.formats.split(","))
    if not set(formats) <= set(draw.FORMATS):
        raise ValueError(f"--formats must be among {','.join(draw.FORMATS)}; got {options.formats}")
    files = _plot(options, _read(options), formats)
    return [str(file) for file in files], lambda: screen.plotted(files)


def judge(options: argparse.Namespace, command: Sequence[str]) -> Any:
    """The verdicts."""
    found = _judged(_read(options))
    show = screen.markdown if options.markdown else screen.verdicts
    return [verdict.to_json() for verdict in found], lambda: show(found)


def report(options: argparse.Namespace, command: Sequence[str]) -> Any:
    """The page."""
    path = _report(options, _read(options))
    return {"report": str(path)}, lambda: screen.reported(path)


def reproduce(options: argparse.Namespace, command: Sequence[str]) -> Any:
    """Everything."""
    from sparring.lab import draw  # only now: Matplotlib takes half a second

    begun = time.perf_counter()
    for module in ("matplotlib", "scipy.special", "jinja2"):  # before the work rather than after
        extras.demand(module, "sparring reproduce")
    ran = _play(options, tuple(options.panels), command)
    found = _read(options)
    files = _plot(options, found, tuple(draw.FORMATS))
    verdicts = _judged(found)
    path = _report(options, found)
    seconds, megabytes = time.perf_counter() - begun, peak_memory()
    outcome = {
        "folder": str(folder(options)),
        "jobs": ran.jobs,
        "played": ran.played,
        "seconds": seconds,
        "megabytes": megabytes,
        "claims": [verdict.to_json() for verdict in verdicts],
        "figures": [str(file) for file in files],
        "report": str(path),
    }

    def show() -> None:
        screen.ran(ran, folder(options))
        screen.verdicts(verdicts)
        screen.plotted(files)
        screen.reported(path)
        screen.spent(seconds, megabytes)

    return outcome, show


COMMANDS = {
    "list": list_panels,
    "run": play,
    "plot": plot,
    "claims": judge,
    "report": report,
    "reproduce": reproduce,
    "league": league.show_league,
    "votes-needed": votes.show_votes,
    "bounds": theory.show_bounds,
    "certify": theory.show_certificate,
    "coverage": theory.show_coverage,
}


def _play(
    options: argparse.Namespace, names: tuple[str, ...], command: Sequence[str]
) -> experiments.Ran:
    scale = library.SCALES[options.scale]
    with executor(options) as chosen:
        return experiments.run(
            _panels(options.scale, names),
            folder(options),
            runs=scale.runs if options.runs is None else options.runs,
            seed=options.seed,
            jobs=options.jobs,
            executor=chosen,
            progress=_talks(options),
            command=command,
        )


def _panels(scale: str, names: tuple[str, ...]) -> list[experiments.Experiment]:
    """The panels of these names, or all."""
    known = library.panels(scale)
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=3)
            meant = f"Did you mean {' or '.join(close)}? " if close else ""
            raise ValueError(f"no panel {name!r}. {meant}`sparring list` names them")
    return [known[name] for name in names or known]


def _read(options: argparse.Namespace) -> list[summaries.Summary]:
    """The panels of the folder, in the order of the library."""
    found = summaries.read(folder(options), tuple(options.panels))
    results.tidy(folder(options))
    if not options.panels:
        there = {shelf.folder.name for shelf in results.shelves(folder(options))}
        screen.left_out(sorted(there - {panel.name for panel in found}), _talks(options))
    order = {name: place for place, name in enumerate(library.panels(options.scale))}
    return sorted(found, key=lambda panel: order.get(panel.name, len(order)))


def _judged(found: list[summaries.Summary]) -> list[claims.Verdict]:
    """The verdicts; what only has the name of a panel of ours is not what the claims are about."""
    known = [panel for scale in library.SCALES for panel in library.panels(scale).values()]
    return claims.judge([panel for panel in found if panel.experiment in known])


def _plot(
    options: argparse.Namespace, found: list[summaries.Summary], formats: tuple[str, ...]
) -> list[Path]:
    from sparring.lab import draw  # only now: Matplotlib takes half a second

    place, labels = folder(options) / "figures", draw.all_labels(found)
    with progress_bar(len(found), f"{len(found)} figures", shown=_talks(options)) as tick:
        files = []
        for panel in found:
            figure = draw.panel_figure(panel, labels)
            files += draw.save(figure, place, panel.name, formats=formats)
            over_time = draw.over_time_figure(panel, labels)
            files += draw.save(over_time, place / "over-time", panel.name, formats=formats)
            tick(1)
    printed = [panel for panel in found if panel.experiment.source]
    if len(printed) > 1:
        files += draw.save(draw.overview(printed), place, "overview", formats=formats)
    return files


def _report(options: argparse.Namespace, found: list[summaries.Summary]) -> Path:
    from sparring.lab.page import write_report  # only now: it draws

    covered = coverage.read(folder(options))
    return write_report(
        folder(options), found, _judged(found), command=again(found), covered=covered
    )


def again(found: list[summaries.Summary]) -> str:
    """The command that makes these results, or a word on those that no command makes."""
    scales = [
        scale
        for scale in library.SCALES
        if all(library.panels(scale).get(panel.name) == panel.experiment for panel in found)
    ]
    seeds = {panel.seed for panel in found}
    if not scales or len(seeds) > 1:
        return "no single command: see the history below"
    words = ["sparring", "reproduce"]
    if {panel.name for panel in found} != set(library.panels(scales[0])):
        words += [panel.name for panel in found]
    if scales[0] != "quick":
        words += ["--scale", scales[0]]
    if seeds != {0}:
        words += ["--seed", str(*seeds)]
    runs = max(point.runs for panel in found for point in panel.realised)
    if runs != library.SCALES[scales[0]].runs:
        words += ["--runs", str(runs)]
    return shlex.join(words)


def _talks(options: argparse.Namespace) -> bool:
    """Whether a person is there to see progress."""
    return not (options.json or options.quiet)
