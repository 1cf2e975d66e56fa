"""Real processes that are killed, interrupted, doubled, or have no room and no permission."""

import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

import sparring
from sparring import Regret, atomic
from sparring.lab.experiments import Experiment, jobs, run
from sparring.lab.results import Shelf, State

pytestmark = pytest.mark.compiled  # with the JIT off each process would take minutes

SEED = 5
WORKER = """
import itertools, json, os, signal, sys, tempfile
from sparring import atomic
from sparring.lab.experiments import Experiment, run

fields, folder, runs, seed, death, waits, user = json.loads(sys.argv[1])


def dying(function, number, when):
    calls = itertools.count(1)

    def call(*arguments, **options):
        last = next(calls) == number
        if last and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        found = function(*arguments, **options)
        if last:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    return call


class Torn:
    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def write(self, data):
        self.file.write(data[: len(data) // 2])
        self.file.flush()
        os.kill(os.getpid(), signal.SIGKILL)


def torn_open(number):
    calls = itertools.count(1)

    def call(*arguments, **options):
        file = open(*arguments, **options)
        return Torn(file) if next(calls) == number else file

    return call


if death:
    what, number, when = death
    if what == "write":
        atomic.open = torn_open(number)
    else:
        setattr(os, what, dying(getattr(os, what), number, when))
if user:
    with tempfile.TemporaryDirectory() as place:  # all of Python that is needed, while it is open
        run(Experiment.from_json(fields), place, runs=1)
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
if waits:
    print("ready", flush=True)
    sys.stdin.readline()
try:
    ran = run(Experiment.from_json(fields), folder, runs=runs, seed=seed)
except RuntimeError as error:
    print(error)
    sys.exit(3)
print(ran.jobs, ran.played, len(ran.damaged))
"""


def mine(*points, **changes):
    fields = {
        "name": "mine",
        "title": "Mine",
        "axis": "T",
        "worlds": [sparring.FreshWinner(4, T, S=3) for T in points],
        "entrants": {"DEX3.S": "dex3s", "RAND": "rand"},
        "regret": Regret("preference", "round"),
        "lines": ["irreducible"],
        "checkpoints": 5,
    }
    return Experiment(**{**fields, **changes})


SMALL = mine(300, 400)
LARGER = mine(50_000, 150_000)


def start(
    experiment, folder, *, runs, seed=SEED, death=None, waits=False, user=0, first="", **options
):
    """A process that plays an experiment; it may die at a certain call, or wait to be told."""
    task = json.dumps([experiment.to_json(), str(folder), runs, seed, death, waits, user])
    return subprocess.Popen(
        [sys.executable, "-c", first + WORKER, task],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def end(process, timeout=300):
    """Its exit status and what it said."""
    try:
        said, complaint = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return process.returncode, said.strip() + complaint


def parts(folder):
    return sorted((folder / "mine" / "parts").glob("*/*.parquet"))


def unfinished(folder):
    return [path for path in folder.rglob("*") if path.name.startswith(atomic.TEMPORARY)]


def whole(folder, experiment, runs):
    """Every part by its bytes, each of them good."""
    shelf = Shelf(folder / "mine")
    found = {path: path.read_bytes() for path in parts(folder)}
    names = [job.name for job in jobs.all_jobs(experiment, runs=runs, seed=SEED)]
    good = {shelf.path(name) for name in names if shelf.look(name) is State.GOOD}
    assert good == set(found)
    assert not shelf.manifest.exists() or shelf.about()["seed"] == SEED
    return found


def table(folder):
    return Shelf(folder / "mine").read().table.drop("seconds")


def uninterrupted(experiment, folder, runs):
    run(experiment, folder, runs=runs, seed=SEED)
    return table(folder)


def wait_for(condition, process, timeout=300):
    """Look often, until it is so or the process has ended."""
    begun = time.monotonic()
    while not condition() and process.poll() is None:
        assert time.monotonic() - begun < timeout
        time.sleep(0.0005)


def runs_in(folder):
    """How many runs there are, up to the last that has a part."""
    return 1 + max(int(path.stem[4:9]) for path in parts(folder))


def test_killed_at_any_moment_it_goes_on_and_comes_to_the_same(tmp_path):
    """With more to play than a process that waits long for its end could finish."""
    draw, many, out = random.Random(20220717), 1000, tmp_path / "out"
    kept = {}
    for number in range(6):
        there, left = len(parts(out)) + draw.randint(1, 5), set(unfinished(out))
        process = start(LARGER, out, runs=many)
        if number in (0, 4):  # while it begins, or looks at what is there
            time.sleep(draw.uniform(0.05, 0.9))
        elif number % 2:
            wait_for(lambda there=there: len(parts(out)) >= there, process)
            time.sleep(draw.uniform(0, 0.008))
        else:  # while it writes
            wait_for(lambda left=left: set(unfinished(out)) - left, process)
        process.kill()
        assert end(process)[0] == -signal.SIGKILL
        found = whole(out, LARGER, many)
        assert kept.items() <= found.items()
        kept = found
    runs = runs_in(out)
    assert end(start(LARGER, out, runs=runs)) == (0, f"{2 * runs} {2 * runs - len(kept)} 0")
    assert kept.items() <= whole(out, LARGER, runs).items()
    expected = uninterrupted(LARGER, tmp_path / "once", runs)
    assert table(out).equals(expected, null_equal=False)


@pytest.mark.parametrize(
    ("what", "number", "when"),
    [
        ("write", 1, "within"),  # the manifest
        ("write", 2, "within"),  # the history
        ("write", 3, "within"),  # the first part
        ("write", 5, "within"),
        ("fsync", 1, "before"),
        ("fsync", 4, "after"),
        ("link", 1, "before"),
        ("link", 1, "after"),
        ("replace", 1, "before"),
        ("replace", 2, "after"),
        ("unlink", 2, "before"),
    ],
)
def test_killed_at_a_certain_call_it_goes_on_and_comes_to_the_same(tmp_path, what, number, when):
    out = tmp_path / "out"
    dead = end(start(SMALL, out, runs=3, death=(what, number, when)))
    assert dead[0] == -signal.SIGKILL, dead
    kept = whole(out, SMALL, 3)
    ran = run(SMALL, out, runs=3, seed=SEED, command=["again"])
    assert ran[:3] == (6, 6 - len(kept), ())
    assert kept.items() <= whole(out, SMALL, 3).items()
    assert table(out).equals(uninterrupted(SMALL, tmp_path / "once", 3), null_equal=False)
    assert Shelf(out / "mine").read().history[-1]["command"] == ["again"]


GROWING = """
import sys
from sparring import FreshWinner, lab

folder, runs, *entrants = sys.argv[1:]
worlds = [FreshWinner(4, 20_000, S=S) for S in (1, 2, 5)]
lab.sweep(worlds, entrants, ["dynamic", "static"], folder=folder, runs=int(runs))
"""
KILLS = 3  # twenty were tried by hand


def test_a_sweep_that_grows_and_is_killed_again_and_again_comes_to_the_same(tmp_path):
    """Each time with more runs and other entrants, so that manifests are written as well.

    On a busy machine one may end before it is killed; then there is one more.
    """
    draw, out, killed, runs = random.Random(20260717), tmp_path / "out", 0, 10
    names = ["rand", "rex3", "dex3s", "sym_exp3s", "tracker"]
    command = [sys.executable, "-c", GROWING]
    while killed < KILLS:
        assert runs < 100, "it always ends before it is killed"
        chosen = draw.sample(names, draw.randint(1, 5))
        with subprocess.Popen([*command, str(out), str(runs), *chosen]) as process:
            begun = len(list(out.rglob("*.parquet")))
            wait_for(lambda begun=begun: len(list(out.rglob("*.parquet"))) > begun, process)
            time.sleep(draw.uniform(0, 0.3))
            process.kill()
        killed += process.returncode == -signal.SIGKILL
        runs += 1
    worlds = [sparring.FreshWinner(4, 20_000, S=S) for S in (1, 2, 5)]
    options = {"regrets": ["dynamic", "static"], "runs": runs}
    grown, once = (
        sparring.lab.sweep(worlds, names, folder=folder, **options).drop("seconds")
        for folder in (out, tmp_path / "once")
    )
    assert grown.equals(once)
    assert all(Shelf(path.parent).read().damaged == () for path in out.glob("*/manifest.json"))


def test_an_interrupt_ends_it_soon_and_keeps_what_was_finished(tmp_path):
    process = start(LARGER, tmp_path / "out", runs=1000)
    wait_for(lambda: len(parts(tmp_path / "out")) >= 5, process)
    process.send_signal(signal.SIGINT)
    status, said = end(process)
    assert status != 0 and "KeyboardInterrupt" in said
    kept = whole(tmp_path / "out", LARGER, 1000)
    assert 5 <= len(kept) < 2000 and not unfinished(tmp_path)
    runs = runs_in(tmp_path / "out")
    run(LARGER, tmp_path / "out", runs=runs, seed=SEED)
    expected = uninterrupted(LARGER, tmp_path / "once", runs)
    assert table(tmp_path / "out").equals(expected, null_equal=False)


def test_an_interrupt_ends_jobs_that_would_take_long(tmp_path):
    process = start(mine(2 * 10**9, 3 * 10**9), tmp_path, runs=2)
    wait_for((tmp_path / "mine" / "history.jsonl").exists, process)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    status, said = end(process)
    assert status != 0 and "KeyboardInterrupt" in said
    assert not parts(tmp_path) and not unfinished(tmp_path)


INTERRUPT = """
import itertools, signal
from concurrent.futures import _base

enter, calls = _base._AcquireFutures.__enter__, itertools.count()


def interrupted(self):
    enter(self)
    if next(calls) == 3:
        signal.raise_signal(signal.SIGINT)


_base._AcquireFutures.__enter__ = interrupted
"""


def test_an_interrupt_while_the_library_holds_the_locks_of_futures_does_not_hang(tmp_path):
    """As seen: `wait` was interrupted with the locks held, which its threads then waited for."""
    status, said = end(start(SMALL, tmp_path, runs=50, first=INTERRUPT))
    assert status == 0 or "KeyboardInterrupt" in said
    assert not unfinished(tmp_path)
    whole(tmp_path, SMALL, 50)


def test_a_job_can_be_ended_also_while_it_computes_what_nobody_avoids():
    worlds = [sparring.BudgetedDrift(10, 30_000, V_T=10)]
    job, done = jobs.Job(mine(worlds=worlds), 30_000, 0, SEED), []

    def tick(work):
        if sum(done) > 0.999 * job.work:  # all has been played
            raise InterruptedError
        done.append(work)

    with pytest.raises(InterruptedError):
        job(tick)


def together(*processes):
    """Let processes that wait begin at the same moment."""
    for process in processes:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()


def test_two_processes_at_once_do_not_harm_each_other(tmp_path):
    out = tmp_path / "out"
    both = [start(LARGER, out, runs=30, waits=True) for _ in range(2)]
    together(*both)
    ended = [end(process) for process in both]
    assert [status for status, _ in ended] == [0, 0], ended
    assert sum(int(said.split()[1]) for _, said in ended) >= 60
    assert len(whole(out, LARGER, 30)) == 60 and not unfinished(out)
    assert len(Shelf(out / "mine").read().history) == 2
    expected = uninterrupted(LARGER, tmp_path / "once", 30)
    assert table(out).equals(expected, null_equal=False)


def test_two_processes_at_once_mend_a_folder_of_damaged_parts(tmp_path):
    out = tmp_path / "out"
    expected = uninterrupted(SMALL, out, 60)
    for path in parts(out):
        path.write_bytes(b"")
    both = [start(SMALL, out, runs=60, waits=True) for _ in range(2)]
    together(*both)
    ended = [end(process) for process in both]
    assert [status for status, _ in ended] == [0, 0], ended
    assert table(out).equals(expected, null_equal=False)


def test_two_processes_with_other_entrants_do_not_harm_each_other(tmp_path):
    """The folder shows the entrants of one of them, and has the parts of both."""
    out, other = tmp_path / "out", mine(300, 400, entrants={"REX3": "rex3", "RAND": "rand"})
    both = [start(experiment, out, runs=20, waits=True) for experiment in (SMALL, other)]
    together(*both)
    ended = [end(process) for process in both]
    assert [status for status, _ in ended] == [0, 0], ended
    for experiment in (SMALL, other):
        assert run(experiment, out, runs=20, seed=SEED).played == 0
        expected = uninterrupted(experiment, tmp_path / experiment.labels[0], 20)
        assert table(out).equals(expected, null_equal=False)


def test_of_two_processes_one_may_be_killed(tmp_path):
    out = tmp_path / "out"
    victim = start(LARGER, out, runs=60, waits=True, death=("fsync", 20, "after"))
    other = start(LARGER, out, runs=60, waits=True)
    together(victim, other)
    assert end(victim)[0] == -signal.SIGKILL
    assert end(other)[0] == 0
    assert len(whole(out, LARGER, 60)) == 120
    expected = uninterrupted(LARGER, tmp_path / "once", 60)
    assert table(out).equals(expected, null_equal=False)


def test_of_two_processes_with_different_seeds_one_is_refused(tmp_path):
    both = [start(SMALL, tmp_path, runs=3, seed=seed, waits=True) for seed in (1, 2)]
    together(*both)
    ended = [end(process) for process in both]
    assert sorted(status for status, _ in ended) == [0, 3], ended
    winner = 1 + [status for status, _ in ended].index(0)
    refusal = ended[2 - winner][1]
    assert f"begun with seed {winner}, not {3 - winner}" in refusal
    contents = Shelf(tmp_path / "mine").read()
    assert set(contents.table["seed"]) == {winner} and not contents.damaged
    assert contents.table["run"].n_unique() == 3 and len(parts(tmp_path)) == 6


def test_processes_come_to_the_same_as_threads(tmp_path):
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as processes:
        run(SMALL, tmp_path / "processes", runs=3, seed=SEED, executor=processes)
    expected = uninterrupted(SMALL, tmp_path / "threads", 3)
    assert table(tmp_path / "processes").equals(expected, null_equal=False)


# No room.


@pytest.fixture
def tiny(tmp_path):
    """A file system with room for a few parts."""
    place, options = tmp_path / "tiny", "size=64k,mode=755"
    place.mkdir()
    try:
        mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no file system can be mounted here: {error}")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def remount(place, options):
    subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)


def test_a_full_disk_is_said_and_with_more_room_it_goes_on(tiny, tmp_path):
    with pytest.raises(RuntimeError, match=r"cannot write .*No space left.*make room"):
        run(SMALL, tiny, runs=10, seed=SEED)
    kept = whole(tiny, SMALL, 10)
    assert 0 < len(kept) < 20 and not unfinished(tiny)
    with pytest.raises(RuntimeError, match=r"cannot write .*No space left"):
        run(SMALL, tiny, runs=10, seed=SEED)  # and again
    assert kept.items() <= whole(tiny, SMALL, 10).items() and not unfinished(tiny)
    remount(tiny, "size=8m")
    run(SMALL, tiny, runs=10, seed=SEED)
    assert kept.items() <= whole(tiny, SMALL, 10).items()
    expected = uninterrupted(SMALL, tmp_path / "once", 10)
    assert table(tiny).equals(expected, null_equal=False)


def test_a_disk_that_is_full_from_the_start_gets_no_manifest(tiny):
    filling = (tiny / "filling").open("wb")
    with pytest.raises(OSError, match="No space left"), filling:
        filling.write(bytes(2**20))
    with pytest.raises(RuntimeError, match=r"cannot write .*mine.*No space left"):
        run(SMALL, tiny, runs=1, seed=SEED)
    assert not (tiny / "mine" / "manifest.json").exists() and not unfinished(tiny)


def test_a_disk_that_cannot_be_written_is_said(tiny):
    run(SMALL, tiny, runs=1, seed=SEED)
    before = whole(tiny, SMALL, 1)
    remount(tiny, "ro")
    for name in ("mine", "new"):
        with pytest.raises(RuntimeError, match=rf"cannot write .*{name}.*[Rr]ead-only"):
            run(mine(300, 400, name=name), tiny, runs=2, seed=SEED)
    assert whole(tiny, SMALL, 2) == before and len(table(tiny)) > 0


@pytest.mark.parametrize("limit", [100, 3000])
def test_a_file_that_may_not_grow_is_said(tmp_path, limit):
    resource = pytest.importorskip("resource")

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    out = tmp_path / "out"
    status, said = end(start(SMALL, out, runs=2, preexec_fn=small_files))
    assert status == 3 and "cannot write" in said and "File too large" in said
    assert not unfinished(out) and not parts(out)
    assert run(SMALL, out, runs=2, seed=SEED)[:3] == (4, 4, ())
    assert table(out).equals(uninterrupted(SMALL, tmp_path / "once", 2), null_equal=False)


# No permission.


def forbid_folder(folder):
    folder.chmod(0o555)


def forbid_manifest(folder):
    (folder / "mine").mkdir(mode=0o755)


def forbid_history(folder):
    run(SMALL, folder, runs=1, seed=SEED)


def forbid_parts(folder):
    run(SMALL, folder, runs=1, seed=SEED)
    (folder / "mine").chmod(0o777)
    Shelf(folder / "mine").history.chmod(0o666)
    for path in (folder / "mine" / "parts").rglob("*"):
        path.chmod(0o555)
    (folder / "mine" / "parts").chmod(0o555)


def forbid_mending(folder):
    forbid_parts(folder)
    path = parts(folder)[0]
    path.chmod(0o644)
    path.write_bytes(b"")


def forbid_looking(folder):
    forbid_parts(folder)
    (folder / "mine" / "parts").chmod(0o000)


def forbid_reading(folder):
    forbid_parts(folder)
    parts(folder)[0].chmod(0o000)


@pytest.mark.parametrize(
    "forbid",
    [
        forbid_folder,
        forbid_manifest,
        forbid_history,
        forbid_parts,
        forbid_mending,
        forbid_looking,
        forbid_reading,
    ],
    ids=lambda forbid: forbid.__name__,
)
def test_no_permission_is_said_and_changes_nothing(forbid):
    if not hasattr(os, "getuid") or os.getuid() != 0:
        pytest.skip("only root can prepare it, and start a process as somebody else")
    place = Path(tempfile.mkdtemp())  # that of pytest is closed to others
    try:
        place.chmod(0o755)
        out = place / "out"
        out.mkdir(mode=0o755)
        forbid(out)
        before = {path: path.read_bytes() for path in parts(out)}
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        status, said = end(start(SMALL, out, runs=2, user=65534, env=environment))
        assert status == 3, said
        assert "cannot " in said and str(out) in said and "ermission denied" in said
        assert before == {path: path.read_bytes() for path in parts(out)}
        assert not unfinished(out)
    finally:
        shutil.rmtree(place)
