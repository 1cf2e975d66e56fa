"""Writes into README.md and docs what the results folders hold; `make documents` calls it.

python docs/refresh.py [FOLDER]    a folder with the results of both scales, quick/ and full/
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from sparring.claims import OF_THE_PAPER, judge
from sparring.summaries import read

ROOT = Path(__file__).parents[1]
HEAD = """| what the paper says | wanted | quick: T to 100,000 | full: T to 1,000,000 |
| --- | --- | --- | --- |
"""


def findings(quick, full):
    """A row for each claim of the paper: what was measured at both scales, and the verdicts."""
    small, large = cells(quick), cells(full)
    rows = [
        f"| {claim.says} | {' | '.join((*small[claim.name], large[claim.name][1]))} |"
        for claim in OF_THE_PAPER
    ]
    return HEAD + "\n".join(rows) + "\n"


def cells(folder):
    """What was found of each claim, by name."""
    panels = tuple({claim.panel: None for claim in OF_THE_PAPER})
    return {
        verdict.claim.name: (verdict.wanted, f"{verdict.number}: **{verdict.verdict}**")
        for verdict in judge(read(folder, panels), OF_THE_PAPER)
    }


def fill(page, name, text):
    """Replace what stands between the two comments of a name."""
    path = ROOT / page
    pattern = rf"(?s)(<!-- {name} -->\n).*?(<!-- end of {name} -->)"
    new, times = re.subn(pattern, lambda found: found[1] + text + found[2], path.read_text())
    assert times == 1, f"{page} has {times} places for {name}"
    path.write_text(new)


def main(results):
    """Fill all places."""
    for scale in ("quick", "full"):
        source = results / scale / "figures" / "overview.svg"
        shutil.copy(source, ROOT / "docs" / "figures" / f"{scale}.svg")
    fill("README.md", "findings", findings(results / "quick", results / "full"))
    command = [sys.executable, "-m", "sparring_cli", "claims", "--markdown", "--out"]
    done = subprocess.run(
        [*command, str(results / "full")], capture_output=True, text=True, check=True
    )
    fill("docs/reproducing.md", "verdicts", done.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "results")
