"""Making an arena for people to vote in, and giving its items what is shown for them."""

import os
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sparring import checks
from sparring.arena import Arena
from sparring.web.contents import origins_of

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
# A yardstick of random pairs, time to undo a slip, and names out of sight, as they sway people.
SETTINGS: Mapping[str, Any] = MappingProxyType(
    {"uniform": 0.05, "grace": 10.0, "answers": ("tie", "skip")}
)
PAGE: Mapping[str, Any] = MappingProxyType({"blind": True})


class Filled(NamedTuple):
    """What was done with a list of items in an existing arena, by name."""

    added: list[str]
    shown: list[str]
    """Items that had a name alone, and are shown as the list says now."""
    differing: list[str]
    """Items that show something else than the list says; they were left so."""
    withdrawn: list[str]
    """Items that were withdrawn; they were left so."""


def found_arena(
    address: str | os.PathLike[str],
    items: Mapping[str, Mapping[str, Any] | None],
    *,
    name: str,
    learner: str | None = None,
    media: Sequence[str] = (),
) -> None:
    """Make an arena, unless it exists.

    Parameters
    ----------
    address, name, learner
        As for `sparring.Arena`.
    items
        What is shown for each name; None if there is only the name.
    media
        Origins from which pictures, sounds and films may come.
    """
    if not NAME.fullmatch(name):
        raise checks.refuse("name", "of letters, digits, - and _", name, "It stands in addresses")
    contents = {item: None if content is None else dict(content) for item, content in items.items()}
    with Arena(address, contents, name=name, learner=learner) as arena:
        if not arena.settings.page:
            origins = {"origins": list(media)} if media else {}
            arena.set(**SETTINGS, page={**PAGE, **origins})


def allow_media(
    address: str | os.PathLike[str], origins: Sequence[str], *, name: str
) -> tuple[str, ...]:
    """Let pictures, sounds and films come from some more origins; returns all that may.

    Parameters
    ----------
    address, name
        As for `sparring.Arena`.
    origins
        As `checked_origin` returns them; if there are none, nothing changes.
    """
    with Arena(address, name=name) as arena:
        page = arena.settings.page
        allowed = list(dict.fromkeys([*origins_of(page), *origins]))
        if len(allowed) > len(origins_of(page)):
            arena.set(page={**page, "origins": allowed})
        return tuple(allowed)


def fill_arena(
    address: str | os.PathLike[str],
    items: Mapping[str, Mapping[str, Any] | None],
    *,
    name: str,
) -> Filled:
    """Add a list of items to an existing arena; edited and withdrawn items stay as they are.

    Parameters
    ----------
    address, name
        As for `sparring.Arena`.
    items
        As for `found_arena`.
    """
    filled = Filled([], [], [], [])
    with Arena(address, name=name) as arena:
        known = {item.name: item for item in arena.items()}
        new = {name: None if one is None else dict(one) for name, one in items.items()}
        arena.add_all({name: one for name, one in new.items() if name not in known})
        for item, wanted in new.items():
            if item not in known:
                filled.added.append(item)
            elif known[item].withdrawn is not None:
                filled.withdrawn.append(item)
            elif wanted is None or known[item].content == wanted:
                continue
            elif known[item].content is None:
                arena.edit(item, wanted)
                filled.shown.append(item)
            else:
                filled.differing.append(item)
    return filled
