"""What `votes` does: it reads a file of votes, prints the answer and writes a page."""

import argparse
import math
import os
import re
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from sparring import atomic, checks
from sparring.formats import chance, isolated
from sparring.simulation.progress import progress_bar
from sparring.tables.kinds import PIPED, piped
from sparring.tables.texts import BadRowError, seconds
from sparring.votes.answer import Findings, Report, answer, report
from sparring.votes.columns import parse
from sparring.votes.data import example
from sparring.votes.page import last_vote, write_votes
from sparring.votes.reader import VotesRead, examine, on_server
from sparring_cli import screen
from sparring_cli.machine import talks
from sparring_cli.outcome import Outcome

COLUMNS = (
    *("a", "b", "winner", "outcome", "score", "time", "voter", "weight", "chance"),
    *("ranks", "scores"),
)
PAGE = b"<!doctype html>"
SHOWN = 12  # arms in the table
STEPS = ("standings", "alarm", "what if", "page")


def show_votes(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """Who leads now, since when, how sure, and what if."""
    if options.example is not None:
        return _example(options)
    if options.file is None:
        raise ValueError("FILE is missing: give a file of votes; --example FILE makes one to try")
    source = _source(options)
    page = Path(options.page or f"{source.stem}.votes.html")
    if page.exists() and not _is_page(page):
        raise ValueError(f"--page must be a new file or a page; got {page}, which is neither")
    since = None if options.since is None else _since(options.since, page)
    found = _read(options)
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
            alarmed=options.alarm,
            what_if=not options.no_what_if,
            step=step,
        )
        news = None if since is None else report(told, since)
        step("page")
        written = None
        if not options.no_page:
            written = write_votes(
                page,
                told,
                source=source.shown,
                notes=found.notes(),
                warning=found.warning,
                command=shlex.join(source.address if w == options.file else w for w in command),
                report=news,
            )
        tick(len(STEPS) - done)
    lines = [*filter(None, [found.warning]), *told.lines()]
    json = {
        **told.to_json(),
        "lines": lines,
        "file": source.address,
        "columns": None if found.dialect is None else found.dialect._asdict(),
        "rows": found.rows,
        "bad": {"rows": found.bad, "shown": [one._asdict() for one in found.shown]},
        "page": None if written is None else str(written),
        **({} if news is None else {"report": news.to_json()}),
    }
    return Outcome(json, lambda: _show(told, found, written, news))


def _since(text: str, page: Path) -> float:
    """The moment from which on a report tells."""
    if text != "last":
        try:
            return seconds(text, None)
        except BadRowError:
            rule = "a moment such as 2026-11-10 or 2026-11-10T08:30:00+01:00, or last"
            raise checks.refuse("--since", rule, text) from None
    found = last_vote(page) if page.is_file() else ""
    if not found:
        remedy = "For the first report give a date, such as --since 2026-11-10"
        raise ValueError(f"--since last needs the last page, {page}, which is not there. {remedy}")
    return math.nextafter(datetime.fromisoformat(found).timestamp(), math.inf)


def _is_page(path: Path) -> bool:
    """Whether a file may be overwritten because it is a page."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(PAGE)).lower() == PAGE


class Source(NamedTuple):
    """Where votes come from, safe to show: the address of a server may hold a password."""

    address: str
    shown: str
    stem: str


def _source(options: argparse.Namespace) -> Source:
    if options.file == "-":
        return Source("-", PIPED, "stdin")
    if on_server(options.file):
        return Source("postgresql://...", f"{options.name}, on PostgreSQL", _fit(options.name))
    name = Path(options.file).name.removesuffix(".gz")
    return Source(options.file, Path(options.file).name, Path(name).stem)


def _fit(name: str) -> str:
    """The name of an arena as that of a file."""
    return re.sub(r"[^\w-]+", "-", name)[:80]


def _read(options: argparse.Namespace) -> VotesRead:
    if options.file == "-":
        with piped(sys.stdin.buffer) as path:
            return _examine(path, options)
    return _examine(options.file, options)


def _examine(path: str | Path, options: argparse.Namespace) -> VotesRead:
    columns = {name: getattr(options, name) for name in COLUMNS}
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    # Without a size there is no file, or it is a server, which does not say how much is left.
    with progress_bar(size, "reading", shown=size > 0 and talks(options)) as tick:
        return examine(
            path,
            **columns,
            words=parse(options.word),
            dates=options.dates,
            decimal=options.decimal,
            most=options.most,
            name=options.name,
            skip_bad=options.skip_bad,
            tick=tick,
        )


def _show(told: Findings, found: VotesRead, page: Path | None, news: Report | None) -> None:
    if found.warning:
        screen.wrapped(found.warning)
    if news is not None:
        for text in news.lines():
            screen.line(text)
        return
    screen.headline(told.verdict())
    _table(told)
    for text in told.lines()[1:]:
        if text != told.standing():  # the table has it
            screen.wrapped(text)
    for text in told.alarm():
        screen.wrapped(text)
    for note in found.notes():
        screen.wrapped(f"Note: {note}.")
    if page is not None:
        screen.reported(page)


def _table(told: Findings) -> None:
    """The candidates: their places, chances and shares of votes won."""
    table = screen.Table()
    for head in ("", "place", "best", "wins", "votes"):
        table.add_column(head, justify="right" if head else "left", no_wrap=bool(head))
    places = told.now.places
    for place in places[:SHOWN]:
        cells = place.ranked, chance(place.leads), place.won, f"{place.votes:,}"
        table.add_row(isolated(place.name), *cells)
    if len(places) > SHOWN:
        table.add_row(f"and {len(places) - SHOWN:,} more", "", "", "", "")
    screen.table(table)


def _example(options: argparse.Namespace) -> Outcome:
    """Write a file to try."""
    path = Path(options.example)
    if path.exists():
        raise ValueError(f"--example must be a new file; {path} already exists")
    text = example()
    with atomic.explained(path):
        atomic.write(path, text.encode())
    votes = text.count("\n") - 1
    told = {"file": str(path), "votes": votes}

    def show() -> None:
        screen.line(f"{votes:,} votes of a year on eight models, made up: {path}")
        screen.line(f"now try: sparring votes {shlex.quote(str(path))}")

    return Outcome(told, show)
