"""Parquet files by pyarrow: refused by their footer if they are too much, and never fatal.

A damaged file, or one made to harm, is refused; polars' own reader would panic over some and end
the process over others. A footer that lies about sizes costs its memory once, so services take no
Parquet from strangers.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from sparring import checks, extras
from sparring.tables.kinds import FileError
from sparring.tables.rows import Limits

# Of the footer: far more than a file of votes has.
BOUNDS = {"thrift_string_size_limit": 1 << 24, "thrift_container_size_limit": 1 << 20}
PURPOSE = "reading Parquet"
VALUE = 8  # bytes in memory


def columns_of(path: Path, limits: Limits) -> list[str]:
    """The columns of a file, from its footer."""
    with _opened(path, limits) as file:
        return _names(path, file)


def rows_of(path: Path, limits: Limits) -> int:
    """How many rows a file says it has; too many for its size are refused."""
    with _opened(path, limits) as file:
        return int(file.metadata.num_rows)


def columns_in(path: Path, wanted: Sequence[str], limits: Limits) -> Iterator[dict[str, Any]]:
    """Batch after batch: polars.Series by name; numbers, days and moments, all else as text."""
    polars = extras.demand("polars", PURPOSE)
    kept = (polars.Date, polars.Datetime)
    for batch in _batches(path, wanted, limits):
        found = {name: polars.Series(name, polars.from_arrow(batch[name])) for name in wanted}
        try:
            yield {
                name: column
                if column.dtype.is_numeric() or column.dtype in kept
                else column.cast(polars.String)
                for name, column in found.items()
            }
        except polars.exceptions.PolarsError as error:
            told = checks.short(checks.Shown(error))
            raise FileError(f"{path} has columns that are not text: {told}") from None


def frames_in(path: Path, limits: Limits) -> Iterator[Any]:
    """Batch after batch as polars.DataFrame, with all columns, lists too."""
    polars = extras.demand("polars", PURPOSE)
    for batch in _batches(path, None, limits):
        yield polars.DataFrame({name: polars.from_arrow(array) for name, array in batch.items()})


def _batches(path: Path, wanted: Sequence[str] | None, limits: Limits) -> Iterator[dict[str, Any]]:
    """Arrays of pyarrow by name; of all columns if none are named."""
    with _opened(path, limits) as file:
        names = _names(path, file) if wanted is None else list(wanted)
        fields = [file.schema_arrow.field(name) for name in names]
        for field in fields:
            if wanted is not None and field.type.num_fields:
                told = f"{field.name} is {checks.short(checks.Shown(field.type))}"
                raise FileError(f"{path} has columns that are not text: {told}")
        rows = _demand_modest(path, file.metadata, names, limits)
        # Texts stay references to a dictionary: a million rows of one long text are that text.
        texts = [one.name for one in fields if str(one.type).endswith(("string", "string_view"))]
    with _opened(path, limits, read_dictionary=texts) as file:
        for batch in file.iter_batches(rows, columns=names):
            yield {
                name: _written_out(path, name, array, limits)
                for name, array in zip(batch.schema.names, batch.columns, strict=True)
            }


@contextmanager
def _opened(path: Path, limits: Limits, **options: Any) -> Iterator[Any]:
    """A file; whatever pyarrow says against it is a refusal."""
    arrow = extras.demand("pyarrow", PURPOSE, extra="parquet")
    parquet = extras.demand("pyarrow.parquet", PURPOSE, extra="parquet")
    try:
        # As an open file: pyarrow would take a path with a colon for an address.
        with path.open("rb") as source, parquet.ParquetFile(source, **options, **BOUNDS) as file:
            rows, size = file.metadata.num_rows, path.stat().st_size
            most = limits.parquet_rows_per_byte
            if rows > most * size:
                raise FileError(
                    f"{path} must have at most {most} rows per byte; got {rows:,} in {size:,} "
                    "bytes. If it is the one you meant to read, write it as CSV"
                )
            yield file
    except (arrow.ArrowException, OSError, MemoryError, UnicodeDecodeError) as error:
        told = checks.short(checks.Shown(error), 200)
        raise FileError(f"{path} cannot be read: {told}. Write the file again, or as CSV") from None


def _names(path: Path, file: Any) -> list[str]:
    names = list(file.schema_arrow.names)
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise FileError(f"{path}: the column {checks.short(twice)} is there twice. Keep one")
    return names


def _demand_modest(path: Path, footer: Any, wanted: Sequence[str], limits: Limits) -> int:
    """Refuse by the footer, before anything is unpacked; otherwise how many rows to take at once.

    A list in a row counts with all that is in it.
    """
    most, rows = limits.parquet_column, limits.parquet_rows
    names = set(wanted)
    for group in range(footer.num_row_groups):
        part = footer.row_group(group)
        for place in range(footer.num_columns):
            column = part.column(place)
            if not {column.path_in_schema, column.path_in_schema.split(".")[0]} & names:
                continue
            size = column.total_uncompressed_size
            if size > limits.parquet_group:
                rule = f"must unpack to at most {limits.parquet_group:,} bytes in a row group"
                raise FileError(
                    f"{path}: {column.path_in_schema} {rule}; got {size:,}. Write "
                    "smaller row groups"
                )
            values = -(-column.num_values // max(1, part.num_rows))
            if values * VALUE > most:
                raise FileError(
                    f"{path}: {column.path_in_schema} must have at most {most // VALUE:,} values "
                    f"per row; got {values:,}. Leave the column out"
                )
            rows = min(rows, most // (VALUE * max(1, values)))
    return rows


def _written_out(path: Path, name: str, array: Any, limits: Limits) -> Any:
    """A column of a batch, refused if its texts written out would be too many bytes."""
    arrow = extras.demand("pyarrow", PURPOSE, extra="parquet")
    if not arrow.types.is_dictionary(array.type):
        array.validate(full=True)  # pyarrow takes any bytes for text, and polars trusts it
        return array.cast(_listed(arrow, array.type)) if array.type.num_fields else array
    array.dictionary.validate(full=True)
    compute = extras.demand("pyarrow.compute", PURPOSE, extra="parquet")
    lengths = compute.binary_length(array.dictionary).to_numpy(zero_copy_only=False)
    codes = array.indices.fill_null(0).to_numpy(zero_copy_only=False)
    most = limits.parquet_column
    if len(lengths) and float(lengths.max()) * len(codes) > most:
        total = int(lengths[codes].astype(np.int64).sum())
        if total > most:
            raise FileError(
                f"{path}: {name} must have at most {most:,} bytes in {len(codes):,} rows; got "
                f"{total:,}. Leave the column out, or write the file as CSV"
            )
    return array.cast(arrow.large_string())


def _listed(arrow: Any, kind: Any) -> Any:
    """A type whose lists are all of one kind.

    Files name the parts of lists in different ways, and older versions of polars cannot put such
    columns together.
    """
    if not arrow.types.is_nested(kind) or not hasattr(kind, "value_type"):
        return kind
    return arrow.large_list(_listed(arrow, kind.value_type))
