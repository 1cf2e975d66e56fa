"""Windows and macOS, as far as they can be played here: locks, paths, encodings, files in use."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import sparring
from command import SPARRING
from command import sparring as command
from sparring import atomic, locks
from sparring.learners import AnswerLog
from sparring_cli import serving

HARD = "my vötes, 東京 #1 100%"  # a folder of somebody who is not a programmer


class Windows:
    """Stands in for msvcrt: bytes of files are locked by whoever has them open."""

    LK_NBLCK = 2

    def __init__(self):
        self.locked = {}

    def locking(self, file, mode, size):
        assert (mode, size) == (self.LK_NBLCK, 1)
        place = os.lseek(file, 0, os.SEEK_CUR)
        assert place < 2**31, "its C function counts in 32 bits"
        key = (os.fstat(file).st_ino, place)
        owner = self.locked.get(key)
        if owner not in (None, file) and _is_open(owner, key[0]):  # its own number: used again
            raise PermissionError(13, "Permission denied")
        self.locked[key] = file


def _is_open(file, inode):
    try:
        return os.fstat(file).st_ino == inode
    except OSError:
        return False


@pytest.fixture(params=["here", "Windows"])
def system(request, monkeypatch):
    """Locks as they are here, and as on Windows."""
    if request.param == "Windows":
        monkeypatch.setattr(locks, "fcntl", None)
        monkeypatch.setattr(locks, "msvcrt", Windows())
    elif locks.fcntl is None:
        pytest.skip("this is Windows")


def test_a_log_of_answers_is_for_one_process(system, tmp_path):
    learner = sparring.steady(3, seed=1)
    snapshot = learner.snapshot()
    with AnswerLog(tmp_path / "answers.jsonl") as log:
        for outcome in (1.0, 0.0):
            duel = learner.ask()
            log.write(duel, outcome)
            learner.tell(duel, outcome)
        with pytest.raises(RuntimeError, match="in use by another process"):
            AnswerLog(tmp_path / "answers.jsonl")
    with AnswerLog(tmp_path / "answers.jsonl") as log:
        assert (sparring.replay(snapshot, log).p == learner.p).all()


def test_one_process_watches_an_arena(system, tmp_path, monkeypatch):
    pytest.importorskip("fastapi", reason="the extra serve is not installed")
    from sparring.web.watcher import Turn

    monkeypatch.delattr(os, "O_NOFOLLOW", raising=False)
    first, second = Turn(str(tmp_path / "arena.db")), Turn(str(tmp_path / "arena.db"))
    assert first.take() and first.take() and not second.take()
    first.give_up()
    assert second.take()
    second.give_up()


def test_a_file_that_is_being_read_is_replaced_a_moment_later(tmp_path, monkeypatch):
    """On Windows, where it cannot be replaced meanwhile."""
    replace, refused = os.replace, []

    def busy(name, path):
        if len(refused) < 3:
            refused.append(path)
            raise PermissionError(13, "Access is denied")
        replace(name, path)

    monkeypatch.setattr(
        atomic, "os", SimpleNamespace(**{**vars(os), "name": "nt", "replace": busy})
    )
    atomic.write(tmp_path / "page.html", b"new")
    assert (tmp_path / "page.html").read_bytes() == b"new" and len(refused) == 3
    monkeypatch.setattr(atomic, "TRIES", 1)
    refused.clear()
    with pytest.raises(PermissionError):
        atomic.write(tmp_path / "page.html", b"newer")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"], "nothing is left behind"
    assert (tmp_path / "page.html").read_bytes() == b"new"


def test_a_port_is_never_shared(monkeypatch):
    port, listening = serving.bound("127.0.0.1", 0)
    with listening:
        listening.listen()
        with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1, port {port}"):
            serving.bound("127.0.0.1", port)
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", -5, raising=False)
    assert serving._alone() == -5


def test_several_workers_are_refused_on_windows(tmp_path, monkeypatch):
    pytest.importorskip("fastapi", reason="the extra serve is not installed")
    monkeypatch.setattr(serving, "sys", SimpleNamespace(platform="win32"))
    done = command("serve", "--demo", "--workers", 2, cwd=tmp_path)
    assert done.returncode == 1 and "--workers must be 1 on Windows; got 2" in done.stderr


def test_an_arena_may_lie_anywhere(tmp_path):
    folder = tmp_path / HARD
    folder.mkdir()
    with sparring.Arena(folder / "a?b.db", arms=["plain", "polite"], seed=1) as arena:
        arena.tell(arena.ask(), "plain")
    with sparring.Arena(folder / "a?b.db") as arena:
        assert len(arena.history()) == 1


@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_processes_begin_as_on_other_systems(start):
    """macOS and Windows spawn; Python 3.14 has a server that forks."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {start}")
    world = sparring.FreshWinner(3, 50, S=2)
    here = sparring.simulate(world, "rand", "static", runs=2)
    with ProcessPoolExecutor(1, multiprocessing.get_context(start)) as executor:
        there = sparring.simulate(world, "rand", "static", runs=2, executor=executor)
    assert there.equals(here)


def test_another_encoding_changes_nothing(tmp_path):
    """A system whose encoding is not UTF-8; files of ours say which they are in."""
    folder = tmp_path / HARD
    folder.mkdir()
    (folder / "duels.csv").write_text("a,b,winner\nTee ☕,Kaffee ä,Tee ☕\n", encoding="utf-8")
    code = (
        "import sys, warnings\n"
        "warnings.filterwarnings('error', category=EncodingWarning, module='sparring')\n"
        "import sparring_cli; sys.exit(sparring_cli.main(sys.argv[1:]))"
    )
    settings = {
        **{name: value for name, value in os.environ.items() if not name.startswith("LC_")},
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "",
    }
    said = {}
    for words in (
        ["votes", "--example", "year.csv"],
        ["votes", "year.csv", "--no-what-if", "--page", "ä.html"],
        ["votes", "duels.csv", "--json", "--no-page", "--no-what-if"],
        ["run", "hard-switching-vs-T", "--runs", "1", "--out", "ö"],
        ["report", "--out", "ö"],
        ["learners"],
        [],
    ):
        done = subprocess.run(
            [sys.executable, "-X", "warn_default_encoding", "-c", code, *words],
            cwd=folder,
            capture_output=True,
            env=settings,
            check=False,
        )
        assert done.returncode == 0, (words, done.stderr[-2000:])
        said[" ".join(words[:2])] = done.stdout
    assert json.loads(said["votes duels.csv"])["standings"]["leader"] == "Tee ☕"
    assert (folder / "ä.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert {"ä.html", "year.csv", "ö"} <= {path.name for path in Path(folder).iterdir()}


def test_lines_may_end_as_on_windows(tmp_path):
    """Through a pipe, whose bytes are read as they are."""
    rows = "a,b,winner\r\n" + "x,y,x\r\ny,x,y\r\n" * 20
    words = [*SPARRING, "votes", "-", "--json", "--no-page", "--no-what-if"]
    done = subprocess.run(words, input=rows.encode(), cwd=tmp_path, capture_output=True, check=True)
    assert json.loads(done.stdout)["rows"] == 40
