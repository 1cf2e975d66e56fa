"""The certificate so far: what the learner's regret was at most, where its log can tell."""

from collections.abc import Sequence
from typing import Any

from sparring.arena import Arena
from sparring.arena.history import Record


def so_far(arena: Arena, records: Sequence[Record]) -> dict[str, Any]:
    """The certificate of an arena, or in plain words why there is none."""
    return {"text": "None."}
