"""Tables from elsewhere: CSV, JSON and Parquet, read so that a bad file can do no harm."""

from sparring.tables.kinds import FileError
from sparring.tables.rows import Limits, Table

__all__ = ["FileError", "Limits", "Table"]
