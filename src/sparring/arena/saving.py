"""The state of an arena as JSON, for checkpoints, and whether two states are equal."""

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from sparring.arena.pairs import Arm, Fresh, Pair
from sparring.arena.settings import Settings
from sparring.arena.state import State
from sparring.arena.tallies import Tallies
from sparring.arena.voters import Voters
from sparring.learners import restore

PLAIN = (
    "number", "chain", "at", "lifetime", "seed", "votes", "redrawn", "leader", "leads_since",
)  # fmt: skip


def to_json(state: State) -> dict[str, Any]:
    """Everything, for `json.dumps`."""
    return to_json_later(state)()


def to_json_later(state: State) -> Callable[[], dict[str, Any]]:
    """A quick copy of everything; what it returns makes the same as `to_json`, in any thread.

    Votes may go on meanwhile, but no arm may come or go.
    """
    fields = {
        **{name: getattr(state, name) for name in PLAIN},
        "present": state.present.copy(),
        "fresh_of": state.fresh_of.copy(),
        "arms": [asdict(arm) for arm in state.arms],
        "settings": state.settings.to_json(),
        "tallies": state.tallies.to_json(),
        "voters": state.voters.to_json(),
    }
    names, pairs = list(state.open), list(state.open.values())
    fresh, learner = list(state.fresh.items()), state.learner.snapshot_later()

    def written() -> dict[str, Any]:
        return {
            **fields,
            "open": list(zip(names, pairs, strict=True)),
            "fresh": [[ticket, one.pair, one[1:]] for ticket, one in fresh],
            "learner": learner(),
        }

    return written


def from_json(fields: dict[str, Any]) -> State:
    """The state that `to_json` wrote."""
    state = State()
    for name in (*PLAIN, "present", "fresh_of"):
        setattr(state, name, fields[name])
    state.arms = [Arm(**arm) for arm in fields["arms"]]
    for ticket, pair in fields["open"]:
        state.open_pair(ticket, Pair(*pair))
    state.fresh.update(
        (ticket, Fresh(Pair(*pair), *more)) for ticket, pair, more in fields["fresh"]
    )
    state.settings = Settings.from_json(fields["settings"])
    state.tallies = Tallies(**fields["tallies"])
    state.voters = Voters.from_json(fields["voters"])
    state.learner = restore(fields["learner"])
    return state


def fingerprint(state: State) -> str:
    """Equal for equal states, whichever process or checkpoint they come from."""
    return hashlib.sha256(json.dumps(_contents(state), sort_keys=True).encode()).hexdigest()


def agree(one: State, other: State) -> bool:
    """Whether two states are equal up to the last bits, in which interpreted code differs."""
    return _nearly_equal(_contents(one), _contents(other))


def _contents(state: State) -> dict[str, Any]:
    """Everything except the marks of a learner or a release."""
    fields = to_json(state)
    learner = fields["learner"]
    for name in ("id", "digest", "release"):
        del learner[name]
    if "distributions" in learner:  # which open duels share, or not, after a restart
        shared = learner.pop("distributions")
        learner["open"] = [[*duel, shared[place]] for *duel, place in learner["open"]]
    return fields


def _nearly_equal(a: Any, b: Any) -> bool:
    """Whether two JSON values are equal up to the last bits of their numbers."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_nearly_equal(a[name], b[name]) for name in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(_nearly_equal, a, b))
    if isinstance(a, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return bool(a == b)
