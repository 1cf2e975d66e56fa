"""How soon changes are noticed: the alarms of the learners that raise them, beside the truth.

In a segment the first alarm counts as its detection, whatever raised it; all others, and those
before the first change, are false. Of a recorded history only changes of the best arm count.
"""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring import checks, streams
from sparring.lab import results
from sparring.lab.league.contenders import BY_LABEL, contenders
from sparring.lab.league.fixtures import Fixture
from sparring.lab.league.suite import PREFIX
from sparring.lab.provenance import sources
from sparring.learners.alarms import KEPT
from sparring.learners.blocks import cut
from sparring.simulation import Entrant
from sparring.simulation.entrants import make
from sparring.simulation.progress import Tick, progress_bar
from sparring.simulation.workers import completed

FILE = "detection.json"


@dataclass(frozen=True)
class Detected:
    """What became of a detector's alarms on a world, over some runs."""

    world: str
    title: str
    label: str
    T: int
    runs: int
    changes: int
    """True changes in all runs together."""
    delays: tuple[int, ...]
    """Rounds from a change to the alarm, of those that were noticed."""
    false_alarms: int

    @property
    def share(self) -> float:
        """The share of changes that were noticed before the next one; NaN if there was none."""
        return len(self.delays) / self.changes if self.changes else math.nan

    @property
    def delay(self) -> float:
        """The median delay of those noticed; NaN if none was."""
        return float(np.median(self.delays)) if self.delays else math.nan

    @property
    def false_rate(self) -> float:
        """False alarms in 100,000 rounds."""
        return self.false_alarms / (self.runs * self.T) * 1e5

    def to_json(self) -> dict[str, Any]:
        """The numbers as a dictionary for `json.dumps`."""
        return {**asdict(self), "delays": list(self.delays)}


class Watch(NamedTuple):
    """One run of one detector, as a task."""

    fixture: Fixture
    label: str
    entrant: Entrant
    seed: int
    run: int

    @property
    def work(self) -> float:
        """Its rounds."""
        return float(self.fixture.world.T)

    def __call__(self, tick: Tick = lambda rounds: None) -> tuple[int, ...]:
        """Play it, on the path and with the coins of the league; the rounds of its alarms."""
        problem, luck = self.fixture.told, PREFIX + self.fixture.name

        def stream(purpose: str, label: str = "") -> np.random.Generator:
            sizes = {"K": problem.K, "T": problem.T, "run": self.run}
            return streams.keyed(self.seed, purpose, experiment=luck, label=label, **sizes)

        path, coins = stream("path"), stream("coins")
        learner: Any = make(self.entrant, problem, stream("learner", self.label))
        alarms: dict[int, None] = {}
        for block in self.fixture.world.blocks(path):
            rounds = int(block.hold.sum())
            for start in range(0, rounds, KEPT):  # a learner keeps its latest alarms only
                stop = min(start + KEPT, rounds)
                learner.play(cut(block, start, stop), coins.random(stop - start))
                alarms.update(dict.fromkeys(learner.alarms))
            tick(rounds)
        return tuple(alarms)


def detectors(fixture: Fixture) -> dict[str, Entrant]:
    """Who raises alarms on a world, by label; nobody where changes have no rounds of their own."""
    if fixture.changes is None:
        return {}
    field = contenders(fixture).items()
    return {label: entrant for label, entrant in field if BY_LABEL[label].alarms}


def watch(
    fixtures: Iterable[Fixture],
    *,
    runs: int,
    seed: int = 0,
    executor: Executor | None = None,
    progress: bool = False,
) -> list[Detected]:
    """Play each contender that raises alarms on each world that tells its changes.

    Parameters
    ----------
    fixtures
        The worlds.
    runs, seed
        As for the league, whose paths and coins these are.
    executor
        Any `concurrent.futures.Executor`; one run after the other if None.
    progress
        Whether to show a bar with the time left.
    """
    cases = [(one, *detector) for one in fixtures for detector in detectors(one).items()]
    tasks = [Watch(*case, seed, run) for case in cases for run in range(runs)]
    work, what = sum(task.work for task in tasks), f"{len(tasks):,} runs for alarms"
    with progress_bar(work, what, shown=progress and bool(tasks)) as tick:
        alarms = dict(completed(tasks, executor, tick))
    return [
        _judged(fixture, label, [alarms[place * runs + run] for run in range(runs)])
        for place, (fixture, label, _) in enumerate(cases)
    ]


def _judged(fixture: Fixture, label: str, alarms: Sequence[tuple[int, ...]]) -> Detected:
    changes, T = fixture.changes or (), fixture.world.T
    delays, false = list[int](), 0
    for rounds in alarms:
        found = list(noticed(changes, rounds))
        delays += found
        false += len(rounds) - len(found)
    return Detected(
        fixture.name,
        fixture.title,
        label,
        T,
        len(alarms),
        len(changes) * len(alarms),
        tuple(delays),
        false,
    )


def noticed(changes: Sequence[int], alarms: Sequence[int]) -> Iterator[int]:
    """The delay of each change that an alarm followed before the next change.

    Examples
    --------
    >>> list(noticed((101, 201, 301), (40, 110, 150, 320)))
    [10, 20]
    """
    ends = [*changes[1:], math.inf]
    for change, end in zip(changes, ends, strict=False):
        within = [alarm for alarm in alarms if change <= alarm < end]
        if within:
            yield min(within) - change + 1


def about(fixtures: Iterable[Fixture], *, runs: int, seed: int) -> dict[str, Any]:
    """What alarms depend on: what is there of the same needs not be played again."""
    worlds = [
        {
            "name": fixture.name,
            "world": fixture.world.to_json(),
            "detectors": {name: one.to_json() for name, one in detectors(fixture).items()},
        }
        for fixture in fixtures
    ]
    found = {"sources": sources(), "runs": runs, "seed": seed, "worlds": worlds}
    return json.loads(json.dumps(found))  # type: ignore[no-any-return]


def write(folder: str | Path, found: Sequence[Detected], subject: dict[str, Any]) -> Path:
    """Write what was found, and what it is about, into a folder, which is made if need be."""
    path = Path(folder) / FILE
    content = {"about": subject, "found": [one.to_json() for one in found]}
    with results.explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        results.write(path, json.dumps(content, indent=1).encode())
    return path


def read(folder: str | Path, subject: dict[str, Any] | None = None) -> list[Detected]:
    """What is in a folder, if it is about the subject given; nothing if there is nothing."""
    path = Path(folder) / FILE
    with results.explained(path):
        if not path.exists():
            return []
        text = path.read_text(encoding="utf-8")
    try:
        content = json.loads(text)
        if subject is not None and content["about"] != subject:
            return []
        return [_found(fields) for fields in content["found"]]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise results.ResultsError(
            f"{path} is damaged: {checks.short(error, 80)}. Remove it and start again"
        ) from None


def _found(fields: dict[str, Any]) -> Detected:
    given = {name: fields[name] for name in Detected.__dataclass_fields__}
    return Detected(**{**given, "delays": tuple(int(delay) for delay in given["delays"])})
