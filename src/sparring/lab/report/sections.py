"""A panel as a section of the page: heading, notices, legend, chart, and its tables to unfold."""

from collections.abc import Mapping, Sequence
from string import Template

from sparring.lab.claims import Verdict
from sparring.lab.report import tables
from sparring.lab.report.charts import data, embedded, left_out
from sparring.lab.report.looks import Look, swatch
from sparring.lab.report.verdicts import beside
from sparring.lab.report.wording import AXES, axis, escape, fixed, html_of, power, regret, size
from sparring.lab.summaries import Summary

LISTED = 3  # damaged files, or points left out, that are named before the rest is only counted


def section(
    summary: Summary, verdicts: Sequence[Verdict], looks: Mapping[str, Look], template: Template
) -> str:
    """The section of a panel."""
    experiment = summary.experiment
    places = {label: place for place, label in enumerate(looks)}
    symbol = html_of(axis(experiment.axis))
    learners = experiment.labels
    labels = (*learners, *(line.label for line in summary.lines))
    return template.substitute(
        name=escape(summary.name),
        title=escape(experiment.title),
        axis=symbol,
        along=f"{AXES.get(experiment.axis, '')} {symbol}".strip(),
        source=f'<span class="source">{escape(experiment.source)}</span>'
        if experiment.source
        else "",
        notices="".join(f'<p class="notice">{text}</p>' for text in notices(summary)),
        caption=caption(summary),
        keys="".join(
            key(label, looks[label], places[label], label in learners) for label in labels
        ),
        last=f"at {symbol} = {size(summary.points[-1])}",
        label=escape(f"{experiment.title}, against {experiment.axis}"),
        remarks="".join(f'<p class="remark">{text}</p>' for text in remarks(summary)),
        beside=beside(verdicts, summary.name),
        tables="".join(
            make(summary)
            for make in (tables.slopes, tables.numbers, tables.realised, tables.learners)
        ),
        sizes=fixed(experiment),
        data=embedded(data(summary, places)),
    )


def key(label: str, look: Look, place: int, learner: bool) -> str:
    """A button of a legend."""
    kind = "learner" if learner else "line"
    return (
        f'<button type="button" class="key look-{place}" aria-pressed="true" data-kind="{kind}" '
        f'data-label="{escape(label)}">{swatch(look)}{escape(label)}</button>'
    )


def caption(summary: Summary) -> str:
    """What is drawn, in a sentence or two of HTML."""
    experiment = summary.experiment
    runs = " to ".join(dict.fromkeys(size(n) for n in _ends(summary)))
    many = "" if runs == "1" else "s"
    drawn = f"mean of {runs} run{many}" + ("" if runs == "1" else ", band ± one standard deviation")
    text = f"{regret(experiment.regret)}; {drawn}. {fixed(experiment)}."
    if experiment.slope is not None and experiment.guide:
        formula = html_of(power(experiment.axis, experiment.slope))
        along = html_of(axis(experiment.axis))
        text += f" Dotted, against {along}: like {formula}, through the last point of "
        text += f"{escape(experiment.guide)}."
    return text


def _ends(summary: Summary) -> tuple[int, int]:
    runs = [point.runs for point in summary.realised]
    return min(runs), max(runs)


def notices(summary: Summary) -> list[str]:
    """What is wrong with the results."""
    found = []
    if not summary.complete:
        points = f"{len(summary.points)} of {len(summary.experiment.points)} points have results"
        runs = ", ".join(size(point.runs) for point in summary.realised)
        wanted = max((entry.get("runs", 0) for entry in summary.history), default=0)
        found.append(f"<b>Not complete.</b> {points}, of {runs} runs; {size(wanted)} are wanted.")
    if summary.damaged:
        many = len(summary.damaged)
        names = [f"<code>{escape(path.name)}</code>" for path in summary.damaged[:LISTED]]
        more = [f"{many - LISTED} more"] if many > LISTED else []
        what = "1 part is" if many == 1 else f"{many} parts are"
        found.append(
            f"<b>Damaged.</b> {what} not what was written, and left out: "
            f"{', '.join(names + more)}. The command that made the results makes them again."
        )
    return found


def remarks(summary: Summary) -> list[str]:
    """What the chart cannot show."""
    missing = left_out(summary)
    if not missing:
        return []
    many, symbol = len(missing), html_of(axis(summary.experiment.axis))
    what = "1 point is" if many == 1 else f"{many} points are"
    whose = [f"{escape(label)} at {symbol} = {size(x)}" for label, x in missing[:LISTED]]
    more = [f"{many - LISTED} more"] if many > LISTED else []
    return [
        f"{what} not on the logarithmic axis, as the mean is not positive: "
        f"{', '.join(whose + more)}."
    ]
