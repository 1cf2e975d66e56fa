"""Who stands where in a league, as pictures and tables: ranks, standings, duels, speed."""

import math

from sparring.lab.league import League, Ranking
from sparring.lab.league.advice import overall
from sparring.lab.league.standings import HeadToHead, Standing
from sparring.lab.league.wording import counted, many, pairs, percent
from sparring.lab.measures import Estimate
from sparring.lab.report.tables import table
from sparring.lab.report.wording import NONE, escape, estimate, prose, size

# Of the picture of ranks, in pixels.
WIDTH, SIDE, TOP, LINE, STEP = 900, 230, 62, 24, 11
FARTHEST = 10.0  # times, at the end of the picture of a duel
STRIP, HEIGHT = 220, 20


def ranks(ranking: Ranking) -> str:
    """Mean ranks on a line, the best to the left; bars join those who are not told apart."""
    labels = ranking.labels
    if len(labels) < 2:
        return ""
    half, groups = math.ceil(len(labels) / 2), ranking.groups
    below = TOP + 20 + STEP * len(groups)
    height = below + LINE * half + 4

    def x(rank: float) -> float:
        return round(SIDE + (rank - 1) / (len(labels) - 1) * (WIDTH - 2 * SIDE), 1)

    parts = [f'<path class="axis" d="M{x(1)} {TOP}H{x(len(labels))}"/>']
    for tick in range(1, len(labels) + 1):
        if len(labels) <= 16 or tick % 5 == 0 or tick == 1:
            parts.append(f'<path class="axis" d="M{x(tick)} {TOP}v-6"/>')
            parts.append(_text(x(tick), TOP - 11, str(tick), "middle", "quiet"))
    end = x(1 + ranking.distance)
    parts.append(f'<path class="thin" d="M{x(1)} 18v8m0-4H{end}m0-4v8"/>')
    words = f"critical difference {ranking.distance:.2f}"
    parts.append(_text((x(1) + end) / 2, 13, words, "middle", "quiet"))
    for place, (label, rank) in enumerate(ranking.mean_rank.items()):
        left = place < half
        y = below + LINE * (place if left else len(labels) - 1 - place)
        edge = SIDE - 8 if left else WIDTH - SIDE + 8
        parts.append(f'<path class="thin" d="M{x(rank)} {TOP}V{y}H{edge}"/>')
        text = f"{label}  {rank:.1f}" if left else f"{rank:.1f}  {label}"
        parts.append(_text(edge + (-6 if left else 6), y + 4, text, "end" if left else "start"))
    for level, group in enumerate(groups):
        down = TOP + 12 + STEP * level
        ends = [x(ranking.mean_rank[label]) for label in (group[0], group[-1])]
        parts.append(f'<path class="joined" d="M{ends[0] - 4:.1f} {down}H{ends[1] + 4:.1f}"/>')
    words = "Mean ranks: " + ", ".join(f"{a} {b:.1f}" for a, b in ranking.mean_rank.items())
    return (
        '<div class="scroll" role="region" aria-label="Mean ranks" tabindex="0">'
        f'<svg class="picture" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(words)}">{"".join(parts)}</svg></div>'
    )


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    place = f'x="{x}" y="{y}" text-anchor="{anchor}"'
    return f'<text class="{kind}" {place}>{escape(text)}</text>'


def standings(league: League, ranking: Ranking) -> str:
    """Learners by worlds, coloured by regret relative to RAND's; sortable by a script."""
    others = [label for label in league.labels if label not in ranking.labels]
    shares = overall(league)
    heads = ["mean rank", "best on", "% of RAND, all worlds"]
    titles = [*heads, *(one.title for one in league.meetings)]
    top = "".join(
        f'<th scope="col"><button type="button" class="sort turned">{prose(title)}</button></th>'
        for title in titles
    )
    columns = [{one.label: one for one in meeting.standings} for meeting in league.meetings]
    best = [meeting.best for meeting in league.meetings]
    body = []
    for place, label in enumerate([*ranking.labels, *others]):
        ranked = label in ranking.labels
        rank = ranking.mean_rank.get(label, math.nan)
        cells = [
            _cell(rank, f"{rank:.1f}" if ranked else NONE),
            _cell(-ranking.wins[label] if ranked else math.nan, _wins(ranking, label)),
            _overall(shares.get(label)),
            *(
                _heat(column.get(label), label == first)
                for column, first in zip(columns, best, strict=True)
            ),
        ]
        kind = "" if ranked else ' class="unranked"'
        name = escape(label)
        head = f'<th scope="row" data-sort="{place}">{name}</th>'
        body.append(f'<tr id="learner-{place}"{kind}>{head}{"".join(cells)}</tr>')
    caption = "Regret in percent of that of RAND, means over runs"
    return (
        f'<div class="scroll" role="region" aria-label="{caption}" tabindex="0">'
        f'<table class="heat"><caption>{caption}</caption><thead><tr><td></td>{top}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _wins(ranking: Ranking, label: str) -> str:
    return str(ranking.wins[label]) if label in ranking.labels else NONE


def _overall(share: Estimate | None) -> str:
    if share is None or share.value != share.value:
        return _cell(math.nan, NONE)
    return _cell(share.value, percent(share.value), _shade(share.value))


def _heat(standing: Standing | None, first: bool) -> str:
    """A cell of the standings."""
    if standing is None:
        return _cell(math.nan, NONE)
    best = " best" if first else ""
    if standing.regret.value <= 0:
        return _cell(-1, "≤&nbsp;0", f"below-6{best}")
    ratio = standing.to_chance.value
    if math.isnan(ratio):
        return _cell(math.nan, "?", best.strip())
    return _cell(ratio, percent(ratio), f"{_shade(ratio)}{best}".strip())


def _shade(ratio: float) -> str:
    """The class of a colour: six of less regret than RAND's, three of more.

    Examples
    --------
    >>> _shade(0.02), _shade(0.5), _shade(0.99), _shade(1.5)
    ('below-6', 'below-2', '', 'above-2')
    """
    far = math.log2(ratio)
    level = round(abs(far) if far < 0 else 3 * far)
    if level == 0:
        return ""
    return f"below-{1 + min(level, 5)}" if far < 0 else f"above-{min(level, 3)}"


def _cell(value: float, text: str, kind: str = "") -> str:
    sort = "" if math.isnan(value) else f"{value:.6g}"
    return f'<td class="{f"cell {kind}".strip()}" data-sort="{sort}">{text}</td>'


def duels(league: League, ranking: Ranking) -> str:
    """Who is wanted head to head, on every world; nothing if nobody is."""
    found = pairs(league, ranking)
    if not found:
        return ""
    titles = {one.name: one.title for one in league.meetings}
    tables = "".join(_duel(first, second, league, titles) for first, second in found)
    return (
        '<section aria-labelledby="duels"><h2 id="duels">Head to head</h2>'
        '<p class="prose">Regret of the first relative to the second, run by run on the same '
        "paths, with 95 % intervals. The line in the middle is 1; to the left of it the first does "
        f"better.</p>{tables}</section>"
    )


def _duel(first: str, second: str, league: League, titles: dict[str, str]) -> str:
    found = league.duel(first, second)
    rows = [
        (
            prose(titles[duel.world]),
            _interval(duel),
            estimate(duel.ratio) if duel.ratio.value == duel.ratio.value else NONE,
            ("better", "worse", "not told apart")[duel.winner],
        )
        for duel in found
    ]
    head = f"<h3>{escape(first)} against {escape(second)}</h3>"
    caption = f"{escape(first)} against {escape(second)}: {escape(counted(found))}"
    return head + table(caption, ("world", "", "ratio", "the first does"), rows)


def _interval(duel: HeadToHead) -> str:
    """A ratio and its interval on a logarithmic line."""
    if duel.ratio.value != duel.ratio.value:
        return ""
    kind = ("strip", "strip worse", "strip open")[duel.winner]
    low, high = (end if end == end else duel.ratio.value for end in duel.ratio[1:])
    middle = HEIGHT / 2
    return (
        f'<svg class="{kind}" viewBox="0 0 {STRIP} {HEIGHT}" aria-hidden="true">'
        f'<line class="even" x1="{_x(1)}" x2="{_x(1)}" y1="0" y2="{HEIGHT}"/>'
        f'<line class="whole" x1="{_x(low)}" x2="{_x(high)}" y1="{middle}" y2="{middle}"/>'
        f'<circle class="spot" cx="{_x(duel.ratio.value)}" cy="{middle}" r="5"/></svg>'
    )


def _x(ratio: float) -> float:
    far = math.log(max(ratio, 1e-9)) / math.log(FARTHEST)
    return round((max(-1.0, min(1.0, far)) + 1) / 2 * (STRIP - 12) + 6, 1)


def speed(league: League) -> str:
    """Nanoseconds of processor time a round, the quickest first."""
    taken = {label: league.nanoseconds(label) for label in league.labels}
    noted = sorted((label for label in taken if taken[label] > 0), key=taken.__getitem__)
    if not noted:
        return ""
    ends = math.log(taken[noted[0]] / 2), math.log(taken[noted[-1]])
    rows = [
        (
            escape(label),
            _bar((math.log(taken[label]) - ends[0]) / (ends[1] - ends[0])),
            size(round(taken[label])),
        )
        for label in noted
    ]
    columns = ("", "on a logarithmic line", "nanoseconds of processor time a round")
    return table(f"Speed of {many(len(noted), 'learner')}", columns, rows)


def _bar(part: float) -> str:
    wide = round(part * STRIP, 1)
    return (
        f'<svg class="strip" viewBox="0 0 {STRIP} {HEIGHT}" aria-hidden="true">'
        f'<rect class="bar" x="0" y="5" width="{wide}" height="10" rx="2"/></svg>'
    )
