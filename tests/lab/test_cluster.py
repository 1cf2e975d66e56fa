"""A Dask cluster: a real scheduler and two worker processes, one of which is killed half-way."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from command import SPARRING, sparring
from sparring.lab import cluster, provenance
from sparring.lab.provenance import versions
from sparring.lab.results import Shelf

pytestmark = pytest.mark.compiled

PANEL = "continuous-vs-T"


class Dask:
    """Processes of a cluster on this machine."""

    def __init__(self, folder):
        self._folder, self._started = folder, []
        file = folder / "scheduler.json"
        where = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)]
        self.start("scheduler", *where, "--no-dashboard")
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]

    def start(self, *arguments):
        """Start one."""
        log = (self._folder / f"dask-{len(self._started)}.log").open("w")
        command = [sys.executable, "-m", "dask", *arguments]
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder)
        self._started.append((process, log))
        return process

    def worker(self):
        """Start a worker with one thread."""
        only = ["--nworkers", "1", "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        process = self.start("worker", self.address, *only)
        log = Path(self._started[-1][1].name)
        wait_until(lambda: "Registered to" in log.read_text())  # the command waits for 30 s only
        return process

    def close(self):
        """End all."""
        for process, log in self._started:
            process.kill()
            process.wait()
            log.close()


@pytest.fixture
def dask(tmp_path):
    found = Dask(tmp_path)
    yield found
    found.close()


def wait_until(true, seconds=300):
    """Wait for what will happen; fail if it does not."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def test_a_cluster_that_loses_a_worker_gives_the_table_of_threads(dask, tmp_path):
    victim, survivor = dask.worker(), dask.worker()
    on_cluster, on_threads = tmp_path / "cluster", tmp_path / "threads"
    command = ["run", PANEL, "--runs", "6", "--out", str(on_cluster), "--cluster", dask.address]
    parts = on_cluster / PANEL / "parts"
    with subprocess.Popen([*SPARRING, *command, "--json"], stdout=subprocess.PIPE) as running:
        wait_until(lambda: len(list(parts.glob("*/*.parquet"))) >= 5)
        victim.kill()
        done = len(list(parts.glob("*/*.parquet")))
        printed, _ = running.communicate(timeout=300)
    assert running.returncode == 0
    assert done < json.loads(printed)["played"] == 30  # so it was killed in the middle
    assert survivor.poll() is None

    assert sparring("run", PANEL, "--runs", 6, "--out", on_threads, cwd=tmp_path).returncode == 0
    tables = [Shelf(folder / PANEL).read().table for folder in (on_cluster, on_threads)]
    assert tables[0].drop("seconds").equals(tables[1].drop("seconds"))


def test_no_scheduler_is_said_clearly(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with (
        pytest.raises(ConnectionError, match=r"no cluster at tcp://127.0.0.1:1.*dask scheduler"),
        cluster.cluster("tcp://127.0.0.1:1"),
    ):
        pass


def test_somebody_who_takes_the_call_and_says_nothing_is_no_cluster(tmp_path):
    """In a process of its own, which must end too."""
    code = (
        "import socket, sys\n"
        "from sparring.lab import cluster\n"
        "silent = socket.create_server(('127.0.0.1', 0))\n"
        "cluster.PATIENCE = 1\n"
        "try:\n"
        "    with cluster.cluster('tcp://127.0.0.1:%d' % silent.getsockname()[1]): pass\n"
        "except ConnectionError as error: print(error)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert "no answer in 1 seconds. Is `dask scheduler` running" in done.stdout, done.stderr
    assert "Traceback" not in done.stderr


def test_a_cluster_without_workers_is_said_clearly(dask, monkeypatch):
    connected = cluster.connected

    def found(address):  # however long it takes; only workers are not waited for
        monkeypatch.setattr(cluster, "PATIENCE", 300)
        client = connected(address)
        monkeypatch.setattr(cluster, "PATIENCE", 1)
        return client

    monkeypatch.setattr(cluster, "connected", found)
    with (
        pytest.raises(ConnectionError, match=r"no workers\. Start some with `dask worker"),
        cluster.cluster(dask.address),
    ):
        pass


@pytest.mark.parametrize("name", ["sparring", "numpy", "numba", "sources"])
def test_other_versions_on_a_worker_are_refused(name):
    here = cluster.installed()
    cluster.demand_equal(here, {"tcp://a:1": here, "tcp://b:2": dict(here)})
    message = rf"worker tcp://b:2 has {name} 9\.9, this process {here[name]}\. Install the same"
    with pytest.raises(RuntimeError, match=message):
        cluster.demand_equal(here, {"tcp://a:1": here, "tcp://b:2": {**here, name: "9.9"}})


def test_a_worker_is_asked_for_its_versions(dask, monkeypatch):
    dask.worker()
    monkeypatch.setattr(cluster, "PATIENCE", 300)  # seconds that a busy machine may take
    monkeypatch.setattr(provenance, "versions", lambda: {**versions(), "numpy": "9.9"})
    with (
        pytest.raises(RuntimeError, match=r"has numpy .*, this process 9\.9"),
        cluster.cluster(dask.address),
    ):
        pass


@pytest.mark.parametrize("address", ["rubbish", "tcp://127.0.0.1", "tls://127.0.0.1:1"])
def test_what_is_no_address_is_said_at_once(address, tmp_path):
    command = ("run", PANEL, "--out", tmp_path, "--cluster", address)
    own = {"timeout": 300} if address == "rubbish" else {}  # in a process, which must end, too
    done = sparring(*command, cwd=tmp_path, **own)
    assert done.returncode == 1
    assert done.stderr.startswith(f"sparring: no cluster at {address}")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("address", ["", None, 7])
def test_an_address_is_text(address):
    with (
        pytest.raises(ValueError, match="address must be the text"),
        cluster.cluster(address),
    ):
        pass
