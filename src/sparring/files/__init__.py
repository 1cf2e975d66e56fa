"""Files of rows from elsewhere, read such that none of them can hurt the process that reads."""

from sparring.files.kinds import FORMATS, FileError, kind
from sparring.files.lines import Line, objects
from sparring.files.reading import Table, length, tables

__all__ = ["FORMATS", "FileError", "Line", "Table", "kind", "length", "objects", "tables"]
