"""What can be typed behind `sparring serve`; nothing is imported here that makes --help wait."""

import argparse
from collections.abc import Callable

from sparring_cli.options import whole


def add_serving(
    command: Callable[..., argparse.ArgumentParser], speech: argparse.ArgumentParser
) -> None:
    """The command that opens an arena to people."""
    people = "open an arena to people: a page to vote, a board, an API"
    serve = command("serve", "serving:serve", people, speech)
    serve.add_argument(
        "address", nargs="?", metavar="ADDRESS", help="the arena's file, or postgresql://..."
    )
    serve.add_argument(
        "--items",
        metavar="FILE",
        help="what to compare: .csv with the columns name, kind, text, url, alt, or .jsonl",
    )
    serve.add_argument("--name", default="arena", help="of the arena (default: %(default)s)")
    serve.add_argument("--learner", metavar="NAME", help="of a new arena (default: tracker)")
    serve.add_argument(
        "--host", default="127.0.0.1", help="where to listen (default: %(default)s, this machine)"
    )
    serve.add_argument("--port", type=whole, metavar="N", help="(default: the first from 8000 on)")
    serve.add_argument("--public-url", metavar="URL", help="how people reach it, behind a proxy")
    serve.add_argument(
        "--proxy-hops",
        type=whole,
        default=0,
        metavar="N",
        help="how many proxies in front are yours (default: %(default)s)",
    )
    serve.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="URL",
        help="a site that may show the arena in a frame and call it; may be repeated",
    )
    serve.add_argument("--open-board", action="store_true", help="let everybody look at the board")
    serve.add_argument(
        "--demo",
        action="store_true",
        help="play with simulated voters whose taste changes; without ADDRESS nothing is kept",
    )
    serve.add_argument(
        "--prepare", action="store_true", help="make the arena and the first key, and do not serve"
    )
    serve.add_argument("--new-key", action="store_true", help="make another admin key, and show it")
    serve.add_argument(
        "--private-hooks",
        action="store_true",
        help="let webhooks go to this machine and private networks",
    )
    serve.add_argument(
        "--workers", type=whole, default=1, metavar="N", help="processes (default: %(default)s)"
    )
