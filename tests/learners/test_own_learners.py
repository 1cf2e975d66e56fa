"""Learners of one's own by module:function: found, refused, told apart, sent away and played."""

import importlib
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import sparring
from places import SUPPORT
from sparring import Entrant, Problem, Regret, simulate
from sparring.simulation import own
from sparring.simulation.entrants import make

ORACLE = "sparring.lab.oracle:restarts"

GOOD = '''
import sparring

NUMBER = 3

def learner(problem, rng):
    return sparring.rex3(problem.K, problem.T, seed=rng)

class Coin:
    """Ask and tell only."""

    def __init__(self, problem, rng, window=9, sides=()):
        self.K, self.rng, self.t = problem.K, rng, 0
        self.window, self.sides = window, sides

    @property
    def p(self):
        return [[1 / self.K] * self.K] * 2

    def ask(self):
        self.t += 1
        return sparring.Duel(self.t, *(int(arm) for arm in self.rng.integers(self.K, size=2)), None)

    def tell(self, duel, outcome):
        pass

    @staticmethod
    def tossed(problem, rng):
        return Coin(problem, rng)

def fails(problem, rng):
    raise ValueError("not today")

def seeded(problem, rng):
    return sparring.rex3(problem.K, problem.T, seed=7)

def seedless(problem, rng):
    return sparring.learners.periodic_restarts(problem.K, problem.T, S=2)
'''
WORLD = sparring.FreshWinner(3, 300, S=3)
REGRET = Regret("preference", "stretch")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with modules, from which Python imports while the test runs."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "home_grown.py").write_text(GOOD)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
    own._known.clear()


def named(name):
    return Entrant(f"home_grown:{name}")


def test_a_function_a_class_and_what_a_class_has_make_learners(home):
    problem = Problem(3, 300)
    assert named("learner")(problem, np.random.default_rng(1)).K == 3
    for name in ("Coin", "Coin.tossed"):
        assert type(named(name)(problem, np.random.default_rng(1))).__name__ == "Coin"
    (home / "shed").mkdir()
    (home / "shed" / "tools.py").write_text(GOOD)  # in a folder that is a package without a file
    assert Entrant("shed.tools:learner")(problem, np.random.default_rng(1)).K == 3
    assert str(named("learner")) == "home_grown:learner"
    assert repr(named("learner")) == "Entrant('home_grown:learner')"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere:learner", "module:function.*got 'nowhere:learner'. Start where nowhere.py is"),
        ("home_grown.deeper:learner", "Start where home_grown.deeper.py is"),
        ("home_grown:nothing", "home_grown has no function or class 'nothing'"),
        ("home_grown:NUMBER", "home_grown has no function or class 'NUMBER'"),
        ("home_grown:Coin.nothing", "has no function or class 'Coin.nothing'"),
        ("home_grown:", "has no function or class ''"),
        ("home_grown:a:b", "has no function or class 'a:b'"),
        (":learner", "Start where the module.py is"),
        (":", "module:function"),
        (".home_grown:learner", "module:function"),
        ("home_grown..x:learner", "module:function"),
        ("home\0grown:learner", "module:function"),
        ("/home_grown.py:learner", "module:function"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused(home, name, message):
    with pytest.raises(ValueError, match=f"learner must be .*{message}"):
        Entrant(name)


def test_a_learner_of_ones_own_takes_options(home):
    entrant = Entrant("home_grown:Coin", sides=[1, 2], window=np.int64(500))
    assert entrant == Entrant("home_grown:Coin", window=500, sides=(1, 2))
    assert str(entrant) == "home_grown:Coin(sides=(1, 2), window=500)"
    again = Entrant.from_json(json.loads(json.dumps(entrant.to_json())))
    assert again == entrant and hash(again) == hash(entrant)
    made = entrant(Problem(3, 300), np.random.default_rng(1))
    assert (made.window, made.sides) == (500, (1, 2))


@pytest.mark.parametrize(
    "value", [{"a": 1}, object(), float("nan"), {1}], ids=lambda value: type(value).__name__
)
def test_an_option_that_json_cannot_bring_back_is_refused(home, value):
    with pytest.raises(ValueError, match="option 'x' must be a number, a text"):
        Entrant("home_grown:Coin", x=value)


def test_an_option_that_the_function_does_not_take_is_its_failure(home):
    with pytest.raises(sparring.checks.SimulationError, match=r"entrant .*width=3.*TypeError"):
        simulate(WORLD, [Entrant("home_grown:learner", width=3)], REGRET, runs=1)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("import no_such_module_either", ModuleNotFoundError, "no_such_module_either"),
        ("int('x')", ValueError, "invalid literal"),
        ("1 / 0", ZeroDivisionError, "division"),
        ("def (", SyntaxError, "broken.py"),
    ],
)
def test_a_module_that_is_there_but_fails_says_why(home, text, error, message):
    (home / "broken.py").write_text(text)
    with pytest.raises(error, match=message):
        Entrant("broken:learner")


def test_json_brings_it_back_where_the_module_is_not(home):
    entrant = named("learner")
    text = json.dumps(entrant.to_json())
    program = (
        "import json, sparring, sys\n"
        f"entrant = sparring.Entrant.from_json(json.loads({text!r}))\n"
        "assert 'home_grown' not in sys.modules\n"
        "print(json.dumps(entrant.to_json()))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == entrant.to_json()
    assert Entrant.from_json(json.loads(text)) == entrant
    assert hash(Entrant.from_json(json.loads(text))) == hash(entrant)


@pytest.mark.parametrize(
    "fields",
    [
        {"learner": "home_grown:learner", "options": {}},  # no source
        {"learner": "nobody", "options": {}, "source": "0123456789abcdef"},
        {"learner": 3, "options": {}, "source": "0123456789abcdef"},
        {"learner": None, "options": {}},
        {"options": {}, "source": "0123456789abcdef"},
    ],
    ids=str,
)
def test_what_is_no_entrant_in_json_is_refused(fields):
    with pytest.raises(ValueError, match=r"not an entrant as|learner must be one of"):
        Entrant.from_json(fields)


def reimported(home, text):
    """As another process would find it."""
    sys.modules.pop("home_grown", None)
    (home / "home_grown.py").write_text(text)
    importlib.invalidate_caches()
    for compiled in home.glob("__pycache__/home_grown*"):  # a second is all that tells it is old
        compiled.unlink()


def test_another_text_is_another_entrant_and_the_same_text_is_the_same(home):
    first, rng = named("learner"), np.random.default_rng(1)
    reimported(home, GOOD + "# changed\n")
    second = named("learner")
    assert second != first and second.source != first.source
    with pytest.raises(ValueError, match=r"the file must be as it was when .* was made"):
        first(Problem(3, 300), rng)  # it would be the learner of another text
    reimported(home, GOOD)
    assert named("learner") == first
    first(Problem(3, 300), rng)


def test_who_edits_the_file_of_a_module_that_is_imported_changes_nothing(home):
    """Until it is imported again, the old text is what runs."""
    first = named("learner")
    (home / "home_grown.py").write_text(GOOD + "# changed\n")
    assert named("learner") == first
    first(Problem(3, 300), np.random.default_rng(1))


@pytest.mark.compiled
def test_it_can_be_sent_to_other_processes(home, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(home), str(SUPPORT)]))
    entrants = {"mine": named("learner"), "coin": named("Coin")}
    assert pickle.loads(pickle.dumps(entrants)) == entrants
    arguments = (WORLD, entrants, REGRET)
    here = simulate(*arguments, runs=2, seed=5)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        there = simulate(*arguments, runs=2, seed=5, executor=executor)
    assert here.equals(there)


def test_it_plays_like_the_learner_it_is(home):
    """The same function, by name and as itself, under one label: the same luck, the same regret."""
    module = importlib.import_module("home_grown")
    by_name = simulate(WORLD, {"x": named("learner")}, REGRET, runs=3, seed=2)
    itself = simulate(WORLD, {"x": module.learner}, REGRET, runs=3, seed=2)
    ours = simulate(WORLD, {"x": Entrant("rex3")}, REGRET, runs=3, seed=2)
    assert by_name.equals(itself) and by_name.equals(ours)
    assert set(simulate(WORLD, [named("Coin")], REGRET, runs=1)["entrant"]) == {"home_grown:Coin"}


def test_a_failure_names_the_entrant(home):
    with pytest.raises(
        sparring.checks.SimulationError, match=r"entrant 'home_grown:fails'.*not today"
    ):
        simulate(WORLD, [named("fails")], REGRET, runs=1)


@pytest.mark.parametrize("name", ["seeded", "seedless"])
def test_a_learner_that_ignores_the_rng_is_refused(home, name):
    with pytest.raises(ValueError, match=r"draws from the rng given.*Pass seed=rng on"):
        make(named(name), Problem(3, 300), np.random.default_rng(1))
    make(named("learner"), Problem(3, 300), np.random.default_rng(1))
    with pytest.raises(sparring.checks.SimulationError, match="Pass seed=rng on"):
        simulate(WORLD, [named(name)], REGRET, runs=1)


@pytest.mark.parametrize(
    ("learner", "options", "plan"),
    [
        ("periodic_restarts", {}, {"every": 150, "options": {"S": 1}}),
        ("periodic_restarts", {"every": 90}, {"every": 90}),
        ("periodic_restarts", {"S": 3}, {"every": 100}),
        (
            "periodic_restarts",
            {"learner": "rucb", "alpha": 0.7},
            {"learner": "rucb", "options": {"alpha": 0.7}},
        ),
        (ORACLE, {"changes": [30, 60]}, {"changes": [30, 60], "T": 300}),
        (ORACLE, {"changes": (9,), "learner": "rand"}, {"learner": "rand"}),
    ],
    ids=str,
)
def test_an_entrant_hands_options_on_to_the_learner_inside(learner, options, plan):
    entrant = Entrant(learner, **options)
    assert Entrant.from_json(json.loads(json.dumps(entrant.to_json()))) == entrant
    made = make(entrant, Problem(3, 300, S=2), np.random.default_rng(1))
    assert plan.items() <= made.snapshot()["plan"].items()


def test_options_that_the_learner_inside_does_not_take_are_refused():
    for options in ({"corrected": True}, {"options": {}}, {"tuning": None}, {"memory": 9}):
        with pytest.raises(ValueError, match=r"options must be among .*'every'.*for periodic_rest"):
            Entrant("periodic_restarts", **options)


def test_rounds_of_change_make_a_value_however_they_are_given():
    forms = [(30, 60), [30, 60], np.array([30, 60])]
    assert len({Entrant(ORACLE, changes=form) for form in forms}) == 1
    assert "30, 60" in json.dumps(Entrant(ORACLE, changes=forms[2]).to_json())
