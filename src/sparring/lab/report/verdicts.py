"""The claims and what became of them: the sentence of the head, the table, the list of a panel."""

from collections.abc import Container, Sequence

from sparring.lab.claims import FAILS, HOLDS, OPEN, ORIGINS, PAPER, THEORY, Verdict
from sparring.lab.report.wording import escape, estimate, prose

SIGNS = {HOLDS: ("holds", "✓"), FAILS: ("fails", "✗"), OPEN: ("open", "?")}
COLUMNS = ("Claim", "Where", "Measured", "Wanted", "Verdict", "Note")


def sentence(verdicts: Sequence[Verdict]) -> str:
    """How many claims hold, as HTML."""
    paper = _counted(
        [one for one in verdicts if one.claim.origin == PAPER], "claim", "of the paper"
    )
    theory = _counted(
        [one for one in verdicts if one.claim.origin == THEORY],
        "statement",
        "about the further panels",
    )
    return " ".join(filter(None, (paper, theory))) or "No claims were checked."


def _counted(verdicts: Sequence[Verdict], what: str, whose: str) -> str:
    if not verdicts:
        return ""
    hold, fail, undecided = (
        sum(one.verdict == verdict for one in verdicts) for verdict in (HOLDS, FAILS, OPEN)
    )
    many = len(verdicts)
    return (
        f"Of {many}&nbsp;{what}{'' if many == 1 else 's'} {whose}, "
        f"<b>{hold}&nbsp;{'holds' if hold == 1 else 'hold'}</b>, "
        f"<b>{fail}&nbsp;{'does' if fail == 1 else 'do'} not</b>, "
        f"<b>{undecided}&nbsp;cannot</b> be decided at this scale."
    )


def badge(verdict: str) -> str:
    """A verdict with its colour and its sign."""
    kind, sign = SIGNS.get(verdict, SIGNS[OPEN])
    mark = f'<span aria-hidden="true">{sign}</span>'
    return f'<span class="badge {kind}">{mark} {escape(verdict)}</span>'


def table(verdicts: Sequence[Verdict], panels: Container[str]) -> str:
    """The claims, grouped by whose they are; those of the given panels link there."""
    if not verdicts:
        return ""
    # The roles are those of the elements: a narrow page lays rows out as blocks, and loses them.
    heads = "".join(f'<th role="columnheader" scope="col">{name}</th>' for name in COLUMNS)
    origins = dict.fromkeys((*ORIGINS, *(one.claim.origin for one in verdicts)))
    groups = (
        _group(origin, [one for one in verdicts if one.claim.origin == origin], panels)
        for origin in origins
    )
    return (
        '<table class="claims" role="table"><thead role="rowgroup">'
        f'<tr role="row">{heads}</tr></thead>{"".join(groups)}</table>'
    )


def _group(origin: str, verdicts: Sequence[Verdict], panels: Container[str]) -> str:
    if not verdicts:
        return ""
    head = (
        f'<tr role="row" class="group"><th role="rowheader" scope="rowgroup" colspan="6">'
        f"{escape(ORIGINS.get(origin, origin))}</th></tr>"
    )
    rows = "".join(_row(one, panels) for one in verdicts)
    return f'<tbody role="rowgroup">{head}{rows}</tbody>'


def _row(verdict: Verdict, panels: Container[str]) -> str:
    claim = verdict.claim
    says = prose(claim.says)
    if claim.panel in panels:
        says = f'<a href="#panel-{escape(claim.panel)}">{says}</a>'
    cells = (
        says,
        escape(claim.source),
        f"<div>{prose(verdict.measured)}: {estimate(verdict.estimate)}</div>",
        escape(verdict.wanted),
        badge(verdict.verdict),
        prose(verdict.note),
    )
    shown = "".join(
        f'<td role="cell" data-column="{name}">{cell}</td>'
        for name, cell in zip(COLUMNS, cells, strict=True)
    )
    return f'<tr role="row" class="verdict" id="claim-{escape(claim.name)}">{shown}</tr>'


def beside(verdicts: Sequence[Verdict], panel: str) -> str:
    """The claims that a panel tells about, linked to the table."""
    rows = "".join(
        f'<li>{badge(one.verdict)} <a href="#claim-{escape(one.claim.name)}">'
        f"{prose(one.claim.says)}</a></li>"
        for one in verdicts
        if one.claim.panel == panel
    )
    return f'<ul class="beside">{rows}</ul>' if rows else ""
