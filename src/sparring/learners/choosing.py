"""Which tuning a learner gets: the one given, or what its theorem prescribes for T rounds."""

from collections.abc import Callable

from sparring import checks
from sparring.problem import Tuning


def choose(
    tuning: Tuning | None, T: int | None, rule: Callable[[int], Tuning], **instead: object
) -> Tuning:
    """The tuning given, or the theorem's for T rounds; exactly one of the two."""
    if tuning is None:
        if T is None:
            raise checks.refuse(
                "T", "given: the number of rounds", None, "Or pass tuning=sparring.Tuning(...)"
            )
        return rule(T)
    for name, value in {"T": T, **instead}.items():
        if value is not None and value is not False:
            raise ValueError(
                f"give tuning or {name}, not both: the tuning replaces it; got {name}={value!r}"
            )
    if isinstance(tuning, Tuning) and tuning.gamma > 0.5:
        checks.warn(f"no theorem of the paper applies: gamma = {tuning.gamma:g} is above 1/2")
    return tuning
