"""The command `sparring`, outside the package, whose import would slow down --help."""

import io
import os
import sys
from collections.abc import Sequence

from sparring_cli.arguments import parser
from sparring_cli.greeting import greet
from sparring_cli.outcome import carry_out, clean
from sparring_cli.parsing import MISUSED

__all__ = ["main"]

INTERRUPTED = 130  # what shells expect of a program that SIGINT ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed, as by >&-
            setattr(sys, stream, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  as long as the process
    try:
        try:
            return _run(list(sys.argv[1:] if arguments is None else arguments))
        finally:
            sys.stdout.flush()  # while a failure can still be told
    except BrokenPipeError:  # of `sparring list | head`
        _silence()
        return 1
    except OSError as error:
        print(f"sparring: cannot print: {error.strerror}", file=sys.stderr)
        _silence()
        return 1


def _run(given: list[str]) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # not every terminal has a square root
    if not given:
        greet()
        return 0
    options = parser().parse(given)
    try:
        carry_out(options, ["sparring", *given])
    except KeyboardInterrupt as interrupt:
        plays = "panels" in options or "jobs" in options
        plays &= options.command != "votes-needed"  # which stores no runs
        kept = str(interrupt) or ("what was finished is kept; start again" if plays else "")
        print(clean(f"sparring: interrupted{kept and '; '}{kept}"), file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        print(clean(f"sparring: {error}"), file=sys.stderr)
        return MISUSED if _is_wrong_name(error) else 1
    return 0


def _is_wrong_name(error: Exception) -> bool:
    """Whether an unknown learner, world or panel was asked for."""
    if not isinstance(error, ValueError):
        return False
    from sparring.checks import UnknownNameError  # which then has been imported already

    return isinstance(error, UnknownNameError)


def _silence() -> None:
    """Let Python's last flush go nowhere, so that it does not complain again."""
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), sys.stdout.fileno())
