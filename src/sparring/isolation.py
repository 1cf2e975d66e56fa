"""Names within sentences: whose letters run from right to left, and would turn the words around."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

FIRST_STRONG, POP = "\u2068", "\u2069"
MARKS = {"LRE", "LRO", "LRI", "RLE", "RLO", "RLI", "FSI", "PDI", "PDF"}  # that set a direction
TURNING = {"R", "AL", "AN"} | MARKS  # and letters and digits that run from right to left


def isolated(text: str) -> str:
    r"""A name as plain text may hold it: the words and numbers beside it keep their order.

    Names whose letters all run from left to right stay as they are. Marks of direction are left
    out, as one of them could end the isolation.

    Examples
    --------
    >>> isolated("tea"), isolated("\u05ea\u05d4")
    ('tea', '\u2068\u05ea\u05d4\u2069')
    """
    if text.isascii() or not any(unicodedata.bidirectional(one) in TURNING for one in text):
        return text
    inner = "".join(one for one in text if unicodedata.bidirectional(one) not in MARKS)
    return f"{FIRST_STRONG}{inner}{POP}"


def isolated_within(lines: Sequence[str], names: Iterable[str]) -> list[str]:
    """Lines in which each of these names is isolated."""
    turning = [name for name in names if isolated(name) != name]
    if not turning:
        return list(lines)
    longest_first = sorted(turning, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return [pattern.sub(lambda found: isolated(found[0]), line) for line in lines]
