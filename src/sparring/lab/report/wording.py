"""Numbers, sizes and formulas as a reader wants them, escaped for HTML."""

import html
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sparring.lab.experiments import Experiment
from sparring.lab.measures import Estimate
from sparring.regret import Mixture, Regret

AXES = {"T": "rounds", "K": "arms", "S": "segments", "V_T": "total variation"}
BENCHMARKS = {
    "horizon": "the best single arm",
    "stretch": "the best arm of each stretch of constant preferences",
    "round": "the best arm of each round",
    "condorcet": "the Condorcet winner of each round",
    "von neumann": "the von Neumann winner",
}
GREEK = {"sigma": "\N{GREEK SMALL LETTER SIGMA}", "epsilon": "ε"}
NONE = "—"

# A formula is a row of pieces: a text and how it is set, as "i" (a variable), "sub", "sup" or "".
Formula = list[tuple[str, str]]


def escape(text: object) -> str:
    """A text of the data, as HTML shows it."""
    return html.escape(str(text), quote=True)


def prose(text: str) -> str:
    """A text of the data as HTML, with its powers set as such.

    Examples
    --------
    >>> prose("like V_T^(1/3) & no faster")
    'like V<sub>T</sub><sup>1/3</sup> &amp; no faster'
    """
    shown = re.sub(r"\bV_T\b", "V<sub>T</sub>", escape(text))
    return re.sub(r"\^\((\d+/\d+)\)", r"<sup>\1</sup>", shown)


def signed(text: str) -> str:
    """A number with a true minus; and zero has none.

    Examples
    --------
    >>> signed("-0.00"), signed("-1,200.5") == "\N{MINUS SIGN}1,200.5"
    ('0.00', True)
    """
    zero = not any(digit in text for digit in "123456789")
    return text.lstrip("-") if zero else text.replace("-", "\N{MINUS SIGN}")


def pair(mean: float, sd: float) -> str:
    """Mean and deviation, to the same place: a tenth from 100 on, four digits below.

    Examples
    --------
    >>> pair(24489.7193, 5557.996)
    '24,489.7 ± 5,558.0'
    >>> pair(0.0123456, 0.00021)
    '0.01235 ± 0.00021'
    """
    if not math.isfinite(mean):
        return "unknown"
    size = max(abs(mean), abs(sd))
    places = 1 if size == 0 else min(max(3 - math.floor(math.log10(size)), 1), 12)
    return f"{signed(f'{mean:,.{places}f}')} ± {sd:,.{places}f}"


def size(value: float) -> str:
    """A size of a world or a place on an axis, in full if it is whole.

    Examples
    --------
    >>> size(100000.0), size(0.002), size(3.599999)
    ('100,000', '0.002', '3.6')
    """
    return f"{value:,.0f}" if value == round(value) else f"{value:.4g}"


def quantity(value: float) -> str:
    """A measured number: three places below 10, fewer above.

    Examples
    --------
    >>> quantity(0.4996), quantity(12345.6), quantity(math.nan)
    ('0.500', '12,346', 'unknown')
    """
    if not math.isfinite(value):
        return "unknown"
    places = next((places for places, top in ((3, 10), (2, 100), (1, 1000)) if abs(value) < top), 0)
    return signed(f"{value:,.{places}f}")


def estimate(found: Estimate) -> str:
    """A measured number and its interval, as HTML that breaks only between the two.

    Examples
    --------
    >>> estimate(Estimate(0.5, math.nan, math.nan))
    '<b>0.500</b>'
    """
    if found.value == found.low == found.high == round(found.value):
        return f"<b>{size(found.value)}</b>"  # counted, not estimated
    value = f"<b>{quantity(found.value)}</b>"
    if not (math.isfinite(found.low) and math.isfinite(found.high)):
        return value
    return f'{value} <span class="interval">{quantity(found.low)} to {quantity(found.high)}</span>'


def axis(name: str) -> Formula:
    """The symbol of an axis.

    Examples
    --------
    >>> axis("V_T")
    [('V', 'i'), ('T', 'sub')]
    """
    base, _, below = name.partition("_")
    return [(base, "i")] + ([(below, "sub")] if below else [])


def power(name: str, slope: float) -> Formula:
    """How theory writes growth along an axis.

    Examples
    --------
    >>> html_of(power("T", 1 / 2)), html_of(power("K", 1 / 3)), html_of(power("T", 1))
    ('√<i>T</i>', '<i>K</i><sup>1/3</sup>', '<i>T</i>')
    """
    if slope == 1:
        return axis(name)
    if slope == 0.5:
        return [("√", ""), *axis(name)]
    return [*axis(name), (fraction(slope), "sup")]


def fraction(slope: float) -> str:
    """A slope as a fraction, if it is a simple one.

    Examples
    --------
    >>> fraction(2 / 3), fraction(0.123)
    ('2/3', '0.123')
    """
    simple = Fraction(slope).limit_denominator(12)
    return signed(str(simple) if abs(simple - slope) < 1e-9 else f"{slope:.3g}")


def html_of(formula: Formula) -> str:
    """A formula as HTML."""
    return "".join(f"<{kind}>{text}</{kind}>" if kind else text for text, kind in formula)


def regret(found: Regret) -> str:
    """What is charged, in words.

    Examples
    --------
    >>> regret(Regret("borda", "round"))
    'Borda regret to the best arm of each round'
    """
    if isinstance(found.benchmark, str):
        benchmark = BENCHMARKS[found.benchmark]
    else:
        benchmark = "a mixture" if isinstance(found.benchmark, Mixture) else "given arms"
    gain = "Borda regret" if found.gain == "borda" else "Regret"
    player = {"both": "", "row": "of the row player ", "column": "of the column player "}
    side = player.get(found.side, f"({found.side}) ")
    return f"{gain} {side}to {benchmark}"


def fixed(experiment: Experiment) -> str:
    """The world and those of its sizes that are the same at all points, as HTML."""
    worlds: list[dict[str, Any]] = [_fields(world) for world in experiment.worlds]
    same = {
        name: value
        for name, value in worlds[0].items()
        if value is not None and all(world.get(name) == value for world in worlds)
    }
    shown = [f"{_symbol(name)}&nbsp;=&nbsp;{_value(value)}" for name, value in same.items()]
    kinds = dict.fromkeys(type(world).__name__ for world in experiment.worlds)
    return ", ".join([escape(" or ".join(kinds)), *shown])


def _fields(world: Any) -> dict[str, Any]:
    fields: Mapping[str, Any] = world.to_json()
    return {name: value for name, value in fields.items() if name != "world"}


def _symbol(name: str) -> str:
    if name in AXES:
        return html_of(axis(name))
    return escape(GREEK.get(name, name.replace("_", " ")))


def _value(value: Any) -> str:
    """A number, a word, or the head of something long."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return size(value)
    text = str(value)
    return escape(text if len(text) <= 40 else f"{text[:37]}...")
