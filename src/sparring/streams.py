"""The only maker of random generators, and how their state goes to JSON and back."""

from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence

from sparring import checks

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


def generator(seed: Seed = None) -> Generator:
    """A generator from an int, a SeedSequence or a Generator, which is used as it is; None takes
    fresh entropy.

    Examples
    --------
    >>> generator(7).random() == generator(SeedSequence(7)).random()
    True
    """
    if isinstance(seed, Generator):
        return seed
    if not isinstance(seed, SeedSequence):
        if seed is not None:
            remedy = "A SeedSequence, a numpy Generator or None will do too"
            seed = checks.whole("seed", seed, low=0, remedy=remedy)
        seed = SeedSequence(seed)
    return Generator(np.random.PCG64(seed))


def seed_of(rng: Generator) -> SeedSequence | None:
    """The seed a generator started from, to repeat a run; None if it does not know."""
    seed = rng.bit_generator.seed_seq
    return seed if isinstance(seed, SeedSequence) else None


def to_json(rng: Generator) -> dict[str, Any]:
    """Kind, seed and state of a generator; numbers as text, since JSON elsewhere has 53 bits."""
    kind = type(rng.bit_generator).__name__
    if kind not in BIT_GENERATORS:
        remedy = "Only these can be saved and restored"
        raise checks.refuse(
            "the generator's kind", f"one of {sorted(BIT_GENERATORS)}", kind, remedy
        )
    seed = seed_of(rng)
    return {
        "kind": kind,
        "seed": None
        if seed is None
        else _encode({"entropy": seed.entropy, "spawn_key": seed.spawn_key}),
        "state": _encode(rng.bit_generator.state),
    }


def from_json(fields: dict[str, Any]) -> Generator:
    """The generator that `to_json` described."""
    seed = fields["seed"]
    if seed is not None:
        entropy, key = _decode(seed["entropy"]), _decode(seed["spawn_key"])
        seed = SeedSequence(entropy, spawn_key=key)
    bit_generator = BIT_GENERATORS[fields["kind"]](seed)
    state: Any = _decode(fields["state"])
    bit_generator.state = state
    return Generator(bit_generator)


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
