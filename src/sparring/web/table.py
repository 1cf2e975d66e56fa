"""Table: rows of a service that are made and ended, in the database of its arenas."""

import hashlib
import threading
from typing import Any, ClassVar

from sparring.arena import StorageError, making
from sparring.arena.database import Row, open_database

MICROSECONDS = 1_000_000


class Table:
    """What keys, webhooks and invites have in common.

    A row has an id that is never used again. It is not deleted when it is ended: then it has a
    time in the column `ended`.

    Parameters
    ----------
    address
        Of the database. The tables have to be there.
    """

    NAME: ClassVar[str]

    def __init__(self, address: str) -> None:
        self._database = open_database(address, create=False)
        self._lock = threading.Lock()  # one thread at a time may use a database

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()

    def _rows(self, statement: str, *values: Any) -> list[Row]:
        with self._lock:
            return self._database.rows(statement, values)

    def _damaged(self, number: int) -> StorageError:
        """A row holds what no release has written: the file is damaged, or from somebody else."""
        return StorageError(
            f"{self._database.shown}: row {number} of {self.NAME} is damaged. "
            "Restore a copy of the database in which it is intact, or delete the row"
        )

    def _add(self, arena: str | None = None, **fields: Any) -> int:
        """Store a row, of an arena if one is named; its id."""
        with self._lock, self._database.writing():
            if arena is not None:
                fields["arena"] = making.find(self._database, arena)[0]
            highest = self._database.rows(f"SELECT max(id) FROM {self.NAME}")[0][0]
            fields["id"] = (highest or 0) + 1
            self._database.change(
                f"INSERT INTO {self.NAME} ({', '.join(fields)})"
                f" VALUES ({', '.join('?' * len(fields))})",
                [tuple(fields.values())],
            )
        number: int = fields["id"]
        return number


class ArenaTable(Table):
    """A table in which each row is an arena's."""

    def end(self, arena: str, number: int) -> None:
        """End one; nothing happens if it has ended or never was."""
        with self._lock, self._database.writing():
            owner, _ = making.find(self._database, arena)
            self._database.change(
                f"UPDATE {self.NAME} SET ended = ? WHERE id = ? AND arena = ? AND ended IS NULL",
                [(making.now(), number, owner)],
            )


def digest(secret: str) -> str:
    """What is stored of a secret: 256 random bits cannot be guessed from it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
