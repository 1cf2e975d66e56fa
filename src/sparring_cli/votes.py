"""What `votes` does: it reads a file of votes, prints the answer, and writes a page to look at."""

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path

from sparring.lab import results
from sparring.simulation.progress import progress_bar
from sparring.votes.answering import Findings, answer
from sparring.votes.example import example
from sparring.votes.reading import VotesRead, examine
from sparring_cli import screen
from sparring_cli.machine import talks
from sparring_cli.outcome import Outcome

COLUMNS = ("a", "b", "winner", "outcome", "score", "time", "voter", "weight", "chance")
PAGE = b"<!doctype html>"
STEPS = ("memories", "standings", "alarm", "what if", "page")


def show_votes(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """Who leads now, since when, how sure, and what if."""
    if options.example is not None:
        return _example(options)
    if options.file is None:
        raise ValueError("FILE is missing: a file of votes; --example FILE makes one to try")
    if options.file.startswith(("postgresql://", "postgres://")):
        raise ValueError(
            "FILE must be a file; the votes of an arena on a server are had in Python: "
            "sparring.votes.answer(arena.history())"
        )
    path = Path(options.file)
    page = Path(options.page) if options.page else Path(f"{path.stem}.votes.html")
    if page.exists() and not _is_page(page):
        raise ValueError(f"--page must be a new file or a page; got {page}, which is neither")
    found = _read(path, options)
    with progress_bar(len(STEPS), "answering", shown=talks(options)) as tick:
        done = 0

        def step(what: str) -> None:
            nonlocal done
            tick(STEPS.index(what) - done)
            done = STEPS.index(what)

        told = answer(
            found.votes,
            alpha=options.alpha,
            every=options.every,
            what_if=not options.no_what_if,
            step=step,
        )
        step("page")
        written = None
        if not options.no_page:
            from sparring.lab.page.votes import write_votes  # only now: it draws

            written = write_votes(
                page,
                told,
                source=path.name,
                notes=found.notes(),
                command=shlex.join(command),
            )
        tick(len(STEPS) - done)
    json = {
        **told.to_json(),
        "file": str(path),
        "columns": None if found.dialect is None else found.dialect._asdict(),
        "rows": found.rows,
        "bad": {"rows": found.bad, "shown": [one._asdict() for one in found.shown]},
        "page": None if written is None else str(written),
    }
    return Outcome(json, lambda: _show(told, found, written))


def _is_page(path: Path) -> bool:
    """Whether a file may be written over: it is a page."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(PAGE)).lower() == PAGE


def _read(path: Path, options: argparse.Namespace) -> VotesRead:
    columns = {name: getattr(options, name) for name in COLUMNS}
    size = path.stat().st_size if path.is_file() else 0
    with progress_bar(size or 1, "reading", shown=talks(options)) as tick:
        return examine(path, **columns, most=options.most, skip_bad=options.skip_bad, tick=tick)


def _show(told: Findings, found: VotesRead, page: Path | None) -> None:
    for text in told.lines():
        screen.wrapped(text)
    for note in found.notes():
        screen.wrapped(f"Note: {note}.")
    if page is not None:
        screen.reported(page)


def _example(options: argparse.Namespace) -> Outcome:
    """Write a file to try."""
    path = Path(options.example)
    if path.exists():
        raise ValueError(f"--example must be a new file; {path} is there already")
    text = example()
    with results.explained(path):
        results.write(path, text.encode())
    votes = text.count("\n") - 1
    told = {"file": str(path), "votes": votes}

    def show() -> None:
        screen.line(f"{votes:,} votes of a year on eight models, made up: {path}")
        screen.line(f"now try: sparring votes {shlex.quote(str(path))}")

    return Outcome(told, show)
