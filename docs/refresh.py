"""Runs both scales, coverage and the benchmark of sweeps, and writes what they give into the docs.

python docs/refresh.py           (`make documents`) takes an hour; leave the machine alone.
python docs/refresh.py theory    only what docs/theory.md shows.
python docs/refresh.py league    only what docs/league.md shows, in another 10 minutes; a folder of
                                 classical matrices may stand behind it.
python docs/refresh.py beside    only its table of seasons and bought votes, in 5 minutes.
python docs/refresh.py votes     only what docs/few-votes.md shows, in another 20 minutes.
python docs/refresh.py answers   only what docs/votes.md shows, in another 5 minutes.
python docs/refresh.py tracker   only what docs/tracker.md shows, in another 15 minutes; a folder of
                                 real data may stand behind it.
python docs/refresh.py seasons   only the table of docs/seasons.md, in 5 minutes.
python docs/refresh.py late      only what docs/late-and-spoiled.md shows, in 20 minutes of a
                                 processor; a folder to go on in may stand behind it, and then only
                                 what is new there is played: a learner in seconds.
python docs/refresh.py choices   only the tables of docs/choices.md, in another 10 minutes.
python docs/refresh.py contexts  only the tables of docs/contexts.md, in another 5 minutes.
python docs/refresh.py arena     only the tables and the figure of docs/arena.md, in 15 minutes.
python docs/refresh.py front     only the front page's picture, light and dark, in seconds.
python docs/refresh.py gallery   only docs/gallery, in a minute; names of scripts may follow.
python docs/refresh.py data      only the table of docs/data.md, at once.
python docs/refresh.py prediction  only what docs/prediction.md shows, in another 10 minutes; the
                                 Python that has arena-rank may stand behind it.
"""

import argparse
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import gallery_pages
import page_tables

from sparring.lab.draw import save, shown_figure
from sparring.votes import answer
from sparring.votes import read as read_votes
from sparring.votes.page import figure

ROOT = Path(__file__).parents[1]


def sparring(*arguments, **environment):
    """What the command tells a program."""
    command = [sys.executable, "-m", "sparring_cli", *map(str, arguments)]
    return run([*command, "--json"] if "--markdown" not in arguments else command, environment)


def run(command, environment=None):
    """What a command prints, as data if it is JSON."""
    env = {**os.environ, **(environment or {})}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=env)
    return json.loads(done.stdout) if done.stdout.startswith(("{", "[")) else done.stdout


def fill(page, name, text):
    """Replace what stands between the two comments of a name."""
    path = ROOT / page
    pattern = rf"(?s)(<!-- {name} -->\n).*?(<!-- end of {name} -->)"
    new, found = re.subn(pattern, lambda place: place[1] + text + place[2], path.read_text())
    assert found == 1, f"{page} has {found} places for {name}"
    path.write_text(new)


def theory(folder):
    """Fill docs/theory.md."""
    fill("docs/theory.md", "coverage", page_tables.covered(sparring("coverage", "--out", folder)))
    shutil.copy(folder / "figures" / "coverage.svg", ROOT / "docs" / "figures" / "coverage.svg")
    bounds = ROOT / "docs" / "figures" / "bounds.svg"
    sparring("bounds", "--K", 10, "--T", "1e6", "--S", 10, "--figure", bounds)


def league(folder, matrices=None):
    """Fill docs/league.md; the classical table stays without a folder of matrices."""
    page, found = "docs/league.md", sparring("league", "--all", "--scale", "full", "--out", folder)
    answers = [
        f"- {one['when']}: **{one['label']}**, `{one['call']}`. {one['why']}.\n"
        for one in found["answers"]
    ]
    fill(page, "answers", "".join(answers))
    fill(page, "advice", page_tables.advised(found["advice"]))
    fill(page, "standings", page_tables.best(found))
    fill(page, "ranks", page_tables.placed(found))
    fill(page, "duels", page_tables.dueled(found))
    fill(page, "alarms", page_tables.noticed(found))
    for name in ("table", "ranks", "alarms"):
        source = folder / "figures" / f"league-{name}.svg"
        shutil.copy(source, ROOT / "docs" / "figures" / source.name)
    if matrices is not None:
        script = str(ROOT / "benchmarks" / "classical.py")
        rows = run([sys.executable, script, "--data", matrices, "--json"])
        fill(page, "classical", page_tables.classical(rows))


def beside(folder):
    """Fill docs/league.md: some learners on the worlds that play only if they are named."""
    worlds = ("seasons", "many-seasons", "bought", "bought-in-bursts")
    given = ("--worlds", *worlds, "--learners", *page_tables.BESIDE, "--runs", 20)
    found = sparring("league", *given, "--out", folder / "beside")
    fill("docs/league.md", "beside", page_tables.beside(found))


def votes(folder):
    """Fill docs/few-votes.md."""
    page = "docs/few-votes.md"
    found = sparring("league", "--suite", "few", "--scale", "full", "--out", folder / "few")
    fill(page, "few", page_tables.scored(found))
    arms = ("--arms", 3, 5, 10, 20)
    found = sparring("votes-needed", *arms, "--out", folder / "votes")
    fill(page, "needed", page_tables.needed(found))
    for source in (
        folder / "few" / "figures" / "league-favourites.svg",
        folder / "votes" / "votes-tracker.svg",
    ):
        shutil.copy(source, ROOT / "docs" / "figures" / source.name)


def answers(folder):
    """Fill docs/votes.md: the answer to the example, and its figure."""
    year = folder / "year.csv"
    sparring("votes", "--example", year)
    said = run([sys.executable, "-m", "sparring_cli", "votes", str(year), "--no-page"])
    lines = [line.rstrip() for line in said.splitlines()]
    fill("docs/votes.md", "answer", "```text\n" + "\n".join(lines) + "\n```\n")
    found = answer(read_votes(year), what_if=False)
    (ROOT / "docs" / "figures" / "votes.svg").write_text(figure(found), encoding="utf-8")


def tracker(folder, real=None):
    """Fill docs/tracker.md; what needs data stays if there is none."""
    script = [sys.executable, str(ROOT / "benchmarks" / "tracker.py"), "--markdown"]
    figure = ROOT / "docs" / "figures" / "tracker-sure.svg"
    given = {"data": [real], "sure": ["--figure", str(figure)]}
    for part in ("halves", "data", "late", "differ", "oldest", "sure", "arms"):
        if part != "data" or real is not None:
            fill("docs/tracker.md", part, run([*script, part, *given.get(part, ())]))


def seasons(folder):
    """Fill docs/seasons.md."""
    script = [sys.executable, str(ROOT / "benchmarks" / "seasons.py"), "--markdown"]
    fill("docs/seasons.md", "seasons", run(script))


def late(folder, results=None):
    """Fill docs/late-and-spoiled.md."""
    figure = ROOT / "docs" / "figures" / "answers.svg"
    script = [sys.executable, str(ROOT / "benchmarks" / "answers.py")]
    kept = results or str(folder / "late")
    for part, options in (
        ("along", ["--figure", str(figure)]),
        ("elsewhere", []),
        ("everybody", []),
    ):
        table = run([*script, kept, "--part", part, *options])
        fill("docs/late-and-spoiled.md", part, table)
    fill("docs/late-and-spoiled.md", "times", run([*script, "--times"]))


def choices(folder):
    """Fill docs/choices.md."""
    script = [sys.executable, str(ROOT / "benchmarks" / "choices.py")]
    fill("docs/choices.md", "choices", run([*script, "--runs", "12", "--answers", "2000"]))
    fill("docs/choices.md", "times", run([*script, "--times"]))


def contexts(folder):
    """Fill docs/contexts.md."""
    script = [sys.executable, str(ROOT / "benchmarks" / "contexts.py"), "--part"]
    for part in ("groups", "features"):
        fill("docs/contexts.md", part, run([*script, part]))


def arena(folder):
    """Fill docs/arena.md: planted votes, and how often voters are held."""
    programs = ROOT / "benchmarks"
    figure = ["--figure", str(ROOT / "docs" / "figures" / "planted.svg")]
    for name, options in (("planted", figure), ("suspects", [])):
        script = [sys.executable, str(programs / f"{name}.py"), *options]
        fill("docs/arena.md", name, run(script))


def front(folder):
    """Draw the front page's picture: that of the gallery's first page, light and dark."""
    page = runpy.run_path(str(ROOT / "examples" / "gallery" / "changing_favourite.py"))
    for dark, name in enumerate(("front-light", "front-dark")):
        words = {"names": page["SONGS"], "title": page["TITLE"]}
        figure = shown_figure(page["table"], page["best"], **words, dark=bool(dark))
        save(figure, ROOT / "docs" / "figures", name, formats=("svg",), transparent=True)


def gallery(folder, *names):
    """Run the gallery's scripts, or those that are named, and write their pages."""
    gallery_pages.write(names)


def data_sets(folder):
    """Fill docs/data.md."""
    fill("docs/data.md", "sets", page_tables.shipped())


def prediction(folder, python=None):
    """Fill docs/prediction.md and docs/speed.md; what needs data stays if there is none."""
    script = [sys.executable, str(ROOT / "benchmarks" / "prediction.py"), "--markdown", "--part"]
    for part in ("real", "drift"):
        if found := run([*script, part]):
            fill("docs/prediction.md", part, found)
    script = [sys.executable, str(ROOT / "benchmarks" / "votes.py"), "--json"]
    rows = run([*script, *(() if python is None else ("--arena-rank", python))])
    fill(
        "docs/speed.md",
        "answers",
        page_tables.table(list(rows[0]), [row.values() for row in rows]),
    )


def everything(folder):
    """Run everything in a folder and fill all places."""
    league(folder / "league")
    beside(folder)
    votes(folder)
    answers(folder)
    tracker(folder)
    seasons(folder)
    late(folder)
    choices(folder)
    contexts(folder)
    arena(folder)
    data_sets(folder)
    gallery(folder)
    front(folder)
    theory(folder / "theory")
    quick, full = folder / "quick", folder / "full"
    fast = sparring("reproduce", "--out", quick, NUMBA_CACHE_DIR=str(folder / "kernels"))
    six = sparring("run", *page_tables.PRINTED, "--scale", "full", "--out", full)
    rest = sparring("reproduce", "--scale", "full", "--out", full)
    for scale in (quick, full):
        source = scale / "figures" / "overview.svg"
        shutil.copy(source, ROOT / "docs" / "figures" / f"{scale.name}.svg")
    fill("docs/reproducing.md", "findings", page_tables.findings(quick, full))
    fill("docs/reproducing.md", "times", page_tables.times(fast, six, rest))
    fill("docs/reproducing.md", "verdicts", sparring("claims", "--markdown", "--out", full))
    sweep = run([sys.executable, str(ROOT / "benchmarks" / "sweep.py"), "--json"])
    fill(
        "docs/scaling.md",
        "sweep",
        page_tables.table(list(sweep[0]), [row.values() for row in sweep]),
    )


PAGES = {
    "theory": theory,
    "league": league,
    "beside": beside,
    "votes": votes,
    "answers": answers,
    "tracker": tracker,
    "seasons": seasons,
    "late": late,
    "choices": choices,
    "contexts": contexts,
    "arena": arena,
    "front": front,
    "gallery": gallery,
    "data": data_sets,
    "prediction": prediction,
}


def main():
    """Fill what is asked for, in a folder that is gone afterwards; an unknown name is refused."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("page", nargs="?", choices=PAGES, help="everything if there is none")
    parser.add_argument("given", nargs="*", help="what may stand behind it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        PAGES.get(options.page, everything)(Path(temporary), *options.given)


if __name__ == "__main__":
    main()
