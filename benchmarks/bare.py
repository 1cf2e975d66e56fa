"""Bare SQLite beside an arena: the same rows, in groups of the same mean size, and nothing else.

`together` is the like-for-like one: as many threads as the arena had, each of which waits until its
own row is on disk before it brings the next. `alone` is the strictest one we know: one thread, all
rows ready before, no key and no index, and nobody waits for anything.
"""

import sqlite3
import threading
import time
from collections import deque
from itertools import chain, pairwise

from sparring.arena.database import MIGRATIONS, SQLite

COLUMNS = "arena, number, at, kind, ticket, body, chain"
INSERT = f"INSERT INTO sparring_events ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
ARENA = "INSERT INTO sparring_arenas (id, name, key) VALUES (1, 'arena', 'key')"
PLAIN = "CREATE TABLE sparring_events (arena, number, at, kind, ticket, body, chain)"


def connected(path, *, plain):
    """A new file that syncs as an arena does: with the arena's tables, or with one without keys."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    for statement in [PLAIN] if plain else chain.from_iterable(MIGRATIONS):
        connection.execute(statement.format(**SQLite.WORDS))
    grow(connection.execute)
    return connection


def grow(execute):
    """Let a file have room for what is to come: one that grows takes longer to sync.

    After weeks in service an arena's has, and its write-ahead log is written over and over.
    """
    execute("CREATE TABLE room (x)")
    execute("INSERT INTO room VALUES (zeroblob(20000000))")
    execute("DROP TABLE room")
    execute("PRAGMA wal_checkpoint(RESTART)")


def commit(connection, rows):
    """Insert rows; they are on disk when it returns."""
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(INSERT, rows)
    connection.execute("COMMIT")


def sizes(mean):
    """Sizes of groups, whole numbers, of this mean."""
    wanted = 0.0
    while True:
        wanted += mean
        yield int(wanted)
        wanted -= int(wanted)


def alone(connection, rows, mean):
    """Seconds for one thread to write the rows."""
    parts, begin = [], 0
    for size in sizes(mean):
        parts.append(rows[begin : begin + size])
        begin += size
        if begin >= len(rows):
            break
    begun = time.perf_counter()
    for part in parts:
        commit(connection, part)
    return time.perf_counter() - begun


def together(connection, rows, mean, callers):
    """Seconds for so many threads to write the rows, each waiting for its own."""
    writer = Writer(connection, mean, callers)
    shares = [rows[n::callers] for n in range(callers)]
    threads = [threading.Thread(target=writer.bring, args=(share,)) for share in shares]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begun


class Place:
    """Where a thread waits: for its row to be on disk, or for a group to write."""

    def __init__(self):
        self.row, self.group, self.gate = None, None, threading.Lock()
        self.next = None  # whoever is woken after it: all at once would be slower
        self.gate.acquire()


class Writer:
    """Groups of a given mean size: when one is full, a thread of it writes it for all."""

    def __init__(self, connection, mean, callers):
        self.connection, self.sizes, self.left = connection, sizes(mean), callers
        self.door, self.waiting, self.busy = threading.Lock(), deque(), False
        self.size = next(self.sizes)

    def bring(self, rows):
        """Have rows written, one after the other; what each calling thread does."""
        place = Place()
        for place.row in rows:
            with self.door:
                self.waiting.append(place)
                group = self.full()
            if group is None:
                place.gate.acquire()
                group, place.group = place.group, None
            if group is not None:
                self.write(group, place)
            following, place.next = place.next, None
            if following is not None:
                following.gate.release()
        with self.door:
            self.left -= 1
            self.hand_over(self.full())

    def full(self):
        """The next group, if it is full and nobody writes; with the door held."""
        size = min(self.size, self.left)
        if self.busy or len(self.waiting) < size or size == 0:
            return None
        self.busy, self.size = True, next(self.sizes)
        return [self.waiting.popleft() for _ in range(size)]

    def write(self, group, own):
        """Write a group, and let the next be written."""
        for place, following in pairwise([own, *(place for place in group if place is not own)]):
            place.next = following
        commit(self.connection, [place.row for place in group])
        with self.door:
            self.busy = False
            self.hand_over(self.full())

    def hand_over(self, group):
        """Let a thread of the group write it."""
        if group is not None:
            group[0].group = group
            group[0].gate.release()
