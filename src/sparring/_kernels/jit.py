"""How kernels are compiled: one set of flags, and a disk cache that notices every edit."""

import contextlib
import functools
import hashlib
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.caching import FunctionCache, IndexDataCacheFile
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

SOURCES = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))


class SealedFiles(IndexDataCacheFile):  # compiled: never runs with the JIT off
    """Files that begin with a digest of the rest: machine code with a flipped bit may crash."""

    def _dump(self, content: Any) -> bytes:
        data: bytes = super()._dump(content)
        return hashlib.sha256(data).digest() + data

    def _read(self, path: str) -> Any:
        data = Path(path).read_bytes()
        if hashlib.sha256(data[32:]).digest() != data[:32]:
            raise ValueError(f"{path} is damaged")
        return pickle.loads(data[32:])

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _load_index(self) -> dict[Any, str]:
        try:
            version, stamp, overloads = self._read(self._index_path)
        except FileNotFoundError:
            return {}
        fresh = (version, stamp) == (self._version, self._source_stamp)
        return overloads if fresh else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        with self._open_for_write(self._index_path) as file:
            file.write(self._dump((self._version, self._source_stamp, overloads)))


class KernelCache(FunctionCache):  # compiled: never runs with the JIT off
    """Machine code on disk that is never stale and never in the way.

    Numba's cache watches only the file that defines a kernel, so an edited helper in another file
    would go unnoticed and old machine code would run: here each kernel's stamp is the whole
    folder's. And a cache that is damaged or cannot be written must cost time only.
    """

    def __init__(self, function: Compiled) -> None:
        if not SOURCES:
            raise RuntimeError("no sources to stamp the machine code with, as in a zip file")
        super().__init__(function)
        stamp = hashlib.sha256(SOURCES).hexdigest()
        self._cache_file = SealedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The machine code, or None to have it compiled anew."""
        try:
            return super().load_overload(signature, target)
        except Exception:  # whatever a damaged file makes Numba raise
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, signature: Any, machine_code: Any) -> None:
        """Write it, if it can be written."""
        with contextlib.suppress(OSError):
            super().save_overload(signature, machine_code)


def kernel(function: Compiled) -> Compiled:
    """Compile a function that Python may call, and keep the machine code on disk."""
    compiled: Any = numba.njit(**FLAGS)(function)
    if not JIT_OFF:  # compiled: never runs with the JIT off
        try:
            compiled._cache = KernelCache(function)
        except RuntimeError:
            warn_of_no_cache()
    return compiled  # type: ignore[no-any-return]


@functools.cache  # once, and not for each kernel
def warn_of_no_cache() -> None:  # compiled: never runs with the JIT off
    """Say why every start is slow. It is no error, even where all warnings are."""
    with contextlib.suppress(RuntimeWarning):
        warnings.warn(
            "sparring cannot write its compiled code to disk, so every process compiles again, "
            "which takes seconds. Set NUMBA_CACHE_DIR to a folder that can be written",
            RuntimeWarning,
            stacklevel=3,
        )


def inline(function: Compiled) -> Compiled:
    """Compile a helper that exists only inside the kernels that call it."""
    compiled: Compiled = numba.njit(forceinline=True, **FLAGS)(function)
    return compiled
