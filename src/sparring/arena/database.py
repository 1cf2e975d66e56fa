"""One schema in two databases: SQLite from the standard library, PostgreSQL through psycopg."""

import itertools
import os
import shutil
import sqlite3
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from sparring import addresses, checks, extras
from sparring.arena.schema import MIGRATIONS

PATIENCE = 60  # seconds to wait for another process that is writing
RESCUE = 5  # seconds to wait for others before a lost -wal file is given up
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

    def _demand_own(self, version: int) -> None:
        """Refuse tables that are not as this version makes them, where anybody may send a file."""
        return

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
        if not create or self._has_schema():
            self.demand_arenas()
            if self._version() == len(MIGRATIONS):
                return
        with self.writing():
            if not self._has_schema():
                self.change(VERSION_TABLE.replace("INTEGER", self.WORDS["number"]))
                self.change("INSERT INTO sparring_schema VALUES (0)")
            for statements in MIGRATIONS[self._version() :]:
                for statement in statements:
                    self.change(statement.format(**self.WORDS))
            self.change("UPDATE sparring_schema SET version = ?", [(len(MIGRATIONS),)])

    def demand_arenas(self) -> None:
        """Refuse a database without our tables, or with those of a newer release."""
        if not self._has_schema():
            raise StorageError(f"{self.shown} has no arena. Give arms=[...] to make one there")
        version = self._version()
        if version > len(MIGRATIONS):
            raise StorageError(
                f"{self.shown} was written by a newer release (schema {version}, this one "
                f"knows {len(MIGRATIONS)}): upgrade sparring"
            )
        self._demand_own(version)

    def _version(self) -> int:
        match self.rows("SELECT version FROM sparring_schema"):
            case [(int(version),)] if version >= 0:
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
        else:
            self._demand_unmoved()
        return self._connection

    def _demand_unmoved(self) -> None:
        """Refuse to go on if what the connection reads and writes is no longer in its place."""
        return

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


# A file's disk and its number there; None if there is none.
File = tuple[int, int] | None
Files = tuple[File, File, File]
LOST: File = (-1, -1)  # in place of a file's number: no file has it
_TAKEN_AWAY = "{0}: its -wal or -shm file was deleted or replaced while it was open. "


def _files(address: str) -> Files:
    """The database, the -wal file with the latest votes, and the -shm file with its locks."""
    return _file(address), _file(f"{address}-wal"), _file(f"{address}-shm")


def _file(path: str) -> File:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master"
VERSION_TABLE = "CREATE TABLE sparring_schema (version INTEGER)"


class SQLite(Database):
    """A file."""

    WORDS: ClassVar = {"number": "INTEGER", "bytes": "BLOB", "strict": " STRICT"}
    # The second where even the text of SQLite's own error is damaged.
    errors = (sqlite3.Error, UnicodeDecodeError)

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self._file: File = None  # from the first connection on
        self._files: Files = (None, None, None)  # of this connection
        self._size = 0  # of the database, when it was looked at last

    def _connected(self) -> sqlite3.Connection:
        found = _files(self._address)
        if self._file not in (None, found[0]):  # it would go on in another file, or make a new one
            raise self._moved()
        self._demand_one_log(found)
        if found[0] is None:  # it has the hashes of keys, and voters: nobody else may read it
            with suppress(OSError):  # about which SQLite says more
                os.close(os.open(self._address, os.O_CREAT | os.O_EXCL, 0o600))
        connection: sqlite3.Connection = sqlite3.connect(
            self._address, timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")  # readers and a writer side by side
            connection.execute("PRAGMA synchronous = FULL")  # what is committed survives a crash
            connection.execute("PRAGMA foreign_keys = ON")
            self._begin(connection)
        except self.errors:
            connection.close()
            raise
        self._file = self._files[0]
        return connection

    def _begin(self, connection: sqlite3.Connection) -> None:
        """Let a new connection open all its files, and remember which they are."""
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute(SCHEMA).fetchone()
        self._files = _files(self._address)
        with suppress(OSError):
            self._size = os.path.getsize(self._address)
        _OPEN[id(self)] = self

    def _demand_one_log(self, found: Files) -> None:
        """Refuse to begin another -wal file beside one that is open here but has lost its name."""
        for other in _open_here():
            same = other._files[0] == found[0] is not None
            if same and other._has_lost(found) and other.is_open():
                raise StorageError(_TAKEN_AWAY.format(self.shown) + "Start again")

    def is_open(self) -> bool:
        """Whether it has a connection, of this process."""
        return self._connection is not None and self._process == os.getpid()

    def _lock(self, arena: int | None) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def _commit(self) -> None:
        super()._commit()
        found = _files(self._address)
        if self._has_lost(found) and not self._rescued(found):
            unknown = StorageError(_TAKEN_AWAY.format(self.shown) + "Bring it back")
            raise CommitError(f"{unknown}. Whether it was stored is not known", unknown)

    def _demand_unmoved(self) -> None:
        """Refuse to go on once one of the three files was deleted, moved or replaced.

        What is written to a file without a name is lost when it is closed.
        """
        if self._connection.in_transaction:
            return
        found = _files(self._address)
        if not self._has_lost(found):
            if self._is_cut_short():
                self._file = LOST
                self.close()
                raise StorageError(
                    f"{self.shown} was cut short while it was open. Nothing was stored. Bring back "
                    "a copy, and start again"
                )
            return
        rescued = self._rescued(found)
        self.close()
        if found[0] != self._files[0]:
            raise self._moved()
        if rescued:
            remedy = "All that was acknowledged is in the database: try again"
        else:
            self._file = LOST  # to connect would begin another one
            remedy = "Bring it back, and start again"
        raise StorageError(f"{_TAKEN_AWAY.format(self.shown)}Nothing was stored. {remedy}")

    def _is_cut_short(self) -> bool:
        """Whether the database has lost pages; after a VACUUM it is shorter, and is meant to be."""
        before = self._size
        with suppress(*self.errors, OSError):
            self._size = os.path.getsize(self._address)
            if self._size >= before:
                return False
            ((pages,),) = self._connection.execute("PRAGMA page_count")
            ((size,),) = self._connection.execute("PRAGMA page_size")
            return bool(self._size < pages * size)
        return False

    def _has_lost(self, found: Files) -> bool:
        """Whether a file that it has open is not among those found."""
        return any(mine not in (None, one) for mine, one in zip(self._files, found, strict=True))

    def _rescued(self, found: Files) -> bool:
        """Bring what a lost -wal file holds into the database; whether all of it is there.

        Others that have the database open must share the -shm file, which has the locks.
        """
        if found[0] != self._files[0] or found[2] not in (None, self._files[2]):
            return False
        with suppress(*self.errors, OSError):
            if found[1] not in (None, self._files[1]) and os.path.getsize(f"{self._address}-wal"):
                return False  # another one, which somebody has written to
            self._connection.execute(f"PRAGMA busy_timeout = {1000 * RESCUE}")
            ((busy, *_),) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return bool(busy == 0)
        return False

    def _moved(self) -> StorageError:
        return StorageError(
            f"{self.shown} was deleted or replaced while it was open. Nothing was stored. "
            "Bring it back, and start again"
        )

    def _has_schema(self) -> bool:
        found = [row for row in self.rows(SCHEMA) if row[1] == "sparring_schema"]
        if found and (found[0][0] != "table" or _normal(found[0][3]) != VERSION_TABLE):
            raise self._foreign("table sparring_schema")
        return bool(found)

    def _demand_own(self, version: int) -> None:
        wanted, found = _own(version), {}
        for kind, name, table, text in self.rows(SCHEMA):
            found[name] = kind, _normal(text)
            if kind == "trigger" and table in wanted:
                raise self._foreign(f"trigger {checks.short(name)}")
        for name, (kind, text) in wanted.items():
            if found.get(name) != (kind, text):
                raise self._foreign(f"{kind} {name}")

    def _foreign(self, what: str) -> StorageError:
        return StorageError(
            f"{self.shown}: its {what} is not as sparring makes it, so nothing was read. "
            "Use a database that sparring has made, or a copy of one"
        )

    def damage(self) -> str:
        """What SQLite finds wrong first, also in the index by which answers are found."""
        found = str(self.rows("PRAGMA integrity_check(1)")[0][0])
        return "" if found == "ok" else found

    def _advice(self, error: Exception) -> str:
        name = getattr(error, "sqlite_errorname", "")
        if name == "SQLITE_FULL":
            return "Free some space on the disk, and try again"
        if _is_forbidden(error):
            return "Check that its folder exists, and that this process may write to both"
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return f"Another process was writing for {PATIENCE} seconds: try again"
        is_garbled = isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error)
        if is_garbled or name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            return "The file is damaged, or no database: bring back a copy of it"
        return "Try again"


class SQLiteReader(SQLite):
    """A file that is only read: it stays as it is, and nothing new is left in its folder.

    It may be of an earlier version, on a disk that cannot be written to, or left by a crash.
    """

    _copy: tempfile.TemporaryDirectory[str] | None = None

    def _connected(self) -> sqlite3.Connection:
        found = _files(self._address)
        if found[0] is None:
            raise StorageError(
                f"there is no {self._address}. Give arms=[...] to make an arena there"
            )
        if Path(self._address).is_dir():
            raise StorageError(f"{self._address} is a folder. Give the file of an arena")
        self._demand_one_log(found)
        if all(found):  # somebody has it open, or had when the machine failed
            try:
                return self._opened(self._address, "ro" if self._is_alone() else "rw")
            except sqlite3.OperationalError as error:
                if not _is_forbidden(error):
                    raise
        elif not any(found[1:]) and not os.path.exists(f"{self._address}-journal"):
            folder = os.path.dirname(os.path.abspath(self._address))
            if os.access(folder, os.W_OK) and os.access(self._address, os.W_OK):
                # SQLite makes the other two files, and deletes them only if it might write.
                return self._opened(self._address, "rw")
            connection = self._opened(self._address, "ro&immutable=1")
        else:
            connection = self._opened(self._copied(), "rw")
        self._files = (None, None, None)  # whatever happens to them
        return connection

    def _is_alone(self) -> bool:
        """Whether no connection of this process may write, and will tidy up in the end."""
        return not any(
            one._address == self._address and type(one) is SQLite for one in _open_here()
        )

    def _opened(self, path: str, mode: str) -> sqlite3.Connection:
        place = addresses.file_address(Path(path).absolute())
        connection: sqlite3.Connection = sqlite3.connect(
            f"{place}?mode={mode}",
            uri=True,
            timeout=PATIENCE,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            connection.execute("PRAGMA query_only = ON")
            self._begin(connection)
        except self.errors:
            connection.close()
            raise
        return connection

    def _copied(self) -> str:
        """The path of a copy, with what is not in the database itself yet."""
        self._copy = tempfile.TemporaryDirectory(prefix="sparring-", ignore_cleanup_errors=True)
        path = os.path.join(self._copy.name, "copy.db")
        try:
            shutil.copyfile(self._address, path)
            for end in ("-wal", "-journal"):
                with suppress(FileNotFoundError):
                    shutil.copyfile(self._address + end, path + end)
        except OSError as error:
            self._copy.cleanup()
            raise StorageError(
                f"{self.shown} cannot be copied to be read: {error}. Its folder cannot be written "
                "to: set TMPDIR to one that has room"
            ) from error
        return path

    def back_up(self, path: str) -> None:
        """Write all of it to another file while others go on writing."""
        target = sqlite3.connect(path)
        try:
            self._open().backup(target)
        except self.errors as error:
            raise self._failure(error) from error
        finally:
            target.close()

    def close(self) -> None:
        """Close the connection, and delete the copy if there is one."""
        super().close()
        if self._copy is not None and self._process == os.getpid():
            self._copy.cleanup()
            self._copy = None

    def _rescued(self, found: Files) -> bool:
        return False


def _is_forbidden(error: Exception) -> bool:
    """Whether the disk, or its owner, does not let SQLite write."""
    name = getattr(error, "sqlite_errorname", "")
    return str(name).startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM"))


@cache
def _own(version: int) -> dict[str, tuple[str, str]]:
    """The tables and indices of a version, by name: what each is, and the text that makes it."""
    connection = sqlite3.connect(":memory:")
    try:
        for statement in itertools.chain((VERSION_TABLE,), *MIGRATIONS[:version]):
            connection.execute(statement.format(**SQLite.WORDS))
        rows = connection.execute(SCHEMA).fetchall()
    finally:
        connection.close()
    return {name: (kind, _normal(text)) for kind, name, _, text in rows if text is not None}


def _normal(text: str | None) -> str:
    """The text that makes a table, however it is broken into lines."""
    return " ".join(str(text).replace("IF NOT EXISTS ", "").split())


# All of this process, with a connection or without. There is no lock around it: an interrupt, or a
# fork, may come while one is held.
_OPEN: WeakValueDictionary[int, SQLite] = WeakValueDictionary()


def _open_here() -> list[SQLite]:
    """Those that have a connection of this process."""
    found = [reference() for reference in _OPEN.valuerefs()]
    return [one for one in found if one is not None and one.is_open()]


class PostgreSQL(Database):
    """A server."""

    WORDS: ClassVar = {"number": "BIGINT", "bytes": "BYTEA", "strict": ""}

    def __init__(self, address: str, *, is_read: bool = False) -> None:
        super().__init__(address)
        self._is_read = is_read
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
        if self._is_read:
            connection.execute("SET default_transaction_read_only = on")
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
    """The database at a path or a postgresql:// address, to be written, its tables up to date."""
    text = addresses.checked(address)
    if not create and not text.startswith(addresses.SERVERS):
        open_to_read(text).close()  # what is missing or not ours stays as it is
    database = PostgreSQL(text) if text.startswith(addresses.SERVERS) else SQLite(text)
    try:
        database.migrate(create=create)
    except BaseException:
        database.close()
        raise
    return database


def open_to_read(address: str | os.PathLike[str]) -> Database:
    """The database at a path or a postgresql:// address, as it is: nothing of it changes."""
    text = addresses.checked(address)
    database: Database
    if text.startswith(addresses.SERVERS):
        database = PostgreSQL(text, is_read=True)
    else:
        database = SQLiteReader(text)
    try:
        database.demand_arenas()
    except BaseException:
        database.close()
        raise
    return database
