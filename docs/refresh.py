"""Runs both scales, coverage and the benchmark of sweeps, and writes what they give into the docs.

python docs/refresh.py           (`make documents`) takes 20 minutes; leave the machine alone.
python docs/refresh.py theory    only what docs/theory.md shows.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sparring.claims import OF_THE_PAPER, judge
from sparring.panels import panels
from sparring.summaries import read

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


def main(folder):
    """Run everything in a folder and fill all places."""
    theory(folder / "theory")
    quick, full = folder / "quick", folder / "full"
    fast = sparring("reproduce", "--out", quick, NUMBA_CACHE_DIR=str(folder / "kernels"))
    six = sparring("run", *PRINTED, "--scale", "full", "--out", full)
    rest = sparring("reproduce", "--scale", "full", "--out", full)
    for scale in (quick, full):
        source = scale / "figures" / "overview.svg"
        shutil.copy(source, ROOT / "docs" / "figures" / f"{scale.name}.svg")
    fill("README.md", "findings", findings(quick, full))
    fill("docs/reproducing.md", "times", times(fast, six, rest))
    fill("docs/reproducing.md", "verdicts", sparring("claims", "--markdown", "--out", full))
    sweep = run([sys.executable, str(ROOT / "benchmarks" / "sweep.py"), "--json"])
    fill("docs/scaling.md", "sweep", table(list(sweep[0]), [row.values() for row in sweep]))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        (theory if "theory" in sys.argv[1:] else main)(Path(temporary))
