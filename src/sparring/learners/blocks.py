"""What `play` is given: a block, its coins and room for the arms, each checked."""

from typing import Any

import numpy as np

from sparring import checks
from sparring._jit import Floats, compile_from_now_on, kernel
from sparring.problem import Block, Plays

SHORT_HOLD, WRONG_NUMBER, WRONG_COIN = 1, 2, 3


@kernel
def flaw_of(hold, coins):
    """What is wrong with a block's holds and coins, or 0; compiled, as every block pays for it."""
    left = coins.shape[0]
    for m in range(hold.shape[0]):
        if hold[m] < 1:
            return SHORT_HOLD
    for m in range(hold.shape[0]):
        if hold[m] > left:
            return WRONG_NUMBER
        left -= hold[m]
    if left > 0:
        return WRONG_NUMBER
    inside = True
    for t in range(coins.shape[0]):
        inside &= 0.0 <= coins[t] <= 1.0
    return 0 if inside else WRONG_COIN


def checked(block: Any, coins: Any, K: int) -> tuple[Block, Floats]:
    """The block and its coins, as the kernels take them."""
    compile_from_now_on()  # whoever plays asked for it, and asking must have the same bits
    checks.instance("block", block, Block, "Make one with sparring.Block(P, hold)")
    P = checks.array("block.P", block.P, np.float64, (None, K, K))
    # A copy: what is checked here must be what the kernel reads.
    hold = checks.array("block.hold", block.hold, np.int64, (len(P),)).copy()
    coins = checks.array("coins", coins, np.float64, (None,))
    flaw = flaw_of(hold, coins)
    if flaw == SHORT_HOLD:
        raise checks.refuse("block.hold", "at least 1 everywhere", int(hold.min()))
    if flaw == WRONG_NUMBER:
        rule = f"one for each of the block's {sum(hold.tolist())} rounds"
        raise checks.refuse("coins", rule, checks.Shown(f"{len(coins)} coins"))
    if flaw == WRONG_COIN:
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


def demand_chances(P: Floats) -> None:
    """Refuse matrices with entries that are not probabilities."""
    bad = np.argwhere(~((P >= 0) & (P <= 1)))
    if len(bad):
        raise _refused_entry(P, tuple(bad[0].tolist()))


def _refused_entry(P: Floats, at: tuple[int, ...]) -> ValueError:
    return checks.refuse(f"block.P{list(at)}", "a probability in [0, 1]", float(P[at]))
