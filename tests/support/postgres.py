"""A PostgreSQL server for tests: a cluster of its own in a temporary folder, on a socket."""

import os
import shutil
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

PATIENTLY = ("--wait", "--timeout=300")


def programs():
    """The folder of initdb and pg_ctl, which Debian keeps off the PATH; None without a server."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


class Cluster:
    """A server, and what can happen to one."""

    def __init__(self, address, data, run, settings):
        self.address, self._data, self._run, self._settings = address, data, run, settings

    def start(self):
        log = str(Path(self._data).parent / "log")
        self._run("pg_ctl", *PATIENTLY, "-l", log, "-o", self._settings, "start")

    def stop(self, mode="fast"):
        self._run("pg_ctl", *PATIENTLY, "-m", mode, "stop")

    @contextmanager
    def paused(self):
        """All of its processes stand still while the block runs."""
        first = int(Path(self._data, "postmaster.pid").read_text().split()[0])
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(first)], capture_output=True)
        processes = [first, *map(int, found.stdout.split())]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in reversed(processes):
                os.kill(process, signal.SIGCONT)


@contextmanager
def server():
    """The address of a server that runs while the block does."""
    with cluster() as found:
        yield found.address


@contextmanager
def cluster():
    """A server that runs while the block does."""
    folder = programs()
    with TemporaryDirectory(prefix="pg") as place:
        # A server never runs as root; Debian's package brings a user for it.
        user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if user:
            shutil.chown(place, "postgres")
        data = str(Path(place, "data"))

        def run(program, *options):
            command = [*user, str(folder / program), "-D", data, *options]
            subprocess.run(command, check=True, capture_output=True, cwd=place)

        run("initdb", "--auth=trust", "--username=postgres", "--no-sync")
        settings = f"-c listen_addresses='' -c unix_socket_directories={place}"
        found = Cluster(f"postgresql://postgres@/postgres?host={place}", data, run, settings)
        found.start()
        try:
            yield found
        finally:
            found.stop("immediate")
