"""What `league` does: it plays, ranks, draws, writes the page and returns the results."""

import argparse
import shlex
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sparring import atomic, checks
from sparring.lab import experiments
from sparring.lab import league as library
from sparring.lab.league import advice, detection, wording
from sparring.lab.league.contenders import BY_LABEL, CONTENDERS
from sparring.lab.league.favourites import noting
from sparring.lab.league.few import ROUNDS, RUNS
from sparring.simulation import Entrant
from sparring.simulation.progress import progress_bar
from sparring.worlds.files import parse_source, world_from_csv
from sparring_cli import detection as alarms
from sparring_cli import favourites, screen, standings
from sparring_cli.machine import executor, folder_of, import_from_here, peak_memory, talks
from sparring_cli.outcome import Outcome

FIGURES = 4  # at most, and one less of few votes
SHORTEST = 1000  # rounds: with fewer the worlds of many changes are nothing but changes


class Judged(NamedTuple):
    """The result of a league."""

    league: library.League
    ranking: library.Ranking
    advice: tuple[library.Advice, ...]


def show_league(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """All learners on all worlds: standings, figures, a page; and what failed."""
    from sparring.lab.page import write_league  # only now: it draws

    begun = time.perf_counter()
    scale, own, few = _scale(options), _own(options.learner), options.suite == "few"
    prefix = "league-few-" if few else "league-"
    folder = folder_of(options, prefix, "" if options.T is None else f"-T{scale.T}")
    usual = library.few() if few else library.suite(scale)
    fixtures = _fixtures(options, usual, {} if few else library.beside(scale), scale.T)
    names = _only(options.learners)
    wanted = library.experiments(fixtures, own, only=names, everybody=options.all)
    ran, failed = _play(options, folder, scale.runs, wanted, own, command)
    found = _judge(folder, [one.name for one in wanted])
    noticed = detection.detected(found.league)
    files = _draw(folder, found, talks(options)) + alarms.drawn(folder, noticed)
    path = write_league(folder, *found, command=_again(options, found.league), alarms=noticed)
    seconds, megabytes = time.perf_counter() - begun, peak_memory()
    told = {
        "folder": str(folder),
        "suite": options.suite,
        "scale": options.scale,
        "seed": options.seed,
        "jobs": ran.jobs,
        "played": ran.played,
        "seconds": seconds,
        "megabytes": megabytes,
        **plain(found),
        "favourites": favourites.plain(found.league),
        "alarms": alarms.plain(noticed),
        "failed": failed,
        "figures": [str(file) for file in files],
        "page": str(path),
    }

    def show() -> None:
        standings.league(*found)
        if not (options.all or few or names):
            screen.wrapped(f"One learner for each idea plays; --all plays all {len(CONTENDERS)}.")
            print()
        alarms.show(noticed)
        screen.ran(ran, folder)
        screen.plotted(files)
        screen.reported(path)
        screen.spent(seconds, megabytes)

    return Outcome(told, show, tuple(failed.values()))


def _scale(options: argparse.Namespace) -> library.Size:
    """How long and how often, as the options say."""
    if options.suite == "few":
        for name in ("T", "data", "only-data", "all"):
            if given := getattr(options, name.replace("-", "_")):
                remedy = "--suite long takes it; few votes have worlds and learners of their own"
                raise checks.refuse(f"--{name}", "left out with --suite few", given, remedy)
    usual = _usual(options)
    T = usual.T if options.T is None else checks.whole("--T", options.T, low=SHORTEST, high=10**12)
    return library.Size(T, usual.runs if options.runs is None else options.runs)


def _usual(options: argparse.Namespace) -> library.Size:
    """How long and how often by default."""
    if options.suite == "few":
        return library.Size(max(ROUNDS), RUNS[options.scale])
    return library.SCALES[options.scale]


def _own(names: Sequence[str]) -> dict[str, Entrant]:
    """The user's own learners by label, which is their name, imported from the current folder."""
    if names:
        import_from_here()
    for name in names:
        if ":" not in name:
            remedy = "The league has all learners of sparring already"
            raise checks.refuse("--learner", "module:function, your own", name, remedy)
    with importing(names):
        return {name: Entrant(name) for name in names}


@contextmanager
def importing(names: Sequence[str]) -> Iterator[None]:
    """A context that reports plainly whatever a learner's module does on import."""
    try:
        yield
    except (ValueError, KeyboardInterrupt):
        raise
    except (Exception, SystemExit) as error:
        told = f"{type(error).__name__}: {error}"
        raise ValueError(f"--learner {', '.join(names)} cannot be imported: {told}") from error


def _only(names: Sequence[str]) -> Sequence[str]:
    """Labels or names of learners of the league, checked."""
    known = {word for one in BY_LABEL.values() for word in (one.label, one.entrant.learner)}
    for name in names:
        if name not in known:
            remedy = "`sparring learners --league` lists labels and names"
            raise checks.unknown(
                "--learners", name, [*BY_LABEL, *sorted(known - {*BY_LABEL})], remedy
            )
    return names


def _fixtures(
    options: argparse.Namespace,
    usual: Mapping[str, library.Fixture],
    beside: Mapping[str, library.Fixture],
    T: int,
) -> list[library.Fixture]:
    """The worlds of a league, or those that are named, and the user's own."""
    known = {**usual, **beside}
    if options.worlds and options.only_data:
        remedy = "With --data, your data is played in addition to the worlds that you name"
        raise checks.refuse("--worlds", "left out with --only-data", options.worlds, remedy)
    for name in options.worlds:
        if name not in known:
            remedy = "`sparring worlds --league` describes them"
            raise checks.unknown("--worlds", name, known, remedy)
    chosen = options.worlds or ([] if options.only_data else usual)
    given = _given([*options.data, *options.only_data], T)
    return [*(known[name] for name in dict.fromkeys(chosen)), *given]


def _given(sources: Sequence[str], T: int) -> list[library.Fixture]:
    """The user's own worlds."""
    found = []
    for source in dict.fromkeys(sources):
        path, columns = parse_source(source)
        try:
            world = world_from_csv(path, T, columns=columns)
        except OSError as error:
            raise ValueError(f"--data {path} cannot be read: {error.strerror or error}") from None
        name = Path(path).stem + (f": {columns}" if columns else "")
        found.append(library.given(name, world))
    return list({fixture.name: fixture for fixture in found}.values())


def _play(
    options: argparse.Namespace,
    folder: Path,
    runs: int,
    wanted: Sequence[experiments.Experiment],
    own: dict[str, Entrant],
    command: Sequence[str],
) -> tuple[experiments.Ran, dict[str, str]]:
    """Play the league; returns what was run, and why learners failed.

    The user's own learners play first and alone, as they may fail; the folder is still that of all
    learners. Then all play, and reuse the results that are already there.
    """
    failed, done = dict[str, str](), list[experiments.Ran]()

    def play(only: Collection[str] = ()) -> None:
        ran = experiments.run(
            [one.only(set(one.labels) - failed.keys()) for one in wanted],
            folder,
            runs=runs,
            seed=options.seed,
            jobs=options.jobs,
            executor=chosen,
            progress=talks(options),
            command=command,
            only=only,
        )
        done.append(ran)

    with executor(options) as chosen:
        for label in own:
            try:
                play({label})
            except checks.SimulationError as error:
                failed[label] = f"{error}. It is left out; all others are there"
        play()
    return experiments.Ran(
        sum(ran.jobs for ran in done),  # each of one's own beside those of all others
        sum(ran.played for ran in done),
        tuple(path for ran in done for path in ran.damaged),
        sum(ran.seconds for ran in done),
        tuple(dict.fromkeys(label for ran in done for label in ran.edited)),
    ), failed


def _judge(folder: Path, names: Sequence[str]) -> Judged:
    atomic.tidy(folder)
    league = library.read(folder, names)
    return Judged(league, library.rank(league), library.advise(league))


def _draw(folder: Path, found: Judged, shown: bool) -> list[Path]:
    """All figures as files."""
    from sparring.lab import draw  # only now: Matplotlib takes half a second

    files = list[Path]()
    most = FIGURES - bool(noting(found.league))
    with progress_bar(most, "figures", shown=shown) as tick:
        for name, figure in draw.league_figures(found.league, found.ranking).items():
            files += draw.save(figure, folder / "figures", name)
            tick(1)
    return files


def _again(options: argparse.Namespace, league: library.League) -> str:
    """The command that makes these results."""
    words = ["sparring", "league"]
    if options.suite != "long":
        words += ["--suite", options.suite]
    if options.scale != "quick":
        words += ["--scale", options.scale]
    if options.T is not None:
        words += ["--T", str(options.T)]
    if options.all:
        words.append("--all")
    for name in ("data", "only-data", "worlds", "learners", "learner"):
        if given := getattr(options, name.replace("-", "_")):
            words += [f"--{name}", *dict.fromkeys(given)]
    runs = max(len(meeting.runs) for meeting in league.meetings)
    if runs != _usual(options).runs:
        words += ["--runs", str(runs)]
    if options.seed:
        words += ["--seed", str(options.seed)]
    return shlex.join(words)


def plain(found: Judged) -> dict[str, Any]:
    """A league for a program."""
    league, ranking = found.league, found.ranking
    overall = advice.overall(league)
    return {
        "answers": wording.answers(*found),
        "warnings": wording.warnings(*found),
        "advice": [{**one._asdict(), "told_apart": one.sure} for one in found.advice],
        "ranking": {
            "worlds": list(ranking.worlds),
            "mean_ranks": ranking.mean_rank,
            "wins": ranking.wins,
            "p_value": ranking.p_value,
            "critical_difference": ranking.distance,
            "not_told_apart": [list(group) for group in ranking.groups],
            "left_out": list(ranking.left_out),
        },
        "learners": {
            label: {
                "entrant": str(league.entrants[label]),
                "told": league.told(label),
                "ranked": league.ranked(label),
                "to_chance": overall.get(label),
                "processor_nanoseconds": league.nanoseconds(label),
            }
            for label in league.labels
        },
        "worlds": {
            one.name: {
                "title": one.title,
                "regret": str(one.regret),
                "K": one.world.K,
                "T": one.T,
                "told": {"S": one.told.S, "V_T": one.told.V_T},
                "runs": len(one.runs),
                "standings": one.standings,
                "borda": _borda(one),
            }
            for one in league.meetings
        },
        "duels": [
            {
                "learners": list(pair),
                "worlds": league.duel(*pair),
            }
            for pair in wording.pairs(league, ranking)
        ],
    }


def _borda(one: library.Meeting) -> dict[str, float]:
    """The mean regret by Borda scores of each learner, where it was noted."""
    if one.borda is None:
        return {}
    found = {label: one.values(label, one.borda) for label in one.labels}
    return {label: float(runs.mean()) for label, runs in found.items() if len(runs)}
