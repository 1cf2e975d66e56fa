"""What the kernels can compute with: the estimates by name, and the largest step of a weight."""

from sparring import checks
from sparring._kernels import weights as kernels
from sparring.problem import Tuning

ESTIMATES = {"win": kernels.WIN, "borda": kernels.BORDA, "relative": kernels.RELATIVE}

# One update multiplies a weight by at most e^350 < 2^505: weights in [2^-512, 2^256] stay doubles.
LARGEST_EXPONENT = 350.0


def known(estimate: str) -> str:
    """The name of the estimate, unless there is none of that name."""
    if estimate not in ESTIMATES:
        raise checks.refuse("estimate", f"one of {sorted(ESTIMATES)}", estimate)
    return estimate


def usable(tuning: Tuning, estimate: str, K: int) -> Tuning:
    """The tuning, unless the kernels cannot compute with it."""
    checks.instance("tuning", tuning, Tuning, "Make one with sparring.Tuning(eta, gamma)")
    if estimate == "relative" and tuning.beta > 0:
        raise checks.refuse("beta", "0 for the relative estimate, which has no bias", tuning.beta)
    floor = tuning.gamma / K  # no probability is smaller
    largest_gain = {
        "win": (1 + tuning.beta) / floor,
        "borda": 1 / (K * floor**2) + tuning.beta / floor,
        "relative": 1 / (2 * floor),
    }[estimate]
    if tuning.eta * largest_gain > LARGEST_EXPONENT:
        limit = LARGEST_EXPONENT / largest_gain
        remedy = "One win would multiply a weight by more than e^350: lower eta or raise gamma"
        raise checks.refuse(
            "eta", f"at most {limit:.4g} at gamma = {tuning.gamma:g}", tuning.eta, remedy
        )
    return tuning
