"""Files of rows from elsewhere, read such that none of them can hurt the process that reads."""

from sparring.files.kinds import FORMATS, FileError, kind
from sparring.files.lines import JsonLine, objects
from sparring.files.reading import Rows, length, tables

__all__ = ["FORMATS", "FileError", "JsonLine", "Rows", "kind", "length", "objects", "tables"]
