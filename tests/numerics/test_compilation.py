"""Machine code: cached, one signature a kernel, stale when any helper changes; and JIT off."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sparring
from places import SUPPORT
from sparring.learners import weights as kernels

pytestmark = pytest.mark.compiled

# Plays exponential weights both ways, and reports arms and probabilities.
PROGRAM = """
import json, sys
import numpy as np
import sparring
rounds = int(sys.argv[1])
rng = np.random.default_rng(3)
result = {}
for name, K, sizes in (
    ("rand", 7, {}), ("rex3", 7, {"T": 5000}), ("dex3p", 7, {"T": 5000}),
    ("dex3s", 7, {"T": 5000, "S": 2}), ("borda_dex3s", 7, {"T": 50000, "S": 2}),
    ("dex3s", 40, {"T": 5000, "S": 2}), ("rex3", 40, {"tuning": sparring.Tuning(5.0, 0.5)}),
    ("dex3p", 12, {"tuning": sparring.Tuning(1.0, 0.5, 0.001)}),
    ("sym_exp3s", 7, {"T": 5000, "S": 2}), ("d_exp3", 7, {"T": 5000}),
):
    upper = np.triu(rng.random((2, K, K)), 1)
    P = upper + np.tril(1 - np.swapaxes(upper, 1, 2), -1) + np.eye(K) / 2
    learner = sparring.LEARNERS[name](K, **sizes, seed=1)
    plays = learner.play(sparring.Block(P, np.array([rounds, rounds])), rng.random(2 * rounds))
    for t in range(20):
        learner.tell(learner.ask(), t % 3 / 2)
    label = f"{name}, K = {K}"
    result[label] = [plays.rows.tolist(), plays.cols.tolist(), learner.p.tolist()]
    result.setdefault("deepest", []).append(int(np.max(learner.snapshot()["depths"])))
print(json.dumps(result))
"""

# Asks and tells, and reports on the kernel that asks. Most of the compiling would be for `play`.
TOLD = """
import json, sys
import sparring
from sparring import _jit as jit
jit.compile_from_now_on()
learner = sparring.dex3p(7, 5000, seed=1)
for _ in range(int(sys.argv[1])):
    learner.tell(learner.ask(), 1.0)
compiled = learner.KERNELS.ask.compiled
hits, misses = ([*found.values()] for found in compiled.stats[1:])
print(json.dumps({"p": learner.p.tolist(), "hits": hits, "misses": misses}))
"""
# Only asks, and that of the learner that compiles in the least time.
ASKED = """
import json, sys
import sparring
from sparring import _jit as jit
jit.compile_from_now_on()
learner = sparring.learners.btwr(7, seed=1)
arms = [learner.ask()[1:3] for _ in range(int(sys.argv[1]))]
compiled = learner.KERNELS.ask.compiled
hits, misses = ([*found.values()] for found in compiled.stats[1:])
print(json.dumps({"arms": arms, "hits": hits, "misses": misses}))
"""


def run(number=50, path=None, program=PROGRAM, **environment):
    """Run a program in a process of its own, with the package at `path` or as installed."""
    source = Path(sparring.__file__).parents[1] if path is None else path
    environment = {**os.environ, "PYTHONPATH": str(source), **environment}
    command = [sys.executable, "-c", program, str(number)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_kernel_has_one_signature_whatever_it_was_fed(rng):
    P = np.full((1, 3, 3), 0.5)
    for K, dtype in ((3, np.float64), (3, np.float32), (3, np.int64)):
        for learner in (sparring.dex3p(K, 1000), sparring.rex3(K, 1000), sparring.rand(K)):
            learner.play(
                sparring.Block(P.astype(dtype), np.array([2], np.int32)), np.zeros(2, dtype)
            )
            learner.tell(learner.ask(), True)
            learner.tell(learner.ask(), np.float32(0.5))
            sparring.restore(learner.snapshot()).p  # noqa: B018
    online = [*sparring.rand(2).KERNELS, kernels.distributions, kernels.sum_all]
    for kernel in (getattr(it, "compiled", it) for it in online):
        assert len(kernel.signatures) == 1, kernel


@pytest.mark.parametrize("warnings_are", ["always", "error"])
def test_where_nothing_can_be_cached_kernels_compile_with_one_word_of_advice(warnings_are):
    """A read-only package and no home: stood in for by a locator that finds no folder."""
    program = """
import sys, warnings
from numba.core import caching
caching.CacheImpl._locator_classes = []
if hasattr(caching, "_CacheImpl"): caching._CacheImpl._locator_classes = []
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter(sys.argv[1])
    import sparring
said = [str(warning.message) for warning in caught]
assert len(said) == (sys.argv[1] == "always") and all("NUMBA_CACHE_DIR" in it for it in said), said
learner = sparring.learners.btwr(3, seed=1)  # which compiles in the least time
learner.tell(learner.ask(), 1.0)
if sys.argv[1] == "always":  # once: what is compiled does not depend on warnings of the import
    assert sparring.warm("btwr").folder is None
    learner.tell(learner.ask(), 1.0)
"""
    command = [sys.executable, "-c", program, warnings_are]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# Plays every learner both ways, restored in between, and reports on every kernel that ran.
EVERY = """
import json, sys
import numpy as np
import sparring
from learner_factories import ALL
for make in ALL.values():
    for dtype in (np.float64, np.float32):
        learner = make(1)
        P = np.full((1, learner.K, learner.K), 0.5, dtype)
        if hasattr(learner, "play"):
            learner.play(sparring.Block(P, np.array([30], np.int32)), np.zeros(30, dtype))
        learner.tell(learner.ask(), True)
        learner.tell(learner.ask(), np.float32(0.5))
        if hasattr(learner, "snapshot"):
            learner = sparring.restore(json.loads(json.dumps(learner.snapshot())))
        learner.tell(learner.ask(), 0)
        getattr(learner, "p", None)
modules = [it for name, it in sys.modules.items() if name.startswith("sparring.")]
families = sparring.learners.frame.KINDS.values()
found = [it for module in modules for it in vars(module).values()]
found += [it for family in families if hasattr(family, "KERNELS") for it in family.KERNELS]
kernels = {
    f"{kernel.__module__}.{kernel.__name__}": kernel
    for online in found
    for kernel in [getattr(online, "compiled", online)]
    if hasattr(kernel, "stats") and kernel.stats.cache_path and kernel.signatures
}
print(json.dumps({
    name: [len(k.signatures), sum(k.stats.cache_hits.values()), sum(k.stats.cache_misses.values())]
    for name, k in kernels.items()
}))
"""


@pytest.mark.last
def test_every_kernel_of_every_learner_has_one_signature_and_is_compiled_once():
    """In the cache that all use, so that it is seldom cold."""
    folders = (Path(sparring.__file__).parents[1], SUPPORT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", EVERY],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        ran = json.loads(done.stdout)
        assert {name: found[0] for name, found in ran.items() if found[0] != 1} == {}
    assert {name: found for name, found in ran.items() if found != [1, 1, 0]} == {}
    entries = {"weights": ("ask", "tell", "play", "distributions", "sum_all")}
    for module, names in {**entries, "counts": ("ask", "tell", "play")}.items():
        assert {f"sparring.learners.{module}.{name}" for name in names} <= ran.keys()


def test_an_edited_helper_in_another_file_is_noticed(tmp_path):
    """Growing no more in `grow`, in _math.py, must change what `tell` in weights.py does.

    The copy brings the machine code that is there along, which is good until the edit.
    """
    shutil.copytree(Path(sparring.__file__).parent, tmp_path / "sparring")
    before = run(20, tmp_path, TOLD)
    assert run(20, tmp_path, TOLD)["hits"] == [1]
    helper = tmp_path / "sparring/_math.py"
    text = helper.read_text()
    helper.write_text(text.replace("return fma(v, series(r), v)", "return v"))
    assert helper.read_text() != text
    after = run(20, tmp_path, TOLD)
    assert after["misses"] == [1]
    assert after["p"] != before["p"]


# Charges a regret, and reports on the kernel that ends it.
CHARGED = """
import json
import sparring
from sparring.simulation import _meter
world = sparring.Constant([[0.5, 0.7], [0.3, 0.5]], 20)
sparring.simulate(world, "rand", sparring.Regret("preference", "horizon"), runs=1)
hits, misses = ([*found.values()] for found in _meter.finish.stats[1:])
print(json.dumps({"hits": hits, "misses": misses}))
"""


def test_an_edit_at_the_top_of_the_package_is_noticed_by_a_kernel_below(tmp_path):
    """_meter.py, beside the simulation that it serves, calls _matrices.py."""
    run(program=CHARGED)
    shutil.copytree(Path(sparring.__file__).parent, tmp_path / "sparring")
    assert run(path=tmp_path, program=CHARGED) == {"hits": [1], "misses": []}
    helper = tmp_path / "sparring/_matrices.py"
    helper.write_text(helper.read_text() + "\n")
    assert run(path=tmp_path, program=CHARGED) == {"hits": [], "misses": [1]}


@pytest.fixture(scope="module")
def cached(tmp_path_factory):
    """A cache, and what was said when it was empty."""
    folder = tmp_path_factory.mktemp("cache")
    return folder, run(program=ASKED, NUMBA_CACHE_DIR=str(folder))


@pytest.mark.parametrize(
    ("ending", "damage"),
    [
        ("nbi", lambda data: b"\x80\x04 nonsense"),
        ("nbc", lambda data: b""),
    ],
    ids=["another index", "empty code"],
)
def test_a_damaged_cache_costs_time_only(cached, tmp_path, ending, damage):
    """Numba itself would fail, or run what is no code any more, at every start from then on."""
    folder, before = cached
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    files = list(tmp_path.rglob(f"*.{ending}"))
    assert files
    for file in files:
        file.write_bytes(damage(file.read_bytes()))
    after = run(program=ASKED, NUMBA_CACHE_DIR=str(tmp_path))
    assert after == before and after["misses"] == [1]
    mended = run(program=ASKED, NUMBA_CACHE_DIR=str(tmp_path))
    assert (mended["hits"], mended["arms"]) == ([1], before["arms"]), "the cache was not mended"


def test_a_cache_that_cannot_be_written_costs_time_only(tmp_path):
    """No file may grow, as on a full disk."""
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n" + ASKED
    command = [sys.executable, "-B", "-c", full, "50"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    assert done.returncode == 0
    assert json.loads(done.stdout)["misses"] == [1]


def test_without_the_jit_the_same_to_1e_12():
    """Same arms; probabilities to 1e-12, as a b + c is rounded twice there."""
    compiled, interpreted = run(300), run(300, NUMBA_DISABLE_JIT="1")
    assert max(compiled["deepest"]) > 1, "nobody slept"
    for name in (name for name in compiled if "K = " in name):
        assert compiled[name][:2] == interpreted[name][:2], name
        np.testing.assert_allclose(compiled[name][2], interpreted[name][2], rtol=1e-12, atol=0)
