"""The command `sparring`, run as a user would: what it prints, makes, refuses and survives."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import polars
import pytest

import sparring as library
from command import SPARRING, sparring
from sparring import FreshWinner
from sparring.lab import experiments, panels
from sparring.lab.results import Shelf
from sparring.lab.summaries import read
from sparring_cli.commands import again
from sparring_cli.options import SCALES

pytestmark = pytest.mark.compiled

PANEL = "hard-switching-vs-T"  # the quickest


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with the results of two panels in it, two runs each."""
    folder = tmp_path_factory.mktemp("home")
    done = sparring("run", PANEL, "switching-vs-T", "--runs", 2, "--quiet", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


def test_help_needs_nothing_that_takes_time():
    """So it answers in a blink: --help parses arguments and imports nothing of ours or others'."""
    code = (
        "import sys, sparring_cli\n"
        "try: sparring_cli.main(['run', '--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'sparring', 'numpy', 'numba', 'rich', 'polars'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_it_knows_its_version(tmp_path):
    done = sparring("--version", cwd=tmp_path)
    assert done.stdout == f"sparring {library.__version__}\n"


def test_the_scales_of_the_command_are_those_of_the_library():
    assert tuple(panels.SCALES) == SCALES


def test_the_page_says_which_command_makes_it_again(home, tmp_path):
    def told(folder, *names):
        return again(read(folder, names))

    results = home / "results/quick"
    order = f"sparring reproduce {PANEL} switching-vs-T --runs 2"
    assert told(results, PANEL, "switching-vs-T") == order
    assert told(results, PANEL) == f"sparring reproduce {PANEL} --runs 2"
    full = panels.panels("full")[PANEL]
    experiments.run(replace(full, worlds=full.worlds[:1], title="Cut"), tmp_path / "a", runs=1)
    assert "no single command" in told(tmp_path / "a")
    done = sparring("run", PANEL, "--runs", 1, "--seed", 7, "--out", tmp_path / "b", cwd=tmp_path)
    assert done.returncode == 0
    assert told(tmp_path / "b") == f"sparring reproduce {PANEL} --seed 7 --runs 1"


def test_a_panel_without_claims_is_told(tmp_path):
    worlds = (FreshWinner(3, 100, S=2),)
    mine = replace(panels.panels("quick")[PANEL], name="mine", worlds=worlds, lines=())
    experiments.run(mine, tmp_path, runs=1)
    printed = sparring("claims", "--out", tmp_path, cwd=tmp_path).stdout
    assert "no claims about these panels" in printed


def test_list_names_every_panel(tmp_path):
    printed = sparring("list", cwd=tmp_path).stdout
    data = json.loads(sparring("list", "--scale", "full", "--json", cwd=tmp_path).stdout)
    assert [panel["name"] for panel in data] == list(panels.panels("full"))
    for name in panels.panels("quick"):
        assert name in printed


def test_more_runs_later_play_only_the_new_ones(home, tmp_path):
    command = ("run", PANEL, "--out", tmp_path, "--json")
    first = json.loads(sparring(*command, "--runs", 1, cwd=tmp_path).stdout)
    assert (first["jobs"], first["played"]) == (5, 5)
    second = json.loads(sparring(*command, "--runs", 2, "--jobs", 1, cwd=tmp_path).stdout)
    assert (second["jobs"], second["played"]) == (10, 5)
    ours, theirs = (Shelf(folder / PANEL).read() for folder in (tmp_path, home / "results/quick"))
    assert ours.table.drop("seconds").equals(theirs.table.drop("seconds"))
    assert [entry["runs"] for entry in ours.history] == [1, 2]
    assert ours.history[1]["command"][:3] == ["sparring", "run", PANEL]
    assert {"sparring", "numpy", "numba", "python"} <= set(ours.history[0]["versions"])


def test_claims_are_told_to_people_and_programs(home):
    verdicts = json.loads(sparring("claims", "--json", cwd=home).stdout)
    assert {verdict["claim"]["panel"] for verdict in verdicts} == {PANEL, "switching-vs-T"}
    printed = sparring("claims", PANEL, cwd=home).stdout
    assert "lower bound" in printed and "switches" not in printed
    assert any(verdict["verdict"] in printed for verdict in verdicts)


def test_plot_makes_the_files_it_names(home):
    files = json.loads(sparring("plot", PANEL, "--formats", "svg", "--json", cwd=home).stdout)
    assert len(files) == 2
    for file in files:
        assert "</svg>" in (home / file).read_text()


def test_report_makes_one_page(home):
    path = json.loads(sparring("report", "--json", cwd=home).stdout)["report"]
    text = (home / path).read_text()
    assert text.startswith("<!doctype html>") and text.rstrip().endswith("</html>")
    assert f'id="panel-{PANEL}"' in text and "sparring reproduce" in text


def test_reproduce_does_all_of_it_and_nothing_twice(home):
    done = sparring("reproduce", PANEL, "--runs", 2, "--json", cwd=home)
    outcome = json.loads(done.stdout)
    assert outcome["played"] == 0
    for file in (*outcome["figures"], outcome["report"]):
        assert (home / file).stat().st_size > 0
    assert {claim["claim"]["panel"] for claim in outcome["claims"]} == {PANEL}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", PANEL, "--runs", "0"], "runs must be a whole number of at least 1; got 0"),
        (["run", PANEL, "--seed", "-1"], "seed must be a whole number of at least 0; got -1"),
        (["run", PANEL, "--jobs", "0"], "jobs must be a whole number of at least 1; got 0"),
        (["claims"], "has no results of sparring. Make some with sparring run"),
        (["plot", "--out", "nowhere"], "nowhere has no results of sparring"),
        (["report", "--out", "nowhere"], "nowhere has no results of sparring"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line_and_leaves_nothing(arguments, said, tmp_path):
    done = sparring(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("sparring: ") and said in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_unknown_formats_are_refused(home):
    done = sparring("plot", PANEL, "--formats", "svg,gif", cwd=home)
    assert done.returncode == 1 and "gif" in done.stderr and "Traceback" not in done.stderr


def test_another_seed_in_the_same_folder_is_refused(home):
    before = Shelf(home / "results/quick" / PANEL).read().table
    done = sparring("run", PANEL, "--runs", 3, "--seed", 1, cwd=home)
    assert done.returncode == 1
    assert "begun with seed 0, not 1. Ask for the same again, choose another folder" in done.stderr
    assert Shelf(home / "results/quick" / PANEL).read().table.equals(before)


def test_an_interrupt_keeps_what_is_finished(tmp_path):
    """Of more jobs than a busy machine could end before it comes."""
    command = [*SPARRING, "run", "rotating-vs-K", "--quiet", "--out", str(tmp_path / "out")]
    command += ["--runs", "1000"]
    parts = tmp_path / "out/rotating-vs-K/parts"
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        end = time.monotonic() + 300
        while not list(parts.glob("*/*.parquet")):
            assert time.monotonic() < end
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=300)
    # By the signal itself where it came while Python ran text, as for a dataclass: 130 in a shell.
    assert running.returncode in (130, -signal.SIGINT)
    done = len(list(parts.glob("*/*.parquet")))
    assert 0 < done < 4000
    kept = re.fullmatch(
        r"sparring: interrupted; ([\d,]+) of 4,000 jobs are kept in \S+; start it again .*\n", said
    )
    assert kept and int(kept[1].replace(",", "")) in (
        done,
        done - 1,
    )  # a job may end while it is being told
    assert all(polars.read_parquet(part).height for part in parts.glob("*/*.parquet"))


def test_a_closed_pipe_ends_it_quietly(tmp_path):
    listing = subprocess.Popen(
        [*SPARRING, "list", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    listing.stdout.close()
    with listing:
        said = listing.stderr.read()
    assert b"Traceback" not in said


def test_a_terminal_without_square_roots_gets_the_table_all_the_same(home):
    done = sparring("claims", "switching-vs-T", cwd=home, encoding_of_output="ascii")
    assert done.returncode == 0 and "O(?T)" in done.stdout


@pytest.mark.parametrize("arguments", [["list", "--json"], ["--version"]])
def test_a_full_device_is_said_in_a_line(arguments, tmp_path):
    with open("/dev/full", "w") as full:
        command = [*SPARRING, *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert re.fullmatch(r"sparring: .*No space left on device\n", done.stderr)


@pytest.mark.parametrize("what", ["learners", "worlds"])
def test_learners_and_worlds_are_listed_with_a_line_each(what, tmp_path):
    known = getattr(library, what.upper())
    told = json.loads(sparring(what, "--json", cwd=tmp_path).stdout)
    assert [one["name"] for one in told] == list(known)
    assert all(one["says"].endswith(".") for one in told)
    printed = sparring(what, cwd=tmp_path).stdout
    assert all(name in printed for name in known)


@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["--version"], ["claims"]])
def test_nobody_need_listen(arguments, tmp_path):
    """As with >&-, which leaves no standard output at all."""
    command = subprocess.list2cmdline([*SPARRING, *arguments])
    done = subprocess.run(
        f"{command} >&-", shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == (arguments == ["claims"])
    assert "Traceback" not in done.stderr and done.stderr.count("\n") <= 1


@pytest.mark.parametrize("entry", ['{"runs": null}', '{"runs": "x"}', "{}", '{"command": 3}'])
def test_an_entry_of_the_history_that_nobody_wrote_hides_nothing(entry, home, tmp_path):
    folder = tmp_path / "results"
    shutil.copytree(home / "results/quick", folder)
    next((folder / PANEL / "parts").glob("*/*.parquet")).unlink()  # incomplete
    before = Shelf(folder / PANEL).read().history
    with (folder / PANEL / "history.jsonl").open("a") as file:
        file.write(entry + "\n")
    done = sparring("report", "--out", folder, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert Shelf(folder / PANEL).read().history == before != []


def test_names_cannot_steer_the_terminal(home, tmp_path):
    folder = tmp_path / "\x1b[31mred\x9b1m"
    shutil.copytree(home / "results/quick", folder)
    for arguments in (["plot", PANEL, "--formats", "svg"], ["report"], ["run", PANEL, "--seed", 1]):
        done = sparring(*arguments, "--out", folder, cwd=tmp_path)
        printed = done.stdout + done.stderr
        assert "red" in printed and not {"\x1b", "\x9b"} & set(printed)


def test_what_has_no_results_yet_does_not_hide_the_rest(home, tmp_path):
    folder = tmp_path / "results"
    shutil.copytree(home / "results/quick", folder)
    shutil.rmtree(folder / "switching-vs-T/parts")
    (folder / "web").mkdir()
    (folder / "web/manifest.json").write_text('{"name": "somebody else\'s"}')
    done = sparring("claims", "--json", "--out", folder, cwd=tmp_path)
    assert {verdict["claim"]["panel"] for verdict in json.loads(done.stdout)} == {PANEL}
    told = sparring("claims", "--out", folder, cwd=tmp_path).stderr
    assert told == "sparring: no results yet, so left out: switching-vs-T, web\n"


def test_one_refusal_begins_nothing(home, tmp_path):
    folder = tmp_path / "results"
    shutil.copytree(home / "results/quick", folder)
    done = sparring("run", "borda-vs-S", PANEL, "--seed", 1, "--out", folder, cwd=tmp_path)
    assert done.returncode == 1 and "seed 0, not 1" in done.stderr
    assert not (folder / "borda-vs-S").exists()


def test_what_only_has_the_name_of_a_panel_is_not_judged(tmp_path):
    worlds = (FreshWinner(3, 100, S=2),)
    mine = replace(panels.panels("quick")["switching-vs-T"], worlds=worlds)
    experiments.run(mine, tmp_path, runs=2)
    printed = sparring("claims", "--out", tmp_path, cwd=tmp_path).stdout
    assert "no claims about these panels" in printed


def test_without_the_extra_it_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['rich'] = None; sys.modules['rich.console'] = None\n"
        "import sparring_cli; sys.exit(sparring_cli.main(['list']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "[lab]'" in done.stderr and "Traceback" not in done.stderr
