"""Numbers, names and dates as a reader wants them: the only formatter of pages and the command."""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import NamedTuple


class Estimate(NamedTuple):
    """A number and its interval; all NaN if unknown."""

    value: float
    low: float
    high: float


NONE = "—"
OPEN, CLOSE = "\u2068", "\u2069"  # isolate what is between
MARKS = {"LRE", "LRO", "LRI", "RLE", "RLO", "RLI", "FSI", "PDI", "PDF"}  # that set a direction
TURNING = {"R", "AL", "AN"} | MARKS  # and letters and digits that run from right to left
MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"
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


def chance(p: float) -> str:
    """A probability in whole percent; one that rounds to none or all says on which side it is.

    Examples
    --------
    >>> chance(0.724), chance(0.9951), chance(0.002)
    ('72%', 'over 99%', 'under 1%')
    """
    if not math.isfinite(p):
        return UNKNOWN
    return "over 99%" if p > 0.99 else "under 1%" if p < 0.01 else f"{100 * p:.0f}%"


def near(p: float, error: float) -> str:
    """A share and how far off it may be, in percent; no error is smaller than a percent.

    Examples
    --------
    >>> near(0.721, 0.031), near(0.5, 0.0004)
    ('72% ± 3', '50% ± 1')
    """
    return f"{100 * p:.0f}% ± {max(100 * error, 1):.0f}"


def points(difference: float) -> str:
    r"""A difference of two shares in points, with its sign.

    Examples
    --------
    >>> print(points(0.32), points(-0.001), ascii(points(-0.114)))
    +32 0 '\u221211'
    """
    rounded = round(100 * difference)
    return f"{'+' if rounded > 0 else MINUS}{abs(rounded)}" if rounded else "0"


def places(low: int, high: int) -> str:
    r"""A range of places.

    Examples
    --------
    >>> print(places(3, 3), ascii(places(1, 8)))
    3 '1\u20138'
    """
    return f"{low:,}" if low == high else f"{low:,}{DASH}{high:,}"


def series(words: Sequence[str], last: str = "and") -> str:
    """A list in a sentence.

    Examples
    --------
    >>> series(["a", "b", "c"]), series(["a", "b"], last="or"), series(["a"])
    ('a, b and c', 'a or b', 'a')
    """
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def isolated(name: str) -> str:
    r"""A name whose direction of writing turns nothing round beside it, where `<bdi>` cannot be.

    Names whose letters all run from left to right stay as they are. Marks of direction are left
    out, as one of them could end the isolation.

    Examples
    --------
    >>> isolated("tea"), isolated("\u05ea\u05d4")
    ('tea', '\u2068\u05ea\u05d4\u2069')
    """
    if name.isascii() or not any(unicodedata.bidirectional(one) in TURNING for one in name):
        return name
    inner = "".join(one for one in name if unicodedata.bidirectional(one) not in MARKS)
    return f"{OPEN}{inner}{CLOSE}"


def clipped(name: str, most: int) -> str:
    """A name of at most so many letters: the middle goes, as names differ at their ends.

    Examples
    --------
    >>> clipped("long-tailed-tit-distilled-8b-chat", 20), clipped("fern", 20)
    ('long-tailed-t…b-chat', 'fern')
    """
    if len(name) <= most:
        return name
    tail = (most - 1) // 3
    head = name[: max(most - 1 - tail, 1)].rstrip("-_ ")
    return f"{head}…{name[len(name) - tail :].lstrip('-_ ') if tail else ''}"


# --- dates: 17 September; the year if the file has two; times if it spans under ten days ---------

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAY = 86_400.0
DATED = 10 * DAY  # seconds, from which on a date says when
TWICE = 366 * DAY  # seconds, from which on a day and a month may mean two days
SECONDS = (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 172_800)
WEEK = 604_800
MONDAY = 4 * 86_400  # the first one after 1970 began
MONTH = DAY * 365.25 / 12
STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12_000)  # months
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST = (datetime(9999, 12, 31, tzinfo=UTC) - EPOCH).total_seconds()
FIRST = (datetime(1, 1, 1, tzinfo=UTC) - EPOCH).total_seconds()


class Tick(NamedTuple):
    """A mark on an axis of moments."""

    at: float
    text: str
    below: str
    """What the text belongs to, where that changes: the year of a month, the day of an hour."""


class Dates:
    """Moments as dates or, in less than ten days, as times of the day; all in UTC.

    Parameters
    ----------
    first, last
        The whole, in seconds since 1970.

    Examples
    --------
    >>> year = Dates(1735689600, 1767139200)  # all of 2025
    >>> year.on(1758067200), year.brief(1758067200), year.span()
    ('17 September', '17 Sep', '1 January to 31 December 2025')
    >>> year.between(1757980800, 1758153600)
    'between 16 and 18 September'
    """

    def __init__(self, first: float, last: float) -> None:
        self.first, self.last = first, last
        one, other = date(first), date(last)
        self._dated = last - first >= DATED
        self._years = one.year != other.year
        self._days = one.date() != other.date()
        self._seconds = last - first < 600
        self._twice = last - first > TWICE

    def on(self, at: float) -> str:
        """In a sentence: 17 September."""
        when = date(at)
        if self._dated:
            return self._day(when)
        return f"{self._day(when)}, {self._clock(when)}" if self._days else self._clock(when)

    def brief(self, at: float) -> str:
        """On a chart or in a column: 17 Sep."""
        when = date(at)
        day = f"{when.day} {MONTHS[when.month - 1][:3]}"
        if self._dated:
            return f"{day} {when.year}" if self._twice else day
        return f"{day}, {self._clock(when)}" if self._days else self._clock(when)

    def full(self, at: float) -> str:
        """Alone: 17 September 2025."""
        when = date(at)
        day = f"{when.day} {MONTHS[when.month - 1]} {when.year}"
        return day if self._dated else f"{day}, {self._clock(when)}"

    def between(self, low: float, high: float) -> str:
        """A stretch: between 16 and 18 September."""
        one, other = date(low), date(high)
        if self.on(low) == self.on(high):
            return f"on {self.on(low)}" if self._dated else f"at {self.on(low)}"
        if not self._dated:
            if one.date() != other.date() or not self._days:
                return f"between {self.on(low)} and {self.on(high)}"
            span = f"between {self._clock(one)} and {self._clock(other)}"
            return f"{span} on {self._day(other)}"
        start = str(one.day)
        if (one.month, one.year) != (other.month, other.year):
            start += f" {MONTHS[one.month - 1]}"
        if one.year != other.year:
            start += f" {one.year}"
        return f"between {start} and {self.on(high)}"

    def machine(self, at: float) -> str:
        """For the attribute `datetime` of a page."""
        text = date(at).isoformat()
        return text[:10] if self._dated else f"{text[:19]}Z"

    def span(self) -> str:
        """The whole: 1 January to 31 December 2025."""
        one, other = date(self.first), date(self.last)
        if not self._days:
            start, end = self._clock(one), self._clock(other)
            return self.full(self.first) if start == end else f"{self.full(self.first)} to {end}"
        start = self._day(one) + ("" if self._dated else f", {self._clock(one)}")
        return f"{start} to {self.full(self.last)}"

    def lasted(self, low: float, high: float) -> str:
        """How long: 105 days."""
        seconds = high - low
        for unit, word in ((DAY, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
            if seconds >= 2 * unit or unit == 1:
                return many(round(seconds / unit), word)
        raise AssertionError

    def ticks(self, most: int) -> list[Tick]:
        """Round moments, at most so many or one more."""
        span = self.last - self.first
        if span < 1:
            return [Tick(self.first, self.brief(self.first), "")]
        step = next((one for one in SECONDS if span / one <= most), None)
        if step is not None:
            return _clocked(self._rounded(step, 0), step)
        if span / WEEK <= most:
            return _clocked(self._rounded(WEEK, MONDAY), WEEK)
        months = span / MONTH
        return _monthly(self.first, self.last, next(m for m in STEPS if months / m <= most - 0.5))

    def _rounded(self, step: int, offset: int) -> list[float]:
        first = math.ceil((self.first - offset) / step)
        last = math.floor((self.last - offset) / step)
        return [float(one * step + offset) for one in range(first, last + 1)]

    def _day(self, when: datetime) -> str:
        day = f"{when.day} {MONTHS[when.month - 1]}"
        return f"{day} {when.year}" if self._years else day

    def _clock(self, when: datetime) -> str:
        return f"{when:%H:%M:%S}" if self._seconds else f"{when:%H:%M}"


class Counted:
    """Moments as numbers of votes, of a file that has no times.

    Examples
    --------
    >>> file = Counted(12_000)
    >>> file.on(7210), file.between(7100, 7300), file.span()
    ('vote 7,210', 'between votes 7,100 and 7,300', 'votes 1 to 12,000')
    """

    def __init__(self, votes: int) -> None:
        self.votes = votes

    def on(self, at: float) -> str:
        """In a sentence."""
        return f"vote {at:,.0f}"

    def brief(self, at: float) -> str:
        """On a chart or in a column."""
        return self.on(at)

    def full(self, at: float) -> str:
        """Alone."""
        return self.on(at)

    def between(self, low: float, high: float) -> str:
        """A stretch of votes."""
        if round(low) == round(high):
            return f"at {self.on(low)}"
        return f"between votes {low:,.0f} and {high:,.0f}"

    def machine(self, at: float) -> str:
        """Nothing: it is no time."""
        return ""

    def span(self) -> str:
        """The whole."""
        return f"votes 1 to {self.votes:,}"

    def lasted(self, low: float, high: float) -> str:
        """How many votes."""
        return many(round(high - low), "vote")

    def ticks(self, most: int) -> list[Tick]:
        """Round numbers, at most so many."""
        return [Tick(at, number(at), "") for at in rounds(0, self.votes, most)]


Moments = Dates | Counted
"""How to say when something was, as the whole that it is part of asks for."""


def date(seconds: float) -> datetime:
    """A moment in UTC, wherever the system's own clock begins; as near as a calendar has one."""
    return EPOCH + timedelta(seconds=min(max(float(seconds), FIRST), LAST))


def rounds(low: float, high: float, most: int) -> list[float]:
    """Round numbers within bounds: at most so many.

    Examples
    --------
    >>> rounds(0, 12000, 7)
    [0.0, 2000.0, 4000.0, 6000.0, 8000.0, 10000.0, 12000.0]
    """
    if not high > low:
        return [float(low)]
    scale = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(
        one * scale
        for one in (1, 2, 5, 10, 20, 50)
        if math.floor(high / (one * scale)) - math.ceil(low / (one * scale)) < most
    )
    return [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _clocked(moments: Iterable[float], step: int) -> list[Tick]:
    """Times of the day with their day, or days with their month."""
    found, before = [], ""
    for at in moments:
        when = date(at)
        month = MONTHS[when.month - 1][:3]
        if step >= DAY:
            text, below = str(when.day), f"{month} {when.year}"
        else:
            text, below = (
                f"{when:%H:%M:%S}" if step < 60 else f"{when:%H:%M}",
                f"{when.day} {month}",
            )
        found.append(Tick(at, text, below if below != before else ""))
        before = below
    return found


def _monthly(first: float, last: float, step: int) -> list[Tick]:
    """Months with their year, or years."""
    start, end = date(first), date(last)
    found, before = [], 0
    month = (12 * start.year + start.month - 1) // step * step
    while month <= 12 * end.year + end.month - 1:
        year, place = divmod(month, 12)
        month += step
        at = (datetime(max(year, 1), place + 1, 1, tzinfo=UTC) - EPOCH).total_seconds()
        if at < first - (last - first) / 50:  # or as good as the beginning
            continue
        below = str(year) if step < 12 and year != before else ""
        found.append(Tick(max(at, first), MONTHS[place][:3] if step < 12 else str(year), below))
        before = year
    return found
