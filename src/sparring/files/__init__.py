"""Files of rows from elsewhere, read so that a bad one cannot harm the reading process."""

from sparring.files.kinds import FORMATS, FileError, kind
from sparring.files.lines import JsonLine, objects
from sparring.files.reading import Rows, length, tables

__all__ = ["FORMATS", "FileError", "JsonLine", "Rows", "kind", "length", "objects", "tables"]
