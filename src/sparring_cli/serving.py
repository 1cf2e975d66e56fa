"""What `serve` does: it opens an arena to people, and says where and how."""

import argparse
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring_cli.outcome import Outcome
from sparring_cli.serving_words import Opened, greet

if TYPE_CHECKING:
    from sparring.web.config import ServiceConfig

Items = dict[str, dict[str, str] | None]

PORTS = 20  # that are tried after the usual one, if no port was asked for
USUAL = 8000
STOP = 5  # seconds that replies may take when it is to end
DAY = 86_400  # seconds
LISTS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson")  # endings of lists, and of no database
MEMORY = "/dev/shm"  # where there is one: a folder that is on no disk


def serve(options: argparse.Namespace, command: Sequence[str]) -> Outcome:
    """Open the arena, and serve it until it is stopped."""
    if options.address is None and not options.demo:
        raise ValueError("ADDRESS is missing: give the arena's file, or try --demo")
    _demand_no_list(options.address)
    if options.workers > 1 and sys.platform == "win32":
        raise ValueError(
            f"--workers must be 1 on Windows; got {options.workers}. Processes cannot "
            "share a socket there: use WSL or a container"
        )
    is_passing = options.address is None
    with ExitStack() as at_end:
        if is_passing:
            folder = at_end.enter_context(_folder_of_the_demo())
            options.address = os.path.join(folder, "demo.db")
        if options.prepare:  # nobody listens: any port will do, and --port may be taken
            listening, port = None, USUAL if options.port is None else options.port
        else:
            port, listening = bound(options.host, options.port)
            at_end.enter_context(listening)
        config = _config(options, port)
        opened = _opened(options, is_local=config.is_local)
        if not (options.json or options.quiet) or (options.quiet and opened.key is not None):
            greet(config.url, opened, options, is_passing=is_passing)
        if listening is not None:
            if options.demo:
                at_end.enter_context(_simulated_voters(options.address))
            run(config, listening)
    found = {"address": config.url, "arenas": opened.names, "key": opened.key}
    return Outcome(found, lambda: None)


def _folder_of_the_demo() -> tempfile.TemporaryDirectory[str]:
    """A folder that vanishes with the demo; on Windows it stays if a virus scanner holds a file."""
    return tempfile.TemporaryDirectory(prefix="sparring-", ignore_cleanup_errors=True)


def _config(options: argparse.Namespace, port: int) -> "ServiceConfig":
    from sparring.web.config import ServiceConfig

    return ServiceConfig(
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


def bound(host: str, port: int | None) -> tuple[int, socket.socket]:
    """A listening socket, on the given port or on the first free one."""
    wanted = range(USUAL, USUAL + PORTS) if port is None else [port]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in wanted:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, _alone(), 1)
        try:
            listening.bind((host, number))
        except (OSError, OverflowError) as error:
            listening.close()
            if number == wanted[-1]:
                raise OSError(
                    f"cannot listen on {host}, port {number}: {error}. Give another --port"
                ) from None
            continue
        return int(listening.getsockname()[1]), listening
    raise AssertionError("there is a last one")


def _alone() -> int:
    """The socket option that frees a port at once after a restart, but never shares it.

    On Windows SO_REUSEADDR would let a second service listen where a first one does.
    """
    return int(getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR))


def _opened(options: argparse.Namespace, *, is_local: bool) -> Opened:
    """Make or open the arena, and the first key."""
    from sparring.arena import Arena, StorageError, arenas
    from sparring.web import demo
    from sparring.web.access import is_for_everybody
    from sparring.web.founding import fill_arena, found_arena

    try:
        known = arenas(options.address)
    except StorageError as error:
        if options.items is None and not options.demo:
            if not os.path.lexists(options.address) and "://" not in options.address:
                raise _no_arena(f" in {options.address}") from None
            # Here an arena is made of a file of items.
            raise StorageError(str(error).replace("arms=[...]", "--items FILE")) from None
        known = []
    media = _media(options, known)
    items = None if options.items is None else _read(Path(options.items), media)
    if not known and not is_local and not options.prepare:
        raise _too_open(options.host)
    made = items is not None and options.name not in known
    filled = None
    if items is not None and made:
        learner = options.learner
        found_arena(options.address, items, name=options.name, learner=learner, media=media)
    elif options.name in known:
        _demand_learner(options)
        if items is not None:
            filled = fill_arena(options.address, items, name=options.name)
    elif options.learner is not None:
        raise ValueError(
            f"--learner must come with --items, of which a new arena is made; got "
            f"{options.learner}, and there is no arena {options.name!r}"
        )
    if options.demo:
        demo.prepare(options.address).close()
    names = arenas(options.address)
    if not names:
        raise _no_arena("")
    usual = options.name if options.name in names else names[0]
    first = demo.NAME if options.demo else usual
    with Arena(options.address, name=first) as arena:
        is_open = options.open_board or is_for_everybody(arena.settings.page)
    key = _first_key(options, is_local=is_local)
    return Opened(names, made, key, filled, first, is_open)


def _media(options: argparse.Namespace, known: Sequence[str]) -> Sequence[str]:
    """The sites from which the arena's pictures, sounds and films may come."""
    from sparring.web.contents import checked_origin
    from sparring.web.founding import allow_media

    given = [checked_origin("--media-origin", one) for one in options.media_origin]
    if options.name in known:
        return allow_media(options.address, given, name=options.name)
    if given and options.items is None:
        raise ValueError(
            f"--media-origin must be for an arena that is there; got {given[0]}, and there is no "
            f"arena {options.name!r}. Make it with --items FILE, or name another with --name"
        )
    return given


def _demand_no_list(address: str | None) -> None:
    """Refuse a list of items where the arena's own file belongs."""
    if address is not None and Path(address).suffix.lower() in LISTS:
        raise ValueError(
            f"ADDRESS must be the arena's own file, such as arena.db; got {address}. A list of "
            f"items comes after --items: sparring serve arena.db --items {address}"
        )


def _no_arena(where: str) -> ValueError:
    return ValueError(
        f"there is no arena{where} yet: give --items FILE, a table with the columns name and text, "
        "or try --demo"
    )


def _demand_learner(options: argparse.Namespace) -> None:
    """Refuse a learner other than the arena's own, unless that went and is replaced."""
    if options.learner is None:
        return
    from sparring.arena import Arena
    from sparring.arena.state import INSTEAD
    from sparring.learners.snapshots import GONE

    with Arena(options.address, name=options.name) as arena:
        made_with = arena.learner
    if made_with in GONE and options.learner == INSTEAD:
        Arena(options.address, name=options.name, learner=INSTEAD).close()  # which moves it
    elif options.learner != made_with:
        raise ValueError(
            f"--learner must be {made_with}, which the arena {options.name!r} was made "
            f"with; got {options.learner}. Only a new arena can choose: leave the option out, "
            "or make another arena with --name"
        )


def _first_key(options: argparse.Namespace, *, is_local: bool) -> str | None:
    """A new admin key, if there is none yet or another was asked for."""
    from sparring.web.keys import Keys

    keys = Keys(options.address)
    try:
        is_first = not keys.all()
        if is_first and not is_local and not options.prepare:
            raise _too_open(options.host)
        label = "first" if is_first else "another"
        return keys.make("admin", label)[1] if is_first or options.new_key else None
    finally:
        keys.close()


def _too_open(host: str) -> ValueError:
    return ValueError(
        f"--host must be 127.0.0.1 until there is a key; got {host}. Start it once with --prepare, "
        "and keep the admin link that it prints"
    )


def _read(path: Path, media: Sequence[str]) -> Items:
    """The items of a file."""
    from sparring.tables.kinds import no_file
    from sparring.web.listing import read_items

    is_csv = path.suffix.lower() not in (".json", ".jsonl", ".ndjson")
    try:
        items = read_items(path.read_text("utf-8-sig"), is_csv=is_csv, origins=media)
    except (FileNotFoundError, IsADirectoryError):  # whatever else can be read will do: a pipe, too
        raise ValueError(
            f"{no_file(path)}. Items are a table with the columns name and text"
        ) from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text in UTF-8: save it as CSV in UTF-8") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if len(items) < 2:
        raise ValueError(f"--items must have at least two items; {path} has one")
    return items


@contextmanager
def _simulated_voters(address: str) -> Iterator[None]:
    """Simulated people who vote while the block runs, on the same database."""
    from sparring.web import demo

    stop = threading.Event()
    with demo.prepare(address) as arena:
        thread = threading.Thread(target=demo.run_voters, args=(arena, stop))
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def run(config: "ServiceConfig", listening: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT; then finish what was begun, and save the state."""
    import uvicorn

    from sparring.web.app import app_of_a_process

    with suppress(KeyboardInterrupt):  # raised again when all has ended
        if config.workers == 1:
            server = uvicorn.Server(uvicorn.Config(app_of_a_process(config), **_served(config)))
            server.run(sockets=[listening])
        else:
            _run_many(config, listening)


def _run_many(config: "ServiceConfig", listening: socket.socket) -> None:
    """Serve with several processes, which share their counts in a temporary folder."""
    import uvicorn

    from sparring.web.app import ENVIRONMENT
    from sparring.web.metrics import SHARED

    in_memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="sparring-", dir=in_memory) as shared:
        os.environ[SHARED] = shared
        os.environ[ENVIRONMENT] = replace(config, shared=shared).to_json()
        uvicorn.run(
            "sparring.web.app:from_environment",
            factory=True,
            fd=listening.fileno(),
            workers=config.workers,
            **_served(config),
        )


def _served(config: "ServiceConfig") -> dict[str, Any]:
    """How uvicorn serves."""
    from sparring.web.connections import BACKLOG, Connections, fitting, open_files

    return {
        "http": Connections(
            fitting(config.limits.connections, open_files()), by_address=config.proxy_hops == 0
        ),
        "ws": "none",
        "log_level": "warning",
        "access_log": False,
        "proxy_headers": False,  # the service itself knows whom to believe
        "server_header": False,
        "backlog": BACKLOG,
        "timeout_keep_alive": DAY,  # the connections have a shorter patience of their own
        "timeout_graceful_shutdown": STOP,
    }
