"""What cannot be stored is not acknowledged, and what is damaged is noticed."""

import hashlib
import itertools
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path

import pytest

import arena_log
from interrupting import Interrupter
from sparring.arena import Arena, StorageError, check, checkpoints, events, making
from sparring.arena.database import PostgreSQL
from sparring.arena.events import linked
from sparring.arena.saving import fingerprint

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

ARMS = ["a", "b", "c"]


def vote(arena, number):
    for _ in range(number):
        ticket = arena.ask()
        arena.tell(ticket, min(ticket.first, ticket.second))


def test_a_full_disk_loses_nothing(tmp_path):
    path = tmp_path / "arena.db"
    arena = Arena(path, ARMS)
    tickets = [arena.ask() for _ in range(300)]
    pages = arena._database.rows("PRAGMA page_count")[0][0]
    arena._database.rows(f"PRAGMA max_page_count = {pages + 2}")
    told = 0
    with pytest.raises(StorageError, match=r"full\. Nothing was stored\. Free some space"):  # noqa: PT012
        for told, ticket in enumerate(tickets):  # noqa: B007
            arena.tell(ticket, "tie")
    # It has connected again, so there is room, and the ticket that failed is as good as new.
    assert arena.votes == told > 0
    assert arena.tell(tickets[told], "tie").learnt
    arena.close()
    opened, folded = arena_log.fold_again(path)
    assert opened == folded


def test_a_learner_that_may_never_show_two_arms_is_refused_when_an_arena_is_made(tmp_path):
    path = tmp_path / "arena.db"
    with pytest.raises(ValueError, match=r"couples its arms.*tracker\(K, differ=True\)"):
        Arena(path, ARMS, learner="double_thompson")
    arena = Arena(path, ARMS, learner="steady", options={"differ": True})
    vote(arena, 5)
    assert arena.votes == 5
    arena.close()


FILL = """
import resource, sys
from sparring.arena import Arena, StorageError
arena = Arena(sys.argv[1], ["a", "b", "c"])
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))  # no file grows beyond
told = 0
try:
    while True:
        arena.tell(arena.ask(), "tie")
        told += 1
except StorageError:
    print(told)
"""


def test_a_file_that_cannot_grow(tmp_path):
    path = tmp_path / "arena.db"
    done = subprocess.run(
        [sys.executable, "-c", FILL, str(path)], capture_output=True, text=True, check=True
    )
    found, _ = arena_log.answers(path)
    assert int(done.stdout) == len(found) > 0
    opened, folded = arena_log.fold_again(path)
    assert opened == folded


OPEN = """
import os, sys
sys.path[:] = eval(sys.argv[2])
from sparring.arena import Arena, StorageError
if os.geteuid() == 0:  # who may write everywhere: go on as somebody who may not
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    Arena(sys.argv[1]).ask()
except StorageError as error:
    print(error)
"""


def test_a_folder_that_cannot_be_written():
    with tempfile.TemporaryDirectory() as folder:  # where anybody may pass: tmp_path is ours alone
        path = Path(folder, "arena.db")
        Arena(path, ARMS).close()
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        try:
            command = [sys.executable, "-c", OPEN, str(path), repr(sys.path)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        finally:
            Path(folder).chmod(0o700)
    assert "may write" in done.stdout


def mounted(*arguments):
    """Whether it may be done: only root mounts, and in many containers nobody."""
    done = subprocess.run(["mount", *arguments], capture_output=True, check=False)
    return done.returncode == 0


@pytest.mark.skipif(shutil.which("mount") is None, reason="there is no mount")
def test_a_disk_that_is_read_only_all_of_a_sudden(tmp_path):
    """As Linux does it when a disk fails. Nothing is acknowledged; mended, it goes on."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if not mounted("-t", "tmpfs", "none", str(disk)):
        pytest.skip("this user may not mount")
    try:
        arena = Arena(disk / "arena.db", ARMS)
        vote(arena, 3)
        ticket = arena.ask()
        arena.close()
        assert mounted("-o", "remount,ro", str(disk))
        for attempt in (arena.ask, lambda: arena.tell(ticket, "tie"), lambda: vote(arena, 1)):
            with pytest.raises(StorageError, match="may write"):
                attempt()
        assert mounted("-o", "remount,rw", str(disk))
        assert arena.tell(ticket, "tie").learnt
        assert arena.votes == 4
        arena.close()
        opened, folded = arena_log.fold_again(disk / "arena.db")
        assert opened == folded
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_database_that_says_it_is_read_only(tmp_path):
    arena = Arena(tmp_path / "arena.db", ARMS)
    vote(arena, 3)
    arena._database.rows("PRAGMA query_only = ON")
    with pytest.raises(StorageError, match="Nothing was stored"):
        arena.ask()
    vote(arena, 1)  # it has connected anew
    assert arena.votes == 4
    arena.close()


@pytest.mark.parametrize(
    ("where", "match"),
    [("missing/arena.db", "folder exists"), ("", "folder exists")],
)
def test_a_place_where_no_file_can_be(tmp_path, where, match):
    with pytest.raises(StorageError, match=match):
        Arena(tmp_path / where, ARMS)


def test_a_file_that_is_no_database(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("apples\n" * 1000)
    with pytest.raises(StorageError, match="damaged, or no database"):
        Arena(path, ARMS)
    assert path.read_text() == "apples\n" * 1000


def test_nothing_is_made_without_arms(tmp_path):
    with pytest.raises(StorageError, match=r"there is no .*Give arms="):
        Arena(tmp_path / "arena.db")
    assert not (tmp_path / "arena.db").exists()


@pytest.mark.parametrize("damage", ["state = x'00'", "digest = 'x'", "state = zeroblob(9)"])
def test_a_torn_checkpoint_costs_time_only(tmp_path, damage):
    path = tmp_path / "arena.db"
    with Arena(path, ARMS) as arena:
        vote(arena, 10)
        arena.checkpoint()
        vote(arena, 10)
        whole = arena._look(fingerprint)
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE sparring_checkpoints SET {damage}")
    connection.close()
    with Arena(path) as arena:
        assert arena._look(fingerprint) == whole
        vote(arena, 1)


@pytest.mark.parametrize("is_torn", [False, True])
def test_an_earlier_checkpoint_is_read_only_if_the_latest_is_torn(tmp_path, monkeypatch, is_torn):
    path, read = tmp_path / "arena.db", []
    with Arena(path, ARMS) as arena:
        vote(arena, 10)
        arena.checkpoint()
        vote(arena, 10)
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT number FROM sparring_checkpoints ORDER BY number")
        earlier, latest = (number for (number,) in found)
        if is_torn:
            torn = "UPDATE sparring_checkpoints SET state = x'00' WHERE number = ?"
            connection.execute(torn, (latest,))
    connection.close()
    from_json = checkpoints.from_json
    monkeypatch.setattr(
        checkpoints, "from_json", lambda fields: read.append(fields["number"]) or from_json(fields)
    )
    Arena(path).close()
    assert read == [earlier if is_torn else latest]


@pytest.mark.parametrize(
    "damage",
    [
        """UPDATE sparring_events SET body = '{"outcome":0.25,"why":""}' WHERE number = 5""",
        "UPDATE sparring_events SET at = at + 1 WHERE number = 6",
        "DELETE FROM sparring_events WHERE number = 7",
        "UPDATE sparring_events SET chain = '' WHERE number = 8",
    ],
)
def test_a_damaged_event_is_noticed(tmp_path, damage):
    path = tmp_path / "arena.db"
    with Arena(path, ARMS) as arena:
        vote(arena, 10)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM sparring_checkpoints")
        assert connection.execute(damage).rowcount == 1
    connection.close()
    with pytest.raises(StorageError, match="is damaged or missing"):
        Arena(path)


@pytest.mark.parametrize(
    ("damage", "match"),
    [
        ("DELETE FROM sparring_schema", "the version of its tables is damaged or missing"),
        ("UPDATE sparring_arenas SET key = 'x'", "the key of arena 'arena' is damaged"),
        ("DELETE FROM sparring_events", "event 1 is damaged or missing"),
        ("UPDATE sparring_events SET body = '{}' WHERE number = 1", "event 1 is damaged"),
        ("UPDATE sparring_events SET kind = 'judged' WHERE number = 5", "event 5 is damaged"),
    ],
)
def test_damage_elsewhere_is_noticed_too(tmp_path, damage, match):
    path = tmp_path / "arena.db"
    with Arena(path, ARMS) as arena:
        vote(arena, 10)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM sparring_checkpoints")
        connection.execute(damage)
    connection.close()
    for look in (Arena, check):
        with pytest.raises(StorageError, match=match):
            look(path)


def test_a_damaged_index_is_noticed_by_the_check(tmp_path):
    """By it the answer on a ticket is found: without it the same answer could be stored twice."""
    path = tmp_path / "arena.db"
    with Arena(path, ARMS) as arena:
        vote(arena, 10)
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT name, rootpage FROM sqlite_master").fetchall()
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.close()
    place = {name: size * (page - 1) for name, page in found}
    data = bytearray(path.read_bytes())
    full, empty = place["sparring_events_of_ticket"], place["sparring_events_of_verdicts"]
    data[full : full + size] = data[empty : empty + size]
    path.write_bytes(data)
    with pytest.raises(StorageError, match=r"SQLite finds damage: .*REINDEX"):
        check(path)
    with sqlite3.connect(path) as connection:
        connection.execute("REINDEX")
    connection.close()
    assert check(path).votes == 10


def test_whatever_is_damaged_there_is_an_error_that_says_so(tmp_path):
    """200 files with flipped bits, pages in wrong places, holes, or no end: no other error."""
    path, luck, refused = tmp_path / "arena.db", random.Random(5), 0
    with Arena(path, ARMS) as arena:
        vote(arena, 30)
        arena.checkpoint()
        vote(arena, 10)
    whole = path.read_bytes()
    for turn in range(200):
        data, place = bytearray(whole), luck.randrange(len(whole))
        if turn % 4 == 0:
            data[place] ^= 1 << luck.randrange(8)
        elif turn % 4 == 1:
            page, other = 4096 * (place // 4096), 4096 * luck.randrange(len(whole) // 4096)
            data[page : page + 4096] = whole[other : other + 4096]
        elif turn % 4 == 2:
            data[place : place + 500] = bytes(len(data[place : place + 500]))
        else:
            del data[place:]
        path.write_bytes(data)
        for look in (check, lambda place: Arena(place).close()):
            try:
                look(path)
            except StorageError:
                refused += 1
    assert refused > 50


def test_a_newer_database_is_left_alone(tmp_path):
    path = tmp_path / "arena.db"
    Arena(path, ARMS).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE sparring_schema SET version = 99")
    connection.close()
    with pytest.raises(StorageError, match="newer release"):
        Arena(path)


def test_an_interrupt_leaves_an_answer_stored_or_not(tmp_path, monkeypatch):
    """^C at each step of a commit: told again, the answer is there once."""
    arena = Arena(tmp_path / "arena.db", ARMS)
    steps = ["rows", "change", "_lock", "writing"]
    for step in steps:
        ticket = arena.ask()
        monkeypatch.setattr(arena._database, step, interrupted)
        with pytest.raises(KeyboardInterrupt):
            arena.tell(ticket, "tie")
        monkeypatch.undo()
        assert arena.tell(ticket, "tie").learnt
    assert arena.votes == len(steps)
    arena.close()


def interrupted(*_, **__):
    raise KeyboardInterrupt


def test_a_call_of_another_thread_survives_an_interrupt(tmp_path):
    """Whoever is interrupted while it works for others leaves their calls to themselves."""
    arena = Arena(tmp_path / "arena.db", ARMS)
    tickets = [arena.ask() for _ in range(8)]
    together, first = arena._together, [True]

    def fail_once(calls):
        if first and len(calls) > 1:
            first.clear()
            raise KeyboardInterrupt
        together(calls)

    arena._group._together = fail_once
    results = []

    def tell(ticket):
        try:
            results.append(arena.tell(ticket, "tie").learnt)
        except KeyboardInterrupt:
            results.append(None)

    with arena._group._lock:  # so that all of them have to wait
        threads = [threading.Thread(target=tell, args=(ticket,)) for ticket in tickets]
        for thread in threads:
            thread.start()
        while len(arena._group._waiting) < len(tickets):
            pass
    for thread in threads:
        thread.join()
    assert sorted(results, key=str) == [None, *[True] * 7]
    assert arena.votes == 7
    arena.close()


def test_a_checkpoint_of_compiled_code_agrees_with_interpreted_code(tmp_path):
    """Where one process has Numba and another has not, states differ in the last bits at most."""
    path = tmp_path / "arena.db"
    with Arena(path, ARMS, learner="steady", seed=1) as arena:
        vote(arena, 200)
    command = [sys.executable, "-m", "sparring_cli", "replay", str(path), "--check", "--json"]
    for off in ("0", "1"):
        env = {**os.environ, "NUMBA_DISABLE_JIT": off}
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
        found = json.loads(done.stdout)
        assert (found["redrawn"], found["other"], len(found["equal"])) == (0, [], 1)


def test_a_log_that_was_cut_is_noticed(tmp_path):
    """By a checkpoint beyond its end. Only if that is deleted on purpose does it go on."""
    path = tmp_path / "arena.db"
    with Arena(path, ARMS) as arena:
        vote(arena, 10)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM sparring_events WHERE number > 15")
    connection.close()
    assert check(path).other == (21,)
    with pytest.raises(StorageError, match="ends at event 15, but there was an event 21") as error:
        Arena(path)
    (advice,) = re.findall(r"\((DELETE .*)\)", str(error.value))
    with sqlite3.connect(path) as connection:
        connection.execute(advice)
    connection.close()
    with Arena(path) as arena:
        assert arena.votes == 7
        vote(arena, 5)
    opened, folded = arena_log.fold_again(path)
    assert opened == folded


def test_a_clock_that_jumps_back_changes_no_answer(tmp_path, monkeypatch):
    """What was said to be too late is not learnt by a later fold."""
    path = tmp_path / "arena.db"
    with Arena(path, ARMS, lifetime="1h") as arena:
        ticket = arena.ask(voter="ann")
        then = making.now()
        monkeypatch.setattr(making, "now", lambda: then + 2 * 3_600_000_000)
        assert arena.ask(voter="ann") != ticket
        assert not arena.tell(ticket, "tie").learnt
        monkeypatch.setattr(making, "now", lambda: then)
        vote(arena, 3)
        assert arena.votes == 3
    assert check(path).other == ()
    opened, folded = arena_log.fold_again(path)
    assert opened == folded


def test_another_programs_database_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()
    for look in (Arena, check):
        with pytest.raises(StorageError, match="has no arena"):
            look(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("ticket", [None, "ab12", 'é"\\', "\u2028\x7f"])
def test_a_chain_digests_what_json_has(ticket):
    """As every database has it; it is put together by hand, which is quicker."""
    fields = [
        "0f" * 16,
        7,
        1_780_000_000_000_000,
        "told",
        ticket,
        '{"why":"\'é\\n\' is gone","x":0.5}',
    ]
    digest = hashlib.sha256(json.dumps(fields).encode()).hexdigest()
    assert linked(*fields) == digest[:32]


@pytest.mark.parametrize("in_c", [True, False])
def test_bodies_are_compact_json(monkeypatch, in_c):
    if not in_c:
        monkeypatch.setattr(events, "_pieces", None)
    log = events.Log(None, 1)
    body = {"outcome": 1e-7, "why": "'é\n' is \"gone\"", "voter": None, "swapped": True, "x": [1]}
    log.append(events.Event(2, 3, "told", "ab", body), "")
    assert log._pending[0][5] == json.dumps(body, separators=(",", ":"))
    with pytest.raises(ValueError, match="JSON"):
        log.append(events.Event(2, 3, "told", "ab", {"outcome": float("nan")}), "")


def test_no_password_is_shown():
    database = PostgreSQL("postgresql://ann:s3cret@localhost:1/x")
    assert "s3cret" not in database.shown
    with pytest.raises(StorageError) as error:
        database.rows("SELECT 1")
    assert "s3cret" not in str(error.value)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:s3%zzcret@localhost:1/x",
        "postgresql://ann:s3/cret@localhost:1/x",
        "postgresql://ann:s3cret@[::1]x:1/x",
        "postgresql://ann@localhost:1/x?password=s3%zzcret",
    ],
)
def test_no_password_is_shown_of_an_address_that_is_badly_written(address):
    """The driver quotes what it does not understand."""
    with pytest.raises(StorageError, match="that its address is right") as error:
        Arena(address, ARMS)
    shown = "".join(traceback.format_exception(error.value))
    assert "s3" not in shown and "cret" not in str(error.value)


@pytest.mark.parametrize(
    "address",
    [
        "sqlite:///arena.db",
        "mysql://ann:s3cret@db/x",
        "https://votes.example",
        "postgresql+psycopg://db/x",
        "postgresql:x",
        "Postgres://db/x",
    ],
)
def test_an_address_of_something_else_is_not_a_file(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"a path or postgresql://.*give its path alone") as error:
        Arena(address, ARMS)
    assert "s3cret" not in str(error.value)
    assert not list(tmp_path.iterdir())


def test_a_signal_handler_is_told_instead_of_hanging(tmp_path):
    arena = Arena(tmp_path / "arena.db", ARMS)

    def within():
        with pytest.raises(RuntimeError, match="in the midst of another call"):
            arena.close()

    arena._group.alone(within)
    arena.close()


def test_interrupts_at_any_moment(tmp_path):
    """^C before bytecodes of ask and of tell: no lock stays taken, no answer is learnt twice."""
    arena = Arena(tmp_path / "arena.db", ARMS)
    vote(arena, 2)
    told = 2

    def let_go():  # a trace comes where `with` has just taken the lock; before 3.14 no signal does
        for one in (arena._group, getattr(arena._state, "_learner", None)):
            while getattr(one, "_lock", None) is not None and one._lock._is_owned():
                one._lock.release()

    for n in itertools.count(1, 23):
        ticket = arena.ask()
        cut_off = Interrupter(n).call(arena.tell, ticket, "tie")
        let_go()
        Interrupter(n * 7 % 900 + 1).call(arena.ask)
        let_go()
        assert arena.tell(ticket, "tie").learnt
        told += 1
        assert arena.votes == told
        if not cut_off:
            break
    assert n > 500
    done = threading.Thread(target=arena.ask)
    done.start()
    done.join(300)
    assert not done.is_alive()
    arena.close()


def test_a_file_that_was_deleted_acknowledges_nothing(tmp_path):
    path = tmp_path / "arena.db"
    arena = Arena(path, ARMS)
    ticket = arena.ask()
    path.rename(tmp_path / "elsewhere.db")
    for _ in range(3):  # nor does it go on in an empty file
        with pytest.raises(StorageError, match="deleted or replaced while it was open"):
            arena.tell(ticket, "tie")
    assert not path.exists()
    (tmp_path / "elsewhere.db").rename(path)
    assert arena.tell(ticket, "tie").learnt
    arena.close()


def test_a_file_that_was_replaced_is_not_written(tmp_path):
    path, copy = tmp_path / "arena.db", tmp_path / "copy.db"
    Arena(path, ARMS).close()
    shutil.copy(path, copy)
    arena = Arena(path)
    vote(arena, 3)
    copy.replace(path)
    before = path.read_bytes()
    for _ in range(3):
        with pytest.raises(StorageError, match="deleted or replaced while it was open"):
            arena.ask()
    assert path.read_bytes() == before
