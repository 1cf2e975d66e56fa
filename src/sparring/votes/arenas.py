"""The votes of an arena, from its log of events."""

import os

import numpy as np

from sparring.votes.collector import PICTURES
from sparring.votes.values import Votes


def from_arena(address: str | os.PathLike[str], *, name: str = "arena") -> Votes:
    """The votes that an arena has learnt from, in order, with times and pseudonyms of voters.

    The arena may be in use meanwhile. Answers that came too late, or on an arm that was already
    withdrawn, are left out. Arms that were withdrawn later are kept, but are not `present`. If the
    learner can tell the chance of every pair, the votes have them, for `borda` and `evaluate`.

    Parameters
    ----------
    address, name
        As for `sparring.Arena`.

    Examples
    --------
    >>> import tempfile, sparring
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "prompts.db")
    >>> with sparring.Arena(path, arms=["plain", "polite"]) as arena:
    ...     for _ in range(3):
    ...         _ = arena.tell(arena.ask(), "polite")
    >>> votes = from_arena(path)
    >>> len(votes), votes.wins[votes.names.index("polite")].sum().item()
    (3, 3.0)
    >>> folder.cleanup()
    """
    from sparring.arena.history import History  # only now: a file of votes needs no arena

    history = History(address, name=name)
    # Comparisons from outside may be older than the answers before them.
    found = sorted((one for one in history if one.counted), key=lambda one: one.at)
    place = {arm: k for k, arm in enumerate(dict.fromkeys(history.arms))}
    who = {voter: k for k, voter in enumerate(dict.fromkeys(one.voter or "" for one in found))}
    chances = [one.chance for one in found if one.chance is not None]
    return Votes(
        tuple(name.translate(PICTURES) for name in place),
        np.array([place[one.first] for one in found], np.int32),
        np.array([place[one.second] for one in found], np.int32),
        np.array([one.outcome for one in found], np.float64),
        np.array([one.at for one in found], np.float64),
        voter=np.array([who[one.voter or ""] for one in found], np.int32),
        chance=np.array(chances) if found and len(chances) == len(found) else None,
        voters=tuple(who),
        bad=np.array([one.answer == "both bad" for one in found], np.bool_),
        present=tuple(name.translate(PICTURES) for name in dict.fromkeys(history.present)),
    )
