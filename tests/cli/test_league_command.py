"""`sparring league`, as a user would run it, on a league made small: prints, resumes, refuses."""

import json
import shutil
import sys
from pathlib import Path

import pytest

import sparring.lab.league
import tiny_league
from command import sparring as sparring_command
from places import SUPPORT
from sparring.lab.league.contenders import BY_LABEL, USUAL
from sparring.lab.league.suite import Size, of_the_league, suite
from sparring_cli import main

pytestmark = pytest.mark.compiled  # no kernel is tested here

WORLDS = ("stationary", "fresh-2", "cyclic")
SMALL = {"quick": Size(T=600, runs=2), "full": Size(T=600, runs=9)}
POLLS = "month,polls,left,right\n2024-01,3,30,10\n2024-02,5,20,20\n"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder to be in, with a learner and data; the league has few worlds, learners, rounds."""
    monkeypatch.chdir(tmp_path)
    module = sys.modules["sparring.lab.league.suite"]
    usual = module.contenders

    def few(fixture):
        return {label: who for label, who in usual(fixture).items() if label in tiny_league.LABELS}

    def small(scale):
        found = suite(scale)
        return {name: found[name] for name in WORLDS}

    monkeypatch.setattr(module, "contenders", few)
    monkeypatch.setattr(module, "USUAL", tiny_league.LABELS)
    monkeypatch.setattr(sparring.lab.league, "suite", small)
    monkeypatch.setattr(sparring.lab.league, "SCALES", SMALL)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("COLUMNS", "80")
    shutil.copy(SUPPORT / "own_learners.py", tmp_path / "my_file.py")
    yield tmp_path
    sys.modules.pop("my_file", None)


def test_a_league_prints_its_answer_first_and_goes_on_where_it_was(home, capsys):
    assert main(["league", "--jobs", "2"]) == 0
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert lines[0] == "Which learner to run"
    assert ": " in lines[1] and "of RAND's regret" in printed
    assert max(map(len, lines)) <= 80 or all(str(home) in line for line in lines if len(line) > 80)
    assert "6 jobs played" in printed
    folder = home / "results/league-quick"
    names = {path.name for path in (folder / "figures").iterdir()}
    assert {f"league-table.{ending}" for ending in ("svg", "pdf", "png")} <= names
    assert (folder / "league.html").stat().st_size > 10_000
    assert main(["league", "--json", "--runs", "3"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["jobs"], told["played"]) == (9, 3)  # only the new ones


def test_a_program_gets_everything(home, capsys):
    given = ["--learner", "my_file:Stubborn", "--data", "polls.csv:left,right", "--json"]
    (home / "polls.csv").write_text(POLLS)
    assert main(["league", *given, "--out", "here", "--seed", "7"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["worlds"]) > set(WORLDS) and len(told["worlds"]) == len(WORLDS) + 1
    assert told["learners"]["my_file:Stubborn"]["told"] == "nothing"  # it reads K only
    assert set(told["ranking"]["mean_ranks"]) <= set(told["learners"])
    assert not told["learners"][tiny_league.ORACLE]["ranked"]
    for world in told["worlds"].values():
        labels = [standing["label"] for standing in world["standings"]]
        assert "my_file:Stubborn" in labels and world["T"] == 600
        assert set(world["borda"]) == set(labels)
    assert told["advice"][0]["kind"] == "any of these worlds"
    assert told["answers"][0]["when"].startswith("On your data")
    assert ["my_file:Stubborn", next(iter(told["ranking"]["mean_ranks"]))] in [
        duel["learners"] for duel in told["duels"]
    ]
    page = Path(told["page"]).read_text()
    assert "sparring league --data polls.csv:left,right --learner my_file:Stubborn --seed 7" in page
    assert told["failed"] == {} and told["seed"] == 7


def test_a_league_can_be_made_small(home, capsys):
    (home / "polls.csv").write_text(POLLS)
    some = ["--worlds", "cyclic", "--learners", "REX3", "rmed1", "--json"]
    assert main(["league", *some]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["worlds"]) == {"cyclic"} and told["played"] == 2
    assert set(told["learners"]) == {"RAND", "REX3", "RMED1"}
    assert main(["league", "--worlds", "cyclic", "--json"]) == 0
    more = json.loads(capsys.readouterr().out)
    assert more["played"] == 2 and set(more["learners"]) > set(told["learners"])
    values = {one["label"]: one for one in more["worlds"]["cyclic"]["standings"]}
    for one in told["worlds"]["cyclic"]["standings"]:
        assert values[one["label"]]["regret"] == one["regret"]  # kept
    assert main(["league", "--only-data", "polls.csv:left,right", "--json"]) == 0
    (world,) = json.loads(capsys.readouterr().out)["worlds"]
    assert world.startswith("polls")


@pytest.mark.parametrize(
    ("given", "meant", "remedy"),
    [
        (["--worlds", "stationry"], "'stationary'", "sparring worlds --league"),
        (["--learners", "D-TS, windw"], "'D-TS, window'", "sparring learners --league"),
        (["--learners", "double_tompson"], "'double_thompson'", "sparring learners --league"),
    ],
)
def test_a_misspelt_name_is_told_what_was_meant(home, capsys, given, meant, remedy):
    told = refused(*given, capsys=capsys, code=2)
    assert f"{given[0]} must be one of " in told and f"got {given[1]!r}" in told
    assert f"Did you mean {meant}" in told and remedy in told


def test_data_alone_and_worlds_by_name_contradict_each_other(home, capsys):
    (home / "polls.csv").write_text(POLLS)
    given = ["--only-data", "polls.csv:left,right", "--worlds", "cyclic"]
    told = refused(*given, capsys=capsys)
    assert "--worlds must be left out with --only-data" in told and "With --data" in told


def test_the_names_that_the_league_takes_are_listed(home, capsys):
    assert main(["learners", "--league", "--json"]) == 0
    learners = [one["name"] for one in json.loads(capsys.readouterr().out)]
    assert learners == list(BY_LABEL)
    assert main(["worlds", "--league", "--json"]) == 0
    worlds = [one["name"] for one in json.loads(capsys.readouterr().out)]
    assert worlds == list(of_the_league())


def test_an_interrupt_while_ones_own_learner_plays_loses_nobody(home, capsys, monkeypatch):
    """Once the folder was then about that learner only."""
    assert main(["league", "--quiet"]) == 0
    paths = sorted((home / "results/league-quick").glob("league-*/manifest.json"))
    before = [len(json.loads(path.read_text())["experiment"]["entrants"]) for path in paths]

    def interrupted(*_, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(sparring.lab.experiments.running.Work, "play", interrupted)
    assert main(["league", "--learner", "my_file:Stubborn"]) == 130
    told = capsys.readouterr().err
    assert "interrupted; 0 of 6 jobs are kept in results/league-quick; start it again" in told
    after = [len(json.loads(path.read_text())["experiment"]["entrants"]) for path in paths]
    assert after == [count + 1 for count in before]
    league = sparring.lab.league.read("results/league-quick")
    assert all(one.complete("REX3") for one in league.meetings)


def test_one_learner_for_each_idea_plays_unless_all_are_asked_for(home, capsys, monkeypatch):
    monkeypatch.setattr(sys.modules["sparring.lab.league.suite"], "USUAL", USUAL)
    assert main(["league", "--json"]) == 0
    few = json.loads(capsys.readouterr().out)
    assert set(few["learners"]) == set(tiny_league.LABELS) & set(USUAL)
    assert main(["league", "--all", "--json"]) == 0
    everybody = json.loads(capsys.readouterr().out)
    assert set(everybody["learners"]) == set(tiny_league.LABELS)
    assert "sparring league --all" in Path(everybody["page"]).read_text()
    for name, world in few["worlds"].items():
        kept = {one["label"]: one["regret"] for one in everybody["worlds"][name]["standings"]}
        assert all(kept[one["label"]] == one["regret"] for one in world["standings"])
    assert "--all must be left out with" in refused_all(capsys)


def refused_all(capsys):
    assert main(["league", "--all", "--suite", "few"]) == 1
    return capsys.readouterr().err


def test_an_edited_learner_is_named_and_plays_alone(home, capsys):
    assert main(["league", "--learner", "my_file:Stubborn", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    text = (home / "my_file.py").read_text()
    (home / "my_file.py").write_text(text + "# edited\n")
    sys.modules.pop("my_file")
    assert main(["league", "--learner", "my_file:Stubborn"]) == 0
    printed = capsys.readouterr().out
    assert "only these were played again: my_file:Stubborn" in printed
    assert f"{len(WORLDS) * SMALL['quick'].runs} jobs played" in printed
    assert main(["league", "--learner", "my_file:Stubborn", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["played"] == 0 and again["worlds"] == first["worlds"]


def test_a_learner_that_fails_half_way_is_named_and_all_others_are_kept(home, capsys):
    learners = ["--learner", "my_file:Fragile", "my_file:Stubborn"]
    assert main(["league", *learners, "--json"]) == 1
    printed = capsys.readouterr()
    told = json.loads(printed.out)
    assert "entrant 'my_file:Fragile' failed on" in printed.err and "round 100" in printed.err
    assert "RuntimeError: I broke" in printed.err and "Traceback" not in printed.err
    assert set(told["failed"]) == {"my_file:Fragile"}
    assert "my_file:Stubborn" in told["ranking"]["mean_ranks"]
    assert "my_file:Fragile" not in told["learners"] and Path(told["page"]).exists()


def test_a_learner_that_prints_or_leaves_spoils_nothing(home, capsys):
    (home / "rude.py").write_text(
        "from my_file import Stubborn\n"
        "class Prints(Stubborn):\n"
        "    def __init__(self, problem, rng):\n"
        "        print('hello')\n"
        "        super().__init__(problem, rng)\n"
        "class Leaves(Stubborn):\n"
        "    def ask(self):\n"
        "        raise SystemExit(3)\n"
        "class LeavesAtOnce(Stubborn):\n"
        "    def __init__(self, problem, rng):\n"
        "        raise SystemExit(4)\n"
    )
    learners = ["rude:Prints", "rude:Leaves", "rude:LeavesAtOnce"]
    assert main(["league", "--learner", *learners, "--json", "--runs", "1"]) == 1
    printed = capsys.readouterr()
    told = json.loads(printed.out)
    assert set(told["failed"]) == set(learners[1:]) and "hello" in printed.err
    assert "in round 1: SystemExit: 3" in told["failed"]["rude:Leaves"]
    assert "when it was made: SystemExit: 4" in told["failed"]["rude:LeavesAtOnce"]
    sys.modules.pop("rude")


def refused(*arguments, capsys, code=1):
    """What it says about bad input; nothing may have been made."""
    assert main(["league", *arguments]) == code
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith("sparring: ")
    assert not Path("results").exists()
    return printed.err


def test_bad_input_is_refused_before_anything_is_played(home, capsys):
    (home / "bad.py").write_text("raise RuntimeError('no good')\n")
    (home / "odd.csv").write_text("a,b\n1\n")
    told = refused("--learner", "nowhere:make", capsys=capsys)
    assert "nowhere:make" in told and "nowhere.py" in told
    assert "'nothing'" in refused("--learner", "my_file:nothing", capsys=capsys)
    assert "The league has all" in refused("--learner", "dex3s", capsys=capsys)
    told = refused("--learner", "bad:make", capsys=capsys)
    assert "cannot be imported: RuntimeError: no good" in told
    (home / "leaves.py").write_text("raise SystemExit(7)\n")
    told = refused("--learner", "leaves:make", capsys=capsys)
    assert "cannot be imported: SystemExit: 7" in told
    assert "missing.csv" in refused("--data", "missing.csv", capsys=capsys)
    assert "odd.csv" in refused("--data", "odd.csv", capsys=capsys)
    assert "runs must be" in refused("--runs", "0", capsys=capsys)
    assert "--out must be" in refused("--out", "", capsys=capsys)


def test_the_command_line_explains_itself_and_knows_its_scales(tmp_path):
    done = sparring_command("league", "--help", cwd=tmp_path)
    assert done.returncode == 0 and "--learner" in done.stdout and "league-SCALE" in done.stdout
    done = sparring_command("league", "--scale", "huge", cwd=tmp_path)
    assert done.returncode == 2 and "invalid choice: 'huge'" in done.stderr


def test_the_rounds_may_be_as_many_as_one_has(home, capsys):
    assert main(["league", "--T", "1200", "--runs", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {world["T"] for world in told["worlds"].values()} == {1200}
    assert told["folder"].endswith("league-quick-T1200")
    assert "--T 1200" in Path(told["page"]).read_text()
    assert main(["league", "--T", "10"]) == 1
    assert "--T must be a whole number of at least 1000; got 10" in capsys.readouterr().err
