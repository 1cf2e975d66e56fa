"""The report: a folder of results as a page, which opens with what they come to."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sparring.lab.claims import ORIGINS, Verdict
from sparring.lab.coverage import Covered
from sparring.lab.draw import scales, words
from sparring.lab.draw.panels import all_labels, over_time_chart, panel_chart
from sparring.lab.draw.theory import coverage_figure
from sparring.lab.numbers import NONE, fraction, listed, many, natural, number, pair, spread
from sparring.lab.page import build
from sparring.lab.page.conclusion import conclusion
from sparring.lab.summaries import Summary

FILE = "report.html"
TITLE = "Dueling bandits while tastes drift"
LISTED = 3  # damaged files, or points left out, that are named before the rest is only counted


def report_page(
    summaries: Sequence[Summary],
    verdicts: Sequence[Verdict],
    *,
    command: str,
    covered: Sequence[Covered] = (),
    league: str = "",
    title: str = "",
) -> str:
    """One HTML page of panels and claims: no network, no other file, safe for any label.

    Parameters
    ----------
    summaries
        The panels; those of the paper come first, in the order of its figures.
    verdicts
        What became of the claims.
    command
        What makes the results again.
    covered
        How often guarantees failed.
    league
        Where the page of a league is, to link to; empty if there is none.
    title
        Of experiments of one's own; the paper's have theirs.
    """
    paper = sorted((one for one in summaries if one.experiment.source), key=_figure)
    further = [one for one in summaries if not one.experiment.source]
    ordered = [*paper, *further]
    lines = (line for one in ordered for line in one.experiment.lines)
    labels = [*all_labels(ordered), *dict.fromkeys(lines)]
    if len(ordered) == 1 and not paper:
        title = ordered[0].experiment.title
    counts = [point.runs for one in ordered for point in one.realised]
    made = build.facts(ordered)
    made |= {"Runs of each point": spread(counts)} if counts else {}
    return build.build(
        "report.html",
        title=TITLE if paper or not title else title,
        paper=bool(paper),
        conclusion=conclusion(ordered, verdicts),
        lacking=[one.name for one in ordered if one.damaged or not one.complete],
        swatches=build.swatches(labels),
        overview=_overview(paper if len(paper) > 1 else ordered, labels),
        parts_of={
            "Figures of the paper": [_panel(one, labels, verdicts) for one in paper],
            "Further panels" if paper else "Panels": [
                _panel(one, labels, verdicts) for one in further
            ],
        },
        claims=_claims(verdicts),
        panels={one.name for one in ordered},
        covered=covered,
        coverage=_coverage(covered),
        league=league,
        command=command,
        facts=made,
        history=build.history(ordered),
    )


def write_report(
    folder: str | Path,
    summaries: Sequence[Summary],
    verdicts: Sequence[Verdict],
    *,
    command: str,
    covered: Sequence[Covered] = (),
) -> Path:
    """Write the page as report.html into a folder, which is made if need be; where it is now."""
    path = Path(folder) / FILE
    name = path.parent.resolve().name
    league = build.link(path.parent, "league.html", f"league-{name}")
    fields: dict[str, Any] = {"covered": covered, "league": league, "title": name}
    return build.write(path, report_page(summaries, verdicts, command=command, **fields))


def _figure(summary: Summary) -> list[tuple[int, float, str]]:
    return natural(summary.experiment.source)


def _overview(summaries: Sequence[Summary], labels: Sequence[str]) -> list[dict[str, Any]]:
    """Small charts of several panels, each a link to the large one; none of one panel."""
    if len(summaries) < 2:
        return []
    return [
        {
            "name": one.name,
            "title": one.experiment.title,
            "axis": words.symbol(one.experiment.axis),
            "chart": build.drawing(
                panel_chart(one, labels, small=True), f"small-{place}", one.experiment.title
            ),
        }
        for place, one in enumerate(summaries)
    ]


def _panel(summary: Summary, labels: Sequence[str], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """What the section of a panel shows."""
    experiment = summary.experiment
    curves = (*summary.curves, *summary.lines)
    about = f"{experiment.title}, against {experiment.axis}"
    chart = partial(build.drawing, curves=curves, along=experiment.axis)
    rounds = partial(build.drawing, curves=summary.over_time, along="t")
    over_time = over_time_chart(summary.over_time, labels, experiment.regret)
    return {
        "name": summary.name,
        "title": experiment.title,
        "source": experiment.source,
        "along": words.AXES.get(experiment.axis, ""),
        "axis": words.symbol(experiment.axis),
        "last": number(summary.points[-1]),
        "notices": _notices(summary),
        "labels": [words.plain(label) for label in summary.all_labels],
        "chart": chart(panel_chart(summary, labels), f"chart-{summary.name}", about),
        "over_time": rounds(over_time, f"time-{summary.name}", f"{experiment.title}, over time"),
        "caption": _caption(summary),
        "remark": _remark(summary),
        "verdicts": [one for one in verdicts if one.claim.panel == summary.name],
        "slopes": [_slope(summary, one) for one in summary.slopes],
        "means": _means(summary),
        "realised": _realised(summary),
        "learners": [(label, str(entrant)) for label, entrant in experiment.entrants],
        "world": words.world(experiment),
    }


def _caption(summary: Summary) -> str:
    """What is drawn, in a sentence or two."""
    experiment = summary.experiment
    drawn = words.means([point.runs for point in summary.realised])
    text = f"{words.regret_to(experiment.regret)}; {drawn}. {words.world(experiment)}."
    if experiment.slope is not None and experiment.guide:
        growth = words.growth_of(experiment.axis, experiment.slope)
        along = words.symbol(experiment.axis)
        text += f" Dotted, against {along}: like {growth}, through the last point of "
        text += f"{experiment.guide}."
    return text


def _notices(summary: Summary) -> list[tuple[str, str]]:
    """What is wrong with the results: in a word, and in full."""
    found = []
    if not summary.complete:
        points = f"{len(summary.points)} of {len(summary.experiment.points)} points have results"
        runs = ", ".join(number(point.runs) for point in summary.realised)
        wanted = max((entry.get("runs", 0) for entry in summary.history), default=0)
        found.append(("Not complete.", f"{points}, of {runs} runs; {number(wanted)} are wanted."))
    if summary.damaged:
        damaged = len(summary.damaged)
        what = "1 part is" if damaged == 1 else f"{damaged} parts are"
        names = listed([path.name for path in summary.damaged], LISTED)
        again = "The command that made the results makes them again."
        found.append(("Damaged.", f"{what} not what was written, and left out: {names}. {again}"))
    return found


def _remark(summary: Summary) -> str:
    """What the chart cannot show."""
    curves = (*summary.curves, *summary.lines)
    if not scales.left_out(curves) or not scales.shows(curves):
        return ""
    missing = [
        f"{curve.label} at {summary.experiment.axis} = {number(x)}"
        for curve in curves
        for x in curve.x[~(np.asarray(curve.mean) > 0)]
    ]
    are = "point is" if len(missing) == 1 else "points are"
    return (
        f"{len(missing)} {are} not on the logarithmic axis, as the mean is not positive: "
        f"{listed(missing, LISTED)}."
    )


def _slope(summary: Summary, slope: Any) -> tuple[Any, ...]:
    """How the regret of a learner grows, and how theory says."""
    theory = summary.experiment.slope if slope.label == summary.experiment.guide else None
    told = NONE if theory is None else fraction(theory)
    return slope.label, build.estimate(slope.fitted), build.estimate(slope.last), told


def _means(summary: Summary) -> dict[str, Any]:
    """Every mean and deviation."""
    curves = (*summary.curves, *summary.lines)
    found = {
        (curve.label, x): pair(mean, sd)
        for curve in curves
        for x, mean, sd in zip(*(values.tolist() for values in curve[1:]), strict=True)
    }
    rows = [
        (number(x), *(found.get((curve.label, x), NONE) for curve in curves))
        for x in summary.points
    ]
    return {"columns": [curve.label for curve in curves], "rows": rows}


def _realised(summary: Summary) -> dict[str, Any]:
    """What the paths were like."""
    sizes = [name for name in ("K", "T") if name != summary.experiment.axis]
    rows = [
        (
            number(point.x),
            *(number(getattr(point, name)) for name in sizes),
            number(round(point.S, 6)),
            number(round(point.V_T, 6)),
            number(point.runs),
        )
        for point in summary.realised
    ]
    return {"columns": [words.symbol(name) for name in sizes], "rows": rows}


def _claims(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """The verdicts by whose claims they are about."""
    origins = dict.fromkeys((*ORIGINS, *(one.claim.origin for one in verdicts)))
    groups = {
        ORIGINS.get(origin, origin): [one for one in verdicts if one.claim.origin == origin]
        for origin in origins
    }
    return {title: group for title, group in groups.items() if group}


def _coverage(covered: Sequence[Covered]) -> str:
    if not covered:
        return ""
    about = f"How often {many(len(covered), 'guarantee')} failed"
    return build.drawing(coverage_figure(covered), "coverage", about)
