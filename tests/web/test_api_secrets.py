"""No secret is told: not in logs, errors, metrics or exports; and no ticket can be made up."""

import base64
import logging
import random

import httpx
import pytest

from sparring.arena import Arena
from web_process import free_port, start
from web_service import API, ARMS, assert_problem, hosted, made_keys

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

VOTER = "canary-voter-4711"
PASSWORD = "canary-password-4711"


def provoke(call, ticket):
    """Replies of all kinds: good ones, bad ones, and those about secrets in wrong places."""
    bad = "spk_canary-wrong-key-4711"
    yield call("POST", f"{API}/ask", json={"n": 1})
    yield call("POST", f"{API}/ask", json={"n": 1, "voter": VOTER})
    yield call("POST", f"{API}/ask", content=b"{")
    yield call("POST", f"{API}/vote", json={"ticket": ticket[:-1] + "A", "answer": "first"})
    yield call("POST", f"{API}/vote", json={"ticket": ticket, "answer": VOTER})
    yield call("POST", f"{API}/vote", json={"ticket": ticket, "answer": "first"})
    yield call("POST", f"{API}/vote", json={"ticket": ticket, "answer": "second"})
    yield call("POST", f"{API}/undo", json={"ticket": ticket})
    yield call("GET", f"{API}/items", headers={"Authorization": f"Bearer {bad}"})
    yield call("GET", f"{API}/export?format=xlsx")
    yield call("GET", "/metrics")
    yield call("GET", "/openapi.json")
    yield call("GET", "/health")
    yield call("TRACE", "/health")


def exported(call, key):
    for path in (
        f"{API}/export",
        f"{API}/export?format=jsonl",
        f"{API}/items",
        f"{API}/voters",
        f"{API}/hooks",
        f"{API}/settings",
        "/api/v1/keys",
    ):
        reply = call("GET", path, headers={"Authorization": f"Bearer {key}"})
        assert reply.status_code == 200
        yield reply


def test_no_secret_in_replies_and_logs(tmp_path, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    with hosted(tmp_path / "arena.db") as service:
        arena = service.arena()
        (pair,) = service.voter(VOTER).ask()
        hook = {"url": "https://192.0.2.1/x"}
        secret = service.admin("POST", "hooks", hook)
        secrets = [*service.keys.values(), arena._key.hex(), VOTER, str(tmp_path)]
        secrets += [secret.json()["secret"]] if secret.status_code == 201 else []

        def call(method, path, headers=None, **more):
            headers = {"X-Voter": VOTER, **(headers or {})}
            return service.client.request(method, path, headers=headers, **more)

        heard = list(provoke(call, pair["ticket"]))
        heard += exported(call, service.keys["admin"])
        arena._tell = None  # a bug: calling it is a TypeError
        (other,) = service.voter("voter-two").ask()
        broken = service.voter("voter-two").vote(other["ticket"])
        assert_problem(broken, 500, "unexpected")
        assert "Traceback" not in broken.text and "TypeError" not in broken.text
        heard.append(broken)
    said = caplog.text + "".join(capfd.readouterr()) + "".join(reply.text for reply in heard)
    said += "".join(str(dict(reply.headers)) for reply in heard)
    assert "TypeError" in said  # the operator is told
    assert not [secret for secret in secrets if secret in said.replace(other["ticket"], "")]


def test_no_password_of_the_database_is_told(server, tmp_path):
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE canary")
    address = server.replace("postgres@/postgres?", f"postgres:{PASSWORD}@/canary?")
    Arena(address, ARMS).close()
    keys = made_keys(address)
    log, port = tmp_path / "log", free_port()
    with log.open("w") as file:
        process = start(address, port, log=file)
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
                headers = {"X-Voter": VOTER}
                ask = client.post(f"{API}/ask", json={}, headers=headers)

                def call(method, path, headers=None, **more):
                    headers = {"X-Voter": VOTER, **(headers or {})}
                    return client.request(method, path, headers=headers, **more)

                heard = list(provoke(call, ask.json()["pairs"][0]["ticket"]))
                heard += exported(call, keys["admin"])
                backup = client.get(
                    "/api/v1/backup", headers={"Authorization": f"Bearer {keys['admin']}"}
                )
                assert_problem(backup, 409, "not-a-file")
                with psycopg.connect(server, autocommit=True) as connection:
                    connection.execute("ALTER DATABASE canary ALLOW_CONNECTIONS false")
                    connection.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE datname = 'canary'"
                    )
                reply = client.post(f"{API}/ask", json={}, headers=headers)
                assert_problem(reply, 503, "storage")
                heard += [backup, reply]
        finally:
            process.terminate()
            process.wait(60)
    said = log.read_text() + "".join(reply.text for reply in heard)
    assert "storage" in said
    for secret in (PASSWORD, VOTER, *keys.values()):
        assert secret not in said, secret[:10]


def test_changed_tickets_are_refused(tmp_path):
    luck = random.Random(3)
    with hosted(tmp_path / "arena.db") as service:
        (pair,) = service.voter().ask()
        text = pair["ticket"]
        data = base64.urlsafe_b64decode(text)
        changed = set()
        for _ in range(300):
            place, bit = luck.randrange(len(data)), luck.randrange(8)
            flipped = bytearray(data)
            flipped[place] ^= 1 << bit
            changed.add(base64.urlsafe_b64encode(bytes(flipped)).decode())
        changed |= {text[:-1], text + "A", text.lower(), text[::-1], " " + text, text + "\n"}
        before = service.arena()._look(lambda state: state.number)
        for ticket in changed - {text}:
            assert service.voter().vote(ticket).status_code == 404
        assert service.arena()._look(lambda state: state.number) == before
        assert service.voter().vote(text).json()["learnt"]


def test_addresses_are_not_stored(tmp_path):
    with hosted(tmp_path / "arena.db", peer="198.51.100.23") as service:
        service.voter(VOTER).vote(service.voter(VOTER).ask()[0]["ticket"])
    for file in tmp_path.iterdir():
        assert b"198.51.100" not in file.read_bytes()
        assert VOTER.encode() not in file.read_bytes()
