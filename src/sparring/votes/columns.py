"""The columns of a file of votes: which hold the arms, the result and the time, and their texts.

Three things are given, or recognised: the columns (`recognise`), the words by which they say who
won (`known`), and how they write numbers and moments (`sparring.tables.texts`). `advice` guesses
from values, and only to say what to type.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from sparring import checks
from sparring.tables.texts import ORDERS, seconds

# --- Which columns ------------------------------------------------------------------------------

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
    ("hometeam", "awayteam"),
    ("heim", "gast"),
    ("heimmannschaft", "gastmannschaft"),
    ("links", "rechts"),
)
# Two columns of arms whose names differ by these words alone.
SIDES = (("left", "right"), ("links", "rechts"))
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
    ("fthg", "ftag"),
)
ONES: Mapping[str, tuple[str, ...]] = {
    "outcome": ("outcome",),
    "winner": (
        *("winner", "preference", "preferred", "choice", "verdict", "result", "ftr"),
        *("gewinner", "sieger", "ergebnis"),
    ),
    "time": (
        *("time", "timestamp", "time_stamp", "tstamp", "ts", "datetime", "date"),
        *("voted_at", "voted_on", "created_at", "createdat", "created_on", "created", "at"),
        *("submitted_at", "answered_at", "datum", "zeitpunkt"),
    ),
    "voter": (
        *("voter", "voter_id", "judge", "user", "user_id", "rater", "annotator"),
        *("person", "teilnehmer"),
    ),
    "weight": ("weight", "gewicht"),
    "chance": ("chance", "propensity"),
}
# Parts of a name by which a column looks like one of times, though its name is not known.
TIMELY = {
    *("time", "timestamp", "date", "datetime", "day", "when", "at", "ts", "utc", "epoch"),
    *("created", "voted", "submitted", "played", "datum", "zeit", "zeitpunkt"),
}
# A time of day in a column of its own, beside a column of days.
DAYS, CLOCKS = ("date", "datum"), ("time", "uhrzeit")
CLOCK = re.compile(r"\d{1,2}:\d\d(:\d\d)?")
# Of a log of duels: its arms by number, and where the probabilities are, in one of four layouts.
OURS = {"row", "col", "outcome"}
LOGGED = ({"p"}, {"p_row", "p_col"}, {"p_row_0", "p_col_0"}, {"p_0", "p_1"})


MOST_COLUMNS = 100  # that are looked at for further advice


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
    clock: str = ""
    """The column of the time of day, if `time` holds days alone."""
    arms: tuple[str, ...] = ()
    """A column for each arm; then there are none for a first and a second."""
    ranked: bool = False
    """Whether those hold ranks, 1 the best; otherwise scores, of which more is better."""

    @property
    def used(self) -> list[str]:
        """The columns in use."""
        one = [*self.arms, self.first, self.second, self.winner, self.outcome, *(self.score or ())]
        rest = [self.time, self.clock, self.voter, self.weight, self.chance]
        return list(dict.fromkeys(name for name in (*one, *rest) if name))

    @property
    def numeric(self) -> list[str]:
        """The columns in use that hold numbers."""
        found = [*self.arms, *(self.score or ()), self.outcome, self.weight, self.chance]
        return [name for name in found if name]

    def __str__(self) -> str:
        how = (
            "the first has won"
            if self.by_loser
            else f"who won from {self.winner or self.outcome or ' and '.join(self.score or ())}"
        )
        begin = [f"arms from {self.first} and {self.second}", how]
        if self.arms:
            what = "ranks" if self.ranked else "scores"
            begin = [f"{what} of {len(self.arms)} arms from {listed(self.arms)}"]
        rest = [
            f"{what} from {' and '.join(filter(None, names))}"
            for what, *names in (
                ("time", self.time, self.clock),
                ("voter", self.voter),
                ("weight", self.weight),
                ("chance", self.chance),
            )
            if names[0]
        ]
        return ", ".join([*begin, *rest])


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
            f"{file}: no column says who won. Its columns: {listed(columns)}. Say it with "
            "--winner COLUMN (a name, or words such as a, b, tie), --outcome COLUMN (1 the first "
            "has won, 0 the second, 0.5 a tie), or --score COLUMN COLUMN"
        )
    two = (score[0], score[1]) if score else None
    dialect = Dialect(first, second, winner or "", outcome or "", two, when, who, heavy, likely)
    _demand_once(dialect, columns, file)
    return dialect


def by_arm(
    columns: Sequence[str],
    file: str,
    arms: Sequence[str],
    *,
    ranked: bool,
    time: str | None = None,
    voter: str | None = None,
    weight: str | None = None,
) -> Dialect:
    """A column for each arm, with its rank or its score in each row.

    Examples
    --------
    >>> print(by_arm(["tea", "rum", "day"], "survey.csv", ["tea", "rum"], ranked=True, time="day"))
    ranks of 2 arms from 'tea', 'rum', time from day
    """
    what = "ranks" if ranked else "scores"
    if isinstance(arms, str) or len(arms) < 2 or len(set(arms)) < len(arms):
        raise checks.refuse(what, "two or more names of columns, one for each arm", arms)
    for name in arms:
        _there(what, name, columns, file)
    known = {name.strip().casefold(): name for name in reversed(columns) if name not in arms}
    given = {"time": time, "voter": voter, "weight": weight}
    for one, column in given.items():
        _there(one, column, columns, file)
    when, who, heavy = (
        name or ("" if name == "" else _known(ONES[one], known)) for one, name in given.items()
    )
    dialect = Dialect("", "", time=when, voter=who, weight=heavy, arms=tuple(arms), ranked=ranked)
    _demand_once(dialect, columns, file)
    return dialect


def with_clock(dialect: Dialect, columns: Sequence[str]) -> Dialect:
    """The dialect with days in one column and times of day in another, if their names say so."""
    known = {name.strip().casefold(): name for name in reversed(columns)}
    if dialect.time.strip().casefold() not in (*DAYS, *CLOCKS):
        return dialect
    day, clock = _known(DAYS, known), _known(CLOCKS, known)
    return dialect._replace(time=day, clock=clock) if day and clock else dialect


def are_clocks(texts: Sequence[str]) -> bool:
    """Whether all values are times of day, such as 15:30, or empty.

    Examples
    --------
    >>> are_clocks(["15:30", ""]), are_clocks(["2024-01-31 15:30"])
    (True, False)
    """
    there = [text.strip() for text in texts if text.strip()]
    return bool(there) and all(CLOCK.fullmatch(text) for text in there)


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
    if sides := _sides(columns):
        return *sides, False
    raise DialectError(
        f"{file}: which columns hold the two arms? Its columns: {listed(columns)}. Say it with "
        "--a COLUMN --b COLUMN"
    )


def _sides(columns: Sequence[str]) -> tuple[str, str] | None:
    """Two columns whose names differ by left and right alone, if no others do."""
    parts = {name: re.split(r"[\W_]+", name.strip().casefold()) for name in columns}
    found = [
        (one, other)
        for one, other in permutations(columns[:MOST_COLUMNS], 2)
        for left, right in SIDES
        if left in parts[one]
        and [right if part == left else part for part in parts[one]] == parts[other]
    ]
    return found[0] if len(found) == 1 else None


def _scores(known: Mapping[str, str], first: str, second: str) -> tuple[str, str] | None:
    for one, other in SCORES:
        names = [form.format(a=first, b=second).casefold() for form in (one, other)]
        if all(name in known for name in names):
            return known[names[0]], known[names[1]]
    return None


def _known(names: Sequence[str], known: Mapping[str, str]) -> str:
    return next((known[name] for name in names if name in known), "")


def _demand_once(dialect: Dialect, columns: Sequence[str], file: str) -> None:
    for name in dialect.used:
        if list(columns).count(name) > 1:
            raise DialectError(f"{file}: there are two columns {name!r}; rename one of them")


def _there(what: str, name: str | None, columns: Sequence[str], file: str) -> None:
    if name and name not in columns:
        raise checks.unknown(what, name, list(columns), f"These are the columns of {file}")


def listed(columns: Sequence[str]) -> str:
    """The names of columns, as far as there is room."""
    shown = ", ".join(checks.short(name, 40) for name in columns[:30])
    return shown + (f" and {len(columns) - 30} more" if len(columns) > 30 else "")


# --- Words for the winner -------------------------------------------------------------------------

FIRST = {
    *("a", "left", "first", "home", "white", "model_a", "player1", "player_1", "team1", "team_1"),
    *("home win", "white win", "white wins", "1-0"),
    *("links", "heim", "heimsieg"),
}
SECOND = {
    *("b", "right", "second", "away", "black", "model_b", "player2", "player_2", "team2", "team_2"),
    *("away win", "black win", "black wins", "0-1"),
    *("rechts", "gast", "gastsieg", "auswärtssieg"),
}
TIES = {
    *("tie", "ties", "tied", "draw", "drawn", "equal", "same", "both", "neither"),
    *("both_good", "both good", "bothgood", "tie (bothgood)"),
    *("1/2-1/2", "½-½", "0.5-0.5"),
    *("unentschieden", "remis", "gleich", "beide"),
}
BAD = {  # ties of two bad answers
    *("both_bad", "both bad", "bothbad", "tie (bothbad)", "tie (both bad)", "tie(bothbad)"),
    *("beide schlecht",),
}
SILENT = {"", "skip", "skipped", "none", "null", "nan", "n/a", "na", "*"}
# One letter each, where the columns say what it stands for: in H, D, A the last is not the first.
LETTERS = {
    ("home", "away"): {"h": 1.0, "d": 0.5, "a": 0.0},
    ("white", "black"): {"w": 1.0, "d": 0.5, "b": 0.0},
}
DASHES = str.maketrans("\N{EN DASH}\N{MINUS SIGN}", "--")  # in 1-0, as books print it

Words = Mapping[str, float | None]


def known(first: str, second: str, words: Words | None = None) -> dict[str, float | None]:
    """What each word means for the first arm, for columns with these names; None is no answer.

    Examples
    --------
    >>> [known("home", "away")[word] for word in ("h", "a", "draw", "1-0")]
    [1.0, 0.0, 0.5, 1.0]
    >>> known("a", "b", {"Left one": 1, "n.r.": None})["left one"]
    1.0
    """
    found: dict[str, float | None] = {
        **dict.fromkeys(FIRST | {first.casefold()}, 1.0),
        **dict.fromkeys(SECOND | {second.casefold()}, 0.0),
        **dict.fromkeys(TIES | BAD, 0.5),
    }
    for (one, other), letters in LETTERS.items():
        if first.casefold().startswith(one) and second.casefold().startswith(other):
            for letter in ("a", "b"):
                del found[letter]
            found.update(letters)
    return {**found, **_given(words)}


def plain(text: str) -> str:
    """A word as it is looked up."""
    return text.translate(DASHES).casefold()


def parse(texts: list[str]) -> dict[str, float | None]:
    """Words as typed: WORD=1, WORD=0, WORD=0.5, or WORD=skip for no answer.

    Examples
    --------
    >>> parse(["H=1", "n.r.=skip"])
    {'H': 1.0, 'n.r.': None}
    """
    found: dict[str, float | None] = {}
    rule = "WORD=1 (the first has won), WORD=0, WORD=0.5 or WORD=skip"
    for text in texts:
        word, _, says = text.rpartition("=")
        if not word.strip():
            raise checks.refuse("word", rule, text)
        try:
            value = None if says.strip() == "skip" else float(says)
        except ValueError:
            raise checks.refuse("word", rule, text) from None
        if word in found:
            raise checks.refuse("word", "given once", word)
        found[word] = value
    return found


def _given(words: Words | None) -> dict[str, float | None]:
    """The user's words, checked."""
    if words is None:
        return {}
    if not isinstance(words, Mapping):
        rule = 'a dictionary such as {"H": 1, "A": 0, "D": 0.5, "abandoned": None}'
        raise checks.refuse("words", rule, words)
    remedy = "1: the first has won, 0: the second, 0.5: a tie, None: no answer"
    found: dict[str, float | None] = {}
    for word, says in words.items():
        if not isinstance(word, str):
            raise checks.refuse("words", "texts and what they say", word)
        value = None if says is None else checks.real("words", says, low=0, high=1, remedy=remedy)
        if found.setdefault(plain(word.strip()), value) != value:
            raise checks.refuse("words", "one meaning of each, large or small letters", word)
    return found


# --- Advice ---------------------------------------------------------------------------------------

PLAIN = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")
ALIKE = 0.5  # share of common values from which two columns hold the same arms
FEW_ARMS = 100


def advice(texts: Mapping[str, Sequence[str]]) -> str:
    """The options to type, guessed from the values of columns; empty if nothing looks like votes.

    Examples
    --------
    >>> rows = [("tee", "rum", "rum"), ("rum", "tee", "tee"), ("tee", "kaffee", "tee")] * 9
    >>> advice(dict(zip(("eins", "zwei", "besser"), zip(*rows))))
    '. It looks like: --a eins --b zwei --winner besser'
    """
    values = {name: [text.strip() for text in found] for name, found in texts.items()}
    kinds = {name: set(filter(None, found)) for name, found in values.items()}
    there = [name for name in values if kinds[name]]
    digits = [name for name in there if all(PLAIN.fullmatch(text) for text in kinds[name])]
    timely = [
        name
        for name in there
        if name not in digits and all(map(_is_moment, list(kinds[name])[:50]))
    ]
    rest = [
        name
        for name in there
        if name not in (*digits, *timely) and 1 < len(kinds[name]) <= len(values[name]) / 2
    ]
    near = [
        (len(kinds[a] & kinds[b]) / len(kinds[a] | kinds[b]), -place, a, b)
        for place, (a, b) in enumerate(combinations(rest, 2))
        if all(x != y or not x for x, y in zip(values[a], values[b], strict=True))
    ]
    if not near or max(near)[0] <= ALIKE:
        return _of_arms([name for name in digits if len(kinds[name]) <= FEW_ARMS], kinds)
    _, _, a, b = max(near)
    others = [name for name in there if name not in (a, b, *timely)]
    named = [name for name in others if kinds[name] <= kinds[a] | kinds[b]]
    few = [name for name in others if 2 <= len(kinds[name]) <= 4]
    typed = ["--a", a, "--b", b, "--winner", (named or few or ["COLUMN"])[0]]
    typed += ["--time", timely[0]] if timely else []
    return ". It looks like: " + shlex.join(typed)


def _of_arms(numbers: list[str], kinds: Mapping[str, set[str]]) -> str:
    """The same for a column per arm: columns of numbers that are equally large."""
    sizes = {name: _size(kinds[name]) for name in numbers}
    arms = [name for name in numbers if sizes[name] == sizes[numbers[-1]]]
    if len(arms) < 3:
        return ""
    typed = shlex.quote(",".join(f'"{name}"' if "," in name else name for name in arms))
    return (
        f". If {listed(arms[:4])}{' and so on' if len(arms) > 4 else ''} are arms, each with its "
        f"rank (1 is best): --ranks {typed}; with its score (more is better): --scores {typed}"
    )


def _is_moment(text: str) -> bool:
    for order in ORDERS:
        try:
            seconds(text, order)
        except ValueError:
            continue
        return True
    return False


def _size(texts: set[str]) -> int:
    """How many digits the largest value has before the point."""
    return max(len(re.split("[.,]", text.lstrip("+-"))[0].lstrip("0")) for text in texts)
