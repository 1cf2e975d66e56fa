"""The condition under which a certificate holds, and how violations are noticed."""

import math

from sparring.certificates import _estimates as kernels
from sparring.certificates.checking import CouplingError
from sparring.certificates.sums import Sums

FALSE_ALARM = 1e-4  # how often independent arms are ever taken for coupled ones

ALL = (
    "the two arms of each duel were drawn independently from the probabilities logged (where it is "
    "marked differ, given that they differ), every duel is there once, self-duels too, and none is "
    "left out for a reason that has to do with its arms or its outcome"
)
ONLY_ANSWERED = (
    "the two arms of each duel were drawn independently from the probabilities logged, and whether "
    "a duel of two different arms was answered had nothing to do with which arms they were or "
    "with which of them would have won. The regret is that of the answered duels of two different "
    "arms"
)
REMEDY = (
    "If some were never answered, certify those that were: only_answered=True, or --only-answered, "
    "which holds if answering had nothing to do with the arms or with who would have won"
)

GAPS = (
    "If they were left out for a reason that has nothing to do with their arms nor with who would "
    "have won, nor with whether the arms were equal, say so: gaps=True, or --gaps"
)


def demand_independent(sums: Sums) -> Sums:
    """The sums; refuses them if arms were equal far more or less often than the log says."""
    if sums.coupling[kernels.HIGHEST] < math.log(1 / FALSE_ALARM):
        return sums
    equal, expected = sums.coupling[[kernels.EQUAL, kernels.EXPECTED]]
    raise CouplingError(
        f"the arms were equal in {equal:,.0f} of {sums.rounds:,} duels, and the logged "
        f"probabilities expect {expected:,.0f}: they were not drawn independently from them, or "
        f"duels are missing, and then no certificate holds (false alarm: one certificate in "
        f"{1 / FALSE_ALARM:,.0f}). Duels of an arm with itself belong in the log, too, and "
        f"probabilities must not be rounded. {REMEDY}"
    )
