"""Alarms as a part of the league's page: changes noticed, how late, and false alarms."""

from collections.abc import Sequence

import numpy as np

from sparring.lab.league.detection import Detected
from sparring.lab.report.tables import table
from sparring.lab.report.wording import NONE, escape, size

COLUMNS = ("World", "Learner", "Noticed", "Delay, in rounds", "False alarms in 100,000 rounds")


def part(found: Sequence[Detected]) -> str:
    """The section, or nothing if nobody raised alarms."""
    if not found:
        return ""
    rows = [
        (
            escape(one.title),
            escape(one.label),
            f"{len(one.delays)} of {size(one.changes)}" if one.changes else NONE,
            _delay(one),
            f"{one.false_rate:.2g}",
        )
        for one in found
    ]
    return (
        '<section class="judged" aria-labelledby="alarms"><h2 id="alarms">Alarms</h2>'
        '<p class="prose">What the learners noticed that begin anew when they think that '
        "preferences have changed. In a segment the first alarm counts as its detection, whatever "
        "raised it, all others as false; so with many false alarms a share noticed says little. "
        "In data of your own only changes of the best arm count. "
        "Delays are the median and the middle half of those noticed.</p>"
        f"{table('How soon changes were noticed', COLUMNS, rows)}</section>"
    )


def _delay(one: Detected) -> str:
    if not one.delays:
        return NONE
    low, middle, high = (size(round(x)) for x in np.quantile(one.delays, (0.25, 0.5, 0.75)))
    return f"{middle} ({low} to {high})"
