"""`sparring serve` in a process of its own, on this machine, for tests that kill it."""

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(address, port, *options, log=subprocess.DEVNULL, files=None):
    """The process, once it answers; whoever starts it ends it.

    If a number of files is given, it may have no more open at a time.
    """
    command = [] if files is None else ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh"]
    command += [sys.executable, "-m", "sparring_cli", "serve", str(address), "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen([*command, *options], env=environment, stdout=log, stderr=log)
    try:
        wait_until_ready(process, port)
    except BaseException:
        process.kill()
        process.wait()
        raise
    return process


def wait_until_ready(process, port):
    while True:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/ready", timeout=60).status_code == 200:
                return
        except httpx.TransportError:
            pass
        assert process.poll() is None, "the service has ended"
        time.sleep(0.02)


@contextmanager
def served(address, *options, log=subprocess.DEVNULL, files=None):
    """The address of a service that runs while the block does."""
    port = free_port()
    process = start(address, port, *options, log=log, files=files)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(60)
