"""Steps within a transaction: whose ticket it is, and that a call is all or nothing."""

import pytest

from sparring.arena import Arena, TicketError
from sparring.arena.inside import Inside

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler


@pytest.fixture
def arena(tmp_path):
    with Arena(tmp_path / "a.db", ["a", "b", "c"], seed=1) as arena:
        arena.set(grace=60)
        yield arena


def done(arena, work):
    call = Inside(arena).calling(work)
    arena.perform([call])
    return call.outcome()


def test_a_ticket_is_its_voter_s_also_when_it_is_from_an_undo_and_spent(arena):
    inside = Inside(arena)
    ann, bob = arena.pseudonym("ann"), arena.pseudonym("bob")
    ticket = arena.ask("ann")
    arena.tell(ticket, 1.0)
    again = arena.undo(ticket)
    for _ in ("open", "spent"):
        for text in (ticket.text, again.text):
            assert done(arena, lambda text=text: inside.claims(text, ann)).name
            assert done(arena, lambda text=text: inside.claims(text)).name
            with pytest.raises(TicketError, match="not this voter's"):
                done(arena, lambda text=text: inside.claims(text, bob))
        arena.tell(again, 0.0)
    assert arena.tell(again, 0.0).learnt  # a retry has the same reply
    free = arena.ask()
    assert done(arena, lambda: inside.claims(free.text, bob)).name


def test_several_steps_are_one_call(arena):
    inside = Inside(arena)
    ticket = arena.ask("ann")
    before = inside.look(lambda state: state.number)

    def work():
        told = inside.tell(inside.claims(ticket.text), "tie")
        inside.add_all({"d": None})
        return told.number, inside.state.names(), inside.ask(arena.pseudonym("ann"), 2)

    number, names, asked = done(arena, work)
    assert (number, names, len(asked)) == (before + 1, ["a", "b", "c", "d"], 2)
    assert inside.open_pairs == 2
    inside_edit = done(arena, lambda: inside.edit("d", {"text": "D"}))
    assert inside_edit is None
    done(arena, lambda: inside.seen(inside.claims(asked[0].text)))
    kinds = [event.kind for event, _ in arena._log.after(0, "")]
    assert kinds[-6:] == ["told", "added", "asked", "asked", "edited", "seen"]
