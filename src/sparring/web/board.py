"""The board of an arena: who leads now, whether it is settled, and the evidence."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sparring.arena import Arena
from sparring.charts import page
from sparring.charts.course import bars, course
from sparring.charts.standing import told_apart
from sparring.votes import answer, charts
from sparring.votes.answer import Findings
from sparring.votes.data import Votes
from sparring.web import health
from sparring.web.reading import Reading, Seen

FEW = 20  # votes, below which there is nothing to draw


def compose(reading: Reading, arena: Arena) -> tuple[dict[str, Any], str]:
    """The board as JSON and as HTML.

    Parameters
    ----------
    reading
        The result of reading the log.
    arena
        The arena, whose state in memory is shown.
    """
    facts, shown = facts_of(reading, arena)
    part = (
        page.environment("sparring.web")
        .get_template("board_part.html")
        .render(facts=facts, **shown)
    )
    return facts, part


def facts_of(reading: Reading, arena: Arena) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the board says, for JSON, and what its page also needs."""
    settings, tallies, standing = arena.settings, arena.tallies(), arena.standing()
    name, seen = arena.name, reading.see(standing.favourite, standing.since.timestamp())
    votes = seen.votes
    votes = replace(votes, present=tuple(arena.arms))
    found = answer(votes, what_if=False) if len(votes) >= FEW else None
    last = None if not len(votes) or votes.time is None else float(votes.time[-1])
    sides = health.sides(tallies)
    slice_ = health.against_chance(seen.uniform, standing, settings, any_=seen.any_uniform)
    title = settings.page.get("title")
    facts = {
        "arena": name,
        "title": title if isinstance(title, str) and title.strip() else name,
        "drawn_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "last_vote_at": None if last is None else _time(last).isoformat(timespec="seconds"),
        "mode": settings.mode,
        "status": settings.status,
        "votes": seen.total,
        "favourite": {
            "name": standing.favourite,
            "since": standing.since.isoformat(timespec="seconds"),
            "confidence": standing.confidence,
        },
        "headline": "Not enough votes yet" if found is None else found.now.headline,
        "lines": _lines(found, seen.total, len(votes)),
        "missing": missing(arena, seen),
        "answer": None if found is None else found.to_json(),
        "items": [
            {"name": one.name, "share": one.share, "votes": one.votes, "wins": one.wins}
            for one in standing.arms
        ],
        "answers": [row._asdict() for row in health.answered(tallies, arena.duplicates())],
        "tallies": tallies.to_json(),
        "sides": health.as_json(sides),
        "uniform_slice": health.as_json(slice_),
        "certificate": seen.certificate,
        "rate": _rate(votes),
    }
    return facts, {} if found is None else _pictures(found, votes)


def missing(arena: Arena, seen: Seen) -> list[str]:
    """What is still missing before the board can say much, in plain words."""
    found, votes = [], seen.total
    if votes < FEW:
        so_far = "no votes yet" if votes == 0 else f"{votes} vote{'' if votes == 1 else 's'} so far"
        found.append(
            f"There {'are' if votes != 1 else 'is'} {so_far}. Standings begin with {FEW}: "
            f"{FEW - votes} more."
        )
    unseen = [name for name in arena.arms if not seen.on[name]]
    if unseen and votes:
        shown = ", ".join(unseen[:5]) + (f" and {len(unseen) - 5} more" if len(unseen) > 5 else "")
        found.append(f"No one has voted yet on {shown}.")
    if arena.settings.status != "open":
        found.append(f"The arena is {arena.settings.status}: no one is asked.")
    return found


def _lines(found: Findings | None, votes: int, recent: int) -> list[str]:
    """The answer in plain words."""
    if found is None:
        return []
    lines = found.lines("item")
    if recent < votes:
        lines.append(f"Of {votes:,} votes the latest {recent:,} were looked at.")
    return lines


def _pictures(found: Findings, votes: Votes) -> dict[str, Any]:
    """The figures and tables, by the code that draws those of a file of votes."""
    view = charts.View(found)
    table = view.standings()
    figures = {
        "strengths": course(
            view.lines(),
            view.moments,
            name="strengths",
            label="Strength over time",
            finding=f"{view.story()} {view.standing()}",
            takeovers=view.takeovers,
        ),
        "shares": course(
            view.shown(),
            view.moments,
            name="shares",
            label="How often each item is shown, over time",
            finding="In which share of the pairs each item was shown.",
            odds=False,
        ),
    }
    if votes.time is not None and votes.time[-1] > votes.time[0]:
        edges, rates, unit = charts.rate(votes.time)
        per, label = f"votes per {unit}", "Votes over time"
        figures["traffic"] = bars(edges, rates, view.moments, name="traffic", label=label, unit=per)
    return {
        "found": found,
        "figures": figures,
        "table": table,
        "placed": view.placed(table.rows),
        "barred": told_apart(table.rows),
        "window": view.windows()[-1],
    }


def _rate(votes: Votes) -> dict[str, Any] | None:
    if votes.time is None or len(votes) < 2:
        return None
    last = float(votes.time[-1])
    hour = int((votes.time > last - charts.HOUR).sum())
    minute = int((votes.time > last - charts.MINUTE).sum())
    return {"last_hour": hour, "last_minute": minute}


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
