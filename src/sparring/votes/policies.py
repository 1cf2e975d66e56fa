"""Policies and references: which arm is shown and which it has to beat, as distributions."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks

TOLERANCE = 1e-6  # of the sum of a distribution

Floats = NDArray[np.float64]

Chooser = Callable[[int, int], Floats]
"""The distributions for votes start to stop, from 0: (stop - start, K), or (1, K) for all alike."""


class Target(NamedTuple):
    """What is estimated: how often an arm of the policy beats one of the reference."""

    policy: Chooser
    reference: Chooser | None
    """None: any arm other than the policy's, with equal chances."""
    K: int

    def duels(self, start: int, stop: int) -> tuple[Floats, Floats, Floats]:
        """The policy, the reference, and how likely they show the same arm, for some votes.

        If the reference is None, the second is 1 / (K - 1), and no arm meets itself.
        """
        pi = self.policy(start, stop)
        if self.reference is None:
            return pi, np.full((1, self.K), 1 / (self.K - 1)), np.zeros(1)
        rho = self.reference(start, stop)
        return pi, rho, np.asarray((pi * rho).sum(axis=1))


def chooser(name: str, given: Any, names: tuple[str, ...], n: int) -> tuple[Chooser, str]:
    """A policy or reference as given by the user, and what to call it.

    An arm's name, a dictionary of names and probabilities, a function of the vote's number, from
    1, that gives a dictionary or K probabilities, or these as an array, (K,) or (n, K).
    """
    K = len(names)
    if isinstance(given, str):
        if given not in names:
            raise checks.unknown(name, given, names)
        return constant(np.eye(K)[names.index(given)]), f"always {given}"
    if isinstance(given, Mapping):
        return constant(_distribution(name, given, names)), "a mixture"
    if callable(given):
        return _by_number(name, given, names), getattr(given, "__name__", "a function")
    array = checks.array(name, given, np.float64, (None,) * np.ndim(given))
    if array.shape == (K,):
        return constant(_distribution(name, array, names)), "a mixture"
    if array.shape != (n, K):
        remedy = f"An array has shape ({K},) or ({n}, {K})"
        raise checks.refuse(
            name, "a distribution over the arms", checks.Shown(f"{array.shape}"), remedy
        )
    good = (array >= 0).all(axis=1) & (np.abs(array.sum(axis=1) - 1) <= TOLERANCE)
    if not good.all():
        at = int(np.argmin(good))
        shown = checks.Shown(f"{array[at]} in vote {at + 1:,}")
        raise checks.refuse(name, "probabilities that sum to 1", shown)
    return (lambda start, stop: array[start:stop]), "an array"


def opponents(given: Any, names: tuple[str, ...], n: int) -> tuple[Chooser | None, str]:
    """A reference as given by the user, None for "others", and what to call it."""
    if isinstance(given, str) and given == "others":
        return None, "any other arm"
    return chooser("reference", given, names, n)


def constant(p: Floats) -> Chooser:
    """The same distribution in every vote."""
    row = p[None]
    return lambda start, stop: row


def _by_number(name: str, given: Callable[[int], Any], names: tuple[str, ...]) -> Chooser:
    def choose(start: int, stop: int) -> Floats:
        return np.array([_distribution(name, given(t), names) for t in range(start + 1, stop + 1)])

    return choose


def _distribution(name: str, given: Any, names: tuple[str, ...]) -> Floats:
    """(K,): a distribution, checked."""
    if isinstance(given, Mapping):
        p = np.zeros(len(names))
        for arm, chance in given.items():
            if arm not in names:
                raise checks.unknown(f"{name}, an arm", arm, names)
            p[names.index(arm)] = chance
    else:
        p = checks.array(name, given, np.float64, (len(names),))
    if not ((p >= 0).all() and abs(p.sum() - 1) <= TOLERANCE):
        raise checks.refuse(name, "probabilities that sum to 1", given)
    return p
