"""What is at the root of a service: the arena if it is one for all, else where to go from here."""

import pytest

from sparring.arena import Arena
from web_service import ARMS, assert_problem, hosted

pytestmark = pytest.mark.compiled  # no kernel is tested here


def test_a_single_arena_is_where_the_root_leads(tmp_path):
    with hosted(tmp_path / "arena.db") as service:
        reply = service.client.get("/")
        assert reply.status_code == 302 and reply.headers["location"] == "a/arena"
        assert service.client.get("/a/arena").status_code == 200


def test_what_is_for_invited_people_is_not_named(tmp_path):
    with hosted(tmp_path / "arena.db") as service:
        service.arena().set(invited=True)
        reply = service.client.get("/")
        assert reply.status_code == 200 and reply.headers["content-type"].startswith("text/html")
        assert "a/arena" not in reply.text and 'href="admin"' in reply.text


@pytest.mark.parametrize(("path", "root"), [("a/aren", "../"), ("a/aren/board", "../../")])
def test_a_mistyped_link_says_so_in_plain_words(tmp_path, path, root):
    with hosted(tmp_path / "arena.db") as service:
        reply = service.client.get(f"/{path}")
        assert reply.status_code == 404 and reply.headers["content-type"].startswith("text/html")
        assert "There is no arena of this name" in reply.text
        assert f'href="{root}admin"' in reply.text
        service.arena().set(page={"board": "public"})
        assert f'href="{root}a/arena"' in service.client.get(f"/{path}").text


def test_a_file_that_is_not_there_is_a_problem(tmp_path):
    with hosted(tmp_path / "arena.db") as service:
        assert_problem(service.client.get("/static/none.js"), 404, "not-found")


def test_of_several_those_for_everybody_are_linked(tmp_path):
    path = tmp_path / "arena.db"
    for name in ("trees", "birds", "guests"):
        with Arena(path, ARMS, name=name) as arena:
            board = "private" if name == "birds" else "public"
            arena.set(page={"title": f"<{name}>", "board": board}, invited=name == "guests")
    with hosted(path) as service:
        text = service.client.get("/").text
        assert '<a href="a/trees" dir="auto">&lt;trees&gt;</a>' in text
        assert "birds" not in text and "guests" not in text and "a/arena" not in text


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/admin/", "../admin"),
        ("/a/arena/board/?x=1&y=%2F", "../board?x=1&y=%2F"),
        ("/a/arena//", "../"),
        ("/a/b%3Ac/", "../b%3Ac"),
    ],
)
def test_a_slash_too_many_leads_to_a_relative_address(tmp_path, path, found):
    """Only a proxy knows by which scheme and name somebody came."""
    with hosted(tmp_path / "arena.db", public_url="https://votes.example.org") as service:
        reply = service.client.get(path, headers={"Host": "votes.example.org"})
        assert (reply.status_code, reply.headers["location"]) == (307, found)
