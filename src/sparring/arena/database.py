"""One schema in two databases: SQLite from the standard library, PostgreSQL through psycopg."""

import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from sparring import addresses, extras
from sparring.arena.schema import MIGRATIONS

PATIENCE = 60  # seconds to wait for another process that is writing
Row = tuple[Any, ...]


class StorageError(RuntimeError):
    """The database could not be read or written; the message says whether anything was stored."""


class CommitError(StorageError):
    """A transaction failed at its very end: whether it was stored has to be looked up."""

    def __init__(self, message: str, if_undone: StorageError) -> None:
        super().__init__(message)
        self.if_undone = if_undone
        """What to raise once it is known that nothing was stored."""


class Database(ABC):
    """A connection that reads, and writes in transactions that hold a lock.

    Only one thread may use it at a time; after a fork the child opens its own connection.
    """

    WORDS: ClassVar[dict[str, str]]
    errors: tuple[type[Exception], ...]

    def __init__(self, address: str) -> None:
        self._address = address
        self.shown = addresses.without_password(address)
        self._process = os.getpid()
        self._connection: Any = None

    @abstractmethod
    def _connected(self) -> Any:
        """A new connection."""

    @abstractmethod
    def _lock(self, arena: int | None) -> None:
        """Begin a transaction that locks out other writers of this arena; of all arenas if None."""

    @abstractmethod
    def _has_schema(self) -> bool:
        """Whether the table with the version is there."""

    @abstractmethod
    def _advice(self, error: Exception) -> str:
        """What to do about an error of the database."""

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """What a statement returns."""
        try:
            return list(self._open().execute(self._worded(statement), values).fetchall())
        except self.errors as error:
            raise self._failure(error) from error

    def change(self, statement: str, many: Sequence[Sequence[Any]] = ((),)) -> None:
        """Execute a statement once for each sequence of values."""
        try:
            self._open().cursor().executemany(self._worded(statement), many)
        except self.errors as error:
            raise self._failure(error) from error

    @contextmanager
    def writing(self, arena: int | None = None) -> Iterator[None]:
        """A transaction: when the block is left, all of it is on disk, or nothing."""
        try:
            try:
                self._open()
                self._lock(arena)
                yield
            except self.errors as error:
                raise self._failure(error) from error
            self._commit()
        except BaseException:
            self.close()  # which rolls back what was not committed
            raise

    def _commit(self) -> None:
        try:
            self._connection.execute("COMMIT")
        except self.errors as error:
            # A server that breaks off may have committed, and a disk may have kept what it refused.
            unknown = f"{self.shown}: {_sentence(error)} Whether it was stored is not known. "
            raise CommitError(unknown + self._advice(error), self._failure(error)) from error

    def damage(self) -> str:
        """What the database's own check finds wrong; "" if nothing, or if it has none."""
        return ""

    def migrate(self, *, create: bool) -> None:
        """Bring the tables of an earlier version up to date; make them if allowed."""
        if not create and not self._has_schema():
            raise StorageError(f"{self.shown} has no arena. Give arms=[...] to make one there")
        if self._has_schema() and self._version() == len(MIGRATIONS):
            return
        with self.writing():
            if not self._has_schema():
                self.change(f"CREATE TABLE sparring_schema (version {self.WORDS['number']})")
                self.change("INSERT INTO sparring_schema VALUES (0)")
            version = self._version()
            if version > len(MIGRATIONS):
                raise StorageError(
                    f"{self.shown} was written by a newer release (schema {version}, this one "
                    f"knows {len(MIGRATIONS)}): upgrade sparring"
                )
            for statements in MIGRATIONS[version:]:
                for statement in statements:
                    self.change(statement.format(**self.WORDS))
            self.change("UPDATE sparring_schema SET version = ?", [(len(MIGRATIONS),)])

    def _version(self) -> int:
        match self.rows("SELECT version FROM sparring_schema"):
            case [(int(version),)]:
                return version
        raise StorageError(
            f"{self.shown}: the version of its tables is damaged or missing. Nothing was stored. "
            "Restore a copy of the database in which it is intact"
        )

    def close(self) -> None:
        """Close the connection; the next statement opens another."""
        connection, self._connection = self._connection, None
        if connection is not None and self._process == os.getpid():
            connection.close()

    def _open(self) -> Any:
        if self._process != os.getpid():
            # To close what the parent opened would break the parent's locks: leave it alone.
            _INHERITED.append(self._connection)
            self._connection, self._process = None, os.getpid()
        if self._connection is None:
            self._connection = self._connected()
        return self._connection

    def _worded(self, statement: str) -> str:
        return statement

    def _failure(self, error: Exception) -> StorageError:
        """What to raise instead of a database error. Whatever was not committed is undone."""
        self.close()
        return StorageError(
            f"{self.shown}: {_sentence(error)} Nothing was stored. {self._advice(error)}"
        )


def _sentence(error: Exception) -> str:
    """What a database says, which may be several lines and end in any way."""
    said = " ".join(str(error).split())
    return said if said.endswith((".", "?")) else f"{said}."


_INHERITED: list[Any] = []  # connections of parent processes, kept from being closed


FIND_SCHEMA = "SELECT 1 FROM sqlite_master WHERE name = 'sparring_schema'"


class SQLite(Database):
    """A file."""

    WORDS: ClassVar = {"number": "INTEGER", "bytes": "BLOB", "strict": " STRICT"}
    # The second where even the text of SQLite's own error is damaged.
    errors = (sqlite3.Error, UnicodeDecodeError)
    _file: int | None = None  # its number on the disk, from the first connection on

    def _connected(self) -> sqlite3.Connection:
        if self._file is not None:  # otherwise it would go on in another file, or make an empty one
            self._demand_same_file()
        connection: sqlite3.Connection = sqlite3.connect(
            self._address, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")  # readers and a writer side by side
            connection.execute("PRAGMA synchronous = FULL")  # what is committed survives a crash
            connection.execute("PRAGMA foreign_keys = ON")
            self._file = os.stat(self._address).st_ino
        except (*self.errors, OSError):
            connection.close()
            raise
        return connection

    def _lock(self, arena: int | None) -> None:
        self._demand_same_file()
        self._connection.execute("BEGIN IMMEDIATE")

    def _demand_same_file(self) -> None:
        try:
            same = os.stat(self._address).st_ino == self._file
        except OSError:
            same = False
        if not same:  # what is written to a file without a name is lost when it is closed
            raise StorageError(
                f"{self.shown} was deleted or replaced while it was open. Nothing was stored. "
                "Bring it back, and start again"
            )

    def demand_ours(self) -> None:
        """Refuse a file that is missing or not ours, without touching it."""
        if not Path(self._address).exists():
            raise StorageError(
                f"there is no {self._address}. Give arms=[...] to make an arena there"
            )
        if Path(self._address).is_dir():
            raise StorageError(f"{self._address} is a folder. Give the file of an arena")
        try:
            place = addresses.file_address(Path(self._address).absolute())
            connection = sqlite3.connect(f"{place}?mode=ro", uri=True)
            try:
                found = connection.execute(FIND_SCHEMA).fetchall()
            finally:
                connection.close()
        except self.errors as error:
            raise self._failure(error) from error
        if not found:
            raise StorageError(f"{self.shown} has no arena. Give arms=[...] to make one there")

    def _has_schema(self) -> bool:
        return bool(self.rows(FIND_SCHEMA))

    def damage(self) -> str:
        """What SQLite finds wrong first, also in the index by which answers are found."""
        found = str(self.rows("PRAGMA integrity_check(1)")[0][0])
        return "" if found == "ok" else found

    def _advice(self, error: Exception) -> str:
        name = getattr(error, "sqlite_errorname", "")
        if name == "SQLITE_FULL":
            return "Free some space on the disk, and try again"
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
            return "Check that its folder exists, and that this process may write to both"
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return f"Another process was writing for {PATIENCE} seconds: try again"
        is_garbled = isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error)
        if is_garbled or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            return "The file is damaged, or no database: bring back a copy of it"
        return "Try again"


class PostgreSQL(Database):
    """A server."""

    WORDS: ClassVar = {"number": "BIGINT", "bytes": "BYTEA", "strict": ""}

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self._psycopg = extras.demand("psycopg", "an arena in PostgreSQL", extra="postgres")
        self.errors = (self._psycopg.Error,)

    def _connected(self) -> Any:
        try:
            connection = self._psycopg.connect(
                self._address, autocommit=True, connect_timeout=PATIENCE
            )
        except self.errors as error:
            hidden = addresses.without_secrets(str(error), self._address)
            if hidden == str(error):
                raise
            raise self._failure(self._psycopg.OperationalError(hidden)) from None
        connection.execute("SET synchronous_commit = on")  # whatever the server's default is
        connection.execute(f"SET lock_timeout = '{PATIENCE}s'")
        return connection

    def _lock(self, arena: int | None) -> None:
        self._connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        if arena is None:
            self._connection.execute("SELECT pg_advisory_xact_lock(hashtext('sparring'))")
        else:
            locked = "SELECT id FROM sparring_arenas WHERE id = %s FOR UPDATE"
            self._connection.execute(locked, (arena,))

    def _has_schema(self) -> bool:
        return self.rows("SELECT to_regclass('sparring_schema')")[0][0] is not None

    def _advice(self, error: Exception) -> str:
        return (
            "Check that the server is up, that its address is right and that this user may write, "
            "and try again"
        )

    def _worded(self, statement: str) -> str:
        return statement.replace("?", "%s")


def open_database(address: str | os.PathLike[str], *, create: bool) -> Database:
    """The database at a path or a postgresql:// address, its tables up to date."""
    text = addresses.checked(address)
    if text.startswith(addresses.SERVERS):
        database: Database = PostgreSQL(text)
    else:
        file = SQLite(text)
        if not create:
            file.demand_ours()
        database = file
    database.migrate(create=create)
    return database
