"""Power cuts, and disks that fail or fill up: what was acknowledged is there afterwards.

A library between SQLite and the system (tests/support/failing_disk.c) keeps a copy of each file as
it was at its last fsync, which is what a power cut leaves, and lets fsync or writing fail.
"""

import os
import random
import shutil
import subprocess
import sys

import pytest

import arena_log
import arena_voter
from places import SUPPORT
from sparring.arena import Arena, StorageError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.compiled,  # storage and processes are the same without the compiler
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux"),
]

CUTS = int(os.environ.get("SPARRING_CUTS", "5"))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    path = tmp_path_factory.mktemp("library") / "failing_disk.so"
    source = str(SUPPORT / "failing_disk.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", path, source, "-ldl"], check=True)
    return path


def started(command, library, **variables):
    texts = {name: str(value) for name, value in variables.items()}
    return subprocess.Popen(
        [sys.executable, *map(str, command)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "LD_PRELOAD": str(library), **texts},
    )


def ended(process):
    """What it still had said when it was killed."""
    process.kill()
    rest = process.stdout.read().splitlines()
    process.stdout.close()
    process.wait()
    return rest


def told(lines):
    """What was acknowledged: winner, number and whether it is learnt, by ticket."""
    words = [line.split() for line in lines]
    return {
        one[1]: (one[2], int(one[3]), one[4] == "True")
        for one in words
        if len(one) == 5 and one[0] == "told"
    }


def restored(synced, folder):
    """A folder with what the disk has, after the power came back."""
    folder.mkdir()
    for place in synced.iterdir():
        if "draft" not in place.name:
            shutil.copy(place, folder)
    return folder / "arena.db"


def test_a_power_cut_loses_nothing_that_was_acknowledged(tmp_path, library):
    luck, acknowledged = random.Random(5), {}
    late = tmp_path / "late"
    late.write_text("")
    path = tmp_path / "arena.db"
    Arena(path, arena_voter.ARMS).close()
    for cut in range(CUTS):
        synced = tmp_path / f"synced-{cut}"
        synced.mkdir()
        shutil.copy(path, synced)  # which is old enough to be on the disk
        for place in path.parent.glob("arena.db-wal"):
            shutil.copy(place, synced)
        command = [arena_voter.__file__, path, late, 4, 100_000]
        voter = started(command, library, SYNCED=synced)
        heard = [voter.stdout.readline() for _ in range(luck.randrange(100, 900))]
        acknowledged |= told([*heard, *ended(voter)])
        path = restored(synced, tmp_path / f"after-{cut}")
        arena_log.demand_kept(path, acknowledged)
    assert len(acknowledged) > 50 * CUTS


VOTER = """
import sys
from sparring.arena import Arena, StorageError
arena = Arena(sys.argv[1], sys.argv[2:])
while True:
    try:
        ticket = arena.ask()
        winner = min(ticket.first, ticket.second)
        answer = arena.tell(ticket, winner)
        print("told", ticket.text, winner, answer.number, answer.learnt, flush=True)
    except StorageError as error:
        print("refused", str(error).replace("\\n", " "), flush=True)
"""


@pytest.mark.parametrize("fault", ["FAIL_FSYNC", "FULL_DISK"])
def test_a_disk_that_fails_for_a_while_loses_nothing(tmp_path, library, fault):
    """It refuses what it cannot store, goes on by itself, and then the power is cut, too."""
    synced, switch, path = tmp_path / "synced", tmp_path / "switch", tmp_path / "arena.db"
    synced.mkdir()
    script = tmp_path / "voter.py"
    script.write_text(VOTER)
    variables = {"SYNCED": synced, fault: switch, "FAULTS": 3}
    voter = started([script, path, *arena_voter.ARMS], library, **variables)
    heard = []

    def hear(word, many):
        for _ in range(100_000):
            heard.append(voter.stdout.readline())
            assert heard[-1]  # it lives
            many -= heard[-1].startswith(word)
            if not many:
                return
        pytest.fail(f"it does not say {word!r} any more")

    for _ in range(4):
        hear("told", 50)
        switch.touch()
        hear("refused", 1)
    hear("told", 50)
    heard += ended(voter)
    acknowledged = told(heard)
    assert len(acknowledged) >= 250
    refused = [line for line in heard if line.startswith("refused")]
    assert len(refused) >= 4
    assert all("stored" in line for line in refused)
    arena_log.demand_kept(path, acknowledged)
    arena_log.demand_kept(restored(synced, tmp_path / "after"), acknowledged)


def test_a_small_disk_that_fills_up_is_freed_and_fills_up_again(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=3m", "none", str(disk)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount")
    try:
        with Arena(disk / "arena.db", arena_voter.ARMS) as arena:
            votes = 0
            for _ in range(2):
                free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
                (disk / "ballast").write_bytes(bytes(max(free - 200_000, 0)))
                with pytest.raises(StorageError, match="Nothing was stored"):  # noqa: PT012
                    for _ in range(10_000):
                        arena.tell(arena.ask(), "tie")
                        votes += 1
                with pytest.raises(StorageError, match="full"):
                    fill(arena)
                (disk / "ballast").unlink()
                for _ in range(20):
                    arena.tell(arena.ask(), "tie")
                votes = votes + 20
                assert arena.votes == votes
            copy = shutil.copytree(disk, tmp_path / "copy")
        opened, folded = arena_log.fold_again(copy / "arena.db")
        assert opened == folded
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def fill(arena):
    for _ in range(10_000):
        arena.ask()
