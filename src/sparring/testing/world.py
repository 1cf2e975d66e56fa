"""What every world must do: one small named check each, run with `check_world`.

A check takes the world and raises AssertionError with what is wrong. Each reads one or more whole
paths, so give a world with a small T.
"""

import pickle
from collections.abc import Callable, Iterator
from itertools import zip_longest

import numpy as np
from numpy.random import Generator

from sparring import checks, preferences
from sparring.problem import Block
from sparring.simulation import describe
from sparring.streams import generator
from sparring.testing.battery import demand, run, skip
from sparring.worlds import PreferenceSequence

SEED = 20213


def check_world(world: PreferenceSequence) -> dict[str, str]:
    """Run every check on a world.

    Returns
    -------
    The verdict of each check by name: "passed", or "skipped: " and why. If checks fail, an
    AssertionError names each of them.

    Examples
    --------
    >>> import sparring
    >>> set(check_world(sparring.SwitchingWalk(K=3, T=100, S=4)).values())
    {'passed'}
    """
    if not isinstance(world, PreferenceSequence) or isinstance(world, type):
        raise TypeError(f"check_world takes a world (K, T, blocks); got {world!r:.80}")
    return run(WORLD_CHECKS, world)


def sizes_are_whole_numbers(world: PreferenceSequence) -> None:
    """K is a whole number of at least 2, T one of at least 1."""
    checks.whole("K", world.K, low=2)
    checks.whole("T", world.T, low=1)


def blocks_have_a_hold_for_each_matrix(world: PreferenceSequence) -> None:
    """Each block is a sparring.Block: P (m, K, K), m >= 1, and hold (m,), whole numbers >= 1."""
    for block in _path(world):
        demand(isinstance(block, Block), f"{type(block).__name__} is not a sparring.Block")
        P = checks.array("P", block.P, np.float64, (None, world.K, world.K))
        hold = checks.array("hold", block.hold, np.int64, (len(P),))
        demand(len(P) > 0 and hold.min() >= 1, f"hold {hold} for {len(P)} matrices")


def holds_sum_to_T(world: PreferenceSequence) -> None:
    """The holds of all blocks sum to T."""
    total = sum(int(np.sum(block.hold)) for block in _path(world))
    demand(total == world.T, f"the holds sum to {total}, not to T = {world.T}")


def matrices_are_preferences(world: PreferenceSequence) -> None:
    """Entries are in [0, 1], P(i, j) + P(j, i) = 1, and the diagonal is 1/2."""
    for number, block in enumerate(_path(world)):
        preferences.valid(block.P, f"P of block {number}")


def same_generator_same_path(world: PreferenceSequence) -> None:
    """Equal generators give equal paths, whatever was drawn between."""
    first = [_copy(block) for block in _path(world)]
    for _ in _path(world, SEED + 1):
        pass
    _demand_equal(first, _path(world))


def paths_do_not_disturb_each_other(world: PreferenceSequence) -> None:
    """Two paths read in turns are what they are alone: runs may share a world over threads."""
    alone = [_copy(block) for block in _path(world)]
    other = iter(_path(world, SEED + 1))

    def taking_turns() -> Iterator[Block]:
        for block in _path(world):
            kept = _copy(block)
            next(other, None)
            yield kept

    _demand_equal(alone, taking_turns())


def what_it_states_is_true(world: PreferenceSequence) -> None:
    """If it has S or V_T, no path has more segments (or Condorcet winners) or more variation."""
    stated = {name: getattr(world, name, None) for name in ("S", "V_T")}
    if stated["S"] is None and stated["V_T"] is None:
        skip("the world states neither S nor V_T")
    for seed in range(3):
        found = describe(world, seed)
        if stated["S"] is not None:
            segments = found.S
            if found.condorcet_share == 1:  # the theorems need segments of the benchmark only
                segments = min(segments, found.condorcet_changes + 1)
            demand(segments <= stated["S"], f"{segments} segments, not S = {stated['S']} at most")
        if stated["V_T"] is not None:
            demand(
                stated["V_T"] * (1 + 1e-9) + 1e-9 >= found.V_T,
                f"variation {found.V_T:.9g}, where V_T = {stated['V_T']} is stated",
            )


def survives_pickling(world: PreferenceSequence) -> None:
    """Pickled and loaded, it gives the same paths, as processes and clusters need."""
    try:
        text = pickle.dumps(world)
    except Exception as error:
        skip(f"the world cannot be pickled, so threads only: {error}")
        return
    _demand_equal((_copy(block) for block in _path(world)), _path(pickle.loads(text)))


WORLD_CHECKS: tuple[Callable[[PreferenceSequence], None], ...] = (
    sizes_are_whole_numbers,
    blocks_have_a_hold_for_each_matrix,
    holds_sum_to_T,
    matrices_are_preferences,
    same_generator_same_path,
    paths_do_not_disturb_each_other,
    what_it_states_is_true,
    survives_pickling,
)
"""What `check_world` demands, in this order; the docstring of each is the demand."""


def _path(world: PreferenceSequence, seed: int = SEED) -> Iterator[Block]:
    rng: Generator = generator(seed)
    total = 0
    for block in world.blocks(rng):
        yield block
        total += max(int(np.sum(getattr(block, "hold", 0))), 1)
        demand(total <= world.T, f"the holds pass T = {world.T}: does the generator end?")


def _copy(block: Block) -> Block:
    """What a block holds now: its arrays may be used again for the next one."""
    return Block(np.array(block.P), np.array(block.hold))


def _demand_equal(expected: "list[Block] | Iterator[Block]", found: Iterator[Block]) -> None:
    for number, (block, other) in enumerate(zip_longest(expected, found)):
        demand(
            block is not None
            and other is not None
            and np.array_equal(block.hold, other.hold)
            and np.array_equal(block.P, other.P),
            f"block {number} differs: does all chance come from the generator it is given?",
        )
