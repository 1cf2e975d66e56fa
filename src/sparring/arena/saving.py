"""The state of an arena as JSON, for checkpoints, and whether two states are equal."""

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from sparring.arena.forms import (
    Fields,
    among,
    by_name,
    dictionary,
    each,
    flag,
    maybe,
    moment,
    number,
    row,
    share,
    text,
    whole,
)
from sparring.arena.pairs import Arm, Fresh, Pair
from sparring.arena.settings import Settings
from sparring.arena.state import State
from sparring.arena.tallies import Tallies
from sparring.arena.voters import VERDICTS, Voters
from sparring.learners import restore
from sparring.learners.frame import demand_distinct
from sparring.learners.snapshots import GONE

PLAIN = (
    "number", "chain", "at", "lifetime", "seed", "votes", "redrawn", "leader", "leads_since",
)  # fmt: skip
# t, row, col, swapped, at, voter, seen, again
PAIR = row(whole, whole, whole, flag, moment, maybe(text), moment, flag)
# What a checkpoint must be before anything is made of it: it may come from anywhere.
SAVED = Fields(
    number=whole,
    chain=text,
    at=moment,
    lifetime=whole,
    seed=text,
    votes=whole,
    redrawn=whole,
    leader=maybe(whole),
    leads_since=moment,
    present=each(whole, least=2),
    fresh_of=by_name(text),
    arms=each(
        Fields(
            name=text,
            since=moment,
            withdrawn=maybe(moment),
            votes=whole,
            wins=number,
            share=number,
            version=whole,
            content=maybe(dictionary),
        ),
        least=2,
    ),
    open=each(row(text, PAIR)),
    # The pair, then outcome, until, verdict, word
    fresh=each(row(text, PAIR, row(share, moment, among(VERDICTS), text))),
    settings=dictionary,
    tallies=Fields(
        **dict.fromkeys(
            (
                "asked", "uniform", "told", "learnt", "undone", "imported",
                "first_won", "second_won", "ties", "both_good", "both_bad",
            ),
            whole,
        ),
        kept=by_name(whole),
    ),
    voters=Fields(
        verdicts=by_name(row(among(VERDICTS), whole)),
        day=whole,
        today=by_name(whole),
        last=by_name(moment),
    ),
    learner=dictionary,
    gone_=text,
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
        **({"gone": state.gone} if state.gone else {}),
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
    """The state that `to_json` wrote; a ValueError if it cannot have."""
    if not SAVED(fields):
        raise ValueError("it has not the fields of a state")
    state = State()
    for name in (*PLAIN, "present", "fresh_of"):
        setattr(state, name, fields[name])
    state.arms = [Arm(**arm) for arm in fields["arms"]]
    for ticket, pair in fields["open"]:
        state.open_pair(ticket, Pair(*pair))
    state.fresh.update(
        (ticket, Fresh(Pair(*pair), *more)) for ticket, pair, more in fields["fresh"]
    )
    state.settings = Settings().changed(fields["settings"])
    state.tallies = Tallies(**fields["tallies"])
    state.voters = Voters.from_json(fields["voters"])
    state.gone = fields.get("gone", "")
    if fields["learner"].get("recipe", [""])[0] in GONE:
        raise ValueError("its learner went")
    state.learner = restore(fields["learner"])
    _demand_whole(state)
    return state


def _demand_whole(state: State) -> None:
    """Refuse a state whose parts speak of different arms, rounds or voters."""
    known, rounds = range(len(state.arms)), state.learner.open
    pairs = [*state.open.values(), *(one.pair for one in state.fresh.values())]
    fits = (
        len(state.present) == state.learner.K
        and len(set(state.present)) == len(state.present)
        and all(arm in known for arm in state.present)
        and (state.leader is None or state.leader in known)
        and all(pair.t in rounds and {pair.row, pair.col} <= set(state.present) for pair in pairs)
        and len({pair.t for pair in pairs}) == len(pairs)
        and {state.fresh[ticket].pair.voter for ticket in state.fresh} == state.fresh_of.keys()
        and set(state.fresh_of.values()) == state.fresh.keys()
    )
    if not fits:
        raise ValueError("its parts do not fit each other")
    demand_distinct(state.learner)


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
