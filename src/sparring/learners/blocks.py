"""What `play` is given: a block, its coins and room for the arms, each checked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring._kernels import blocks as kernels
from sparring._kernels.jit import compile_from_now_on
from sparring.problem import Block, Plays


def checked(block: Any, coins: Any, K: int) -> tuple[Block, NDArray[np.float64]]:
    """The block and its coins, as the kernels take them."""
    compile_from_now_on()  # whoever plays asked for it, and asking must have the same bits
    checks.instance("block", block, Block, "Make one with sparring.Block(P, hold)")
    P = checks.array("block.P", block.P, np.float64, (None, K, K))
    # A copy: what is checked here must be what the kernel reads.
    hold = checks.array("block.hold", block.hold, np.int64, (len(P),)).copy()
    coins = checks.array("coins", coins, np.float64, (None,))
    flaw = kernels.flaw(hold, coins)
    if flaw == kernels.SHORT_HOLD:
        raise checks.refuse("block.hold", "at least 1 everywhere", int(hold.min()))
    if flaw == kernels.WRONG_NUMBER:
        rule = f"one for each of the block's {sum(hold.tolist())} rounds"
        raise checks.refuse("coins", rule, checks.Shown(f"{len(coins)} coins"))
    if flaw == kernels.WRONG_COIN:
        found = checks.Shown(f"{coins.min()} to {coins.max()}")
        raise checks.refuse("coins", "in [0, 1]", found)
    return Block(P, hold), coins


def room(out: Any, rounds: int) -> Plays:
    """Where the arms go: new arrays, or those given, which must be fit to be filled."""
    if out is None:
        return Plays(np.empty(rounds, np.int64), np.empty(rounds, np.int64))
    checks.instance("out", out, Plays, "Make one with sparring.Plays(rows, cols)")
    for name, arms in out._asdict().items():
        # No copy will do: it would be filled, and what was given would not.
        if checks.array(f"out.{name}", arms, np.int64, (rounds,)) is not arms:
            rule = "a writeable, C-ordered array of int64"
            raise checks.refuse(f"out.{name}", rule, checks.Shown(f"a {type(arms).__name__}"))
    if np.shares_memory(*out):
        raise checks.refuse("out.rows", "other memory than out.cols", checks.Shown("the same"))
    return out  # type: ignore[no-any-return]


def cut(block: Block, start: int, stop: int) -> Block:
    """The rounds of a block from `start` to before `stop`."""
    ends = np.cumsum(block.hold)
    first, last = np.searchsorted(ends, (start, stop - 1), side="right")
    ends = np.minimum(ends[first : last + 1], stop)
    hold = np.diff(ends, prepend=start)
    return Block(block.P[first : last + 1], hold)


def refused_chance(block: Block, out: Plays, played: int) -> ValueError:
    """The error for a block whose entry of P in round `played`, from 0, is not a probability."""
    m = int(np.searchsorted(np.cumsum(block.hold), played, side="right"))
    return _refused_entry(block.P, (m, int(out.rows[played]), int(out.cols[played])))


def demand_chances(P: NDArray[np.float64]) -> None:
    """Refuse matrices with entries that are not probabilities."""
    bad = np.argwhere(~((P >= 0) & (P <= 1)))
    if len(bad):
        raise _refused_entry(P, tuple(bad[0].tolist()))


def _refused_entry(P: NDArray[np.float64], at: tuple[int, ...]) -> ValueError:
    return checks.refuse(f"block.P{list(at)}", "a probability in [0, 1]", float(P[at]))
