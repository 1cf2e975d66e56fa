"""Arenas of 0.2.0 whose learner went, or took an option that went.

`arenas-0.2.0.sql` is one database, as `iterdump` writes it, with an arena for each, named by its
learner: sixteen answers on three arms, a checkpoint after twelve of them, and an open question.
Release 0.2.0 made arenas only with learners whose arms can change; development versions before it
made the others, too, so here its check was left out.
"""

import sqlite3
import subprocess
import sys

import pytest

import sparring
from places import TESTS
from sparring.arena import Arena, ArenaClosedError, arenas, check, making
from sparring.learners.snapshots import GONE, UNUSED_T
from sparring.votes.reader import from_arena

pytestmark = pytest.mark.compiled  # storage is the same without the compiler

ANSWERS = 16
WITH_T = ("rand", "tracker", "steady", "sturdy")
every_gone = pytest.mark.parametrize("name", GONE)


@pytest.fixture
def old(tmp_path, monkeypatch):
    """The database on the day it was written: tickets do not last for ever."""
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.executescript((TESTS / "data/arenas-0.2.0.sql").read_text())
        (latest,) = connection.execute("SELECT max(at) FROM sparring_events").fetchone()
    connection.close()
    monkeypatch.setattr(making, "now", lambda: latest + 1_000_000)
    return path


def events(path, name):
    return check(path, name=name).events


def test_there_is_an_arena_of_every_learner_that_went(old):
    assert set(arenas(old)) == {*GONE, *WITH_T}


@every_gone
def test_its_votes_are_read_exported_and_checked(old, name):
    assert len(from_arena(old, name=name)) == ANSWERS
    found = check(old, name=name)
    assert (found.votes, found.favourite, found.other) == (ANSWERS, "plain", ())
    with Arena(old, name=name) as arena:
        assert (arena.votes, arena.favourite, arena.learner) == (ANSWERS, "plain", name)
        assert sum(one.counted for one in arena.records()) == ANSWERS
        arena.set(mode="frozen")  # whoever runs it goes on running it
        arena.add("new")
    assert check(old, name=name).equal, "the checkpoint of what was opened is right"


@every_gone
def test_no_one_is_asked_but_who_was_asked_may_answer(old, name):
    with Arena(old, name=name) as arena:
        with pytest.raises(ArenaClosedError, match=f"{name}.*tracker"):
            arena.ask()
        (waiting,) = arena._look(lambda state: state.open)
        assert arena.tell(arena._ticket(waiting), "tie").learnt
    assert check(old, name=name).votes == ANSWERS + 1


def demand_moved(path, name):
    """The tracker asks, knows the votes, and every process and fold agrees."""
    found = check(path, name=name)
    assert found.equal == (found.events,) and not found.other
    with Arena(path, name=name) as arena:
        assert (arena.votes, arena.favourite, arena.learner) == (ANSWERS, "plain", "tracker")
        for _ in range(4):
            ticket = arena.ask()
            assert ticket.first != ticket.second and arena.tell(ticket, ticket.first).learnt
        arena.add("new")
        assert "new" in arena.arms
    again = check(path, name=name)
    assert again.votes == ANSWERS + 4 and again.equal and not again.other
    assert again.redrawn == found.redrawn, "what the tracker asked is what a fold asks"
    assert len(from_arena(path, name=name)) == ANSWERS + 4


@every_gone
def test_opened_with_the_tracker_it_moves_once(old, name):
    before = events(old, name)
    for _ in range(2):
        Arena(old, name=name, learner="tracker").close()
        assert events(old, name) == before + 1
    demand_moved(old, name)


@every_gone
def test_the_command_moves_it(old, name):
    command = (sys.executable, "-m", "sparring_cli", "serve", old, "--name", name)
    command += ("--learner", "tracker", "--prepare")
    subprocess.run(command, check=True, capture_output=True)
    demand_moved(old, name)


def test_who_has_it_open_asks_as_soon_as_another_has_moved_it(old):
    with Arena(old, name="doubling") as here:
        with pytest.raises(ArenaClosedError):
            here.ask()
        Arena(old, name="doubling", learner="tracker").close()
        assert here.learner == "tracker"
        assert here.tell(here.ask(), "tie").learnt


@every_gone
def test_another_learner_does_not_take_its_place(old, name, tmp_path):
    before = events(old, name)
    for path in (old, tmp_path / "new.db"):
        with pytest.raises(ValueError, match=f"0.2.0; got '{name}'.*tracker"):
            Arena(path, ["plain", "polite"], learner=name, name=name)
    with pytest.raises(ValueError, match=r"learner must be 'tracker'.*got 'steady'"):
        Arena(old, name=name, learner="steady")
    with pytest.raises(ValueError, match=r"options must be .*'differ': True.*got .*oldest"):
        Arena(old, name=name, learner="tracker", options={"oldest": 99})
    assert events(old, name) == before


def test_no_other_learner_takes_the_name_of_one_that_went():
    def doubling(K, *, seed=None):
        return sparring.rand(K, seed=seed)

    with pytest.raises(ValueError, match=r"the name of a learner must be.*got 'doubling'"):
        sparring.learners.register()(doubling)


@pytest.mark.parametrize("name", WITH_T)
def test_an_arena_with_a_T_that_was_not_used_goes_on_without_it(old, name):
    found = check(old, name=name)
    assert (found.votes, found.redrawn, found.other) == (ANSWERS, 0, ()) and found.equal
    for options in (None, {"T": 5000}, {}):
        learner = None if options is None else name
        with Arena(old, name=name, learner=learner, options=options) as arena:
            assert arena.learner == name
            assert arena.tell(arena.ask(), "tie").learnt
    with Arena(old, name=name) as arena:
        recipe = arena._look(lambda state: state.learner.snapshot()["recipe"])
        assert recipe[0] == name and "T" not in recipe[1]
        arena.add("new")
        assert arena.tell(arena.ask(), "tie").learnt
    assert check(old, name=name).redrawn == 0


def test_a_T_that_is_used_stays(tmp_path):
    assert {"rex3", "dex3s", "sym_exp3s", "rucb"}.isdisjoint(UNUSED_T)
    path, options = tmp_path / "arena.db", {"T": 5000}
    Arena(path, ["a", "b"], learner="rex3", options=options).close()
    with pytest.raises(ValueError, match=r"options must be \{'T': 5000\}"):
        Arena(path, learner="rex3", options={"T": 6000})
