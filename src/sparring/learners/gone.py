"""Learners and options that earlier releases had: what is said of them, and what goes on."""

from typing import Any

from sparring.checks import SnapshotError

GONE = ("bandit_over_bandit", "doubling", "guarded", "oracle_restarts")
"""The names of learners that went after 0.2.0. Old arenas have them, so no learner may take one."""

# What these learners took and did not use, because others take it. Old recipes and arenas have it.
UNUSED_T = (
    *("rand", "tracker", "steady", "sturdy", "seasoned", "versatile_db", "btwr"),
    *("elo", "glicko2", "trueskill", "bradley_terry"),
)
MASTERS = ("base", "q", "master_high", "master_low")  # what only bandit over bandit used


def without_unused(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a learner without a T that it did not use.

    Examples
    --------
    >>> without_unused("tracker", {"T": 5000, "differ": True})
    {'differ': True}
    """
    return {key: value for key, value in options.items() if key != "T" or name not in UNUSED_T}


def forward(snapshot: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of version 1 as one of version 2, or an error that names the learner that went."""
    kind, found = snapshot.get("kind"), dict(snapshot)
    if kind == "guarded":
        raise _gone("guarded", "tracker, whose rounds it audited, or steady, which has a bound")
    if kind == "sparring":
        if snapshot["options"]["base"]["name"] == "BanditOverBandit":
            raise _gone("bandit_over_bandit", "sparring_exp3six for a known number of changes")
        memory = snapshot["memory"].items()
        found["memory"] = {name: part for name, part in memory if name not in MASTERS}
    if kind == "restarts":
        plan = dict(snapshot["plan"])
        if plan.pop("doubling") is not None:
            raise _gone("doubling", "tracker or steady, which need no T")
        found["plan"] = plan
    if "recipe" in snapshot:
        name, options = snapshot["recipe"]
        found["recipe"] = [name, without_unused(name, options)]
        if name in GONE:  # oracle_restarts, whose arms cannot change: none is made after it
            del found["recipe"]
    return found


def _gone(name: str, instead: str) -> SnapshotError:
    return SnapshotError(
        f"the snapshot is of {name}, which went after 0.2.0: restore it with that release, or "
        f"begin a new learner: {instead}"
    )
