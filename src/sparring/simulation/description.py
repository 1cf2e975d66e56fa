"""describe: what a path through a world is like, and which regret no learner avoids there."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sparring import _matrices as kernels
from sparring import checks, streams
from sparring.problem import LONGEST
from sparring.simulation.entrants import known
from sparring.simulation.path import Path
from sparring.simulation.progress import Tick, progress_bar
from sparring.simulation.shifts import Shifts
from sparring.worlds import PreferenceSequence
from sparring.worlds.protocol import name_of


@dataclass(frozen=True)
class Description:
    """What one path through a world is like; `print` it, or use `to_json` in a program.

    Parameters
    ----------
    world
        Its name.
    K, T
        Arms and rounds.
    S
        Segments of constant P.
    V_T
        Continuous variation: the sum of the largest changes of an entry.
    condorcet_share
        Share of the rounds that have a Condorcet winner, an arm that beats each other arm.
    condorcet_changes
        How often it differs from the last one; rounds without a winner are skipped.
    borda_changes
        How often the arm with the highest Borda score loses that place.
    significant_shifts
        How often every arm, even the best one at the time, has become so bad that it pays to
        change. The gap of an arm is max_j P_t(j, arm) less the smallest such value of any arm. A
        shift is the first round by which each arm has had gaps that sum to at least sqrt(K n) over
        some interval of n rounds since the last shift (Suk and Agarwal 2023, Kleine Buening and
        Saha 2023; docs/adr/0081).
    irreducible
        Sum of min over pairs of max_j r_t(j): the part that no learner avoids of the regret to the
        best response of each round, `Regret("preference", "round")`.
    """

    world: str
    K: int
    T: int
    S: int
    V_T: float
    condorcet_share: float
    condorcet_changes: int
    borda_changes: int
    significant_shifts: int
    irreducible: float

    def to_json(self) -> dict[str, Any]:
        """The description as a dictionary for `json.dumps`."""
        return asdict(self)

    def __str__(self) -> str:
        share = f"in {self.condorcet_share:.1%} of the rounds"
        least = f"{self.irreducible:.6g}, {self.irreducible / self.T:.4g} a round"
        some = self.irreducible > 0
        verdict = "no learner avoids it" if some else "a Condorcet winner avoids all"
        lines = {
            "world": f"{self.world}, K = {self.K}, T = {self.T:,}",
            "segments S": f"{self.S:,}",
            "variation V_T": f"{self.V_T:.6g}",
            "Condorcet winner": f"{share}; {times(self.condorcet_changes)}",
            "Borda winner": times(self.borda_changes),
            "significant": f"{self.significant_shifts:,} shifts",
            "irreducible": f"{least}, of the regret to best responses ({verdict})",
        }
        return "\n".join(f"{name:18}{text}" for name, text in lines.items())


def describe(
    world: PreferenceSequence,
    seed: int = 0,
    *,
    run: int = 0,
    experiment: str = "",
    progress: bool = False,
) -> Description:
    """Measure one path: the one on which `simulate` plays this run with this seed.

    Examples
    --------
    >>> from sparring import Cyclic
    >>> print(describe(Cyclic(K=3, T=1000)))
    world             Cyclic(gap=1.0), K = 3, T = 1,000
    segments S        1
    variation V_T     0
    Condorcet winner  in 0.0% of the rounds; 0 changes
    Borda winner      0 changes
    significant       0 shifts
    irreducible       250, 0.25 a round, of the regret to best responses (no learner avoids it)
    """
    T, shown = known(world).T, checks.flag("progress", progress)
    with progress_bar(T, f"{T:.3g} rounds", shown=shown) as tick:
        return surveyed(world, seed, run=run, experiment=experiment, tick=tick)


def surveyed(
    world: PreferenceSequence, seed: int, *, run: int, experiment: str, tick: Tick
) -> Description:
    """What `describe` returns; `tick` is called with rounds done and may raise to stop it."""
    problem, run = known(world), checks.whole("run", run, low=0, high=2**32 - 1)
    K, T, seed = problem.K, problem.T, checks.whole("seed", seed, low=0)
    rng = streams.keyed(seed, "path", experiment=str(experiment), K=K, T=T, run=run)
    path = Path(world, problem, rng, scores=True, longest=LONGEST)
    worst, leaders = np.empty(K, np.int64), np.full(2, -1)
    counts, least, shifts = np.zeros(4, np.int64), np.zeros(2), Shifts(K)
    for piece in path.pieces(run):
        P, hold = piece.block
        kernels.survey(P, hold, piece.fresh, piece.scores, worst, leaders, counts, least)
        shifts.follow(piece)
        tick(int(hold.sum()))
    return Description(
        world=name_of(world),
        K=K,
        T=T,
        S=path.S,
        V_T=path.V_T,
        condorcet_share=int(counts[1]) / T,
        condorcet_changes=int(counts[0]),
        borda_changes=int(counts[2]),
        significant_shifts=shifts.count,
        irreducible=float(least[0] + counts[3] * least[1]),
    )


def times(number: int) -> str:
    """How often something changes, in words."""
    return "1 change" if number == 1 else f"{number:,} changes"
