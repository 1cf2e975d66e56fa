"""How kernels run: compiled where Numba is installed, else interpreted, from one text."""

import contextlib
import functools
import os
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Kernel = Callable[..., Any]

# Looked up before Numba is imported, which takes half a second.
SWITCHED_OFF = os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0")
COMPILER: Any = None
if not SWITCHED_OFF:  # compiled: never runs with the JIT off
    with contextlib.suppress(ImportError):
        COMPILER = import_module("sparring._kernels.machine_code")
JIT_OFF = COMPILER is None

_asked = False
_compiled: dict[str, Any] = {}  # of the kernels behind ask and tell, by name


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
    with COMPILER.watched(changed):  # compiled: never runs with the JIT off
        yield


def ready() -> dict[str, str | None]:  # compiled: never runs with the JIT off
    """Which of the kernels behind `ask` and `tell` are machine code by now, and where on disk."""
    found = {name: it.stats.cache_path for name, it in _compiled.items() if it.overloads}
    return dict(sorted(found.items()))


def kernel(function: Kernel) -> Kernel:
    """A function that Python calls for many rounds at once: compiled when it is first called."""
    return function if JIT_OFF else COMPILER.dispatcher(function)


def online(function: Kernel) -> Kernel:
    """A function that `ask` or `tell` call: compiled only if somebody asked for it.

    Compiling takes seconds, in which a service would answer nobody. Until `warm`, `play` or a
    simulation asked for it, machine code that is on disk is loaded, and else it is interpreted.
    """
    return function if JIT_OFF else _either(function)


def _either(function: Kernel) -> Kernel:  # compiled: never runs with the JIT off
    """The compiled form if it is ready or may be made, else the interpreted one."""
    compiled = COMPILER.dispatcher(function)
    _compiled[f"{function.__module__.rpartition('.')[2]}.{function.__name__}"] = compiled
    cache = compiled._cache
    undecided = isinstance(cache, COMPILER.KernelCache)  # there is none where none can be written
    cache.may_compile = lambda: _asked

    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        nonlocal undecided
        if compiled.overloads or _asked:
            return compiled(*arguments)
        if undecided and cache.begun:
            try:
                return compiled(*arguments)
            except COMPILER.NotReadyError:
                pass
        undecided = False  # for the rest of the process: what happens to the disk changes no bit
        return function(*arguments)

    run.compiled = compiled  # type: ignore[attr-defined]
    return run


def inline(function: Kernel) -> Kernel:
    """A helper that in machine code exists only inside the kernels that call it."""
    return compiled_as(function)(function)


def outline(function: Kernel) -> Kernel:
    """A helper that stays a function of its own, for what happens so rarely that it may."""
    if not JIT_OFF:  # compiled: never runs with the JIT off
        COMPILER.register(function, function, inlined=False)
    return function


def compiled_as(plain: Kernel) -> Callable[[Kernel], Kernel]:
    """Give the machine code of `plain`: that of the function below, inlined where it is called."""

    def register(compiled: Kernel) -> Kernel:
        if not JIT_OFF:  # compiled: never runs with the JIT off
            COMPILER.register(plain, compiled, inlined=True)
        return compiled

    return register
