"""The page as a whole: head, claims, panels and foot put into one file that needs nothing else."""

from collections.abc import Sequence
from pathlib import Path

from sparring.lab import results
from sparring.lab.claims import Verdict
from sparring.lab.coverage import Covered
from sparring.lab.report import frame, guarantees
from sparring.lab.report import looks as styling
from sparring.lab.report import verdicts as judged
from sparring.lab.report.charts import embedded
from sparring.lab.report.sections import key, section
from sparring.lab.report.wording import NONE, escape, size
from sparring.lab.summaries import Summary

FILE = "report.html"
REPRODUCTION = (
    "A reproduction, by <b>sparring</b>, of Section 7 of A. Saha and S. Gupta, <cite>Optimal and "
    "Efficient Dynamic Regret Algorithms for Non-Stationary Dueling Bandits</cite>, ICML 2022."
)
LEAGUE = '<p><a href="{}">The league: which learner to run</a></p>'
GUARANTEES = '<p><a href="#guarantees">Guarantees</a></p>'
OTHERWISE = "Experiments with dueling bandits while tastes drift, made with <b>sparring</b>."


def page(
    summaries: Sequence[Summary],
    verdicts: Sequence[Verdict],
    *,
    command: str,
    covered: Sequence[Covered] = (),
    league: str = "",
) -> str:
    """One HTML page of panels and claims: no network, no other file, safe for any label.

    Parameters
    ----------
    summaries
        The panels; those of the paper come first, in the order of its figures.
    verdicts
        What became of the claims.
    command
        What makes the results again.
    covered
        How often guarantees failed.
    league
        Where the page of a league is, to link to; empty if there is none.
    """
    paper = sorted((one for one in summaries if one.experiment.source), key=_figure)
    further = [one for one in summaries if not one.experiment.source]
    ordered = [*paper, *further]
    labels = [label for one in ordered for label in one.labels]
    lines = [line.label for one in ordered for line in one.lines]
    looks = styling.looks([*labels, *lines])
    template = frame.template("panel.html")

    def sections(chosen: Sequence[Summary]) -> str:
        return "".join(section(one, verdicts, looks, template) for one in chosen)

    style = f"{frame.file('page.css')}\n{styling.rules(looks)}\n"
    script = frame.script()
    kinds = [(look.dash, look.marker) for look in looks.values()]
    everywhere = (
        key(label, look, place, label in labels)
        for place, (label, look) in enumerate(looks.items())
    )
    return frame.template("page.html").substitute(
        policy=frame.policy(style, script),
        style=style,
        script=script,
        sentence=REPRODUCTION if paper else OTHERWISE,
        result=judged.sentence(verdicts),
        command=escape(command),
        facts=_facts(ordered),
        notices=_notices(ordered),
        contents=_contents("Figures of the paper", paper)
        + _contents("Further panels", further)
        + (GUARANTEES if covered else "")
        + (LEAGUE.format(escape(league)) if league else ""),
        claims=judged.table(verdicts, {one.name for one in ordered}),
        keys="".join(everywhere),
        guarantees=guarantees.part(covered),
        paper=_part("paper", "Figures of the paper", sections(paper)),
        further=_part("further", "Further panels", sections(further)),
        looks=embedded(kinds),
        history=frame.history(ordered),
    )


def write(
    folder: str | Path,
    summaries: Sequence[Summary],
    verdicts: Sequence[Verdict],
    *,
    command: str,
    covered: Sequence[Covered] = (),
) -> Path:
    """Write the page as report.html into a folder, which is made if need be; where it is now."""
    path = Path(folder) / FILE
    league = frame.beside(path.parent, "league.html", f"league-{path.parent.resolve().name}")
    text = page(summaries, verdicts, command=command, covered=covered, league=league)
    with results.explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        results.write(path, text.encode(errors="replace"))
    return path


def _figure(summary: Summary) -> str:
    return summary.experiment.source


def _part(name: str, heading: str, sections: str) -> str:
    if not sections:
        return ""
    return f'<h2 id="{name}">{heading}</h2><div class="panels">{sections}</div>'


def _contents(heading: str, summaries: Sequence[Summary]) -> str:
    """Links to some of the panels."""
    if not summaries:
        return ""
    links = "".join(
        f'<li><a href="#panel-{escape(one.name)}">{escape(one.experiment.source or one.name)}</a>'
        "</li>"
        for one in summaries
    )
    return f"<p>{heading}</p><ul>{links}</ul>"


def _notices(summaries: Sequence[Summary]) -> str:
    """Which panels lack something, where a reader begins."""
    lacking = [one for one in summaries if one.damaged or not one.complete]
    if not lacking:
        return ""
    links = ", ".join(f'<a href="#panel-{one.name}">{escape(one.name)}</a>' for one in lacking)
    return f'<p class="notice"><b>Not all results are here.</b> See {links}.</p>'


def _facts(summaries: Sequence[Summary]) -> str:
    """Seed, runs, date and versions, as a list of terms."""
    entries = [entry for one in summaries for entry in one.history]
    runs = sorted({point.runs for one in summaries for point in one.realised})
    facts = {
        "Seed": ", ".join(str(seed) for seed in sorted({one.seed for one in summaries})),
        "Runs of each point": " to ".join(size(n) for n in dict.fromkeys(runs[:1] + runs[-1:])),
        "Panels": size(len(summaries)),
        "Results made": frame.days(entries),
        "With": "; ".join(dict.fromkeys(frame.versions(entry) for entry in entries)),
    }
    return "".join(
        f"<div><dt>{name}</dt><dd>{escape(fact or NONE)}</dd></div>" for name, fact in facts.items()
    )
