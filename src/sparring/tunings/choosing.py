"""Which tuning to use: one that is given, or what a function makes from the problem."""

from collections.abc import Callable
from inspect import signature
from typing import Any, TypeVar

from sparring import checks
from sparring.problem import Problem, Tuning

Kind = TypeVar("Kind")
Rule = Callable[..., Kind]
"""From a `Problem`, and from `delta` or `corrected` if it takes them, to a tuning."""


def resolve(given: Any, problem: Problem, kind: type[Kind], **options: Any) -> Kind:
    """The given tuning, or what the given function makes from the problem and options it takes.

    Examples
    --------
    >>> resolve(lambda problem: Tuning(0.1, 1 / problem.K), Problem(K=4, T=100), Tuning).gamma
    0.25
    """
    if isinstance(given, kind):
        return given
    home = "sparring" if kind is Tuning else "sparring.tunings"
    rule, remedy = f"a {home}.{kind.__name__}", "Or a rule that makes one of a sparring.Problem"
    if not callable(given):
        raise checks.refuse("tuning", rule, given, remedy)
    taken = {name: value for name, value in options.items() if name in _takes(given)}
    found = given(problem, **taken)
    if not isinstance(found, kind):
        raise checks.refuse("tuning", rule, found, "That is what the rule gave")
    return found


def choose(
    tuning: Tuning | Rule[Tuning] | None,
    rule: Rule[Tuning],
    K: int,
    T: int | None,
    S: int | None = None,
    V_T: float | None = None,
    **options: object,
) -> Tuning:
    """The tuning of a learner: made from T, S and V_T, or given instead of them.

    `rule` is the theorem's function. The options belong to it, so a given tuning or another
    function excludes them; None and False mean that an option was not given.
    """
    if tuning is not None:
        replaced = options if callable(tuning) else {"T": T, "S": S, "V_T": V_T, **options}
        for name, value in replaced.items():
            if value is not None and value is not False:
                raise ValueError(
                    f"give tuning or {name}, not both: the tuning replaces it; got {name}={value!r}"
                )
        if isinstance(tuning, Tuning) and tuning.gamma > 0.5:
            checks.warn(f"no theorem of the paper applies: gamma = {tuning.gamma:g} is above 1/2")
        if not callable(tuning):
            return checks.instance("tuning", tuning, Tuning, "Make one with Tuning(eta, gamma)")
    if T is None:
        remedy = "Or pass tuning=sparring.Tuning(...)"
        raise checks.refuse("T", "given: the number of rounds", None, remedy)
    return resolve(rule if tuning is None else tuning, Problem(K, T, S, V_T), Tuning)


def _takes(rule: Rule[Any]) -> set[str]:
    """The names of a function's arguments besides the problem."""
    try:
        return set(signature(rule).parameters)
    except (TypeError, ValueError):  # of some that are written in C
        return set()
