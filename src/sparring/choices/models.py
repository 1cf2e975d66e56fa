"""How people choose one of several arms: models that agree with P where two are shown."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import checks, preferences

Floats = NDArray[np.float64]
Model = Callable[[Floats], Floats]

CLOSE = 1e-6  # by how much the odds of three arms may miss each other, relatively


def plackett_luce(P: Floats) -> Floats:
    """Each arm's chance to win the set, if arms have strengths (Luce 1959, Plackett 1975).

    An arm wins with a chance proportional to its strength, whatever the other arms. The strengths
    are read from P, whose odds must multiply: P(i, k) / P(k, i) must be the odds of i and j times
    the odds of j and k, as in Bradley and Terry's model.

    Examples
    --------
    >>> plackett_luce(np.array([[0.5, 0.75, 0.75], [0.25, 0.5, 0.5], [0.25, 0.5, 0.5]]))
    array([0.6, 0.2, 0.2])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = P / P.T
        strengths = odds[:, 0]
        fits = np.abs(odds * strengths / strengths[:, None] - 1) < CLOSE
    if not fits.all():
        i, j = (int(place) for place in np.argwhere(~fits)[0])
        rule = "made of strengths, so that odds multiply"
        found = checks.Shown(f"odds of {odds[i, j]:g} for arms {i} and {j} of those shown")
        remedy = "UtilityWalk and UtilitySwitches are such worlds; model='pairs' takes any"
        raise checks.refuse("P", rule, found, remedy)
    return np.asarray(strengths / strengths.sum())


def pairs(P: Floats) -> Floats:
    """Each arm's chance to win the set, if a pair drawn uniformly from the set decides.

    Any preferences will do: arm i wins with chance 2 / (m (m - 1)) times the sum over j of P(i, j).
    The pairwise-subset model of multi-dueling bandits (Gajane 2024, arXiv 2406.12475).

    Examples
    --------
    >>> pairs(np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])).round(3)
    array([0.333, 0.333, 0.333])
    """
    m = len(P)
    return np.asarray((P.sum(axis=1) - 0.5) * (2 / (m * (m - 1))))


MODELS: dict[str, Model] = {"plackett-luce": plackett_luce, "pairs": pairs}
"""The models by name. Your own is a function of the preferences among the arms shown."""


def chances(P: Any, arms: Sequence[int], model: str | Model = "plackett-luce") -> Floats:
    """Each of these arms' chance to win, if people choose by this model.

    Examples
    --------
    >>> P = [[0.5, 0.75, 0.6], [0.25, 0.5, 1 / 3], [0.4, 2 / 3, 0.5]]
    >>> chances(P, [0, 1, 2]).round(3)  # strengths 3, 1 and 2
    array([0.5  , 0.167, 0.333])
    >>> chances(P, [2, 1]).round(3)
    array([0.667, 0.333])
    """
    matrix = preferences.valid(P)
    places = [checks.whole("an arm", arm, low=0, high=len(matrix) - 1) for arm in arms]
    if len(set(places)) < len(places) or len(places) < 2:
        raise checks.refuse("arms", "two or more different ones", list(arms))
    return model_of(model)(among(matrix, places))


def ranked(P: Floats, model: Model, coin: float, most: int) -> list[int]:
    """Places of the first `most` arms, best first, drawn with one coin in [0, 1).

    Each next arm is chosen among those that are left. One coin is enough: the part that a choice
    does not use decides the next.
    """
    return ordered(lambda left: model(among(P, left)).tolist(), len(P), coin, most)


def among(P: Floats, arms: Sequence[int]) -> Floats:
    """The preferences among these arms."""
    index = np.array(arms)
    return np.asarray(P[index[:, None], index])


def ordered(
    chances_of: Callable[[list[int]], list[float]], m: int, coin: float, most: int
) -> list[int]:
    """`ranked` by a function that gives the chances of the places left, up to a factor."""
    left = list(range(m))
    order: list[int] = []
    while len(order) < most and len(left) > 1:
        steps = list(accumulate(chances_of(left)))
        reached = coin * steps[-1]
        place = min(bisect_right(steps, reached), len(left) - 1)
        low = steps[place - 1] if place else 0.0
        coin = min(max((reached - low) / (steps[place] - low), 0.0), 1 - 2**-53)
        order.append(left.pop(place))
    return order + left if most == m else order


def model_of(model: Any) -> Model:
    """The model with this name, or the function that was given."""
    if callable(model):
        return model  # type: ignore[no-any-return]
    if not isinstance(model, str) or model not in MODELS:
        raise checks.unknown("model", model, MODELS, "Or a function of the preferences shown")
    return MODELS[model]
