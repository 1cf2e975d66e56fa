"""An arena for invited people: who has no good invite can neither ask nor vote."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparring.arena import Arena
from sparring.web import gate
from web_service import ARMS, FREE, Caller, assert_problem, hosted

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

CALLS = {
    "ask": {},
    "vote": {"ticket": "x", "answer": "first"},
    "undo": {"ticket": "x"},
    "seen": {"ticket": "x"},
}

MORE_THAN_THREADS = 40  # of the event loop, which are 32 at most


@pytest.fixture
def service(tmp_path):
    Arena(tmp_path / "arena.db", ARMS, name="other").close()
    with hosted(tmp_path / "arena.db") as service:
        service.admin("PATCH", "settings", {"invited": True})
        yield service


def invited(service, arena="arena", **body):
    reply = service.admin("POST", f"/api/v1/arenas/{arena}/invites", {"label": "friends", **body})
    assert reply.status_code == 201, reply.text
    return reply.json()


def guest(service, name, invite):
    caller = Caller(service.client, voter=name)
    caller.headers["X-Invite"] = invite
    return caller


def refused(caller, kind):
    for call, body in CALLS.items():
        assert_problem(caller("POST", call, body), 403, kind)


def test_an_invite_lets_so_many_voters_in_and_then_needs_not_be_shown_again(service):
    made = invited(service, uses=2)
    assert made["link"].endswith(f"/a/arena#invite={made['invite']}")
    refused(service.voter("voter-ann"), "invite-needed")
    for name in ("voter-ann", "voter-bob"):
        (pair,) = guest(service, name, made["invite"]).ask()
        assert service.voter(name).vote(pair["ticket"]).json()["learnt"]
    refused(guest(service, "voter-eve", made["invite"]), "invite-spent")
    (listed,) = service.admin("GET", "invites").json()["invites"]
    assert (listed["used"], listed["uses"], listed["label"]) == (2, 2, "friends")
    assert made["invite"] not in service.admin("GET", "invites").text
    assert service.arena().tallies().told == 2


def test_one_use_is_one_voter_however_many_come_at_once(service):
    made = invited(service, uses=3)
    statuses, start = [], threading.Barrier(12)

    def come(number):
        caller = guest(service, f"voter-{number:04d}", made["invite"])
        start.wait()
        statuses.append(caller("POST", "ask", {}).status_code)

    threads = [threading.Thread(target=come, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] * 3 + [403] * 9


def test_forged_and_foreign_invites(service):
    made = invited(service)
    for forged in ("", "x", made["invite"][:-1], made["invite"] + "A", "A" * 5000):
        refused(guest(service, "voter-eve", forged), "invite-unknown")
    foreign = invited(service, arena="other")
    refused(guest(service, "voter-eve", foreign["invite"]), "invite-unknown")
    assert guest(service, "voter-ann", made["invite"]).ask()
    before = service.arena()._look(lambda state: state.number)
    refused(service.voter("voter-eve"), "invite-needed")
    assert service.arena()._look(lambda state: state.number) == before


def test_an_expired_invite_lets_nobody_new_in(service, monkeypatch):
    made = invited(service, uses=2, expires=time.time() + 3600)
    assert guest(service, "voter-ann", made["invite"]).ask()
    now = time.time_ns() // 1000
    monkeypatch.setattr("sparring.arena.making.now", lambda: now + 3_601_000_000)
    refused(guest(service, "voter-eve", made["invite"]), "invite-expired")
    monkeypatch.setattr(gate, "FRESH", 0.0)  # look again at who was let in
    assert service.voter("voter-ann").ask()


def test_a_revoked_invite_shuts_out_who_came_by_it(service):
    made, other = invited(service, uses=9), invited(service, uses=9)
    ann, bob = (guest(service, name, made["invite"]) for name in ("voter-ann", "voter-bob"))
    (pair,) = ann.ask()
    assert ann.vote(pair["ticket"]).json()["learnt"]
    (pair,) = ann.ask()
    assert guest(service, "voter-cat", other["invite"]).ask()
    for _ in range(2):
        assert service.admin("DELETE", f"invites/{made['id']}").status_code == 204
    assert_problem(ann.vote(pair["ticket"]), 403, "invite-revoked")
    refused(bob, "invite-revoked")
    refused(service.voter("voter-ann"), "invite-needed")
    assert service.voter("voter-cat").ask()
    assert service.arena().votes == 1  # what was answered before counts
    assert guest(service, "voter-ann", other["invite"]).vote(pair["ticket"]).json()["learnt"]


def test_a_writer_key_decides_by_itself_and_an_open_arena_asks_nobody(service):
    (pair,) = service.writer("POST", "ask", {"voter": "ann"}).json()["pairs"]
    assert service.writer.vote(pair["ticket"], voter="ann").status_code == 200
    assert Caller(service.client, voter="voter-ann")("POST", "/api/v1/arenas/other/ask", {}).json()[
        "pairs"
    ]
    service.admin("PATCH", "settings", {"invited": False})
    assert service.voter("voter-ann").ask()


def test_another_process_hears_of_it(service, tmp_path, monkeypatch):
    monkeypatch.setattr(gate, "FRESH", 0.0)
    made = invited(service)
    with hosted(tmp_path / "arena.db", keys=service.keys, limits=FREE) as second:
        assert guest(second, "voter-ann", made["invite"]).ask()
        refused(second.voter("voter-eve"), "invite-needed")
        service.admin("DELETE", f"invites/{made['id']}")
        refused(second.voter("voter-ann"), "invite-needed")
        service.admin("PATCH", "settings", {"invited": False})
        assert second.voter("voter-eve").ask()


def come_together(service, invite, many):
    """What so many voters are told who ask at the same time."""
    with ThreadPoolExecutor(many) as pool:
        callers = [guest(service, f"voter-{number:04d}", invite) for number in range(many)]
        return list(pool.map(lambda caller: caller("POST", "ask", {}), callers))


def test_a_list_of_guests_that_hangs_takes_one_thread(service, monkeypatch):
    made, released, inside = invited(service, uses=50), threading.Event(), []
    admit = service.client.app.state.service.invites.admit

    def hang(*arguments):
        inside.append(arguments)
        released.wait()
        admit(*arguments)

    with monkeypatch.context() as hanging:
        hanging.setattr(service.client.app.state.service.invites, "admit", hang)
        hanging.setattr(gate, "PATIENCE", 0.2)
        for reply in come_together(service, made["invite"], 20):
            assert_problem(reply, 503, "storage")
            assert int(reply.headers["retry-after"]) >= 1
        stuck = len(inside)
        released.set()
    assert stuck == 1
    assert come_together(service, made["invite"], 1)[0].status_code == 200


def test_an_arena_that_hangs_leaves_threads_for_others(service, monkeypatch):
    made, hangs, released = invited(service, uses=50), threading.Event(), threading.Event()

    def hold():
        service.arena()._group.alone(lambda: (hangs.set(), released.wait()))

    holding = threading.Thread(target=hold)
    with monkeypatch.context() as hanging:
        hanging.setattr(gate, "FRESH", 0.0)
        hanging.setattr(gate, "PATIENCE", 0.2)
        holding.start()
        hangs.wait()
        try:
            for reply in come_together(service, made["invite"], MORE_THAN_THREADS):
                assert_problem(reply, 503, "storage")
            assert service.client.run(asyncio.to_thread(lambda: "free")) == "free"
        finally:
            released.set()
            holding.join()
    assert come_together(service, made["invite"], 1)[0].status_code == 200


@pytest.mark.parametrize(
    "bad",
    [
        {"label": ""},
        {"uses": 0},
        {"uses": 100_001},
        {"uses": 1.5},
        {"expires": 1.0},
        {"expires": 9e10},
        {"colour": "red"},
    ],
    ids=str,
)
def test_bad_invites(service, bad):
    assert_problem(service.admin("POST", "invites", {"label": "friends", **bad}), 422)
    assert service.admin("GET", "invites").json() == {"invites": []}
