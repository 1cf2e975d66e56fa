"""Votes from logged duels, with the chance of each pair."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import checks
from sparring.certificates import logs
from sparring.certificates.checking import ImpossibleDuelError, check_duels, demand_players
from sparring.certificates.columns import Columns, LogError
from sparring.problem import Duel
from sparring.votes.collector import PICTURES
from sparring.votes.values import Votes

Floats = NDArray[np.float64]
Source = str | Path | Iterable[tuple[Duel, float]]


class Part(NamedTuple):
    """Some duels as arrays: arms, outcomes, p of shape (n, players, K), and which differ."""

    rows: NDArray[np.int64]
    cols: NDArray[np.int64]
    outcomes: Floats
    p: Floats
    differ: NDArray[np.bool_]
    known: dict[int, str]
    """The names of arms, as far as the duels tell them."""
    silent: int = 0
    """How many more duels had no answer."""


class Logged(NamedTuple):
    """The votes of a log, and how many of its duels are none."""

    votes: Votes
    silent: int
    selves: int


def from_duels(duels: Source, *, names: Sequence[str] | None = None) -> Votes:
    """Votes from the duels of a learner that logs the distributions of its arms.

    A vote's `chance` is that of its pair, given that two different arms were shown: for arms drawn
    independently, i from p and j from q,

        (p(i) q(j) + p(j) q(i)) / (1 - sum of p(k) q(k)),

    and 2 p(i) p(j) / D, where D is the sum of p (1 - p), if both share one p or were drawn so that
    they differ. Duels of an arm with itself are left out, as they say nothing. Duels without an
    answer may be missing if that has nothing to do with their arms or with who would have won.

    Parameters
    ----------
    duels
        Pairs of a `Duel` and its outcome, or a file of duels, as `sparring.certify` reads them:
        JSON lines, CSV or Parquet.
    names
        Names of the arms. If None, the names in the duels, or numbers if they have none.

    Examples
    --------
    >>> duel = Duel(t=1, row=0, col=1, p=np.array([[0.5, 0.3, 0.2]]))
    >>> from_duels([(duel, 1.0)]).chance.round(3)  # 2 * 0.15 / (1 - 0.38)
    array([0.484])
    """
    return read_log(duels, names=names).votes


def read_log(duels: Source, *, names: Sequence[str] | None = None) -> Logged:
    """As `from_duels`, with how many duels had no answer, or showed an arm against itself."""
    parts, silent, selves = list[Part](), 0, 0
    for part in _parts(duels):
        parts.append(_visible(part))
        silent += part.silent
        selves += len(part.rows) - len(parts[-1].rows)
    if not parts:
        raise LogError("there are no duels to make votes of")
    rows, cols, outcomes = (np.concatenate([part[k] for part in parts]) for k in range(3))
    chance = np.concatenate([_chances(part) for part in parts])
    K = parts[0].p.shape[2]
    if names is None:
        known = {arm: name for part in parts for arm, name in part.known.items()}
        names = [known.get(arm, str(arm)) for arm in range(K)]
    if len(names) != K:
        raise checks.refuse("names", f"{K} names, one an arm", names)
    return Logged(Votes(tuple(names), rows, cols, outcomes, chance=chance), silent, selves)


def shown_shares(duels: Source) -> Floats:
    """(n, K): for every vote, how likely each arm was to be a random one of the pair.

    Use it as the `reference` of `evaluate` to compare a policy with the logged one. For arms drawn
    independently it is (p(i) (1 - q(i)) + q(i) (1 - p(i))) / 2 (1 - sum of p(k) q(k)).

    Examples
    --------
    >>> duel = Duel(t=1, row=0, col=1, p=np.array([[0.5, 0.3, 0.2]]))
    >>> shown_shares([(duel, 1.0)]).round(3)
    array([[0.403, 0.339, 0.258]])
    """
    found = []
    for part in _parts(duels):
        p, q = _players(_visible(part))
        either = p * _others(q) + q * _others(p)
        found.append(either / either.sum(axis=1, keepdims=True))
    if not found:
        raise LogError("there are no duels")
    return np.concatenate(found)


def _parts(duels: Source) -> Iterator[Part]:
    if isinstance(duels, (str, Path)):
        for batch in logs.batches(Path(duels)):
            answered = batch.columns.answered  # the others are no votes
            rows, cols, outcomes, p, differ = (one[answered] for one in batch.columns[:5])
            known, silent = _known(batch.columns), int((~answered).sum())
            part = Part(rows, cols, outcomes, p, differ, known, silent)
            try:
                check_duels(*part[:5])
            except ImpossibleDuelError as error:
                raise LogError(f"{duels}, row {batch.first + error.at:,}: {error}") from None
            yield part
        return
    given = list(duels)
    if not given:
        return
    for duel, _ in given:
        checks.instance("a duel", duel, Duel, "Give pairs of a duel and its outcome")
        demand_players(len(duel.p))
    players = {len(duel.p) for duel, _ in given}
    p = [np.broadcast_to(duel.p, (max(players), duel.p.shape[1])) for duel, _ in given]
    part = Part(
        np.array([duel.row for duel, _ in given], np.int64),
        np.array([duel.col for duel, _ in given], np.int64),
        np.array([checks.outcome(outcome) for _, outcome in given]),
        np.array(p, np.float64),
        np.array([duel.differ for duel, _ in given], np.bool_),
        {
            arm: name
            for duel, _ in given
            if duel.names is not None
            for arm, name in zip((duel.row, duel.col), duel.names, strict=True)
        },
    )
    check_duels(*part[:5])
    yield part


def _known(columns: Columns) -> dict[int, str]:
    """The names of arms in a log, fit to be shown."""
    if columns.names is None:
        return {}
    pairs = zip(columns.rows.tolist(), columns.cols.tolist(), columns.names.to_list(), strict=True)
    called = {
        arm: name
        for row, col, both in pairs
        if both is not None and len(both) == 2
        for arm, name in zip((row, col), both, strict=True)
        if name is not None
    }
    return {arm: name.translate(PICTURES) for arm, name in called.items()}


def _visible(part: Part) -> Part:
    """The duels of two different arms."""
    apart = part.rows != part.cols
    rows, cols, outcomes, p, differ = (array[apart] for array in part[:5])
    return Part(rows, cols, outcomes, p, differ, part.known)


def _players(part: Part) -> tuple[Floats, Floats]:
    """What rows and columns were drawn from; one p for both if they differ by design."""
    return part.p[:, 0], part.p[:, -1]


def _chances(part: Part) -> Floats:
    """(n,): of each pair. Two arms from p that happen to differ have the law of `differ`."""
    p, q = _players(part)
    at, i, j = np.arange(len(p)), part.rows, part.cols
    either = p[at, i] * q[at, j] + p[at, j] * q[at, i]
    found = either / (p * _others(q)).sum(axis=1)
    return np.asarray(np.minimum(found, 1.0))


def _others(q: Floats) -> Floats:
    """(n, K): 1 - q, also where q is nearly 1: the sum of the rest."""
    rest = np.asarray(q.sum(axis=1, keepdims=True) - q)
    top = q.argmax(axis=1)[:, None]
    without = q.copy()
    np.put_along_axis(without, top, 0.0, axis=1)
    np.put_along_axis(rest, top, without.sum(axis=1, keepdims=True), axis=1)
    return rest
