"""Right favourites as a part of the league's page: over all few-vote worlds, then by K and T."""

from collections.abc import Sequence

from sparring.lab.league import League, favourites
from sparring.lab.league.favourites import Score
from sparring.lab.league.few import KINDS
from sparring.lab.league.wording import percent, share
from sparring.lab.measures import Estimate
from sparring.lab.report.tables import table
from sparring.lab.report.wording import NONE, escape, prose


def part(league: League) -> str:
    """The section, or nothing if no favourites were noted."""
    if not favourites.noting(league):
        return ""
    found = favourites.scores(league, favourites.parts(league))
    names = list(next(iter(found.values())))
    rows = [
        (escape(label), *(_cell(by_part[name]) for name in names))
        for label, by_part in found.items()
    ]
    columns = ("", *(prose(name) for name in names))
    text = _table("Right favourites and regret, over parts of the worlds", columns, rows)
    return (
        '<section class="judged" aria-labelledby="favourites">'
        '<h2 id="favourites">Right favourites</h2>'
        '<p class="prose">In how many runs the arm that a learner thinks best as the last round '
        "begins is the best arm of that round, with Wilson's 95 % interval; below it the mean over "
        "ten checkpoints, at 10, 20, …, 100 % of the rounds, and the regret in percent of RAND's, "
        "the geometric mean over worlds. The winner stays, changes three times at once, or wanders "
        "off three times. Of a learner that tells no favourite, the arm it draws most often "
        f"counts; one that does not tell that either is left out.</p>{text}"
        f"{''.join(_by_sizes(league, kind) for kind in KINDS)}</section>"
    )


def _by_sizes(league: League, kind: str) -> str:
    """One kind of world, by arms and rounds."""
    worlds = favourites.cells(league, kind)
    if not worlds:
        return ""
    named = {f"K = {K}, T = {T:,}": some for (K, T), some in worlds.items()}
    found = favourites.scores(league, named)
    rows = [
        (escape(label), *(_cell(cells[name]) for name in named)) for label, cells in found.items()
    ]
    caption = f"The winner {kind}: right favourites and regret, by arms and rounds"
    unfolded = _table(caption, ("", *map(prose, named)), rows)
    return f"<details><summary>The winner {kind}, by arms and rounds</summary>{unfolded}</details>"


def _table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return table(caption, columns, rows).replace('class="wordy"', 'class="wordy advised"')


def _cell(score: Score | None) -> str:
    if score is None or not score.runs:
        return NONE
    over = f"throughout {_percent(score.over)}"
    return (
        f'<span class="share">{escape(share(score.right))}</span>'
        f'<span class="next">{over}, regret {_percent(score.to_chance)}</span>'
    )


def _percent(found: Estimate) -> str:
    return f"{percent(found.value)} %" if found.value == found.value else NONE
