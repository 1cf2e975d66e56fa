"""The databases that arenas are tested on."""

import itertools

import pytest

import postgres

NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def server():
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    if postgres.programs() is None:
        pytest.skip("no PostgreSQL server is installed")
    with postgres.server() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request, tmp_path):
    """Where an arena can be made."""
    if request.param == "sqlite":
        return str(tmp_path / "arena.db")
    server = request.getfixturevalue("server")
    import psycopg

    name = f"arena{next(NUMBERS)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.replace("/postgres?", f"/{name}?")
