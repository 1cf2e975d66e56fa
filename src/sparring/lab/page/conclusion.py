"""The conclusion of results in at most three sentences, from verdicts or from who leads."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sparring.formats import Estimate, interval, many, measured
from sparring.lab.claims import FAILS, HOLDS, OPEN, PAPER, SO_FAR, THEORY, Verdict
from sparring.lab.measures import UNKNOWN, difference, ratio
from sparring.lab.summaries import Summary

QUOTED = 2  # refuted claims that are quoted, before the rest is only counted


class Lead(NamedTuple):
    """Who has the least regret at the last point of a panel."""

    panel: Summary
    first: str
    """Empty if there is no run that all have."""
    second: str
    """Empty if no other learner played."""
    sure: bool
    """Whether the two are told apart (95%)."""
    over: Estimate
    """The regret of the second over that of the first."""


def conclusion(summaries: Sequence[Summary], verdicts: Sequence[Verdict]) -> list[str]:
    """The sentences; none about parts that are missing."""
    paper, theory = (
        [one for one in verdicts if one.claim.origin == origin] for origin in (PAPER, THEORY)
    )
    found = [
        _counted(paper, "claim", "of the paper"),
        _refuted(paper or theory),
        _counted(theory, "statement", "that theory makes about the further panels"),
    ]
    if not (paper and theory):
        found += _leaders([lead(one) for one in summaries if one.points])
    return [sentence for sentence in found if sentence][:3]


def _counted(verdicts: Sequence[Verdict], what: str, whose: str) -> str:
    """How many hold, and so on; nothing about nothing."""
    if not verdicts:
        return ""
    counts = Counter(one.verdict for one in verdicts)
    words = {HOLDS: ("holds", "hold"), SO_FAR: ("holds so far", "hold so far")}
    words |= {FAILS: ("does not hold", "do not hold"), OPEN: ("is undecided", "are undecided")}
    parts = [f"{counts[kind]} {words[kind][counts[kind] > 1]}" for kind in words if counts[kind]]
    told = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    return f"Of {many(len(verdicts), what)} {whose}, {told}."


def _refuted(verdicts: Sequence[Verdict]) -> str:
    """Which claims do not hold, with what was measured."""
    if not verdicts:
        return ""
    wrong = [one for one in verdicts if one.verdict == FAILS]
    if not wrong:
        return "None of them is refuted."
    quoted = [f"“{one.claim.says}” ({_measured(one)})" for one in wrong[:QUOTED]]
    more = f", and {len(wrong) - QUOTED} more" if len(wrong) > QUOTED else ""
    return f"Refuted: {'; '.join(quoted)}{more}."


def _measured(one: Verdict) -> str:
    if one.estimate.value != one.estimate.value:
        return one.note.split(";")[0] or f"wanted: {one.wanted}"
    return f"{measured(one.estimate.value)}; wanted: {one.wanted}"


def lead(panel: Summary) -> Lead:
    """Who leads a panel among those that played its last point, in the runs that they share."""
    x = panel.points[-1]
    there = [label for label in panel.labels if panel.by_run(label, x)]
    values = dict(zip(there, panel.paired(x, *there), strict=True))
    means = {label: float(runs.mean()) for label, runs in values.items() if len(runs)}
    first, second, *_ = *sorted(means, key=means.__getitem__), "", ""
    if not second:
        return Lead(panel, first, second, False, UNKNOWN)
    sure = difference(values[second], values[first]).low > 0
    return Lead(panel, first, second, sure, ratio(values[second], values[first]))


def _leaders(leads: Sequence[Lead]) -> list[str]:
    """Who has the least regret, and by how much."""
    if not leads or not all(one.second for one in leads):
        return []
    if len(leads) > 1:
        (first, count), *others = Counter(one.first for one in leads).most_common()
        sure = sum(one.sure for one in leads if one.first == first)
        also = "".join(f", {label} in {count}" for label, count in others)
        told = f"in {count} of {len(leads)} panels (significantly in {sure}){also}"
        return [f"{first} ends with the least regret {told}."]
    (one,) = leads
    known = one.over.value == one.over.value
    times = f" with {interval(one.over)} times as much" if known else ""
    apart = "" if one.sure else ", which may be chance"
    return [
        f"{one.first} has the least regret in the end.",
        f"Next is {one.second}{times}{apart}.",
    ]
