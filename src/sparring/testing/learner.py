"""What every learner must do: one small named check each, run with `check_learner`.

A check takes a factory, `seed -> learner`, makes the learners it needs and raises AssertionError
with what is wrong. A learner without `play` or `snapshot` conforms, too: those checks are skipped.
"""

import json
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sparring.learners import Learner, restore
from sparring.problem import Block, Duel
from sparring.streams import generator
from sparring.testing.battery import demand, run, skip
from sparring.testing.chance import chi_square_limit, merge_light_cells

Factory = Callable[[int], Learner]
Restore = Callable[[dict[str, Any]], Learner]

SEED = 20211
WORLD_SEED = 20212  # of outcomes and matrices, apart from the learners' draws
ROUNDS = 300
GROUPS = 20  # of arms, when pairs of them are counted


def check_learner(factory: Factory, *, restore: Restore = restore) -> dict[str, str]:
    """Run every check on the learners a factory makes.

    Parameters
    ----------
    factory
        Makes a fresh learner from a seed; equal seeds must make equal learners.
    restore
        Makes a learner from its snapshot, if it has one.

    Returns
    -------
    The verdict of each check by name: "passed", or "skipped: " and why. If checks fail, an
    AssertionError names each of them.

    Examples
    --------
    >>> import sparring
    >>> verdicts = check_learner(lambda seed: sparring.dex3p(5, 10_000, seed=seed))
    >>> set(verdicts.values())
    {'passed'}
    """
    if not callable(factory) or not isinstance(factory(SEED), Learner):
        raise TypeError(
            "check_learner takes a function of a seed that makes a learner (K, p, ask, tell); "
            f"got {factory!r:.80}"
        )
    return run(LEARNER_CHECKS, factory, restore)


def p_is_a_distribution_for_each_player(factory: Factory, restore: Restore) -> None:
    """p has one row for each of one or two players, a distribution over K >= 2 arms, or no row."""
    learner = factory(SEED)
    demand(learner.K >= 2, f"K = {learner.K}")
    for outcome in _outcomes(ROUNDS):
        _demand_distribution(learner)
        learner.tell(learner.ask(), outcome)
    _demand_distribution(learner)


def ask_counts_rounds_and_draws_from_p(factory: Factory, restore: Restore) -> None:
    """Rounds count from 1, arms are in 0..K-1, and the duel carries the p that was shown before."""
    learner = factory(SEED)
    for t in range(1, ROUNDS):
        shown = np.array(learner.p)
        duel = learner.ask()
        demand(isinstance(duel, Duel), f"ask returned {type(duel).__name__}, not a sparring.Duel")
        demand(duel.t == t, f"round {duel.t} where {t} was due")
        demand(0 <= duel.row < learner.K and 0 <= duel.col < learner.K, f"no such arms: {duel[:3]}")
        demand(np.array_equal(duel.p, shown), f"round {t}: duel.p is not the p shown before asking")
        learner.tell(duel, t % 2)


def ask_alone_teaches_nothing(factory: Factory, restore: Restore) -> None:
    """Without a tell, p does not change, however often you ask."""
    learner = factory(SEED)
    before = np.array(learner.p)
    for _ in range(10):
        learner.ask()
    demand(np.array_equal(learner.p, before), "p changed although nothing was told")


def draws_follow_p(factory: Factory, restore: Restore) -> None:
    """After arm 0 won for a while, 5,000 draws of each player follow p: chi-square at 1e-7.

    Where arms differ by design, both are drawn from p (1 - p), normalised.
    """
    learner, duels = _drawn(factory)
    for name, player in (("row", 0), ("col", -1)):
        counts = np.bincount([getattr(duel, name) for duel in duels], minlength=learner.K)
        p = np.asarray(duels[0].p)[player]
        expected = 5000 * (p * (1 - p) / (p * (1 - p)).sum() if duels[0].differ else p)
        demand(not counts[expected == 0].any(), f"a {name} arm of probability 0 was drawn")
        counts, expected = merge_light_cells(counts, expected)
        chi2 = float(((counts - expected) ** 2 / expected).sum())
        limit = chi_square_limit(len(expected) - 1)
        demand(
            chi2 <= limit + 1e-6,  # one cell is no test
            f"{name} arms: chi-square {chi2:.1f} exceeds {limit:.1f}; each arm is drawn from "
            "its player's p, whatever the other is",
        )


def arms_are_drawn_independently(factory: Factory, restore: Restore) -> None:
    """In these draws, each pair comes as often as p says: chi-square at 1e-7.

    Where arms differ by design, that is given that they differ.
    """
    learner, duels = _drawn(factory)
    p = np.asarray(duels[0].p)
    # Many arms go together, as pairs outnumber draws; equal ones have a cell of their own.
    groups = min(learner.K, GROUPS)
    group = np.arange(learner.K) * groups // learner.K
    first, second = (np.bincount(group, weights=part) for part in (p[0], p[-1]))
    equal = p[0] * p[-1]
    apart = np.outer(first, second) - np.diag(np.bincount(group, weights=equal))
    chances = np.append(apart.ravel().clip(0), 0.0 if duels[0].differ else equal.sum())
    chances /= chances.sum()
    rows, cols = (np.array([getattr(duel, name) for duel in duels]) for name in ("row", "col"))
    met_itself = duels[0].differ and bool((rows == cols).any())
    demand(not met_itself, "a duel whose arms differ has equal arms")
    cells = np.where(rows == cols, groups**2, group[rows] * groups + group[cols])
    pairs = np.bincount(cells, minlength=groups**2 + 1)
    counts, expected = merge_light_cells(pairs, len(duels) * chances)
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    limit = chi_square_limit(len(expected) - 1)
    demand(
        chi2 <= limit + 1e-6,  # one cell is no test
        f"pairs of arms: chi-square {chi2:.1f} exceeds {limit:.1f}; a learner that does not draw "
        "its two arms independently has p of shape (0, K), or says in its duels that they differ",
    )


def same_seed_same_run(factory: Factory, restore: Restore) -> None:
    """Two learners with the same seed do the same, and neither disturbs the other."""
    learner, twin = factory(SEED), factory(SEED)
    for outcome in _outcomes(ROUNDS):
        duel, other = learner.ask(), twin.ask()
        demand(
            duel[:3] == other[:3],
            f"{duel[:3]} and {other[:3]} of one seed: does the factory pass its seed on?",
        )
        learner.tell(duel, outcome)
        twin.tell(other, outcome)
        demand(np.array_equal(learner.p, twin.p), f"round {duel.t}: p differs")


def late_answers_are_taken_in_any_order(factory: Factory, restore: Restore) -> None:
    """A hundred open duels can be told backwards, and p remains a distribution."""
    learner = factory(SEED)
    duels = [learner.ask() for _ in range(100)]
    for duel, outcome in zip(reversed(duels), _outcomes(100), strict=True):
        learner.tell(duel, outcome)
    _demand_distribution(learner)


def bad_outcomes_are_refused(factory: Factory, restore: Restore) -> None:
    """NaN, infinity, text and anything outside [0, 1] raise ValueError and change nothing."""
    learner = factory(SEED)
    duel = learner.ask()
    before = np.array(learner.p)
    bad: tuple[Any, ...] = (math.nan, math.inf, -0.1, 1.1, "1", None)
    for outcome in bad:
        _demand_refusal(lambda: learner.tell(duel, outcome), f"the outcome {outcome!r}")  # noqa: B023
    demand(np.array_equal(learner.p, before), "p changed although the outcome was refused")
    learner.tell(duel, 1.0)


def foreign_duels_are_refused(factory: Factory, restore: Restore) -> None:
    """A duel told twice, to another learner, or made up raises ValueError, teaching nothing."""
    learner, other = factory(SEED), factory(SEED)
    duel, foreign = learner.ask(), other.ask()
    learner.tell(duel, 1.0)
    pending = learner.ask()
    before = np.array(learner.p)
    _demand_refusal(lambda: learner.tell(duel, 1.0), "a duel told twice")
    _demand_refusal(lambda: learner.tell(foreign, 1.0), "a duel of another learner")
    made_up = pending._replace(row=(pending.row + 1) % learner.K)
    _demand_refusal(lambda: learner.tell(made_up, 1.0), "a duel with another arm than asked")
    _demand_refusal(
        lambda: learner.tell(pending._replace(t=99), 1.0), "a duel of a round never asked"
    )
    demand(np.array_equal(learner.p, before), "p changed although the duel was refused")
    learner.tell(pending, 0.0)


def duels_survive_json(factory: Factory, restore: Restore) -> None:
    """A duel sent through JSON is accepted as the one that was asked."""
    learner = factory(SEED)
    for _ in range(20):
        learner.tell(learner.ask(), 1.0)
    text = json.dumps(learner.ask().to_json())
    learner.tell(Duel.from_json(json.loads(text)), 0.5)


def play_equals_ask_and_tell(factory: Factory, restore: Restore) -> None:
    """`play`, in blocks of any length, does what asking and telling does, to the last bit."""
    make = _offering(factory, "play")
    whole, pieces, single = make(SEED), make(SEED), make(SEED)
    block, coins = _world(whole.K)
    rows, cols = whole.play(block, coins)
    by_round = np.repeat(block.P, block.hold, axis=0)
    done = 0
    for length in (1, 2, 3, 50, ROUNDS):
        part = slice(done, min(done + length, ROUNDS))
        matrices = by_round[part]
        plays = pieces.play(Block(matrices, np.ones(len(matrices), np.int64)), coins[part])
        demand(np.array_equal(plays.rows, rows[part]), f"rows differ in a block of {length}")
        demand(np.array_equal(plays.cols, cols[part]), f"cols differ in a block of {length}")
        done = part.stop
    for t in range(ROUNDS):
        duel = single.ask()
        demand(
            (duel.row, duel.col) == (rows[t], cols[t]), f"round {t + 1}: other arms than in play"
        )
        single.tell(duel, float(coins[t] < by_round[t, duel.row, duel.col]))
    demand(np.array_equal(whole.p, single.p), "p after play is not p after asking and telling")
    demand(np.array_equal(whole.p, pieces.p), "p depends on the length of the blocks")
    demand(whole.ask()[:3] == single.ask()[:3] == pieces.ask()[:3], "the next duel differs")


def restored_goes_on_bit_for_bit(factory: Factory, restore: Restore) -> None:
    """Restored from its snapshot through JSON, with open duels, a learner continues the same."""
    learner = _offering(factory, "snapshot")(SEED)
    for outcome in _outcomes(ROUNDS):
        learner.tell(learner.ask(), outcome)
    pending = [learner.ask() for _ in range(3)]
    again = restore(json.loads(json.dumps(learner.snapshot())))
    demand(again.K == learner.K, "another K after restoring")
    demand(np.array_equal(again.p, learner.p), "p differs after restoring")
    for duel, outcome in zip(pending, (1.0, 0.0, 0.5), strict=True):
        learner.tell(duel, outcome)
        again.tell(duel, outcome)
    for outcome in _outcomes(50):
        duel, other = learner.ask(), again.ask()
        demand(duel[:3] == other[:3], f"round {duel.t}: another duel after restoring")
        demand(np.array_equal(duel.p, other.p), f"round {duel.t}: another p after restoring")
        learner.tell(duel, outcome)
        again.tell(other, outcome)


LEARNER_CHECKS: tuple[Callable[[Factory, Restore], None], ...] = (
    p_is_a_distribution_for_each_player,
    ask_counts_rounds_and_draws_from_p,
    ask_alone_teaches_nothing,
    draws_follow_p,
    arms_are_drawn_independently,
    same_seed_same_run,
    late_answers_are_taken_in_any_order,
    bad_outcomes_are_refused,
    foreign_duels_are_refused,
    duels_survive_json,
    play_equals_ask_and_tell,
    restored_goes_on_bit_for_bit,
)
"""What `check_learner` demands, in this order; the docstring of each is the demand."""


def _outcomes(rounds: int) -> Iterable[float]:
    """Wins, losses, ties and shades, the extreme ones often."""
    rng = generator(WORLD_SEED)
    return [float(o) for o in rng.choice([0.0, 1.0, 0.5, rng.random()], size=rounds)]


def _world(K: int) -> tuple[Block, np.ndarray[Any, np.dtype[np.float64]]]:
    """Three random matrices over ROUNDS rounds, and a coin for each round."""
    rng = generator(WORLD_SEED)
    upper = np.triu(rng.random((3, K, K)), 1)
    P = upper + np.tril(1 - np.swapaxes(upper, 1, 2), -1) + np.eye(K) / 2
    return Block(P, np.array([1, 99, ROUNDS - 100])), rng.random(ROUNDS)


def _offering(factory: Factory, method: str) -> Callable[[int], Any]:
    """The factory, if its learners have the method."""
    if not callable(getattr(factory(SEED), method, None)):
        skip(f"the learner has no {method}")
    return factory


def _drawn(factory: Factory) -> tuple[Learner, list[Duel]]:
    """A learner for whom arm 0 has won for a while, and 5,000 duels it then asks at once."""
    learner = factory(SEED)
    if len(learner.p) == 0:
        skip("the learner couples its arms")
    for _ in range(ROUNDS):
        duel = learner.ask()
        learner.tell(duel, 0.5 + 0.5 * ((duel.row == 0) - (duel.col == 0)))
    return learner, [learner.ask() for _ in range(5000)]


def _demand_distribution(learner: Learner) -> None:
    p = np.asarray(learner.p)
    demand(
        p.ndim == 2 and len(p) in (0, 1, 2) and p.shape[1] == learner.K,
        f"p has shape {p.shape}, not (1, K) or (2, K), or (0, K) where arms are coupled",
    )
    demand((p >= 0).all(), f"p has a negative or NaN entry: {p}")
    demand(np.allclose(p.sum(axis=1), 1, rtol=0, atol=1e-9), f"p sums to {p.sum(axis=1)}")


def _demand_refusal(call: Callable[[], None], what: str) -> None:
    try:
        call()
    except ValueError:
        return
    except Exception as error:
        raise AssertionError(f"{what} raised {type(error).__name__}, not ValueError") from error
    raise AssertionError(f"{what} was not refused with a ValueError")
