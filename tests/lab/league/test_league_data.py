"""A league on data: many noisy periods, few changes of the best arm, and what learners are told."""

import numpy as np
import pytest

import sparring
from places import DATA
from sparring import Entrant, Problem, Regret, simulate
from sparring.lab.experiments import Experiment, Job, run
from sparring.lab.league import given, read, suite, wording
from sparring.lab.league.contenders import ORACLE, contenders
from sparring.lab.league.detection import detected
from sparring.lab.league.suite import experiments
from sparring.simulation.entrants import known
from sparring.streams import keyed
from sparring.worlds import Recorded

pytestmark = pytest.mark.compiled  # no kernel is tested here

PARTIES = ("M", "L", "C", "KD", "S", "V", "MP", "SD")
PERIODS, T = 60, 6000
LEADERS = [0] * 20 + [2] * 25 + [1] * 15
TOLD = Problem(3, T, S=3)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Strengths of three arms in 60 periods, each with noise of its own; the best changes twice."""
    rng, path = np.random.default_rng(1), tmp_path_factory.mktemp("data") / "polls.csv"
    strengths = rng.uniform(10, 12, (PERIODS, 3))
    strengths[np.arange(PERIODS), LEADERS] += 8
    rows = [f"{month},{a},{b},{c}" for month, (a, b, c) in enumerate(strengths.tolist())]
    path.write_text("\n".join(["month,tea,coffee,water", *rows, ""]))
    return sparring.worlds.world_from_csv(path, T, columns="tea,coffee,water")


def test_learners_are_told_how_often_the_best_arm_changes(world):
    fixture = given("polls", world)
    assert (world.S, known(world).S) == (PERIODS, PERIODS)  # of the matrices, as before
    assert world.winner_changes == fixture.changes == (2001, 4501)
    assert fixture.told == TOLD
    assert str(fixture.regret) == "preference/stretch"  # what is charged does not change
    (experiment,) = experiments([fixture])
    assert experiment.told == TOLD
    assert Experiment.from_json(experiment.to_json()) == experiment


def test_what_is_told_is_what_is_played(world):
    """SYM-EXP3.S has the very regret that it has if it is told S = 3 by hand."""
    (experiment,) = experiments([given("polls", world)])
    rows = Job(experiment, T, 0, 5)().rows
    value = next(row[9] for row in rows if row[1] == "SYM-EXP3.S" and row[8] == T)
    by_hand = simulate(
        world,
        {"SYM-EXP3.S": Entrant("sym_exp3s", S=3)},
        Regret("preference", "stretch"),
        runs=[0],
        seed=5,
        experiment=experiment.luck,
    )
    assert value == by_hand["value"].item()


def test_a_learner_of_ones_own_is_told_the_same(world, tmp_path, monkeypatch):
    text = (
        "import sparring\n"
        "def make(problem, rng):\n"
        "    assert problem.S == 3, problem\n"
        "    return sparring.rand(problem.K, seed=rng)\n"
    )
    (tmp_path / "asks_for_three.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    own = {"mine": Entrant("asks_for_three:make")}
    (experiment,) = experiments([given("polls", world)], own)
    assert experiment.labels[-1] == "mine"
    Job(experiment.only({"mine"}), T, 0, 0)()


def test_the_yardstick_begins_anew_when_the_best_arm_changes(world):
    options = dict(contenders(given("polls", world))[ORACLE].options)
    assert options["changes"] == (2001, 4501)


def test_alarms_are_judged_by_changes_of_the_best_arm(world, tmp_path):
    (experiment,) = experiments([given("polls", world)], only=["ANACONDA", "metaswift", "RUCB"])
    assert experiment.labels == ("RAND", "RUCB", "ANACONDA", "METASWIFT")
    run(experiment, tmp_path, runs=2)
    found = detected(read(tmp_path))
    assert {one.label for one in found} == {"ANACONDA", "METASWIFT"}
    assert {one.changes for one in found} == {4}  # two in each run


def alarms(entrant, label, luck, world):
    """Its alarms in run 1, looked for after every round."""
    sizes = {"K": world.K, "T": world.T, "run": 1, "experiment": luck}
    path, coins = (keyed(0, purpose, **sizes) for purpose in ("path", "coins"))
    learner = entrant(known(world), keyed(0, "learner", label=label, **sizes))
    found = {}
    for block in world.blocks(path):
        for P, hold in zip(*block, strict=True):
            for coin in coins.random(hold):
                learner.play(sparring.Block(P[None], np.array([1])), np.array([coin]))
                found.update(dict.fromkeys(learner.alarms[-1:]))
    return tuple(found)


def test_alarms_are_noted_in_the_run_that_is_charged(tmp_path):
    """They are those of the learner alone on this path, and cost no second run."""
    world, label = sparring.FreshWinner(3, 6000, S=3, margin=0.45), "ANACONDA"
    (experiment,) = experiments([given("fresh", world)], only=[label])
    assert run(experiment, tmp_path, runs=2).played == 2
    (meeting,) = read(tmp_path).meetings
    expected = alarms(dict(experiment.entrants)[label], label, experiment.luck, world)
    assert meeting.alarms(label)[1] == expected != ()


def test_a_reader_is_told_what_learners_were_told(world, tmp_path):
    (experiment,) = experiments([given("polls", world)])
    run(experiment, tmp_path, runs=1)
    league = read(tmp_path)
    assert league.given[0].told == TOLD
    assert wording.histories(league) == [
        "polls: its preferences change 59 times, its best arm changes 2 times; learners are told "
        "S = 3."
    ]


def test_worlds_of_the_league_are_told_as_they_state_it():
    for fixture in suite("quick").values():
        assert fixture.told == known(fixture.world)
        assert fixture.changes == getattr(fixture.world, "changes", None)
        assert experiments([fixture])[0].told is None


def test_a_world_that_moves_all_the_time_is_told_its_variation(world):
    moving = Recorded(world.matrices, T, interpolate=True)
    assert moving.winner_changes is None
    fixture = given("polls", moving)
    assert fixture.told == known(moving) and fixture.told.V_T == moving.V_T
    assert fixture.changes is None


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (Problem(3, T + 1, S=3), r"told must be of the world's K = 3 and T = 6000"),
        (Problem(4, T, S=3), r"told must be of the world's K = 3 and T = 6000"),
        (3, "told must be a sparring.Problem"),
    ],
)
def test_nobody_is_told_of_another_world(world, told, message):
    regret = Regret("preference", "stretch")
    with pytest.raises(ValueError, match=message):
        Experiment("mine", "Mine", "T", [world], "rand", regret, told=told)


@pytest.mark.skipif(not DATA.is_dir(), reason="shared/data is not beside the repository")
@pytest.mark.parametrize(
    ("file", "columns", "periods", "changes"),
    [
        ("swedish_polls/monthly_support", PARTIES, 240, 10),
        ("swedish_polls/monthly_support", [f"{party}_smooth" for party in PARTIES], 240, 6),
        ("nfl/pref_season", ["p_bt"], 43, 22),
        ("nfl/pref_season", ["p_shrunk"], 43, 23),
    ],
)
def test_best_arms_of_real_data_change_as_its_readme_says(file, columns, periods, changes):
    world = sparring.worlds.world_from_csv(DATA / f"{file}.csv", 24_000, columns=columns)
    assert periods == world.S
    assert len(given("data", world).changes) == changes
