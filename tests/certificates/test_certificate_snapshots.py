"""Snapshots of certificates: they go on bit for bit, and damage is noticed."""

import copy
import json
import math
import pickle

import numpy as np
import pytest

import sparring
from logged_duels import assert_same, certified, logged, tokens
from sparring.certificates import Certificate

pytestmark = pytest.mark.compiled


THROUGH = {
    "json": lambda it: Certificate.from_snapshot(json.loads(json.dumps(it.snapshot()))),
    "pickle": lambda it: pickle.loads(pickle.dumps(it)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.mark.parametrize("beta", [None, 0.01, (0.5, 0.01)], ids=str)
@pytest.mark.parametrize("through", THROUGH)
def test_a_restored_certificate_goes_on_bit_for_bit(through, beta, rng):
    """Also with an arm that could not be drawn, whose sums are infinite; the two are apart."""
    rows, cols, outcomes, p = logged(3, 120, rng)
    p[40, 0] = [0, 0.25, 0.75]
    rows[40] = 2
    duels = list(tokens(rows, cols, outcomes, p))
    certificate = Certificate(3, 0.01, beta)
    for duel, outcome in duels[:60]:
        certificate.add(duel, outcome)
    certificate.cut()
    certificate.add(*duels[60])
    again = THROUGH[through](certificate)
    assert_same(certificate, again)
    before = certificate.snapshot()
    for duel, outcome in duels[60:]:
        again.add(duel, outcome)
    again.cut()
    assert certificate.snapshot() == before
    for duel, outcome in duels[60:]:
        certificate.add(duel, outcome)
    certificate.cut()
    assert_same(certificate, again)


def test_a_certificate_of_no_duel_can_be_saved():
    assert_same(Certificate(5), THROUGH["json"](Certificate(5)))


SAVED = certified(logged(3, 60, np.random.default_rng(3)), 3).snapshot()
FIELDS = sorted(SAVED.keys() - {"release"})


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [None, [], {}, -1, "x", ...], ids=str)
def test_every_field_missing_or_replaced_is_noticed(field, value):
    damaged = {name: part for name, part in SAVED.items() if name != field}
    if value is not ...:
        damaged[field] = value
    Certificate.from_snapshot(SAVED)
    with pytest.raises(sparring.SnapshotError) as error:
        Certificate.from_snapshot(damaged)
    if field not in ("format", "version", "kind", "digest"):
        assert repr(field) in str(error.value)


def nudged(value):
    """A value of the same kind that is another in one place."""
    if isinstance(value, list):
        return [*value[:-1], nudged(value[-1])]
    if isinstance(value, float):
        return math.nextafter(value, math.inf)
    return value + 1 if isinstance(value, int) else value + "x"


@pytest.mark.parametrize("field", FIELDS)
def test_a_last_digit_changed_in_any_field_is_noticed(field):
    with pytest.raises(sparring.SnapshotError):
        Certificate.from_snapshot({**SAVED, field: nudged(SAVED[field])})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("delta", 0.0),
        ("delta", 2.0),
        ("delta", math.nan),
        ("betas", [0.0]),
        ("betas", [0.1, math.nan]),
        ("rounds", 1.5),
        ("segments", 0),
        ("wins", [math.nan] * 3),
        ("wins", [0.0] * 2),
        ("wins", ["a"] * 3),
        ("charges", [[0.0] * 3] * 23),
        ("closed", [[0.0]] * 24),
        ("estimate", [[0.0], [0.0, 1.0], []]),
        ("K", 1),
        ("K", 2**31),
        ("K", 150_000_000),
    ],
)
def test_impossible_values_are_refused_with_the_name_of_the_field(field, value):
    """And without filling the memory first."""
    with pytest.raises(sparring.SnapshotError, match=f"field '{field}' is damaged"):
        Certificate.from_snapshot({**SAVED, field: value})


def test_snapshots_of_others_are_refused():
    for other in (None, [], {}, json.dumps(SAVED), sparring.rand(3, seed=1).snapshot()):
        with pytest.raises(sparring.SnapshotError):
            Certificate.from_snapshot(other)
    with pytest.raises(sparring.SnapshotError):
        sparring.restore(SAVED)
    with pytest.raises(sparring.SnapshotError, match="colour"):
        Certificate.from_snapshot({**SAVED, "colour": "red"})
    assert Certificate.from_snapshot({**SAVED, "release": "0.0.9"}).rounds == 60
