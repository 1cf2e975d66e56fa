"""Meter: what one learner's plays cost, by every requested regret, in one pass."""

import math
from collections.abc import Sequence

import numpy as np

from sparring import checks
from sparring._jit import Floats
from sparring.problem import Plays, Problem
from sparring.regret import GAINS, SIDES, Arms, Mixture, Regret
from sparring.simulation import _meter as kernels
from sparring.simulation.path import Path, Piece


class Meter:
    """Charges the plays of one learner on one path.

    Parameters
    ----------
    regrets
        What to charge.
    K
        Number of arms.
    """

    def __init__(self, regrets: Sequence[Regret], K: int) -> None:
        self._regrets = regrets
        # Against arms known in each round a regret is a plain sum; the others share a ledger.
        self._followers = {
            regret: (np.zeros(len(SIDES)), np.zeros(1, np.int64))
            for regret in regrets
            if regret.follows
        }
        rest = [regret for regret in regrets if not regret.follows]
        borda = any(regret.gain == "borda" for regret in rest)
        split = any(regret.side != "both" for regret in rest)
        by_round = any(regret.benchmark == "round" for regret in rest)
        in_all = any(regret.benchmark not in ("stretch", "round") for regret in rest)
        wants = kernels.Wants(
            K=K,
            horizon=in_all or (by_round and (borda or split)),
            stretch=any(regret.benchmark == "stretch" for regret in rest),
            round=by_round,
            borda=borda,
            split=split,
        )
        self._idle, self._wants = not rest, tuple(wants)
        self._ledger = kernels.Ledger(
            rows=np.zeros((2, K)),
            cols=np.zeros((2, K)),
            scores=np.zeros((2, K)),
            plain=np.zeros((2, 3)),
            response=np.zeros(4),
            stretches=np.zeros((len(GAINS), 3)),
            age=np.zeros(1, np.int64),
            pairs=np.zeros((K, K) if rest else (0, 0), np.int64),
            memo=np.full((K, K) if by_round else (0, 0), kernels.UNSEEN),
            counts=np.zeros((2, K), np.int64),
        )

    def charge(self, piece: Piece, plays: Plays) -> None:
        """Charge what was played on a piece of the path."""
        (P, hold), (rows, cols) = piece.block, plays
        if not self._idle:
            before = piece.before, piece.before_scores
            ledger = tuple(self._ledger)
            kernels.charge(
                P, piece.scores, hold, piece.fresh, *before, rows, cols, ledger, self._wants
            )
        for regret, (gains, misses) in self._followers.items():
            arms, borda = piece.arms[regret.benchmark], regret.gain == "borda"
            kernels.follow(P, piece.scores, hold, arms, rows, cols, gains, misses, borda)

    def values(self, path: Path) -> list[tuple[float, int]]:
        """Each regret up to now, and in how many rounds it was not defined."""
        now = self._ledger
        if not self._idle:
            # On a copy: what an unfinished stretch has counted must be charged once, at its end.
            # The memo may be shared, as it only gains entries.
            now = kernels.Ledger._make(
                array if array is now.memo else array.copy() for array in self._ledger
            )
            kernels.finish(path.matrix, path.scores, tuple(now), self._wants)
        return [self._value(regret, now, path) for regret in self._regrets]

    def _value(self, regret: Regret, now: kernels.Ledger, path: Path) -> tuple[float, int]:
        if regret in self._followers:
            gains, misses = self._followers[regret]
            value = float(gains[SIDES.index(regret.side)])
            return math.nan if misses[0] == path.t else value, int(misses[0])
        if regret.benchmark == "stretch":
            return float(now.stretches[GAINS.index(regret.gain), SIDES.index(regret.side)]), 0
        if regret.benchmark == "round":
            return float(best_responses(regret, now)), 0
        by_arm = gains_by_arm(regret, now)
        if regret.benchmark == "horizon":
            return float(by_arm.max()), 0
        if isinstance(regret.benchmark, Mixture):
            return float(by_arm @ np.array(regret.benchmark.pi)), 0
        return float(by_arm @ path.von_neumann_winner()), 0


def gains_by_arm(regret: Regret, now: kernels.Ledger) -> Floats:
    """(K,): what each arm would have gained over the plays of all rounds."""
    window = kernels.HORIZON
    rows, cols = now.rows[window], now.cols[window]
    won, score_row, score_col = now.plain[window]
    if regret.gain == "borda":
        lost = {"both": 0.5 * (score_row + score_col), "row": score_row, "column": score_col}
        return np.asarray(now.scores[window] - lost[regret.side])
    gains = {"both": -0.5 * (rows + cols), "row": -cols - won, "column": won - rows}
    return np.asarray(gains[regret.side])


def best_responses(regret: Regret, now: kernels.Ledger) -> float:
    """What the best response of each round would have gained."""
    best, low_row, low_col, top = now.response
    won, score_row, score_col = now.plain[kernels.HORIZON]
    gains = {
        ("preference", "both"): best,
        ("preference", "row"): -low_col - won,
        ("preference", "column"): won - low_row,
        ("borda", "both"): top - 0.5 * (score_row + score_col),
        ("borda", "row"): top - score_row,
        ("borda", "column"): top - score_col,
    }
    return float(gains[regret.gain, regret.side])


def demand_fit(regret: Regret, problem: Problem) -> None:
    """Refuse a benchmark that is not of this world's arms and rounds."""
    if isinstance(regret.benchmark, Mixture) and len(regret.benchmark.pi) != problem.K:
        found = checks.Shown(f"{len(regret.benchmark.pi)} probabilities")
        raise checks.refuse("Mixture.pi", f"one for each of the world's {problem.K} arms", found)
    if isinstance(regret.benchmark, Arms):
        rounds = sum(regret.benchmark.rounds or ())
        if rounds != problem.T:
            raise checks.refuse("Arms.rounds", f"the world's T = {problem.T} in all", rounds)
        if max(regret.benchmark.arms) >= problem.K:
            largest = max(regret.benchmark.arms)
            raise checks.refuse("Arms.arms", f"below the world's K = {problem.K}", largest)
