"""Data sets by name; each is made or read when you ask for it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sparring import checks
from sparring.data import histories, matrices
from sparring.data.values import Dataset

SETS: Mapping[str, Callable[[], Dataset]] = MappingProxyType(
    {
        "arxiv6": matrices.arxiv6,
        "arithmetic8": matrices.arithmetic8,
        "cyclic4": matrices.cyclic4,
        "cycle5": matrices.cycle5,
        "borda3": matrices.borda3,
        "utilities10": matrices.utilities10,
        "steps10": matrices.steps10,
        "models8": histories.models8,
        "league12": histories.league12,
    }
)


def names() -> tuple[str, ...]:
    """The names that `load` takes; the number in a name counts its arms.

    Examples
    --------
    >>> "arxiv6" in names()
    True
    """
    return tuple(SETS)


def load(name: str) -> Dataset:
    """The data set with this name.

    Examples
    --------
    >>> load("models8").arms[:3]
    ('aster', 'birch', 'cedar')
    >>> try:
    ...     load("arxiv")
    ... except ValueError as error:
    ...     print(error)
    name must be one of 9 names; got 'arxiv'. Did you mean 'arxiv6'?
    """
    if not isinstance(name, str) or name not in SETS:
        raise checks.unknown("name", name, SETS)
    return SETS[name]()
