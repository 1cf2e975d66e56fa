"""Settings: what the operator of an arena may change while it runs."""

import json
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from sparring import checks
from sparring.arena.forms import is_shallow

BOTH_GOOD, BOTH_BAD, SKIP = "both good", "both bad", "skip"
WORDS = (checks.TIE, BOTH_GOOD, BOTH_BAD, SKIP)
MODES = ("live", "shadow", "frozen")
STATUSES = ("open", "paused", "closed")
LONGEST_GRACE = 3600.0  # seconds: until then an answer is not learnt
LONGEST_PAGE = 20_000  # letters of JSON
DEEPEST = 16  # levels of JSON


@dataclass(frozen=True)
class Settings:
    """How an arena asks and what it learns. `Arena.set` changes them."""

    mode: str = "live"
    """"live"; "shadow": pairs are drawn uniformly, and the learner watches; "frozen": it chooses
    the pairs, but no answer is learnt."""
    status: str = "open"
    """"open"; "paused": no one is asked, but answers to open questions still count; "closed": they
    are kept but not learnt."""
    uniform: float = 0.0
    """The share of pairs that are drawn uniformly and marked, as a yardstick for the others."""
    answers: tuple[str, ...] = WORDS
    """The answers allowed besides the names of the two arms."""
    grace: float = 0.0
    """Seconds in which a voter may take an answer back; until then it is not learnt."""
    dwell: float = 0.0
    """Seconds that a look takes at least: an answer that comes sooner is kept but not learnt."""
    cap: int | None = None
    """How many answers of one voter are learnt in a day."""
    hold: bool = False
    """Whether a service holds voters whose answers do not look honest."""
    invited: bool = False
    """Whether a service asks only voters who came by an invite."""
    page: dict[str, Any] = field(default_factory=dict)
    """Whatever the pages need to know: title, question and the like."""

    def changed(self, changes: dict[str, Any]) -> Self:
        """These settings with some changed, checked."""
        known = [one.name for one in fields(self)]
        for name in changes:
            if name not in known:
                raise checks.unknown("a setting", name, known)
        return replace(self, **{name: _CHECKS[name](value) for name, value in changes.items()})

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return {**asdict(self), "answers": list(self.answers)}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """The settings that `to_json` wrote."""
        return cls(**{**fields, "answers": tuple(fields["answers"])})


def _among(name: str, known: tuple[str, ...]) -> Any:
    def check(value: Any) -> str:
        if value not in known:
            raise checks.unknown(name, value, known)
        return str(value)

    return check


def _seconds(name: str) -> Any:
    return lambda value: checks.real(name, value, low=0, high=LONGEST_GRACE, remedy="In seconds")


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise checks.refuse("answers", f"a list of some of {list(WORDS)}", value)
    given = list(value)
    for word in given:
        if word not in WORDS:
            raise checks.unknown("an answer", word, WORDS)
    return tuple(word for word in WORDS if word in given)


def json_object(name: str, value: Any, longest: int) -> dict[str, Any]:
    """A dictionary that JSON can hold and a page can show, within a limit of letters."""
    try:
        text = json.dumps(value, allow_nan=False)
        if not isinstance(value, dict) or json.loads(text) != value:
            raise ValueError
        json.dumps(value, ensure_ascii=False).encode()  # half a pair of UTF-16 is no letter
    except (RecursionError, TypeError, ValueError):
        raise checks.refuse(name, "a dictionary that JSON can hold", value) from None
    if len(text) > longest:
        raise checks.refuse(name, f"at most {longest:,} letters of JSON", value)
    return value


def demand_shallow(name: str, value: Any) -> None:
    """Refuse lists and dictionaries in each other beyond all use: whatever copies them, recurses.

    Where a log is read more is allowed: what an earlier release has taken must stay.
    """
    if not is_shallow(value, DEEPEST):
        rule = f"at most {DEEPEST} levels of lists and dictionaries"
        raise checks.refuse(name, rule, checks.Shown("more"))


_CHECKS: dict[str, Any] = {
    "mode": _among("mode", MODES),
    "status": _among("status", STATUSES),
    "uniform": lambda value: checks.real("uniform", value, low=0, high=1),
    "answers": _words,
    "grace": _seconds("grace"),
    "dwell": _seconds("dwell"),
    "cap": lambda value: None if value is None else checks.whole("cap", value, low=1),
    "hold": lambda value: checks.flag("hold", value),
    "invited": lambda value: checks.flag("invited", value),
    "page": lambda value: json_object("page", value, LONGEST_PAGE),
}
