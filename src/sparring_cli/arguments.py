"""The arguments of `sparring`; imports nothing that would slow down --help."""

import argparse
from collections.abc import Sequence
from typing import Any

from sparring_cli import greeting, options
from sparring_cli.options import whole
from sparring_cli.parsing import Command, Example, Parser
from sparring_cli.serving_arguments import add_replay, add_serving, add_warm
from sparring_cli.theory_arguments import add_theory
from sparring_cli.votes_arguments import add_needed, add_votes

ABOUT = "Learn what people prefer, from duels, while tastes drift."
EXTRAS = (
    "[votes], [lab], [fast] and [serve] name the extra that a command needs; without it, the "
    "command says how to install it."
)
SHELLS = ("bash", "zsh", "fish")


class Version(argparse.Action):
    """Print the version, and look it up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print it and leave."""
        from importlib import metadata  # only now: it takes as long as all else

        print(f"sparring {metadata.version('sparring')}")
        parser.exit()


def parser() -> Parser:
    """All commands and their options."""
    top = Parser(prog="sparring", description=ABOUT, epilog=EXTRAS, examples=greeting.EXAMPLES)
    top.add_argument("--version", action=Version, nargs=0, help="print the version")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(
        name: str,
        run: str,
        text: str,
        *parts: Any,
        examples: Sequence[Example],
        extra: str = "",
    ) -> Parser:
        """A command; `run` is the module:function that does it, imported only when needed."""
        found: Parser = commands.add_parser(
            name,
            help=f"{text} [{extra}]" if extra else text,
            description=text[0].upper() + text[1:] + ".",
            epilog=f"It needs the extra {extra}." if extra else None,
            parents=list(parts),
            examples=examples,
        )
        found.set_defaults(run=run, extra=extra)
        top.commands[name] = found
        return found

    speech, scale, folder = options.speech(), options.scale(), options.folder()
    add_votes(command, speech)
    add_needed(command, speech)
    add_serving(command, speech)
    add_replay(command, speech)
    add_warm(command, speech)
    _add_lists(command, speech)
    _add_experiments(command, scale, folder, speech)
    _add_league(command, scale, speech)
    add_theory(command, scale, folder, speech)
    _add_completion(command, speech)
    return top


def _add_lists(command: Command, speech: argparse.ArgumentParser) -> None:
    """The commands that list learners and worlds."""
    for what in ("learners", "worlds"):
        listed = command(
            what,
            f"listing:list_{what}",
            f"list the {what}",
            speech,
            examples=(
                (f"sparring {what}", "one line for each"),
                (f"sparring {what} --json", "for a program"),
            ),
        )
        listed.add_argument("--league", action="store_true", help=f"the {what} of the league [lab]")


def _add_experiments(
    command: Command,
    scale: argparse.ArgumentParser,
    folder: argparse.ArgumentParser,
    speech: argparse.ArgumentParser,
) -> None:
    """The commands about panels and folders of results."""
    chosen, work = options.chosen(), options.work()
    played, shown = (scale, folder, work, speech), (chosen, scale, folder, speech)
    command(
        "reproduce",
        "commands:reproduce",
        "reproduce the paper's experiments: run, plot, claims and report in one",
        chosen,
        *played,
        extra="lab",
        examples=(
            ("sparring reproduce", "every panel in about a minute, figures, verdicts, a page"),
            ("sparring reproduce --scale full", "the paper's sizes"),
        ),
    )
    command(
        "list",
        "commands:list_panels",
        "list the panels",
        scale,
        speech,
        extra="lab",
        examples=(("sparring list", "the panels of the paper, and more"),),
    )
    run = command(
        "run",
        "commands:play",
        "play panels into a folder of results",
        *played,
        extra="lab",
        examples=(
            ("sparring run hard-switching-vs-T --runs 2", "one panel; earlier runs are kept"),
            ("sparring run all --scale full", "all of them, at the paper's sizes"),
            ("sparring run my_file:my_experiment", "yours, with figures and a page"),
        ),
    )
    run.add_argument(
        "panels",
        nargs="+",
        metavar="PANEL",
        help="from `sparring list`, or all; or MODULE:NAME, an Experiment or Sweep of your own",
    )
    plot = command(
        "plot",
        "commands:plot",
        "draw the figures of a folder",
        *shown,
        extra="lab",
        examples=(
            ("sparring plot", "for results/quick, where `sparring run` puts them"),
            ("sparring plot switching-vs-T --formats svg", "one panel, as one file"),
        ),
    )
    plot.add_argument(
        "--formats", default="svg,pdf,png", help="which files to make (default: %(default)s)"
    )
    claims = command(
        "claims",
        "commands:judge",
        "check which of the paper's claims hold",
        *shown,
        extra="lab",
        examples=(
            ("sparring claims", "for results/quick, where `sparring run` puts them"),
            ("sparring claims --json", "for a program"),
        ),
    )
    claims.add_argument("--markdown", action="store_true", help="print tables for a document")
    command(
        "report",
        "commands:report",
        "write one page with all results",
        *shown,
        extra="lab",
        examples=(("sparring report", "for results/quick, where `sparring run` puts them"),),
    )


def _add_league(
    command: Command,
    scale: argparse.ArgumentParser,
    speech: argparse.ArgumentParser,
) -> None:
    """The command that ranks learners."""
    runs = options.work("5, at full scale 10; with --suite few 20 and 200")
    parts = (scale, options.folder("results/league-SCALE or league-few-SCALE"), runs, speech)
    who = "which learner to run: one for each idea, or all, on all worlds"
    league = command(
        "league",
        "league:show_league",
        who,
        *parts,
        extra="lab",
        examples=(
            ("sparring league", "one learner for each idea on 16 worlds"),
            ("sparring league --suite few", "for 500 to 10,000 votes, and who names the winner"),
            ("sparring league --worlds seasons bought", "where tastes return; if votes are bought"),
            ("sparring league --data polls.csv:left,right", "also on a world of your own data"),
            ("sparring league --learner my_file:make", "also with a learner of your own"),
        ),
    )
    league.add_argument(
        "--all", action="store_true", help="all learners, not one for each idea (long worlds)"
    )
    league.add_argument(
        "--suite",
        choices=("long", "few"),
        default="long",
        help="16 long worlds, or 54 short ones with few votes (default: %(default)s)",
    )
    league.add_argument(
        "--T", type=whole, metavar="N", help="rounds of each world (default: 20,000, full 200,000)"
    )
    several: dict[str, Any] = {"action": "extend", "nargs": "+", "default": []}
    league.add_argument(
        "--data",
        **several,
        metavar="FILE[:COLUMNS]",
        help="also play on the world that a CSV file describes, such as polls.csv:left,right",
    )
    league.add_argument(
        "--only-data",
        **several,
        metavar="FILE[:COLUMNS]",
        help="the same, but on no other world; it is then ranked",
    )
    league.add_argument(
        "--worlds",
        **several,
        metavar="WORLD",
        help="only on these worlds, or on seasons and bought votes, which do not play otherwise; "
        "`sparring worlds --league` lists them",
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
        help="also your own: the function makes a learner from a Problem and a Generator",
    )


def _add_completion(command: Command, speech: argparse.ArgumentParser) -> None:
    """The command that helps typing."""
    completion = command(
        "completion",
        "completion:complete",
        "print a script for shell completion of commands, options and names",
        speech,
        extra="lab",
        examples=(
            (
                "sparring completion bash > ~/.local/share/bash-completion/completions/sparring",
                "",
            ),
            ("sparring completion zsh > ~/.zfunc/_sparring", "a folder of fpath"),
            ("sparring completion fish > ~/.config/fish/completions/sparring.fish", ""),
        ),
    )
    completion.add_argument("shell", choices=SHELLS, help="which shell")
