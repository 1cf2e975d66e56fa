"""What may be wrong with a block of rounds."""

from sparring._kernels.jit import kernel

SHORT_HOLD, WRONG_NUMBER, WRONG_COIN = 1, 2, 3


@kernel
def flaw(hold, coins):
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
