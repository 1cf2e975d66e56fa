"""What all tests share: one seeded source of worlds, and hypothesis without luck."""

import itertools

import hypothesis
import numpy as np
import pytest

import postgres
from sparring._jit import JIT_OFF, compile_from_now_on

# Derandomised: the same examples in every run, so that a red test is red for everybody.
# Nothing is too slow: a busy machine says nothing about a test.
hypothesis.settings.register_profile(
    "sparring",
    derandomize=True,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("sparring")

compile_from_now_on()  # what is tested is the machine code, of asking and telling as well


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)
    if JIT_OFF:
        skip = pytest.mark.skip(reason="needs compiled kernels, and the JIT is off")
        for item in items:
            if item.get_closest_marker("compiled"):
                item.add_marker(skip)


@pytest.fixture
def rng():
    return np.random.default_rng(20220717)


NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def server():
    with _cluster() as found:
        yield found.address


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request, tmp_path):
    """Where an arena can be made."""
    if request.param == "sqlite":
        return str(tmp_path / "arena.db")
    return _new_database(request.getfixturevalue("server"))


@pytest.fixture(scope="module")
def cluster():
    """A server to which a test may do what it likes."""
    with _cluster() as found:
        yield found


@pytest.fixture
def database(cluster):
    """The address of a new database of that server."""
    return _new_database(cluster.address)


def _cluster():
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    if postgres.programs() is None:
        pytest.skip("no PostgreSQL server is installed")
    return postgres.cluster()


def _new_database(server):
    name = f"arena{next(NUMBERS)}"
    postgres.execute(server, f"CREATE DATABASE {name}")
    return server.replace("/postgres?", f"/{name}?")
