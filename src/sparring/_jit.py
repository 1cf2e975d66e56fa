"""How kernels run: compiled where Numba is installed, else interpreted, from one text.

A family brings two functions, `choose` and `learn`; `rounds` puts `ask`, `tell` and `play` around
them, the same for all. Machine code allocates nothing, raises nothing and lets no signal handler
run, so what one call of it changes is changed at once.
"""

import contextlib
import functools
import hashlib
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Kernel = Callable[..., Any]

# Coverage is measured with the JIT off, and leaves out what is marked "compiled:" (pyproject.toml).

# Looked up before Numba is imported, which takes half a second.
SWITCHED_OFF = os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0")
numba: Any = None
if not SWITCHED_OFF:  # compiled: never runs with the JIT off
    with contextlib.suppress(ImportError):
        import numba
        from numba.core import event
        from numba.core.caching import CompileResultCacheImpl, FunctionCache
        from numba.extending import overload

        if numba.config.DISABLE_JIT:  # by Numba's own file of settings
            numba = None
JIT_OFF = numba is None

# error_model: a raising check on each division would keep every loop from vectorising.
# _nrt: no reference counts, which cost more than a whole round at K = 2. fastmath stays off: play,
# ask and tell and any block length must agree to the last bit.
FLAGS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False}

_asked = False
_compiled: dict[str, Any] = {}  # the kernels behind ask and tell, by name


def compile_from_now_on() -> None:
    """Let the kernels behind `ask` and `tell` be compiled, too, when they are called next."""
    global _asked
    _asked = True


@contextlib.contextmanager
def compiling() -> Iterator[None]:  # compiled: never runs with the JIT off
    """Meanwhile, let the kernels behind `ask` and `tell` be compiled."""
    global _asked
    before, _asked = _asked, True
    try:
        yield
    finally:
        _asked = before


@contextlib.contextmanager
def watched(changed: Callable[[bool], None]) -> Iterator[None]:
    """Meanwhile, call `changed` with True when Numba begins to compile and False when it ends."""
    if JIT_OFF:
        yield
        return
    depths: dict[int, int] = {}  # by thread; compiled: never runs with the JIT off

    class Compiling(event.Listener):
        def on_start(self, event: Any) -> None:
            here = threading.get_ident()
            depths[here] = depths.get(here, 0) + 1
            changed(True)

        def on_end(self, event: Any) -> None:
            here = threading.get_ident()
            depths[here] -= 1
            if not any(depths.values()):
                changed(False)

    with event.install_listener("numba:compile", Compiling()):
        yield


def ready() -> dict[str, str | None]:  # compiled: never runs with the JIT off
    """Which of the kernels behind `ask` and `tell` are machine code by now, and where on disk."""
    found = {name: it.stats.cache_path for name, it in _compiled.items() if it.overloads}
    return dict(sorted(found.items()))


def kernel(function: Kernel) -> Kernel:
    """A function that Python calls for many rounds at once: compiled when it is first called."""
    return function if JIT_OFF else _dispatcher(function)


def online(function: Kernel) -> Kernel:
    """A function that `ask` or `tell` call: compiled only if somebody asked for it.

    Compiling takes seconds, in which a service would answer nobody. Until `warm`, `play` or a
    simulation asked for it, machine code that is on disk is loaded, and else it is interpreted.
    """
    return function if JIT_OFF else _either(function)


def machine_code(kernel: Kernel) -> Kernel | None:
    """The machine code of a kernel, in which no signal handler runs; None if it is not ready."""
    compiled: Any = getattr(kernel, "compiled", kernel)
    return compiled if getattr(compiled, "overloads", None) else None


def inline(function: Kernel) -> Kernel:
    """A helper that in machine code exists only inside the kernels that call it."""
    return compiled_as(function)(function)


def outline(function: Kernel) -> Kernel:
    """A helper that stays a function of its own, for what happens so rarely that it may."""
    if not JIT_OFF:  # compiled: never runs with the JIT off
        _register(function, function, FLAGS)
    return function


def compiled_as(plain: Kernel) -> Callable[[Kernel], Kernel]:
    """Give the machine code of `plain`: that of the function below, inlined where it is called."""

    def register(compiled: Kernel) -> Kernel:
        if not JIT_OFF:  # compiled: never runs with the JIT off
            _register(plain, compiled, {"forceinline": True, **FLAGS})
        return compiled

    return register


class Rounds(NamedTuple):
    """The kernels of a family."""

    ask: Kernel
    tell: Kernel
    play: Kernel


ASKED, ROW, COL, TOLD, LEARNT = range(5)
"""The clock: the latest round asked and its arms, the round told last, the answers learnt."""

PLAYED = -1
"""Instead of the row arm, if the latest rounds were played."""

choose: Any = None  # of a family: in the copies of the functions below, `rounds` sets all four
learn: Any = None
Memory: Any = None
Numbers: Any = None


def rounds(choose: Kernel, learn: Kernel, memory: type[Any], numbers: type[Any]) -> Rounds:
    """The kernels of a family, around its rule.

    Parameters
    ----------
    choose
        choose(r, note, m, n) -> (row, col), for row r of this call: round r of a block, from 0, or 0
        in `ask`; it fills the note with what the answer will need.
    learn
        learn(o, row, col, note, m, n), for the outcome o of a duel that was asked with this note.
    memory, numbers
        The named tuples m, of arrays that change, and n, of what tunes it.
    """
    # Copies of the three functions below with other globals. In closures the family's functions
    # would be no part of what Numba's cache goes by, and no later process would find its code.
    family = f"{choose.__module__.rpartition('.')[2]}.{choose.__qualname__}.{learn.__qualname__}"
    names = {"choose": choose, "learn": learn, "Memory": memory, "Numbers": numbers}
    made = []
    for text in (_ask, _tell, _play):
        clone = FunctionType(text.__code__, {**globals(), **names}, text.__name__[1:])
        clone.__module__, clone.__qualname__ = choose.__module__, f"{family}{text.__name__}"
        clone.__doc__ = text.__doc__
        made.append(clone)
    return Rounds(online(made[0]), online(made[1]), kernel(made[2]))


def _ask(clock, arrays, numbers, note, t):
    """Choose the pair of round t. That it is asked, and which, is written into the clock."""
    # Python hands the named tuples over as plain ones: naming them here is free, while passing
    # them on would take longer than a round.
    row, col = choose(0, note, Memory(*arrays), Numbers(*numbers))
    clock[ASKED] = t
    clock[ROW] = row
    clock[COL] = col


def _tell(clock, arrays, numbers, note, t, o, row, col):
    """Learn the outcome o of round t. That it is told is written into the clock."""
    learn(o, row, col, note, Memory(*arrays), Numbers(*numbers))
    clock[TOLD] = t
    clock[LEARNT] += 1


def _play(arrays, numbers, note, P, hold, coins, rows, cols):
    """Ask and tell for each coin; returns the rounds played, fewer if a chance is none."""
    m, n = Memory(*arrays), Numbers(*numbers)
    t = 0
    for part in range(hold.shape[0]):
        for _ in range(hold[part]):
            row, col = choose(t, note, m, n)
            rows[t] = row
            cols[t] = col
            chance = P[part, row, col]
            if not 0.0 <= chance <= 1.0:
                return t
            learn(1.0 if coins[t] < chance else 0.0, row, col, note, m, n)
            t += 1
    return t


# What needs Numba.


class _NotReadyError(Exception):
    """There is no machine code of a kernel yet, and nobody asked to have it compiled."""


def _either(function: Kernel) -> Kernel:  # compiled: never runs with the JIT off
    """The compiled form if it is ready or may be made, else the interpreted one."""
    compiled = _dispatcher(function)
    _compiled[f"{function.__module__.rpartition('.')[2]}.{function.__name__}"] = compiled
    cache = compiled._cache
    undecided = isinstance(cache, Cache)  # there is none where none can be written
    cache.may_compile = lambda: _asked

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        nonlocal undecided
        if compiled.overloads or _asked:
            return compiled(*arguments)
        if undecided and cache.begun:
            with contextlib.suppress(_NotReadyError):
                return compiled(*arguments)
        undecided = False  # for the rest of the process: what happens to the disk changes no bit
        return function(*arguments)

    run.compiled = compiled  # type: ignore[attr-defined]
    return run


def _dispatcher(function: Kernel) -> Any:  # compiled: never runs with the JIT off
    """Numba's form of a kernel, which compiles when it is first called, or reads from disk."""
    compiled = numba.njit(**FLAGS)(function)
    stamp = _stamp(function.__module__)
    try:
        compiled._cache = Cache(function, stamp)
    except RuntimeError:
        _warn_of_no_cache()
    return compiled


def _register(plain: Kernel, compiled: Kernel, options: Any) -> None:
    """Have kernels that call `plain` run the machine code of `compiled` instead."""

    @overload(plain, jit_options=options, strict=False)  # compiled: never runs with the JIT off
    def choose(*_: Any) -> Kernel:
        return compiled


@functools.cache
def _stamp(module: str) -> str:  # compiled: never runs with the JIT off
    """A digest of all that the machine code of a module may come from; empty if it has no file.

    That is its folder and what stands at the top of the package: tests/test_kernel_files.py holds
    the package to it. Of modules elsewhere it is the file alone, as in Numba's own cache.
    """
    path, here = getattr(sys.modules.get(module), "__file__", None), Path(__file__).parent
    if path is None or not Path(path).exists():
        return ""
    own = Path(path).parent
    files = {*here.glob("_*.py"), *(own.glob("*.py") if here in own.parents else [Path(path)])}
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(file.name.encode() + file.read_bytes())
    return found.hexdigest()


@functools.cache  # once, and not for each kernel
def _warn_of_no_cache() -> None:
    """Say why every start is slow. It is no error, even where all warnings are."""
    with contextlib.suppress(RuntimeWarning):
        warnings.warn(
            "sparring cannot write its compiled code to disk, so every process compiles again, "
            "which takes seconds. Set NUMBA_CACHE_DIR to a folder that can be written",
            RuntimeWarning,
            stacklevel=4,
        )


if not JIT_OFF:  # compiled: never runs with the JIT off

    class Readable:
        """A place for machine code that need not be writable if there is some, as in an image."""

        def ensure_cache_path(self) -> None:
            """Raise OSError where nothing can be written and nothing read."""
            locator: Any = super()
            try:
                locator.ensure_cache_path()
            except OSError:
                if not any(Path(locator.get_cache_path()).glob("*.nbi")):
                    raise

    class Places(CompileResultCacheImpl):
        """Numba's places for machine code, where those that cannot be written are read."""

        _locator_classes: ClassVar[list[Any]] = [  # type: ignore[misc]
            type(place.__name__, (Readable, place), {})
            for place in CompileResultCacheImpl._locator_classes
        ]

    class Cache(FunctionCache):
        """Numba's cache with our stamp; one that is damaged or cannot be written costs time only.

        Numba's own stamp is of the file that defines a kernel, so an edited helper elsewhere would
        go unnoticed and old machine code would run.
        """

        _impl_class = Places

        def __init__(self, function: Kernel, stamp: str) -> None:
            if not stamp:
                raise RuntimeError("no sources to stamp the machine code with, as in a zip file")
            super().__init__(function)
            self._cache_file._source_stamp = stamp
            self.may_compile: Callable[[], bool] = lambda: True

        @property
        def begun(self) -> bool:
            """Whether there is anything on disk: to look takes microseconds, to start 0.3 s."""
            return Path(self._cache_file._index_path).exists()

        def load_overload(self, signature: Any, target: Any) -> Any:
            """The machine code, or None to have it compiled anew."""
            found = None
            try:
                found = super().load_overload(signature, target)
            except Exception:  # whatever a damaged file makes Numba raise
                with contextlib.suppress(OSError):
                    self.flush()
            if found is None and not self.may_compile():
                raise _NotReadyError
            return found

        def save_overload(self, signature: Any, code: Any) -> None:
            """Write it, if it can be written."""
            with contextlib.suppress(OSError):
                super().save_overload(signature, code)
