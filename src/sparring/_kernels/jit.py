"""How kernels are compiled: one set of flags, and a disk cache that notices every edit."""

import hashlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Compiled = Callable[..., Any]

JIT_OFF = bool(getattr(numba.config, "DISABLE_JIT", False))

# error_model: a raising check on each division would keep every loop from vectorising.
# _nrt: no reference counts, which cost more than a whole round at K = 2; so a kernel allocates
# nothing and returns scalars only. fastmath stays off: play, ask/tell and any block length must
# agree to the last bit.
FLAGS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False}

# Numba's cache watches only the file that defines a kernel, so an edited helper in another file
# would go unnoticed and old machine code would run. Each kernel's stamp is the whole folder's.
SOURCES = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
).hexdigest()


def kernel(function: Compiled) -> Compiled:
    """Compile a function that Python may call, and keep the machine code on disk."""
    if JIT_OFF:
        return function
    return _cached(function)  # compiled: never runs with the JIT off


def _cached(function: Compiled) -> Compiled:  # compiled: never runs with the JIT off
    try:
        compiled: Any = numba.njit(cache=True, **FLAGS)(function)
    except RuntimeError:
        warnings.warn(
            "sparring compiles anew in every process, which takes seconds: no folder for its "
            "machine code can be written. Set NUMBA_CACHE_DIR to one that can",
            RuntimeWarning,
            stacklevel=2,
        )
        return numba.njit(**FLAGS)(function)  # type: ignore[no-any-return]
    compiled._cache._cache_file._source_stamp = SOURCES
    return compiled  # type: ignore[no-any-return]


def inline(function: Compiled) -> Compiled:
    """Compile a helper that exists only inside the kernels that call it."""
    compiled: Compiled = numba.njit(forceinline=True, **FLAGS)(function)
    return compiled
