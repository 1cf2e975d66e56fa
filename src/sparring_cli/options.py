"""Options that several commands share; imports nothing that would slow down --help."""

import argparse
import csv

SCALES = ("quick", "full")


def add_runs(command: argparse.ArgumentParser, runs: int) -> None:
    """How many runs to measure, and their seed."""
    many = "runs to measure (default: %(default)s)"
    command.add_argument("--runs", type=whole, default=runs, metavar="N", help=many)
    command.add_argument(
        "--seed", type=whole, default=0, metavar="N", help="(default: %(default)s)"
    )


def whole(text: str) -> int:
    """A whole number, which may be written like 1e6 or 1,000,000."""
    text = text.replace(",", "")
    number = float(text)
    if not number.is_integer():
        raise ValueError
    return int(text) if text.isdecimal() else int(number)


whole.__name__ = "whole number"  # what argparse calls it when it complains


def names(text: str) -> list[str]:
    """Names with commas between them; one that has a comma itself stands in double quotes."""
    try:
        found = [
            name.strip()
            for name in next(csv.reader([text], skipinitialspace=True, strict=True), [])
        ]
    except csv.Error:
        raise ValueError from None
    if not all(found):
        raise ValueError
    return found


names.__name__ = "list of names"


def part() -> argparse.ArgumentParser:
    """A parser of options for other parsers to include."""
    return argparse.ArgumentParser(add_help=False, allow_abbrev=False)


def speech() -> argparse.ArgumentParser:
    """Whether it prints for a person, for a program, or not at all."""
    found = part()
    found.add_argument("--json", action="store_true", help="print JSON, for a program")
    found.add_argument("--quiet", action="store_true", help="print nothing but errors")
    return found


def scale() -> argparse.ArgumentParser:
    """Which scale."""
    found = part()
    found.add_argument(
        "--scale", choices=SCALES, default="quick", help="how large (default: %(default)s)"
    )
    return found


def folder(default: str = "results/SCALE") -> argparse.ArgumentParser:
    """Where results are."""
    found = part()
    found.add_argument("--out", metavar="DIR", help=f"folder of results (default: {default})")
    return found


def chosen() -> argparse.ArgumentParser:
    """Which panels."""
    found = part()
    found.add_argument("panels", nargs="*", metavar="PANEL", help="only these (default: all)")
    return found


def work(runs: str = "10") -> argparse.ArgumentParser:
    """How many runs, and where they are done."""
    found = part()
    found.add_argument(
        "--runs", type=whole, metavar="N", help=f"runs of each point (default: {runs})"
    )
    found.add_argument("--seed", type=whole, default=0, metavar="N", help="(default: %(default)s)")
    where = found.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=whole, metavar="N", help="threads (default: one a processor)")
    where.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler to do the jobs")
    return found
