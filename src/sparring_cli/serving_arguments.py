"""The arguments of `serve`, `replay` and `warm`; nothing here slows down --help."""

import argparse

from sparring_cli.options import whole
from sparring_cli.parsing import Command


def add_serving(command: Command, speech: argparse.ArgumentParser) -> None:
    """The command that opens an arena to people."""
    people = "open an arena to people: a page to vote, a board, an API"
    serve = command(
        "serve",
        "serving:serve",
        people,
        speech,
        extra="serve",
        examples=(
            ("sparring serve --demo", "simulated voters whose taste changes; nothing is kept"),
            ("sparring serve prompts.db --items items.csv", "an arena of your own"),
            ("sparring serve prompts.db", "continue with it"),
        ),
    )
    serve.add_argument(
        "address", nargs="?", metavar="ADDRESS", help="the arena's file, or postgresql://..."
    )
    serve.add_argument(
        "--items",
        metavar="FILE",
        help="what to compare: .csv with the columns name, kind, text, url, alt, or .jsonl",
    )
    serve.add_argument("--name", default="arena", help="name of the arena (default: %(default)s)")
    serve.add_argument(
        "--learner",
        metavar="LEARNER",
        help="learner of a new arena (default: tracker); tracker also replaces one that went",
    )
    serve.add_argument(
        "--host", default="127.0.0.1", help="where to listen (default: %(default)s, this machine)"
    )
    serve.add_argument(
        "--port",
        type=whole,
        metavar="N",
        help="port to listen on (default: the first free one from 8000)",
    )
    serve.add_argument(
        "--public-url", metavar="URL", help="address at which people reach it, if behind a proxy"
    )
    serve.add_argument(
        "--proxy-hops",
        type=whole,
        default=0,
        metavar="N",
        help="how many of your own proxies are in front (default: %(default)s)",
    )
    serve.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="URL",
        help="a site that may show the arena in a frame and call it; may be repeated",
    )
    serve.add_argument(
        "--media-origin",
        action="append",
        default=[],
        metavar="URL",
        help="a site from which pictures, sounds and films may come; may be repeated, and is kept",
    )
    serve.add_argument("--open-board", action="store_true", help="let everyone see the board")
    serve.add_argument(
        "--demo",
        action="store_true",
        help="play with simulated voters whose taste changes; without ADDRESS nothing is kept",
    )
    serve.add_argument(
        "--prepare", action="store_true", help="make the arena and the first key, but do not serve"
    )
    serve.add_argument("--new-key", action="store_true", help="make another admin key and show it")
    serve.add_argument(
        "--private-hooks",
        action="store_true",
        help="allow webhooks to this machine and to private networks",
    )
    serve.add_argument(
        "--workers", type=whole, default=1, metavar="N", help="processes (default: %(default)s)"
    )


def add_replay(command: Command, speech: argparse.ArgumentParser) -> None:
    """The command that checks an arena."""
    replay = command(
        "replay",
        "arenas:replay",
        "replay the events of an arena, and compare with what it saved",
        speech,
        examples=(
            ("sparring replay prompts.db --check", "is its log intact, and its state right?"),
        ),
    )
    replay.add_argument("file", metavar="FILE", help="an arena's file, or postgresql://...")
    replay.add_argument(
        "--name", default="arena", help="which arena in the file (default: %(default)s)"
    )
    replay.add_argument("--check", action="store_true", help="fail if a checkpoint differs")


def add_warm(command: Command, speech: argparse.ArgumentParser) -> None:
    """The command that compiles ahead."""
    warm = command(
        "warm",
        "warming:warm",
        "compile ahead of time what a service needs, as in a container image",
        speech,
        extra="fast",
        examples=(
            ("sparring warm", "for tracker and all exponential weights"),
            ("sparring warm steady", "for one learner"),
        ),
    )
    warm.add_argument(
        "learners",
        nargs="*",
        metavar="LEARNER",
        help="from `sparring learners` (default: tracker and all exponential weights)",
    )
