"""The tables that the documents show: Markdown, from what commands tell and data sets say."""

from sparring import data
from sparring.lab.claims import OF_THE_PAPER, judge
from sparring.lab.panels import panels
from sparring.lab.summaries import read

PRINTED = [name for name, panel in panels("full").items() if panel.source]

BESIDE = (
    *("tracker", "seasoned", "sturdy", "TrueSkill", "Bradley-Terry", "Elo"),
    *("Steady SYM-EXP3.S", "SYM-EXP3.S", "D-TS, window"),
)
"""Learners of the table of worlds that play only if they are named."""


def findings(quick, full):
    """A row for each claim of the paper: what was measured at both scales, and the verdicts."""
    small, large = cells(quick), cells(full)
    rows = [[claim.says, *small[claim.name], large[claim.name][1]] for claim in OF_THE_PAPER]
    return table(["what the paper says", "wanted", "quick: T to 10^5", "full: T to 10^6"], rows)


def cells(folder):
    """What was wanted and what was found of each claim, by name."""
    verdicts = judge(read(folder, tuple(PRINTED)), OF_THE_PAPER)
    return {one.claim.name: (one.wanted, f"{told(one)}: **{one.verdict}**") for one in verdicts}


def told(verdict):
    """The number, or why there is none."""
    return verdict.note.split(";")[0] if verdict.number == "unknown" else verdict.number


def table(head, rows):
    """A table as Markdown writes it."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def times(quick, six, full):
    """What the runs took."""
    rows = [
        ["quick scale: all panels, figures, claims, report; kernels compiled first", quick],
        ["full scale: the paper's six panels, played", six],
        ["full scale: the others, and all figures, claims, report", full],
    ]
    head = ["run", "jobs played", "seconds", "megabytes at most"]
    return table(
        head,
        [
            [what, f"{ran['played']:,}", f"{ran['seconds']:.0f}", f"{ran['megabytes']:.0f}"]
            for what, ran in rows
        ],
    )


def covered(found):
    """A row for each guarantee: how often it failed, and what the runs could have refuted."""
    head = ["guarantee", "of", "world", "failed", "allowed", "refuted below"]
    rows = [
        [
            case["says"],
            case["name"],
            f"`{case['world']}`",
            f"{case['failures']} of {len(case['ratios'])}",
            case["allowed"],
            "any" if case["refutable"] is None else f"{case['refutable']:.2f}",
        ]
        for case in found
    ]
    return table(head, rows)


def beside(found):
    """A row for each learner, a column for each world: its regret in percent of RAND's."""
    worlds = found["worlds"].values()
    of = {
        one["title"]: {each["label"]: each["to_chance"] for each in one["standings"]}
        for one in worlds
    }
    rows = [[label, *(percent(by[label]) for by in of.values())] for label in BESIDE]
    return table(["% of RAND", *of], rows)


def percent(ratio):
    """A ratio with its interval, in percent."""
    if ratio is None or ratio["value"] is None:
        return "none: not positive"
    value, low, high = ("?" if x is None else _percent(100 * x) for x in ratio.values())
    return f"{value} ({low} to {high})"


def _percent(x):
    return f"{x:.0f}" if x >= 9.95 else f"{x:.1f}"


def advised(found):
    """A row for each kind of world, a column for each kind of knowledge."""
    knowledge = list(dict.fromkeys(one["knows"] for one in found))
    rows = []
    for kind in dict.fromkeys(one["kind"] for one in found):
        here = {one["knows"]: one for one in found if one["kind"] == kind}
        cells = []
        for knows in knowledge:
            one = here[knows]
            apart = "then" if one["told_apart"] else "not told apart from"
            cells.append(f"**{one['label']}** {percent(one['to_chance'])}, {apart} {one['second']}")
        rows.append([f"{kind} ({len(next(iter(here.values()))['worlds'])})", *cells])
    return table(["kind of world (how many)", *(f"told {knows}" for knows in knowledge)], rows)


def placed(found):
    """A row for each learner: mean rank, regret overall, and what it is told."""
    rows = [
        [
            place,
            label,
            f"{rank:.1f}",
            found["ranking"]["wins"][label],
            percent(found["learners"][label]["to_chance"]),
            found["learners"][label]["told"],
        ]
        for place, (label, rank) in enumerate(found["ranking"]["mean_ranks"].items(), 1)
    ]
    head = ["", "learner", "mean rank", "best on", "% of RAND, all worlds", "told"]
    number, distance = len(found["ranking"]["worlds"]), found["ranking"]["critical_difference"]
    text = (
        f"Over {number} worlds; two learners are told apart if their mean ranks differ by more "
        f"than {distance:.1f} (Nemenyi, 5%).\n\n"
    )
    return text + table(head, rows)


def best(found):
    """A row for each world: who did best, and who next."""
    rows = []
    for world in found["worlds"].values():
        ranked = [one for one in world["standings"] if found["learners"][one["label"]]["ranked"]]
        cells = [f"{one['label']} {percent(one['to_chance'])}" for one in ranked[:3]]
        rows.append([world["title"], *cells])
    return table(["world", "best, % of RAND", "second", "third"], rows)


def dueled(found):
    """A row for each world: SYM-EXP3.S over DEX3.S, as printed and corrected."""
    names = ["DEX3.S", "DEX3.S corrected"]
    duels = {one["learners"][1]: one for one in found["duels"] if one["learners"][1] in names}
    rows = [
        [found["worlds"][printed["world"]]["title"], times_of(printed), times_of(corrected)]
        for printed, corrected in zip(*(duels[name]["worlds"] for name in names), strict=True)
    ]
    return table(["world", *(f"over {name}" for name in names)], rows)


def times_of(duel):
    """The ratio of two regrets with its interval, or the difference where there is none."""
    ratio, difference = duel["ratio"], duel["difference"]
    if ratio["value"] is None:
        least, most = -difference["high"], -difference["low"]
        return f"no ratio; {-difference['value']:,.0f} less ({least:,.0f} to {most:,.0f})"
    return f"{ratio['value']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})"


def noticed(found):
    """A row for each detector and world."""
    rows = [
        [
            one["title"],
            one["label"],
            f"{len(one['delays'])} of {one['changes']}" if one["changes"] else "none to notice",
            "" if one["median_delay"] is None else f"{one['median_delay']:,.0f}",
            f"{one['false_in_100000']:.2g}",
        ]
        for one in found["alarms"]
    ]
    return table(["world", "learner", "noticed", "median delay", "false in 100,000 rounds"], rows)


def classical(found):
    """A row for each classical matrix: what learners lost, and a bound that holds in the end."""
    learners = list(dict.fromkeys(one["learner"] for one in found))
    rows = []
    for name in dict.fromkeys(one["matrix"] for one in found):
        mine = {one["learner"]: one for one in found if one["matrix"] == name}
        one = mine[learners[0]]
        cells = [
            f"{mine[who]['regret'][-1]:,.0f} ± {mine[who]['standard_error'][-1]:.0f}"
            for who in learners
        ]
        rows.append([name, one["K"], *cells, f"{one['lower_bound'][-1]:,.0f}"])
    return table(["matrix", "K", *learners, "r ln T"], rows)


def whole_percent(found, name, *, interval):
    """A share or a ratio in percent, with its interval or without."""
    if found is None or found[name]["value"] is None:
        return ""
    value, low, high = (f"{100 * x:.0f}" for x in found[name].values())
    return f"{value} ({low} to {high})" if interval else value


def scored(found):
    """Two tables, of right favourites and of regret: a row for each learner."""
    text = ""
    heads = {
        "right": "Right favourites in the end, in percent of the runs (95% interval):",
        "to_chance": "Regret in percent of RAND's, the geometric mean over worlds:",
    }
    for name, head in heads.items():
        rows = []
        for label, one in found["favourites"].items():
            cells = [
                whole_percent(part, name, interval=of == "all") for of, part in one["parts"].items()
            ]
            rows.append([label, found["learners"][label]["told"], *cells])
        parts = next(iter(found["favourites"].values()))["parts"]
        text += f"{head}\n\n{table(['learner', 'told', *parts], rows)}\n"
    return text[:-1]


def needed(found):
    """Two tables of votes, from a new start and after a change: a row for each number of arms."""
    text, cases = "", found["needed"]
    for calm in dict.fromkeys(one["calm"] for one in cases):
        here = [one for one in cases if one["calm"] == calm]
        margins = list(dict.fromkeys(one["margin"] for one in here))
        rows = []
        for K in dict.fromkeys(one["K"] for one in here):
            mine = {one["margin"]: one for one in here if one["K"] == K}
            rows.append([K, *(votes_of(mine[margin]) for margin in margins)])
        when = f"After a change that follows {calm:,} calm votes" if calm else "From a new start"
        head = ["arms", *(f"margin {margin:g}" for margin in margins)]
        text += f"{when}, {here[0]['runs']} runs:\n\n{table(head, rows)}\n"
    return text[:-1]


def votes_of(one):
    """A number of votes with its interval, to two digits."""
    most = f"over {one['grid'][-1]:,}"
    value, low, high = (most if x is None else f"{float(f'{x:.1e}'):,.0f}" for x in one["votes"])
    return value if value == most else f"{value} ({low} to {high})"


def shipped():
    """A row for each data set of the package."""
    rows = []
    for name in data.names():
        one = data.load(name)
        size = f"{one.K} arms" + (f", {one.periods} periods" if one.periods > 1 else "")
        rows.append([f"`{name}`", size, one.about, one.source, one.licence])
    return table(["name", "size", "what it is", "source", "licence"], rows)
