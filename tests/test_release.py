"""What is released: the wheel is whole and works as a user would use it, and its papers agree."""

import json
import os
import re
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

import pytest

import sparring
from places import ROOT

INSTALLED = Path(sparring.__file__).parents[1]
IN_TREE = INSTALLED == ROOT / "src"
LIBRARIES = ROOT / ".venv" / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)


of_the_wheel = pytest.mark.skipif(IN_TREE, reason="runs where the wheel is installed: make plain")


@pytest.mark.plain
@of_the_wheel
def test_the_wheel_has_every_file_of_the_sources_and_no_other():
    def files(folder):
        found = (
            path for name in ("sparring", "sparring_cli") for path in (folder / name).rglob("*")
        )
        return {
            str(path.relative_to(folder))
            for path in found
            if path.is_file() and "__pycache__" not in path.parts
        }

    there, here = files(INSTALLED), files(ROOT / "src")
    assert there == here
    assert "sparring/py.typed" in there
    for path in here:
        assert (INSTALLED / path).read_bytes() == (ROOT / "src" / path).read_bytes()


def installed(words, folder, **settings):
    """Run a program of the environment the tests run in, outside of the sources."""
    program = Path(sysconfig.get_path("scripts"), words[0])
    done = subprocess.run(
        [program, *words[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, **settings},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.plain
@of_the_wheel
def test_the_installed_package_asks_and_tells(tmp_path):
    """The first minute with the package alone."""
    assert "I have votes" in installed(["sparring"], tmp_path)
    assert installed(["sparring", "--version"], tmp_path) == f"sparring {sparring.__version__}\n"
    program = (
        "import sparring\n"
        "learner = sparring.tracker(K=3, seed=7)\n"
        "duel = learner.ask(); learner.tell(duel, 1.0)\n"
        "with sparring.Arena('arena.db', arms=['plain', 'polite'], seed=1) as arena:\n"
        "    arena.tell(arena.ask(), 'plain')\n"
        "with sparring.Arena('arena.db') as arena:\n"
        "    print(sparring.restore(learner.snapshot()).t, len(arena.history()))\n"
    )
    assert installed(["python", "-c", program], tmp_path) == "1 1\n"
    assert "1 vote learnt" in installed(["sparring", "replay", "arena.db", "--check"], tmp_path)


@pytest.mark.plain
@of_the_wheel
def test_the_installed_command_answers_and_serves(tmp_path):
    """With the libraries of the extras, which are lent by the environment of the project."""
    lent = {"PYTHONPATH": str(LIBRARIES), "NUMBA_DISABLE_JIT": "1"}
    if not (LIBRARIES / "fastapi").is_dir():
        pytest.skip("make test has not installed the extras beside this")
    where = "import sparring; print(sparring.__file__)"
    told = installed(["python", "-c", where], tmp_path, **lent)
    assert Path(told.strip()).is_relative_to(INSTALLED), "lent are the libraries, not the package"
    installed(["sparring", "votes", "--example", "year.csv"], tmp_path, **lent)
    answer = installed(["sparring", "votes", "year.csv", "--no-what-if"], tmp_path, **lent)
    assert "year.votes.html" in answer
    assert (tmp_path / "year.votes.html").read_text("utf-8").startswith("<!doctype html>")
    words = ["sparring", "serve", "x.db", "--demo", "--prepare", "--port", "0", "--json"]
    assert json.loads(installed(words, tmp_path, **lent))["arenas"] == ["demo"]


def test_one_version_is_told_everywhere():
    version = sparring.__version__
    assert metadata.version("sparring") == version
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in citation
    assert re.search(r"\ndate-released: \d{4}-\d\d-\d\d\n", citation)
    sections = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert sections[0] == version


def workflows():
    yaml = pytest.importorskip("yaml")
    folder = ROOT / ".github/workflows"
    return {path.name: yaml.safe_load(path.read_text("utf-8")) for path in folder.glob("*.yml")}


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job.get("steps", ())]


def test_workflows_may_do_little_and_use_actions_of_a_version():
    found = workflows()
    assert set(found) == {"tests.yml", "release.yml"}
    for workflow in found.values():
        assert workflow["permissions"] in ({}, {"contents": "read"})
        for job in workflow["jobs"].values():
            assert "timeout-minutes" in job or "uses" in job
        for step in steps(workflow):
            assert re.fullmatch(r"[\w./-]+@v\d+(\.\d+)*", step.get("uses", "a@v1"))
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"] == {"persist-credentials": False}
    publish = found["release.yml"]["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write", "attestations": "write"}
    assert not any("password" in str(step) or "secrets." in str(step) for step in publish["steps"])


def test_workflows_try_the_pythons_and_systems_that_we_name():
    matrix = workflows()["tests.yml"]["jobs"]["systems"]["strategy"]["matrix"]
    named = re.findall(
        r'"Programming Language :: Python :: (3\.\d+)"',
        (ROOT / "pyproject.toml").read_text("utf-8"),
    )
    assert matrix["python"] == named != []
    assert {system.partition("-")[0] for system in matrix["system"]} == {
        "ubuntu",
        "macos",
        "windows",
    }


def test_workflows_run_what_is_there():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
    for workflow in workflows().values():
        for step in steps(workflow):
            command = step.get("run", "")
            if command.startswith("make "):
                assert command.split()[1] in targets
            for path in re.findall(r"(?:tests|\.ci)/[\w/.]+", command):
                assert (ROOT / path).exists()


def test_forms_of_issues_ask_for_what_they_need():
    yaml = pytest.importorskip("yaml")
    for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text("utf-8"))
        if path.name != "config.yml":
            assert form["name"] and form["description"]
            assert all(part["attributes"]["label"] for part in form["body"])
