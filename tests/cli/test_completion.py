"""Completion, in the shells themselves: commands, options, names and files."""

import os
import select
import shutil
import subprocess
import sys
import time

import pytest

from command import sparring as command

CASES = [
    ("sparring votes-n", "votes-needed"),
    ("sparring bounds --V", "--V_T"),
    ("sparring bounds --del", "--delta"),
    ("sparring run known-", "known-vs-unknown-S"),
    ("sparring warm stead", "steady"),
    ("sparring list --scale f", "full"),
    ("sparring league --worlds newc", "newcomers"),
    ("sparring votes ye", "year.csv"),
]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """A folder with a script for each shell, and a file of votes."""
    folder = tmp_path_factory.mktemp("shells")
    for shell in ("bash", "zsh", "fish"):
        done = command("completion", shell, cwd=folder)
        assert (done.returncode, done.stderr) == (0, "")
        name = "_sparring" if shell == "zsh" else f"complete.{shell}"  # zsh finds it by that
        (folder / name).write_text(done.stdout)
    (folder / "year.csv").touch()
    return folder


def shell(name):
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return shutil.which(name)


def run(words, folder):
    home = {**os.environ, "HOME": str(folder), "TERM": "dumb"}
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True, env=home)
    return done.stdout.split("\n")


@pytest.mark.parametrize(("typed", "meant"), CASES)
def test_bash_completes(typed, meant, scripts):
    words = typed.split(" ")
    ask = (
        "source complete.bash\n"
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n'
        "entry=$(complete -p sparring); entry=${entry##*-F }\n"
        "${entry%% *} sparring\n"
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    assert meant in run([shell("bash"), "--norc", "-c", ask, "bash", *words], scripts)


@pytest.mark.parametrize(("typed", "meant"), CASES)
def test_fish_completes(typed, meant, scripts):
    ask = f"source complete.fish; complete -C '{typed}'"
    told = run([shell("fish"), "--no-config", "-c", ask], scripts)
    assert meant in [line.split("\t")[0] for line in told]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no terminals of this kind")
def test_zsh_completes(scripts):
    """As typed: zsh completes only at a prompt, so it gets a terminal, and Tabs."""
    import pty

    path = shell("zsh")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(scripts)
        settings = {"PATH": os.environ["PATH"], "HOME": str(scripts), "TERM": "xterm", "LANG": "C"}
        os.execve(path, [path, "-f", "-i"], settings)
    try:
        begin = "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; print rea''dy\n"
        told(terminal, begin, "ready")
        for typed, meant in CASES:
            told(terminal, f"\x15{typed}\t", meant)
    finally:
        os.close(terminal)
        os.kill(pid, 9)
        os.waitpid(pid, 0)


def told(terminal, typed, meant):
    """Type it, and read until the answer was printed."""
    os.write(terminal, typed.encode())
    end, seen = time.monotonic() + 60, ""
    while meant not in seen:
        assert time.monotonic() < end, f"{typed!r} was not completed: {seen!r}"
        if select.select([terminal], [], [], 0.5)[0]:
            seen += os.read(terminal, 4096).decode(errors="replace")
