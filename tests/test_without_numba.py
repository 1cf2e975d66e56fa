"""Without Numba: every learner works, from the same text, and says when it would need speed.

In a process of its own, where `import numba` fails, as where the package is installed alone.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sparring
from places import SUPPORT
from sparring import extras

pytestmark = pytest.mark.plain

BLOCKED = "import sys; sys.modules['numba'] = sys.modules['llvmlite'] = None\n"

EVERY_LEARNER = """
import json
import numpy as np
import sparring
from learner_factories import ALL
for name, make in ALL.items():
    learner = make(1)
    if not isinstance(learner, sparring.learners.Frame):
        continue
    for outcome in (1.0, 0.5, 0.0):
        learner.tell(learner.ask(), outcome)
    duel = learner.ask()
    again = sparring.restore(json.loads(json.dumps(learner.snapshot())))
    P = np.full((1, learner.K, learner.K), 0.5)
    for it in (learner, again):
        it.tell(duel, 1.0)
        it.play(sparring.Block(P, np.array([40])), np.linspace(0, 1, 40))
    assert again.t == learner.t == 44 and again.favourite == learner.favourite, name
    assert np.array_equal(again.p, learner.p), name
print("all")
"""


def run(program, *arguments, numba=False, **environment):
    """What a program prints in a process without Numba, or with it."""
    folders = (Path(sparring.__file__).parents[1], SUPPORT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders)), **environment}
    environment.pop("NUMBA_DISABLE_JIT", None)
    done = subprocess.run(
        [sys.executable, "-c", program if numba else BLOCKED + program, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_learner_asks_tells_plays_and_is_restored():
    assert run(EVERY_LEARNER) == "all\n"


def test_a_service_imports_neither_worlds_nor_simulations():
    """Each takes a good part of the time until the first ask."""
    program = """
import sparring
sparring.tracker(4).ask()
print([name for name in sys.modules if name in ("multiprocessing", "subprocess", "polars")
       or name.startswith(("sparring.worlds", "sparring.simulation", "sparring.bounds"))])
"""
    assert run(program) == "[]\n"


def test_every_public_name_is_there_when_asked_for():
    program = """
import sparring
found = [name for name in sparring.__all__ if not hasattr(sparring, name)]
print(found, set(sparring.__all__) <= set(dir(sparring)), hasattr(sparring, "nothing"))
print([name for name in dir(sparring) if not hasattr(sparring, name)])
"""
    assert run(program) == "[] True False\n[]\n"


def test_warm_says_what_to_install():
    program = """
import sparring
try:
    sparring.warm()
except ImportError as error:
    print(error)
"""
    assert run(program).startswith("sparring.warm needs numba: pip install ")


@pytest.mark.parametrize(
    ("noted", "expected"),
    [
        (None, "pip install 'sparring[lab]'"),
        ({"url": "https://example.org/sparring.whl"}, "pip install 'sparring[lab]'"),
        ({"url": "file:///gone/sparring"}, "pip install 'sparring[lab]'"),
        ({"dir_info": {}}, "pip install '{folder}[lab]'"),
        ({"dir_info": {"editable": True}}, "pip install --editable '{folder}[lab]'"),
    ],
)
def test_an_extra_is_installed_from_where_the_package_came(noted, expected, tmp_path, monkeypatch):
    clone = tmp_path / "my clone"
    clone.mkdir()
    if noted is not None:
        noted = json.dumps({"url": clone.as_uri(), **noted})
    origin = SimpleNamespace(read_text=lambda name: noted)
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: origin)
    assert extras.install("lab") == expected.format(folder=clone)
    monkeypatch.chdir(clone)
    assert extras.install("lab") == expected.format(folder=".")


def test_a_long_simulation_hints_once_at_what_makes_it_fast():
    pytest.importorskip("polars")
    program = """
import warnings
import sparring
from sparring.simulation.simulate import match_of
given = {"seed": 0, "checkpoints": None, "experiment": ""}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("default")
    for T in (2_000, 20_000, 20_000):
        match_of(sparring.FreshWinner(3, T, S=2), "rand", "dynamic", **given)
print(*(warning.message for warning in caught))
"""
    said = run(program)
    assert said.count("[fast]'") == said.count("rounds") == 1, said


# Asks and tells one outcome after the other, and prints all the numbers that came of it.
ONLINE = """
import json, sys
import numpy as np
import sparring
if sys.argv[2] == "warm":
    from sparring import _jit as jit
    jit.compile_from_now_on()
makers = {
    "steady": lambda: sparring.steady(10, seed=3),
    "dex3s": lambda: sparring.dex3s(10, 10_000, S=10, seed=3),
    "dex3p": lambda: sparring.dex3p(10, 10_000, seed=3),
    "borda_dex3s": lambda: sparring.borda_dex3s(10, 100_000, S=2, seed=3),
    "rex3": lambda: sparring.rex3(10, 10_000, seed=3),
    "d_exp3": lambda: sparring.learners.d_exp3(10, 10_000, seed=3),
    "sparring_exp3six": lambda: sparring.learners.sparring_exp3six(10, 10_000, S=10, seed=3),
    "sym_exp3six": lambda: sparring.learners.sym_exp3six(10, 10_000, S=10, seed=3),
    "tracker": lambda: sparring.tracker(10, seed=3),
}
rounds, found = int(sys.argv[1]), {}
for name, make in makers.items():
    learner, coins, duels = make(), np.random.default_rng(11).random(rounds), []
    for t in range(rounds if name in sys.argv[3] else rounds // 4):
        duel, best = learner.ask(), t // 2000 % 10
        chance = 0.8 if duel.row == best else 0.2 if duel.col == best else 0.5
        learner.tell(duel, 0.5 if duel.row == duel.col else float(coins[t] < chance))
        duels.append((duel.row, duel.col))
    memory = learner.snapshot().get("memory", {"A": learner.p.tolist()})
    found[name] = duels, learner.p.tolist(), memory.get("A", 0)
print(json.dumps(found))
"""
LONG = "steady dex3s rex3"


@pytest.mark.compiled
def test_the_same_duels_and_numbers_as_compiled():
    """Measured: 2e-15 at most after 10,000 rounds, 0 with implicit exploration and the tracker."""
    compiled = json.loads(run(ONLINE, "10000", "warm", LONG, numba=True))
    plain = json.loads(run(ONLINE, "10000", "cold", LONG))
    exactly = ("tracker", "sparring_exp3six", "sym_exp3six")
    for name, (duels, p, posterior) in compiled.items():
        assert plain[name][0] == duels, name
        np.testing.assert_allclose(
            plain[name][1], p, rtol=0 if name in exactly else 1e-12, atol=0, err_msg=name
        )
        assert name not in exactly or plain[name][2] == posterior, name


READY = """
import sys
if sys.argv[1] == "read-only":
    from numba.core import caching
    def refuse(*_, **__): raise PermissionError("read-only")
    caching.tempfile.TemporaryFile = refuse
import sparring
from sparring import _jit as jit
if sys.argv[1] == "warm":
    warmed = sparring.warm("steady")
    assert warmed.folder.startswith(sys.argv[2]) and list(warmed.seconds) == ["steady"]
learner = sparring.steady(4, seed=1)
learner.tell(learner.ask(), 1.0)
sparring.tracker(4, seed=1).ask()  # nobody asked to have this one compiled
print(*jit.ready())
"""


@pytest.mark.compiled
def test_asking_compiles_nothing_but_takes_what_is_on_disk(tmp_path):
    where = {"numba": True, "NUMBA_CACHE_DIR": str(tmp_path)}
    assert run(READY, "cold", str(tmp_path), **where) == "\n"
    assert not list(tmp_path.rglob("*.nbc"))
    steady = "weights.ask weights.distributions weights.sum_all weights.tell\n"
    assert run(READY, "warm", str(tmp_path), **where) == steady
    files = sorted(tmp_path.rglob("*.nbc"))
    loaded = run(READY, "cold", str(tmp_path), **where)
    assert loaded == "weights.ask weights.sum_all weights.tell\n"  # nobody looked at p
    assert run(READY, "read-only", str(tmp_path), **where) == loaded  # as in an image
    assert sorted(tmp_path.rglob("*.nbc")) == files
    for file in tmp_path.rglob("*.nbc"):
        file.write_bytes(b"damaged")
    assert run(READY, "cold", str(tmp_path), **where) == "\n"


@pytest.mark.compiled
def test_playing_asks_for_machine_code_of_asking_too(tmp_path):
    """To the last bit `play` is what asking and telling would do, so both are compiled."""
    program = """
import numpy as np
import sparring
from sparring import _jit as jit
learner = sparring.learners.btwr(3, seed=1)  # which compiles in the least time
learner.play(sparring.Block(np.full((1, 3, 3), 0.5), np.array([5])), np.zeros(5))
learner.tell(learner.ask(), 1.0)
print(*jit.ready())
"""
    found = run(program, numba=True, NUMBA_CACHE_DIR=str(tmp_path))
    assert found == "winners.ask winners.tell\n"


@pytest.mark.compiled
def test_where_the_jit_is_switched_off_warm_says_so():
    program = "import os; os.environ['NUMBA_DISABLE_JIT'] = '1'\nimport sparring\nsparring.warm()"
    with pytest.raises(AssertionError, match="NUMBA_DISABLE_JIT is set"):
        run(program, numba=True)
    with pytest.raises(AssertionError, match="learners must be one of"):
        run("import sparring\nsparring.warm('nobody')", numba=True)
