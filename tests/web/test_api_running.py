"""Running an arena over HTTP: items, settings, voters, keys, data in and out."""

import csv
import io
import json
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import polars
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sparring.arena import Arena
from sparring.web import listing
from sparring.web.config import Limits
from web_service import ARMS, assert_problem, hosted

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

TEXT = {"kind": "text", "text": "Be brief."}


@pytest.fixture
def service(tmp_path):
    with hosted(tmp_path / "arena.db") as found:
        yield found


def names(service):
    found = service.reader("GET", "items").json()["items"]
    return [item["name"] for item in found if item["withdrawn"] is None]


def test_items_are_added_edited_and_withdrawn(service):
    new = {"name": "fir / tree", "content": TEXT}
    assert service.writer("POST", "items", new).status_code == 201
    again = service.writer("POST", "items", new)
    assert (again.status_code, again.json()["content"]) == (200, TEXT)
    other = {**new, "content": {**TEXT, "text": "Be long."}}
    assert_problem(service.writer("POST", "items", other), 409, "item-differs")
    path = "items/fir%20%2F%20tree"
    edited = service.writer("PUT", path, {"content": other["content"]}).json()
    assert (edited["content"]["text"], edited["version"]) == ("Be long.", 1)
    assert service.writer("PUT", path, {"content": other["content"]}).json() == edited
    for _ in range(2):
        assert service.writer("DELETE", path).status_code == 204
    assert names(service) == ARMS
    assert_problem(service.writer("PUT", path, {"content": TEXT}), 404, "no-such-item")
    assert_problem(service.writer("DELETE", "items/never"), 404, "no-such-item")


def test_an_arena_keeps_two_items(service):
    for name in ARMS[:2]:
        assert service.writer("DELETE", f"items/{name}").status_code == 204
    assert_problem(service.writer("DELETE", f"items/{ARMS[2]}"), 409, "too-few-items")


def test_many_items_at_once_all_or_none(service):
    text = "name,kind,text\nash,text,Ash!\nfir,markdown,*Fir*\nyew,,\n"
    csv_type = {"Content-Type": "text/csv"}
    reply = service.writer("POST", "items/bulk", content=text, headers=csv_type)
    assert reply.json() == {"added": 2, "edited": 1, "unchanged": 0}
    reply = service.writer("POST", "items/bulk", content=text, headers=csv_type)
    assert reply.json() == {"added": 0, "edited": 0, "unchanged": 3}
    lines = '{"name": "oak"}\n{"name": "ash", "kind": "text", "text": "Ash?"}\n'
    json_type = {"Content-Type": "application/jsonl"}
    reply = service.writer("POST", "items/bulk", content=lines, headers=json_type)
    assert reply.json() == {"added": 1, "edited": 1, "unchanged": 0}
    for bad in (
        "",
        "name\n",
        "text\nno name\n",
        "name,text\nnew,one\nnew,two\n",
        "name,text\nnew,one,more\n",
        "name,colour\nnew,red\n",
        'name,text\nnew,"open\n',
        "name,text,text\nnew,one,two\n",
        "name,kind\nnew,hologram\n",
        "name,kind,url\nnew,link,javascript:alert(1)\n",
        "name\nnew\ntie\n",
        b"\xff\xfe",
    ):
        reply = service.writer("POST", "items/bulk", content=bad, headers=csv_type)
        assert_problem(reply, 422, "bad-input")
    assert "new" not in names(service)


def test_a_line_of_json_ends_where_its_bytes_say():
    """Not at a letter that breaks lines for people; and a name twice in an object is refused."""
    line = json.dumps({"name": "fir", "text": "one\u2028two"}, ensure_ascii=False)
    assert listing.read_items(f"{line}\n", is_csv=False)["fir"]["text"] == "one\u2028two"
    with pytest.raises(ValueError, match=r"line 2: it must be a JSON object .*there twice"):
        listing.read_items(line + '\n{"name": "a", "name": "b"}\n', is_csv=False)


def test_uploads_at_once_do_not_touch_each_other(monkeypatch):
    """The longest field of Python's reader of CSV is one number for the whole process."""
    usual, step = csv.field_size_limit(), threading.Barrier(2, timeout=60)
    long = "z" * (usual + 1)  # a picture in the text
    first_is_done = threading.Event()

    def checked(content, origins):
        if content["text"] in ("first", "second"):
            step.wait()  # both are being read
            if content["text"] == "second":
                assert first_is_done.wait(60)
        return content

    monkeypatch.setattr(listing, "checked", checked)

    def upload(name, more):
        return listing.read_items(f"name,text\n{name},{name}\n{more}", is_csv=True)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(upload, "first", "")
        second = pool.submit(upload, "second", f"long,{long}\n")
        first.add_done_callback(lambda _: first_is_done.set())
        assert list(first.result()) == ["first"]
        assert second.result()["long"]["text"] == long
    assert csv.field_size_limit() == usual


def test_so_many_items_and_no_more(tmp_path):
    with hosted(tmp_path / "arena.db", limits=Limits(items=5)) as service:
        assert service.writer("POST", "items", {"name": "five"}).status_code == 201
        assert_problem(service.writer("POST", "items", {"name": "six"}), 409, "too-many-items")
        reply = service.writer("POST", "items/bulk", content="name\nsix\n")
        assert_problem(reply, 422)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "x" * 201},
        {"name": "tie"},
        {"name": 3},
        {"name": "new", "boost": 0},
        {"name": "new", "boost": "much"},
        {"name": "new", "content": {"kind": "hologram"}},
        {"name": "new", "content": {"kind": "text", "text": 5}},
        {"name": "new", "content": {"kind": "text", "text": "x" * 20_001}},
        {"name": "new", "content": {"kind": "image", "url": "https://else.example/x.png"}},
        {"name": "new", "content": {"kind": "link", "url": "javascript:alert(1)"}},
        {"name": "new", "content": []},
        {"name": "new", "more": 1},
    ],
)
def test_bad_items_are_refused(service, body):
    assert_problem(service.writer("POST", "items", body), 422, "bad-input")
    assert names(service) == ARMS


def test_settings(service):
    before = service.reader("GET", "settings").json()
    changes = {"mode": "shadow", "uniform": 0.1, "cap": 5, "page": {"title": "T", "own": [1]}}
    changed = service.admin("PATCH", "settings", changes).json()
    assert changed == {**before, **changes}
    assert service.reader("GET", "settings").json() == changed
    for bad in (
        {"mode": "asleep"},
        {"status": "ajar"},
        {"uniform": 2},
        {"uniform": "0.1"},
        {"answers": ["maybe"]},
        {"grace": -1},
        {"cap": 0},
        {"page": 3},
        {"page": {"blind": "yes"}},
        {"page": {"title": 3}},
        {"page": {"x": "y" * 30_000}},
        {"lifetime": 3},
    ):
        assert_problem(service.admin("PATCH", "settings", bad), 422, "bad-input")
    assert service.reader("GET", "settings").json() == changed


def test_a_banned_voter_counts_no_more_and_a_freed_one_again(service):
    ann = service.voter("voter-ann")
    for _ in range(5):
        ann.vote(ann.ask()[0]["ticket"])
    pseudonym = service.arena().pseudonym("voter-ann")
    for verdict, votes in (("banned", 0), ("free", 5), ("held", 5)):
        body = {"voter": pseudonym, "verdict": verdict}
        assert service.admin("POST", "voters", body).status_code == 204
        assert service.arena().votes == votes
    listed = service.reader("GET", "voters").json()["voters"]
    assert listed == [{"voter": pseudonym, "verdict": "held"}]
    assert not ann.vote(ann.ask()[0]["ticket"]).json()["learnt"]
    name = {"voter": "ann", "verdict": "held"}  # who would be held by it?
    for bad in ({"voter": pseudonym, "verdict": "shot"}, {"verdict": "held"}, {"voter": ""}, name):
        assert_problem(service.admin("POST", "voters", bad), 422, "bad-input")


def test_keys_are_made_and_ended(service):
    made = service.admin("POST", "/api/v1/keys", {"role": "reader", "label": "a page"}).json()
    use = {"Authorization": f"Bearer {made['key']}"}
    assert len(made["key"]) >= 4 + 43
    assert service.client.get("/api/v1/arenas", headers=use).status_code == 200
    listed = service.admin("GET", "/api/v1/keys")
    assert made["key"] not in listed.text
    assert [key["role"] for key in listed.json()["keys"]] == ["admin", "writer", "reader", "reader"]
    for _ in range(2):
        assert service.admin("DELETE", f"/api/v1/keys/{made['id']}").status_code == 204
    assert_problem(service.client.get("/api/v1/arenas", headers=use), 401, "unknown-key")
    own = next(key["id"] for key in listed.json()["keys"] if key["role"] == "admin")
    assert_problem(service.admin("DELETE", f"/api/v1/keys/{own}"), 422)
    for bad in (
        {"role": "owner", "label": "x"},
        {"role": "reader"},
        {"role": "reader", "label": ""},
    ):
        assert_problem(service.admin("POST", "/api/v1/keys", bad), 422)


def test_import_is_marked_and_all_or_none(service):
    row = {"first": "ash", "second": "elm", "outcome": 1.0, "at": 1.7e9}
    reply = service.writer("POST", "import", {"source": "poll", "rows": [row, row]})
    assert reply.json() == {"imported": 2}
    text, kind = "first,second,outcome,at\nash,elm,0,\n", {"Content-Type": "text/csv"}
    reply = service.writer("POST", "import?source=form", content=text, headers=kind)
    assert reply.json() == {"imported": 1}
    sources = [record.source for record in service.arena().records()]
    assert sources == ["poll", "poll", "form"]
    for bad in (
        {},
        {"source": "x", "rows": []},
        {"source": "x", "rows": [row, {**row, "first": "unknown"}]},
        {"source": "x", "rows": [row, {**row, "second": "ash"}]},
        {"source": "x", "rows": [row, {**row, "outcome": 2}]},
        {"source": "x", "rows": [row, {**row, "at": -1}]},
        {"source": "", "rows": [row]},
    ):
        assert_problem(service.writer("POST", "import", bad), 422, "bad-input")
    for bad in (text, "first,second\nash,elm\n", "first,second,outcome\nash,elm,won\n", ""):
        where = "import" if bad == text else "import?source=x"
        assert_problem(service.writer("POST", where, content=bad, headers=kind), 422, "bad-input")
    assert len(list(service.arena().records())) == 3


def test_exports_agree_and_no_cell_is_a_formula(tmp_path):
    with hosted(tmp_path / "arena.db", arms=["=1+1", "@x", "-y"]) as service:
        for turn in range(9):
            pair = service.writer("POST", "ask", {"voter": f"u{turn}"}).json()["pairs"][0]
            service.writer.vote(pair["ticket"], ("first", "both bad", "skip")[turn % 3])
        row = {"first": "=1+1", "second": "@x", "outcome": 0.25}
        service.writer("POST", "import", {"source": "\t=2", "rows": [row]})
        lines = service.reader("GET", "export?format=jsonl").text.splitlines()
        exact = [json.loads(line) for line in lines]
        assert len(exact) == 10
        table = polars.read_parquet(service.reader("GET", "export?format=parquet").content)
        assert table.to_dicts() == exact
        rows = list(csv.reader(io.StringIO(service.reader("GET", "export").text)))
        assert rows[0] == list(exact[0])
        for cells, record in zip(rows[1:], exact, strict=True):
            assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)
            for cell, value in zip(cells, record.values(), strict=True):
                assert cell.removeprefix("'") == ("" if value is None else str(value))
        assert_problem(service.reader("GET", "export?format=xlsx"), 422)


def test_an_arena_without_votes_can_be_exported(service):
    for kind in ("csv", "jsonl", "parquet"):
        assert service.reader("GET", f"export?format={kind}").status_code == 200


def test_a_backup_is_whole_while_people_vote(service, tmp_path):
    for _ in range(20):
        service.voter().vote(service.voter().ask()[0]["ticket"])
    copy = tmp_path / "copy.db"
    copy.write_bytes(service.admin("GET", "/api/v1/backup").content)
    with sqlite3.connect(copy) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    with Arena(copy) as restored:
        assert restored.votes == service.arena().votes == 20


def test_health_and_readiness(service, monkeypatch):
    assert service.client.get("/health").json() == {"status": "alive"}
    assert service.client.get("/ready").json() == {"status": "ready"}
    service.address.rename(service.address.with_suffix(".gone"))
    problem = assert_problem(service.client.get("/ready"), 503, "not-ready")
    assert str(service.address) not in str(problem)
    reply = service.voter()("POST", "ask", {})
    assert str(service.address) not in str(assert_problem(reply, 503, "storage"))
    assert reply.headers["retry-after"] == "1"
    assert service.client.get("/health").status_code == 200
    service.address.with_suffix(".gone").rename(service.address)
    assert service.voter().ask()


def test_an_arena_is_made_with_settings_that_suit_people(service):
    new = {"name": "headlines", "items": ["one", "two", "three"]}
    assert_problem(service.writer("POST", "/api/v1/arenas", new), 403, "role-too-low")
    made = service.admin("POST", "/api/v1/arenas", new)
    assert (made.status_code, made.json()["arenas"]) == (201, ["arena", "headlines"])
    assert service.admin("POST", "/api/v1/arenas", new).status_code == 200
    found = service.reader("GET", "/api/v1/arenas/headlines/settings").json()
    assert (found["uniform"], found["grace"], found["answers"]) == (0.05, 10.0, ["tie", "skip"])
    assert found["page"] == {"blind": True}
    voter = service.voter()
    assert voter("POST", "/api/v1/arenas/headlines/ask", {}).status_code == 200
    for wrong in ({"name": "a b"}, {"name": "x", "items": ["one"]}, {"name": ""},
                  {"learner": "nobody"}):  # fmt: skip
        body = {"name": "other", "items": ["one", "two"], **wrong}
        assert_problem(service.admin("POST", "/api/v1/arenas", body), 422)
    assert service.reader("GET", "/api/v1/arenas").json()["arenas"] == ["arena", "headlines"]


def test_members_of_the_page_that_are_left_out_stay(service):
    service.admin("PATCH", "settings", {"page": {"title": "Trees", "blind": True}})
    found = service.admin("PATCH", "settings", {"page": {"title": "Woods"}, "hold": True}).json()
    assert (found["page"]["title"], found["page"]["blind"]) == ("Woods", True)
    assert found["hold"] is True


def test_who_leads_a_blind_arena_is_not_told_by_name(service):
    service.admin("PATCH", "settings", {"page": {"blind": True}})
    service.writer("PUT", f"items/{ARMS[0]}", {"content": TEXT})
    assert service.voter()("GET", "serve").json()["name"] is None
    assert service.reader("GET", "serve").json()["name"] in ARMS


def test_a_kind_that_is_no_text_is_refused(service):
    line = json.dumps({"name": "fir", "kind": ["text"], "text": "Fir."})
    reply = service.writer(
        "POST", "items/bulk", content=line, headers={"Content-Type": "application/jsonl"}
    )
    assert_problem(reply, 422)


@pytest.mark.parametrize("levels", [17, 200, 500, 900])
def test_settings_that_are_nested_too_deep_are_refused(service, levels):
    text = '{"page":' + '{"a":' * levels + "1" + "}" * levels + "}"
    headers = {"Content-Type": "application/json"}
    reply = service.admin("PATCH", "settings", content=text, headers=headers)
    assert_problem(reply, 422, "bad-input")


@pytest.mark.parametrize("bad", ["..", "skip", "tie"])
def test_of_many_items_none_is_added_if_one_is_refused(service, bad):
    text = f"name,text\nash,Changed.\nfir,New.\n{bad},\n"
    reply = service.writer("POST", "items/bulk", content=text, headers={"Content-Type": "text/csv"})
    assert_problem(reply, 422, "bad-input")
    assert names(service) == ARMS
    assert all(item["content"] is None for item in service.reader("GET", "items").json()["items"])


def test_items_that_no_address_could_name_are_refused(service):
    for name in (".", ".."):
        assert_problem(service.writer("POST", "items", {"name": name}), 422, "bad-input")
        reply = service.writer(
            "POST", "items/bulk", content=f"name\n{name}\n", headers={"Content-Type": "text/csv"}
        )
        assert_problem(reply, 422, "bad-input")
    assert names(service) == ARMS


@given(name=st.text(min_size=1, max_size=20))
@example(name="a\n")
@example(name="\n")
@example(name="a\nb/../c?d#e%2F")
@settings(
    deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_an_item_of_any_other_name_can_be_withdrawn(service, name):
    address = f"items/{quote(name, safe='')}"
    made = service.writer("POST", "items", {"name": name})
    if made.status_code == 422:  # no name of an arm, or one without an address
        return
    assert service.writer("PUT", address, {"content": None}).status_code != 404
    assert service.writer("DELETE", address).status_code == 204
    assert name not in names(service)
