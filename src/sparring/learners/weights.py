"""Exponential weights with mixing, bias and share: Algorithms 1, 2, 3 of the paper, REX3, D-EXP3.

The kernels stand in the order of the paper's lines: `mix` (l. 5), `draw` (l. 7), `gain` (l. 9) and
`update` (l. 11); `choose` is lines 4-7 and `learn` lines 9-12. Then comes the class. The learners
by name are in `dex3` (the paper's) and `symmetric`.

**Scale.** The update is homogeneous in W, so W may be rescaled at will; by a power of two that is
exact, and nothing can depend on when it happens. An arm below 2^-512 of a sum of at least 1 has
probability gamma / K to the last bit: it falls asleep, out of the fast arrays, its weight kept
beside them; it wakes above 2^-256. Only learners without share (alpha = 0) have sleepers: with
one, every weight is at least e alpha of the sum.
"""

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.random import Generator

from sparring import _math as vectors
from sparring import checks, streams
from sparring._jit import LEARNT, Floats, Ints, inline, online, outline, rounds
from sparring._math import LANES, SMALL_EXPONENT, fma, grow, grow_small
from sparring.learners import snapshots
from sparring.learners.family import Family, regrouped
from sparring.learners.frame import Built, given_p
from sparring.problem import Tuning, arms

# The estimates: (g-hat), s' of Algorithm 3, REX3's, D-EXP3's, REX3's for two different arms, and
# REX3's with a cap. The last four have one player.
WIN, BORDA, RELATIVE, ROW_BORDA, DIFFER, CAPPED = range(6)
ESTIMATES = {
    "win": WIN,
    "borda": BORDA,
    "relative": RELATIVE,
    "row borda": ROW_BORDA,
    "differ": DIFFER,
    "capped": CAPPED,
}
WITHOUT_BETA = ("relative", "differ", "capped")
ONE_PLAYER = (*WITHOUT_BETA, "row borda")  # both arms are drawn from one distribution

BIG = 2.0**256
TINY = 2.0**-256
SLEEP = 2.0**-512
USED = -1.0

LEAST_MIXING_APART = 1e-6  # with less, 1 - p of an arm that has nearly all would lose its digits
# One update multiplies a weight by at most e^350 < 2^505: weights in [2^-512, 2^256] stay doubles.
LARGEST_EXPONENT = 350.0
SMALLEST_WEIGHT = 2.0**-1000  # of an arm awake
DEEPEST = 2**50  # an arm that deep has lost in every round of a thousand years
LONGEST_KEPT = 32_768  # rounds whose uniforms a learner keeps room for


class Weights(NamedTuple):
    """What a learner knows. One row a player: two, or one."""

    W: Floats
    """Weights, padded to a multiple of LANES; 0 on the padding and for arms asleep."""
    total: Floats
    """The sum of each row of W, kept in [1, 2^256]."""
    blocks: Floats
    """Sums of LANES consecutive weights, for the draw."""
    Z: Floats
    """An arm asleep weighs Z 2^(-256 depth), Z in [1, 2^256); 0 for arms awake."""
    depth: Ints
    """Above 1 for arms asleep, 0 for arms awake."""
    asleep: Ints
    """How many arms of the player sleep."""
    u: Floats
    """(1, 2), or a row for each round of a block: the uniforms to draw the arms from, or USED."""


class WeightsNumbers(NamedTuple):
    """What tunes a learner."""

    K: int
    estimate: int
    eta: float
    beta: float
    gamma: float
    share: Floats
    """e alpha for every arm, 0 on the padding."""
    small: bool
    """Whether eta beta / p never exceeds SMALL_EXPONENT."""
    votes: bool
    """Whether only duels of two arms count: those of an arm with itself leave all as it is."""


@inline
def padded(K):
    """Arms and padding the loops run over: multiples of four leave no arm outside a vector."""
    return (K + 3) & ~3


@inline
def mix(w, total, n, p):
    """Alg. 1, l. 5: p(k) = (1 - gamma) W(k) / sum W + gamma / K."""
    vectors.blend((1.0 - n.gamma) / total, w, n.gamma / n.K, p, padded(n.K))


@inline
def draw(w, total, blocks, n, u):
    """Alg. 1, l. 7 from one uniform u.

    Any arm alike if u < gamma, else the inverse CDF of the weights at (u - gamma) / (1 - gamma).
    """
    if u < n.gamma:
        return min(int(u * (n.K / n.gamma)), n.K - 1)
    rest = (u - n.gamma) / (1.0 - n.gamma) * total
    start = 0
    end = n.K
    if n.K > 2 * LANES:
        block, rest = vectors.first_block(blocks, (n.K - 1) // LANES, rest)
        start = block * LANES
        end = min(start + LANES, n.K)
    return start + vectors.steps_below(w, start, end - 1, rest)


@inline
def gain(o, row, col, p, q, n):
    """Alg. 1, l. 9: what the two arms that fought gain on top of beta / p.

    Equation (g-hat), s' of Alg. 3, l. 9, or REX3's. The column player's reward is 1 - o, in Alg. 3
    too. A self-duel tells REX3 nothing. D-EXP3 takes s' for the row arm and leaves the other. Where
    arms differ REX3's estimate is D times as large, at a rate of eta / sqrt(D). With a cap nobody's
    chance counts as less than 1 / K.
    """
    if n.estimate == DIFFER:
        lead = math.sqrt(vectors.apartness(p, n.K)) * (2.0 * o - 1.0)
        return lead / (2.0 * p[row]), -lead / (2.0 * p[col])
    if n.estimate == RELATIVE:
        lead = 2.0 * o - 1.0 if row != col else 0.0
        return lead / (2.0 * p[row]), -lead / (2.0 * p[col])
    if n.estimate == CAPPED:
        lead, least = 2.0 * o - 1.0 if row != col else 0.0, 1.0 / n.K
        return lead / (2.0 * max(p[row], least)), -lead / (2.0 * max(p[col], least))
    if n.estimate != WIN:
        return o / (n.K * p[row] * q[col]), (1.0 - o) / (n.K * q[col] * p[row])
    return o / p[row], (1.0 - o) / q[col]


@inline
def spread(w, total, p, n):
    """Alg. 2, l. 11 for every arm as if it had not fought: W e^(eta beta / p) + e alpha sum W."""
    rate = n.eta * n.beta
    if n.small:
        vectors.spread_little(w, n.share, total, rate, p, padded(n.K))
    else:
        vectors.spread(w, n.share, total, rate, p, padded(n.K))


@inline
def exponent(p, k, x, n):
    """Alg. 1, l. 11: eta (x + beta / p) for the arm k that fought and gained x + beta / p."""
    return fma(n.eta, x, n.eta * n.beta / p[k])


@inline
def fought(w, total, p, k, x, n):
    """Alg. 2, l. 11 for the arm k that fought: its new weight."""
    return fma(n.share[k], total, grow(w[k], exponent(p, k, x, n)))


@inline
def sum_up(w, blocks, n):
    """Sum of the weights; the sums of the blocks are kept for `draw`."""
    if n.K <= 4:  # the padding beyond is 0, so these are the bits of the next line
        return (w[0] + w[2]) + (w[1] + w[3])
    if n.K <= 8:
        return ((w[0] + w[4]) + (w[2] + w[6])) + ((w[1] + w[5]) + (w[3] + w[7]))
    return vectors.sum_blocks(w, blocks, (n.K + LANES - 1) // LANES)


@inline
def update(i, k, x, l, y, s, p, n):
    """Alg. 2, l. 11 for player i, whose arm k fought and gained x + beta / p.

    With REX3's estimates both arms belong to one player: l is the other arm and y its gain.
    Elsewhere l is k and y is x, and the compiler drops the repetition.
    """
    w, blocks = s.W[i], s.blocks[i]
    w_k = fought(w, s.total[i], p, k, x, n)
    w_l = fought(w, s.total[i], p, l, y, n)
    if n.beta > 0.0 or n.share[0] > 0.0:
        spread(w, s.total[i], p, n)
    w[k] = w_k
    w[l] = w_l
    if s.asleep[i] > 0 or w_k < SLEEP or w_l < SLEEP:
        update_asleep(k, x, l, y, s.Z[i], s.depth[i], p, n)
        s.asleep[i] = put_to_bed(w, s.Z[i], s.depth[i], n)
    total = sum_up(w, blocks, n)
    if total > BIG or total < 1.0:
        s.asleep[i] = rescale(total, w, blocks, s.Z[i], s.depth[i], n)
        total = sum_up(w, blocks, n)
    s.total[i] = total


@outline
def update_asleep(k, x, l, y, z, depth, p, n):
    """`update` for the arms asleep, by the very expressions of those awake."""
    rate = n.eta * n.beta
    for j in range(n.K):
        if depth[j] > 0:
            if j == k:
                z[j] = grow(z[j], exponent(p, j, x, n))
            elif j == l:
                z[j] = grow(z[j], exponent(p, j, y, n))
            elif n.small:
                z[j] = grow_small(z[j], rate / p[j])
            else:
                z[j] = grow(z[j], rate / p[j])


@outline
def put_to_bed(w, z, depth, n):
    """Arms below 2^-512 fall asleep, arms above 2^-256 wake; returns how many sleep."""
    count = 0
    for k in range(n.K):
        if depth[k] == 0 and w[k] < SLEEP:
            z[k] = w[k]
            w[k] = 0.0
        if z[k] > 0.0:
            while z[k] < 1.0:
                z[k] *= BIG
                depth[k] += 1
            while z[k] >= BIG:
                z[k] *= TINY
                depth[k] -= 1
            if depth[k] > 1:
                count += 1
            else:
                w[k] = z[k] * TINY if depth[k] == 1 else z[k]
                z[k] = 0.0
                depth[k] = 0
    return count


@outline
def rescale(total, w, blocks, z, depth, n):
    """Bring the sum back into [1, 2^256] by steps of 2^256; returns how many arms sleep."""
    asleep = 0
    while total > BIG or total < 1.0:
        for k in range(n.K):
            w[k] *= TINY if total > BIG else BIG
            if depth[k] > 0:
                depth[k] += 1 if total > BIG else -1
        if n.share[0] == 0.0:
            asleep = put_to_bed(w, z, depth, n)
        total = sum_up(w, blocks, n)
    return asleep


@inline
def mix_all(s, p, n):
    """Alg. 1, ll. 4-6: the distribution of every player."""
    mix(s.W[0], s.total[0], n, p[0])
    if s.W.shape[0] > 1:
        mix(s.W[1], s.total[1], n, p[1])


@inline
def choose(r, p, s, n):
    """Alg. 1, ll. 4-7: the distributions, and both arms from the uniforms of row r."""
    mix_all(s, p, n)
    u, v = float(s.u[r, 0]), float(s.u[r, 1])
    s.u[r, 0] = USED
    if n.estimate == DIFFER:
        return vectors.draw_apart(p[0], n.K, u, v)
    last = s.W.shape[0] - 1
    row = draw(s.W[0], s.total[0], s.blocks[0], n, u)
    col = draw(s.W[last], s.total[last], s.blocks[last], n, v)
    return row, col


@inline
def learn(o, row, col, p, s, n):
    """Alg. 1, ll. 9-12 for the outcome o of a duel drawn from the distributions p."""
    if n.votes and row == col:
        return
    x, y = gain(o, row, col, p[0], p[s.W.shape[0] - 1], n)
    if s.W.shape[0] > 1:
        update(0, row, x, row, x, s, p[0], n)
        update(1, col, y, col, y, s, p[1], n)
    elif n.eta > 0.0 or n.share[0] > 0.0:
        if n.estimate == ROW_BORDA:  # whose column arm learns nothing
            col, y = row, x
        update(0, row, x, col, y, s, p[0], n)


@online
def sum_all(weights, numbers):
    """Fill the sums that belong to the weights."""
    s, n = Weights(*weights), WeightsNumbers(*numbers)
    for i in range(s.W.shape[0]):
        s.total[i] = sum_up(s.W[i], s.blocks[i], n)


@online
def distributions(weights, numbers, p):
    """Fill p with what the next `ask` draws from."""
    mix_all(Weights(*weights), p, WeightsNumbers(*numbers))


class ExponentialWeights(Family):
    """Exponential weights with mixing gamma, bias beta and share alpha, for two players.

    In each round each player mixes its weights with the uniform distribution and draws an arm,

        p(k) = (1 - gamma) W(k) / sum W + gamma / K,

    and when the outcome o is known, it multiplies and shares,

        W(k) <- W(k) exp(eta g(k)) + e alpha sum W,

    where g is the estimate of arm k's gain: "win", equation (g-hat) of Algorithms 1 and 2; "borda",
    s' of Algorithm 3; "relative", REX3's, with one distribution for both arms; "row borda",
    D-EXP3's, also with one distribution, and s' for the row arm only; "differ", REX3's for pairs
    that are drawn from p given that their arms differ, at the rate eta / sqrt(D)
    (docs/two-arms.md); or "capped", REX3's with max(p, 1 / K) in place of p.

    Use the named learners (`sym_exp3s`, `steady`, `sturdy`, `dex3p`, `dex3s`, `borda_dex3s`,
    `d_exp3`, `rex3`, `rand`) unless you want another mixture. One learner may be used from several
    threads.

    Parameters
    ----------
    K
        Number of arms.
    tuning
        eta, gamma, beta and alpha.
    estimate
        "win", "borda", "relative", "row borda", "differ" or "capped".
    seed
        An int, a SeedSequence, a numpy Generator (used as it is, not copied) or None.

    Examples
    --------
    >>> learner = ExponentialWeights(3, Tuning(eta=0.05, gamma=0.3), seed=1)
    >>> duel = learner.ask()
    >>> learner.tell(duel, 1.0)
    >>> learner.p.shape
    (2, 3)
    """

    KIND = "exponential weights"
    KERNELS = rounds(choose, learn, Weights, WeightsNumbers)
    DRAWS = True
    COLUMNS = 4  # one more: which of the distributions it was asked with

    def __init__(
        self, K: int, tuning: Tuning, *, estimate: str = "win", seed: streams.Seed = None
    ) -> None:
        self._estimate = known(estimate)
        self._tuning = usable(tuning, estimate, arms(K))
        self._uniforms = np.empty((0, 2))  # of a block
        self._shared_note: tuple[int, Any] = (-1, None)  # after so many answers
        super().__init__(K, {}, seed)
        self._book.differ = estimate == "differ"
        self._set_weights(1.0, 0)  # Alg. 1, l. 2

    def _build(self, *_: Any, **options: Any) -> Built:
        players, width = 1 if self._estimate in ONE_PLAYER else 2, _width(self._K)
        weights = Weights(
            W=np.zeros((players, width)),
            total=np.zeros(players),
            blocks=np.zeros((players, width // LANES)),
            Z=np.zeros((players, width)),
            depth=np.zeros((players, width), np.int64),
            asleep=np.zeros(players, np.int64),
            u=np.full((1, 2), USED),
        )
        return Built(weights, self._tuned(self._tuning), players)

    def _tuned(self, tuning: Tuning, *, votes: bool = False) -> WeightsNumbers:
        share = np.zeros(_width(self._K))
        share[: self._K] = math.e * tuning.alpha
        return WeightsNumbers(
            K=self._K,
            estimate=ESTIMATES[self._estimate],
            eta=tuning.eta,
            beta=tuning.beta,
            gamma=tuning.gamma,
            share=share,
            small=tuning.eta * tuning.beta * self._K / tuning.gamma <= SMALL_EXPONENT,
            votes=votes,
        )

    @property
    def tuning(self) -> Tuning:
        """eta, gamma, beta and alpha."""
        return self._tuning

    @property
    def estimate(self) -> str:
        """The estimate of the gains, such as "win" or "relative"."""
        return self._estimate

    # Uniforms come from the Generator, whose state no kernel can move on. So what asks for a round
    # is that they are drawn for it: the rest follows from them, in this call or, cut off, in the
    # next.

    def _draw(self) -> None:
        self._rng.random(out=self._state.memory.u)

    def _catch_up(self) -> None:
        if self._state.memory.u[0, 0] != USED:  # drawn, and so the round is asked
            t = self._book.latest + 1
            self._run(self.KERNELS.ask, self._book.notes[t], t)
        super()._catch_up()

    def _block_of(self, memory: Weights, rounds: int) -> Weights:
        """Two uniforms a round, in reused memory: fresh memory costs more than filling it."""
        if rounds > LONGEST_KEPT:
            return memory._replace(u=self._rng.random((rounds, 2)))
        if rounds > len(self._uniforms):
            self._uniforms = np.empty((rounds, 2))
        self._rng.random(out=self._uniforms[:rounds])
        return memory._replace(u=self._uniforms[:rounds])

    def glimpse(self) -> tuple[int, int]:
        """The arms of the duel that `ask` would choose, entered nowhere; its luck moves on."""
        with self._turn:
            self._settle()
            arrays, clock = tuple(self._block_of(self._memory, 1)), np.zeros_like(self._state.clock)
            self.KERNELS.ask(clock, arrays, self._numbers, self._blank(), 0)
            _, row, col, _, _ = clock.tolist()
            return row, col

    # A note is the distributions, padded. Until an answer changes the weights, duels share one.

    def _blank(self) -> Floats:
        return np.empty_like(self._memory.W)

    def _room(self) -> Floats:
        learnt = self._state.clock.item(LEARNT)
        if self._shared_note[0] != learnt:
            self._shared_note = learnt, self._blank()
        p: Floats = self._shared_note[1]
        return p

    def _shown(self, note: Floats) -> Floats:
        view = note[:, : self._K]  # without the padding
        view.flags.writeable = False
        return view

    def _distributions(self) -> Floats:
        p = self._blank()
        distributions(self._state.arrays, self._numbers, p)
        return self._shown(p)

    def _note_of(self, row: int, col: int, p: Any) -> Floats:
        if self.differ and row == col:
            raise checks.refuse("col", "another arm than row, as arms differ here", col)
        return _padded(given_p(p, self._players, self.K, self._least()))

    def _least(self) -> float:
        """The least chance with which an arm of an open duel was drawn."""
        return 0.99 * self.tuning.gamma / self.K

    # Arms that come and go.

    def _alike(self, K: int) -> Self:
        return type(self)(K, self.tuning, estimate=self.estimate, seed=0)

    def _inherit(self, heir: Self, before: list[int | None], boost: float) -> None:
        now = self._memory
        mean = boost * now.total / self.K
        weights, depths = np.repeat(mean[:, None], heir.K, axis=1), np.zeros((len(mean), heir.K))
        regrouped(now.W + now.Z, weights, (1,), before)
        regrouped(now.depth, depths, (1,), before)
        heir._set_weights(*rescaled(weights, depths.astype(np.int64)))

    def _renoted(self, note: Floats, before: list[int | None]) -> Floats:
        p = np.ones((len(note), len(before)))
        regrouped(note, p, (1,), before)
        # With fewer arms each has more of the mixing: a smaller chance might make too large a step.
        return _padded(np.maximum(p, self.tuning.gamma / len(before)))

    def _set_weights(self, weights: Any, depths: Any) -> None:
        """Set the weights to weights 2^(-256 depths); arms of a depth above 0 sleep."""
        now, arms_only = self._memory, np.s_[:, : self.K]
        now.depth[arms_only] = depths
        now.W[arms_only] = np.where(now.depth[arms_only] == 0, weights, 0.0)
        now.Z[arms_only] = np.where(now.depth[arms_only] == 0, 0.0, weights)
        now.asleep[:] = (now.depth > 0).sum(axis=1)
        sum_all(self._state.arrays, self._numbers)

    # Snapshots.

    def _described(self) -> str:
        numbers = "".join(f", {name}={value:.4g}" for name, value in asdict(self.tuning).items())
        return f", {self.estimate!r}{numbers}"

    def _kept(self) -> Any:
        weights = self._memory.W + self._memory.Z  # one is 0
        return weights, self._memory.depth.copy(), streams.to_json(self._rng)

    def _saved(self, kept: Any, duels: list[list[int]], notes: list[Floats]) -> dict[str, Any]:
        weights, depths, generator = kept
        # Duels asked without a tell between share their distributions, here as in memory.
        shared = {id(p): p for p in notes}
        position = {key: n for n, key in enumerate(shared)}
        return {
            "estimate": self.estimate,
            "tuning": asdict(self.tuning),
            "weights": weights[:, : self.K].tolist(),
            "depths": depths[:, : self.K].tolist(),
            "generator": generator,
            "distributions": [p[:, : self.K].tolist() for p in shared.values()],
            "open": [[*duel, position[id(p)]] for duel, p in zip(duels, notes, strict=True)],
        }

    @classmethod
    def _restored(cls, fields: snapshots.Fields, K: int) -> Self:
        fields.demand("K", fields.read("weights", lambda rows: len(rows[0])) == K)
        estimate = fields.read("estimate", known)
        tuning = fields.read("tuning", lambda it: usable(Tuning(**it), estimate, K))
        fields.demand_names("tuning", asdict(tuning))
        rng = fields.read("generator", streams.from_json)
        learner = cls._made_again(fields, K, tuning, estimate, rng)
        shape = (learner._players, K)
        weights = fields.array("weights", np.float64, shape)
        depths = fields.array("depths", np.int64, shape)
        fields.demand("depths", bool(((depths == 0) | ((depths > 1) & (depths < DEEPEST))).all()))
        fields.demand("weights", possible_weights(weights, depths))
        learner._set_weights(weights, depths)
        totals = learner._memory.total
        fields.demand("weights", bool(((totals >= 1) & (totals <= BIG)).all()))
        return learner

    @classmethod
    def _made_again(
        cls, fields: snapshots.Fields, K: int, tuning: Tuning, estimate: str, rng: Generator
    ) -> Self:
        """The learner as it was made, with the present generator."""
        return cls(K, tuning, estimate=estimate, seed=rng)

    def _possible(self) -> bool:
        return True  # `_restored` looks at the weights as they are written

    def _notes(self, fields: snapshots.Fields, duels: list[list[int]]) -> Iterable[Floats]:
        found = fields.array("distributions", np.float64, (None, self._players, self.K))
        fields.demand("distributions", bool((found >= self._least()).all()))
        padded = [_padded(p) for p in found]
        positions = [position for *_, position in duels]
        fields.demand("open", all(0 <= position < len(padded) for position in positions))
        return [padded[position] for position in positions]


def known(estimate: str) -> str:
    """The name of the estimate; refuses an unknown one."""
    if not isinstance(estimate, str) or estimate not in ESTIMATES:
        raise checks.refuse("estimate", f"one of {sorted(ESTIMATES)}", estimate)
    return estimate


def usable(tuning: Tuning, estimate: str, K: int) -> Tuning:
    """The tuning; refuses one that the kernels cannot handle."""
    checks.instance("tuning", tuning, Tuning, "Make one with sparring.Tuning(eta, gamma)")
    if estimate in WITHOUT_BETA and tuning.beta > 0:
        rule = f"0 for the {estimate} estimate, which has no bias"
        raise checks.refuse("beta", rule, tuning.beta)
    if estimate == "differ" and tuning.gamma < LEAST_MIXING_APART:
        rule = f"at least {LEAST_MIXING_APART:g} where arms differ"
        raise checks.refuse("gamma", rule, tuning.gamma)
    floor = tuning.gamma / K  # no probability is smaller
    largest_gain = {
        "win": (1 + tuning.beta) / floor,
        "borda": 1 / (K * floor**2) + tuning.beta / floor,
        "relative": 1 / (2 * floor),
        "row borda": 1 / (K * floor**2) + tuning.beta / floor,
        "differ": 1 / (2 * floor),
        "capped": K / 2,
    }[estimate]
    if tuning.eta * largest_gain > LARGEST_EXPONENT:
        limit = LARGEST_EXPONENT / largest_gain
        remedy = "One win would multiply a weight by more than e^350: lower eta or raise gamma"
        raise checks.refuse(
            "eta", f"at most {limit:.4g} at gamma = {tuning.gamma:g}", tuning.eta, remedy
        )
    return tuning


def possible_weights(weights: Floats, depths: Ints) -> bool:
    """Whether these can be the weights of arms awake and asleep."""
    asleep = depths > 0
    awake = np.where(asleep, 1.0, weights)
    sleeping = np.where(asleep, weights, 1.0)
    fits = (awake > SMALLEST_WEIGHT) & (awake <= BIG)
    fits &= (sleeping >= 1) & (sleeping < BIG)
    return bool(fits.all())


def rescaled(weights: Floats, depths: Ints) -> tuple[Floats, Ints]:
    """The same weights and depths, but for a power of two, such as the kernels leave behind.

    The largest is brought to about 2^8, so that sums are in range whatever arms are there.
    """
    mantissa, exponent = np.frexp(weights)
    power = exponent - 256 * depths
    power = power - power.max(axis=1, keepdims=True) + 8
    deep = np.where(power > -500, 0, -(power // 256) + 1)
    return np.ldexp(mantissa, power + 256 * deep), deep


def _padded(p: Floats) -> Floats:
    """Distributions in the kernels' width."""
    padded = np.ones((len(p), _width(p.shape[1])))
    padded[:, : p.shape[1]] = p
    return padded


def _width(K: int) -> int:
    """Arms and padding."""
    return -(-K // LANES) * LANES
