"""What `serve` does: it opens an arena to people, and says where and how."""

import argparse
import logging
import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sparring_cli import screen
from sparring_cli.outcome import Outcome

if TYPE_CHECKING:
    from sparring.web.config import ServiceConfig

PORTS = 20  # that are tried after the usual one, if no port was asked for
USUAL = 8000
STOP = 10  # seconds that replies may take when it is to end


class Opened(NamedTuple):
    """What was opened."""

    names: list[str]
    """Of the arenas."""
    made: bool
    """Whether an arena was made just now."""
    key: str | None
    """A new admin key, to be shown once."""


def serve(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """Open the arena, and serve it until somebody stops it."""
    missing = [name for name in ("fastapi", "uvicorn", "nh3") if find_spec(name) is None]
    if missing:
        raise ImportError(f"`serve` needs {missing[0]}: pip install 'sparring[serve]'")
    from sparring.web.config import ServiceConfig

    port, listening = _bound(options.host, options.port)
    with listening:
        config = ServiceConfig(
            address=options.address,
            host=options.host,
            port=port,
            public_url=options.public_url,
            proxy_hops=options.proxy_hops,
            origins=tuple(options.origin),
            open_board=options.open_board,
            private_hooks=options.private_hooks,
            workers=options.workers,
        )
        opened = _opened(options, is_local=config.is_local)
        if not (options.json or options.quiet):
            _greet(config.url, opened)
        _run(config, listening)
    return Outcome({"address": config.url, "arenas": opened.names}, lambda: None)


def _bound(host: str, port: int | None) -> tuple[int, socket.socket]:
    """A socket that listens; without a port asked for, on the first that is free."""
    wanted = range(USUAL, USUAL + PORTS) if port is None else [port]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in wanted:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
        except OSError as error:
            listening.close()
            if number == wanted[-1]:
                raise OSError(f"cannot listen on {host}, port {number}: {error.strerror}") from None
            continue
        return int(listening.getsockname()[1]), listening
    raise AssertionError("there is a last one")


def _opened(options: argparse.Namespace, *, is_local: bool) -> Opened:
    """Make or open the arena, and the first key."""
    from sparring.arena import Arena, StorageError, arenas
    from sparring.web.keys import Keys
    from sparring.web.listing import read_items

    items = None
    if options.items is not None:
        path = Path(options.items)
        is_csv = path.suffix.lower() not in (".json", ".jsonl", ".ndjson")
        items = read_items(path.read_text("utf-8-sig"), is_csv=is_csv)
        if len(items) < 2:
            raise ValueError(f"--items must have at least two items; {path} has one")
    try:
        known = arenas(options.address)
    except StorageError:
        if items is None:
            raise
        known = []
    if not is_local and not known:
        raise ValueError(
            f"--host must be 127.0.0.1 until there is a key; got {options.host}. Start it once "
            "without --host, and keep the admin link that it prints"
        )
    name = options.name
    made = items is not None and name not in known
    if items is not None and made:
        Arena(options.address, items, name=name, learner=options.learner).close()
    elif items is not None:
        _add_missing(options.address, name, items)
    names = arenas(options.address)
    if not names:
        raise ValueError("there is no arena yet: give --items FILE, with a line for each item")
    keys = Keys(options.address)
    try:
        is_first = not keys.all()
        if is_first and not is_local:
            raise ValueError(
                f"--host must be 127.0.0.1 until there is a key; got {options.host}. Start it once "
                "without --host, and keep the admin link that it prints"
            )
        key = keys.make("admin", "first")[1] if is_first or options.new_key else None
    finally:
        keys.close()
    return Opened(names, made, key)


def _add_missing(address: str, name: str, items: dict[str, dict[str, str] | None]) -> None:
    """Add what a file has and the arena had never; what was edited or withdrawn here stays so."""
    from sparring.arena import Arena

    with Arena(address, name=name) as arena:
        known = {item.name for item in arena.items()}
        for item, content in items.items():
            if item not in known:
                arena.add(item, content=content)


def _greet(url: str, opened: Opened) -> None:
    """Say where it is, and what to do next; at once, as it then serves for a long time."""
    from urllib.parse import quote

    first = quote(opened.names[0], safe="")
    screen.line(f"Vote:   {url}/a/{first}")
    screen.line(f"Look:   {url}/a/{first}/board")
    if opened.key is not None:
        screen.line(f"Run it: {url}/admin#key={opened.key}")
        screen.line("        This link is shown only now. Keep it: it lets you do everything.")
    else:
        screen.line(f"Run it: {url}/admin, with an admin key; --new-key makes another")
    if len(opened.names) > 1:
        screen.line(f"Arenas: {', '.join(opened.names)}")
    what = "send people the first link, and watch the second" if opened.made else "go on voting"
    screen.line(f"Next:   {what}. Stop with Ctrl-C; nothing is lost.")


def _run(config: "ServiceConfig", listening: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT; then finish what was begun, and save the state."""
    import uvicorn

    from sparring.web.app import ENVIRONMENT, create_app

    logging.getLogger("sparring.web").setLevel(logging.WARNING)
    shared: dict[str, Any] = {
        "log_level": "warning",
        "access_log": False,
        "proxy_headers": False,  # the service itself knows whom to believe
        "server_header": False,
        "limit_concurrency": config.limits.connections,
        "timeout_graceful_shutdown": STOP,
    }
    if config.workers == 1:
        server = uvicorn.Server(uvicorn.Config(create_app(config), **shared))
        with suppress(KeyboardInterrupt):  # raised again when all has ended
            server.run(sockets=[listening])
        return
    os.environ[ENVIRONMENT] = config.to_json()
    uvicorn.run(
        "sparring.web.app:from_environment",
        factory=True,
        fd=listening.fileno(),
        workers=config.workers,
        **shared,
    )
