"""Whether two versions of the learners agree in every bit of every answer and every snapshot.

python benchmarks/same_learners.py record FILE   plays every learner in many ways, a few minutes
python benchmarks/same_learners.py compare FILE  plays again; exits with 1 if a bit differs

Record before a change and compare after it, with PYTHONPATH naming the sources to play. Every
learner is played by turns (late answers, ties, duels forgotten and watched, arms that come and go,
snapshots) and by blocks of any length, for 2 to 100 arms. With NUMBA_DISABLE_JIT=1 the interpreted
forms are played, for fewer rounds. `same_numbers.py` compares whole simulations.
"""

import argparse
import hashlib
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sparring
from sparring.checks import TheoremWarning

try:
    from sparring._jit import JIT_OFF, compile_from_now_on
except ImportError:  # up to 0.2.0
    from sparring._kernels.jit import JIT_OFF, compile_from_now_on

T = 2_000
TIMED = "steady time"  # its memory is a time, so `tell` takes when, and it plays no blocks
OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "rand": ("rand", {}),
    "rex3": ("rex3", {"T": T}),
    "rex3 asleep": ("rex3", {"tuning": sparring.Tuning(20.0, 0.5)}),
    "dex3p": ("dex3p", {"T": T}),
    "dex3p asleep": ("dex3p", {"tuning": sparring.Tuning(5.0, 0.5)}),
    "dex3s": ("dex3s", {"T": 10 * T, "S": 4}),
    "dex3s corrected": ("dex3s", {"T": 10 * T, "S": 4, "corrected": True}),
    "dex3s V_T": ("dex3s", {"T": 10 * T, "V_T": 3.0}),
    "dex3s MT19937": ("dex3s", {"T": 10 * T, "S": 2}),
    "borda_dex3s": ("borda_dex3s", {"T": 100 * T, "S": 2}),
    "d_exp3": ("d_exp3", {"T": 10 * T}),
    "sym_exp3s": ("sym_exp3s", {"T": 100 * T, "S": 4}),
    "sym_exp3s differ": ("sym_exp3s", {"T": 100 * T, "S": 4, "differ": True}),
    "sym_exp3six": ("sym_exp3six", {"T": 100 * T, "S": 4}),
    "steady": ("steady", {}),
    "steady differ": ("steady", {"differ": True}),
    "steady votes": ("steady", {"memory": "150_000 votes"}),
    TIMED: ("steady", {"memory": "14d"}),
    "sturdy": ("sturdy", {}),
    "sparring_exp3": ("sparring_exp3", {"T": 100 * T}),
    "sparring_exp3ix": ("sparring_exp3ix", {"T": 10 * T}),
    "sparring_exp3six": ("sparring_exp3six", {"T": 10 * T, "S": 4}),
    "versatile_db": ("versatile_db", {}),
    "rucb": ("rucb", {}),
    "rmed1": ("rmed1", {}),
    "double_thompson": ("double_thompson", {}),
    **{
        f"{name} {forget}": (name, {"T": T, "forget": forget, "S": 60})
        for name in ("rucb", "rmed1", "double_thompson")
        for forget in ("window", "discount")
    },
    "elo": ("elo", {}),
    "elo near": ("elo", {"pairing": "near"}),
    "glicko2": ("glicko2", {}),
    "glicko2 top two": ("glicko2", {"pairing": "top two"}),
    "trueskill": ("trueskill", {}),
    "trueskill random": ("trueskill", {"pairing": "random"}),
    "bradley_terry": ("bradley_terry", {"half": 300.0}),
    "bradley_terry greedy": ("bradley_terry", {"pairing": "greedy"}),
    "seasoned": ("seasoned", {"states": 3}),
    "btwr": ("btwr", {}),
    "btwr strong": ("btwr", {"strong": 1.5}),
    "monitored_db": ("monitored_db", {"T": 10 * T, "change": 1.0, "scale": 0.1}),
    "monitored_db rmed1": (
        "monitored_db",
        {"T": 10 * T, "change": 1.0, "scale": 0.1, "base": "rmed1", "feed": True},
    ),
    "anaconda": ("anaconda", {"T": T}),
    "metaswift": ("metaswift", {"T": T}),
    "tracker": ("tracker", {}),
    "tracker differ": ("tracker", {"differ": True, "oldest": 30}),
    "periodic_restarts": ("periodic_restarts", {"every": 300}),
    "periodic_restarts rucb": ("periodic_restarts", {"learner": "rucb", "every": 70}),
    "periodic_restarts dex3p": ("periodic_restarts", {"learner": "dex3p", "every": 500}),
    "periodic_restarts differ": ("periodic_restarts", {"every": 300, "differ": True}),
}
RESTARTS = {
    "restarts at changes": {"learner": "double_thompson", "changes": [40, 150, 900], "T": T},
}
SIZES = (2, 3, 10, 40) if JIT_OFF else (2, 3, 5, 10, 17, 40, 100)
ROUNDS = 150 if JIT_OFF else 1_500
MARKS = ("id", "version", "release", "digest", "recipe")  # the learner's own, or the release's
GONE = ("q", "master_high", "master_low", "doubling")  # of 0.2.0, for learners that went


class Digest:
    """What a run showed, as one number."""

    def __init__(self, name: str, learner: Any) -> None:
        self.learner, self.timed, self.found = learner, name == TIMED, hashlib.sha256()

    def add(self, *parts: Any) -> None:
        """Take in arrays and what else was shown."""
        for part in parts:
            plain = part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
            self.found.update(plain)

    def look(self) -> None:
        """Take in all that a snapshot has, but for the marks."""
        self.add(json.dumps(_unmarked(self.learner.snapshot()), sort_keys=True))
        self.add(self.learner.p, self.learner.favourite)

    def attempt(self, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """What a call gives; None, noted, if this learner refuses it."""
        try:
            return call(*arguments, **options)
        except ValueError as error:
            self.add(type(error).__name__)
            return None

    def tell(self, duel: Any, o: float, at: float) -> None:
        """Tell the learner, with the time if it needs one."""
        self.learner.tell(duel, o, **({"at": at} if self.timed else {}))


def _unmarked(part: Any) -> Any:
    if isinstance(part, dict):
        gone = (*MARKS, *GONE, "base" if isinstance(part.get("base"), list) else "")
        return {name: _unmarked(value) for name, value in part.items() if name not in gone}
    return part


def by_turns(name: str, learner: Any, rng: np.random.Generator) -> str:
    """Answers late and in any order, ties, duels forgotten and watched, arms that come and go."""
    digest, waiting, now = Digest(name, learner), [], 1e9
    for t in range(ROUNDS):
        now += float(rng.exponential(500.0))
        duel = learner.ask()
        digest.add(duel.t, duel.row, duel.col, duel.p)
        waiting.append(duel)
        while len(waiting) > 7 or (waiting and rng.random() < 0.7):
            duel = waiting.pop(int(rng.integers(len(waiting))))
            if rng.random() < 0.03:
                learner.forget(duel)
                continue
            better = float(rng.random() < 1 / (1 + np.exp(duel.col - duel.row)))
            digest.tell(duel, 0.5 if rng.random() < 0.1 else better, now)
        if t % 97 == 50:
            K = learner.K
            row, col = int(rng.integers(K)), int(rng.integers(K))
            watched = digest.attempt(learner.watch, row, col, [1 / K] * K)
            if watched is not None:
                digest.tell(watched, 1.0, now)
        if t % 400 == 399:
            digest.add(learner.forget(before=learner.t - 3))
            waiting = [duel for duel in waiting if duel.t in learner.open]
            digest.look()
        if t == ROUNDS // 2:
            digest.attempt(learner.add, boost=2.0)
            digest.look()
        if t == 2 * ROUNDS // 3 and learner.K > 2:
            digest.attempt(learner.withdraw, 0)
            waiting = []
            learner.forget(before=learner.t + 1)
            digest.look()
    digest.look()
    again = digest.attempt(sparring.restore, json.loads(json.dumps(learner.snapshot())))
    if again is not None:
        digest.add(*again.ask()[:3])
    return digest.found.hexdigest()


def by_blocks(name: str, learner: Any, rng: np.random.Generator) -> str:
    """Blocks of any length with a round between them."""
    digest, K, done = Digest(name, learner), learner.K, 0
    if digest.timed:
        return ""
    while done < ROUNDS:
        m = int(rng.integers(1, 4))
        P = rng.random((m, K, K))
        P = np.where(np.arange(K)[:, None] < np.arange(K), P, 1 - P.transpose(0, 2, 1))
        P[:, np.arange(K), np.arange(K)] = 0.5
        hold = rng.integers(1, 200, m)
        plays = learner.play(sparring.Block(P, hold), rng.random(int(hold.sum())))
        digest.add(plays.rows, plays.cols)
        duel = learner.ask()
        digest.add(*duel[:4])
        learner.tell(duel, 1.0)
        done += int(hold.sum())
    digest.look()
    return digest.found.hexdigest()


def _made(name: str, K: int) -> Any:
    if name in RESTARTS:
        options = dict(RESTARTS[name])
        return sparring.learners.Restarting(K, options.pop("learner"), **options, seed=7)
    learner, options = OPTIONS[name]
    seed = np.random.Generator(np.random.MT19937(7)) if name.endswith("MT19937") else 7
    return sparring.LEARNERS[learner](K, **options, seed=seed)


def played(names: list[str]) -> dict[str, str]:
    """The digest of every run; the error's name where there is no such learner."""
    found = {}
    for name in names:
        for K in SIZES:
            for way in (by_turns, by_blocks):
                key = f"{name}, K = {K}, {way.__name__}"
                try:
                    learner = _made(name, K)
                except ValueError as error:  # no tuning for so many arms
                    found[key] = type(error).__name__
                    continue
                found[key] = way(name, learner, np.random.default_rng(K))
        print(f"{name}: played", file=sys.stderr, flush=True)
    return found


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", nargs="*", default=[*OPTIONS, *RESTARTS], help="learners")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", TheoremWarning)
    compile_from_now_on()
    found = played(asked.only)
    if asked.what == "record":
        asked.file.write_text(json.dumps(found, indent=0))
        return 0
    before = json.loads(asked.file.read_text())
    before = {key: seen for key, seen in before.items() if key.split(",")[0] in asked.only}
    bad = [key for key, seen in before.items() if found.get(key) != seen]
    print(f"{len(before) - len(bad)} of {len(before)} runs equal to the last bit; differ: {bad}")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
