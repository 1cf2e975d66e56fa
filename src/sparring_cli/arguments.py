"""What can be typed behind `sparring`; nothing is imported here that makes --help wait."""

import argparse
from importlib import metadata

SCALES = ("quick", "full")
EXAMPLES = """examples:
  sparring reproduce                      every panel in about a minute, figures, verdicts, a page
  sparring reproduce --scale full         the paper's sizes
  sparring run switching-vs-T --runs 20   one panel; what is there already is not played again
  sparring claims --json                  the verdicts, for a program
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
        description="Learn what people prefer, from duels, while tastes drift: the experiments.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action=Version, nargs=0, help="print the version")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, text: str, *parts: argparse.ArgumentParser) -> argparse.ArgumentParser:
        described = text[0].upper() + text[1:] + "."
        return commands.add_parser(
            name, help=text, description=described, parents=list(parts), allow_abbrev=False
        )

    speech, scale, folder, chosen, work = _speech(), _scale(), _folder(), _chosen(), _work()
    command("list", "what panels there are", scale, speech)
    run = command("run", "play panels into a folder of results", scale, folder, work, speech)
    run.add_argument("panels", nargs="+", metavar="PANEL", help="from `sparring list`, or all")
    plot = command("plot", "draw the figures of a folder", chosen, scale, folder, speech)
    plot.add_argument(
        "--formats", default="svg,pdf,png", help="which files to make (default: %(default)s)"
    )
    claims = command("claims", "what holds of what the paper says", chosen, scale, folder, speech)
    claims.add_argument("--markdown", action="store_true", help="print tables for a document")
    command("report", "one page of everything, to look at", chosen, scale, folder, speech)
    command("reproduce", "run, plot, claims and report in one", chosen, scale, folder, work, speech)
    return top


def _part() -> argparse.ArgumentParser:
    return argparse.ArgumentParser(add_help=False, allow_abbrev=False)


def _speech() -> argparse.ArgumentParser:
    part = _part()
    part.add_argument("--json", action="store_true", help="print JSON, for a program")
    part.add_argument("--quiet", action="store_true", help="print nothing but errors")
    return part


def _scale() -> argparse.ArgumentParser:
    part = _part()
    part.add_argument(
        "--scale", choices=SCALES, default="quick", help="how large (default: %(default)s)"
    )
    return part


def _folder() -> argparse.ArgumentParser:
    part = _part()
    part.add_argument("--out", metavar="DIR", help="folder of results (default: results/SCALE)")
    return part


def _chosen() -> argparse.ArgumentParser:
    part = _part()
    part.add_argument("panels", nargs="*", metavar="PANEL", help="only these (default: all)")
    return part


def _work() -> argparse.ArgumentParser:
    part = _part()
    part.add_argument("--runs", type=int, metavar="N", help="runs of each point (default: 10)")
    part.add_argument("--seed", type=int, default=0, metavar="N", help="(default: %(default)s)")
    where = part.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=int, metavar="N", help="threads (default: one a processor)")
    where.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler to do the jobs")
    return part
