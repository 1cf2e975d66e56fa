"""Few votes: the worlds, who plays there, and how often favourites are right beside regret."""

import json
import sys

import numpy as np
import pytest

import sparring
import sparring.lab.league
from sparring import Entrant, Problem
from sparring.lab import measures
from sparring.lab.draw import league_figures
from sparring.lab.experiments import Experiment, run
from sparring.lab.league import advise, experiments, favourites, few, rank, read, suite
from sparring.lab.league.advice import kind_of
from sparring.lab.league.contenders import BY_LABEL, FEW, ORACLE, QUARTER, contenders
from sparring.lab.league.few import ARMS, CASES, KINDS, MARGINS, ROUNDS
from sparring.lab.page import league_page as page
from sparring.lab.results import Shelf
from sparring.learners import Counting
from sparring.simulation.observers import FAVOURITE
from sparring_cli import main

pytestmark = pytest.mark.compiled  # no kernel is tested here

PLAYED = ("few-stays-K5-T500-0.2", "few-changes-K5-T500-0.2", "few-wanders-K5-T500-0.2")
SILENT = "own_learners:Stubborn"  # it couples its arms, and tells no favourite


def test_every_case_is_there_once():
    assert len(few()) == len(KINDS) * len(ARMS) * len(ROUNDS) * len(MARGINS) == 54
    assert not few().keys() & suite("quick").keys()
    for name, fixture in few().items():
        case, world = CASES[name], fixture.world
        assert (world.K, world.T, world.margin) == (case.K, case.T, pytest.approx(case.margin))
        if case.kind == "wanders":
            assert world.handovers == 3 and fixture.benchmark == "round"
        else:
            assert (1 if case.kind == "stays" else 4) == world.S and fixture.benchmark == "stretch"
        (experiment,) = experiments([fixture])
        assert experiment.favourites and experiment.checkpoints == 10
        assert Experiment.from_json(json.loads(json.dumps(experiment.to_json()))) == experiment
    assert len({kind_of(fixture) for fixture in few().values()}) == 3


def test_everybody_of_the_field_plays_everywhere():
    labels = {contender.label for contender in FEW}
    for fixture in few().values():
        yardstick = set() if CASES[fixture.name].kind == "wanders" else {ORACLE}
        assert contenders(fixture).keys() == labels | yardstick
    assert labels < BY_LABEL.keys()


def test_the_long_league_is_as_it_was():
    for fixture in suite("quick").values():
        (experiment,) = experiments([fixture])
        assert not experiment.favourites and experiment.checkpoints == 40
        assert QUARTER.label not in experiment.labels


def test_a_quarter_of_the_rounds_is_remembered(rng):
    learner = QUARTER.entrant(Problem(5, 2000, S=4), rng)
    again = Counting(5, rule="thompson", window=500, seed=1)
    assert repr(learner) == repr(again)
    name = QUARTER.call.replace("K, ", "5, ").replace("T //", "2000 //")
    assert repr(eval(name, {"sparring": sparring})) == repr(again)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three of the worlds, and a learner that tells nothing."""
    here = tmp_path_factory.mktemp("few")
    own = {"silent": Entrant(SILENT)}
    run(experiments([few()[name] for name in PLAYED], own), here, runs=4)
    return here


@pytest.fixture(scope="module")
def league(folder):
    return read(folder)


def test_shares_are_those_of_the_parts(folder, league):
    found = favourites.scores(league, favourites.parts(league))
    assert {"all", *KINDS, "T = 500", "K = 5"} == found["D-TS"].keys()
    values = []
    for name in PLAYED:
        table = Shelf(folder / f"league-{name}").read().table
        mine = table.filter(regret=FAVOURITE, entrant="D-TS")
        values.append(np.array(mine.sort("t", "run")["value"].to_list()).reshape(10, 4))
        kind = found["D-TS"][CASES[name].kind]
        assert kind.right == measures.share(values[-1][-1])
        assert kind.over.value == pytest.approx(values[-1].mean())
        meeting = next(one for one in league.meetings if one.name == name)
        assert kind.to_chance.value == pytest.approx(meeting.ratio("D-TS", "RAND").value)
    every = found["D-TS"]["all"]
    assert every.right == measures.share(np.concatenate([some[-1] for some in values]))
    assert every.over.value == pytest.approx(np.mean(values)) and every.runs == 12


def test_who_tells_no_favourite_has_no_share_and_who_lacks_a_world_no_score(league):
    found = favourites.scores(league, favourites.parts(league))
    assert found["silent"]["all"].runs == 0 and np.isnan(found["silent"]["all"].right.value)
    assert found["silent"]["all"].to_chance.value > 0
    assert found[ORACLE]["all"] is None and found[ORACLE]["stays"].runs == 4
    order = [by_part["all"].right.value for by_part in found.values() if by_part["all"]]
    known = [value for value in order if value == value]
    assert known == sorted(known, reverse=True)


def test_favourites_are_on_the_page_and_in_a_figure(league):
    ranking = rank(league)
    text = page(league, ranking, advise(league), command="sparring league --suite few")
    assert 'id="favourites"' in text and "Wilson" in text
    assert text.count("by arms and rounds</summary>") == 3
    assert set(league_figures(league, ranking)) == {
        "league-favourites",
        "league-ranks",
        "league-speed",
    }


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    some = {name: few()[name] for name in PLAYED}
    monkeypatch.setattr(sparring.lab.league, "few", lambda: some)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def test_the_command_shows_shares_beside_regret_and_goes_on_where_it_was(home, capsys):
    assert main(["league", "--suite", "few", "--runs", "2", "--learner", SILENT]) == 0
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert "Right favourites in the end" in printed and "Regret in percent of RAND's" in printed
    assert max(map(len, lines)) <= 80 or all(str(home) in line for line in lines if len(line) > 80)
    assert "Mean ranks over 3 worlds" in printed and "World by world" not in printed
    assert main(["league", "--suite", "few", "--runs", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["suite"], told["jobs"], told["played"]) == ("few", 9, 3)
    mine = told["favourites"]["D-TS"]
    assert mine["worlds"].keys() == set(PLAYED) and mine["parts"].keys() >= {"all", *KINDS}
    assert mine["parts"]["all"]["runs"] == 9
    assert 0 <= mine["parts"]["all"]["right"]["low"] <= mine["parts"]["all"]["right"]["high"] <= 1
    assert (
        "sparring league --suite few --runs 3"
        in (home / "results/league-few-quick/league.html").read_text()
    )


@pytest.mark.parametrize("option", [["--T", "5000"], ["--data", "polls.csv"]])
def test_what_does_not_fit_few_votes_is_refused(home, capsys, option):
    assert main(["league", "--suite", "few", *option]) == 1
    told = capsys.readouterr().err
    assert f"{option[0]} must be left out with --suite few" in told and "--suite long" in told
    assert not (home / "results").exists()
