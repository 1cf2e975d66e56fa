"""Which columns of a file hold the two arms, the result and the time: given, or recognised."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sparring import checks

# Names of columns that files of votes have, by what they hold; the first that is there counts.
PAIRS = (
    ("a", "b"),
    ("model_a", "model_b"),
    ("item_a", "item_b"),
    ("option_a", "option_b"),
    ("prompt_a", "prompt_b"),
    ("left", "right"),
    ("model_left", "model_right"),
    ("left_model", "right_model"),
    ("first", "second"),
    ("home", "away"),
    ("home_team", "away_team"),
    ("white", "black"),
    ("player1", "player2"),
    ("player_1", "player_2"),
    ("team1", "team2"),
    ("team_1", "team_2"),
    ("i", "j"),
)
# Who won, and who lost. Models come before answers: those are texts, and each is there once.
LOSERS = (
    ("winner", "loser"),
    ("winner_model", "loser_model"),
    ("model_winner", "model_loser"),
    ("chosen_model", "rejected_model"),
    ("model_chosen", "model_rejected"),
    ("chosen", "rejected"),
)
SCORES = (
    ("{a}_score", "{b}_score"),
    ("score_{a}", "score_{b}"),
    ("home_score", "away_score"),
    ("home_goals", "away_goals"),
    ("score_a", "score_b"),
    ("score1", "score2"),
    ("score_1", "score_2"),
)
ONES: Mapping[str, tuple[str, ...]] = {
    "outcome": ("outcome",),
    "winner": ("winner", "preference", "preferred", "choice", "verdict", "result"),
    "time": (
        *("time", "timestamp", "time_stamp", "tstamp", "ts", "datetime", "date"),
        *("voted_at", "voted_on", "created_at", "createdat", "created_on", "created", "at"),
        *("submitted_at", "answered_at"),
    ),
    "voter": ("voter", "voter_id", "judge", "user", "user_id", "rater", "annotator"),
    "weight": ("weight",),
    "chance": ("chance", "propensity"),
}
# Parts of a name by which a column looks like one of times, though its name is not known.
TIMELY = {
    *("time", "timestamp", "date", "datetime", "day", "when", "at", "ts", "utc", "epoch"),
    *("created", "voted", "submitted", "played"),
}
# Of a log of duels: its arms by number, and where the probabilities are, in one of four layouts.
OURS = {"row", "col", "outcome"}
LOGGED = ({"p"}, {"p_row", "p_col"}, {"p_row_0", "p_col_0"}, {"p_0", "p_1"})


class DialectError(ValueError):
    """A file whose columns do not say who met whom, or who won; the message lists the columns."""


class Dialect(NamedTuple):
    """The columns of a file."""

    first: str
    second: str
    winner: str = ""
    outcome: str = ""
    score: tuple[str, str] | None = None
    time: str = ""
    voter: str = ""
    weight: str = ""
    chance: str = ""
    by_loser: bool = False
    """Whether the first is the winner and the second the loser."""

    @property
    def used(self) -> list[str]:
        """The columns in use."""
        one = [self.first, self.second, self.winner, self.outcome, *(self.score or ())]
        return [name for name in (*one, self.time, self.voter, self.weight, self.chance) if name]

    def __str__(self) -> str:
        how = (
            "the first has won"
            if self.by_loser
            else f"who won from {self.winner or self.outcome or ' and '.join(self.score or ())}"
        )
        rest = [
            f"{what} from {getattr(self, what)}"
            for what in ("time", "voter", "weight", "chance")
            if getattr(self, what)
        ]
        return ", ".join([f"arms from {self.first} and {self.second}", how, *rest])


def recognise(
    columns: Sequence[str],
    file: str,
    *,
    a: str | None = None,
    b: str | None = None,
    winner: str | None = None,
    outcome: str | None = None,
    score: Sequence[str] | None = None,
    time: str | None = None,
    voter: str | None = None,
    weight: str | None = None,
    chance: str | None = None,
) -> Dialect:
    """The columns to read: those given, otherwise those with known names.

    Examples
    --------
    >>> print(recognise(["model_a", "model_b", "winner", "tstamp"], "battles.csv"))
    arms from model_a and model_b, who won from winner, time from tstamp
    """
    known = {name.strip().casefold(): name for name in reversed(columns)}
    others = {"time": time, "voter": voter, "weight": weight, "chance": chance}
    given = {"a": a, "b": b, "winner": winner, "outcome": outcome, **others}
    for what, name in given.items():
        _there(what, name, columns, file)
    for name in score or ():
        _there("score", name, columns, file)
    if score is not None and (isinstance(score, str) or len(score) != 2):
        raise checks.refuse("score", "two names of columns", score)
    first, second, by_loser = _arms(known, columns, file, a, b, bool(winner or outcome or score))
    when, who, heavy, likely = (
        name or ("" if name == "" else _known(ONES[what], known)) for what, name in others.items()
    )
    if by_loser:
        return Dialect(first, second, "", "", None, when, who, heavy, likely, by_loser=True)
    if not (winner or outcome or score):
        outcome = _known(ONES["outcome"], known)
        winner = "" if outcome else _known(ONES["winner"], known)
        score = None if outcome or winner else _scores(known, first, second)
    if not (winner or outcome or score):
        raise DialectError(
            f"{file}: no column says who won. Its columns: {_listed(columns)}. Say it with "
            "--winner COLUMN (a name, or words such as a, b, tie), --outcome COLUMN (1 the first "
            "has won, 0 the second, 0.5 a tie), or --score COLUMN COLUMN"
        )
    two = (score[0], score[1]) if score else None
    dialect = Dialect(first, second, winner or "", outcome or "", two, when, who, heavy, likely)
    for name in dialect.used:
        if list(columns).count(name) > 1:
            raise DialectError(f"{file}: there are two columns {name!r}; rename one of them")
    return dialect


def is_log(columns: Sequence[str]) -> bool:
    """Whether a file with these columns is a log of duels.

    Examples
    --------
    >>> is_log(["row", "col", "outcome", "p_0", "p_1"]), is_log(["row", "col", "outcome"])
    (True, False)
    """
    there = set(columns)
    return there >= OURS and any(there >= where for where in LOGGED)


def like_times(columns: Sequence[str], dialect: Dialect) -> str:
    """A column that looks like times but was not used; empty if there is none.

    Examples
    --------
    >>> columns = ["a", "b", "winner", "candidate", "playedAt"]
    >>> like_times(columns, recognise(columns, "votes.csv"))
    'playedAt'
    """
    if dialect.time:
        return ""
    for name in columns:
        parts = re.split(r"[\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold())
        if TIMELY & set(parts) and name not in dialect.used:
            return name
    return ""


def _arms(
    known: Mapping[str, str],
    columns: Sequence[str],
    file: str,
    a: str | None,
    b: str | None,
    result: bool,
) -> tuple[str, str, bool]:
    """The columns of the two arms, and whether these are the winner and the loser."""
    if (a is None) != (b is None):
        raise DialectError("give both a and b, the columns of the two arms, or neither")
    if a is not None and b is not None:
        if a == b:
            raise DialectError(f"a and b must be two columns; got {a!r} twice")
        return a, b, False
    for one, other in PAIRS:
        if one in known and other in known:
            return known[one], known[other], False
    for one, other in LOSERS:
        if one in known and other in known and not result:
            return known[one], known[other], True
    raise DialectError(
        f"{file}: which columns hold the two arms? Its columns: {_listed(columns)}. Say it with "
        "--a COLUMN --b COLUMN"
    )


def _scores(known: Mapping[str, str], first: str, second: str) -> tuple[str, str] | None:
    for one, other in SCORES:
        names = [form.format(a=first, b=second).casefold() for form in (one, other)]
        if all(name in known for name in names):
            return known[names[0]], known[names[1]]
    return None


def _known(names: Sequence[str], known: Mapping[str, str]) -> str:
    return next((known[name] for name in names if name in known), "")


def _there(what: str, name: str | None, columns: Sequence[str], file: str) -> None:
    if name and name not in columns:
        raise checks.unknown(what, name, list(columns), f"These are the columns of {file}")


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(checks.short(name, 40) for name in columns[:30])
    return shown + (f" and {len(columns) - 30} more" if len(columns) > 30 else "")
