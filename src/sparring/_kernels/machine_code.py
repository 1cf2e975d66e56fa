"""What needs Numba: its flags, a disk cache that notices every edit, and two intrinsics."""

import contextlib
import functools
import hashlib
import inspect
import pickle
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import numba
from llvmlite import ir
from numba import types
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic, overload

if getattr(numba.config, "DISABLE_JIT", False):  # by its own file of settings
    raise ImportError("Numba's JIT is switched off")

# error_model: a raising check on each division would keep every loop from vectorising.
# _nrt: no reference counts, which cost more than a whole round at K = 2; so a kernel allocates
# nothing and returns scalars only. fastmath stays off: play, ask/tell and any block length must
# agree to the last bit.
FLAGS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False}

HERE = Path(__file__).parent
PACKAGE = HERE.parent


@functools.cache
def stamp(path: str) -> str:
    """A digest of all that a kernel of this file may call; empty in a zip file.

    That is this folder, the files beside it that begin with _, and the kernel's own folder, or its
    own file if that is not of the package.
    """
    own = Path(path)
    beside = own.parent.glob("*.py") if PACKAGE in own.parents else [own]
    files = sorted({*HERE.glob("*.py"), *PACKAGE.glob("_*.py"), *beside})
    sources = b"".join(file.read_bytes() for file in files if file.exists())
    return hashlib.sha256(sources).hexdigest() if sources else ""


class NotReadyError(Exception):
    """There is no machine code of a kernel yet, and nobody asked to have it compiled."""


@contextlib.contextmanager
def watched(changed: Callable[[bool], None]) -> Iterator[None]:
    """Call `changed` with True when compiling begins, and with False when all of it has ended."""
    depths: dict[int, int] = {}  # by thread

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


class SealedFiles(IndexDataCacheFile):
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


class Readable:
    """A place for machine code that need not be writable if ours is there, as in an image."""

    def __init__(self, function: Callable[..., Any], path: str) -> None:
        super().__init__(function, path)  # type: ignore[call-arg]
        self._stamp = stamp(path).encode()

    def ensure_cache_path(self) -> None:
        """Raise OSError where nothing can be written and nothing read."""
        locator: Any = super()
        try:
            locator.ensure_cache_path()
        except OSError:
            folder = Path(locator.get_cache_path())
            if not any(self._stamp in index.read_bytes() for index in folder.glob("*.nbi")):
                raise


class KernelPlaces(CompileResultCacheImpl):
    """Numba's places for machine code, where those that cannot be written are read."""

    _locator_classes: ClassVar[list[Any]] = [  # type: ignore[misc]
        type(place.__name__, (Readable, place), {})
        for place in CompileResultCacheImpl._locator_classes
    ]


class KernelCache(FunctionCache):
    """Machine code on disk that is never stale and never in the way.

    Numba's cache watches only the file that defines a kernel, so an edited helper in another file
    would go unnoticed and old machine code would run: here each kernel's stamp is of all files
    that it may call. And a cache that is damaged or cannot be written must cost time only.
    """

    _impl_class = KernelPlaces

    def __init__(self, function: Callable[..., Any]) -> None:
        sources = stamp(inspect.getfile(function))
        if not sources:
            raise RuntimeError("no sources to stamp the machine code with, as in a zip file")
        super().__init__(function)
        self._cache_file = SealedFiles(self._cache_path, self._impl.filename_base, sources)
        self.may_compile: Callable[[], bool] = lambda: True

    @property
    def begun(self) -> bool:
        """Whether there is anything on disk: looking takes microseconds, Numba's start 0.3 s."""
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
            raise NotReadyError
        return found

    def save_overload(self, signature: Any, machine_code: Any) -> None:
        """Write it, if it can be written."""
        with contextlib.suppress(OSError):
            super().save_overload(signature, machine_code)


def dispatcher(function: Callable[..., Any]) -> Any:
    """Numba's form of a kernel, which compiles when it is first called, or reads from disk."""
    compiled: Any = numba.njit(**FLAGS)(function)
    try:
        compiled._cache = KernelCache(function)
    except RuntimeError:
        warn_of_no_cache()
    return compiled


@functools.cache  # once, and not for each kernel
def warn_of_no_cache() -> None:
    """Say why every start is slow. It is no error, even where all warnings are."""
    with contextlib.suppress(RuntimeWarning):
        warnings.warn(
            "sparring cannot write its compiled code to disk, so every process compiles again, "
            "which takes seconds. Set NUMBA_CACHE_DIR to a folder that can be written",
            RuntimeWarning,
            stacklevel=4,
        )


def register(plain: Callable[..., Any], compiled: Callable[..., Any], *, inlined: bool) -> None:
    """Have kernels that call `plain` run the machine code of `compiled` instead."""
    options: Any = {"forceinline": True, **FLAGS} if inlined else FLAGS

    @overload(plain, jit_options=options, strict=False)
    def choose(*_: Any) -> Callable[..., Any]:
        return compiled


@intrinsic
def fma(typingctx, a, b, c):
    """a b + c, rounded once."""

    def codegen(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), codegen


def sum_of_lanes(lanes: int) -> Any:
    """An intrinsic: the sum of so many consecutive values, halves added pairwise.

    Written as vector code since Numba compiles without LLVM's SLP pass, which leaves lanes
    unrolled by hand scalar.
    """

    @intrinsic
    def sum_lanes(typingctx, values, start):
        def codegen(context, builder, signature, arguments):
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            vector = ir.VectorType(ir.DoubleType(), lanes).as_pointer()
            first = builder.bitcast(builder.gep(array.data, [arguments[1]]), vector)
            total = builder.load(first, align=8)
            width = lanes
            while width > 1:
                width //= 2
                half = ir.VectorType(ir.IntType(32), width)
                low = ir.Constant(half, list(range(width)))
                high = ir.Constant(half, list(range(width, 2 * width)))
                total = builder.fadd(
                    builder.shuffle_vector(total, total, low),
                    builder.shuffle_vector(total, total, high),
                )
            return builder.extract_element(total, ir.Constant(ir.IntType(32), 0))

        return types.float64(values, types.int64), codegen

    return sum_lanes


def extreme(sign: str) -> Any:
    """An intrinsic: the smaller ("<") or larger (">") of two numbers, as loops can vectorise it.

    LLVM must be told that there is no NaN and that 0 equals -0. As a minimum is exact in any
    order, no bit depends on that.
    """

    @intrinsic
    def pick(typingctx, a, b):
        def codegen(context, builder, signature, arguments):
            promise = ("nnan", "nsz")
            first = builder.fcmp_ordered(sign, *arguments, flags=promise)
            return builder.select(first, *arguments, flags=promise)

        return types.float64(types.float64, types.float64), codegen

    return pick
