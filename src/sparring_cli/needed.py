"""What `votes-needed` does: how many votes it takes to name the winner, as tables and a figure."""

import argparse
import json
import math
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console

from sparring import atomic, checks
from sparring.formats import short
from sparring.lab.experiments.running import MOST_THREADS
from sparring.lab.league import needed as needing
from sparring.lab.league.needed import Needed
from sparring.simulation.workers import cores
from sparring_cli import screen
from sparring_cli.league import importing
from sparring_cli.machine import executor, import_from_here, talks
from sparring_cli.outcome import Outcome
from sparring_cli.screen import Table

ABOUT = (
    "The number of votes after which the arm that it thinks best is the best one in nine of ten "
    "runs, with a 95% interval. The winner beats each other arm with probability 1/2 + margin."
)
OVER = "over N: not yet right that often after N votes, the most that were played."


def show_needed(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """Votes needed from a new start and after a change."""
    from sparring.lab import draw  # only now: Matplotlib takes half a second

    if options.out == "":
        raise ValueError("--out must be the name of a folder; got nothing")
    folder = Path(options.out or "results/votes")
    if ":" in options.learner:
        import_from_here()
    arms, margins = options.arms or needing.ARMS, options.margins or needing.MARGINS
    calm = needing.CALM if options.calm is None else options.calm
    needing.cases(arms, margins, calm)  # a mistake is told before a folder is made
    with importing([options.learner]):
        needing.entrant_of(options.learner)
    jobs = (
        cores()
        if options.jobs is None
        else checks.whole("jobs", options.jobs, low=1, high=MOST_THREADS)
    )
    with atomic.explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with executor(options) as cluster, ThreadPoolExecutor(jobs) as threads:
        found = needing.votes_needed(
            options.learner,
            arms=arms,
            margins=margins,
            calm=calm,
            runs=needing.RUNS if options.runs is None else options.runs,
            seed=options.seed,
            executor=cluster or threads,
            progress=talks(options),
        )
    name = "votes-" + re.sub(r"[^A-Za-z0-9]+", "-", options.learner).strip("-")[:60]
    made = draw.save(draw.needed_figure(options.learner, found), folder, name)
    told = {
        "learner": options.learner,
        "seed": options.seed,
        "needed": [one.to_json() for one in found],
        "figures": [str(file) for file in made],
    }
    path = folder / f"{name}.json"
    with atomic.explained(path):
        atomic.write(path, json.dumps(told, indent=1).encode())

    def show() -> None:
        screen.line(f"{options.learner}: votes until its favourite is right nine times out of ten")
        print()
        for calm in dict.fromkeys(one.calm for one in found):
            _table([one for one in found if one.calm == calm])
        screen.wrapped(ABOUT)
        if any(math.isinf(end) for one in found for end in one.votes):
            screen.wrapped(OVER)
        print()
        screen.plotted(made)

    return Outcome(told, show)


def _table(found: Sequence[Needed]) -> None:
    calm, runs = found[0].calm, found[0].runs
    when = f"after a change that follows {calm:,} calm votes" if calm else "from a new start"
    Console().print(f"{when[0].upper()}{when[1:]} ({runs:,} runs)", style="bold")
    table = Table()
    table.add_column("arms", justify="right")
    margins = list(dict.fromkeys(one.margin for one in found))
    for margin in margins:
        table.add_column(f"margin {margin:g}", justify="right", no_wrap=True)
    for K in dict.fromkeys(one.K for one in found):
        here = {one.margin: one for one in found if one.K == K}
        table.add_row(str(K), *(needed(here[margin]) for margin in margins))
    Console().print(table)
    print()


def needed(one: Needed) -> str:
    """The number and its interval, to two digits, as more are not known.

    Examples
    --------
    >>> from sparring.formats import Estimate
    >>> needed(Needed(3, 0.1, 0, 200, Estimate(194.2, 137.0, 1249.4), (5, 12000), (0.5, 1.0)))
    '190 (140-1.2k)'
    >>> needed(Needed(3, 0.1, 0, 200, Estimate(math.inf, 900.0, math.inf), (5, 12000), (0.5, 0.8)))
    'over 12k'
    """
    value, low, high = one.votes
    if math.isinf(value):
        return f"over {short(one.grid[-1])}"
    end = short(high) if math.isfinite(high) else f"over {short(one.grid[-1])}"
    return f"{short(value)} ({short(low)}-{end})"
