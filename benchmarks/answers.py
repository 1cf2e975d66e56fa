"""Regret where answers are late, never come or are spoiled, of every learner, in % of RAND's.

python benchmarks/answers.py [FOLDER] [--part along|elsewhere|everybody] [--runs N] [--T N]
                             [--jobs N] [--figure FILE.svg] [--json]
python benchmarks/answers.py --times [--T N]

Plays what FOLDER does not have yet, with a bar and the time left, and prints three tables, or one:
some learners along delay, silence and corruption, which the figure shows; the same with other harm
and on other worlds, all with K = 10; and every learner, with K = 5, S = 1 and a fifth of the
rounds. A learner that is new is played alone, where FOLDER has the others. In brackets are 95%
intervals over runs on the same paths. With --times it plays nothing of that, and prints what a
round of `simulate` takes where answers are on their way, and where they are not.
"""

import argparse
import json
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import sparring
from clock import best_of
from sparring import Entrant, lab
from sparring.lab.draw.axes import name as write_names
from sparring.lab.draw.panels import axes_at, figure_of, title
from sparring.lab.draw.saving import save
from sparring.lab.draw.settings import SHADE, settings
from sparring.lab.draw.styles import style_of
from sparring.lab.league.suite import Size, suite
from sparring.lab.summaries import read
from sparring.worlds import Late, Rigged, Silent, Spoiled
from tracker import markdown, plain
from tracker_regret import percent

K, S = 10, 2
LUCK = "answers"
TURNS = 20  # the fastest counts: the first compiles, and the machine may be busy
FEW = {
    "tracker": Entrant("tracker"),
    "sturdy": Entrant("sturdy"),
    "steady": Entrant("steady"),
    "SYM-EXP3.S": Entrant("sym_exp3s"),
    "D-TS, discount": Entrant("double_thompson", forget="discount"),
}
PANELS = {  # by title: the axis, and worlds by the number on it
    "Answers late by so many rounds": ("mean", Late, (0, 30, 100, 300, 1000, 3000), {}),
    "Share that never comes": ("share", Silent, (0, 0.25, 0.5, 0.75, 0.9), {}),
    "Share turned against the leader": (
        *("share", Spoiled, (0, 0.02, 0.05, 0.1, 0.15)),
        {"aim": "leader"},
    ),
}
HARM = {  # what tables show, and the wrapper
    "late by 300": lambda world: Late(world, 300),
    "late by 300, heavy tail": lambda world: Late(world, 300, law="heavy"),
    "late by 3,000 if arm 0 is shown": lambda world: Late(world, (3000, *(0,) * (K - 1))),
    "75% silent": lambda world: Silent(world, 0.75),
    "half the majority silent": lambda world: Silent(world, 0.5, of="majority"),
    "20% flipped": lambda world: Spoiled(world, 0.2),
    "10% bought for arm 0": lambda world: Spoiled(world, 0.1, aim=0),
    "10% for arm 0, by plan": lambda world: Rigged(world, 0.1, plan=0),
    "10% against the leader": lambda world: Spoiled(world, 0.1, aim="leader"),
    "10% in bursts": lambda world: Rigged(world, 0.1, plan="bursts"),
    "10% against new leaders": lambda world: Rigged(world, 0.1, plan="newcomers"),
}
DRAWN = ("late by 300", "75% silent", "20% flipped", "10% against the leader")  # in the figure
MAIN = (*DRAWN, "10% in bursts", "10% against new leaders")
TRIED = {  # by the league's world, or that of the figure
    "fresh winners": tuple(harm for harm in HARM if harm not in DRAWN),
    **dict.fromkeys(("stationary", "newcomers", "walk", "cyclic"), MAIN),
}
# What a learner has to be given, where a world's K, T and S do not do.
OPTIONS = {
    "monitored_db": {"scale": 0.3},
    "anaconda": {"scale": 0.3, "replays": 0.3},
    "metaswift": {"scale": 0.3, "replays": 0.3},
    "dex3s": {"corrected": True},
    "periodic_restarts": {"every": 2_000},
}
EACH, MARGINS, BETWEEN = (2.55, 2.5), (0.6, 1.45, 0.75, 0.5), 0.32  # of the figure, in inches


def experiment(name, worlds, entrants, regret="dynamic", axis="T"):
    """An experiment of the one luck, with RAND."""
    return lab.Experiment(
        name=name,
        title=name,
        axis=axis,
        worlds=worlds,
        entrants={"RAND": "rand", **entrants},
        regret=regret,
        checkpoints=1,
        luck=LUCK,
    )


def experiments(T):
    """All that is played, in this order; by the table's name and what it is of."""
    world, regret = sparring.FreshWinner(K, T, S), sparring.Regret("preference", "stretch")
    found = {}
    for number, (panel, (axis, kind, points, options)) in enumerate(PANELS.items()):
        worlds = [kind(world, point, **options) for point in points]
        found["along", panel] = experiment(f"along-{number}", worlds, FEW, regret, axis)
    for place, harms in TRIED.items():
        fixture = suite(Size(T, 1)).get(place)
        plain, charged = (fixture.world, fixture.regret) if fixture else (world, regret)
        for number, one in enumerate(harmed(plain, harms)):
            name = f"{place.replace(' ', '-')}-{number}"
            key = place, ("plain", *harms)[number]
            found["elsewhere", key] = experiment(name, [one], FEW, charged)
    small = sparring.FreshWinner(5, T // 5, S=1)  # for the number of learners
    everybody = {
        name: Entrant(name, **OPTIONS.get(name, {})) for name in sparring.LEARNERS if name != "rand"
    }
    everybody["oracle restarts"] = Entrant("sparring.lab.oracle:restarts", changes=small.changes)
    for number, one in enumerate(harmed(small, MAIN)):
        key = ("plain", *MAIN)[number]
        found["everybody", key] = experiment(f"everybody-{number}", [one], everybody, regret)
    return found


def harmed(world, harms):
    """The world as it is, and with each harm."""
    return [world, *(HARM[harm](world) for harm in harms)]


def cells(summary, x):
    """By label, the percentage of RAND's regret at a point."""
    found = {}
    for label in summary.labels[1:]:
        mine, rand = summary.paired(x, label, "RAND")
        found[label] = percent(mine, rand)
    return found


def played(T, runs, jobs, folder, part):
    """The summaries of all experiments, or of one part, by table and what they are of."""
    wanted = {key: one for key, one in experiments(T).items() if part in (None, key[0])}
    with ProcessPoolExecutor(jobs) as executor:  # not threads: asking and telling is Python's
        for one in wanted.values():
            lab.run(one, folder, runs=runs, executor=executor if jobs > 1 else None, jobs=1)
    summaries = {summary.name: summary for summary in read(folder)}
    return {key: summaries[one.name] for key, one in wanted.items()}


def tables(found, T):
    """Rows by title."""
    along, elsewhere, everybody = [], [], {}
    for (table, of), summary in found.items():
        if table == "along":
            along += [{"answers": f"{of}: {x:g}", **cells(summary, x)} for x in summary.points]
        elif table == "elsewhere":
            here = cells(summary, summary.points[0])
            elsewhere.append({"world": of[0], "answers": of[1], **here})
        else:
            for label, cell in cells(summary, summary.points[0]).items():
                everybody.setdefault(label, {"learner": f"`{label}`"})[of] = cell
    by_title = {
        f"Along delay, silence and corruption, K = {K}, T = {T:,}, S = {S}": along,
        f"Other harm, and other worlds, K = {K}, T = {T:,}": elsewhere,
        f"Every learner, K = 5, T = {T // 5:,}, S = 1": list(everybody.values()),
    }
    return {title: rows for title, rows in by_title.items() if rows}


def times(T):
    """What a round takes, told at once by `play`, and by the loop that carries answers."""
    world = sparring.FreshWinner(K, T, S)
    worlds = {"play": world, "carried": Late(world, 0)}
    rows = []
    for label, entrant in FEW.items():
        calls = {
            way: partial(sparring.simulate, one, {label: entrant}, runs=1)
            for way, one in worlds.items()
        }
        best = best_of(TURNS, calls)
        row = {way: f"{1e6 * seconds / T:.2g} µs" for way, seconds in best.items()}
        times_as_long = f"{best['carried'] / best['play']:.2g}"
        rows.append({"learner": label, **row, "times as long": times_as_long})
    return rows


def drawn(found, runs):
    """Three panels: a line for each learner, bands are 95% intervals."""
    left, right, above, below = MARGINS
    panels = {of: summary for (table, of), summary in found.items() if table == "along"}
    width = left + len(panels) * EACH[0] + (len(panels) - 1) * BETWEEN + right
    height = above + EACH[1] + below
    with settings(small=True):
        figure = figure_of((width, height))
        for column, (panel, summary) in enumerate(panels.items()):
            axes = axes_at(figure, left + column * (EACH[0] + BETWEEN), below, *EACH)
            lines = {label: line(axes, summary, label) for label in summary.labels[1:]}
            points = summary.points
            if summary.experiment.axis == "mean":
                axes.set_xscale("symlog", linthresh=30, linscale=0.5)
                axes.set_xticks(points, [f"{x:,.0f}" for x in points])
                axes.minorticks_off()
            else:
                axes.set_xticks(points, [f"{100 * x:g}%" for x in points])
            axes.set_ylim(0, 110)
            axes.axhline(100, color="0.6", linewidth=0.8)
            axes.set_title(panel, pad=5, fontsize=8.5)
            axes.set_ylabel("regret, % of RAND's" if column == 0 else "")
            if column:
                axes.set_yticklabels([])
        world = next(iter(panels.values())).experiment.worlds[0]
        about = f"K = {K}, T = {world.T:,}, S = {S}; {runs} runs, bands are 95% intervals"
        title(figure, "Regret against delay, silence and corruption", about)
        corner = ((width - right + 0.05) / width, 1 - above / height)
        legend = figure.legend(lines.values(), lines, loc="upper left", bbox_to_anchor=corner)
        write_names(legend, *lines)
        return figure


def line(axes, summary, label):
    """One learner along the axis."""
    style = style_of(label, tuple(FEW))
    found = [cells(summary, x)[label] for x in summary.points]
    low, high = [one.low for one in found], [one.high for one in found]
    axes.fill_between(summary.points, low, high, color=style.colour, alpha=SHADE, linewidth=0)
    look = {"color": style.colour, "marker": style.marker, "linestyle": (0, style.dash or ())}
    (drawn_line,) = axes.plot(summary.points, [one.value for one in found], **look)
    return drawn_line


def main():
    """Play what is missing, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="of results, to go on with later")
    parser.add_argument("--part", choices=["along", "elsewhere", "everybody"], help="one table")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--T", type=lambda text: int(float(text)), default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--figure", type=Path, metavar="FILE.svg")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--times", action="store_true", help="of a round, and nothing else")
    given = parser.parse_args()
    if given.times:
        print(markdown(times(given.T)))
        return
    with tempfile.TemporaryDirectory() as folder:
        kept = given.folder or Path(folder)
        found = played(given.T, given.runs, given.jobs, kept, given.part)
    if given.figure is not None:
        save(drawn(found, given.runs), given.figure.parent, given.figure.stem, formats=["svg"])
    rows_by_title = tables(found, given.T)
    if given.json:
        cells_by_title = {
            heading: [{name: plain(cell) for name, cell in row.items()} for row in rows]
            for heading, rows in rows_by_title.items()
        }
        print(json.dumps(cells_by_title))
        return
    for heading, rows in rows_by_title.items():
        print(f"{heading}, % of RAND's regret, {given.runs} runs:\n")
        print(markdown(rows), end="\n\n")


if __name__ == "__main__":
    main()
