"""Certificates for a learner that couples its arms, from a log of its audits."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring import checks, tables
from sparring._kernels.guard import RATES, add_rounds
from sparring.certificates.checking import LEAST, TOLERANCE
from sparring.certificates.columns import LogError
from sparring.certificates.rounds import Rounds
from sparring.learners.auditing import Audited, certified
from sparring.problem import LONGEST

WANTED = (
    "Each line is a duel that was asked: row, col, outcome (null if no answer came) and audit, "
    "which is what Guarded.audit says of it"
)


class Line(NamedTuple):
    """A duel under audit."""

    eps: float
    q: tuple[float, ...]
    drawn: bool
    row: int
    col: int
    outcome: float | None


def certify_audits(path: str | Path, delta: float = 0.05) -> Audited:
    """An upper bound on the regret of logged duels, from the audits among them.

    Like `Guarded.certified`, it holds with probability 1 - delta, for the rounds that SYM-EXP3.S
    did not play (docs/theory.md, Theorem 10). Log all rounds that were asked, in any order, also
    those without an answer: an audit without one counts as won by its challenger. If the lines have
    t and learner, as those of `Duel.to_json` do, a log is refused in which a round is there twice,
    or missing between the first and the last of a learner.

    Parameters
    ----------
    path
        A file of JSON lines, each with row, col, outcome and `audit`, which is what `Guarded.audit`
        returned while the duel was open.
    delta
        How often the certificate may fail.

    Examples
    --------
    >>> import json, tempfile, sparring
    >>> learner = sparring.guarded(K=3, seed=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "duels.jsonl")
    ...     with path.open("w") as log:
    ...         for _ in range(200):
    ...             duel = learner.ask()
    ...             line = {**duel.to_json(), "audit": learner.audit(duel), "outcome": 0.5}
    ...             _ = log.write(json.dumps(line) + chr(10))
    ...             learner.tell(duel, 0.5)
    ...     found = certify_audits(path)
    >>> found.rounds, found.vacuous  # 200 rounds are too few to say anything
    (200, True)
    """
    estimate, charges = np.zeros(0), np.zeros((len(RATES), 0))
    rounds, audits, asked = 0, 0, Rounds()
    for number, fields in _lines(path):
        try:
            line = _read(fields, len(estimate))
            if "t" in fields and "learner" in fields:
                t = checks.whole("t", fields["t"], low=0, high=LONGEST)
                asked.add(np.array([t]), [str(fields["learner"])])
        except (TypeError, ValueError, KeyError, RecursionError) as error:
            what = f"{path}, line {number:,}: {checks.short(error)}"
            raise LogError(f"{what}. {WANTED}") from None
        if line is None:
            continue
        if not rounds:
            estimate, charges = np.zeros(len(line.q)), np.zeros((len(RATES), len(line.q)))
        rounds += 1
        add_rounds(1, line.eps, np.array(line.q), charges)
        if line.drawn:
            audits += 1
            estimate[line.col] += _estimate(line)
    if not rounds:
        raise LogError(f"{path} has no duels under audit. {WANTED}")
    if (gap := asked.gap()) is not None:
        who = checks.short(gap[0])
        raise LogError(f"{path}: round {gap[1]:,} of learner {who} is missing. {WANTED}")
    return certified(estimate, charges, rounds, audits, delta)


def _estimate(line: Line) -> float:
    """x of an audit: that of a win if it has no answer, and 0 for a self-duel."""
    if line.row == line.col:
        return 0.0
    outcome = 0.0 if line.outcome is None else line.outcome
    return (0.5 - outcome) / (line.eps * line.q[line.col])


def _lines(path: str | Path) -> Iterator[tables.JsonLine]:
    try:
        yield from tables.objects(path)
    except tables.FileError as error:
        raise LogError(f"{error}. {WANTED}") from None


def _read(fields: dict[str, Any], K: int) -> Line | None:
    """A line, checked; None if it is not under audit. K is 0 before the first that is."""
    audit = fields["audit"]
    if audit is None:
        return None
    eps = checks.real("eps", audit["eps"], low=LEAST, high=1)
    q = tuple(checks.real("q", chance, low=LEAST, high=1) for chance in audit["q"])
    if len(q) < 2 or (K and len(q) != K) or abs(sum(q) - 1) > TOLERANCE:
        rule = f"the chances of {K or 'two or more'} arms, which sum to 1"
        raise checks.refuse("q", rule, checks.Shown(f"{len(q)} of them, sum {sum(q):g}"))
    row, col = (checks.whole(name, fields[name], low=0, high=len(q) - 1) for name in ("row", "col"))
    outcome = fields["outcome"]
    if outcome is not None:
        outcome = checks.real("outcome", outcome, low=0, high=1)
    return Line(eps, q, checks.flag("drawn", audit["drawn"]), row, col, outcome)
