"""The wall clock jumps by an hour: no vote is lost or learnt twice, and time goes on."""

import random
import time

import pytest

import arena_log
from sparring.arena.clock import Clock
from sparring.arena.voters import DAY
from web_service import assert_problem, hosted

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler

HOUR, SECOND = 3_600_000_000, 1_000_000


class Clocks:
    """The wall clock that jumps, and the monotonic one that does not, in microseconds."""

    def __init__(self, monkeypatch):
        self.wall, self.ticks = 1_800_000_000 * SECOND, 5 * HOUR
        monkeypatch.setattr("sparring.arena.making.now", lambda: self.wall)
        monkeypatch.setattr("sparring.arena.clock.time.monotonic_ns", lambda: 1000 * self.ticks)

    def wait(self, seconds):
        self.wall += int(seconds * SECOND)
        self.ticks += int(seconds * SECOND)

    def jump(self, hours):
        self.wall += int(hours * HOUR)


@pytest.fixture
def clocks(monkeypatch):
    return Clocks(monkeypatch)


def test_the_clock_never_runs_back_never_stands_still_and_comes_back_into_step(clocks):
    clock = Clock()
    assert clock.now(0) == clocks.wall
    clocks.jump(+1)
    ahead = clock.now(0)
    assert ahead == clocks.wall
    clocks.jump(-1)
    clocks.wait(10)
    assert clock.now(0) == ahead + 9 * SECOND
    assert Clock().now(ahead) == ahead  # another process begins where the log ends
    clocks.wait(10 * 3600)
    assert clock.now(0) == clocks.wall


def vote(service, voter, answer="first"):
    caller = service.voter(voter)
    (pair,) = caller.ask()
    reply = caller.vote(pair["ticket"], answer)
    assert reply.status_code == 200, reply.text
    return pair["ticket"], reply.json()


def test_jumps_under_votes_lose_nothing_and_learn_nothing_twice(tmp_path, clocks):
    luck, told = random.Random(5), {}
    path = tmp_path / "arena.db"
    for _ in range(3):  # lives of the service
        with hosted(path) as service:
            service.admin("PATCH", "settings", {"dwell": 1.0, "grace": 5.0})
            for _ in range(25):
                voter = f"voter-{luck.randrange(8):04d}"
                (pair,) = service.voter(voter).ask()
                clocks.jump(luck.choice((-1, 0, 0, 1)))
                clocks.wait(10)
                reply = service.voter(voter).vote(pair["ticket"]).json()
                assert reply["learnt"], reply  # neither too late nor too fast
                told[pair["ticket"]] = voter, reply
                for ticket, (other, before) in luck.sample(list(told.items()), min(2, len(told))):
                    assert service.voter(other).vote(ticket).json() == before
            assert service.arena().tallies().told == len(told)
    with hosted(path) as service:
        service.voter("voter-last").ask()
        clocks.wait(10)
        service.voter("voter-next").ask()  # time has passed: what could be undone is learnt
        assert service.arena().votes == len(told)
    opened, folded = arena_log.fold_again(path)
    assert opened == folded


def test_a_least_look_and_undo_take_seconds_after_the_clock_was_set_back(tmp_path, clocks):
    with hosted(tmp_path / "arena.db") as service:
        service.admin("PATCH", "settings", {"dwell": 2.0, "grace": 10.0})
        clocks.jump(+1)
        service.voter("voter-one").ask()
        clocks.jump(-1)
        (pair,) = service.voter("voter-ann").ask()
        assert not service.voter("voter-ann").vote(pair["ticket"]).json()["learnt"]  # too fast
        (pair,) = service.voter("voter-ann").ask()
        clocks.wait(3)
        assert service.voter("voter-ann").vote(pair["ticket"]).json()["learnt"]
        again = service.voter("voter-ann")("POST", "undo", {"ticket": pair["ticket"]}).json()
        clocks.wait(3)
        assert service.voter("voter-ann").vote(again["ticket"]).json()["learnt"]
        clocks.wait(12)
        late = service.voter("voter-ann")("POST", "undo", {"ticket": again["ticket"]})
        assert_problem(late, 409, "too-late-to-undo")


def test_tickets_neither_all_expire_nor_live_for_ever(tmp_path, clocks):
    with hosted(tmp_path / "arena.db") as service:
        lifetime = service.arena()._look(lambda state: state.lifetime) / SECOND
        (pair,) = service.voter("voter-ann").ask()
        (late,) = service.voter("voter-bob").ask()
        clocks.jump(+1)
        assert service.voter("voter-ann").vote(pair["ticket"]).json()["learnt"]
        clocks.jump(-1)
        clocks.wait(lifetime + 1)
        reply = service.voter("voter-bob").vote(late["ticket"]).json()
        assert (reply["learnt"], reply["why"]) == (False, "it came too late")


def test_a_day_is_begun_once_and_a_cap_holds_over_jumps(tmp_path, clocks):
    clocks.wall = clocks.wall // DAY * DAY + DAY - HOUR // 2  # half an hour before midnight
    with hosted(tmp_path / "arena.db") as service:
        service.admin("PATCH", "settings", {"cap": 2})

        def learnt():
            clocks.wait(1)
            return vote(service, "voter-ann")[1]["learnt"]

        assert [learnt() for _ in range(3)] == [True, True, False]
        clocks.jump(+1)  # over midnight
        assert [learnt() for _ in range(3)] == [True, True, False]
        for hours in (-1, +1, -1):
            clocks.jump(hours)
            assert not learnt()


def test_limits_on_callers_do_not_hear_of_the_wall_clock(monkeypatch):
    from sparring.web.config import Limits
    from sparring.web.limits import Throttle

    throttle = Throttle(Limits(voter_minute=1))
    assert throttle.wait("ann", "192.0.2.1", is_vote=False) == 0
    monkeypatch.setattr(time, "time", lambda: 2e9)
    assert throttle.wait("ann", "192.0.2.1", is_vote=False) > 50
