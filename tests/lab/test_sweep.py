"""Experiments for anybody: worlds of one's own by name, any grid as one table, and their page."""

import importlib
import json
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import polars
import pytest

import sparring
from command import sparring as command
from sparring import Entrant, FreshWinner, lab, simulate
from sparring.lab import joining, summaries
from sparring.lab.experiments.given import from_json
from sparring.simulation import own

pytestmark = [pytest.mark.oldest, pytest.mark.compiled]  # no kernel is tested here

MINE = '''
"""A world and a learner of somebody's own."""

import numpy as np

import sparring
from sparring import lab


class TwoGroups:
    """Two groups that take turns, every so many rounds."""

    def __init__(self, K, T, every=100, margin=0.3):
        self.K, self.T, self.every = K, T, every
        self.S = -(-T // every)
        self.changes = tuple(range(every + 1, T + 1, every))
        self.margin = margin

    def blocks(self, rng):
        for s in range(self.S):
            P = np.full((self.K, self.K), 0.5)
            P[s % 2], P[:, s % 2] = 0.5 + self.margin, 0.5 - self.margin
            P[s % 2, s % 2] = 0.5
            yield sparring.Block(P[None], np.array([min(self.every, self.T - s * self.every)]))


def learner(problem, rng, memory=200):
    return sparring.learners.steady(problem.K, memory=memory, seed=rng)


def grid():
    return lab.Sweep(
        [lab.world("mine:TwoGroups", K=3, T=300, every=every) for every in (50, 100)]
        + [sparring.FreshWinner(3, 300, S=2)],
        {"mine": lab.entrant("mine:learner", memory=100), "RAND": "rand"},
        ["dynamic", "static"],
    )
'''


SLOW = """
import time
import numpy as np
from sparring import Duel

compiled = []

class Slow:
    def __init__(self, problem, rng):
        self.K, self.p, self.t = problem.K, np.empty((0, problem.K)), 0

    def ask(self):
        end = time.thread_time() + (0.0 if compiled else 0.4)
        while time.thread_time() < end:
            pass
        compiled.append(True)
        self.t += 1
        return Duel(self.t, 0, 1, self.p)

    def tell(self, duel, outcome):
        pass
"""


ODD = """
import numpy as np
import sparring

class World:
    K, T = 2, 50

    def __init__(self, **options):
        pass

    def blocks(self, rng):
        yield sparring.Block(np.full((1, 2, 2), 0.5), np.array([50]))
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with a module, from which Python imports while the test runs."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    yield tmp_path
    for module in ("mine", "odd", "even"):
        sys.modules.pop(module, None)
    own._known.clear()


def edited(home, old, new):
    """The module with another text, as another process would find it."""
    (home / "mine.py").write_text((home / "mine.py").read_text().replace(old, new))
    sys.modules.pop("mine", None)
    importlib.invalidate_caches()
    for compiled in home.glob("__pycache__/mine*"):
        compiled.unlink()


def groups(every=100, **options):
    return lab.world("mine:TwoGroups", K=3, T=300, every=every, **options)


def sweep(home, worlds=None, entrants=None, **options):
    usual = {"mine": lab.entrant("mine:learner", memory=100), "RAND": "rand"}
    worlds = worlds or [groups(50), groups(100), FreshWinner(3, 300, S=2)]
    options = {"runs": 3, "folder": home / "results", **options}
    return lab.sweep(worlds, entrants or usual, ["dynamic", "static"], **options)


def test_answers_of_a_world_of_ones_own_may_be_late(home):
    """It is stored by name inside its wrapper, comes back, and its answers are late."""
    late = sparring.worlds.Late(groups(), mean=400, law="fixed")
    assert from_json(json.loads(json.dumps(late.to_json()))) == late
    assert late.name == "Late(TwoGroups(every=100), mean=400.0, law='fixed')"
    table = sweep(home, [late, groups()])
    by_world = {
        name: table.filter((table["world"] == name) & (table["entrant"] == "mine"))["value"]
        for name in (late.name, groups().name)
    }
    assert not by_world[late.name].equals(by_world[groups().name])
    again = sweep(home, [late, groups()])
    assert again.equals(table)


def test_a_world_of_ones_own_is_a_value_that_plays(home):
    world = groups()
    assert (world.K, world.T, world.S, world.V_T) == (3, 300, 3, None)
    assert world.every == 100 and world.changes == (101, 201)
    assert world.name == "TwoGroups(every=100)"
    assert repr(world) == "world('mine:TwoGroups', K=3, T=300, every=100)"
    text = json.dumps(world.to_json())
    for twin in (groups(), from_json(json.loads(text)), pickle.loads(pickle.dumps(world))):
        assert twin == world and hash(twin) == hash(world)
    assert world != groups(50) and not hasattr(world, "nothing")
    itself = importlib.import_module("mine").TwoGroups(3, 300)
    theirs = simulate(itself, "rand", runs=2).drop("world")
    assert simulate(world, "rand", runs=2).drop("world").equals(theirs)


def test_a_world_is_known_where_its_module_is_not(home):
    fields = json.loads(json.dumps(groups().to_json()))
    (home / "mine.py").unlink()
    sys.modules.pop("mine")
    importlib.invalidate_caches()
    world = from_json(fields)
    assert (world.K, world.S, world.every, world.name) == (3, 3, 100, "TwoGroups(every=100)")
    with pytest.raises(ValueError, match=r"world must be module:function.*mine:TwoGroups"):
        next(world.blocks(np.random.default_rng(1)))


def test_an_edited_world_is_another(home):
    first = groups()
    edited(home, "margin=0.3", "margin=0.4")
    assert groups() != first
    with pytest.raises(ValueError, match=r"the file must be as it was when world\('mine:Two"):
        next(first.blocks(np.random.default_rng(1)))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("nowhere:World", {}, "world must be module:function.*Start where nowhere.py is"),
        ("mine:Nothing", {}, "mine has no function or class 'Nothing'"),
        ("NoWorld", {}, "world must be one of .*'FreshWinner'.*lab.world"),
        ("mine:learner", {"problem": 3, "rng": 4}, "'int' object has no attribute|world must be"),
        ("mine:TwoGroups", {"K": 3, "T": 9, "margin": {}}, "option 'margin' must be a number"),
    ],
)
def test_what_is_no_world_is_refused(home, name, options, message):
    with pytest.raises((ValueError, AttributeError), match=message):
        lab.world(name, **options)


@pytest.mark.parametrize(
    "fields",
    [{"world": "mine:X"}, {"world": "mine:X", "options": {}, "source": "", "stated": {"K": 3}}],
)
def test_what_is_no_world_in_json_is_refused(fields):
    with pytest.raises(ValueError, match="not a world as its to_json writes it"):
        from_json(fields)


def test_a_sweep_has_the_numbers_of_simulate(home):
    table = sweep(home)
    entrants = {"mine": lab.entrant("mine:learner", memory=100), "RAND": "rand"}
    for world in (groups(50), groups(100), FreshWinner(3, 300, S=2)):
        expected = simulate(
            world, entrants, ["dynamic", "static"], runs=3, checkpoints=40, experiment="sweep"
        )
        found = table.filter(world=world.name).select(expected.columns)
        assert found.sort(expected.columns).equals(expected.sort(expected.columns))
    assert set(table["world.every"]) == {50, 100, None}
    assert set(table.filter(entrant="mine")["entrant.memory"]) == {100}
    assert set(table["regret"]) == {"dynamic", "static"}


def test_only_what_is_new_is_played(home):
    first = sweep(home, [groups(50)], {"RAND": "rand"}, runs=2)
    before = {path: path.read_bytes() for path in home.rglob("*.parquet")}
    both = {"RAND": "rand", "short": Entrant("steady", memory=50)}
    table = sweep(home, [groups(50), groups(100)], both, runs=3)
    after = {path: path.read_bytes() for path in home.rglob("*.parquet")}
    assert before.items() <= after.items()
    old = table.filter((polars.col("world.every") == 50) & (polars.col("run") < 2), entrant="RAND")
    assert old.select(first.columns).equals(first)
    assert len(after) == 2 + 2 + 1 + 3  # runs 0 and 1 of the newcomer, run 2 and the new world


def test_a_sweep_returns_what_it_was_asked_for(home):
    """Whatever else its folder holds, and whatever was asked for last."""
    two = {"RAND": "rand", "short": Entrant("steady", memory=50)}
    every = sweep(home, [groups(50)], two, runs=4)
    alone = lab.Sweep([groups(50)], {"short": two["short"]}, ["dynamic", "static"])
    assert set(alone.table(home / "results")["entrant"]) == {"short"}
    few = sweep(home, [groups(50)], {"RAND": "rand"}, runs=2)
    expected = every.filter(polars.col("run") < 2, entrant="RAND").select(few.columns)
    assert few.equals(expected)
    both = lab.Sweep([groups(50)], two, ["dynamic", "static"])
    assert both.table(home / "results").equals(every)


def test_sweeps_of_one_world_and_other_luck_share_a_folder(home):
    worlds = [FreshWinner(3, 300, S=S) for S in (1, 2)]
    sweeps = [lab.Sweep(worlds, "rand", name=name) for name in ("first", "second")]
    everything = [one for grid in sweeps for one in grid.experiments()]
    assert lab.run(everything, home / "results", runs=2).played == 8
    for grid in sweeps:
        alone = simulate(worlds[0], "rand", runs=2, checkpoints=40, experiment=grid.name)
        found = grid.table(home / "results").filter(world=worlds[0].name).select(alone.columns)
        assert found.sort(alone.columns).equals(alone.sort(alone.columns))
    panels = joining.joined(summaries.read(home / "results"))
    assert len({panel.name for panel in panels}) == 2
    assert all(panel.points == (1, 2) for panel in panels)


def test_the_worlds_of_a_sweep_are_fixed_and_checked(home):
    told = (FreshWinner(3, 300, S=S) for S in (1, 2))
    grid = lab.Sweep(told, "rand")
    assert len(grid.experiments()) == len(grid.experiments()) == 2
    told = (FreshWinner(3, 300, S=S) for S in (1, 2))
    assert set(sweep(home, told, runs=1)["world.S"]) == {1, 2}
    for wrong in ([], (), "rand", 3, FreshWinner(3, 300, S=2)):
        with pytest.raises(ValueError, match="worlds must be one or more"):
            lab.Sweep(wrong, "rand")
    with pytest.raises(ValueError, match="world must be a world"):
        lab.Sweep([3], "rand")


def test_learners_and_regrets_of_a_generator_are_kept(home):
    grid = lab.Sweep(
        [FreshWinner(3, 300, S=2)],
        (name for name in ("rand", "rex3")),
        (word for word in ("dynamic", "static")),
    )
    lab.run(grid.experiments(), home / "results", runs=1)
    table = grid.table(home / "results")
    assert set(table["entrant"]) == {"rand", "rex3"}
    assert set(table["regret"]) == {"dynamic", "static"}


@pytest.mark.parametrize("entrants", ["trakcer", ["rand", "trakcer"], {"mine": "trakcer"}])
def test_a_misspelt_learner_is_told_what_was_meant(home, entrants):
    with pytest.raises(ValueError, match=r"got 'trakcer'\. Did you mean 'tracker'\?.*lab\.entrant"):
        sweep(home, entrants=entrants)
    with pytest.raises(ValueError, match=r"Did you mean 'FreshWinner'\?"):
        lab.world("FreshWiner", K=3, T=10, S=1)
    with pytest.raises(ValueError, match=r"Did you mean 'tracker'\?"):
        lab.entrant("trakcer")


def test_an_interrupt_says_what_is_kept_and_how_to_go_on(home, monkeypatch):
    worlds = [FreshWinner(3, 300, S=2)]
    sweep(home, worlds, runs=2)
    put, written = lab.results.Shelf.put, []

    def interrupted(*arguments):
        if written:
            raise KeyboardInterrupt
        written.append(put(*arguments))

    monkeypatch.setattr(lab.results.Shelf, "put", interrupted)
    with pytest.raises(KeyboardInterrupt, match=r"^3 of 5 jobs are kept in .*results; start it"):
        sweep(home, worlds, runs=5)
    monkeypatch.undo()
    monkeypatch.syspath_prepend(home)
    assert lab.run(lab.Sweep(worlds, "rand").experiments(), home / "other", runs=1).played == 1
    assert sweep(home, worlds, runs=5)["run"].n_unique() == 5


@pytest.mark.parametrize(
    ("terminal", "short", "shown"), [(True, 0.0, True), (True, 9.0, False), (False, 0.0, False)]
)
def test_a_sweep_that_takes_long_shows_its_progress_on_a_terminal(
    home, monkeypatch, capsys, terminal, short, shown
):
    from sparring.simulation import progress

    monkeypatch.setenv("TTY_COMPATIBLE", "1" if terminal else "0")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "SHORT", short)
    sweep(home, [FreshWinner(3, 300, S=2)], entrants="rand", runs=2)
    assert ("2 jobs" in capsys.readouterr().err) is shown


def test_compiling_is_not_part_of_the_time_of_a_learner(home, monkeypatch):
    """A learner that takes long in its first round in this process, as one that compiles does."""
    (home / "odd.py").write_text(SLOW)
    slow = {"slow": lab.entrant("odd:Slow")}
    taken = sweep(home, [FreshWinner(3, 300, S=2)], slow, runs=2, jobs=1)["seconds"]
    assert taken.drop_nulls().max() < 0.2  # the first round took 0.4 s


def test_the_laboratory_tells_all_its_names():
    assert {"draw", "sweep", "Sweep", "entrant"} <= set(dir(lab))


def test_an_edited_learner_replays_only_itself_and_is_named(home):
    grid = lab.experiments.named("mine:grid")
    assert lab.run(grid, home / "results", runs=2).played == 6
    kept = table_of(home).filter(entrant="RAND")
    edited(home, "def learner", "# another text\ndef learner")
    ran = lab.run(lab.experiments.named("mine:grid"), home / "results", runs=2)
    named = {"mine", "mine:TwoGroups(K=3, T=300, every=50)"}
    assert ran.played == 6 and named <= set(ran.edited)  # its worlds are in the same file
    assert table_of(home).filter(entrant="RAND").equals(kept)


def table_of(home):
    """All that a folder has, but the seconds."""
    found = [one.everything.drop("seconds") for one in summaries.read(home / "results")]
    return polars.concat(found)


def test_a_sweep_can_be_sent_to_other_processes(home, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(home), os.environ.get("PYTHONPATH", "")]))
    here = sweep(home).drop("seconds")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        there = sweep(home, folder=home / "there", executor=executor).drop("seconds")
    assert here.equals(there)


def test_worlds_that_differ_in_one_number_are_drawn_along_it(home):
    sweep(home)
    panels = joining.joined(summaries.read(home / "results"))
    axes = {panel.experiment.axis: panel for panel in panels}
    assert axes.keys() == {"every", "T"}
    assert axes["every"].points == (50, 100) and axes["every"].complete
    alone = summaries.read(home / "results")
    values = {one.experiment.worlds[0].name: one.values("mine", 300) for one in alone}
    for every in (50, 100):
        expected = values[f"TwoGroups(every={every})"]
        np.testing.assert_array_equal(axes["every"].values("mine", every), expected)


def test_an_option_may_be_called_like_what_every_world_has(home):
    """An axis is what the world was made with, not what `OwnWorld` has by that name."""
    (home / "odd.py").write_text(ODD)
    for name in ("S", "source", "name"):
        worlds = [lab.world("odd:World", **{name: value}) for value in (2, 1)]
        assert lab.Experiment("mine", "", name, worlds, "rand", "dynamic").points == (2, 1)
        sweep(home, worlds, folder=home / name, runs=2)
        (panel,) = joining.joined(summaries.read(home / name))
        assert (panel.experiment.axis, panel.points) == (name, (1, 2))


def test_worlds_of_one_name_in_two_modules_are_two_families(home):
    for module in ("odd", "even"):
        (home / f"{module}.py").write_text(ODD)
    names = ("odd:World", "even:World")
    sweep(home, [lab.world(name, S=S) for name in names for S in (1, 2)], runs=2)
    panels = joining.joined(summaries.read(home / "results"))
    assert {panel.experiment.title for panel in panels} == set(names)
    assert len({panel.name for panel in panels}) == 2
    assert all(panel.points == (1, 2) for panel in panels)


def test_a_bool_is_no_axis(home):
    (home / "odd.py").write_text(ODD)
    worlds = [lab.world("odd:World", S=S) for S in (False, True)]
    sweep(home, worlds, runs=2)
    assert len(joining.joined(summaries.read(home / "results"))) == 2
    with pytest.raises(ValueError, match="worlds must be one for each of some S"):
        lab.Experiment("mine", "", "S", worlds, "rand", "dynamic")


def test_a_sweep_is_drawn_like_a_table_of_simulate(home):
    figure = lab.draw.curves(sweep(home, runs=2))
    assert len(figure.axes) == 6  # three worlds, two regrets
    with pytest.raises(AttributeError, match=r"'sparring\.lab' has no attribute 'paint'"):
        lab.paint  # noqa: B018


def test_an_experiment_may_have_any_number_as_its_axis(home):
    experiment = lab.Experiment(
        "mine", "Mine", "every", [groups(50), groups(100)], "rand", "dynamic", also=["static"]
    )
    assert experiment.points == (50, 100)
    assert lab.Experiment.from_json(json.loads(json.dumps(experiment.to_json()))) == experiment
    lab.run(experiment, home / "results", runs=2)
    (summary,) = summaries.read(home / "results")
    assert summary.points == (50, 100) and len(summary.values("rand", 50)) == 2


def test_the_command_plays_and_draws_what_is_ones_own(home):
    done = command("run", "mine:grid", "--runs", 2, "--json", cwd=home)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["jobs"], told["played"]) == (6, 6) and told["folder"] == "results/mine-grid"
    page = (home / told["report"]).read_text()
    assert "TwoGroups" in page and "sparring run mine:grid" in page
    assert all((home / file).stat().st_size > 0 for file in told["figures"])
    again = command("run", "mine:grid", "--runs", 2, cwd=home)
    assert "0 jobs played" in again.stdout and "report.html" in again.stdout
    (home / "mine.py").write_text(MINE.replace("def learner", "# other\ndef learner"))
    named = command("run", "mine:grid", "--runs", 2, cwd=home)
    assert "edited since the last run; only these were played again: " in named.stdout
    assert "mine" in named.stdout.split("played again: ")[1]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mine:nothing", "experiment must be module:function.*has no function or class 'nothing'"),
        ("mine:np", "experiment must be an Experiment or a Sweep at mine:np"),
        ("nowhere:grid", "experiment must be module:function.*nowhere"),
    ],
)
def test_what_is_no_experiment_is_refused(home, name, message):
    with pytest.raises(ValueError, match=message):
        lab.experiments.named(name)


def test_worlds_without_a_name_are_refused_with_the_way_to_name_them(home):
    module = importlib.import_module("mine")
    with pytest.raises(ValueError, match=r"worlds must be worlds with a to_json.*lab\.world"):
        sweep(home, [module.TwoGroups(3, 300)])
    with pytest.raises(ValueError, match="worlds must be one or more"):
        lab.sweep([], "rand", folder=home / "results")
    assert not Path(home / "results").exists()


@pytest.mark.parametrize("word", sparring.regret.WORDS)
def test_a_word_of_the_paper_is_its_regret(word):
    world = FreshWinner(3, 200, S=2)
    by_word = simulate(world, "rand", word, runs=2)
    regret = sparring.regret.WORDS[word]
    assert set(by_word["regret"]) == {word}
    assert by_word.equals(simulate(world, "rand", {word: regret}, runs=2))
    assert simulate(world, "rand", runs=1)["regret"].to_list() == ["dynamic"]


def test_without_the_extra_the_door_says_what_to_install():
    code = "import sys; sys.modules['scipy'] = None; import sparring; import sparring.lab"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert re.search(r"sparring\.lab needs scipy: pip install .*\[lab\]'", done.stderr)
