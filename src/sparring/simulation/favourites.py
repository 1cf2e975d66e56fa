"""Which arm a learner thinks best, for any learner; and what a table calls it."""

from typing import Any

import numpy as np

from sparring import checks

FAVOURITE = "favourite"  # in the column of regrets: whose value is 1 if it is the best arm, else 0


def favourite_of(learner: Any) -> int | None:
    """Its `favourite`; of a learner without one the arm that it draws most often.

    None if it has none, or if it has no `favourite` and its `p` has no row, as arms are coupled.

    Examples
    --------
    >>> import sparring
    >>> favourite_of(sparring.rand(5, seed=1))
    0
    """
    if hasattr(learner, "favourite"):
        found = learner.favourite
        if found is None:
            return None
        return checks.whole("its favourite", found, low=0, high=learner.K - 1)
    p = np.asarray(learner.p, float)
    return int(p.mean(axis=0).argmax()) if len(p) else None
