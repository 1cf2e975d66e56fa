"""A PostgreSQL server for tests: a cluster of its own in a temporary folder, on a socket."""

import os
import shutil
import signal
import subprocess
import threading
import time
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
    def unreplicated(self):
        """Commits wait for a replica, which there is not, while the block runs; then they go on.

        To end the backend of one does not bring it back: it is committed here, its client hears of
        an error, and the next commit waits again. No timeout of the server ends that. So whoever
        waits for a client has to leave the block first.
        """
        reload = "SELECT pg_reload_conf()"
        execute(self.address, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'", reload)
        try:
            self._try_commits_until_one_waits()
            yield
        finally:
            execute(self.address, "ALTER SYSTEM RESET synchronous_standby_names", reload)

    def _try_commits_until_one_waits(self, seconds=60):
        """A server that is told to reload goes on as before for a while, on a busy machine."""
        import psycopg

        write = "SELECT pg_logical_emit_message(true, 'try', '')"
        until = time.monotonic() + seconds
        with psycopg.connect(self.address, autocommit=True) as connection:
            process = connection.info.backend_pid
            waits = f"SELECT wait_event FROM pg_stat_activity WHERE pid = {process}"
            while True:
                attempt = threading.Thread(target=connection.execute, args=(write,))
                attempt.start()
                waiting = False
                while attempt.is_alive() and not waiting:
                    waiting = execute(self.address, waits) == [("SyncRep",)]
                if waiting:  # to cancel it is to commit it here, and to tell its client
                    execute(self.address, f"SELECT pg_cancel_backend({process})")
                attempt.join()
                if waiting:
                    return
                assert time.monotonic() < until, "no commit waits"

    def wait_for_a_commit(self, seconds=60):
        """Wait until a commit waits for the replica; the process of its backend."""
        until = time.monotonic() + seconds
        waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        while not (found := execute(self.address, waiting)):
            assert time.monotonic() < until, "no commit waits"
            time.sleep(0.01)
        return found[0][0]

    def end_a_commit(self, seconds=60):
        """End the backend of a commit that waits for the replica; it is gone when this returns."""
        process = self.wait_for_a_commit(seconds)
        execute(self.address, f"SELECT pg_terminate_backend({process}, {1000 * seconds})")

    @contextmanager
    def guarded(self, seconds=120):
        """If the block takes longer the server is restarted, so that nobody waits for ever."""
        fired = threading.Event()

        def fire():
            fired.set()
            self.stop("immediate")
            self.start()

        timer = threading.Timer(seconds, fire)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
        assert not fired.is_set(), f"it hung for {seconds} seconds"


@contextmanager
def server():
    """The address of a server that runs while the block does."""
    with cluster() as found:
        yield found.address


def execute(address, *statements):
    """Execute statements, each by itself; the rows of the last."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            found = connection.execute(statement)
        return found.fetchall() if found.description else []


def break_commits(address, every):
    """From now on some commits of events end their own backend, before they are commits."""
    execute(
        address,
        "CREATE SEQUENCE fuse",  # which goes on also where a transaction does not
        f"""CREATE FUNCTION burn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('fuse') % {every} = 0 THEN
                PERFORM pg_terminate_backend(pg_backend_pid());
            END IF;
            RETURN NULL;
        END $$""",
        # It is carried out by COMMIT itself, as foreign keys are that are checked late.
        """CREATE CONSTRAINT TRIGGER burning AFTER INSERT ON sparring_events
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION burn()""",
    )


def mend_commits(address):
    """From now on they do no longer."""
    execute(address, "DROP TRIGGER burning ON sparring_events")


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
