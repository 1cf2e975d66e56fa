"""How far planted votes move an arena: who leads, and how often a weak arm is shown.

python benchmarks/planted.py --figure docs/figures/planted.svg   what docs/arena.md shows
python benchmarks/planted.py --json                              the same, and more, for a program
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from statistics import fmean

from planting import AVERAGE, LEARNERS, VOTES, Attack, Moved, run
from sparring.lab.draw import save, style_of
from sparring.lab.draw.axes import name
from sparring.lab.draw.panels import axes_at, figure_of, title
from sparring.lab.draw.settings import settings

LABELS = [*LEARNERS, AVERAGE]
KINDS = {
    "one voter, in a burst": (False, True),
    "one voter, spread": (False, False),
    "many voters, in a burst": (True, True),
    "many voters, spread": (True, False),
}
SIZES = (100, 500, 2000)
SINGLE = ("none", "cap", "dwell", "hold", "all")
EACH, GAP, MARGINS = (1.75, 2.1), 0.22, (0.75, 1.75, 0.85, 0.5)  # inches: left, right, above, below


def cases(sizes):
    """What is run: the curve, then each defence alone against a robot in a hurry."""
    curve = [
        (label, Attack(size, *KINDS[kind]), defences)
        for label, kind, size, defences in product(LABELS, KINDS, (0, *sizes), ("none", "all"))
    ]
    alone = product(LEARNERS, robots(sizes).values(), SINGLE)
    return [*dict.fromkeys(plain(*case) for case in [*curve, *alone])]


def robots(sizes):
    """One voter's burst, without looking and with."""
    patient = Attack(sizes[-2], many=False, burst=True)
    return {"in a hurry": patient._replace(hasty=True), "patient": patient}


def plain(label, attack, defences):
    """A case; some are the same as others, such as all without planted votes."""
    if not attack.votes:
        attack = Attack(0, many=False, burst=True)
    if defences == "none":  # then nobody asks who voted, or how fast
        attack = attack._replace(many=False, hasty=False)
    return label, attack, defences


def played(wanted):
    """One run, in a process of its own."""
    seed, case, votes = wanted
    return run(*case, seed, votes)


def measure(sizes, runs, votes, jobs, store=None):
    """The mean over runs, by case.

    With a file to store them, runs that are there are not repeated.
    """
    kept = {}
    if store is not None and store.exists():
        kept = dict(map(json.loads, store.read_text().splitlines()))
    wanted = [(seed, case, votes) for seed in range(runs) for case in cases(sizes)]
    missing = [one for one in wanted if str(one) not in kept]
    with ProcessPoolExecutor(jobs) as pool:
        for one, moved in zip(missing, pool.map(played, missing), strict=True):
            kept[str(one)] = moved
            if store is not None:
                with store.open("a") as file:
                    file.write(json.dumps([str(one), moved]) + "\n")
    by_case = {}
    for one in wanted:
        by_case.setdefault(one[1], []).append(kept[str(one)])
    return {case: Moved(*map(fmean, zip(*each, strict=True))) for case, each in by_case.items()}


def rows(found):
    """One row a case, for a program."""
    return [
        {"learner": label, **attack._asdict(), "defences": defences, **moved._asdict()}
        for (label, attack, defences), moved in found.items()
    ]


def markdown(found, sizes):
    """Both tables."""
    head = ["planted", "by", *(f"{label}: led, shown" for label in LABELS)]
    lines = [head, ["---"] * len(head)]
    for size, kind in [(0, next(iter(KINDS))), *product(sizes, KINDS)]:
        attack = Attack(size, *KINDS[kind])
        cells = [
            " → ".join(both(found[plain(label, attack, which)]) for which in ("none", "all"))
            for label in LABELS
        ]
        lines.append([f"{size:,}", kind if size else "nobody", *cells])
    return "\n".join(map(row, lines)) + "\n"


def singly(found, sizes):
    """Each defence alone, against one voter's burst."""
    head = ["learner", "robot", *SINGLE]
    lines = [head, ["---"] * len(head)]
    for label, (robot, attack) in product(LEARNERS, robots(sizes).items()):
        moved = [found[plain(label, attack, defences)] for defences in SINGLE]
        lines.append([label, robot, *(f"{one.leads:,.0f} ({one.learnt:,.0f})" for one in moved)])
    return "\n".join(map(row, lines)) + "\n"


def both(moved):
    """For how many votes the target led, and its largest share of pairs."""
    return f"{moved.leads:,.0f}, {moved.shown:.0%}"


def row(cells):
    """A row of a table as Markdown writes it."""
    return f"| {' | '.join(cells)} |"


def drawn(found, sizes, runs):
    """For how many votes the target led, against how many were planted; a picture for each kind."""
    left, right, above, below = MARGINS
    width = left + len(KINDS) * EACH[0] + (len(KINDS) - 1) * GAP + right
    height = above + EACH[1] + below
    highest = max(moved.leads for moved in found.values())
    with settings(small=True):
        figure = figure_of((width, height))
        for place, kind in enumerate(KINDS):
            axes = axes_at(figure, left + place * (EACH[0] + GAP), below, *EACH)
            lines = draw(axes, found, kind, sizes)
            axes.set_xlim(-0.2, len(sizes) + 0.2)
            axes.set_ylim(-0.03 * highest, 1.05 * highest)
            axes.set_xticks(range(len(sizes) + 1), [f"{size:,}" for size in (0, *sizes)])
            axes.set_title(kind, pad=5, fontsize=8.5)
            axes.set_xlabel("planted votes")
            if place == 0:
                axes.set_ylabel("votes while the target leads")
            else:
                axes.set_yticklabels([])
        about = f"{runs} runs of {VOTES:,} votes; dashed: with cap, dwell and held suspects"
        title(figure, "How long a weak arm leads after votes were planted for it", about)
        corner = ((width - right + 0.02) / width, 1 - above / height)
        legend = figure.legend(lines, LABELS, loc="upper left", bbox_to_anchor=corner)
        name(legend, *LABELS)
        return figure


def draw(axes, found, kind, sizes):
    """A line for each learner without defences, and a dashed one with all."""
    lines = []
    for label in LABELS:
        look = style_of(label, LABELS)
        for defences, dash in (("all", "--"), ("none", "-")):
            attacks = [Attack(size, *KINDS[kind]) for size in (0, *sizes)]
            y = [found[plain(label, attack, defences)].leads for attack in attacks]
            (line,) = axes.plot(
                range(len(y)), y, dash, color=look.colour, marker=look.marker, label=label
            )
        lines.append(line)
    return lines


def main():
    """Run, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--votes", type=int, default=VOTES)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print rows instead of a table")
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--store", type=Path, help="a file that keeps runs, to go on from")
    given = parser.parse_args()
    found = measure(given.sizes, given.runs, given.votes, given.jobs, given.store)
    if given.figure is not None:
        figure = drawn(found, given.sizes, given.runs)
        save(figure, given.figure.parent, given.figure.stem, formats=["svg"])
    if given.json:
        print(json.dumps(rows(found), indent=1))
    else:
        print(markdown(found, given.sizes) + "\n" + singly(found, given.sizes), end="")


if __name__ == "__main__":
    main()
