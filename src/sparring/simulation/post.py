"""Post: how answers reach a learner in a world where they are late, silent or spoiled."""

import heapq
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from sparring.learners import Learner
from sparring.problem import Duel
from sparring.simulation.observers import favourite_of
from sparring.worlds import PreferenceSequence
from sparring.worlds.answers import NEVER, Vote


def links_of(world: PreferenceSequence) -> dict[str, Any]:
    """All that happens to an answer, in order, by names that seed their randomness.

    Examples
    --------
    >>> from sparring.worlds import FreshWinner, Late
    >>> list(links_of(Late(Late(FreshWinner(K=3, T=9, S=1), mean=2), mean=5)))
    ['Late', 'Late 2']
    """
    seen, found = Counter[str](), {}
    for link in getattr(world, "answers", ()):
        kind = type(link).__name__
        seen[kind] += 1
        found[kind if seen[kind] == 1 else f"{kind} {seen[kind]}"] = link
    return found


class Post:
    """The answers of one learner in one run, until it is told.

    Parameters
    ----------
    links
        What happens to an answer, in this order: each has a `carrier()`.
    learner
        Who is told. If it has `forget`, it forgets the duels that are never answered.
    """

    def __init__(self, links: Sequence[Any], learner: Learner) -> None:
        self._carriers = [link.carrier() for link in links]
        self._tell, self._forget = learner.tell, getattr(learner, "forget", None)
        self._leader = partial(favourite_of, learner)
        self._under_way: list[tuple[float, int, Duel, float]] = []

    def send(
        self, t: int, duel: Duel, chance: float, outcome: float, lots: Sequence[float]
    ) -> None:
        """Send off an answer to the duel of round t, with a uniform number for each link.

        A self-duel is shown to no voter: its coin is known at once.
        """
        vote = Vote(int(duel.row), int(duel.col), chance, outcome, self._leader)
        if vote.row != vote.col:
            for carry, lot in zip(self._carriers, lots, strict=True):
                carry(vote, lot)
        if vote.delay < NEVER:
            heapq.heappush(self._under_way, (t + vote.delay, t, duel, vote.outcome))
        elif self._forget is not None:
            self._forget(duel)

    def deliver(self, t: int) -> None:
        """Tell the learner all answers due by the end of round t, in the order of asking."""
        while self._under_way and self._under_way[0][0] <= t:
            _, _, duel, outcome = heapq.heappop(self._under_way)
            self._tell(duel, outcome)
