"""The outcome of a command, for programs and for people; the only place that prints it."""

import argparse
import importlib
import json
import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from typing import Any, NamedTuple

# Control characters, and those that break a line or turn the text after them round, as pictures of
# the same length: what people name must not steer a terminal.
_PICTURES = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"},
    127: 0x2421,
    **dict.fromkeys([*range(0x80, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A)], 0xFFFD),
}
# A name between marks that keep its direction from turning round what stands beside it.
_ISOLATED = re.compile("(\u2068[^\n\u2066-\u2069]*\u2069)")


class Outcome(NamedTuple):
    """The outcome of a command."""

    json: object
    """For a program."""
    show: Callable[[], None]
    """Prints it for a person."""
    failures: Sequence[str] = ()
    """What failed while the rest continued."""


def carry_out(options: argparse.Namespace, command: Sequence[str]) -> None:
    """Do what was asked, print the outcome, and raise what failed."""
    if options.extra:
        from sparring.extras import demand_all  # only now: NumPy comes with it

        demand_all(options.extra, f"`{options.command}`")
    module, _, name = options.run.partition(":")
    function = getattr(importlib.import_module(f"sparring_cli.{module}"), name)
    # What a learner of the user's own prints is not part of the JSON.
    with redirect_stdout(sys.stderr if options.json else sys.stdout):
        outcome: Outcome = function(options, command)
    if options.json:
        print(json.dumps(plain(outcome.json), indent=1, allow_nan=False))
    elif not options.quiet:
        outcome.show()
    if outcome.failures:
        raise RuntimeError("\n".join(outcome.failures))


def plain(value: object) -> object:
    """The value for JSON: None for infinite and missing numbers, named tuples by name.

    Examples
    --------
    >>> plain({"bound": math.inf, "grid": (1, 2.5)})
    {'bound': None, 'grid': [1, 2.5]}
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def clean(text: Any) -> str:
    r"""Text for a terminal, with control characters made harmless; isolated names stay so.

    Examples
    --------
    >>> clean("a\x1b[31mb")
    'a␛[31mb'
    """
    parts = _ISOLATED.split(str(text))
    parts[::2] = [part.translate(_PICTURES) for part in parts[::2]]
    parts[1::2] = [one[0] + one[1:-1].translate(_PICTURES) + one[-1] for one in parts[1::2]]
    return "".join(parts)
