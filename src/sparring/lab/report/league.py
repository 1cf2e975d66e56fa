"""The page of a league: the answer, whom to choose when, ranks, standings, world by world."""

from collections.abc import Sequence
from pathlib import Path

from sparring.lab import results
from sparring.lab.league import Advice, League, Ranking
from sparring.lab.league import wording as said
from sparring.lab.league.advice import KINDS, KNOWLEDGE
from sparring.lab.league.contenders import BY_LABEL
from sparring.lab.report import favourites, frame, meetings, places
from sparring.lab.report import looks as styling
from sparring.lab.report.charts import embedded
from sparring.lab.report.sections import key
from sparring.lab.report.tables import table
from sparring.lab.report.wording import NONE, escape, prose, size

FILE = "league.html"
CONTENTS = {
    "advice": "Whom to choose when",
    "favourites": "Right favourites",
    "ranks": "Ranking",
    "standings": "Standings",
    "duels": "Head to head",
    "worlds": "World by world",
    "alarms": "Alarms",
    "speed": "Speed",
    "entrants": "Who plays",
    "made": "How to repeat it",
}
TOLD = {
    "nothing": "nothing",
    "T": "only <i>T</i>",
    "S or V_T": "<i>T</i>, and <i>S</i> or <i>V<sub>T</sub></i>",
}


def page(
    league: League,
    ranking: Ranking,
    advice: Sequence[Advice],
    *,
    command: str,
    further: Sequence[str] = (),
    report: str = "",
) -> str:
    """One HTML page: no network, no other file, safe for any label.

    Parameters
    ----------
    league, ranking, advice
        From `sparring.lab.league`: `read`, `rank`, `advise`.
    command
        What makes the results again.
    further
        Sections of HTML to stand behind the worlds.
    report
        Where the report is, to link to; empty if there is none.
    """
    shown = meetings.curves(league)
    looks = styling.looks(shown)
    style = "\n".join((frame.file("page.css"), frame.file("league.css"), styling.rules(looks), ""))
    script = frame.script("league.js")
    kinds = [(look.dash, look.marker) for look in looks.values()]
    duels = places.duels(league, ranking)
    right = favourites.part(league)
    parts = {"duels": duels, "alarms": "".join(further), "favourites": right}
    left_out = {name for name, text in parts.items() if not text}
    honest = all(one.honest for one in advice)
    return frame.template("league.html").substitute(
        policy=frame.policy(style, script),
        style=style,
        script=script,
        lead=_lead(league),
        answers=_answers(league, ranking, advice),
        warnings="".join(
            f'<p class="notice">{prose(text)}</p>'
            for text in said.warnings(league, ranking, advice)
        ),
        contents="".join(
            f'<li><a href="#{name}">{text}</a></li>'
            for name, text in CONTENTS.items()
            if name not in left_out
        )
        + (f'<li><a href="{escape(report)}">The report</a></li>' if report else ""),
        honest="One half of the runs chose the learner, the other measured it." if honest else "",
        advice=_advice(advice),
        favourites=right,
        tested=escape(said.tested(ranking)),
        ranks=places.ranks(ranking),
        standings=places.standings(league, ranking),
        duels=duels,
        keys="".join(key(label, look, n, True) for n, (label, look) in enumerate(looks.items())),
        worlds="".join(meetings.section(one, looks) for one in league.meetings),
        further="".join(further),
        speed=places.speed(league),
        entrants=_entrants(league),
        command=escape(command),
        facts=_facts(league),
        history=frame.history([one.summary for one in league.meetings]),
        looks=embedded(kinds),
    )


def write(
    folder: str | Path,
    league: League,
    ranking: Ranking,
    advice: Sequence[Advice],
    *,
    command: str,
    further: Sequence[str] = (),
) -> Path:
    """Write the page as league.html into a folder, which is made if need be; where it is now."""
    path = Path(folder) / FILE
    usual = path.parent.resolve().name.removeprefix("league-")
    report = frame.beside(path.parent, "report.html", usual)
    text = page(league, ranking, advice, command=command, further=further, report=report)
    with results.explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        results.write(path, text.encode(errors="replace"))
    return path


def _lead(league: League) -> str:
    learners, worlds = len(league.labels), len(league.meetings)
    rounds = [one.T for one in league.meetings]
    T = " to ".join(size(T) for T in dict.fromkeys((min(rounds), max(rounds))))
    runs = max(len(one.runs) for one in league.meetings)
    return (
        f"<b>{learners} learners</b> of dueling bandits on <b>{said.many(worlds, 'world')}</b>, "
        f"{T} rounds each, in {said.many(runs, 'run')}: in each, all meet the same path and "
        "the same coins."
    )


def _answers(league: League, ranking: Ranking, advice: Sequence[Advice]) -> str:
    return "".join(
        f'<div><dt>{prose(one.when)}</dt><dd class="who">{escape(one.label)}</dd>'
        f'<dd class="why"><code>{escape(one.call)}</code></dd>'
        f'<dd class="why">{prose(one.why)}</dd></div>'
        for one in said.answers(league, ranking, advice)
    )


def _advice(advice: Sequence[Advice]) -> str:
    rows = []
    for kind in KINDS:
        here = {one.knows: one for one in advice if one.kind == kind}
        if here:
            worlds = said.many(len(next(iter(here.values())).worlds), "world")
            head = f'{escape(kind)} <span class="interval">{worlds}</span>'
            rows.append((head, *(_choice(here.get(knows)) for knows in KNOWLEDGE)))
    columns = ("", *(f"told {text}" for text in TOLD.values()))
    found = table("Whom to choose when", columns, rows)
    return found.replace('class="wordy"', 'class="wordy advised"').replace(
        'class="scroll"', 'class="scroll free"'
    )


def _choice(one: Advice | None) -> str:
    if one is None:
        return NONE
    share = f'<span class="share">{escape(said.share(one.to_chance))}</span>'
    text = f'<span class="who">{escape(one.label)}</span> {share}'
    if one.second:
        differ = "then" if one.sure else "not told apart from"
        text += f'<span class="next">{differ} {escape(one.second)}</span>'
    return text


def _entrants(league: League) -> str:
    rows = [
        (
            escape(label),
            f"<code>{escape(league.entrants[label])}</code>",
            TOLD.get(league.told(label), prose(league.told(label))),
            _remark(league, label),
        )
        for label in league.labels
    ]
    return table("Learners, by label", ("label", "learner and options", "told", ""), rows)


def _remark(league: League, label: str) -> str:
    if label in league.own:
        return "your own"
    if not league.ranked(label):
        return "a yardstick, not ranked"
    return "means Borda scores" if BY_LABEL[label].borda else ""


def _facts(league: League) -> str:
    """Seed, date and versions, as a list of terms."""
    parts = [one.summary for one in league.meetings]
    entries = [entry for part in parts for entry in part.history]
    facts = {
        "Seed": ", ".join(str(seed) for seed in sorted({part.seed for part in parts})),
        "Results made": frame.days(entries),
        "With": "; ".join(dict.fromkeys(frame.versions(entry) for entry in entries)),
    }
    return "".join(
        f"<div><dt>{name}</dt><dd>{escape(fact or NONE)}</dd></div>" for name, fact in facts.items()
    )
