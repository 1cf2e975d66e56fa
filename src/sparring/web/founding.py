"""Making an arena for people to vote in, with the settings that suit most of them."""

import os
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sparring import checks
from sparring.arena import Arena

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
# A yardstick of random pairs, time to undo a slip, and names out of sight, as they sway people.
SETTINGS: Mapping[str, Any] = MappingProxyType(
    {"uniform": 0.05, "grace": 10.0, "answers": ("tie", "skip"), "page": {"blind": True}}
)


def found_arena(
    address: str | os.PathLike[str],
    items: Mapping[str, Mapping[str, Any] | None],
    *,
    name: str,
    learner: str | None = None,
) -> None:
    """Make an arena, unless it is there.

    Parameters
    ----------
    address, name, learner
        As for `sparring.Arena`.
    items
        What is shown for each name; None where the name is all there is.
    """
    if not NAME.fullmatch(name):
        raise checks.refuse("name", "of letters, digits, - and _", name, "It stands in addresses")
    contents = {item: None if content is None else dict(content) for item, content in items.items()}
    with Arena(address, contents, name=name, learner=learner) as arena:
        if not arena.settings.page:
            arena.set(**SETTINGS)
