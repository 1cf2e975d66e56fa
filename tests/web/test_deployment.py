"""The files for containers say what the command understands, and open no more than they must."""

import json
import re

import pytest

from places import TESTS
from sparring_cli.arguments import parser

yaml = pytest.importorskip("yaml", reason="needs PyYAML")
DEPLOY = TESTS.parent / "deploy"


def instructions():
    """The instructions of the container file, continued lines joined."""
    text = (DEPLOY / "Containerfile").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [tuple(line.split(maxsplit=1)) for line in joined.splitlines() if line.strip()]


def the(name):
    (found,) = [rest for what, rest in instructions() if what == name]
    return found


def compose():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def test_the_image_runs_without_rights_and_writes_to_one_volume():
    assert the("USER").isdecimal() and int(the("USER")) > 0
    assert the("VOLUME") == "/data"
    order = [what for what, _ in instructions()]
    assert order.index("USER") < order.index("CMD") and order[0] == "FROM"


def test_the_image_starts_a_service_that_the_command_understands():
    assert json.loads(the("ENTRYPOINT")) == ["sparring"]
    options = parser().parse_args(json.loads(the("CMD")))
    assert options.command == "serve" and options.address.startswith(the("VOLUME"))
    assert str(options.port) == the("EXPOSE")


def test_the_health_check_asks_whether_the_database_answers():
    program = json.loads(the("HEALTHCHECK").split("CMD", 1)[1])
    compile(program[-1], "health check", "exec")
    assert f"http://127.0.0.1:{the('EXPOSE')}/ready" in program[-1]


def test_what_is_installed_is_there():
    installed = re.search(r"/source\[([\w,]+)\]", the("RUN"))[1].split(",")
    text = (TESTS.parent / "pyproject.toml").read_text()
    assert all(re.search(rf"^{extra} = \[", text, re.M) for extra in installed)
    assert (TESTS.parent / "constraints.txt").exists()


def test_the_composition_is_closed_but_for_this_machine():
    arena = compose()["services"]["arena"]
    assert arena["read_only"] is True and arena["cap_drop"] == ["ALL"]
    assert all(port.startswith("127.0.0.1:") for port in arena["ports"])
    assert "ports" not in compose()["services"]["database"]
    options = parser().parse_args(arena["command"])
    assert options.address.startswith("postgresql://")
    assert ":" not in options.address.removeprefix("postgresql://")  # no password in a command


def test_the_commands_at_the_heads_of_both_files_can_be_typed():
    for file in ("Containerfile", "compose.yaml"):
        for line in re.findall(r"serve \S+ --items.*", (DEPLOY / file).read_text()):
            options = parser().parse_args(line.split())
            assert options.prepare and options.items
