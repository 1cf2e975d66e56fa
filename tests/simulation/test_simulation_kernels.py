"""The kernels of a simulation: one signature each, loaded from the cache, the same with JIT off."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.compiled

# Every world and every kind of regret once; reports the table and what the cache did.
PROGRAM = """
import json, warnings
import numpy as np
import sparring
from sparring import _matrices
from sparring import _random as normals
from sparring.simulation import _meter, _shifts
from sparring.worlds import _walks

class Foreign:  # read-only float32, in another order
    K, T = 4, 60
    def blocks(self, rng):
        upper = np.triu(rng.integers(0, 5, (4, 4)) / 4, 1)
        P = np.asfortranarray(upper + np.tril(1 - upper.T, -1) + np.eye(4) / 2, np.float32)
        P.flags.writeable = False
        yield sparring.Block(P[None], np.array([60], np.int32))

K, T = 4, 60
worlds = [
    sparring.GaussianWalk(K, T, sigma=0.1), sparring.SwitchingWalk(K, T, S=3),
    sparring.BudgetedDrift(K, T, V_T=3), sparring.BudgetedDrift(K, T, 3, "persistent"),
    sparring.FreshWinner(K, T, S=3), sparring.RotatingWinner(K, T, V_T=2), sparring.Cyclic(K, T),
    sparring.CondorcetSwitches(K, T, S=3), sparring.UtilityWalk(K, T),
    sparring.worlds.Recorded([np.full((K, K), 0.5)] * 2, T, interpolate=True), Foreign(),
]
regrets = [
    sparring.Regret(gain, benchmark, side)
    for gain in ("preference", "borda")
    for benchmark in ("horizon", "stretch", "round", "condorcet", "von neumann")
    for side in ("both", "row", "column")
]
warnings.simplefilter("ignore")
result = {"values": []}
for world in worlds:
    entrant = lambda problem, rng: sparring.rex3(problem.K, 100, seed=rng)
    table = sparring.simulate(world, {"rex3": entrant}, regrets, runs=2, checkpoints=3)
    described = sparring.describe(world)
    result["values"] += table["value"].to_list() + [described.V_T, described.irreducible]
entries = {
    name: kernel
    for module in (_matrices, _meter, normals, _shifts, _walks)
    for name, kernel in vars(module).items()
    if getattr(kernel, "signatures", None) and kernel.stats.cache_path
}
result["signatures"] = {name: len(kernel.signatures) for name, kernel in entries.items()}
result["misses"] = {
    name: sum(kernel.stats.cache_misses.values()) for name, kernel in entries.items()
}
print(json.dumps(result))
"""


def run(**environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def warm():
    run()
    return run()


def test_every_kernel_has_one_signature(warm):
    entries = {"charge", "finish", "follow", "walk", "drift", "share_out", "changes", "survey"}
    assert warm["signatures"].keys() >= entries | {
        "first_invalid",
        "add_stretches",
        "revert",
        "count_shifts",
    }
    assert {name for name, count in warm["signatures"].items() if count != 1} == set()


def test_a_second_process_compiles_nothing(warm):
    assert set(warm["misses"].values()) == {0}


def test_without_the_jit_the_same_to_1e_9(warm):
    plain = run(NUMBA_DISABLE_JIT="1")
    np.testing.assert_allclose(plain["values"], warm["values"], rtol=1e-9, atol=1e-9)
