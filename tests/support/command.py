"""The command `sparring` as a user would run it: in this process, or in one of its own."""

import contextlib
import io
import os
import subprocess
import sys
import warnings
from unittest import mock

import sparring_cli

SPARRING = [sys.executable, "-m", "sparring_cli"]


def sparring(*arguments, cwd, encoding_of_output="utf-8", **options):
    """Run it to its end, without a terminal; what it printed and returned.

    In this process, which saves a second of imports, unless something is said of the process.
    """
    words = list(map(str, arguments))
    if not options and encoding_of_output == "utf-8":
        return _here(words, cwd)
    return subprocess.run(
        [*SPARRING, *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "120", "PYTHONIOENCODING": encoding_of_output},
        **options,
    )


def _here(words, cwd):
    """Run it here, in that folder; what it imports from there is forgotten."""
    out, error, known = io.StringIO(), io.StringIO(), set(sys.modules)
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(error),
        warnings.catch_warnings(),
        mock.patch.dict(os.environ, COLUMNS="120"),
        mock.patch.object(sys, "path", list(sys.path)),
    ):
        warnings.simplefilter("default")
        warnings.showwarning = warnings._showwarning_orig  # to where errors go, not to pytest
        try:
            code = sparring_cli.main(words)
        except SystemExit as end:
            code = end.code
    for name in set(sys.modules) - known:
        if not name.startswith("sparring"):
            found = getattr(sys.modules[name], "__file__", None) or ""
            if found.startswith(str(cwd)):
                del sys.modules[name]
    return subprocess.CompletedProcess(words, code or 0, out.getvalue(), error.getvalue())
