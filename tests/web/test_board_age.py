"""How old a board may be: who asks is not told what somebody saw long before."""

import threading

import pytest

from sparring.web import board as composing
from sparring.web import pages, studio
from web_service import hosted

pytestmark = pytest.mark.compiled  # no kernel is tested here

LONG = 100.0  # seconds: a busy machine needs less


@pytest.fixture
def service(tmp_path, monkeypatch):
    """One in which a board is old at once."""
    monkeypatch.setattr(studio, "FRESH", 0.0)
    monkeypatch.setattr(pages, "PATIENCE", 2 * LONG)
    monkeypatch.setattr(pages, "CATCH_UP", LONG)
    with hosted(tmp_path / "arena.db") as service:
        yield service


def vote(service):
    voter = service.voter()
    voter.vote(voter.ask()[0]["ticket"])


def test_a_board_has_the_votes_that_came_before_it_was_asked_for(service):
    for votes in range(1, 4):
        vote(service)
        assert service.reader("GET", "board").json()["votes"] == votes
    vote(service)
    assert "4 votes" in service.reader("GET", "board/part").text


def test_without_news_nothing_is_drawn_again(service):
    first = service.reader("GET", "board/part").headers["X-Board"]
    assert service.reader("GET", "board/part").headers["X-Board"] == first
    vote(service)
    assert service.reader("GET", "board/part").headers["X-Board"] != first


def test_a_drawing_that_takes_long_is_not_waited_for(service, monkeypatch):
    vote(service)
    before = service.reader("GET", "board").json()
    go_on, compose = threading.Event(), composing.compose
    monkeypatch.setattr(composing, "compose", lambda *of: (go_on.wait(LONG), compose(*of))[1])
    monkeypatch.setattr(pages, "CATCH_UP", 0.5)
    vote(service)
    try:
        assert service.reader("GET", "board").json() == before
        assert before["votes"] == 1 and "drawn_at" in before
    finally:
        go_on.set()


def test_a_fresh_board_is_given_at_once(service, monkeypatch):
    """Many who look, and many who vote, do not make each other wait."""
    vote(service)
    before = service.reader("GET", "board").json()
    monkeypatch.setattr(studio, "FRESH", 1e9)
    vote(service)
    assert service.reader("GET", "board").json()["drawn_at"] == before["drawn_at"]
