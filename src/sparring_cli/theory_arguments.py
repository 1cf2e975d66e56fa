"""The arguments of `bounds`, `certify` and `coverage`; nothing here slows down --help."""

import argparse

from sparring_cli import options
from sparring_cli.options import whole
from sparring_cli.parsing import Command


def add_theory(
    command: Command,
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
    promised = "what the theorems promise, corrected and as printed"
    bounds = command(
        "bounds",
        "theory:show_bounds",
        promised,
        delta,
        speech,
        extra="lab",
        examples=(
            ("sparring bounds --K 10 --T 1e6 --S 10", "for each learner, and from which T on"),
            ("sparring bounds --K 10 --T 1e6 --S 10 --figure bounds.svg", "beside what it plays"),
        ),
    )
    bounds.add_argument("--K", type=whole, required=True, help="number of arms")
    bounds.add_argument("--T", type=whole, required=True, help="number of rounds, such as 1e6")
    bounds.add_argument("--S", type=whole, help="number of segments of the benchmark")
    bounds.add_argument("--V_T", type=float, metavar="V", help="largest continuous variation")
    bounds.add_argument(
        "--figure", metavar="FILE", help="draw bounds and measured regret over T: .svg, .pdf, .png"
    )
    options.add_runs(bounds, 10)
    at_most = "an upper bound on your regret, from a log of duels"
    certify = command(
        "certify",
        "theory:show_certificate",
        at_most,
        delta,
        speech,
        extra="lab",
        examples=(
            ("sparring certify duels.jsonl", "a line for each duel, as Duel.to_json writes it"),
            ("sparring certify duels.jsonl --segments 4", "against a winner that changes"),
        ),
    )
    certify.add_argument("file", metavar="FILE", help="a log: .csv, .parquet, .jsonl or .ndjson")
    certify.add_argument(
        "--beta",
        type=float,
        action="append",
        metavar="B",
        help="beta, fixed in advance; may be repeated (default: 24 values)",
    )
    certify.add_argument(
        "--only-answered",
        action="store_true",
        help="certify only answered duels of two different arms, assuming that whether a duel is "
        "answered has nothing to do with its arms or with who would have won",
    )
    certify.add_argument(
        "--gaps",
        action="store_true",
        help="allow missing rounds, if the reason why they are missing has nothing to do with "
        "their arms or with who would have won",
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
    failing = "measure how often the guarantees fail"
    coverage = command(
        "coverage",
        "theory:show_coverage",
        failing,
        scale,
        folder,
        speech,
        extra="lab",
        examples=(
            ("sparring coverage --runs 20", "a quick look"),
            ("sparring coverage", "in 400 runs"),
        ),
    )
    options.add_runs(coverage, 400)
