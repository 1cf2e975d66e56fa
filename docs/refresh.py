"""Runs both scales, coverage and the benchmark of sweeps, and writes what they give into the docs.

python docs/refresh.py           (`make documents`) takes an hour; leave the machine alone.
python docs/refresh.py theory    only what docs/theory.md shows.
python docs/refresh.py league    only what docs/league.md shows, in another 20 minutes; a folder of
                                 classical matrices may stand behind it.
python docs/refresh.py votes     only what docs/few-votes.md shows, in another 20 minutes.
python docs/refresh.py answers   only what docs/votes.md shows, in another 5 minutes.
python docs/refresh.py tracker   only what docs/tracker.md shows, in another 15 minutes; a folder of
                                 real data may stand behind it.
python docs/refresh.py seasons   only the table of docs/seasons.md, in 5 minutes.
python docs/refresh.py late      only what docs/late-and-spoiled.md shows, in another 30 minutes; a
                                 folder to go on in may stand behind it.
python docs/refresh.py arena     only the tables and the figure of docs/arena.md, in 15 minutes.
python docs/refresh.py front     only the front page's picture, light and dark, in seconds.
python docs/refresh.py gallery   only docs/gallery, in a minute; names of scripts may follow.
python docs/refresh.py data      only the table of docs/data.md, at once.
python docs/refresh.py prediction  only what docs/prediction.md shows, in another 10 minutes; the
                                 Python that has arena-rank may stand behind it.
"""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import gallery_pages

from sparring import data
from sparring.lab.claims import OF_THE_PAPER, judge
from sparring.lab.draw import save, shown_figure
from sparring.lab.draw.strengths import strength_curves, strengths_figure
from sparring.lab.panels import panels
from sparring.lab.summaries import read
from sparring.votes import answer
from sparring.votes import read as read_votes

ROOT = Path(__file__).parents[1]
PRINTED = [name for name, panel in panels("full").items() if panel.source]


def findings(quick, full):
    """A row for each claim of the paper: what was measured at both scales, and the verdicts."""
    small, large = cells(quick), cells(full)
    rows = [[claim.says, *small[claim.name], large[claim.name][1]] for claim in OF_THE_PAPER]
    return table(["what the paper says", "wanted", "quick: T to 10^5", "full: T to 10^6"], rows)


def cells(folder):
    """What was wanted and what was found of each claim, by name."""
    verdicts = judge(read(folder, tuple(PRINTED)), OF_THE_PAPER)
    return {one.claim.name: (one.wanted, f"{told(one)}: **{one.verdict}**") for one in verdicts}


def told(verdict):
    """The number, or why there is none."""
    return verdict.note.split(";")[0] if verdict.number == "unknown" else verdict.number


def table(head, rows):
    """A table as Markdown writes it."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def times(quick, six, full):
    """What the runs took."""
    rows = [
        ["quick scale: all panels, figures, claims, report; kernels compiled first", quick],
        ["full scale: the paper's six panels, played", six],
        ["full scale: the others, and all figures, claims, report", full],
    ]
    head = ["run", "jobs played", "seconds", "megabytes at most"]
    return table(
        head,
        [
            [what, f"{ran['played']:,}", f"{ran['seconds']:.0f}", f"{ran['megabytes']:.0f}"]
            for what, ran in rows
        ],
    )


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


def covered(found):
    """A row for each guarantee: how often it failed, and what the runs could have refuted."""
    head = ["guarantee", "of", "world", "failed", "allowed", "refuted below"]
    rows = [
        [
            case["says"],
            case["name"],
            f"`{case['world']}`",
            f"{case['failures']} of {len(case['ratios'])}",
            case["allowed"],
            "any" if case["refutable"] is None else f"{case['refutable']:.2f}",
        ]
        for case in found
    ]
    return table(head, rows)


def theory(folder):
    """Fill docs/theory.md."""
    fill("docs/theory.md", "coverage", covered(sparring("coverage", "--out", folder)))
    shutil.copy(folder / "figures" / "coverage.svg", ROOT / "docs" / "figures" / "coverage.svg")
    bounds = ROOT / "docs" / "figures" / "bounds.svg"
    sparring("bounds", "--K", 10, "--T", "1e6", "--S", 10, "--figure", bounds)


def percent(ratio):
    """A ratio with its interval, in percent."""
    if ratio is None or ratio["value"] is None:
        return "none: not positive"
    value, low, high = ("?" if x is None else _percent(100 * x) for x in ratio.values())
    return f"{value} ({low} to {high})"


def _percent(x):
    return f"{x:.0f}" if x >= 9.95 else f"{x:.1f}"


def advised(found):
    """A row for each kind of world, a column for each kind of knowledge."""
    knowledge = list(dict.fromkeys(one["knows"] for one in found))
    rows = []
    for kind in dict.fromkeys(one["kind"] for one in found):
        here = {one["knows"]: one for one in found if one["kind"] == kind}
        cells = []
        for knows in knowledge:
            one = here[knows]
            apart = "then" if one["told_apart"] else "not told apart from"
            cells.append(f"**{one['label']}** {percent(one['to_chance'])}, {apart} {one['second']}")
        rows.append([f"{kind} ({len(next(iter(here.values()))['worlds'])})", *cells])
    return table(["kind of world (how many)", *(f"told {knows}" for knows in knowledge)], rows)


def placed(found):
    """A row for each learner: mean rank, regret overall, and what it is told."""
    rows = [
        [
            place,
            label,
            f"{rank:.1f}",
            found["ranking"]["wins"][label],
            percent(found["learners"][label]["to_chance"]),
            found["learners"][label]["told"],
        ]
        for place, (label, rank) in enumerate(found["ranking"]["mean_ranks"].items(), 1)
    ]
    head = ["", "learner", "mean rank", "best on", "% of RAND, all worlds", "told"]
    number, distance = len(found["ranking"]["worlds"]), found["ranking"]["critical_difference"]
    text = (
        f"Over {number} worlds; two learners are told apart if their mean ranks differ by more "
        f"than {distance:.1f} (Nemenyi, 5 %).\n\n"
    )
    return text + table(head, rows)


def best(found):
    """A row for each world: who did best, and who next."""
    rows = []
    for world in found["worlds"].values():
        ranked = [one for one in world["standings"] if found["learners"][one["label"]]["ranked"]]
        cells = [f"{one['label']} {percent(one['to_chance'])}" for one in ranked[:3]]
        rows.append([world["title"], *cells])
    return table(["world", "best, % of RAND", "second", "third"], rows)


def dueled(found):
    """A row for each world: SYM-EXP3.S over DEX3.S, as printed and corrected."""
    names = ["DEX3.S", "DEX3.S corrected"]
    duels = {one["learners"][1]: one for one in found["duels"] if one["learners"][1] in names}
    rows = [
        [found["worlds"][printed["world"]]["title"], times_of(printed), times_of(corrected)]
        for printed, corrected in zip(*(duels[name]["worlds"] for name in names), strict=True)
    ]
    return table(["world", *(f"over {name}" for name in names)], rows)


def times_of(duel):
    """The ratio of two regrets with its interval, or the difference where there is none."""
    ratio, difference = duel["ratio"], duel["difference"]
    if ratio["value"] is None:
        least, most = -difference["high"], -difference["low"]
        return f"no ratio; {-difference['value']:,.0f} less ({least:,.0f} to {most:,.0f})"
    return f"{ratio['value']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})"


def noticed(found):
    """A row for each detector and world."""
    rows = [
        [
            one["title"],
            one["label"],
            f"{len(one['delays'])} of {one['changes']}" if one["changes"] else "none to notice",
            "" if one["median_delay"] is None else f"{one['median_delay']:,.0f}",
            f"{one['false_in_100000']:.2g}",
        ]
        for one in found["alarms"]
    ]
    return table(["world", "learner", "noticed", "median delay", "false in 100,000 rounds"], rows)


def classical(found):
    """A row for each classical matrix: what learners lost, and a bound that holds in the end."""
    learners = list(dict.fromkeys(one["learner"] for one in found))
    rows = []
    for name in dict.fromkeys(one["matrix"] for one in found):
        mine = {one["learner"]: one for one in found if one["matrix"] == name}
        one = mine[learners[0]]
        cells = [
            f"{mine[who]['regret'][-1]:,.0f} ± {mine[who]['standard_error'][-1]:.0f}"
            for who in learners
        ]
        rows.append([name, one["K"], *cells, f"{one['lower_bound'][-1]:,.0f}"])
    return table(["matrix", "K", *learners, "r ln T"], rows)


def league(folder):
    """Fill docs/league.md."""
    page, found = "docs/league.md", sparring("league", "--all", "--scale", "full", "--out", folder)
    answers = [
        f"- {one['when']}: **{one['label']}**, `{one['call']}`. {one['why']}.\n"
        for one in found["answers"]
    ]
    fill(page, "answers", "".join(answers))
    fill(page, "advice", advised(found["advice"]))
    fill(page, "standings", best(found))
    fill(page, "ranks", placed(found))
    fill(page, "duels", dueled(found))
    fill(page, "alarms", noticed(found))
    for name in ("table", "ranks", "alarms"):
        source = folder / "figures" / f"league-{name}.svg"
        shutil.copy(source, ROOT / "docs" / "figures" / source.name)
    if len(sys.argv) > 2:
        script = str(ROOT / "benchmarks" / "classical.py")
        rows = run([sys.executable, script, "--data", sys.argv[2], "--json"])
        fill(page, "classical", classical(rows))


def whole_percent(found, name, *, interval):
    """A share or a ratio in percent, with its interval or without."""
    if found is None or found[name]["value"] is None:
        return ""
    value, low, high = (f"{100 * x:.0f}" for x in found[name].values())
    return f"{value} ({low} to {high})" if interval else value


def scored(found):
    """Two tables, of right favourites and of regret: a row for each learner."""
    text = ""
    heads = {
        "right": "Right favourites in the end, in percent of the runs (95 % interval):",
        "to_chance": "Regret in percent of RAND's, the geometric mean over worlds:",
    }
    for name, head in heads.items():
        rows = []
        for label, one in found["favourites"].items():
            cells = [
                whole_percent(part, name, interval=of == "all") for of, part in one["parts"].items()
            ]
            rows.append([label, found["learners"][label]["told"], *cells])
        parts = next(iter(found["favourites"].values()))["parts"]
        text += f"{head}\n\n{table(['learner', 'told', *parts], rows)}\n"
    return text[:-1]


def needed(found):
    """Two tables of votes, from a new start and after a change: a row for each number of arms."""
    text, cases = "", found["needed"]
    for calm in dict.fromkeys(one["calm"] for one in cases):
        here = [one for one in cases if one["calm"] == calm]
        margins = list(dict.fromkeys(one["margin"] for one in here))
        rows = []
        for K in dict.fromkeys(one["K"] for one in here):
            mine = {one["margin"]: one for one in here if one["K"] == K}
            rows.append([K, *(votes_of(mine[margin]) for margin in margins)])
        when = f"After a change that follows {calm:,} calm votes" if calm else "From a new start"
        head = ["arms", *(f"margin {margin:g}" for margin in margins)]
        text += f"{when}, {here[0]['runs']} runs:\n\n{table(head, rows)}\n"
    return text[:-1]


def votes_of(one):
    """A number of votes with its interval, to two digits."""
    most = f"over {one['grid'][-1]:,}"
    value, low, high = (most if x is None else f"{float(f'{x:.1e}'):,.0f}" for x in one["votes"])
    return value if value == most else f"{value} ({low} to {high})"


def votes(folder):
    """Fill docs/few-votes.md."""
    page = "docs/few-votes.md"
    found = sparring("league", "--suite", "few", "--scale", "full", "--out", folder / "few")
    fill(page, "few", scored(found))
    arms = ("--arms", 3, 5, 10, 20)
    found = sparring("votes-needed", *arms, "--out", folder / "votes")
    fill(page, "needed", needed(found))
    for source in (
        folder / "few" / "figures" / "league-favourites.svg",
        folder / "votes" / "votes-tracker.svg",
    ):
        shutil.copy(source, ROOT / "docs" / "figures" / source.name)


def answers(folder):
    """Fill docs/votes.md: the answer to the example, its figure, and how often it is right."""
    year = folder / "year.csv"
    sparring("votes", "--example", year)
    said = sparring("votes", year, "--no-page")["lines"]
    lines = [line for text in said for line in textwrap.wrap(text, 78)]
    fill("docs/votes.md", "answer", "```text\n" + "\n".join(lines) + "\n```\n")
    found = answer(read_votes(year), what_if=False)
    figure = strengths_figure(found, strength_curves(found))
    save(figure, ROOT / "docs" / "figures", "votes", formats=("svg",))
    script = [sys.executable, str(ROOT / "benchmarks" / "standings.py"), "--markdown"]
    fill("docs/votes.md", "coverage", run(script))


def tracker(folder):
    """Fill docs/tracker.md; what needs data stays if there is none."""
    script = [sys.executable, str(ROOT / "benchmarks" / "tracker.py"), "--markdown"]
    figure = ROOT / "docs" / "figures" / "tracker-sure.svg"
    given = {"data": sys.argv[2:3], "sure": ["--figure", str(figure)]}
    for part in ("halves", "data", "late", "differ", "oldest", "sure", "arms"):
        if part != "data" or given["data"]:
            fill("docs/tracker.md", part, run([*script, part, *given.get(part, ())]))


def seasons(folder):
    """Fill docs/seasons.md."""
    script = [sys.executable, str(ROOT / "benchmarks" / "seasons.py"), "--markdown"]
    fill("docs/seasons.md", "seasons", run(script))


def late(folder):
    """Fill docs/late-and-spoiled.md."""
    figure = ROOT / "docs" / "figures" / "answers.svg"
    where = sys.argv[2:3] or [str(folder / "late")]
    script = [sys.executable, str(ROOT / "benchmarks" / "answers.py"), *where]
    fill("docs/late-and-spoiled.md", "answers", run([*script, "--figure", str(figure)]))


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


def gallery(folder):
    """Run the gallery's scripts, or those that are named, and write their pages."""
    gallery_pages.write(sys.argv[2:])


def shipped():
    """A row for each data set of the package."""
    rows = []
    for name in data.names():
        one = data.load(name)
        size = f"{one.K} arms" + (f", {one.periods} periods" if one.periods > 1 else "")
        rows.append([f"`{name}`", size, one.about, one.source, one.licence])
    return table(["name", "size", "what it is", "source", "licence"], rows)


def data_sets(folder):
    """Fill docs/data.md."""
    fill("docs/data.md", "sets", shipped())


def prediction(folder):
    """Fill docs/prediction.md; what needs data stays if there is none."""
    script = [sys.executable, str(ROOT / "benchmarks" / "prediction.py"), "--markdown", "--part"]
    for part in ("real", "drift"):
        if found := run([*script, part]):
            fill("docs/prediction.md", part, found)
    script = [sys.executable, str(ROOT / "benchmarks" / "votes.py"), "--json"]
    rows = run([*script, *(("--arena-rank", sys.argv[2]) if len(sys.argv) > 2 else ())])
    fill("docs/prediction.md", "speed", table(list(rows[0]), [row.values() for row in rows]))


def main(folder):
    """Run everything in a folder and fill all places."""
    league(folder / "league")
    votes(folder)
    answers(folder)
    tracker(folder)
    seasons(folder)
    late(folder)
    arena(folder)
    data_sets(folder)
    gallery(folder)
    front(folder)
    theory(folder / "theory")
    quick, full = folder / "quick", folder / "full"
    fast = sparring("reproduce", "--out", quick, NUMBA_CACHE_DIR=str(folder / "kernels"))
    six = sparring("run", *PRINTED, "--scale", "full", "--out", full)
    rest = sparring("reproduce", "--scale", "full", "--out", full)
    for scale in (quick, full):
        source = scale / "figures" / "overview.svg"
        shutil.copy(source, ROOT / "docs" / "figures" / f"{scale.name}.svg")
    fill("docs/reproducing.md", "findings", findings(quick, full))
    fill("docs/reproducing.md", "times", times(fast, six, rest))
    fill("docs/reproducing.md", "verdicts", sparring("claims", "--markdown", "--out", full))
    sweep = run([sys.executable, str(ROOT / "benchmarks" / "sweep.py"), "--json"])
    fill("docs/scaling.md", "sweep", table(list(sweep[0]), [row.values() for row in sweep]))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        pages = {"theory": theory, "league": league, "votes": votes, "tracker": tracker}
        pages |= {"answers": answers, "prediction": prediction, "arena": arena, "front": front}
        pages |= {"data": data_sets, "gallery": gallery, "late": late, "seasons": seasons}
        pages.get("".join(sys.argv[1:2]), main)(Path(temporary))
