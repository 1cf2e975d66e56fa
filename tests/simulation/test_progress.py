"""How far long work is: on a terminal, in a pipe, and while kernels are compiled."""

import threading

import pytest

from sparring import _jit as jit
from sparring import simulate
from sparring.simulation import progress
from sparring.simulation.progress import progress_bar
from sparring.worlds import FreshWinner


@pytest.fixture
def clock(monkeypatch):
    """A time that passes only when the test says so."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")


def at(clock, tick, second, work):
    clock[0] = second
    tick(work)


def test_a_pipe_hears_ever_more_seldom_how_long_the_rest_takes(clock, capsys):
    with progress_bar(1000, "a thousand runs", shown=True, less="Fewer runs take less") as tick:
        for second in range(1, 101):
            at(clock, tick, second, 1)
    lines = capsys.readouterr().err.splitlines()
    # The first work is done at second 1; then after 10, 20, 40 and 80 seconds.
    assert [line.split(": ")[1][:3] for line in lines] == ["1% ", "2% ", "4% ", "8% "]
    assert lines[0] == "a thousand runs: 1% done, about 0:16:29 left. Fewer runs take less"
    assert all("Fewer runs" in line for line in lines)


def test_what_compiles_first_is_not_taken_for_the_speed(clock, capsys):
    with progress_bar(100, "runs", shown=True) as tick:
        at(clock, tick, 60, 1)  # the first run came after a minute
        for second in range(61, 72):
            at(clock, tick, second, 1)
    assert "about 0:01:29 left" in capsys.readouterr().err


@pytest.mark.parametrize(("shown", "lines"), [(None, 0), (False, 0), (True, 1)])
def test_a_library_says_nothing_in_a_pipe_unless_it_is_asked_to(shown, lines, clock, capsys):
    with progress_bar(100, "runs", shown=shown) as tick:
        for second in range(1, 15):
            at(clock, tick, second, 1)
    assert len(capsys.readouterr().err.splitlines()) == lines


@pytest.mark.usefixtures("terminal")
def test_a_terminal_is_warned_once_of_work_that_takes_long(clock, capsys):
    with progress_bar(10_000, "runs", shown=True, less="Fewer runs take less") as tick:
        for second in range(1, 101):
            at(clock, tick, second, 1)
    assert capsys.readouterr().err.count("left. Fewer runs take less") == 1


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(("short", "shown"), [(0.0, True), (60.0, False)])
def test_simulate_shows_a_bar_on_a_terminal_once_it_takes_long(short, shown, capsys, monkeypatch):
    """The bar comes from a timer: it is there although the first round is not played yet."""
    monkeypatch.setattr(progress, "SHORT", short)
    begun, bar = threading.Event(), progress.extras.demand("rich.progress", "a bar").Progress
    start = bar.start
    monkeypatch.setattr(bar, "start", lambda self: (start(self), begun.set()))

    class Patient(FreshWinner):
        def blocks(self, rng):
            assert begun.wait(60 if shown else 0.1) is shown
            yield from super().blocks(rng)

    simulate(Patient(3, 300, S=2), "rand", runs=1)
    assert ("rounds" in capsys.readouterr().err) is shown


@pytest.mark.compiled
def test_it_is_known_when_kernels_are_compiled():
    heard = []
    with jit.watched(heard.append):
        kernel = jit.numba.njit(lambda x: 2 * x)
        kernel(1.0)
        compiled = len(heard)
        assert heard[0] is True and heard[-1] is False
        kernel(2.0)
        assert len(heard) == compiled
    kernel(1)
    assert len(heard) == compiled
