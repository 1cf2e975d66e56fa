"""The numbers of a panel as tables, readable without a script."""

from collections.abc import Iterable, Sequence

from sparring.lab.report.wording import NONE, axis, escape, estimate, fraction, html_of, pair, size
from sparring.lab.summaries import Summary


def table(
    caption: str, columns: Iterable[str], rows: Iterable[Sequence[str]], *, numeric: bool = False
) -> str:
    """A table of HTML cells that scrolls in a box of its own; the first cell heads its row."""
    heads = "".join(f'<th scope="col">{column}</th>' for column in columns)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for first, *cells in rows
    )
    return (
        f'<div class="scroll" role="region" aria-label="{caption}" tabindex="0">'
        f'<table class="{"numeric" if numeric else "wordy"}">'
        f"<caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
        "</table></div>"
    )


def slopes(summary: Summary) -> str:
    """How the regret of each learner grows."""
    experiment = summary.experiment
    rows = []
    for slope in summary.slopes:
        told = experiment.slope is not None and slope.label == experiment.guide
        theory = fraction(experiment.slope) if told and experiment.slope is not None else NONE
        rows.append(
            (escape(slope.label), estimate(slope.fitted), estimate(slope.last), theory),
        )
    columns = ("", "over all points", "between the last two", "theory")
    return table("Slope on logarithmic axes, with 95 % intervals", columns, rows)


def realised(summary: Summary) -> str:
    """What the paths were like."""
    along = summary.experiment.axis
    sizes = [name for name in ("K", "T") if name != along]
    columns = [
        html_of(axis(along)),
        *(html_of(axis(name)) for name in sizes),
        f"realised {html_of(axis('S'))}",
        f"realised {html_of(axis('V_T'))}",
        "runs",
    ]
    rows = [
        (
            size(point.x),
            *(size(getattr(point, name)) for name in sizes),
            size(round(point.S, 6)),
            size(round(point.V_T, 6)),
            size(point.runs),
        )
        for point in summary.realised
    ]
    return table("What the paths were like, in the mean over runs", columns, rows, numeric=True)


def numbers(summary: Summary) -> str:
    """Every mean and deviation."""
    curves = (*summary.curves, *summary.lines)
    found = {
        curve.label: {
            x: pair(mean, sd)
            for x, mean, sd in zip(
                curve.x.tolist(), curve.mean.tolist(), curve.sd.tolist(), strict=True
            )
        }
        for curve in curves
    }
    points = sorted(summary.points)
    rows = [(size(x), *(found[curve.label].get(x, NONE) for curve in curves)) for x in points]
    columns = (
        html_of(axis(summary.experiment.axis)),
        *(escape(curve.label) for curve in curves),
    )
    return table("Regret, mean ± standard deviation over runs", columns, rows, numeric=True)


def learners(summary: Summary) -> str:
    """What the labels stand for."""
    rows = [
        (escape(label), f"<code>{escape(entrant)}</code>")
        for label, entrant in dict(summary.experiment.entrants).items()
    ]
    return table("Learners, by label", ("label", "learner and options"), rows)
