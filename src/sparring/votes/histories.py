"""Every arm has its own past: draws of the strengths at all times, given the votes.

The model. Votes are counted in bins b = 0, ..., B - 1, and theta[k, b] is arm k's strength:

    P(i beats j in bin b) = logistic(theta[i, b] - theta[j, b] + side)
    at a jump   theta[k, b] ~ N(0, tau2), fresh
    else        theta[k, b] = theta[k, b - 1] + N(0, pace_k^2 share_b)
    P(k jumps at b) = 1 - exp(-jumps share_b), in a storm 1/2;  P(storm at b) likewise, by `storms`

share_b is the share of the file since bin b - 1, half of it in votes, half in time. An arm has no
strength before its first vote. The sampler is Gibbs's (`sparring.votes._segments`); after
counting, its cost does not depend on the number of votes.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring import checks, streams
from sparring._jit import JIT_OFF
from sparring.votes import _segments as kernels
from sparring.votes.data import Votes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rows = TypeVar("Rows", kernels.Chains, kernels.Luck, kernels.Filter)

PACES = np.array([0.0, 0.12, 0.25, 0.5, 1.0, 2.0, 4.0])  # standard deviation over the file
PACES_PRIOR = np.array([1.0] + [1 / 6] * 6)  # Dirichlet's: half of the belief is in no walk
JUMPS = (1.0, 1.0)  # Gamma's shape and rate: jumps of an arm per file
STORMS = (0.5, 1.0)
TAU2 = (1.5, 0.5)  # of the inverse gamma
LEAST_TAU2, MOST_TAU2 = 0.01, 25.0
SIDE_PRECISION = 4.0  # a side is worth about 1/2
LEAST_RATE = 1e-9
BINS, FEWEST_BINS = 64, 8
NARROW, GROWTH = 4, 0.15  # a bin is at least so many votes wide, and else a share of its age
FEW = 40  # arms, up to which there are so many bins
A_CELL, A_HYPOTHESIS = 40.0, 4.0  # nanoseconds of a sweep, about
AFFORDED, FEWEST = 3e6, 0.2  # of a sweep, above which there are fewer, down to this share
MANY = 20  # arms, above which there are more
CHAINS = 2
BURN, KEEP = 150, 350  # sweeps of a chain
ROUNDS = 4  # of KEEP sweeps at most, until the chains agree
AGREED = 1.1  # the variance of a strength over all chains is at most this of that within one
PAUSE, ABSENT = 3.0, 0.05  # an arm is gone after so many of its longest pauses, and so much of all
KNOWN = 5.0  # votes as noisy as coins, before any is seen


@dataclass(frozen=True, eq=False)
class Histories:
    """Draws of the strengths of all arms at all times, and who was there when."""

    names: tuple[str, ...]
    edges: Ints
    """(B + 1,): bin b has the votes from edges[b] up to edges[b + 1], counted from 0."""
    strengths: NDArray[np.float32]
    """(D, K, B): a draw each row. Only differences mean something. Before an arm's first vote it
    has its first strength, so look at `there`."""
    jumped: NDArray[np.bool_]
    """(D, K, B): whether an arm's strength was drawn anew in a bin."""
    side: Floats
    """(D,): how much it helps to be shown first, in units of strength; 0 if not estimated."""
    first: Ints
    """(K,): the first vote of each arm, counted from 0; the number of votes if it has none."""
    last: Ints
    """(K,): its last vote; -1 if it has none."""
    joined: NDArray[np.bool_]
    """(K,): whether it came later than the file began."""
    here: NDArray[np.bool_]
    """(K,): whether it is a candidate now: it has votes and is not gone."""
    scatter: float
    """The most that the variance of a candidate's present strength over all chains exceeds that
    within a chain, as a factor: 1 if the chains agree (Gelman and Rubin's, of halves of chains)."""
    sweeps: int
    """Of each chain."""
    seed: int

    @property
    def agreed(self) -> bool:
        """Whether the chains agree."""
        return self.scatter <= AGREED

    @property
    def bins(self) -> tuple[Ints, Ints]:
        """(K,), (K,): the first and the last bin in which each arm is taken to be there."""
        last = len(self.edges) - 2
        begin = np.searchsorted(self.edges, self.first, "right") - 1
        end = np.searchsorted(self.edges, self.last, "right") - 1
        return np.where(self.joined, begin, 0), np.where(self.here, last, end)

    @property
    def there(self) -> NDArray[np.bool_]:
        """(K, B): whether an arm is taken to be there in a bin."""
        begin, end = self.bins
        at = np.arange(len(self.edges) - 1)
        return np.asarray((at >= begin[:, None]) & (at <= end[:, None]))


def histories(
    votes: Votes, *, side: bool | None = None, seed: int = 0, burn: int = BURN, keep: int = KEEP
) -> Histories:
    """Draw every arm's strengths over time, given the votes.

    Parameters
    ----------
    votes
        At least one vote.
    side
        Whether to estimate how much it helps to be shown first. None: if the votes allow it.
    seed
        Of the draws.
    burn, keep
        Sweeps of each of two chains that are thrown away, and kept. As long as the chains differ,
        `keep` more are made, at most four times as many, and the last two lots are kept.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> first = rng.integers(2, size=400)
    >>> tea = rng.random(400) < 0.7
    >>> outcome = np.where(first == 0, tea, ~tea)
    >>> found = histories(Votes(("tea", "coffee"), first, 1 - first, outcome))
    >>> bool((found.strengths[:, 0, -1] > found.strengths[:, 1, -1]).mean() > 0.9)
    True
    """
    if not len(votes):
        raise checks.refuse("votes", "at least one", checks.Shown("none"))
    side = votes.sided if side is None else checks.flag("side", side)
    seed = checks.whole("seed", seed, low=0, high=2**63)
    first, last, joined, gone = presence(votes)
    here = (last >= 0) & ~gone
    if votes.present is not None:
        here = np.isin(votes.names, votes.present) & (last >= 0)
    if not here.any():
        here = last >= 0
    edges = cuts(len(votes), bins_for(votes.K), max(NARROW, votes.K // 10))
    cells = count(votes, edges, directed=side)
    work = A_CELL * len(cells.votes) + A_HYPOTHESIS * votes.K * (len(edges) - 1) ** 2
    # The more arms, the more ends of ranges there are, each an extreme of the draws.
    times = min(max(AFFORDED / work, FEWEST), max(votes.K / MANY, 1.0))
    burn, keep = max(round(min(times, 1.0) * burn), 1), max(round(times * keep), 4)
    sampler = Sampler(cells, votes, side=side, seed=seed)
    sampler.run(burn)
    drawn, sweeps = sampler.run(keep), burn + keep
    for _ in range(ROUNDS - 1):
        if disagreement(drawn.strengths, here) <= AGREED:
            break
        more = sampler.run(keep)
        drawn = drawn.then(more, keep)
        sweeps += keep
    strengths = drawn.strengths
    D, K, B = strengths.shape[0] * strengths.shape[1], votes.K, len(edges) - 1
    return Histories(
        votes.names,
        edges,
        strengths.reshape(D, K, B),
        drawn.jumped.reshape(D, K, B),
        drawn.side.reshape(D),
        first,
        last,
        joined,
        here,
        disagreement(strengths, here),
        sweeps,
        seed,
    )


def bins_for(K: int) -> int:
    """How many bins: with many arms fewer, since cells are what takes time."""
    return int(np.clip(BINS * FEW / K, FEWEST_BINS, BINS))


def cuts(n: int, bins: int, narrow: int = NARROW) -> Ints:
    """(B + 1,): where bins begin: n / bins votes wide, and narrower towards the end, now.

    Examples
    --------
    >>> cuts(100, 2).tolist()
    [0, 14, 26, 35, 44, 51, 57, 63, 68, 72, 76, 80, 84, 88, 92, 96, 100]
    """
    widest, age, found = max(n / bins, narrow), 0.0, list[int]()
    while age < n:
        found.append(round(n - age))
        age += min(max(GROWTH * age, narrow), widest)
    found = sorted(set(found) - {0})
    if len(found) > 1 and found[0] < narrow:
        del found[0]
    return np.array([0, *found], np.int64)


def shares(votes: Votes, edges: Ints) -> Floats:
    """(B,): the share of the file from each bin before, by votes, or by votes and time alike."""
    middle = (edges[1:] + edges[:-1]) / 2
    found = np.diff(middle, prepend=middle[0]) / len(votes)
    if votes.time is not None and votes.days > 0:
        centre = moments(votes.time, edges)
        found = (found + np.diff(centre, prepend=centre[0]) / (votes.time[-1] - votes.time[0])) / 2
    return np.asarray(found)


def moments(time: Floats, edges: Ints) -> Floats:
    """(B,): the mean time of the votes in each bin."""
    since = np.add.reduceat(time - time[0], edges[:-1]) / np.diff(edges)
    return np.asarray(time[0] + since)


def presence(votes: Votes) -> tuple[Ints, Ints, NDArray[np.bool_], NDArray[np.bool_]]:
    """(K,) each: first and last vote, whether the arm joined late, whether it is gone.

    An arm is gone if it was not shown for three times its longest pause and 5% of the votes; with
    few votes a pause is hardly known, so it counts as at least K / 2. It joined if the file began
    as long before its first vote.
    """
    n, K = len(votes), votes.K
    arm = np.empty(2 * n, np.int16 if K < 2**15 else np.int32)
    arm[::2], arm[1::2] = votes.first, votes.second
    order = np.argsort(arm, kind="stable")
    arm, vote = arm[order], order // 2
    del order
    begins = np.searchsorted(arm, np.arange(K))
    ends = np.searchsorted(arm, np.arange(K), side="right")
    seen = ends > begins
    pause = np.diff(vote, prepend=0)
    pause[begins[seen]] = 0
    first, last = np.full(K, n), np.full(K, -1)
    first[seen], last[seen] = vote[begins[seen]], vote[ends[seen] - 1]
    longest = np.zeros(K)
    longest[seen] = np.maximum.reduceat(pause, begins[seen])
    long = np.maximum(PAUSE * np.maximum(longest, K / 2), ABSENT * n)
    return first, last, first > long, n - 1 - last > long


def coins(votes: Votes) -> float:
    """How much less a vote varies than a coin of its pair's chance: 1 if there are no ties."""
    if not np.any((votes.outcome > 0) & (votes.outcome < 1)):
        return 1.0
    flip = votes.first > votes.second
    outcome = np.where(flip, 1 - votes.outcome, votes.outcome)
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    code, pair = np.unique(low.astype(np.int64) * votes.K + high, return_inverse=True)
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight
    met, won, squares = (
        np.bincount(pair, weight * part, len(code)) for part in (1.0, outcome, outcome**2)
    )
    p = (won + 0.5) / (met + 1)
    miss = (squares - 2 * p * won + p * p * met).sum()
    return float(np.clip((miss + KNOWN) / ((p * (1 - p) * met).sum() + KNOWN), 0.25, 1.0))


def count(votes: Votes, edges: Ints, *, directed: bool) -> kernels.Cells:
    """Count the votes of each pair in each bin; the order of the two matters if `directed`."""
    K, B = votes.K, len(edges) - 1
    noise = coins(votes)
    found: list[Any] = []
    for b in range(B):
        part = slice(edges[b], edges[b + 1])
        i, j = votes.first[part].astype(np.int64), votes.second[part].astype(np.int64)
        outcome = votes.outcome[part]
        if not directed:
            flip = i > j
            i, j, outcome = np.minimum(i, j), np.maximum(i, j), np.where(flip, 1 - outcome, outcome)
        weight = np.ones(len(i)) if votes.weight is None else votes.weight[part]
        code = i * K + j
        if 4 * len(code) >= K * K:
            met, won = np.bincount(code, weight, K * K), np.bincount(code, weight * outcome, K * K)
            pairs = np.flatnonzero(met)
            met, won = met[pairs], won[pairs]
        else:
            pairs, back = np.unique(code, return_inverse=True)
            met, won = np.bincount(back, weight), np.bincount(back, weight * outcome)
        found.append((pairs, met / noise, won / noise))
    pairs = np.concatenate([part[0] for part in found])
    counted, gained = (np.concatenate([part[at] for part in found]) for at in (1, 2))
    bins = np.repeat(np.arange(B), [len(part[0]) for part in found])
    return arranged(pairs // K, pairs % K, bins, counted, gained, K, shares(votes, edges))


def arranged(
    first: Ints, second: Ints, bins: Ints, met: Floats, won: Floats, K: int, share: Floats
) -> kernels.Cells:
    """Cells, in the order of bins, as the sampler wants them."""
    B, C = len(share), len(met)
    arm, bin_ = np.concatenate([first, second]), np.tile(bins, 2)
    order = np.lexsort((bin_, arm))
    arm, bin_ = arm[order], bin_[order]
    shown = np.zeros((K, B), bool)
    shown[arm, bin_] = True
    met_once = shown.any(1)
    shown[met_once, B - 1] = True
    steps = shown.sum(1)
    at = np.full((K, B), B - 1, np.int64)
    rank = shown.cumsum(1) - 1
    k, b = np.nonzero(shown)
    at[k, rank[k, b]] = b
    alive = np.concatenate([[0], (shown.cumsum(1) > 0).sum(0)[:-1]])
    return kernels.Cells(
        votes=met,
        kappa=won - met / 2,
        first=(first * B + bins).astype(
            np.int32
        ),  # half the memory, and these are read all the time
        second=(second * B + bins).astype(np.int32),
        begin=np.searchsorted(arm, np.arange(K + 1)),
        cell=(order % C).astype(np.int32),
        other=(np.concatenate([second, first])[order] * B + bin_).astype(np.int32),
        step=rank[arm, bin_].astype(np.int32),
        sign=np.where(order < C, 1, -1).astype(np.int8),
        steps=steps,
        bins=at,
        latest=np.maximum(rank, 0),
        share=share,
        alive=alive,
    )


class Drawn(NamedTuple):
    """What is kept of each sweep of each of H chains."""

    strengths: NDArray[np.float32]
    """(H, sweeps, K, B)."""
    jumped: NDArray[np.bool_]
    side: Floats
    """(H, sweeps)."""

    def then(self, more: "Drawn", keep: int) -> "Drawn":
        """The last `keep` sweeps, and more."""
        return Drawn(
            np.concatenate([self.strengths[:, -keep:], more.strengths], axis=1),
            np.concatenate([self.jumped[:, -keep:], more.jumped], axis=1),
            np.concatenate([self.side[:, -keep:], more.side], axis=1),
        )


class Sampler:
    """Chains of draws of all that is not known.

    Parameters
    ----------
    cells
        The votes, counted.
    votes
        Their names and number are for the key of the random streams.
    side
        Whether there may be an advantage of being first.
    seed
        Of the draws.
    """

    def __init__(self, cells: kernels.Cells, votes: Votes, *, side: bool, seed: int) -> None:
        self.cells, self.side = cells, side
        K, B, C = len(cells.steps), len(cells.share), len(cells.votes)
        H, G = CHAINS, len(PACES)
        self.rngs = [
            streams.keyed(seed, "histories", experiment="votes", K=K, T=len(votes), run=h)
            for h in range(H)
        ]
        self.chains = kernels.Chains(
            theta=np.zeros((H, K * B)),
            jumped=np.zeros((H, K * B), np.int64),
            omega=np.tile(cells.votes / 4, (H, 1)),
            pace=np.zeros((H, K), np.int64),
            storm=np.zeros((H, B), np.int64),
            side=np.zeros(H),
            tau2=np.full(H, 0.5),
            jumps=np.full(H, 0.1),
            storms=np.full(H, 0.1),
            belief=np.tile(np.log(PACES_PRIOR / PACES_PRIOR.sum()), (H, 1)),
            sums=np.zeros((H, kernels.SUMS)),
        )
        # The chains begin far apart: in one nothing moves, in the other everything does.
        self.chains.pace[1:], self.chains.jumps[1:] = G - 2, 4.0
        self.luck = kernels.Luck(
            path=np.empty((H, K * B)),
            start=np.empty((H, K * B)),
            other=np.empty((H, K)),
            accept=np.empty((H, K)),
            gap=np.empty((H, K * B)),
            events=np.empty((H, K * B)),
            storm=np.empty((H, B)),
            weight=np.empty((H, C)),
        )
        room = (H, 2, B, B)
        self.filter = kernels.Filter(
            precision=np.zeros((H, B)),
            value=np.zeros((H, B)),
            gap=np.zeros((H, B)),
            stay=np.ones((H, B)),
            walk=np.zeros((H, 2)),
            **{name: np.zeros(room) for name in ("mean", "variance", "chance", "spread", "miss")},
            evidence=np.zeros((H, 2)),
        )
        self.swept = 0

    def run(self, sweeps: int) -> Drawn:
        """Make so many sweeps."""
        H, K, B = len(self.rngs), len(self.cells.steps), len(self.cells.share)
        strengths = np.empty((H, sweeps, K * B), np.float32)
        jumped = np.empty((H, sweeps, K * B), np.bool_)
        sides = np.empty((H, sweeps))

        def play(rows: slice) -> None:
            chains, luck = rows_of(self.chains, rows), rows_of(self.luck, rows)
            filter_ = rows_of(self.filter, rows)
            for sweep in range(sweeps):
                self.sweep(chains, luck, filter_, self.rngs[rows], self.swept + sweep)
                strengths[rows, sweep] = chains.theta
                jumped[rows, sweep] = chains.jumped
                sides[rows, sweep] = chains.side

        if JIT_OFF:  # chains side by side take hardly longer than one
            play(slice(0, H))
        else:  # compiled: never runs with the JIT off
            with ThreadPoolExecutor(H) as threads:
                list(threads.map(play, [slice(h, h + 1) for h in range(H)]))
        self.swept += sweeps
        shape = H, sweeps, K, B
        return Drawn(strengths.reshape(shape), jumped.reshape(shape), sides)

    def sweep(
        self,
        chains: kernels.Chains,
        luck: kernels.Luck,
        filter_: kernels.Filter,
        rngs: list[np.random.Generator],
        sweep: int,
    ) -> None:
        """Draw everything once, given the rest."""
        for h, rng in enumerate(rngs):
            rng.standard_normal(out=luck.path[h])
            for uniforms in (
                luck.start,
                luck.other,
                luck.accept,
                luck.gap,
                luck.events,
                luck.storm,
            ):
                rng.random(out=uniforms[h])
            rng.standard_gamma(self.cells.votes, out=luck.weight[h])
        kernels.draw_paths(self.cells, chains, luck, PACES, sweep % 2, filter_)
        for h, rng in enumerate(rngs):
            shift_all(chains, h, rng)
        kernels.draw_storms(self.cells, chains, luck)
        for h, rng in enumerate(rngs):
            draw_rates(self.cells, chains, h, rng)
        kernels.draw_weights(self.cells, chains, luck)
        if self.side:
            for h, rng in enumerate(rngs):
                draw_side(chains, h, rng)


def rows_of(arrays: Rows, rows: slice) -> Rows:
    """Some chains' rows of all arrays."""
    parts: Any = [one[rows] for one in arrays]
    return type(arrays)(*parts)


def shift_all(chains: kernels.Chains, h: int, rng: np.random.Generator) -> None:
    """Shift all strengths, which no vote sees, and draw the variance of fresh ones."""
    sums = chains.sums[h]
    fresh, total = float(sums[kernels.FRESH]), float(sums[kernels.FRESH_SUM])
    shift = -total / fresh + float(np.sqrt(chains.tau2[h] / fresh)) * rng.standard_normal()
    chains.theta[h] += shift
    squares = float(sums[kernels.FRESH_SQUARES]) + 2 * shift * total + fresh * shift * shift
    drawn = (TAU2[1] + squares / 2) / rng.standard_gamma(TAU2[0] + fresh / 2)
    chains.tau2[h] = min(max(drawn, LEAST_TAU2), MOST_TAU2)


def draw_rates(
    cells: kernels.Cells, chains: kernels.Chains, h: int, rng: np.random.Generator
) -> None:
    """Draw the rates of jumps and storms, and how common each pace is."""
    sums = chains.sums[h]
    jumps, storms = rng.standard_gamma(
        (JUMPS[0] + sums[kernels.JUMPS], STORMS[0] + sums[kernels.STORMS])
    )
    chains.jumps[h] = max(jumps / (JUMPS[1] + sums[kernels.EXPOSED]), LEAST_RATE)
    chains.storms[h] = max(storms / (STORMS[1] + sums[kernels.BRAVED]), LEAST_RATE)
    have = np.bincount(chains.pace[h][cells.steps > 0], minlength=len(PACES))
    common = np.maximum(rng.standard_gamma(PACES_PRIOR + have), 1e-12)
    chains.belief[h] = np.log(common / common.sum())


def draw_side(chains: kernels.Chains, h: int, rng: np.random.Generator) -> None:
    """Draw the advantage of being first."""
    precision = SIDE_PRECISION + chains.sums[h, kernels.WEIGHT]
    mean = chains.sums[h, kernels.TILT] / precision
    chains.side[h] = mean + rng.standard_normal() / np.sqrt(precision)


def disagreement(strengths: NDArray[np.float32], here: NDArray[np.bool_]) -> float:
    """How much wider present strengths scatter over all halves of chains than within one."""
    now = strengths[:, :, here, -1].astype(np.float64)
    if now.shape[2] < 2 or now.shape[1] < 4:
        return 1.0
    now = now - now.mean(2, keepdims=True)
    half = now.shape[1] // 2
    parts = np.concatenate([now[:, :half], now[:, -half:]])
    within = parts.var(1, ddof=1).mean(0)
    between = parts.mean(1).var(0, ddof=1)
    factor = np.sqrt((half - 1) / half + between / np.maximum(within, 1e-300))
    return float(factor.max())
