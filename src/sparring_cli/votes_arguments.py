"""The arguments of `votes` and `votes-needed`; nothing here slows down --help."""

import argparse

from sparring_cli import options
from sparring_cli.options import whole
from sparring_cli.parsing import Command


def add_votes(command: Command, speech: argparse.ArgumentParser) -> None:
    """The command that reads votes."""
    who = "who leads now, since when and how sure, from a file of votes"
    votes = command(
        "votes",
        "votes:show_votes",
        who,
        speech,
        extra="votes",
        examples=(
            ("sparring votes --example year.csv", "write a file to try: a year of votes"),
            ("sparring votes year.csv", "who leads now, since when, how sure; a page"),
            ("sparring votes year.csv --json --no-page", "the same for a program"),
            ("sparring votes year.csv --since 2025-09-01", "what changed since then"),
        ),
    )
    votes.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="votes: .csv, .tsv, .jsonl, .json, also with .gz, .parquet (with the extra parquet), "
        "or - for standard input; an arena's file or postgresql://...; columns such as a, b, "
        "winner, time or home, away, home_score, away_score are found",
    )
    for name, what in (
        ("a", "the column of the first arm"),
        ("b", "the column of the second arm"),
        ("winner", "the column of the winner: a name, or words such as a, b, tie"),
        ("outcome", "the column of how the first did: 1 won, 0 lost, 0.5 a tie"),
        ("time", 'the column of times; "" to count ages in votes'),
        ("voter", "the column of who voted"),
        ("weight", "the column of how much a vote counts"),
        ("chance", "the column of the probability that these two were shown"),
    ):
        votes.add_argument(f"--{name}", metavar="COLUMN", help=what)
    votes.add_argument("--score", nargs=2, metavar="COLUMN", help="two columns of scores")
    for name, what in (("ranks", "rank (1 is the best)"), ("scores", "score (more is better)")):
        votes.add_argument(
            f"--{name}",
            type=options.names,
            metavar="COLUMNS",
            help=f"instead: a column per arm, with its {what}, such as 'tea,coffee,rum'",
        )
    votes.add_argument(
        "--word",
        action="append",
        default=[],
        metavar="WORD=N",
        help="what a word in the winner's column means: H=1 the first won, A=0 the second won, "
        "D=0.5 a tie, void=skip no answer; may be repeated",
    )
    votes.add_argument(
        "--dates",
        choices=("day-first", "month-first"),
        help="how to read dates such as 31.01.2024 or 1/31/24 (default: as the first one with a "
        "value above 12 shows)",
    )
    votes.add_argument(
        "--decimal",
        choices=("comma", "point"),
        help="how to read numbers such as 0,5 (default: as the first rows show)",
    )
    votes.add_argument(
        "--name", default="arena", help="for an arena: which one (default: %(default)s)"
    )
    votes.add_argument("--skip-bad", action="store_true", help="leave out lines that are not votes")
    votes.add_argument(
        "--most", type=whole, metavar="N", help="only the N arms with the most votes"
    )
    votes.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        metavar="A",
        help="how often an interval or a rank set may miss (default: %(default)s)",
    )
    votes.add_argument(
        "--since",
        metavar="DATE",
        help="a report instead: what changed since then, such as 2026-11-10, as text for mail or "
        "chat and as a page; `last`: since the last vote of the page that is there already",
    )
    votes.add_argument(
        "--alarm",
        action="store_true",
        help="run the alarm, too: a test for changes that needs no model, and more votes",
    )
    votes.add_argument(
        "--every",
        type=float,
        metavar="N",
        help="the alarm's least mean number of votes to a false one (default: ten times all votes)",
    )
    votes.add_argument(
        "--no-what-if", action="store_true", help="do not simulate what a learner would save"
    )
    votes.add_argument(
        "--page", metavar="FILE", help="the page to write (default: NAME.votes.html)"
    )
    votes.add_argument("--no-page", action="store_true", help="write no page")
    votes.add_argument(
        "--example",
        nargs="?",
        const="year.csv",
        metavar="FILE",
        help="write a file to try (default: %(const)s): a year of votes, two changes",
    )


def add_needed(command: Command, speech: argparse.ArgumentParser) -> None:
    """The command that counts votes."""
    parts = (options.folder("results/votes"), options.work("200"), speech)
    many = "how many votes a learner needs to name the winner"
    votes = command(
        "votes-needed",
        "needed:show_needed",
        many,
        *parts,
        extra="lab",
        examples=(
            ("sparring votes-needed --arms 3 --margins 0.3 --runs 20", "one case, in seconds"),
            ("sparring votes-needed", "a table: 3 to 50 arms, close winners and clear ones"),
        ),
    )
    votes.add_argument(
        "--learner",
        default="tracker",
        metavar="LEARNER",
        help="by name, by the league's label, or MODULE:FUNCTION (default: %(default)s)",
    )
    votes.add_argument(
        "--arms",
        type=whole,
        nargs="+",
        metavar="K",
        help="how many arms (default: 3 5 10 20 50)",
    )
    votes.add_argument(
        "--margins",
        type=float,
        nargs="+",
        metavar="M",
        help="by how much the winner's chance exceeds 1/2 (default: 0.05 0.1 0.2 0.3)",
    )
    votes.add_argument(
        "--calm",
        type=whole,
        metavar="N",
        help="votes before the winner changes (default: 10,000)",
    )
