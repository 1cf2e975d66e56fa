"""How often guarantees failed, as a part of the page: a table with a small picture in each row."""

from collections.abc import Sequence

import numpy as np

from sparring.lab.claims import FAILS, HOLDS
from sparring.lab.coverage import Covered
from sparring.lab.report.tables import table
from sparring.lab.report.verdicts import badge
from sparring.lab.report.wording import escape, size

WIDTH, HEIGHT, MOST = 220, 20, 1.15  # of a picture; MOST is the ratio at its right edge
LEAST = -0.3  # at its left one: regret may be negative
COLUMNS = ("Guarantee", "World", "Runs", "Failed", "Allowed", "Refuted below", "Verdict")


def part(found: Sequence[Covered]) -> str:
    """The section, or nothing if nothing was played."""
    if not found:
        return ""
    rows = [
        (
            f"{escape(case.name)}: {escape(case.says)}",
            escape(case.world),
            _picture(case),
            f"{size(case.failures)} of {size(case.runs)}",
            size(case.allowed),
            f"{case.refutable:.2f}" if np.isfinite(case.refutable) else "any",
            badge(HOLDS if case.holds else FAILS),
        )
        for case in found
    ]
    return (
        '<section class="judged" aria-labelledby="guarantees"><h2 id="guarantees">Guarantees</h2>'
        '<p class="prose">Bounds and certificates promise to fail in one run of twenty at most. '
        "Each picture shows the runs: the regret (for certificates, the error of the estimate) as "
        "a part of what it may be, from the least to the most, the middle half thick. The long "
        "line is 1, where a guarantee fails; the short one shows the power: a guarantee of less "
        "than this part would have been refuted.</p>"
        f"{table('How often guarantees failed', COLUMNS, rows)}</section>"
    )


def _picture(case: Covered) -> str:
    """A line from the least ratio to the most, its middle half thick, and two marks."""
    ratios = np.clip(case.ratios, LEAST, MOST)
    ends, quarters = np.quantile(ratios, (0, 1)), np.quantile(ratios, (0.25, 0.75))
    least, most = min(case.ratios), max(case.ratios)
    words = f"from {least:.2f} to {most:.2f}" if np.isfinite(most) else "beyond 1"
    marks = _line("range", ends) + _line("middle", quarters) + _mark("limit", 1.0, 0)
    if np.isfinite(case.refutable):
        marks += _mark("power", case.refutable, 4)
    kind, box = "strip" if case.holds else "strip failed", f"0 0 {WIDTH} {HEIGHT}"
    return f'<svg class="{kind}" viewBox="{box}" role="img" aria-label="{words}">{marks}</svg>'


def _line(kind: str, ends: Sequence[float]) -> str:
    left, right = (_x(end) for end in ends)
    middle = HEIGHT / 2
    return f'<line class="{kind}" x1="{left}" x2="{right}" y1="{middle}" y2="{middle}"/>'


def _mark(kind: str, ratio: float, inset: int) -> str:
    x = _x(ratio)
    return f'<line class="{kind}" x1="{x}" x2="{x}" y1="{inset}" y2="{HEIGHT - inset}"/>'


def _x(ratio: float) -> float:
    part = (min(ratio, MOST) - LEAST) / (MOST - LEAST)
    return round(part * WIDTH, 1)
