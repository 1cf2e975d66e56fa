"""The command `sparring`, beside the package: importing that takes longer than --help may."""

import sys
from collections.abc import Sequence

from sparring_cli.arguments import parser

__all__ = ["main"]

INTERRUPTED = 130  # what shells expect of a program that SIGINT ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; what a program should return to the shell."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser().parse_args(given)
    try:
        from sparring_cli import commands  # only now: this takes a third of a second

        commands.run(options, ["sparring", *given])
    except KeyboardInterrupt:
        print(
            "sparring: interrupted; what was finished is kept. Start again",
            file=sys.stderr,
        )
        return INTERRUPTED
    except BrokenPipeError:  # of `sparring list | head`
        sys.stderr.close()
        return 1
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        print(f"sparring: {error}", file=sys.stderr)
        return 1
    return 0
