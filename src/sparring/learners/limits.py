"""What the kernels can handle: the estimates by name, and the largest step of a weight."""

import numpy as np

from sparring import checks
from sparring._kernels import weights as kernels
from sparring._kernels.jit import Floats, Ints
from sparring.problem import Tuning

ESTIMATES = {
    "win": kernels.WIN,
    "borda": kernels.BORDA,
    "relative": kernels.RELATIVE,
    "row borda": kernels.ROW_BORDA,
    "differ": kernels.DIFFER,
    "capped": kernels.CAPPED,
}
WITHOUT_BETA = ("relative", "differ", "capped")
ONE_PLAYER = (*WITHOUT_BETA, "row borda")  # both arms are drawn from one distribution
LEAST_MIXING_APART = 1e-6  # with less, 1 - p of an arm that has nearly all would lose its digits

# One update multiplies a weight by at most e^350 < 2^505: weights in [2^-512, 2^256] stay doubles.
LARGEST_EXPONENT = 350.0
SMALLEST_WEIGHT = 2.0**-1000  # of an arm awake
DEEPEST = 2**50  # an arm that deep has lost in every round of a thousand years


def known(estimate: str) -> str:
    """The name of the estimate; refuses an unknown one."""
    if not isinstance(estimate, str) or estimate not in ESTIMATES:
        raise checks.refuse("estimate", f"one of {sorted(ESTIMATES)}", estimate)
    return estimate


def possible_depths(depths: Ints) -> bool:
    """Whether these can be the depths of arms, 0 for those awake."""
    return bool(((depths == 0) | ((depths > 1) & (depths < DEEPEST))).all())


def possible_weights(weights: Floats, depths: Ints) -> bool:
    """Whether these can be the weights of arms awake and asleep."""
    asleep = depths > 0
    awake = np.where(asleep, 1.0, weights)
    sleeping = np.where(asleep, weights, 1.0)
    fits = (awake > SMALLEST_WEIGHT) & (awake <= kernels.BIG)
    fits &= (sleeping >= 1) & (sleeping < kernels.BIG)
    return bool(fits.all())


def rescaled(weights: Floats, depths: Ints) -> tuple[Floats, Ints]:
    """The same weights and depths, but for a power of two, such as the kernels leave behind.

    The largest is brought to about 2^8, so that sums are in range whatever arms are there.
    """
    mantissa, exponent = np.frexp(weights)
    power = exponent - 256 * depths
    power = power - power.max(axis=1, keepdims=True) + 8
    deep = np.where(power > -500, 0, -(power // 256) + 1)
    return np.ldexp(mantissa, power + 256 * deep), deep


def in_range(totals: Floats) -> bool:
    """Whether the sums of the weights are such as the kernels leave behind."""
    return bool(((totals >= 1) & (totals <= kernels.BIG)).all())


def usable(tuning: Tuning, estimate: str, K: int) -> Tuning:
    """The tuning; refuses one that the kernels cannot handle."""
    checks.instance("tuning", tuning, Tuning, "Make one with sparring.Tuning(eta, gamma)")
    if estimate in WITHOUT_BETA and tuning.beta > 0:
        rule = f"0 for the {estimate} estimate, which has no bias"
        raise checks.refuse("beta", rule, tuning.beta)
    if estimate == "differ" and tuning.gamma < LEAST_MIXING_APART:
        rule = f"at least {LEAST_MIXING_APART:g} where arms differ"
        raise checks.refuse("gamma", rule, tuning.gamma)
    floor = tuning.gamma / K  # no probability is smaller
    largest_gain = {
        "win": (1 + tuning.beta) / floor,
        "borda": 1 / (K * floor**2) + tuning.beta / floor,
        "relative": 1 / (2 * floor),
        "row borda": 1 / (K * floor**2) + tuning.beta / floor,
        "differ": 1 / (2 * floor),
        "capped": K / 2,
    }[estimate]
    if tuning.eta * largest_gain > LARGEST_EXPONENT:
        limit = LARGEST_EXPONENT / largest_gain
        remedy = "One win would multiply a weight by more than e^350: lower eta or raise gamma"
        raise checks.refuse(
            "eta", f"at most {limit:.4g} at gamma = {tuning.gamma:g}", tuning.eta, remedy
        )
    return tuning
