"""What may be wrong with votes: sides that matter, voters who differ, gaps, rarely shown arms."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.formats import isolated, listed, near, series
from sparring.votes.data import DAY, Votes
from sparring.votes.histories import Floats, coins
from sparring.votes.standings import Standings, times_shown
from sparring.votes.strengths import SURE

ALPHA = 0.01  # how often all voters alike have one who is said to differ
ENOUGH = 20  # votes of a voter, to be judged
CLEAR = 3.0  # standard errors of a side that matters
HARDLY = 10  # votes of an arm
BAD = 0.01  # of all votes, in which both were bad
LARGE = 0.2  # of all votes, from one voter
VOTERS = 10  # who tell whether the votes of one hang together
TIED, CLEARLY_TIED = 1.25, 4.0  # how much more votes of one voter vary; standard errors
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
    few = np.flatnonzero(times_shown(votes, 0) < HARDLY).tolist()
    if few:
        shown = listed([isolated(votes.names[arm]) for arm in few], 5)
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
    low, share, high = (
        1 / (1 + np.exp(-abs(standings.side) - off * standings.side_error)) for off in (-2, 0, 2)
    )
    which = "first" if standings.side > 0 else "second"
    wins = near(share, (high - low) / 2)
    text = f"the {which} of two equal arms wins {wins}: sides matter, and are taken into account"
    return [Concern("sides", text)]


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
        names = listed([_called(votes, voter) for voter in odd.tolist()], 5)
        text = f"{len(odd):,} of {judged.sum():,} voters vote unlike the rest: {names}"
        found.append(Concern("voters", text))
    often[odd] = 0
    return found + _together(votes, p, often)


def _together(votes: Votes, p: Floats, often: NDArray[np.int64]) -> list[Concern]:
    """Whether the votes of one voter on an arm hang together more than independent ones.

    The square of what they exceed their chances by has their variance as its mean, if they are
    independent, and about twice the square of that as its variance. Each vote is on two arms.
    """
    assert votes.voter is not None
    if (often > 1).sum() < VOTERS:
        return []
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight
    known = weight * (often[votes.voter] > 0)
    excess, noise = known * (votes.outcome - p), coins(votes) * known**2 * p * (1 - p)
    code = votes.voter.astype(np.int64) * votes.K
    arms, group = np.unique(
        np.concatenate([code + votes.first, code + votes.second]), return_inverse=True
    )
    beyond = np.bincount(group, np.concatenate([excess, -excess]), len(arms)) ** 2
    usual = np.bincount(group, np.tile(noise, 2), len(arms))
    doubt = 2 * np.sqrt((usual**2).sum())
    if not doubt or beyond.sum() - usual.sum() <= CLEARLY_TIED * doubt:
        return []
    factor = beyond.sum() / usual.sum()
    if factor < TIED:
        return []
    worth = float(f"{len(votes) / factor:.2g}")
    text = (
        f"the votes of one voter hang together: all {len(votes):,} say about as much as "
        f"{worth:,.0f} independent ones, so chances are too near to 0% and 100%"
    )
    return [Concern("voters", text)]


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
    moments = votes.moments
    when = series([moments.between(votes.time[at], votes.time[at + 1]) for at in found])
    return [Concern("gaps", f"no votes {when}")]
