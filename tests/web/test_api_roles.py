"""Every role at every endpoint, as the OpenAPI document lists them."""

import sqlite3
from contextlib import closing

import pytest

from sparring.arena import Arena, StorageError
from sparring.web.keys import Keys
from web_service import ARMS, hosted

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

ROLES = (None, "reader", "writer", "admin")
RANK = {"public": 0, "reader": 1, "writer": 2, "admin": 3}
VOTING = ("/ask", "/vote", "/undo", "/seen")
BODIES = {  # what is sent, so that no call is refused for its form
    "/ask": {},
    "/vote": {"ticket": "x", "answer": "first"},
    "/undo": {"ticket": "x"},
    "/seen": {"ticket": "x"},
    "/items": {"name": "new"},
    "/items/{item}": {"content": {"kind": "text", "text": "x"}},
    "/settings": {},
    "/voters": {"voter": "0" * 24, "verdict": "free"},
    "/keys": {"role": "reader", "label": "x"},
    "/hooks": {"url": "https://192.0.2.1/x"},
    "/import": {},
    "/invites": {"label": "x"},
}


def operations(document):
    for path, found in document["paths"].items():
        for method, operation in found.items():
            yield path, method.upper(), operation


def test_every_role_at_every_endpoint(tmp_path):
    with hosted(tmp_path / "arena.db", peer="192.0.2.7", public_url="http://127.0.0.1") as service:
        document = service.client.get("/openapi.json").json()
        seen = set()
        for path, method, operation in operations(document):
            if path.endswith("/board/events"):
                continue  # a stream: of the same right as the board beside it
            (tag,) = operation["tags"]
            needed = RANK["reader"] if path == "/metrics" else RANK[tag]
            assert bool(operation.get("security")) == (
                needed > 0 or path.endswith((*VOTING, "/serve"))
            ), path
            end = path.partition("{name}")[2] or path.removeprefix("/api/v1")
            url = path.format(name="arena", item="elm", number=99)
            for rank, role in enumerate(ROLES):
                headers = {"X-Voter": "voter-one"} if role is None else {}
                if role is not None:
                    headers["Authorization"] = f"Bearer {service.keys[role]}"
                body = BODIES.get(end) if method in ("POST", "PUT", "PATCH") else None
                reply = service.client.request(method, url, headers=headers, json=body)
                if path.endswith(VOTING) and role == "reader":
                    assert reply.status_code == 403
                elif rank < needed:
                    assert reply.status_code == (401 if role is None else 403), (method, path, role)
                else:
                    assert reply.status_code not in (401, 403, 405, 500), (method, path, role)
                seen.add((method, path))
        assert len(seen) >= 28


def test_a_key_that_is_none_is_refused_everywhere(tmp_path):
    with hosted(tmp_path / "arena.db") as service:
        document = service.client.get("/openapi.json").json()
        for bad in ("Bearer spk_wrong", "Bearer ", "Basic eDp5", "spk_wrong", "Bearer \u00e9"):
            headers = {"Authorization": bad.encode("latin-1"), "X-Voter": "voter-one"}
            for path, method, operation in operations(document):
                if operation.get("security") and path != "/metrics":
                    url = path.format(name="arena", item="elm", number=99)
                    end = path.partition("{name}")[2] or path.removeprefix("/api/v1")
                    body = BODIES.get(end) if method in ("POST", "PUT", "PATCH") else None
                    reply = service.client.request(method, url, headers=headers, json=body)
                    assert reply.status_code == 401, (method, path, bad)
                    assert "bearer" in reply.headers["www-authenticate"].lower()


def test_a_role_that_no_release_has_written(tmp_path):
    path = str(tmp_path / "arena.db")
    Arena(path, ARMS).close()
    with closing(Keys(path)) as keys:
        keys.make("admin", "mine")
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE sparring_keys SET role = 'owner'")
        with pytest.raises(StorageError, match="row 1 of sparring_keys is damaged"):
            keys.all()


def test_the_board_is_for_everybody_where_the_owner_says_so(tmp_path):
    with hosted(tmp_path / "arena.db") as service:
        board = "/api/v1/arenas/arena/board"
        assert service.client.get(board).status_code == 401
        service.admin("PATCH", "settings", {"page": {"board": "public"}})
        # The board itself is drawn elsewhere; here it counts that nobody is asked for a key.
        assert service.client.app.state.service.config.open_board is False
        reply = service.client.request("HEAD", board)
        assert reply.status_code in (200, 405)
