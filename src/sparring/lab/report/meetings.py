"""A world of a league as a section of its page: chart, caption, everybody's numbers."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sparring.lab.league import League, Meeting
from sparring.lab.league.contenders import CHANCE
from sparring.lab.league.standings import is_ranked
from sparring.lab.report import frame
from sparring.lab.report.charts import embedded, view
from sparring.lab.report.looks import Look
from sparring.lab.report.sections import key
from sparring.lab.report.tables import table
from sparring.lab.report.wording import NONE, escape, estimate, fixed, prose, regret, size

BEST = 3  # of a world that have a curve
KNOWN = ("DEX3.S corrected", "SYM-EXP3.S", CHANCE)  # who has one everywhere


def curves(league: League) -> list[str]:
    """Everybody who has a curve somewhere; who has the most is first, and chooses its colour."""
    often = Counter(label for one in league.meetings for label in drawn(one))
    often.update(label for label in league.own for _ in league.meetings)
    return [label for label, _ in often.most_common()]


def drawn(meeting: Meeting) -> list[str]:
    """Whose curves are drawn: the best, and those that everybody knows."""
    best = [one.label for one in meeting.standings if is_ranked(one.label)][:BEST]
    return [*best, *(label for label in KNOWN if label in meeting.labels and label not in best)]


def section(meeting: Meeting, looks: Mapping[str, Look]) -> str:
    """The section of a world."""
    places = {label: place for place, label in enumerate(looks)}
    shown = [label for label in meeting.labels if label in places and _wanted(meeting, label)]
    experiment = meeting.summary.experiment
    runs = len(meeting.runs)
    band = "" if runs == 1 else ", band ± one standard deviation"
    caption = f"{regret(meeting.regret)}; mean of {size(runs)} run{'' if runs == 1 else 's'}{band}."
    if experiment.told is not None:
        caption += f" Learners are told <i>S</i> = {size(experiment.told.S or 1)}."
    return frame.template("meeting.html").substitute(
        name=escape(meeting.name),
        title=prose(meeting.title),
        notices=_notices(meeting),
        keys="".join(key(label, looks[label], places[label], True) for label in shown),
        label=escape(f"{meeting.title}, regret over time"),
        caption=f"{caption} {fixed(experiment)}.",
        table=_table(meeting),
        data=embedded(_data(meeting, shown, places)),
    )


def _wanted(meeting: Meeting, label: str) -> bool:
    """Whether a learner has a curve here: one of somebody's own has one everywhere."""
    return label in drawn(meeting) or label in meeting.own


def _data(meeting: Meeting, shown: list[str], places: dict[str, int]) -> dict[str, Any]:
    found = view(tuple(meeting.curves[label] for label in shown), places)
    found.update(axis=[("t", "i")], log=False)
    return {"guide": None, "views": {"axis": found}}


def _notices(meeting: Meeting) -> str:
    lacking = [label for label in meeting.labels if not meeting.complete(label)]
    if not lacking:
        return ""
    names = ", ".join(map(escape, lacking))
    return f'<p class="notice"><b>Not complete.</b> Fewer runs than the others have: {names}.</p>'


def _table(meeting: Meeting) -> str:
    rows = []
    for one in meeting.standings:
        ratios = (one.to_best, one.to_chance)
        shown = (estimate(ratio) if ratio.value == ratio.value else NONE for ratio in ratios)
        rows.append((escape(one.label), estimate(one.regret), *shown, size(one.runs)))
    columns = ("", "regret", "relative to the best", "relative to RAND", "runs")
    found = table("Mean regret and ratios, with 95 % intervals over runs", columns, rows)
    if any(one.regret.value <= 0 for one in meeting.standings):
        found += '<p class="remark">Where a mean is not positive there is no ratio.</p>'
    return found
