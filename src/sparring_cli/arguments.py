"""What can be typed behind `sparring`; nothing is imported here that makes --help wait."""

import argparse
from collections.abc import Callable
from importlib import metadata
from typing import Any

from sparring_cli import options
from sparring_cli.options import whole
from sparring_cli.serving_arguments import add_serving

EXAMPLES = """examples:
  sparring reproduce                      every panel in about a minute, figures, verdicts, a page
  sparring reproduce --scale full         the paper's sizes
  sparring run switching-vs-T --runs 20   one panel; what is there already is not played again
  sparring run my_file:my_experiment      yours, with figures and a page
  sparring claims --json                  the verdicts, for a program
  sparring bounds --K 10 --T 1e6 --S 10   what theory promises, and from which T on
  sparring league                         which learner to run: one for each idea on 16 worlds
  sparring league --suite few             the same for 500 to 10,000 votes, and who names the winner
  sparring league --learner my_file:make --data polls.csv:left,right   yours, and your data
  sparring votes battles.csv              who leads now, since when, how sure; and a page
  sparring votes-needed                   how many votes until it names the winner
  sparring certify duels.jsonl            what your own regret is at most, from your log
  sparring serve prompts.db --items items.csv   open an arena to people: vote, look, run it
  sparring replay prompts.db --check      is an arena's log whole, and its state what it says
  sparring warm                           compile ahead, for a service with sparring[fast]
  sparring coverage                       how often bounds and certificates fail, in 400 runs
"""


class Version(argparse.Action):
    """Prints the version, and looks it up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print it and leave."""
        print(f"sparring {metadata.version('sparring')}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = argparse.ArgumentParser(
        prog="sparring",
        description="Learn what people prefer, from duels, while tastes drift: the laboratory.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action=Version, nargs=0, help="print the version")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(
        name: str, run: str, text: str, *parts: argparse.ArgumentParser
    ) -> argparse.ArgumentParser:
        """A command; `run` is the module:function that does it, and is imported only then."""
        described = text[0].upper() + text[1:] + "."
        found = commands.add_parser(
            name, help=text, description=described, parents=list(parts), allow_abbrev=False
        )
        found.set_defaults(run=run)
        return found

    speech, scale, folder, chosen, work = (
        options.speech(),
        options.scale(),
        options.folder(),
        options.chosen(),
        options.work(),
    )
    command("list", "commands:list_panels", "what panels there are", scale, speech)
    for what in ("learners", "worlds"):
        listed = command(what, f"commands:list_{what}", f"what {what} there are", speech)
        listed.add_argument("--league", action="store_true", help=f"the {what} of the league")
    parts = (scale, folder, work, speech)
    run = command("run", "commands:play", "play panels into a folder of results", *parts)
    run.add_argument(
        "panels",
        nargs="+",
        metavar="PANEL",
        help="from `sparring list`, or all; or MODULE:NAME, an Experiment or Sweep of your own",
    )
    shown = (chosen, scale, folder, speech)
    plot = command("plot", "commands:plot", "draw the figures of a folder", *shown)
    plot.add_argument(
        "--formats", default="svg,pdf,png", help="which files to make (default: %(default)s)"
    )
    claims = command("claims", "commands:judge", "what holds of what the paper says", *shown)
    claims.add_argument("--markdown", action="store_true", help="print tables for a document")
    command("report", "commands:report", "one page of everything, to look at", *shown)
    everything = "run, plot, claims and report in one"
    command("reproduce", "commands:reproduce", everything, chosen, *parts)
    ahead = "compile ahead what a service needs, as for a container image"
    warm = command("warm", "warming:warm", ahead, speech)
    warm.add_argument(
        "learners",
        nargs="*",
        metavar="LEARNER",
        help="from `sparring learners` (default: tracker and all exponential weights)",
    )
    _add_league(command, scale, speech)
    _add_votes(command, speech)
    _add_needed(command, speech)
    _add_theory(command, scale, folder, speech)
    _add_arenas(command, speech)
    add_serving(command, speech)
    return top


def _add_league(
    command: Callable[..., argparse.ArgumentParser],
    scale: argparse.ArgumentParser,
    speech: argparse.ArgumentParser,
) -> None:
    """The command that ranks learners."""
    runs = options.work("5, at full scale 10; of few votes 20 and 200")
    parts = (scale, options.folder("results/league-SCALE or league-few-SCALE"), runs, speech)
    who = "which learner to run: one for each idea, or all, on all worlds"
    league = command("league", "league:show_league", who, *parts)
    league.add_argument(
        "--all", action="store_true", help="all learners, not one for each idea (long worlds)"
    )
    league.add_argument(
        "--suite",
        choices=("long", "few"),
        default="long",
        help="16 long worlds, or 54 short ones of few votes (default: %(default)s)",
    )
    league.add_argument(
        "--T", type=whole, metavar="N", help="rounds of each world (default: 20,000, full 200,000)"
    )
    several: dict[str, Any] = {"action": "extend", "nargs": "+", "default": []}
    league.add_argument(
        "--data",
        **several,
        metavar="FILE[:COLUMNS]",
        help="also on the world that a CSV file describes, such as polls.csv:left,right",
    )
    league.add_argument(
        "--only-data",
        **several,
        metavar="FILE[:COLUMNS]",
        help="the same, and on no other world; it is then ranked",
    )
    league.add_argument(
        "--worlds",
        **several,
        metavar="NAME",
        help="only on these of its worlds; `sparring worlds --league` lists them",
    )
    league.add_argument(
        "--learners",
        **several,
        metavar="LABEL",
        help="only these, by label or name, and RAND; `sparring learners --league` lists them",
    )
    league.add_argument(
        "--learner",
        **several,
        metavar="MODULE:FUNCTION",
        help="also your own: the function makes a learner of a Problem and a Generator",
    )


def _add_votes(
    command: Callable[..., argparse.ArgumentParser], speech: argparse.ArgumentParser
) -> None:
    """The command that reads votes."""
    who = "who leads now, since when and how sure, from a file of votes"
    votes = command("votes", "votes:show_votes", who, speech)
    votes.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="votes: .csv, .tsv, .jsonl, .json, also with .gz, .parquet, or - for standard input; "
        "an arena's file or postgresql://...; columns such as a, b, winner, time or home, away, "
        "home_score, away_score are found",
    )
    for name, what in (
        ("a", "the column of the first arm"),
        ("b", "the column of the second"),
        ("winner", "of who won: a name, or words such as a, b, tie"),
        ("outcome", "of how the first did: 1 won, 0 lost, 0.5 a tie"),
        ("time", 'of when; "" to count ages in votes'),
        ("voter", "of who voted"),
        ("weight", "of how much a vote counts"),
        ("chance", "of the probability that just these two were shown"),
    ):
        votes.add_argument(f"--{name}", metavar="COLUMN", help=what)
    votes.add_argument("--score", nargs=2, metavar="COLUMN", help="two columns of scores")
    votes.add_argument(
        "--word",
        action="append",
        default=[],
        metavar="WORD=N",
        help="what a word of the winner's column says: H=1 the first has won, A=0 the second, "
        "D=0.5 a tie, void=skip no answer; may be repeated",
    )
    votes.add_argument(
        "--dates",
        choices=("day-first", "month-first"),
        help="how to read dates such as 31.01.2024 or 1/31/24",
    )
    votes.add_argument(
        "--name", default="arena", help="of an arena: which one (default: %(default)s)"
    )
    votes.add_argument("--skip-bad", action="store_true", help="leave out lines that are no votes")
    votes.add_argument("--most", type=whole, metavar="N", help="only the N arms with most votes")
    votes.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        metavar="A",
        help="how often an interval or a rank set may miss (default: %(default)s)",
    )
    votes.add_argument(
        "--every",
        type=float,
        metavar="N",
        help="votes to a false alarm, in the mean, at least (default: ten times as many as are)",
    )
    votes.add_argument(
        "--no-what-if", action="store_true", help="do not simulate what a learner would save"
    )
    votes.add_argument(
        "--page", metavar="FILE", help="the page to write (default: NAME.votes.html)"
    )
    votes.add_argument("--no-page", action="store_true", help="write no page")
    votes.add_argument(
        "--example", metavar="FILE", help="write a file to try: a year of votes, two changes"
    )


def _add_needed(
    command: Callable[..., argparse.ArgumentParser], speech: argparse.ArgumentParser
) -> None:
    """The command that counts votes."""
    parts = (options.folder("results/votes"), options.work("200"), speech)
    many = "how many votes a learner needs to name the winner"
    votes = command("votes-needed", "needed:show_needed", many, *parts)
    votes.add_argument(
        "--learner",
        default="tracker",
        metavar="NAME",
        help="by name, by the league's label, or MODULE:FUNCTION (default: %(default)s)",
    )
    votes.add_argument(
        "--arms",
        type=whole,
        nargs="+",
        metavar="K",
        help="numbers of arms (default: 3 5 10 20 50)",
    )
    votes.add_argument(
        "--margins",
        type=float,
        nargs="+",
        metavar="M",
        help="by which the winner's chance exceeds 1/2 (default: 0.05 0.1 0.2 0.3)",
    )
    votes.add_argument(
        "--calm",
        type=whole,
        metavar="N",
        help="votes before the winner changes (default: 10,000)",
    )


def _add_theory(
    command: Callable[..., argparse.ArgumentParser],
    scale: argparse.ArgumentParser,
    folder: argparse.ArgumentParser,
    speech: argparse.ArgumentParser,
) -> None:
    """The commands about bounds and certificates."""
    delta = options.part()
    delta.add_argument(
        "--delta",
        type=float,
        default=0.05,
        metavar="D",
        help="how often a bound may fail (default: %(default)s)",
    )
    promised = "what the theorems promise, corrected and printed"
    bounds = command("bounds", "theory:show_bounds", promised, delta, speech)
    bounds.add_argument("--K", type=whole, required=True, help="arms")
    bounds.add_argument("--T", type=whole, required=True, help="rounds, such as 1e6")
    bounds.add_argument("--S", type=whole, help="segments of the benchmark")
    bounds.add_argument("--V_T", type=float, metavar="V", help="continuous variation, at most")
    bounds.add_argument(
        "--figure", metavar="FILE", help="draw bounds and measured regret over T: .svg, .pdf, .png"
    )
    options.add_runs(bounds, 10)
    at_most = "what your regret is at most, from a log of duels"
    certify = command("certify", "theory:show_certificate", at_most, delta, speech)
    certify.add_argument("file", metavar="FILE", help="a log: .csv, .parquet, .jsonl or .ndjson")
    certify.add_argument(
        "--beta",
        type=float,
        action="append",
        metavar="B",
        help="fixed in advance; may be repeated (default: 24 values)",
    )
    certify.add_argument(
        "--only-answered",
        action="store_true",
        help="certify the duels of two different arms that were answered, if whether they were had "
        "nothing to do with the arms nor with who would have won",
    )
    certify.add_argument(
        "--gaps",
        action="store_true",
        help="rounds that are missing were left out for a reason that has nothing to do with their "
        "arms nor with who would have won",
    )
    where = certify.add_mutually_exclusive_group()
    where.add_argument(
        "--segments",
        type=whole,
        metavar="N",
        help="let the benchmark change N - 1 times, evenly; N must not depend on the outcomes",
    )
    where.add_argument(
        "--cut",
        type=whole,
        action="append",
        default=[],
        metavar="N",
        help="let it change after N duels, which must not depend on later ones; may be repeated",
    )
    failing = "how often the guarantees fail, in runs"
    coverage = command("coverage", "theory:show_coverage", failing, scale, folder, speech)
    options.add_runs(coverage, 400)


def _add_arenas(
    command: Callable[..., argparse.ArgumentParser], speech: argparse.ArgumentParser
) -> None:
    """The command about arenas."""
    again = "fold the events of an arena again, and compare with what it saved"
    replay = command("replay", "arenas:replay", again, speech)
    replay.add_argument("file", metavar="FILE", help="an arena's file, or postgresql://...")
    replay.add_argument(
        "--name", default="arena", help="which of its arenas (default: %(default)s)"
    )
    replay.add_argument("--check", action="store_true", help="fail if a checkpoint differs")
