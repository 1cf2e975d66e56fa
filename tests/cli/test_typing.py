"""What is typed behind `sparring`: the greeting, examples that work, names nearly right."""

import io
import json
import os
import re
import shlex
import subprocess
import sys

import pytest

import sparring
import sparring_cli
from command import SPARRING
from command import sparring as command
from sparring_cli.arguments import parser
from sparring_cli.greeting import DOORS, EXAMPLES, greeting

COMMANDS = parser().commands
EVERY_EXAMPLE = [("", typed) for typed, _ in EXAMPLES] + [
    (name, typed) for name, one in COMMANDS.items() for typed, _ in one.examples
]


def words(example):
    """What is typed behind `sparring`; where it is written to is the shell's business."""
    first, *rest = shlex.split(example.partition(" > ")[0])
    assert first == "sparring"
    return rest


def test_alone_it_shows_three_doors(tmp_path):
    done = command(cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(door.who in done.stdout for door in DOORS)
    assert all(typed in done.stdout for typed, _ in EXAMPLES)
    assert "\x1b" not in done.stdout and max(map(len, done.stdout.splitlines())) <= 92


@pytest.mark.parametrize(
    ("settings", "colourful"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
    ],
)
def test_a_terminal_gets_colours_unless_its_owner_wants_none(settings, colourful, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert sparring_cli.main([]) == 0
    printed = sys.stdout.getvalue()
    assert ("\x1b[" in printed) == colourful
    assert re.sub(r"\x1b\[[\d;]*m", "", printed) == greeting(colours=False) + "\n"


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_begins_with_an_example_of_the_command(name, tmp_path):
    done = command(*filter(None, [name]), "--help", cwd=tmp_path)
    assert done.returncode == 0
    first, second, *_ = done.stdout.splitlines()
    assert first == "examples:" and second.startswith(f"  sparring {name}".rstrip())
    assert f"usage: sparring {name}".rstrip() in done.stdout


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_is_a_command_too(name, capsys):
    said = []
    for typed in (["help", name], [name, "--help"]):
        with pytest.raises(SystemExit) as left:
            parser().parse([word for word in typed if word])
        assert left.value.code == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] and f"usage: sparring {name}".rstrip() in said[0]


@pytest.mark.parametrize(("name", "example"), EVERY_EXAMPLE)
def test_every_example_is_understood(name, example):
    options = parser().parse(words(example))
    assert name in ("", options.command)
    assert callable(_function(options.run))


def _function(run):
    from importlib import import_module

    module, _, name = run.partition(":")
    return getattr(import_module(f"sparring_cli.{module}"), name)


@pytest.mark.compiled
def test_the_first_examples_work_as_they_are_written(tmp_path):
    """In one folder, one after the other, with the two files that they speak of.

    Not those that take long: each of them is run, smaller, in tests of its own.
    """
    long = {"reproduce", "league", "coverage", "votes-needed", "serve", "warm"}
    (tmp_path / "duels.jsonl").write_text(_log(300))
    with sparring.Arena(tmp_path / "prompts.db", arms=["plain", "polite"]) as arena:
        arena.tell(arena.ask(), "plain")
    order = ["run", *(name for name in COMMANDS if name not in {"run", *long})]
    for name in order:
        done = command(*words(COMMANDS[name].examples[0][0]), cwd=tmp_path)
        assert done.returncode == 0 and done.stdout, (name, done.stderr)
    done = command(*words(COMMANDS["votes"].examples[2][0]), cwd=tmp_path)
    assert json.loads(done.stdout)["file"] == "year.csv", "the file that the first example wrote"


def _log(rounds):
    learner = sparring.steady(3, seed=1)
    lines = []
    for _ in range(rounds):
        duel = learner.ask()
        learner.tell(duel, 1.0)
        lines.append(json.dumps({**duel.to_json(), "outcome": 1.0}))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (
            "bounds --s 10 --K 3 --T 100",
            "sparring bounds: there is no option --s. Did you mean --S?",
        ),
        ("run all --run 5", "sparring run: there is no option --run. Did you mean --runs"),
        ("bounds -K 10", "sparring bounds: there is no option -K. Did you mean --K?"),
        ("bounds --k=10", "sparring bounds: there is no option --k. Did you mean --K?"),
        ("vote year.csv", "sparring: there is no command vote. Did you mean votes"),
        ("Votes", "sparring: there is no command Votes. Did you mean votes?"),
        ("fly", "sparring: there is no command fly. See sparring --help"),
        ("help vote", "sparring: there is no command vote. Did you mean votes"),
        ("votes year.csv --left x", "sparring votes: there is no option --left. See"),
        ("--verson", "sparring: there is no option --verson. Did you mean --version?"),
        ("run switching-vs-t", "got 'switching-vs-t'. Did you mean 'switching-vs-T'"),
        ("run all switching-vs-T", "got 'all'"),
        ("warm stedy", "got 'stedy'. Did you mean 'steady'"),
        ("votes-needed --learner traker", "got 'traker'. Did you mean 'tracker'"),
        ("league --worlds wlak", "got 'wlak'. Did you mean 'walk'"),
        ("league --learners traker", "got 'traker'. Did you mean 'tracker'"),
    ],
)
def test_what_is_nearly_right_is_answered_with_the_name_that_was_meant(typed, said, tmp_path):
    done = command(*typed.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "typed",
    ["run", "run all --scale huge", "run all --runs many", "bounds --K 3", "run all --out", "--"],
)
def test_what_cannot_be_read_is_said_in_a_line(typed, tmp_path):
    done = command(*typed.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert re.fullmatch(r"sparring.*: .+ See sparring.* --help\n", done.stderr)


def test_no_option_can_be_cut_short():
    """Each beginning of each option is refused, unless it is an option itself."""
    for name, one in COMMANDS.items():
        for option in one.options():
            for end in range(3, len(option)):
                if option[:end] not in one.options():
                    with pytest.raises(SystemExit) as left:
                        parser().parse([name, option[:end]])
                    assert left.value.code == 2


def test_what_follows_two_dashes_is_no_option():
    assert parser().parse(["votes", "--", "--strange.csv"]).file == "--strange.csv"
    assert parser().parse(["votes", "-"]).file == "-"
    assert parser().parse(["votes-needed", "--margins", "-0.1"]).margins == [-0.1]


def test_words_cannot_steer_the_terminal(tmp_path):
    done = command("\x1b[31mfly", "--\x1b[31m", cwd=tmp_path)
    assert done.returncode == 2 and "\x1b" not in done.stderr


@pytest.mark.plain
def test_commands_say_which_extra_they_need(tmp_path):
    """Without any extra: those that are not marked work, the others name the extra they are marked
    with. Where the extras are installed, they are hidden.
    """
    hidden = ["rich", "polars", "jinja2", "matplotlib", "scipy", "shtab", "fastapi", "numba"]
    code = (
        "import sys, importlib.util\n"
        f"hidden = {hidden}\n"
        "found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name: None if name in hidden else found(name)\n"
        "sys.modules.update(dict.fromkeys(hidden))\n"
        "import sparring_cli; sys.exit(sparring_cli.main(sys.argv[1:]))"
    )
    with sparring.Arena(tmp_path / "prompts.db", arms=["plain", "polite"]) as arena:
        arena.ask()
    for name, one in COMMANDS.items():
        needed = re.search(r"extra (\w+)", one.epilog or "")
        example = words(one.examples[0][0])
        done = subprocess.run(
            [sys.executable, "-c", code, *example],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONUTF8": "1"},
        )
        if needed is None:
            assert (done.returncode, done.stderr) == (0, ""), name
        else:
            assert done.returncode == 1, name
            assert f"[{needed[1]}]'" in done.stderr, name
            assert done.stderr.count("\n") == 1
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count("first: pip install") == len(DOORS)


def test_the_command_can_be_started_in_three_ways(tmp_path):
    script = os.path.join(os.path.dirname(sys.executable), "sparring")
    expected = greeting(colours=False)
    for start in (SPARRING, [script], [sys.executable, "-c", "import sparring_cli as s; s.main()"]):
        done = subprocess.run(start, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.rstrip() == expected
