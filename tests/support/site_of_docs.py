"""The documentation as a site, built as `make docs` builds it, and served to this machine only."""

import functools
import http.server
import subprocess
import sys
import threading
from contextlib import contextmanager

from places import ROOT

PROGRAM = ROOT / "docs/site"


def built(folder):
    """Build the site in a folder; a warning would have been an error."""
    done = subprocess.run(
        [sys.executable, PROGRAM, folder], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def served(folder):
    """The address of a site while the block runs."""
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
