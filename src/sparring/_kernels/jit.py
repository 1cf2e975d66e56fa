"""How kernels run: compiled where Numba is installed, else interpreted, from one text."""

import functools
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Kernel = Callable[..., Any]


def _compiler() -> Any:
    """The module that compiles; None without Numba or with its JIT switched off."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return None  # without importing it, which takes half a second
    try:  # compiled: never runs with the JIT off
        from sparring._kernels import machine_code
    except ImportError:
        return None
    return None if machine_code.OFF else machine_code  # compiled: neither


COMPILER = _compiler()
JIT_OFF = COMPILER is None

_asked = False


def compile_from_now_on() -> None:
    """Let the kernels behind `ask` and `tell` be compiled, too, when they are called next."""
    global _asked
    _asked = True


def kernel(function: Kernel) -> Kernel:
    """A function that Python calls for many rounds at once: compiled when it is first called."""
    return function if JIT_OFF else COMPILER.dispatcher(function)


def online(function: Kernel) -> Kernel:
    """A function that `ask` or `tell` call: compiled only if somebody asked for it.

    Compiling takes seconds, in which a service would answer nobody. Until `warm`, `play` or a
    simulation asked for it, machine code that is on disk is loaded, and else it is interpreted.
    """
    if JIT_OFF:
        return function
    return _either(function, COMPILER.dispatcher(function))  # compiled: never with the JIT off


def _either(function: Kernel, compiled: Any) -> Kernel:  # compiled: never runs with the JIT off
    """The compiled form if it is ready or may be made, else the interpreted one."""
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
