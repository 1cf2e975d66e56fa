"""What a chart draws, as JSON beside it: points, deviations, and the words of its readout."""

import json
import math
from typing import Any

import numpy as np

from sparring.lab.report.wording import axis, pair, power, size
from sparring.lab.summaries import Curve, Summary


def data(summary: Summary, places: dict[str, int]) -> dict[str, Any]:
    """The two views of a panel and the line of theory; `places` are the numbers of the looks."""
    experiment = summary.experiment
    guide = None
    if experiment.slope is not None and experiment.guide:
        formula = power(experiment.axis, experiment.slope)
        guide = {"label": experiment.guide, "slope": experiment.slope, "text": formula}
    against = view((*summary.curves, *summary.lines), places)
    against.update(axis=axis(experiment.axis), log=logarithmic(summary))
    if all(x == float(f"{x:.2g}") for x in against["x"]):
        against["ticks"] = against["x"]  # few and round: they are the ticks a reader wants
    over_time = view(summary.over_time, places)
    over_time.update(axis=[("t", "i")], log=False)
    return {"guide": guide, "views": {"axis": against, "time": over_time}}


def view(curves: tuple[Curve, ...], places: dict[str, int]) -> dict[str, Any]:
    """Curves over one list of x: where a curve has no point, it has null."""
    x = sorted({value for curve in curves for value in curve.x.tolist()})
    return {
        "x": x,
        "x_shown": [size(value) for value in x],
        "curves": [
            {"label": curve.label, "look": places[curve.label], **_points(curve, x)}
            for curve in curves
        ],
    }


def _points(curve: Curve, x: list[float]) -> dict[str, Any]:
    at = {value: place for place, value in enumerate(curve.x.tolist())}
    found = [at.get(value) for value in x]
    pairs = [(float(curve.mean[i]), float(curve.sd[i])) if i is not None else None for i in found]
    return {
        "mean": [_drawn(one[0]) if one else None for one in pairs],
        "sd": [_drawn(one[1]) if one else None for one in pairs],
        "shown": [pair(*one) if one else "" for one in pairs],
    }


def _drawn(value: float) -> float | None:
    """A number as exact as a screen can show; JSON has no NaN."""
    return float(f"{value:.7g}") if math.isfinite(value) else None


def logarithmic(summary: Summary) -> bool:
    """Whether logarithmic axes can show anything at all, and every point of the axis."""
    curves = (*summary.curves, *summary.lines)
    return min(summary.points) > 0 and any((curve.mean > 0).any() for curve in curves)


def left_out(summary: Summary) -> list[tuple[str, float]]:
    """The points that a logarithmic axis cannot have: whose, and where."""
    if not logarithmic(summary):
        return []
    return [
        (curve.label, float(x))
        for curve in (*summary.curves, *summary.lines)
        for x in curve.x[~(np.asarray(curve.mean) > 0)]
    ]


def embedded(value: Any) -> str:
    """JSON that cannot end the script element it is in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
