"""The state of an arena as JSON, for checkpoints, and whether two states are equal."""

import hashlib
import json
import math
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
    "present", "asked", "fresh_of",
)  # fmt: skip


def to_json(state: State) -> dict[str, Any]:
    """Everything, for `json.dumps`."""
    return {
        **{name: getattr(state, name) for name in PLAIN},
        "arms": [asdict(arm) for arm in state.arms],
        "open": [[ticket, *pair] for ticket, pair in state.open.items()],
        "fresh": [[ticket, one.pair, one[1:]] for ticket, one in state.fresh.items()],
        "settings": state.settings.to_json(),
        "tallies": state.tallies.to_json(),
        "voters": state.voters.to_json(),
        "learner": state.learner.snapshot(),
    }


def from_json(fields: dict[str, Any]) -> State:
    """The state that `to_json` wrote."""
    state = State()
    for name in PLAIN:
        setattr(state, name, fields[name])
    state.arms = [Arm(**arm) for arm in fields["arms"]]
    state.open.update((ticket, Pair(*pair)) for ticket, *pair in fields["open"])
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
