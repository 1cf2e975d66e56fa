"""Numbers as a reader wants them: the only formatter of figures, pages and the command's tables."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple


class Estimate(NamedTuple):
    """A number and its interval; all NaN if unknown."""

    value: float
    low: float
    high: float


NONE = "—"
UNKNOWN = "unknown"
NAMED = 4  # names of a list, before the rest is only counted
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float) -> str:
    """A size or a place on an axis: in full if it is whole, else four digits.

    Examples
    --------
    >>> number(100000.0), number(0.002), number(3.599999)
    ('100,000', '0.002', '3.6')
    """
    return f"{value:,.0f}" if value == round(value) else f"{value:.4g}"


def duration(seconds: float) -> str:
    """How long something takes, roughly.

    Examples
    --------
    >>> duration(3.4), duration(100), duration(5000), duration(0.3)
    ('about 3 s', 'about 2 min', 'about 1.4 h', 'less than a second')
    """
    if seconds < 1:
        return "less than a second"
    if seconds < 60:
        return f"about {seconds:.0f} s"
    minutes = seconds / 60
    return f"about {minutes:.0f} min" if minutes < 60 else f"about {minutes / 60:.1f} h"


def power(value: float) -> str:
    """Powers of ten from a thousand on as powers, any other number in full.

    Examples
    --------
    >>> power(100000), power(20000), power(10)
    ('10⁵', '20,000', '10')
    """
    return _power(value) if value >= 1000 and math.log10(value).is_integer() else number(value)


def ticks(values: Sequence[float]) -> list[str]:
    """The numbers of an axis: powers of ten if all are and some are large, else all in full."""
    if all(math.log10(value).is_integer() for value in values) and max(values) > 10_000:
        return [_power(value) for value in values]
    return [number(value) for value in values]


def _power(value: float) -> str:
    return "10" + str(round(math.log10(value))).translate(RAISED)


def measured(value: float) -> str:
    """A measured number: two places below 100, none above.

    Examples
    --------
    >>> measured(0.4996), measured(12345.6), measured(-0.001), measured(math.nan)
    ('0.50', '12,346', '0.00', 'unknown')
    """
    return _placed(value, 0 if abs(value) >= 100 else 2)


def interval(found: Estimate) -> str:
    """A measured number and its interval, to the same place; a count has none.

    Examples
    --------
    >>> interval(Estimate(0.5, 0.444, 0.561)), interval(Estimate(3.0, 3.0, 3.0))
    ('0.50 (0.44 to 0.56)', '3')
    """
    value, low, high = found
    if value == low == high == round(value):
        return number(value)
    if not (math.isfinite(low) and math.isfinite(high)):  # of one run
        return measured(value)
    places = 0 if abs(value) >= 100 else 2
    return f"{measured(value)} ({_placed(low, places)} to {_placed(high, places)})"


def pair(mean: float, sd: float) -> str:
    """Mean and deviation, to the same place: a tenth from 100 on, four digits below.

    Examples
    --------
    >>> pair(24489.7193, 5557.996), pair(0.0123456, 0.00021)
    ('24,489.7 ± 5,558.0', '0.01235 ± 0.00021')
    """
    if not math.isfinite(mean):
        return UNKNOWN
    size = max(abs(mean), abs(sd))
    places = 1 if size == 0 else min(max(3 - math.floor(math.log10(size)), 1), 12)
    return f"{_placed(mean, places)} ± {_placed(sd, places)}"


def _placed(value: float, places: int) -> str:
    """A number with this many decimals; zero has no sign."""
    if not math.isfinite(value):
        return UNKNOWN
    text = f"{value:,.{places}f}"
    return text if any(digit in text for digit in "123456789") else text.lstrip("-")


def percent(ratio: float) -> str:
    """A ratio in percent, with a decimal if it is small."""
    found = 100 * ratio
    return f"{found:.1f}" if found < 9.95 else f"{found:,.0f}"


def share(ratio: Estimate, unknown: str = "an unknown part") -> str:
    """A ratio and its interval in percent.

    Examples
    --------
    >>> share(Estimate(0.353, 0.332, 0.375)), share(Estimate(0.0231, float("nan"), float("nan")))
    ('35% (33 to 38)', '2.3%')
    """
    if ratio.value != ratio.value:
        return unknown
    value = f"{percent(ratio.value)}%"
    if ratio.low == ratio.low and ratio.low != ratio.high:
        value += f" ({percent(ratio.low)} to {percent(ratio.high)})"
    return value


def bound(value: float) -> str:
    """A bound, which may be huge, in little room.

    Examples
    --------
    >>> bound(123456.7), bound(1234567.8)
    ('123,457', '1.23e6')
    """
    return f"{value:,.0f}" if abs(value) < 1e6 else f"{value:.3g}".replace("e+0", "e")


def short(value: float) -> str:
    """A number to two digits, thousands as k.

    Examples
    --------
    >>> short(7.0), short(123), short(998), short(1262.0), short(15_141)
    ('7', '120', '1.0k', '1.3k', '15k')
    """
    rounded = float(f"{value:.1e}")
    if rounded < 1000:
        return f"{rounded:.0f}"
    return f"{rounded / 1000:.1f}k" if rounded < 10_000 else f"{rounded / 1000:,.0f}k"


def fraction(value: float) -> str:
    """A number as a fraction, if it is a simple one.

    Examples
    --------
    >>> fraction(2 / 3), fraction(0.123)
    ('2/3', '0.123')
    """
    simple = Fraction(value).limit_denominator(12)
    return str(simple) if abs(simple - value) < 1e-9 else f"{value:.3g}"


def many(count: int, what: str) -> str:
    """One world, two worlds.

    Examples
    --------
    >>> many(1, "world"), many(2000, "world")
    ('1 world', '2,000 worlds')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def spread(counts: Sequence[int]) -> str:
    """From the least to the most; one number if they are the same."""
    return " to ".join(dict.fromkeys((number(min(counts)), number(max(counts)))))


def listed(names: Sequence[str], most: int = NAMED) -> str:
    """Some names, and how many more there are."""
    rest = len(names) - most
    return ", ".join(names) if rest <= 0 else f"{', '.join(names[:most])} and {rest} more"


def natural(name: str) -> list[tuple[int, float, str]]:
    """A sort key for names by which their numbers count as numbers.

    Examples
    --------
    >>> sorted(["K10", "K5", "K20"], key=natural)
    ['K5', 'K10', 'K20']
    """
    parts = re.split(r"(\d+)", name)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts if part]
