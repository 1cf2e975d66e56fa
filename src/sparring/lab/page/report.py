"""The report: a folder of results as a page, which opens with the conclusion."""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from sparring.charts import page as build
from sparring.formats import natural, number, spread
from sparring.lab.claims import ORIGINS, Verdict
from sparring.lab.coverage import Covered
from sparring.lab.draw import scales, words
from sparring.lab.draw.panels import all_labels, over_time_chart, panel_chart
from sparring.lab.draw.theory import coverage_figure
from sparring.lab.page import figures, provenance
from sparring.lab.page.conclusion import conclusion
from sparring.lab.summaries import Summary

FILE = "report.html"
TITLE = "Dueling bandits while tastes drift"


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
        The verdicts on the claims.
    command
        The command that makes the results again.
    covered
        How often guarantees failed.
    league
        Where the page of a league is, to link to; empty if there is none.
    title
        Title for the user's own experiments; the paper's have theirs.
    """
    paper = sorted((one for one in summaries if one.experiment.source), key=_figure)
    further = [one for one in summaries if not one.experiment.source]
    panels = [*paper, *further]
    if len(panels) == 1 and not paper:
        title = panels[0].experiment.title
    lines = (line for one in panels for line in one.experiment.lines)
    labels = [*all_labels(panels), *dict.fromkeys(lines)]
    runs = [point.runs for one in panels for point in one.realised]
    small = paper if len(paper) > 1 else panels if len(panels) > 1 else []
    return build.build(
        "sparring.lab.page",
        "report.html",
        colours=figures.colours(),
        words=words,
        value_at=provenance.value_at,
        title=TITLE if paper or not title else title,
        paper=paper,
        panels=panels,
        groups={"Figures of the paper": paper, "Further panels" if paper else "Panels": further},
        conclusion=conclusion(panels, verdicts),
        swatches=figures.swatches(labels),
        overview={one: _small(one, labels) for one in small},
        charts={one.name: _charts(one, labels) for one in panels},
        left_out={one.name: _left_out(one) for one in panels},
        verdicts=verdicts,
        origins=dict.fromkeys((*ORIGINS, *(one.claim.origin for one in verdicts))) | ORIGINS,
        covered=covered,
        coverage=figures.drawing(coverage_figure(covered), "coverage", "Runs of guarantees")
        if covered
        else "",
        league=league,
        command=command,
        facts=provenance.facts(panels) | {"Runs of each point": spread(runs) if runs else ""},
        history=provenance.history(panels),
    )


def write_report(
    folder: str | Path,
    summaries: Sequence[Summary],
    verdicts: Sequence[Verdict],
    *,
    command: str,
    covered: Sequence[Covered] = (),
) -> Path:
    """Write the page as report.html into a folder, which is created if needed; return its path."""
    path = Path(folder) / FILE
    name = path.parent.resolve().name
    league = provenance.link(path.parent, "league.html", f"league-{name}")
    page = report_page(
        summaries, verdicts, command=command, covered=covered, league=league, title=name
    )
    return build.write(path, page)


def _figure(summary: Summary) -> list[tuple[int, float, str]]:
    return natural(summary.experiment.source)


def _small(summary: Summary, labels: Sequence[str]) -> Markup:
    """A panel of the overview; one with a single point is drawn over time."""
    if len(summary.points) > 1:
        figure = panel_chart(summary, labels, small=True)
    else:
        regret = summary.experiment.regret
        figure = over_time_chart(summary.over_time, labels, regret, small=True)
    return figures.drawing(figure, f"small-{summary.name}", summary.experiment.title)


def _charts(summary: Summary, labels: Sequence[str]) -> dict[str, Markup]:
    """The two views of a panel."""
    experiment = summary.experiment
    against, rounds = (*summary.curves, *summary.lines), summary.over_time
    chart, over_time = (
        panel_chart(summary, labels),
        over_time_chart(rounds, labels, experiment.regret),
    )
    return {
        "axis": figures.drawing(
            chart,
            f"chart-{summary.name}",
            f"{experiment.title}, against {experiment.axis}",
            curves=against,
            along=experiment.axis,
        ),
        "time": figures.drawing(
            over_time,
            f"time-{summary.name}",
            f"{experiment.title}, over time",
            curves=rounds,
            along="t",
        ),
    }


def _left_out(summary: Summary) -> list[str]:
    """The points that a logarithmic axis cannot show: whose, and where."""
    curves = (*summary.curves, *summary.lines)
    if not scales.shows(curves):
        return []
    return [
        f"{curve.label} at {summary.experiment.axis} = {number(x)}"
        for curve in curves
        for x in curve.x[~(curve.mean > 0)]
    ]
