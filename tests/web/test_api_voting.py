"""Asking and voting over HTTP: what a voter's page and a server with a key can rely on."""

import pytest

from sparring.arena import Arena
from web_service import API, assert_problem, hosted

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler


@pytest.fixture
def service(tmp_path):
    with hosted(tmp_path / "arena.db") as found:
        yield found


def test_a_voter_is_shown_the_same_pairs_until_answered(service):
    ann = service.voter("voter-ann")
    pairs = ann.ask(2)
    assert ann.ask(2) == pairs
    assert ann.ask(1) == pairs[:1]
    assert service.voter("voter-bob").ask(1)[0]["ticket"] != pairs[0]["ticket"]
    reply = ann.vote(pairs[0]["ticket"], next=2).json()
    assert reply["pairs"][0]["ticket"] == pairs[1]["ticket"]
    assert len(reply["pairs"]) == 2


def test_a_vote_again_gets_the_same_reply_and_another_answer_a_conflict(service):
    ann = service.voter("voter-ann")
    (pair,) = ann.ask()
    first = ann.vote(pair["ticket"])
    assert first.json() == {"number": 3, "learnt": True, "why": "", "reveal": None, "pairs": []}
    assert ann.vote(pair["ticket"]).json() == first.json()
    problem = assert_problem(ann.vote(pair["ticket"], "second"), 409, "answered-otherwise")
    assert not any(name in problem["detail"] for name in service.arena().arms)
    assert problem["stored"] == "first"
    assert service.arena().votes == 1


@pytest.mark.parametrize("answer", ["second", "tie", "both bad", "skip", 0.25])
def test_a_conflict_says_which_answer_counts(service, answer):
    (pair,) = service.voter().ask()
    caller = service.writer if answer == 0.25 else service.voter()
    caller.vote(pair["ticket"], answer)
    problem = assert_problem(caller.vote(pair["ticket"], "first"), 409, "answered-otherwise")
    assert problem["stored"] == answer


def test_an_answer_that_was_taken_back_does_not_count(service):
    service.arena().set(grace=600.0)
    (pair,) = service.voter().ask()
    service.voter().vote(pair["ticket"])
    service.voter()("POST", "undo", {"ticket": pair["ticket"]})
    problem = assert_problem(service.voter().vote(pair["ticket"]), 409, "answered-otherwise")
    assert "stored" not in problem and "taken back" in problem["detail"]


@pytest.mark.parametrize("answered", [False, True])
def test_the_ticket_of_another_voter_is_refused(service, answered):
    (pair,) = service.voter("voter-ann").ask()
    if answered:
        service.voter("voter-ann").vote(pair["ticket"])
    for path in ("vote", "undo", "seen"):
        body = {"ticket": pair["ticket"]} | ({"answer": "first"} if path == "vote" else {})
        reply = service.voter("voter-bob")("POST", path, body)
        assert_problem(reply, 404, "no-such-ticket")
    assert service.arena().votes == answered


def test_words_and_numbers(service):
    for answer in ("first", "second", "tie", "both good", "both bad", "skip"):
        (pair,) = service.voter().ask()
        reply = service.voter().vote(pair["ticket"], answer).json()
        assert reply["learnt"] == (answer != "skip")
    (pair,) = service.voter().ask()
    assert_problem(service.voter().vote(pair["ticket"], 0.25), 401, "key-needed")
    assert service.writer.vote(pair["ticket"], 0.25).json()["learnt"]
    service.admin("PATCH", "settings", {"answers": ["tie"]})
    (pair,) = service.voter().ask()
    problem = assert_problem(service.voter().vote(pair["ticket"], "skip"), 422, "bad-input")
    assert "first, second, tie" in problem["detail"]


def test_blind_until_the_vote_then_revealed(service):
    for name in service.arena().arms:
        content = {"kind": "text", "text": f"the text of {name[::-1]}"}
        assert service.writer("PUT", f"items/{name}", {"content": content}).status_code == 200
    service.admin("PATCH", "settings", {"page": {"blind": True, "reveal": True}})
    (pair,) = service.voter().ask()
    assert not any(name in str(pair) for name in service.arena().arms)
    (known,) = service.writer("POST", "ask", {"voter": "voter-one"}).json()["pairs"]
    assert known["ticket"] == pair["ticket"]
    names = {"first": known["first"]["name"], "second": known["second"]["name"]}
    assert service.voter().vote(pair["ticket"]).json()["reveal"] == names


def test_undo_and_seen(service):
    service.admin("PATCH", "settings", {"grace": 60.0, "dwell": 0.0})
    ann = service.voter("voter-ann")
    (pair,) = ann.ask()
    for _ in range(2):
        assert ann("POST", "seen", {"ticket": pair["ticket"]}).status_code == 204
    ann.vote(pair["ticket"])
    again = ann("POST", "undo", {"ticket": pair["ticket"]}).json()
    assert (again["first"], again["second"]) == (pair["first"], pair["second"])
    assert again["ticket"] != pair["ticket"]
    assert ann("POST", "undo", {"ticket": pair["ticket"]}).json() == again
    assert_problem(ann("POST", "undo", {"ticket": again["ticket"]}), 409, "too-late-to-undo")
    assert ann.vote(again["ticket"], "second").status_code == 200


def test_paused_closed_and_open_again(service):
    ann = service.voter("voter-ann")
    (pair,) = ann.ask()
    service.admin("PATCH", "settings", {"status": "paused"})
    problem = assert_problem(ann("POST", "ask", {}), 409, "arena-not-open")
    assert "paused" in problem["detail"]
    reply = ann.vote(pair["ticket"], next=2)
    assert reply.json()["learnt"] and reply.json()["pairs"] == []
    assert ann("GET", "").json()["status"] == "paused"
    service.admin("PATCH", "settings", {"status": "open"})
    assert ann.ask()


def test_a_server_with_a_key_passes_voters_on(service):
    body = {"n": 2, "voter": "u17"}
    pairs = service.writer("POST", "ask", body).json()["pairs"]
    assert service.writer("POST", "ask", body).json()["pairs"] == pairs
    assert {"name", "text"} <= pairs[0]["first"].keys()
    assert_problem(service.voter()("POST", "ask", body), 401, "key-needed")
    assert_problem(service.reader("POST", "ask", body), 403, "role-too-low")
    reply = service.writer.vote(pairs[0]["ticket"], voter="u17").json()
    assert reply["reveal"] == {side: pairs[0][side]["name"] for side in ("first", "second")}
    assert_problem(service.writer.vote(pairs[1]["ticket"], voter="u18"), 404)
    records = list(service.arena().records())
    assert [record.voter for record in records] == [service.arena().pseudonym("u17")]


def test_serve_gives_the_favourite(service):
    for _ in range(60):
        (pair,) = service.writer("POST", "ask", {}).json()["pairs"]
        names = [pair["first"]["name"], pair["second"]["name"]]
        answer = "tie" if "elm" not in names else ("first" if names[0] == "elm" else "second")
        service.writer.vote(pair["ticket"], answer)
    assert service.voter()("GET", "serve").json() == {
        "name": "elm",
        "item": {"kind": "text", "text": "elm"},
    }


def test_several_arenas_in_a_database(tmp_path):
    path = tmp_path / "arena.db"
    Arena(path, ["x", "y"], name="second one").close()
    with hosted(path) as service:
        assert service.reader("GET", "/api/v1/arenas").json() == {"arenas": ["second one", "arena"]}
        (pair,) = service.voter().ask()
        other = "/api/v1/arenas/second%20one"
        reply = service.voter()(
            "POST", f"{other}/vote", {"ticket": pair["ticket"], "answer": "tie"}
        )
        assert_problem(reply, 404, "no-such-ticket")
        assert_problem(
            service.voter()("POST", "/api/v1/arenas/third/ask", {}), 404, "no-such-arena"
        )


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        "null",
        '{"n": 0}',
        '{"n": 51}',
        '{"n": 1e9}',
        '{"n": "1"}',
        '{"n": true}',
        '{"m": 1}',
        '{"n": NaN}',
        "[" * 10_000,
        '{"n": 1, "voter": "\\ud800"}',
    ],
)
def test_bad_asks_store_nothing(service, body):
    before = service.arena()._look(lambda state: state.number)
    reply = service.voter()("POST", "ask", content=body)
    assert reply.status_code in (401, 422), reply.text
    assert not assert_problem(reply, reply.status_code)["detail"].startswith(":")
    assert service.arena()._look(lambda state: state.number) == before


GOOD = {"ticket": "good", "answer": "first"}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"answer": "first"},
        {"ticket": "good"},
        *({**GOOD, "ticket": bad} for bad in (3, None, "", "x" * 500, ["x"])),
        *({**GOOD, "answer": bad} for bad in ("best", 2, -0.1, None, ["first"], True)),
        {**GOOD, "next": -1},
        {**GOOD, "next": 51},
        {**GOOD, "more": 1},
    ],
)
def test_bad_votes_store_nothing(service, body):
    (pair,) = service.voter().ask()
    before = service.arena()._look(lambda state: state.number)
    if body.get("ticket") == "good":
        body = {**body, "ticket": pair["ticket"]}
    assert_problem(service.voter()("POST", "vote", body), 422, "bad-input")
    assert service.arena()._look(lambda state: state.number) == before


@pytest.mark.parametrize("voter", [None, "short", "x" * 129, "with space", "quote'quote"])
def test_bad_voters_are_refused(service, voter):
    headers = {} if voter is None else {"X-Voter": voter}
    reply = service.client.post(f"{API}/ask", json={}, headers=headers)
    assert_problem(reply, 422, "bad-voter")


def test_answers_that_came_again_are_on_the_board(tmp_path):
    with hosted(tmp_path / "arena.db") as service:
        ann = service.voter("voter-ann")
        for _ in range(3):
            (pair,) = ann.ask()
            for _ in range(2):
                assert ann.vote(pair["ticket"]).status_code == 200
        rows = service.reader("GET", "board").json()["answers"]
        assert {"what": "sent again, counted once", "number": 3, "share": "50.0%"} in rows
        assert {"what": "answered", "number": 3, "share": "100.0%"} in rows
