"""Questions beside the state: what one forgets, so does the other, event by event."""

import random

import pytest

from sparring.arena import Arena
from sparring.arena.questions import Questions
from sparring.arena.state import SECOND, State

pytestmark = pytest.mark.compiled  # no kernel is tested here


@pytest.mark.parametrize("seed", range(3))
def test_a_question_is_open_exactly_as_long_as_its_pair(tmp_path, monkeypatch, seed):
    luck, moment = random.Random(seed), [int(1_800_000_000 * SECOND)]
    monkeypatch.setattr("sparring.arena.making.now", lambda: moment[0])
    with Arena(tmp_path / "arena.db", ["ash", "birch", "cedar"], lifetime=100, seed=1) as arena:
        arena.set(grace=60.0)
        asked = {}
        for number in range(150):
            moment[0] += luck.choice((0, 1, 1, 60)) * int(SECOND)
            for ticket in arena.ask_many(f"voter {luck.randrange(3)}", 3):
                asked[ticket.text] = ticket
            told = asked.pop(luck.choice(list(asked)))
            arena.tell(told, "tie")
            name = arena._claims(told).name
            if luck.random() < 0.3 and arena._look(lambda state, name=name: name in state.fresh):
                again = arena.undo(told)
                asked[again.text] = again
            if number % 10 == 5:
                oldest = arena._look(lambda state: list(state.open)[:2])
                arena._group.do(lambda oldest=oldest: arena._lapse(oldest))
            if number % 50 == 20:
                arena.add(f"elm {number}")
            elif number % 50 == 40:
                arena.withdraw(luck.choice(arena.arms))
        events = list(arena._log.after(0, ""))
    state, questions, gone = State(), Questions(), 0
    for event, chain in events:
        before = set(state.open)
        state.apply(event, chain)
        questions.answered_by(event)
        assert list(questions._open) == list(state.open)
        gone += len(before - set(state.open) - {event.ticket})
    assert sum(event.kind == "lapsed" for event, _ in events) == 15
    assert gone > 20  # pairs that nobody answered
