"""Experiments as values, the panels of the paper, and where the numbers of a job come from."""

import copy
import json
import math
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import polars
import pytest

import sparring
from sparring import Entrant, Problem, Regret, atomic
from sparring.lab import panels, results
from sparring.lab.experiments import Experiment, Job, run
from sparring.lab.experiments.running import table_of
from sparring.simulation import entry
from sparring.simulation.entrants import known
from sparring.simulation.match import COLUMNS, FURTHER
from worlds import ladder, random_matrices

pytestmark = [pytest.mark.core, pytest.mark.compiled]  # no kernel is tested here

BEST_RESPONSE = Regret("preference", "round")
GOOD = {
    "name": "mine",
    "title": "Mine",
    "axis": "T",
    "worlds": [sparring.FreshWinner(3, T, S=2) for T in (200, 400)],
    "entrants": {"DEX3.S": "dex3s", "RAND": "rand"},
    "regret": BEST_RESPONSE,
}
SMALL = panels.Scale(T=(8000, 9000), K=(3, 5), long=6000, S=(2, 4), V_T=(2, 4))
ALL = [(scale, name) for scale in ("quick", "full") for name in panels.panels(scale)]
every_panel = pytest.mark.parametrize(("scale", "name"), ALL, ids=lambda value: value)


def mine(**changes):
    return Experiment(**{**GOOD, **changes})


def matrices():
    return random_matrices(3, 3, np.random.default_rng(1))


@every_panel
def test_a_panel_is_a_value(scale, name):
    panel, again = panels.panels(scale)[name], panels.panels(scale)[name]
    assert panel is not again
    others = [other for key, other in panels.panels(scale).items() if key != name]
    for twin in (again, pickle.loads(pickle.dumps(panel)), copy.deepcopy(panel), replace(panel)):
        assert twin == panel and hash(twin) == hash(panel) and repr(twin) == repr(panel)
        assert twin.points == panel.points
    assert panel not in others and len({panel, again, *others}) == len(others) + 1
    assert name in repr(panel) and " at 0x" not in repr(panel)


@every_panel
def test_a_panel_goes_into_json_and_back(scale, name):
    panel = panels.panels(scale)[name]
    text = json.dumps(panel.to_json(), allow_nan=False)
    back = Experiment.from_json(json.loads(text))
    assert back == panel and hash(back) == hash(panel) and repr(back) == repr(panel)
    assert json.dumps(back.to_json()) == text


@every_panel
def test_a_panel_is_a_name_an_axis_and_a_guide_that_exist(scale, name):
    panel = panels.panels(scale)[name]
    assert panel.name == name and atomic.is_name(name)
    assert name.endswith(panel.axis) and panel.guide in panel.labels
    assert list(panel.points) == sorted(panel.points) and len(panel.points) >= 4
    assert set(panel.labels).isdisjoint({"irreducible", "lower bound"})


@pytest.mark.parametrize(
    "changes",
    [
        {"worlds": [sparring.Constant(ladder(3), T, label="x") for T in (10, 20)]},
        {
            "worlds": [
                sparring.worlds.Recorded(matrices(), T, arms=("a", "b", "c")) for T in (10, 20)
            ]
        },
        {
            "axis": "V_T",
            "worlds": [sparring.BudgetedDrift(3, 50, V_T=V_T) for V_T in (0.1, 0.1 + 0.2, 1e-7)],
        },
        {"entrants": {"tuned": Entrant("dex3s", tuning=sparring.Tuning(0.1, 0.3, 0.05, 1e-3))}},
        {"entrants": {"blind": Entrant("dex3s", S=None, corrected=True), "ü/√": "rand"}},
        {"entrants": ["rand", "rex3"]},
        {"entrants": sparring.rand},
        {"regret": Regret("borda", sparring.regret.Arms([0, 1], [10, 30]), "row")},
        {"regret": Regret("preference", sparring.regret.Mixture([0.5, 0.25, 0.25]))},
        {"title": "ü \\ √", "slope": 1 / 3, "guide": "RAND", "source": "Fig. 9", "lines": []},
        {"lines": ("irreducible",), "checkpoints": 7},
        {"worlds": iter(GOOD["worlds"])},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_an_experiment_of_ones_own_is_a_value_and_goes_into_json_and_back(changes):
    experiment = mine(**changes)
    twin = Experiment.from_json(json.loads(json.dumps(experiment.to_json())))
    for other in (twin, pickle.loads(pickle.dumps(experiment)), replace(experiment)):
        assert other == experiment and hash(other) == hash(experiment)
        assert repr(other) == repr(experiment)
    assert experiment != mine(name="another") and " at 0x" not in repr(experiment)


def test_an_experiment_cannot_be_changed_from_outside():
    worlds, entrants, lines = list(GOOD["worlds"]), dict(GOOD["entrants"]), ["irreducible"]
    experiment = mine(worlds=worlds, entrants=entrants, lines=lines)
    worlds.clear(), entrants.clear(), lines.clear()
    assert experiment == mine(lines=["irreducible"])
    with pytest.raises(FrozenInstanceError):
        experiment.name = "other"


class Bare:
    """A world without a to_json."""

    K, T = 3, 20

    def blocks(self, rng):
        yield sparring.Block(ladder(3)[None], np.array([20]))


class Sizeless:
    """No world: it has no K and no T."""

    def blocks(self, rng):
        yield sparring.Block(ladder(3)[None], np.array([20]))


def maker(problem, rng):
    return sparring.rand(problem.K, seed=rng)


BAD = [
    *(
        ({"name": name}, "name must be letters, digits.*got")
        for name in ("../x", "a/b", "a\\b", "", ".", "..", ".x", "a b", "a\n", "é", "x" * 101, 3)
    ),
    ({"name": None}, "name must be.*got None"),
    ({"axis": "N"}, "worlds must be one for each of some N; got"),
    ({"axis": "family"}, "worlds must be one for each of some family; got"),
    ({"axis": "a b"}, "axis must be the name of a number that all worlds have; got 'a b'"),
    ({"axis": ["T"]}, "axis must be the name of a number"),
    ({"axis": "S"}, "worlds must be one for each of some S; got"),
    ({"axis": "V_T"}, "worlds must be one for each of some V_T; got"),
    ({"worlds": []}, "worlds must be one for each of some T"),
    ({"worlds": GOOD["worlds"] * 2}, r"worlds must be one for each of some T; got \[200, 400, 2"),
    ({"worlds": [sparring.FreshWinner]}, r"world must be a world \(K, T, blocks\)"),
    ({"worlds": [Sizeless()]}, r"world must be a world \(K, T, blocks\)"),
    ({"worlds": [ladder(3)]}, r"world must be a world \(K, T, blocks\)"),
    ({"worlds": "FreshWinner"}, r"world must be a world \(K, T, blocks\)"),
    ({"worlds": GOOD["worlds"][0]}, "worlds must be"),
    ({"worlds": None}, "worlds must be"),
    ({"entrants": {"a": maker}}, "entrant 'a' must be a sparring.Entrant.*got.*Name it"),
    ({"entrants": maker}, "entrant 'maker' must be a sparring.Entrant"),
    ({"entrants": {"a": lambda p, r: None}}, "entrant 'a' must be a sparring.Entrant"),
    ({"entrants": {"a": "rexx"}}, "entrant 'a' must be one of"),
    ({"entrants": {"a": sparring.rand(3)}}, "entrant 'a' must be"),
    ({"entrants": {}}, "entrants must be one or more"),
    ({"entrants": ()}, "entrants must be one or more"),
    ({"entrants": None}, "entrants must be"),
    ({"entrants": {3: "rand"}}, "a label of the entrants must be a text"),
    ({"entrants": ["rand", "rand"]}, "labels of the entrants must be different"),
    ({"entrants": (("a", "rand"), ("a", "rex3"))}, "labels of the entrants must be different"),
    ({"regret": "stretch"}, "regret must be a sparring.Regret; got 'stretch'"),
    ({"regret": None}, "regret must be a sparring.Regret"),
    ({"lines": ("upper bound",)}, "lines must be among .*'irreducible'.*got"),
    ({"lines": "irreducible"}, "lines must be among"),
    ({"lines": None}, "lines must be"),
    ({"guide": "nobody"}, r"guide must be one of \['DEX3.S', 'RAND'\]; got 'nobody'"),
    ({"guide": ["RAND"]}, "guide must be"),
    ({"slope": "steep"}, "slope must be"),
    ({"slope": float("nan")}, "slope must be"),
    ({"slope": float("inf")}, "slope must be"),
    ({"title": 3}, "title must be"),
    ({"title": "two\nlines"}, "title must be a text on one line"),
    ({"entrants": {"a\x08": "rand"}}, "a label of the entrants must be a text on one line"),
    ({"name": "figures"}, "name must be"),
    ({"checkpoints": 0}, "checkpoints must be a whole number of at least 1"),
    ({"checkpoints": 2.5}, "checkpoints must be"),
    ({"checkpoints": None}, "checkpoints must be"),
    ({"checkpoints": 10**9}, "checkpoints must be at most"),
    ({"source": None}, "source must be"),
    ({"also": BEST_RESPONSE}, "also must be regrets other than"),
    ({"also": "borda"}, "also must be regrets other than"),
    ({"also": None}, "also must be"),
    ({"also": ["borda"]}, "also must be a sparring.Regret; got 'borda'"),
    ({"also": [BEST_RESPONSE]}, "also must be regrets other than the one that is drawn; got pref"),
    ({"also": [Regret("borda", "round")] * 2}, "also must be regrets other than"),
    ({"luck": None}, "luck must be a text on one line"),
    ({"luck": 3}, "luck must be"),
    ({"luck": "a\nb"}, "luck must be"),
    # A part could not tell such an entrant from the line.
    ({"entrants": {"irreducible": "rand"}, "lines": ["irreducible"]}, "label.*irreducible"),
    # Or the figure fails when all has been computed.
    ({"lines": ["lower bound"]}, "lines must be"),
]


@pytest.mark.parametrize(
    ("changes", "message"),
    BAD,
    ids=[f"{i}-{'-'.join(changes)}" for i, (changes, _) in enumerate(BAD)],  # no addresses
)
def test_bad_arguments_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        mine(**changes)


def test_names_of_learners_in_a_tuple_are_taken_as_simulate_takes_them():
    assert mine(entrants=("rand", "rex3")) == mine(entrants=["rand", "rex3"])


@pytest.mark.parametrize(
    "fields",
    [
        {},
        [],
        None,
        "x",
        {**mine().to_json(), "extra": 1},
        {**mine().to_json(), "worlds": None},
        {**mine().to_json(), "worlds": [{"world": "Nowhere"}]},
        {**mine().to_json(), "entrants": ["rand"]},
        {**mine().to_json(), "entrants": 2 * mine().to_json()["entrants"][:1]},
        {**mine().to_json(), "entrants": {"a": {"learner": "rexx", "options": {}}}},
        {**mine().to_json(), "regret": {}},
        {**mine().to_json(), "name": "../x"},
    ],
    ids=lambda fields: f"{fields!r:.20}",
)
def test_what_is_no_experiment_in_json_is_refused(fields):
    with pytest.raises(ValueError, match=r"not an? \w+ as|must be"):
        Experiment.from_json(fields)


def test_the_same_experiment_twice_is_played_once(tmp_path):
    ran = run([mine(), mine()], tmp_path, runs=2)
    assert (ran.jobs, ran.played) == (4, 4)
    assert run(mine(), tmp_path, runs=2)[:3] == (4, 0, ())


def test_a_world_without_json_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match=r"worlds must be worlds with a to_json; got.*lab.world"):
        run(mine(worlds=[Bare()]), tmp_path / "out", runs=1)
    assert not (tmp_path / "out").exists()


class Own(Bare):
    """A world with a to_json that `world_from_json` does not read."""

    def to_json(self):
        return {"world": "Own"}


def test_a_world_that_json_does_not_bring_back_is_refused_before_anything_is_played(tmp_path):
    with pytest.raises(ValueError, match="worlds must be"):
        run(mine(worlds=[Own()], entrants="rand"), tmp_path / "out", runs=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"entrants": {"a": Entrant("dex3s", S=np.int64(2))}},
        {"checkpoints": np.int64(5)},
        {"worlds": [sparring.FreshWinner(np.int64(3), np.int64(200), S=np.int64(2))]},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_numbers_of_numpy_are_numbers(tmp_path, changes):
    experiment = mine(**changes)
    assert Experiment.from_json(json.loads(json.dumps(experiment.to_json()))) == experiment
    assert run(experiment, tmp_path, runs=1).played == len(experiment.worlds)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"runs": 0}, "runs must be a whole number of at least 1"),
        ({"runs": 2.5}, "runs must be"),
        ({"runs": None}, "runs must be"),
        ({"runs": 10**9}, "runs must be at most"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"seed": "x"}, "seed must be"),
        ({"seed": 2**63}, "seed must be at most"),
        ({"executor": 2}, "executor must be a concurrent.futures.Executor or None; got 2"),
        ({"progress": "yes"}, "progress must be True or False"),
        ({"experiments": "static-vs-T"}, "experiments must be"),
        ({"experiments": [mine(), 3]}, "experiments must be"),
        ({"experiments": [mine(), mine(title="Other")]}, "mine"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else value[:30],
)
def test_bad_arguments_of_run_are_refused_before_anything_is_written(tmp_path, changes, message):
    arguments = {"experiments": mine(), "runs": 1, **changes}
    with pytest.raises((ValueError, results.ResultsError), match=message):
        run(arguments.pop("experiments"), tmp_path / "out", **arguments)
    assert not (tmp_path / "out").exists()


PRINTED = {  # Sec. 7: the world, what is drawn, the dotted lines along T and K, the figure
    "static": (sparring.GaussianWalk, {"sigma": 0.002}, "horizon", (1 / 2, 1 / 2), 2),
    "switching": (sparring.SwitchingWalk, {"S": 10, "sigma": 0.05}, "stretch", (1 / 2, 1 / 2), 3),
    "continuous": (sparring.BudgetedDrift, {"V_T": 10}, "round", (2 / 3, 1 / 3), 4),
}
BASELINES = {"RAND": Entrant("rand"), "REX3": Entrant("rex3"), "DEX3.P": Entrant("dex3p")}


@pytest.mark.parametrize("axis", ["T", "K"])
@pytest.mark.parametrize("kind", PRINTED)
def test_the_six_panels_of_the_paper_are_as_printed(kind, axis):
    world, sizes, benchmark, slopes, figure = PRINTED[kind]
    panel = panels.panels("full")[f"{kind}-vs-{axis}"]
    assert panel.axis == axis
    if axis == "T":
        assert panel.points[0] == 10**4 and panel.points[-1] == 10**6
        assert list(panel.worlds) == [world(K=10, T=T, **sizes) for T in panel.points]
    else:
        assert list(panel.worlds) == [world(K=K, T=10**6, **sizes) for K in panel.points]
    assert panel.regret == Regret("preference", benchmark, "both")
    assert panel.slope == dict(zip("TK", slopes, strict=True))[axis]
    assert panel.source == f"Fig. {figure} ({'a' if axis == 'T' else 'b'})"
    entrants = dict(panel.entrants)
    entrants.pop("DEX3.S corrected", None)  # ours, and said so
    ours = {} if kind == "static" else {"DEX3.S": Entrant("dex3s")}
    assert entrants == {**BASELINES, **ours}
    assert panel.guide == ("DEX3.P" if kind == "static" else "DEX3.S")


@every_panel
def test_every_learner_of_every_panel_is_within_its_theorem(scale, name):
    """A tuning outside would warn, and warnings are errors here."""
    panel = panels.panels(scale)[name]
    for world in panel.worlds:
        for _, entrant in panel.entrants:
            entrant(known(world), np.random.default_rng(1))


def test_the_paper_has_six_panels_and_ten_runs():
    full = panels.panels("full").values()
    printed = {f"{kind}-vs-{axis}" for kind in PRINTED for axis in "TK"}
    assert {panel.name for panel in full if panel.source} == printed
    assert panels.SCALES["full"].runs == 10
    with pytest.raises(ValueError, match=r"scale must be one of .*'full'.*got 'huge'"):
        panels.panels("huge")


def learner_of(panel, label, number=-1):
    world, rng = panel.worlds[number], np.random.default_rng(1)
    problem = Problem(world.K, world.T, getattr(world, "S", None), getattr(world, "V_T", None))
    return dict(panel.entrants)[label](problem, rng)


def test_each_learner_of_the_paper_is_tuned_by_the_theorem_of_its_panel():
    full, K, T = panels.panels("full"), 10, 10**6
    rex = learner_of(full["static-vs-T"], "REX3").tuning
    assert rex.gamma == pytest.approx(math.sqrt(2 * K * math.log(K) / (math.e * T)))
    static = learner_of(full["static-vs-T"], "DEX3.P").tuning  # Thm 3.3
    assert static.gamma == pytest.approx(math.sqrt(K * math.log(K) / T)) and static.alpha == 0
    switching = learner_of(full["switching-vs-T"], "DEX3.S").tuning  # Thm 4.1
    assert switching.gamma == pytest.approx(2 * math.sqrt(10 * K / T))
    assert switching.eta == pytest.approx(math.sqrt(10 / (K * T)))
    assert switching.alpha == pytest.approx(1 / T)
    drift = learner_of(full["continuous-vs-T"], "DEX3.S").tuning  # Thm 4.4
    assert drift.gamma == pytest.approx((10 * K / T) ** (1 / 3) / 2)
    assert drift.eta == pytest.approx(10 ** (1 / 3) / (4 * K ** (2 / 3) * T ** (1 / 3)))
    assert drift.alpha == pytest.approx(1 / T)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Every panel, small, into a folder."""
    folder, chosen = tmp_path_factory.mktemp("panels"), panels.panels(SMALL)
    run(list(chosen.values()), folder, runs=2, seed=11)
    return {name: (panel, results.Shelf(folder / name).read()) for name, panel in chosen.items()}


@pytest.mark.compiled
@pytest.mark.parametrize("name", panels.panels("quick"))
def test_the_numbers_of_a_job_are_those_of_simulate_and_describe(played, name):
    panel, contents = played[name]
    lines = "irreducible" in panel.lines
    assert Experiment.from_json(contents.about["experiment"]) == panel
    assert set(contents.table["panel"]) == {name} and not contents.damaged
    groups = contents.table.partition_by("x", "run", as_dict=True, maintain_order=True)
    assert list(groups) == [(float(x), number) for x in panel.points for number in (0, 1)]
    for world, x in zip(panel.worlds, panel.points, strict=True):
        for number in (0, 1):
            expected = sparring.simulate(
                world,
                dict(panel.entrants),
                panel.regret,
                runs=[number],
                seed=11,
                checkpoints=40,
                experiment=name,
            )
            part = groups[float(x), number]
            assert part.columns == ["panel", "x", *expected.columns, "seconds"]
            learners = part[: len(expected)].select(expected.columns)
            assert learners.equals(expected, null_equal=False)
            assert len(part) == len(expected) + lines
            each = part[: len(expected)].select("entrant", "seconds").unique()
            assert len(each) == len(panel.labels) and each["seconds"].min() > 0
            if lines:
                forced = sparring.describe(world, 11, run=number, experiment=name)
                row = part.row(-1, named=True)
                assert (row["entrant"], row["t"], row["run"]) == ("irreducible", world.T, number)
                assert row["value"] == forced.irreducible > 0


def test_a_job_is_one_run_at_one_point():
    job = Job(mine(), 400, 7, 3)
    assert job.world == GOOD["worlds"][1] and job.name.startswith("T=400/run-00007-")
    assert job.work > Job(mine(), 200, 7, 3).work
    rows = job().rows
    expected = sparring.simulate(
        job.world,
        GOOD["entrants"],
        BEST_RESPONSE,
        runs=[7],
        seed=3,
        checkpoints=40,
        experiment="mine",
    )
    assert rows == expected.rows() == pickle.loads(pickle.dumps(job))().rows


def test_another_name_another_seed_and_another_run_are_other_luck():
    base = Job(mine(), 400, 0, 0)
    others = [
        Job(mine(name="b"), 400, 0, 0),
        base._replace(seed=1),
        base._replace(run=1),
    ]
    values = [[row[9] for row in job().rows] for job in (base, *others)]
    assert all(values.count(value) == 1 for value in values)


ALSO = (Regret("borda", "stretch"), Regret("preference", "condorcet", "weak"))


def test_regrets_noted_beside_and_luck_go_into_json_and_back():
    experiment = mine(also=list(ALSO), luck="clover 7")
    assert experiment.also == ALSO and hash(experiment) == hash(mine(also=ALSO, luck="clover 7"))
    again = Experiment.from_json(json.loads(json.dumps(experiment.to_json())))
    assert again == experiment != mine()
    assert pickle.loads(pickle.dumps(experiment)) == experiment


def test_an_experiment_written_before_there_was_luck_is_read():
    old = {name: part for name, part in mine().to_json().items() if name not in ("also", "luck")}
    assert Experiment.from_json(old) == mine()


def values(job, label, regret):
    """The curve of an entrant in one regret."""
    named = [dict(zip((*COLUMNS, *FURTHER), row, strict=True)) for row in job().rows]
    return [
        (row["t"], row["value"], row["undefined"])
        for row in named
        if (row["entrant"], row["regret"]) == (label, str(regret))
    ]


def test_regrets_noted_beside_change_nothing_and_are_those_of_an_experiment_of_their_own():
    several = Job(mine(also=ALSO), 400, 1, 3)
    for regret in (BEST_RESPONSE, *ALSO):
        alone = Job(mine(regret=regret), 400, 1, 3)
        for label in ("DEX3.S", "RAND"):
            assert values(several, label, regret) == values(alone, label, regret) != []


@pytest.mark.parametrize("number", [0, 1, 4])
def test_experiments_of_the_same_luck_meet_the_same_paths_and_coins(number):
    """Run by run, whoever else plays: under the same label a learner has the same regret."""
    first = Job(mine(name="a", luck="same"), 400, number, 3)
    later = Job(
        mine(name="b", luck="same", entrants={"RAND": "rand", "me": "rex3"}), 400, number, 3
    )
    named = Job(mine(name="same"), 400, number, 3)  # the luck of a name is the name
    other = Job(mine(name="a", luck="other"), 400, number, 3)
    curve = values(first, "RAND", BEST_RESPONSE)
    assert curve == values(later, "RAND", BEST_RESPONSE) == values(named, "RAND", BEST_RESPONSE)
    assert curve != values(other, "RAND", BEST_RESPONSE)


def test_a_learner_that_always_plays_two_arms_meets_the_same_coins_under_any_label():
    """Its wins are the coins, which no label and no other entrant changes."""

    def seen(name, label):
        heard = []

        class Stubborn:
            K, p = 3, np.full((2, 3), 1 / 3)

            def ask(self):
                return sparring.Duel(1, 0, 1, self.p)

            def tell(self, duel, outcome):
                heard.append(outcome)

        world = GOOD["worlds"][0]
        entrants = {label: lambda problem, rng: Stubborn(), "other": "rand"}
        sparring.simulate(world, entrants, BEST_RESPONSE, runs=[2], seed=3, experiment=name)
        return heard

    assert seen("same", "x") == seen("same", "y") != seen("else", "x")


@pytest.mark.parametrize("luck", ["", "clover"])
def test_the_irreducible_line_is_of_the_regret_that_is_drawn_and_of_the_same_path(luck):
    worlds = [sparring.BudgetedDrift(3, 200, V_T=2)]
    with_line = {"worlds": worlds, "entrants": "rand", "lines": ["irreducible"], "luck": luck}
    job = Job(mine(**with_line, also=ALSO), 200, 1, 3)
    row = dict(zip((*COLUMNS, *FURTHER), job().rows[-1], strict=True))
    forced = sparring.describe(worlds[0], 3, run=1, experiment=luck or "mine")
    assert (row["entrant"], row["regret"]) == ("irreducible", str(BEST_RESPONSE))
    assert (row["value"], row["V_T"]) == (forced.irreducible, forced.V_T)
    assert job().rows[-1] == Job(mine(**with_line), 200, 1, 3)().rows[-1]


def test_seconds_are_each_learners_own():
    """In the part each row has those of its entrant; a line, which nobody plays, has none."""
    worlds = [sparring.BudgetedDrift(3, 200, V_T=2)]
    job = Job(mine(worlds=worlds, lines=["irreducible"], also=ALSO), 200, 0, 0)
    played = job()
    assert played.seconds.keys() == {"DEX3.S", "RAND"} and min(played.seconds.values()) > 0
    for row in table_of(job, played).iter_rows(named=True):
        assert row["seconds"] == played.seconds.get(row["entrant"])


class Clock:
    """The module `time` for a match: an hour passes between two looks at the wall."""

    def __init__(self, tick):
        self._tick, self._wall, self._processor = tick, 0.0, 0.0

    def perf_counter(self):
        self._wall += 3600.0
        return self._wall

    def thread_time(self):
        self._processor += self._tick
        return self._processor


def test_seconds_are_processor_time(monkeypatch):
    """Two looks at the clock of the thread for each of the 40 pieces, and none at the wall."""
    monkeypatch.setattr(entry, "time", Clock(0.25))
    assert Job(mine(), 200, 0, 0)().seconds == {"DEX3.S": 10.0, "RAND": 10.0}


def test_what_is_too_short_for_the_clock_is_not_told(monkeypatch):
    """A coarse clock may not have ticked at all; the part still joins those that have seconds."""
    monkeypatch.setattr(entry, "time", Clock(0.0))
    job = Job(mine(), 200, 0, 0)
    played = job()
    assert played.seconds == {}
    table = table_of(job, played)
    assert table["seconds"].null_count() == len(table)
    monkeypatch.undo()
    assert polars.concat([table, table_of(job, job())])["seconds"].max() > 0


# docs/errata.md, the bounds E7 to E9, written once more from their formulas.
C8 = 8 * math.log(4 / 3)


def simple(K, T, D, V_T=None):
    """The bound of the simple family with segments of D rounds."""
    return best(T, D, V_T, rho=(K - 1) / K, b=math.sqrt(C8 * D / K))


def paper(K, T, D, V_T=None):
    """The bound of the paper's family, with the sharper constant."""
    return best(T, D, V_T, rho=(K - 2) / (K - 1), b=math.sqrt(4 * math.log(3) * D / (K - 1)))


def best(T, D, V_T, *, rho, b):
    changes = math.ceil(T / D) - 1
    epsilon = min(0.25, rho / (2 * b))
    if V_T is not None and changes:
        epsilon = min(epsilon, V_T / (2 * changes))
    return T * epsilon * (rho - b * epsilon)


@pytest.mark.parametrize(("family", "formula"), [("simple", simple), ("paper", paper)])
def test_the_lower_bound_of_switches_is_the_formula(family, formula):
    for K in (3, 4, 10, 77):
        for T, S in ((1, 1), (7, 3), (100, 1), (1000, 7), (10**4, 10), (10**6, 10), (12, 12)):
            world = sparring.CondorcetSwitches(K, T, S=S, family=family)
            assert world.lower_bound == pytest.approx(formula(K, T, math.ceil(T / S)), rel=1e-12)
    if family == "simple":
        world = sparring.CondorcetSwitches(2, 1000, S=5)
        assert world.lower_bound == pytest.approx(simple(2, 1000, 200), rel=1e-12)


@pytest.mark.parametrize(("family", "formula"), [("simple", simple), ("paper", paper)])
def test_the_lower_bound_of_a_budget_is_the_best_of_all_lengths_of_segments(family, formula):
    for K in (3, 10, 40):
        for T in (1, 2, 3, 17, 100, 997, 3600):
            for V_T in (0.0, 0.01, 0.3, 1.0, 4.7, 50.0):
                if V_T > T:
                    continue
                world = sparring.CondorcetSwitches(K, T, V_T=V_T, family=family)
                bound = max(formula(K, T, D, V_T) for D in range(1, T + 1))
                assert world.lower_bound == pytest.approx(bound, rel=1e-12), (K, T, V_T)


@pytest.mark.parametrize(
    ("family", "sizes", "expected"),
    [  # the table of errata.md, section 5
        ("simple", {"S": 10}, (133, 422, 1335)),
        ("simple", {"V_T": 10}, (355, 1646, 7632)),
    ],
)
def test_the_lower_bounds_are_those_of_the_table_of_the_errata(family, sizes, expected):
    for T, bound in zip((10**4, 10**5, 10**6), expected, strict=True):
        world = sparring.CondorcetSwitches(10, T, family=family, **sizes)
        assert round(world.lower_bound) == bound


def test_the_lower_bound_with_a_given_epsilon_is_the_formula_or_nothing():
    rho, b = 0.9, math.sqrt(C8 * 100 / 10)
    for epsilon in (0.001, 0.02, 0.09, 0.2, 0.25):
        world = sparring.CondorcetSwitches(10, 1000, S=10, epsilon=epsilon)
        bound = max(0.0, 1000 * epsilon * (rho - b * epsilon))
        assert world.lower_bound == pytest.approx(bound, rel=1e-12)
    assert sparring.CondorcetSwitches(10, 1000, S=10, epsilon=0.3).lower_bound == 0
