"""The only maker of random generators, and how their state goes to JSON and back."""

import hashlib
import zlib
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence

from sparring import checks

# Marks the streams of learners, lest learner and world draw the same numbers from the same int.
LEARNER = zlib.crc32(b"learner")

LARGEST_SEED = 2**16  # bits

Seed = int | SeedSequence | Generator | None

BIT_GENERATORS = {
    kind.__name__: kind
    for kind in (
        np.random.PCG64,
        np.random.PCG64DXSM,
        np.random.MT19937,
        np.random.Philox,
        np.random.SFC64,
    )
}


def seed_sequence(seed: Seed = None) -> SeedSequence | None:
    """The seed of a run, fresh if not given; None for a Generator, which may have been used."""
    if seed is None or isinstance(seed, SeedSequence):
        seed = seed or SeedSequence()
        _check_size(seed.entropy, seed.pool_size)
        return seed
    if isinstance(seed, Generator):
        return None
    remedy = "A SeedSequence, a numpy Generator or None will do too"
    seed = checks.whole("seed", seed, low=0, remedy=remedy)
    _check_size(seed, 4)
    return SeedSequence(seed, spawn_key=(LEARNER,))


def generator(seed: Seed = None) -> Generator:
    """A learner's generator from an int, a SeedSequence or None; a Generator is used as it is.

    Examples
    --------
    >>> generator(7).random() == generator(7).random() != np.random.default_rng(7).random()
    True
    """
    return seed if isinstance(seed, Generator) else Generator(np.random.PCG64(seed_sequence(seed)))


def keyed(
    seed: int, purpose: str, *, experiment: str, K: int, T: int, run: int, label: str = ""
) -> Generator:
    """The random stream for one purpose in one run, named by the purpose and never by a position.

    So adding an entrant, a run or a worker changes no number of this stream.

    Examples
    --------
    >>> run = {"experiment": "", "K": 10, "T": 1000, "run": 3}
    >>> keyed(0, "coins", **run).random() == keyed(0, "coins", **run).random()
    True
    """
    words = T >> 32, T & 0xFFFFFFFF  # T may need two, and then always has two
    key = (*_mark(experiment), K, *words, run, *_mark(purpose), *_mark(label))
    return Generator(np.random.PCG64(SeedSequence(seed, spawn_key=key)))


def _mark(name: str) -> tuple[int, ...]:
    """A name as four words, the same in every process, which Python's hash is not.

    A checksum of 32 bits would give two labels the same luck sooner or later.
    """
    digest = hashlib.sha256(name.encode()).digest()
    return tuple(int.from_bytes(digest[i : i + 4]) for i in range(0, 16, 4))


def seed_to_json(seed: SeedSequence | None) -> Any:
    """What a SeedSequence was made of."""
    if seed is None:
        return None
    return _encode({name: getattr(seed, name) for name in ("entropy", "spawn_key", "pool_size")})


def seed_from_json(fields: Any) -> SeedSequence | None:
    """The SeedSequence that `seed_to_json` described."""
    if fields is None:
        return None
    made_of = _decode(fields)
    _check_size(made_of["entropy"], made_of["pool_size"])
    return SeedSequence(**made_of)


def to_json(rng: Generator) -> dict[str, Any]:
    """The state of a generator; numbers as text, since other readers of JSON keep only 53 bits."""
    kind = type(rng.bit_generator).__name__
    if kind not in BIT_GENERATORS:
        remedy = "Only these can be saved and restored"
        raise checks.refuse(
            "the generator's kind", f"one of {sorted(BIT_GENERATORS)}", kind, remedy
        )
    return {"kind": kind, "state": _encode(rng.bit_generator.state)}


def from_json(fields: dict[str, Any]) -> Generator:
    """The generator that `to_json` described."""
    bit_generator = BIT_GENERATORS[fields["kind"]](0)
    state: Any = _decode(fields["state"])
    if fields["kind"] == "MT19937" and not 0 <= state["state"]["pos"] <= 624:
        # NumPy does not look, and would read beyond its own memory.
        raise checks.refuse("the generator's pos", "from 0 to 624", state["state"]["pos"])
    bit_generator.state = state
    return Generator(bit_generator)


def _check_size(entropy: Any, pool_size: int) -> None:
    """Refuse a large seed: it costs time in proportion to its square, and might be damaged."""
    if not 4 <= pool_size <= 1024:
        raise checks.refuse("the seed's pool_size", "from 4 to 1024", pool_size)
    words = [entropy] if isinstance(entropy, int) else np.ravel(entropy).tolist()
    bits = sum(word.bit_length() for word in words if isinstance(word, int))
    if bits > LARGEST_SEED:
        raise checks.refuse("the seed", f"at most {LARGEST_SEED:,} bits", checks.Shown(f"{bits:,}"))


def _encode(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _encode(item) for name, item in value.items()}
    if isinstance(value, (np.ndarray, list, tuple)):
        return [_encode(item) for item in value]
    return value if value is None or isinstance(value, str) else hex(value)


def _decode(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _decode(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_decode(item) for item in value]
    return int(value, 16) if isinstance(value, str) and value.startswith("0x") else value
