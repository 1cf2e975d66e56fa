"""The results folder: what it keeps, how damage is noticed, and writes that fail half-way."""

import errno
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import numpy as np
import polars
import pytest

import sparring
from sparring import Entrant, Regret, atomic
from sparring.lab import results, summaries
from sparring.lab.experiments import Experiment, run
from sparring.lab.experiments.jobs import all_jobs
from sparring.lab.provenance import installed
from sparring.lab.results import ResultsError, Shelf, State
from worlds import ladder, random_matrices

pytestmark = [pytest.mark.oldest, pytest.mark.compiled]  # no kernel is tested here

RUNS, SEED = 3, 5
POINTS = (200, 400)


def mine(**changes):
    fields = {
        "name": "mine",
        "title": "Mine",
        "axis": "T",
        "worlds": [sparring.FreshWinner(3, T, S=2) for T in POINTS],
        "entrants": {"DEX3.S": "dex3s", "RAND": "rand"},
        "regret": Regret("preference", "round"),
        "lines": ["irreducible"],
        "checkpoints": 5,
    }
    return Experiment(**{**fields, **changes})


def names(experiment=None, runs=RUNS):
    return [job.name for job in all_jobs(experiment or mine(), runs=runs, seed=SEED)]


def table(folder, name="mine"):
    """Every value but the seconds."""
    return Shelf(folder / name).read().table.drop("seconds")


def contents(folder):
    """Every file below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def unfinished(folder):
    return [path for path in folder.rglob("*") if path.name.startswith(atomic.TEMPORARY)]


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("original")
    assert run(mine(), folder, runs=RUNS, seed=SEED)[:3] == (6, 6, ())
    return folder


@pytest.fixture
def folder(original, tmp_path):
    """A copy of a finished experiment."""
    shutil.copytree(original, tmp_path / "out")
    return tmp_path / "out"


def test_a_finished_experiment_is_a_manifest_a_history_and_a_part_for_each_job(tmp_path):
    command = ["sparring", "run", "mine"]
    run(mine(), tmp_path, runs=RUNS, seed=SEED, command=command)
    shelf = Shelf(tmp_path / "mine")
    files = {path.relative_to(tmp_path / "mine").as_posix() for path in contents(tmp_path)}
    parts = {f"parts/{name}.parquet" for name in names()}
    assert files == {"manifest.json", "history.jsonl", *parts}
    manifest = json.loads(shelf.manifest.read_text())
    assert Experiment.from_json(manifest["experiment"]) == mine()
    assert (manifest["seed"], manifest["sparring"]) == (SEED, sparring.__version__)
    (entry,) = shelf.read().history
    assert (entry["command"], entry["runs"]) == (command, RUNS)
    assert {"sparring", "python", "numpy", "numba", "polars"} <= set(entry["versions"])
    assert all(shelf.look(name) is State.GOOD for name in names())
    assert all(name.startswith(("T=200/run-0000", "T=400/run-0000")) for name in names())
    assert shelf.look(names(runs=4)[3]) is State.MISSING


def test_worlds_and_seeds_of_every_kind_make_parts_that_fit_together(tmp_path):
    matrices = random_matrices(4, 3, np.random.default_rng(1))
    worlds = [
        sparring.Constant(ladder(3), 200),
        sparring.Cyclic(3, 210),
        sparring.worlds.Recorded(matrices, 220),
        sparring.worlds.Recorded(matrices, 230, interpolate=True),
        sparring.CondorcetSwitches(3, 240, V_T=1),
        sparring.RotatingWinner(3, 250, V_T=0),
    ]
    entrants = {"a": Entrant("dex3s", S=1), "b": "rand"}
    for benchmark in ("condorcet", "von neumann", "round"):
        regret = Regret("preference", benchmark)
        changes = {} if benchmark == "round" else {"lines": ()}
        experiment = mine(
            name=benchmark[:3], worlds=worlds, entrants=entrants, regret=regret, **changes
        )
        run(experiment, tmp_path, runs=2, seed=2**63 - 1)
        found = Shelf(tmp_path / benchmark[:3]).read()
        assert not found.damaged and set(found.table["x"]) == {float(w.T) for w in worlds}
        assert set(found.table["seed"]) == {2**63 - 1}


def test_more_runs_later_compute_only_the_new_ones(tmp_path):
    run(mine(), tmp_path / "out", runs=10, seed=SEED)
    before = contents(tmp_path / "out" / "mine" / "parts")
    times = {path: path.stat().st_mtime_ns for path in before}
    assert run(mine(), tmp_path / "out", runs=20, seed=SEED)[:3] == (40, 20, ())
    after = contents(tmp_path / "out" / "mine" / "parts")
    assert len(after) == 40 and all(after[path] == data for path, data in before.items())
    assert all(path.stat().st_mtime_ns == times[path] for path in before)
    run(mine(), tmp_path / "once", runs=20, seed=SEED)
    assert table(tmp_path / "out").equals(table(tmp_path / "once"), null_equal=False)
    assert run(mine(), tmp_path / "out", runs=1, seed=SEED)[:3] == (2, 0, ())
    assert contents(tmp_path / "out" / "mine" / "parts") == after


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_the_number_of_threads_changes_nothing(tmp_path, original, workers):
    with ThreadPoolExecutor(workers) as threads:
        run(mine(), tmp_path, runs=RUNS, seed=SEED, executor=threads)
    assert table(tmp_path).equals(table(original), null_equal=False)


def test_the_table_does_not_depend_on_the_order_in_which_jobs_were_done(tmp_path, original):
    run(mine(), tmp_path, runs=1, seed=SEED)
    Shelf(tmp_path / "mine").path(names()[0]).unlink()
    run(mine(), tmp_path, runs=RUNS, seed=SEED)
    assert table(tmp_path).equals(table(original), null_equal=False)
    assert table(original).select("x", "run").unique(maintain_order=True).rows() == [
        (float(T), number) for T in POINTS for number in range(RUNS)
    ]


def test_an_entrant_that_fails_is_named_and_what_was_finished_is_kept(tmp_path):
    worlds = [sparring.FreshWinner(3, T, S=20) for T in (200, 8000)]  # gamma > 1 at the first
    message = r"entrant 'DEX3.S' failed on Fresh.*200"
    with (
        ThreadPoolExecutor(1) as thread,
        pytest.raises(sparring.checks.SimulationError, match=message),
    ):
        run(mine(worlds=worlds), tmp_path, runs=3, seed=SEED, executor=thread)
    shelf = Shelf(tmp_path / "mine")
    done = names(mine(worlds=worlds[1:]))
    states = [shelf.look(name) for name in done]
    assert State.GOOD in states and State.DAMAGED not in states
    assert not list(tmp_path.rglob("*/T=200/*")) and not unfinished(tmp_path)


# Damage: what stands in the place of the part T=200/run-00001.


def cut(length):
    return lambda data, folder: data[:length] if length >= 0 else data[: len(data) + length]


def other_part(number):
    return lambda data, folder: Shelf(folder / "mine").path(names()[number]).read_bytes()


def other_experiment(**changes):
    def damage(data, folder):
        seed = changes.get("seed", SEED)
        fields = {key: value for key, value in changes.items() if key != "seed"}
        experiment = mine(**fields)
        run(experiment, folder.parent / "other", runs=2, seed=seed)
        return Shelf(folder.parent / "other" / experiment.name).path(names()[1]).read_bytes()

    return damage


def parquet(change, stamped=True):
    """A whole Parquet file, with the digest of the right one."""

    def damage(data, folder):
        path = folder.parent / "changed.parquet"
        stamp = polars.read_parquet_metadata(io.BytesIO(data))["sparring"]
        metadata = {"sparring": stamp} if stamped else None
        change(polars.read_parquet(data)).write_parquet(path, metadata=metadata)
        return path.read_bytes()

    return damage


def nudged(frame):
    values = frame["value"].to_list()
    values[3] = np.nextafter(values[3], np.inf)
    return frame.with_columns(polars.Series("value", values))


DAMAGE = {
    **{f"cut to {length}": cut(length) for length in (0, 1, 4, 8, 100, 2000, -1, -4, -9, -500)},
    "zeros": lambda data, folder: bytes(len(data)),
    "text": lambda data, folder: b"rubbish",
    "noise": lambda data, folder: random.Random(1).randbytes(len(data)),
    "magic only": lambda data, folder: b"PAR1" + bytes(20) + b"PAR1",
    "half and zeros": lambda data, folder: data[: len(data) // 2] + bytes(len(data) // 2),
    "of another run": other_part(2),
    "of another point": other_part(4),
    "of another seed": other_experiment(seed=SEED + 1),
    "of another experiment": other_experiment(checkpoints=6),
    "of another name": other_experiment(name="other"),
    "without a digest": parquet(lambda frame: frame, stamped=False),
    "one bit of a value": parquet(nudged),
    "a row less": parquet(lambda frame: frame[:-1]),
    "a row twice": parquet(lambda frame: frame[[0, *range(len(frame))]]),
    "rows in another order": parquet(lambda frame: frame.reverse()),
    "a column less": parquet(lambda frame: frame.drop("undefined")),
    "a column renamed": parquet(lambda frame: frame.rename({"value": "values"})),
    "columns in another order": parquet(lambda frame: frame.select(frame.columns[::-1])),
    "no rows": parquet(lambda frame: frame[:0]),
    "no columns": parquet(lambda frame: polars.DataFrame()),
    "a null": parquet(lambda frame: frame.with_columns(value=None)),
    "other types": parquet(lambda frame: frame.with_columns(polars.col("K").cast(polars.Int8))),
    "dates": parquet(lambda frame: frame.with_columns(value=datetime(2022, 7, 17))),
    "bytes": parquet(lambda frame: frame.with_columns(value=b"\xff")),
    "lists": parquet(lambda frame: frame.with_columns(polars.concat_list("value"))),
    "categories": parquet(
        lambda frame: frame.with_columns(polars.col("entrant").cast(polars.Categorical))
    ),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_part_is_noticed_and_played_again(folder, original, kind):
    shelf, name = Shelf(folder / "mine"), names()[1]
    path = shelf.path(name)
    path.write_bytes(DAMAGE[kind](path.read_bytes(), folder))
    before = contents(folder / "mine" / "parts")
    assert shelf.look(name) is State.DAMAGED
    rest = shelf.read()
    assert rest.damaged == (path,)
    others = table(original).filter((polars.col("x") != 200) | (polars.col("run") != 1))
    assert rest.table.drop("seconds").equals(others, null_equal=False)
    assert run(mine(), folder, runs=RUNS, seed=SEED)[:3] == (6, 1, (path,))
    assert table(folder).equals(table(original), null_equal=False)
    after = contents(folder / "mine" / "parts")
    assert [changed for changed in after if after[changed] != before[changed]] == [path]


def test_all_parts_damaged_are_played_again(folder, original):
    for name in names():
        Shelf(folder / "mine").path(name).write_bytes(b"PAR1")
    with pytest.raises(ResultsError, match=r"none of the 6 parts of .*mine is what its"):
        Shelf(folder / "mine").read()
    ran = run(mine(), folder, runs=RUNS, seed=SEED)
    assert (ran.played, len(ran.damaged)) == (6, 6)
    assert table(folder).equals(table(original), null_equal=False)


def test_a_directory_in_the_place_of_a_part_is_named(folder):
    path = Shelf(folder / "mine").path(names()[1])
    path.unlink(), path.mkdir()
    with pytest.raises(RuntimeError, match=re.escape(str(path))):
        run(mine(), folder, runs=RUNS, seed=SEED)


def test_a_part_of_a_point_that_the_experiment_has_not_is_left_out(folder, original):
    shelf = Shelf(folder / "mine")
    stray = shelf.path(names()[0].replace("T=200", "T=999"))
    stray.parent.mkdir()
    shutil.copy(shelf.path(names()[0]), stray)
    assert shelf.read().damaged == (stray,)
    assert table(folder).equals(table(original), null_equal=False)


SWEEP = """
import json, sys
from pathlib import Path
from sparring.lab.results import Shelf, State

shelf, name = Shelf(sys.argv[1]), sys.argv[2]
path = shelf.path(name)
data = Path(sys.argv[3]).read_bytes()
path.write_bytes(data)
table = shelf.read().table
for bit in json.loads(sys.stdin.read()):
    flipped = bytearray(data)
    flipped[bit // 8] ^= 1 << bit % 8
    path.write_bytes(flipped)
    try:
        found = shelf.look(name).value
        if found == "good":
            found = "unnoticed" if shelf.read().table.equals(table) else "another value"
    except BaseException as error:
        found = f"stopped by {error!r}"
    print(json.dumps([bit, found]), flush=True)
"""


@pytest.fixture(scope="module")
def flips(tmp_path_factory):
    """What becomes of a part with one bit flipped, bit by bit, in processes that may die of it."""
    folder, experiment = tmp_path_factory.mktemp("flips"), mine(worlds=mine().worlds[:1])
    run(experiment, folder, runs=1)
    (name,) = names(experiment, runs=1)
    whole = folder / "whole"
    shutil.copy(Shelf(folder / "mine").path(name), whole)
    size = whole.stat().st_size
    draws = random.Random(20220717).sample(range(8 * size), 300)
    bits, found = [*range(0, 8 * 250, 8), *draws], {}
    command = [sys.executable, "-c", SWEEP, folder / "mine", name, whole]
    while bits:
        done = subprocess.run(
            command, input=json.dumps(bits), capture_output=True, text=True, check=False
        )
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        found.update(rows)
        assert done.returncode <= 0, done.stderr
        if done.returncode != 0:
            found[bits[len(rows)]] = f"killed by signal {-done.returncode}"
        bits = bits[len(rows) + 1 :]
    return found


def test_no_flipped_bit_brings_another_value_in(flips):
    assert [bit for bit, what in flips.items() if what == "another value"] == []


def test_no_flipped_bit_keeps_an_experiment_from_going_on(flips):
    ended = {bit: what for bit, what in flips.items() if what.startswith(("killed", "stopped"))}
    assert ended == {}


def test_a_flipped_bit_is_noticed_wherever_it_is(flips):
    unnoticed = [bit for bit, what in flips.items() if what == "unnoticed"]
    assert unnoticed == [], f"{len(unnoticed)} of {len(flips)} bits"


# What a folder is about.


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": SEED + 1}, rf"begun with seed {SEED}, not {SEED + 1}\. .*another folder"),
        ({"luck": "x"}, "begun with the name that seeds are made of '', not 'x'"),
        (
            {"also": [Regret("borda", "round")]},
            "begun with regrets preference/round, not preference/round, borda/round",
        ),
        (
            {"regret": Regret("preference", "horizon"), "lines": ()},
            "begun with regrets preference/round, not preference/horizon",
        ),
        ({"checkpoints": 6}, "begun with checkpoints 5, not 6"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_folder_that_is_about_something_else_is_refused_and_left_as_it_is(
    folder, changes, message
):
    before = contents(folder)
    seed = changes.pop("seed", SEED)
    with pytest.raises(ResultsError, match=message) as refusal:
        run(mine(**changes), folder, runs=RUNS + 1, seed=seed)
    assert str(folder / "mine") in str(refusal.value)
    assert contents(folder) == before


@pytest.mark.parametrize("library", ["sparring", "numpy", "numba"])
def test_a_folder_of_another_version_is_refused_and_left_as_it_is(folder, monkeypatch, library):
    """The rule by which a cluster refuses its workers."""
    before = contents(folder)
    monkeypatch.setattr(results, "installed", lambda: {**installed(), library: "99.0"})
    with pytest.raises(ResultsError, match=rf"begun with {library} '.*', not '99.0'.*folder"):
        run(mine(), folder, runs=RUNS, seed=SEED)
    assert contents(folder) == before


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"3", b"null", b"{}", b'"x"', b"\xff\xfe", bytes(100)],
    ids=repr,
)
def test_a_damaged_manifest_is_named_and_nothing_is_changed(folder, text):
    Shelf(folder / "mine").manifest.write_bytes(text)
    before = contents(folder)
    with pytest.raises(ResultsError, match=re.escape(str(folder / "mine"))):
        run(mine(), folder, runs=RUNS, seed=SEED)
    assert contents(folder) == before


@pytest.mark.parametrize("name", ["worlds", "entrants", "lines", "experiment", "seed"])
@pytest.mark.parametrize("value", [None, 3.5, [], [None], [{}], "x", {}, "missing"], ids=repr)
def test_a_manifest_of_another_shape_is_named(folder, name, value):
    if name == "lines" and value in ([], "missing"):
        return  # which are no damage
    manifest = Shelf(folder / "mine").manifest
    found = json.loads(manifest.read_bytes())
    place = found if name in found else found["experiment"]
    place[name] = value
    if value == "missing":
        del place[name]
    manifest.write_text(json.dumps(found))
    with pytest.raises(ResultsError, match=re.escape(str(folder / "mine"))):
        run(mine(), folder, runs=RUNS, seed=SEED)
    with pytest.raises(ResultsError):
        summaries.read(folder)


def test_a_manifest_with_more_in_it_is_refused_with_a_reason(folder):
    manifest = Shelf(folder / "mine").manifest
    manifest.write_text(json.dumps({**json.loads(manifest.read_bytes()), "extra": 1}))
    with pytest.raises(ResultsError, match=r"begun with .*extra"):
        run(mine(), folder, runs=RUNS, seed=SEED)


def test_a_manifest_that_was_only_written_otherwise_is_the_same(folder):
    manifest = Shelf(folder / "mine").manifest
    manifest.write_text(json.dumps(json.loads(manifest.read_bytes()), sort_keys=True))
    assert run(mine(), folder, runs=RUNS, seed=SEED)[1:3] == (0, ())


def test_other_sources_are_refused(folder, monkeypatch):
    monkeypatch.setattr(results, "installed", lambda: {**installed(), "sources": "feed"})
    with pytest.raises(ResultsError, match=r"begun with sources '\w{16}', not 'feed'"):
        run(mine(), folder, runs=RUNS, seed=SEED)


def test_a_folder_without_results_is_named(tmp_path):
    with pytest.raises(ResultsError, match=r"has no results of sparring\. Make some with"):
        results.shelves(tmp_path)
    with pytest.raises(ResultsError, match=r"manifest.json cannot be read.*sparring run"):
        Shelf(tmp_path).read()
    (tmp_path / "file").write_text("x")
    with pytest.raises(RuntimeError, match=r"cannot write .*file"):
        run(mine(), tmp_path / "file", runs=1)


def test_the_shelves_of_a_folder_are_its_experiments_by_name(tmp_path):
    run([mine(name="b"), mine(name="a")], tmp_path, runs=1)
    assert [shelf.folder.name for shelf in results.shelves(tmp_path)] == ["a", "b"]


def test_who_comes_second_does_not_write_over_a_manifest(folder, monkeypatch):
    before, exists = contents(folder), Path.exists
    monkeypatch.setattr(
        Path, "exists", lambda path: path.name != "manifest.json" and exists(path)
    )  # as if it had come into being just now
    with pytest.raises(ResultsError, match="begun with seed"):
        run(mine(), folder, runs=RUNS, seed=SEED + 1)
    assert contents(folder) == before
    assert run(mine(), folder, runs=RUNS, seed=SEED).played == 0
    assert not unfinished(folder)


def test_a_file_system_without_hard_links_will_do(tmp_path, monkeypatch, original):
    def link(*_):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", link)
    run(mine(), tmp_path, runs=RUNS, seed=SEED)
    assert table(tmp_path).equals(table(original)) and not unfinished(tmp_path)


def test_each_command_that_worked_on_a_folder_is_in_its_history(folder):
    run(mine(), folder, runs=RUNS, seed=SEED, command=["again"])
    run(mine(), folder, runs=RUNS + 1, seed=SEED, command=["more"])
    history = Shelf(folder / "mine").read().history
    assert [entry["command"] for entry in history] == [[], ["again"], ["more"]]


def test_a_torn_line_of_the_history_does_not_swallow_the_next_one(folder):
    history = Shelf(folder / "mine").history
    history.write_bytes(history.read_bytes()[:-20])  # as a full disk leaves it
    run(mine(), folder, runs=RUNS, seed=SEED, command=["next"])
    commands = [entry["command"] for entry in Shelf(folder / "mine").read().history]
    assert commands == [["next"]]


def test_rubbish_in_the_history_does_not_hide_the_results(folder, original):
    with Shelf(folder / "mine").history.open("ab") as file:
        file.write(b"\x00\xff\xfe\n")
    assert table(folder).equals(table(original))


def test_what_dead_processes_left_is_removed_and_what_living_ones_write_is_not(folder):
    parts = folder / "mine" / "parts" / "T=200"
    old, new = parts / f"{atomic.TEMPORARY}1-a", parts / f"{atomic.TEMPORARY}2-b"
    old.write_bytes(b"half"), new.write_bytes(b"half")
    long_ago = time.time() - 2 * atomic.STALE
    os.utime(old, (long_ago, long_ago))
    run(mine(), folder, runs=RUNS, seed=SEED)
    assert unfinished(folder) == [new]


# Two processes at once, at the moments that matter.


@pytest.mark.parametrize("way", ["look", "read", "run"])
def test_a_part_that_another_process_takes_away_while_it_is_looked_at_is_missing(
    folder, original, monkeypatch, way
):
    shelf, read_bytes, gone = Shelf(folder / "mine"), Path.read_bytes, []
    path = shelf.path(names()[1])

    def take_away_and_read(self):
        if self == path and not gone:
            gone.append(path.unlink())
        return read_bytes(self)

    monkeypatch.setattr(Path, "read_bytes", take_away_and_read)
    if way == "look":
        assert shelf.look(names()[1]) is State.MISSING
    elif way == "read":
        assert len(shelf.read().table.unique(["x", "run"])) == len(names()) - 1
    else:
        assert run(mine(), folder, runs=RUNS, seed=SEED).played == 1
        assert table(folder).equals(table(original))


def test_a_part_that_another_process_has_made_in_the_meantime_is_not_played(folder, original):
    shelf = Shelf(folder / "mine")
    data = shelf.path(names()[0]).read_bytes()
    shelf.path(names()[0]).unlink(), shelf.path(names()[-1]).unlink()

    class Lazy(ThreadPoolExecutor):
        def submit(self, function, *arguments, **options):
            shelf.path(names()[0]).write_bytes(data)
            return super().submit(function, *arguments, **options)

    with Lazy(1) as threads:
        ran = run(mine(), folder, runs=RUNS, seed=SEED, executor=threads)
    assert ran.played in (1, 2)
    assert table(folder).equals(table(original))


# Writes that fail half-way.


def failing(function, number, error=errno.ENOSPC):
    """A function that fails at one call."""
    calls = iter(range(1, 10**6))

    def call(*arguments, **options):
        if next(calls) == number:
            raise OSError(error, os.strerror(error))
        return function(*arguments, **options)

    return call


class Half:
    """A file that takes half of what it is given, and then the disk is full."""

    def __init__(self, file):
        self._file = file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def write(self, data):
        self._file.write(data[: len(data) // 2])
        self._file.flush()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def __getattr__(self, name):
        return getattr(self._file, name)


def half_opened(number):
    calls = iter(range(1, 10**6))

    def half_open(*arguments, **options):
        file = open(*arguments, **options)  # noqa: SIM115  whoever called closes it
        return Half(file) if next(calls) == number else file

    return half_open


def fail_at(monkeypatch, what, number):
    if what in ("write", "open"):
        opened = half_opened(number) if what == "write" else failing(open, number)
        for module in (results, atomic):
            monkeypatch.setattr(module, "open", opened, raising=False)
    elif what == "mkdir":
        monkeypatch.setattr(os, "mkdir", failing(os.mkdir, number))
    else:
        monkeypatch.setattr(os, what, failing(getattr(os, what), number))


@pytest.mark.parametrize(
    ("what", "number"),
    [
        *((what, number) for what in ("write", "open") for number in (1, 2, 3, 6)),
        *(("fsync", number) for number in (1, 2, 3, 4, 5, 8)),
        *(("replace", number) for number in (1, 2, 4)),
        *(("mkdir", number) for number in (1, 2, 3)),
    ],
)
def test_a_full_disk_is_said_and_leaves_nothing_half_written(
    tmp_path, original, monkeypatch, what, number
):
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        fail_at(patch, what, number)
        with pytest.raises(RuntimeError, match=r"cannot write .*: No space left.*start") as full:
            run(mine(), out, runs=RUNS, seed=SEED)
    assert str(out) in str(full.value)
    assert not unfinished(tmp_path)
    shelf = Shelf(out / "mine")
    assert not shelf.manifest.exists() or json.loads(shelf.manifest.read_bytes())
    good = list((out / "mine").rglob("*.parquet"))
    assert all(shelf.look(name) is State.GOOD for name in names() if shelf.path(name) in good)
    assert run(mine(), out, runs=RUNS, seed=SEED).played == len(names()) - len(good)
    assert table(out).equals(table(original), null_equal=False)
    assert len(shelf.read().history) in (1, 2)


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, MemoryError])
def test_an_interrupt_while_a_part_is_written_leaves_nothing_half_written(
    tmp_path, original, monkeypatch, interrupt
):
    calls, fsync = iter(range(100)), os.fsync

    def interrupted(descriptor):
        if next(calls) == 4:  # two for the manifest, two for the first part
            raise interrupt
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupted)
        with pytest.raises(interrupt):
            run(mine(), tmp_path, runs=RUNS, seed=SEED)
    assert not unfinished(tmp_path) and len(Shelf(tmp_path / "mine").read().table) > 0
    assert run(mine(), tmp_path, runs=RUNS, seed=SEED).played == len(names()) - 1
    assert table(tmp_path).equals(table(original), null_equal=False)


def test_a_file_is_synced_before_it_gets_its_name_and_its_folder_after(tmp_path, monkeypatch):
    done = []

    def noted(name):
        function = getattr(os, name)

        def call(*arguments):
            what = arguments[0]
            if name == "fsync":
                what = Path(os.readlink(f"/proc/self/fd/{what}"))
            done.append((name, Path(what), *map(Path, arguments[1:])))
            return function(*arguments)

        return call

    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, noted(name))
    atomic.write(tmp_path / "part", b"data")
    (first, temporary), (second, source, target), (third, parent) = done
    assert (first, second, third) == ("fsync", "replace", "fsync")
    assert temporary == source and temporary.name.startswith(atomic.TEMPORARY)
    assert (temporary.parent, target, parent) == (tmp_path, tmp_path / "part", tmp_path)
    assert (tmp_path / "part").read_bytes() == b"data"


# Parts are stored by entrant.


def lacking(label):
    return {name: who for name, who in (("DEX3.S", "dex3s"), ("RAND", "rand")) if name != label}


def test_an_entrant_that_comes_later_plays_alone_and_all_others_keep_their_parts(
    tmp_path, original
):
    run(mine(entrants=lacking("RAND")), tmp_path, runs=RUNS, seed=SEED)
    before = contents(tmp_path / "mine" / "parts")
    assert run(mine(), tmp_path, runs=RUNS, seed=SEED)[:3] == (6, 6, ())
    after = contents(tmp_path / "mine" / "parts")
    assert before.items() < after.items() and len(after) == 2 * len(before)
    new = [polars.read_parquet(data) for path, data in after.items() if path not in before]
    assert all(set(part["entrant"]) == {"RAND"} for part in new)
    assert table(tmp_path).equals(table(original), null_equal=False)


def test_an_entrant_that_is_left_out_is_not_shown_and_not_lost(folder, original):
    before = contents(folder / "mine" / "parts")
    less = mine(entrants=lacking("DEX3.S"))
    assert run(less, folder, runs=RUNS, seed=SEED)[:3] == (6, 0, ())
    assert set(table(folder)["entrant"]) == {"RAND", "irreducible"}
    assert run(mine(), folder, runs=RUNS, seed=SEED)[:3] == (6, 0, ())
    assert table(folder).equals(table(original), null_equal=False)
    assert contents(folder / "mine" / "parts") == before


def test_another_order_of_entrants_is_the_same_parts_in_another_order(folder, original):
    turned = mine(entrants={"RAND": "rand", "DEX3.S": "dex3s"})
    assert run(turned, folder, runs=RUNS, seed=SEED)[:3] == (6, 0, ())
    keys = table(original).columns
    assert table(folder)["entrant"][0] == "RAND"
    assert table(folder).sort(keys).equals(table(original).sort(keys), null_equal=False)


def test_an_entrant_with_other_options_is_named_and_plays_alone(folder, original):
    changed = mine(entrants={"DEX3.S": Entrant("dex3s", corrected=True), "RAND": "rand"})
    ran = run(changed, folder, runs=RUNS, seed=SEED)
    assert (ran.played, ran.edited) == (6, ("DEX3.S",))
    same = polars.col("entrant") != "DEX3.S"
    assert table(folder).filter(same).equals(table(original).filter(same), null_equal=False)
    assert not table(folder).filter(~same).equals(table(original).filter(~same))
    assert run(changed, folder, runs=RUNS, seed=SEED)[1:3] == (0, ())
    assert run(changed, folder, runs=RUNS, seed=SEED).edited == ()


def test_a_damaged_part_of_an_entrant_costs_no_other(tmp_path, original):
    run(mine(entrants=lacking("RAND")), tmp_path, runs=RUNS, seed=SEED)
    run(mine(), tmp_path, runs=RUNS, seed=SEED)
    alone = names(mine(entrants=lacking("DEX3.S"), lines=()))[1]
    path = Shelf(tmp_path / "mine").path(alone)
    path.write_bytes(path.read_bytes()[:-9])
    assert Shelf(tmp_path / "mine").read().damaged == (path,)
    before = contents(tmp_path / "mine" / "parts")
    assert run(mine(), tmp_path, runs=RUNS, seed=SEED)[:3] == (6, 1, (path,))
    after = contents(tmp_path / "mine" / "parts")
    assert [changed for changed in after if after[changed] != before[changed]] == [path]
    assert table(tmp_path).equals(table(original), null_equal=False)


# Worlds may come and go as entrants do, and what is only drawn may change.


def test_a_point_that_comes_later_is_played_alone(tmp_path, original):
    run(mine(worlds=mine().worlds[1:]), tmp_path, runs=RUNS, seed=SEED)
    before = contents(tmp_path / "mine" / "parts")
    assert run(mine(), tmp_path, runs=RUNS, seed=SEED)[:3] == (6, 3, ())
    assert before.items() < contents(tmp_path / "mine" / "parts").items()
    assert table(tmp_path).equals(table(original), null_equal=False)


def test_another_world_at_the_same_point_is_played_and_the_first_is_kept(folder, original):
    other = mine(worlds=[sparring.FreshWinner(3, T, S=3) for T in POINTS])
    assert run(other, folder, runs=RUNS, seed=SEED)[:3] == (6, 6, ())
    assert set(table(folder)["world"]) == {"FreshWinner(S=3, margin=0.2)"}
    assert run(mine(), folder, runs=RUNS, seed=SEED)[:3] == (6, 0, ())
    assert table(folder).equals(table(original), null_equal=False)


def test_what_is_only_drawn_may_change(folder, original):
    changed = mine(title="Other", slope=0.5, guide="RAND", source="Fig. 9")
    assert run(changed, folder, runs=RUNS, seed=SEED)[:3] == (6, 0, ())
    about = Shelf(folder / "mine").about()
    assert Experiment.from_json(about["experiment"]) == changed
    assert table(folder).equals(table(original), null_equal=False)
