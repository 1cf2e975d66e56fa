"""Facts about one preference matrix: is it valid, who wins, what regret no pair can avoid."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import _matrices as kernels
from sparring import checks, extras

Matrix = NDArray[np.float64]


def valid(P: Any, name: str = "P") -> Matrix:
    """P as a C-ordered float64 array, if it is a preference matrix or a stack of them.

    It must be square, with entries in [0, 1], P(i, j) + P(j, i) = 1, and 1/2 on the diagonal. If
    not, the error names the first wrong entry. Entries that miss the last two rules by at most 1e-9
    are corrected from the upper triangle.

    Examples
    --------
    >>> valid([[0.5, 0.7], [0.4, 0.5]])
    Traceback (most recent call last):
        ...
    ValueError: P[1, 0] must be 1 - P[0, 1] = 0.3; got 0.4
    """
    try:
        stacked = np.ndim(P) == 3
    except ValueError:  # a ragged list, which checks.array refuses
        stacked = False
    given = checks.array(name, P, np.float64, (None,) * (3 if stacked else 2))
    shape = given.shape[-2:]
    if shape[0] != shape[1] or shape[0] < 2 or len(given) == 0:
        rule = "square, for two arms or more" + (", and at least one matrix" if stacked else "")
        raise checks.refuse(name, rule, checks.Shown(f"shape {given.shape}"))
    stack = given if stacked else given[None]
    position = kernels.first_invalid(stack)
    if position == kernels.EXACT:
        return given
    if position == kernels.INEXACT:
        mirrored = stack.copy()
        kernels.mirror(mirrored)
        return mirrored if stacked else mirrored[0]
    m, i, j = (int(index) for index in np.unravel_index(position, stack.shape))
    at, opposite = ([m, i, j], [m, j, i]) if stacked else ([i, j], [j, i])
    value, other = float(stack[m, i, j]), float(stack[m, j, i])
    if not 0 <= value <= 1:
        raise checks.refuse(f"{name}{at}", "a probability in [0, 1]", value)
    if i == j:
        remedy = "A duel of an arm with itself is a fair coin"
        raise checks.refuse(f"{name}{at}", "0.5", value, remedy)
    raise checks.refuse(f"{name}{at}", f"1 - {name}{opposite} = {1 - other:.12g}", value)


def borda_scores(P: Any) -> NDArray[np.float64]:
    """b(i), the mean over j != i of P(i, j) (Sec. 6), for one matrix or for each of a stack.

    Examples
    --------
    >>> borda_scores([[0.5, 0.8, 0.6], [0.2, 0.5, 0.5], [0.4, 0.5, 0.5]])
    array([0.7 , 0.35, 0.45])
    """
    stack = _stack(P)
    scores = np.empty(stack.shape[:2])
    kernels.borda_scores(stack, scores)
    return scores if np.ndim(P) == 3 else scores[0]


def condorcet_winner(P: Any) -> int | None:
    """The arm that beats each other arm with probability above 1/2, or None.

    Examples
    --------
    >>> condorcet_winner([[0.5, 0.8, 0.6], [0.2, 0.5, 0.5], [0.4, 0.5, 0.5]])
    0
    >>> condorcet_winner([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]) is None
    True
    """
    winners = np.empty(1, np.int64)
    kernels.condorcet_winners(_matrix(P)[None], winners)
    return None if winners[0] < 0 else int(winners[0])


def best_arms(P: Any) -> NDArray[np.bool_]:
    """Whether each arm is the best, for one matrix or for each of a stack.

    The best arm is the Condorcet winner. If there is none, it is the arm with the highest Borda
    score, or all arms that share that score up to rounding.

    Examples
    --------
    >>> best_arms([[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]])  # arm 1 scores higher
    array([ True, False, False])
    """
    stack = _stack(P)
    winners = np.empty(len(stack), np.int64)
    kernels.condorcet_winners(stack, winners)
    scores = borda_scores(stack)
    best = scores >= scores.max(axis=1, keepdims=True) - kernels.TIE
    crowned = winners >= 0
    best[crowned] = np.arange(stack.shape[1]) == winners[crowned, None]
    return best if np.ndim(P) == 3 else np.asarray(best[0])


def von_neumann_winner(P: Any) -> NDArray[np.float64]:
    """A distribution over arms that no arm beats: sum_i pi(i) P(i, j) >= 1/2 for all j.

    This is an optimal strategy of the game P - 1/2, found with SciPy's HiGHS. If there are several,
    it is one of them. Needs the extra `lab`.

    Examples
    --------
    >>> von_neumann_winner([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]).round(6)
    array([0.333333, 0.333333, 0.333333])
    """
    P = _matrix(P)
    K = len(P)
    optimize = extras.demand("scipy.optimize", "a von Neumann winner")
    # Largest v with sum_i pi(i) P(i, j) >= v for all j; the variables are pi(0..K-1) and v.
    solution = optimize.linprog(
        c=np.append(np.zeros(K), -1.0),
        A_ub=np.column_stack([-P.T, np.ones(K)]),
        b_ub=np.zeros(K),
        A_eq=np.append(np.ones(K), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, 1)] * (K + 1),
        method="highs",
    )
    if not solution.success:
        raise RuntimeError(f"no von Neumann winner was found: {solution.message}")
    pi = np.clip(solution.x[:K], 0, None)
    return np.asarray(pi / pi.sum(), np.float64)


def irreducible(P: Any) -> float:
    """The least regret to its best response that any pair has: min over a, b of max over j of r(j).

    r(j) = (P(j, a) + P(j, b) - 1) / 2. It is 0 if there is a Condorcet winner, and 1/4 for rock,
    paper, scissors. No learner can avoid this part of the regret to each round's best response
    (errata E5).

    Examples
    --------
    >>> irreducible([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])
    0.25
    """
    P = _matrix(P)
    return float(kernels.gap(P, np.empty(len(P), np.int64)))


def _stack(P: Any) -> Matrix:
    given = valid(P)
    return given if given.ndim == 3 else given[None]


def _matrix(P: Any) -> Matrix:
    given = valid(P)
    if given.ndim != 2:
        raise checks.refuse("P", "one matrix", checks.Shown(f"shape {given.shape}"))
    return given
