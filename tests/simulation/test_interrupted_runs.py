"""An interrupt ends the runs that threads play, at whatever moment it is noticed."""

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparring.simulation.workers import completed


@pytest.fixture
def interruptible():
    """Whoever starts the tests in the background may have them ignore SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_that_is_noticed_between_two_looks_ends_the_threads():
    """It comes to the thread of the task, so the main one sees it only after its wait is over."""
    given_up = threading.Event()

    def task(tick):
        time.sleep(0.3)  # until the main thread waits
        signal.raise_signal(signal.SIGINT)
        try:
            for _ in range(300_000):  # minutes, in case the main thread is long in noticing
                tick(0)
                time.sleep(0.001)
        except RuntimeError:
            given_up.set()

    with ThreadPoolExecutor(1) as executor, pytest.raises(KeyboardInterrupt):
        list(completed([task], executor, lambda work: None))
    assert given_up.is_set()
