"""A PostgreSQL server for tests: a cluster of its own in a temporary folder, on a socket."""

import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


def programs():
    """The folder of initdb and pg_ctl, which Debian keeps off the PATH; None without a server."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


@contextmanager
def server():
    """The address of a server that runs while the block does."""
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
        patiently = ("--wait", "--timeout=300")
        settings = f"-c listen_addresses='' -c unix_socket_directories={place}"
        run("pg_ctl", *patiently, "-l", str(Path(place, "log")), "-o", settings, "start")
        try:
            yield f"postgresql://postgres@/postgres?host={place}"
        finally:
            run("pg_ctl", *patiently, "-m", "immediate", "stop")
