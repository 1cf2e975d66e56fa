"""What the commands about experiments do: they call the library and return the results."""

import argparse
import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from sparring import atomic, checks
from sparring.formats import many
from sparring.lab import claims, coverage, drawn, experiments, joining, results, summaries
from sparring.lab import panels as library
from sparring.lab.experiments import Experiment
from sparring.lab.summaries import Summary
from sparring.simulation.progress import progress_bar
from sparring_cli import screen
from sparring_cli.machine import executor, folder_of, import_from_here, peak_memory, talks
from sparring_cli.outcome import Outcome
from sparring_cli.verdicts import show_markdown, show_verdicts


def list_panels(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """The panels of a scale."""
    found = list(library.panels(options.scale).values())
    runs = library.SCALES[options.scale].runs
    return Outcome([panel.to_json() for panel in found], lambda: screen.panels(found, runs))


def play(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """Play panels into a folder, or the user's own experiments, which are also drawn."""
    own = [name for name in options.panels if ":" in name]
    if own:
        return _play_own(options, own, command)
    names = () if options.panels == ["all"] else tuple(options.panels)
    ran = _play(options, _panels(options.scale, names), folder_of(options), command)
    folder = folder_of(options)
    return Outcome(_told(ran, folder), lambda: screen.ran(ran, folder))


def _play_own(options: argparse.Namespace, names: list[str], command: Sequence[str]) -> Outcome:
    """Play experiments by module:name, draw them and write their page."""
    from sparring.lab.page import write_report  # only now: it draws

    if len(names) < len(options.panels):
        raise ValueError("give either panels or your own experiments, as each needs its own folder")
    import_from_here()
    wanted = [one for name in names for one in experiments.named(name)]
    usual = Path("results", names[0].replace(":", "-"))
    folder = usual if options.out is None else folder_of(options)
    ran = _play(options, wanted, folder, command)
    found = joining.joined(summaries.read(folder, tuple(one.name for one in wanted)))
    files = _plot(options, found, folder)
    again = ["sparring", "run", *names]
    for option in ("runs", "seed"):
        if value := getattr(options, option):
            again += [f"--{option}", str(value)]
    path = write_report(folder, found, (), command=shlex.join(again))
    told = {**_told(ran, folder), "figures": [str(file) for file in files], "report": str(path)}

    def show() -> None:
        screen.ran(ran, folder)
        screen.plotted(files)
        screen.reported(path)

    return Outcome(told, show)


def _told(ran: experiments.Ran, folder: Path) -> dict[str, object]:
    damaged = {"damaged": len(ran.damaged), "megabytes": peak_memory()}
    return {"folder": str(folder), **ran._asdict(), **damaged}


def plot(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """Draw the figures of the folder."""
    from sparring.lab import draw  # only now: Matplotlib takes half a second

    formats = tuple(options.formats.split(","))
    if not set(formats) <= set(draw.FORMATS):
        raise ValueError(f"--formats must be among {','.join(draw.FORMATS)}; got {options.formats}")
    files = _plot(options, _read(options), folder_of(options), formats)
    return Outcome([str(file) for file in files], lambda: screen.plotted(files))


def judge(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """The verdicts."""
    found = _judged(_read(options))
    show = show_markdown if options.markdown else show_verdicts
    return Outcome([verdict.to_json() for verdict in found], lambda: show(found))


def report(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """The page."""
    found = _read(options)
    path = _report(options, found, _judged(found))
    return Outcome({"report": str(path)}, lambda: screen.reported(path))


def reproduce(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """Everything."""
    begun, folder = time.perf_counter(), folder_of(options)
    ran = _play(options, _panels(options.scale, tuple(options.panels)), folder, command)
    state = drawn.state(folder, options.scale, *options.panels)
    found = _read(options)
    verdicts, made = _judged(found), drawn.files(folder, state)
    if not made:
        made = [*_plot(options, found, folder), _report(options, found, verdicts)]
        drawn.remember(folder, state, made)
    *files, path = made
    seconds, megabytes = time.perf_counter() - begun, peak_memory()
    told = {
        "folder": str(folder),
        "jobs": ran.jobs,
        "played": ran.played,
        "seconds": seconds,
        "megabytes": megabytes,
        "claims": [verdict.to_json() for verdict in verdicts],
        "figures": [str(file) for file in files],
        "report": str(path),
    }

    def show() -> None:
        screen.ran(ran, folder)
        show_verdicts(verdicts)
        screen.plotted(files)
        screen.reported(path)
        screen.spent(seconds, megabytes)

    return Outcome(told, show)


def _play(
    options: argparse.Namespace, wanted: Sequence[Experiment], folder: Path, command: Sequence[str]
) -> experiments.Ran:
    scale = library.SCALES[options.scale]
    with executor(options) as chosen:
        return experiments.run(
            wanted,
            folder,
            runs=scale.runs if options.runs is None else options.runs,
            seed=options.seed,
            jobs=options.jobs,
            executor=chosen,
            progress=talks(options),
            command=command,
        )


def _panels(scale: str, names: tuple[str, ...]) -> list[Experiment]:
    """The panels of these names, or all."""
    known = library.panels(scale)
    for name in names:
        if name not in known:
            remedy = "`sparring list` describes them, and module:name is one of your own"
            raise checks.unknown("PANEL", name, known, remedy)
    return [known[name] for name in names or known]


def _read(options: argparse.Namespace) -> list[Summary]:
    """The panels of the folder, in the order of the library; a sweep's are joined."""
    folder = folder_of(options)
    found = summaries.read(folder, tuple(options.panels))
    atomic.tidy(folder)
    if not options.panels:
        there = {shelf.folder.name for shelf in results.shelves(folder)}
        screen.left_out(sorted(there - {panel.name for panel in found}), talks(options))
    order = {name: place for place, name in enumerate(library.panels(options.scale))}
    return sorted(joining.joined(found), key=lambda panel: order.get(panel.name, len(order)))


def _judged(found: list[Summary]) -> list[claims.Verdict]:
    """The verdicts; an experiment that only shares the name of a panel has none."""
    known = {panel for scale in library.SCALES for panel in library.panels(scale).values()}
    return claims.judge([panel for panel in found if panel.experiment in known])


def _plot(
    options: argparse.Namespace, found: list[Summary], folder: Path, formats: Sequence[str] = ()
) -> list[Path]:
    """The figures as files, in all formats unless some are given."""
    from sparring.lab import draw  # only now: Matplotlib takes half a second

    formats, place, labels = (
        formats or tuple(draw.FORMATS),
        folder / "figures",
        draw.all_labels(found),
    )
    with progress_bar(len(found), many(len(found), "figure"), shown=talks(options)) as tick:
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


def _report(
    options: argparse.Namespace, found: list[Summary], verdicts: list[claims.Verdict]
) -> Path:
    from sparring.lab.page import write_report  # only now: it draws

    folder = folder_of(options)
    covered = coverage.read(folder)
    return write_report(folder, found, verdicts, command=again(found), covered=covered)


def again(found: list[Summary]) -> str:
    """The command that makes these results, or a note if no single command does."""
    seeds = {panel.seed for panel in found}
    for scale in library.SCALES if len(seeds) == 1 else ():
        known = library.panels(scale)
        if all(known.get(panel.name) == panel.experiment for panel in found):
            break
    else:
        return "no single command: see the history below"
    words = ["sparring", "reproduce"]
    if {panel.name for panel in found} != set(known):
        words += [panel.name for panel in found]
    if scale != "quick":
        words += ["--scale", scale]
    if seeds != {0}:
        words += ["--seed", str(*seeds)]
    runs = max(point.runs for panel in found for point in panel.realised)
    if runs != library.SCALES[scale].runs:
        words += ["--runs", str(runs)]
    return shlex.join(words)
