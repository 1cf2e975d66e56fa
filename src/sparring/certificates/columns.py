"""The columns of a log as arrays: arms, outcomes and probabilities, in any layout."""

import re
from typing import Any, NamedTuple

import numpy as np

from sparring import checks, extras
from sparring.certificates.checking import demand_players

WANTED = (
    "A log has the columns row, col, outcome, and the probabilities: p as Duel.to_json writes it, "
    "or p_row and p_col as lists, or p_row_0, p_row_1, ... and p_col_0, p_col_1, ...; p_0, p_1, "
    "... where both arms have one distribution. It may have a column differ: whether the arms of a "
    "duel were drawn given that they differ; and t and learner, by which duels that are there "
    "twice are found"
)


class LogError(ValueError):
    """A log of duels that cannot be read; the message says where and why."""


class RowError(LogError):
    """The same, and which row of a table it is, from 0."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


class Columns(NamedTuple):
    """What a certificate needs about n duels, and what tells them apart."""

    rows: Any
    cols: Any
    outcomes: Any
    """(n,): 0.5 if there was no answer."""
    p: Any
    differ: Any
    answered: Any
    """(n,): whether there is an outcome."""
    asked: tuple[Any, list[str]] | None
    """Round and learner of each, where the log has both."""
    names: Any
    """(n,): the names of row and column, as `Duel.to_json` writes them; None if there are none."""


def arrays(table: Any) -> Columns:
    """Arms, outcomes and probabilities in a table, which duels differ by design, and the rest."""
    polars = extras.demand("polars", "reading a log of duels")
    for name in ("row", "col", "outcome"):
        if name not in table.columns:
            raise LogError(f"there is no column {name!r}. {WANTED}")
    rows, cols = (_whole(table, name) for name in ("row", "col"))
    outcome = table["outcome"]
    if not (outcome.dtype.is_numeric() or outcome.dtype in (polars.Boolean, polars.Null)):
        raise LogError(f"outcome must be a number; got {outcome.dtype}, {outcome[0]!r}")
    outcomes = outcome.cast(polars.Float64).fill_null(0.5).to_numpy()
    answered = outcome.is_not_null().to_numpy().copy()
    asked, names = _asked(table), _names(table)
    return Columns(rows, cols, outcomes, _p(table), _differ(table), answered, asked, names)


def _whole(table: Any, name: str) -> Any:
    """(n,): a column of whole numbers; none is missing."""
    polars = extras.demand("polars", "reading a log of duels")
    column = table[name]
    if column.null_count():
        raise RowError(f"{name} is missing", column.is_null().arg_max())
    if not (column.dtype.is_numeric() or column.dtype == polars.Boolean):
        what = "the round, from 1" if name == "t" else "the number of an arm, from 0"
        raise LogError(f"{name} must be a number: {what}; got {column.dtype}, {column[0]!r}")
    whole = column.cast(polars.Int64, strict=False)
    if whole.null_count() or not (whole == column).all():
        raise LogError(f"{name} must be whole numbers, from 0")
    return whole.to_numpy()


def _asked(table: Any) -> tuple[Any, list[str]] | None:
    """Round and learner of each duel; None if the log lacks one of them."""
    polars = extras.demand("polars", "reading a log of duels")
    if not {"t", "learner"} <= set(table.columns):
        return None
    learner = table["learner"]
    if learner.null_count():
        raise RowError("learner is missing", learner.is_null().arg_max())
    if learner.dtype.is_nested():
        raise LogError(f"learner must be a name; got {learner.dtype}")
    return _whole(table, "t"), learner.cast(polars.String).to_list()


def _names(table: Any) -> Any:
    """(n,): lists of names; a column of this name that holds anything else is none of ours."""
    polars = extras.demand("polars", "reading a log of duels")
    if "names" not in table.columns or table["names"].dtype != polars.List(polars.String):
        return None
    return table["names"]


def _differ(table: Any) -> Any:
    """(n,): whether arms were drawn given that they differ; False if the log does not say."""
    polars = extras.demand("polars", "reading a log of duels")
    if "differ" not in table.columns:
        return np.zeros(len(table), np.bool_)
    column = table["differ"]
    if column.dtype not in (polars.Boolean, polars.Null):
        raise LogError(f"differ must be true or false; got {column.dtype}, {column[0]!r}")
    return column.cast(polars.Boolean).fill_null(False).to_numpy().copy()


def _p(table: Any) -> Any:
    """(n, players, K): the probabilities, from whichever columns they are in."""
    n = len(table)
    if "p" in table.columns:
        return _from_lists(table["p"], n, "p", depth=2)
    if "p_row" in table.columns and "p_col" in table.columns:
        players = [_from_lists(table[name], n, name, depth=1) for name in ("p_row", "p_col")]
        return _together(players)
    for kinds in (("p_row_", "p_col_"), ("p_",)):
        columns = [_numbered(table.columns, kind) for kind in kinds]
        if all(columns):
            return _together([_from_columns(table, names) for names in columns])
    raise LogError(f"there are no probabilities of both arms. {WANTED}")


def _numbered(columns: list[str], kind: str) -> list[str]:
    """The columns kind0, kind1, ... in the order of their numbers."""
    numbers = sorted(
        int(match[1]) for name in columns if (match := re.fullmatch(f"{kind}(0|[1-9][0-9]*)", name))
    )
    if numbers and numbers != list(range(len(numbers))):
        raise LogError(f"the columns {kind}0, {kind}1, ... have gaps: {numbers}")
    return [f"{kind}{number}" for number in numbers]


def _from_columns(table: Any, names: list[str]) -> Any:
    polars = extras.demand("polars", "reading a log of duels")
    part = table.select(names)
    if any(part[name].null_count() for name in names):
        raise LogError("probabilities are missing: the full vectors are needed in every row")
    try:
        return part.cast(polars.Float64).to_numpy()
    except polars.exceptions.PolarsError as error:
        raise LogError(f"probabilities must be numbers: {checks.short(error)}") from None


def _from_lists(column: Any, n: int, name: str, depth: int) -> Any:
    """A column of lists (of lists) of one size."""
    polars = extras.demand("polars", "reading a log of duels")
    shape = [n]
    for _ in range(depth):
        if isinstance(column.dtype, polars.Array):  # what polars makes of an array of NumPy
            column = column.arr.to_list()
        if not isinstance(column.dtype, polars.List) or column.null_count():
            raise LogError(f"{name} must be lists of numbers, in every row. {WANTED}")
        lengths = column.list.len().unique()
        if len(lengths) != 1:
            raise LogError(f"{name} must have one length; got {sorted(lengths.to_list())[:5]}")
        shape.append(int(lengths[0]))
        if len(shape) == depth == 2:
            demand_players(shape[1])
        column = column.explode()
    if not column.dtype.is_numeric() or column.null_count():
        raise LogError(f"{name} must be lists of numbers; got {column.dtype}")
    return column.cast(polars.Float64).to_numpy().reshape(shape)


def _together(players: list[Any]) -> Any:
    """(n, players, K) from (n, K) each."""
    if len({player.shape for player in players}) != 1:
        raise LogError("the distributions of row and column have different numbers of arms")
    return np.stack(players, axis=1)
