"""How well tracker does: regret, late answers, two different arms, long calms, confidence, arms.

python benchmarks/tracker.py PART [FOLDER] [--runs N] [--K N ...] [--T N ...] [--json | --markdown]

PART is one of

halves  both halves of the league's worlds: the one its constants were chosen on, and the other
data    real data nobody tuned to; FOLDER has the files that `tracker_regret.DATA` names
late    answers that come late
differ  two different arms in every round
oldest  a newcomer after a long calm, by the age beyond which vigilance falls no further
sure    how often the favourite is right, by the confidence in it; --figure FILE.svg draws it
arms    regret, time and memory by the number of arms

Regret is in % of RAND's on the same paths; in brackets is a 95% interval.
"""

import argparse
import json
import math
from inspect import signature
from pathlib import Path

import clock
import tracker_regret
import tracker_service
import tracker_sure
from sparring.formats import Estimate

PARTS = {
    "halves": tracker_regret.halves,
    "data": tracker_regret.data,
    "late": tracker_service.late,
    "differ": tracker_service.differ,
    "oldest": tracker_service.oldest,
    "sure": tracker_sure.sure,
    "arms": tracker_regret.arms,
}
SEVERAL = {"halves": ("T",), "data": ("T",), "arms": ("K",)}  # options that take several numbers


def shown(value):
    """A cell as text: numbers with three digits, an interval in brackets."""
    if isinstance(value, Estimate):
        ends = [shown(end) for end in value[1:]]
        value = shown(value.value)
        return value if ends == ["", ""] else f"{value} ({ends[0]} to {ends[1]})"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        digits = 2 - math.floor(math.log10(abs(value))) if value else 0
        return f"{value:,.{min(max(digits, 0), 4)}f}"
    return "" if value is None else str(value)


def markdown(rows):
    """Rows of equal keys as a table of Markdown."""
    lines = [list(rows[0]), ["---"] * len(rows[0])]
    lines += [[shown(cell) for cell in row.values()] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plain(value):
    """A cell as JSON has it."""
    if isinstance(value, Estimate):
        return {name: plain(number) for name, number in value._asdict().items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("folder", nargs="?", help="of real data")
    parser.add_argument("--runs", type=int)
    parser.add_argument("--K", type=int, nargs="+")
    parser.add_argument("--T", type=lambda text: int(float(text)), nargs="+")
    parser.add_argument("--figure", type=Path, metavar="FILE.svg", help="of the part `sure`")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    given = vars(parser.parse_args())
    part, form = given.pop("part"), [given.pop("json"), given.pop("markdown")]
    options = {name: value for name, value in given.items() if value is not None}
    for name in {"K", "T"} & options.keys() - set(SEVERAL.get(part, ())):
        if len(options[name]) > 1:
            parser.error(f"{part} takes one {name}")
        options[name] = options[name][0]
    if part == "data" and "folder" not in options:
        parser.error("data needs a folder")
    if useless := options.keys() - signature(PARTS[part]).parameters.keys():
        parser.error(f"{part} does not take {sorted(useless)}")
    found = PARTS[part](**options)
    if form[0]:
        cells = {
            title: [{name: plain(cell) for name, cell in row.items()} for row in rows]
            for title, rows in found.items()
        }
        print(json.dumps(cells))
        return
    for title, rows in found.items():
        if form[1]:
            print(f"{title[0].upper()}{title[1:]}:\n\n{markdown(rows)}\n")
        else:
            text = [{name: shown(cell) for name, cell in row.items()} for row in rows]
            print(f"{title}\n{clock.table(text)}\n")


if __name__ == "__main__":
    main()
