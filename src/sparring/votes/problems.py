"""What may be wrong with votes: sides that matter, voters who differ, gaps, rarely shown arms."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.formats import isolated
from sparring.votes.fitting import SURE
from sparring.votes.standings import Standings, times_shown
from sparring.votes.values import DAY, Votes

ALPHA = 0.01  # how often all voters alike have one who is said to differ
ENOUGH = 20  # votes of a voter, to be judged
CLEAR = 3.0  # standard errors of a side that matters
HARDLY = 10  # votes of an arm
BAD = 0.01  # of all votes, in which both were bad
LARGE = 0.2  # of all votes, from one voter
PAUSE = 0.05  # of the time without a vote
EXPECTED = 20.0  # votes that would have come in it
OUTLYING, UNUSUAL = 3, 2.0  # at most so many pauses are so many times as long as any other


class Concern(NamedTuple):
    """Something about the votes that a reader should know."""

    kind: str
    """sides, voters, gaps, bad or few."""
    text: str

    def to_json(self) -> dict[str, Any]:
        """For `json.dumps`."""
        return self._asdict()


def problems(votes: Votes, standings: Standings) -> tuple[Concern, ...]:
    """What may be wrong with votes, in words.

    A side matters if its effect is three standard errors from none. A voter differs if their votes
    are much more surprising than such votes usually are. If all voters are alike, at most one file
    in a hundred names one, by Bernstein's inequality.

    Examples
    --------
    >>> from sparring.votes import standings
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=2000)
    >>> votes = Votes(("tea", "coffee"), first, 1 - first, rng.random(2000) < 0.6)
    >>> [one.kind for one in problems(votes, standings(votes))]
    ['sides']
    """
    found = [*_sides(votes, standings), *_voters(votes, standings), *_gaps(votes)]
    if votes.bad is not None and votes.bad.mean() >= BAD:
        share = f"{100 * votes.bad.mean():.0f}%"
        found.append(Concern("bad", f"both were bad in {share} of the votes, which count as ties"))
    few = [votes.names[arm] for arm in np.flatnonzero(times_shown(votes, 0) < HARDLY).tolist()]
    if few:
        shown = ", ".join(few[:5]) + (f" and {len(few) - 5} more" if len(few) > 5 else "")
        found.append(Concern("few", f"fewer than {HARDLY} votes on {shown}: hardly seen"))
    return tuple(found)


def _sides(votes: Votes, standings: Standings) -> list[Concern]:
    if not votes.shuffled:
        return []
    if not votes.sided:
        if len(votes) < 2 * ENOUGH:
            return []
        text = "pairs come in only one order, so there is no telling whether the first is favoured"
        return [Concern("sides", text)]
    if abs(standings.side) <= CLEAR * standings.side_error:
        return []
    share, low, high = (
        100 / (1 + np.exp(-(standings.side + off * standings.side_error))) for off in (0, -2, 2)
    )
    which = "first" if standings.side > 0 else "second"
    if standings.side < 0:
        share, low, high = 100 - share, 100 - high, 100 - low
    return [
        Concern(
            "sides",
            f"the {which} of two equal arms wins {share:.1f}% ({low:.1f} to {high:.1f}): sides "
            "matter, and are taken into account",
        )
    ]


def _voters(votes: Votes, standings: Standings) -> list[Concern]:
    if votes.voter is None:
        return []
    often = np.bincount(votes.voter)
    if votes.voters is not None and "" in votes.voters[: len(often)]:
        often[votes.voters.index("")] = 0  # those who did not say who they are may be many
    found = []
    if often.max() > LARGE * len(votes) and len(often) > 1:
        who, share = _called(votes, int(often.argmax())), often.max() / len(votes)
        found.append(Concern("voters", f"{who} gave {share:.0%} of all votes"))
    odds = np.clip(_leads(votes, standings), -SURE, SURE)
    p = 1 / (1 + np.exp(-odds))
    # The surprise -ln p(o) less its mean is (p - o) odds: its variance is p(1 - p) odds^2.
    surprise = np.bincount(votes.voter, (p - votes.outcome) * odds)
    variance = np.bincount(votes.voter, p * (1 - p) * odds**2)
    most = np.zeros(len(often))
    np.maximum.at(most, votes.voter, np.abs(odds))
    judged = often >= ENOUGH
    above = np.maximum(surprise, 0.0)
    # Bernstein's inequality: no such sum is above x with more than e to the minus this.
    score = above**2 / np.maximum(2 * (variance + most * above / 3), 1e-12)
    score = np.where(judged, score, 0.0)
    limit = np.log(max(int(judged.sum()), 1) / ALPHA)
    odd = np.argsort(-score)[: int((score > limit).sum())]
    if len(odd):
        names = ", ".join(_called(votes, voter) for voter in odd[:5].tolist())
        more = f" and {len(odd) - 5} more" if len(odd) > 5 else ""
        text = f"{len(odd)} of {judged.sum():,} voters vote unlike the rest: {names}{more}"
        found.append(Concern("voters", text))
    return found


def _leads(votes: Votes, standings: Standings) -> NDArray[np.float64]:
    """(n,): by how much the first was ahead of the second, at the time of each vote."""
    found = standings.histories
    mean = found.strengths.mean(0, dtype=np.float64)
    period = np.repeat(np.arange(mean.shape[1]), np.diff(found.edges))
    lead = mean[votes.first, period] - mean[votes.second, period]
    return np.asarray(lead + standings.side)


def _called(votes: Votes, voter: int) -> str:
    return f"voter {voter if votes.voters is None else isolated(votes.voters[voter])}"


def _gaps(votes: Votes) -> list[Concern]:
    """Times without votes in which many should have come, unless such pauses are usual here."""
    if votes.time is None or len(votes) < 2 * EXPECTED or votes.days <= 0:
        return []
    steps = np.diff(votes.time) / DAY
    longest = np.sort(steps)[-1 - OUTLYING :]
    expected = steps * len(votes) / votes.days
    long = steps > max(PAUSE * votes.days, UNUSUAL * float(longest[0]))
    found = np.flatnonzero(long & (expected > EXPECTED)).tolist()
    if not found:
        return []
    when = " and ".join(
        f"from {_day(votes.time, at)} to {_day(votes.time, at + 1)}" for at in found
    )
    return [Concern("gaps", f"no votes {when}")]


def _day(time: NDArray[np.float64], at: int) -> str:
    day = datetime.fromtimestamp(float(time[at]), UTC)
    return f"{day.day} {day:%B %Y}"
