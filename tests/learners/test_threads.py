"""One learner, many threads: a service answers its users in parallel."""

import signal
import threading
import time

import numpy as np
import pytest

import sparring

pytestmark = pytest.mark.compiled


def test_threads_do_not_disturb_each_other():
    """Eight threads, 20,000 duels: each round asked once, each duel told once, p intact.

    With beta = alpha = 0 the updates commute, so weights must equal those of telling the same duels
    alone, up to the order of multiplication.
    """
    learner = sparring.dex3p(50, tuning=sparring.Tuning(1e-4, 0.3), seed=1)
    told, lock = [], threading.Lock()

    def work(thread):
        for i in range(2_500):
            duel = learner.ask()
            outcome = (thread + i) % 2
            learner.tell(duel, outcome)
            with lock:
                told.append((duel, outcome))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(duel.t for duel, _ in told) == list(range(1, 20_001))
    assert learner.t == 20_000
    assert not learner.open
    exponents = np.zeros((2, 50))
    for duel, outcome in told:
        exponents[0, duel.row] += 1e-4 * outcome / duel.p[0, duel.row]
        exponents[1, duel.col] += 1e-4 * (1 - outcome) / duel.p[1, duel.col]
    fractions = np.exp(exponents) / np.exp(exponents).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(learner.p, 0.7 * fractions + 0.3 / 50, rtol=1e-10)


def test_a_signal_handler_is_told_instead_of_hanging():
    """A handler that saves in the midst of a call gets an error with a remedy."""
    learner = sparring.dex3p(10, 10_000, seed=1)
    outcomes = []

    def handler(*_):
        try:
            learner.snapshot()
            outcomes.append("saved")
        except RuntimeError as error:
            outcomes.append(str(error))

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        deadline = time.monotonic() + 300
        while len(set(outcomes)) < 2 and time.monotonic() < deadline:
            learner.tell(learner.ask(), 1.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert any("let the handler set a flag" in outcome for outcome in outcomes)
    sparring.restore(learner.snapshot())


def another_thread_can_ask(learner):
    thread = threading.Thread(target=learner.ask, daemon=True)
    thread.start()
    thread.join(timeout=300)
    return not thread.is_alive()


def wait_for_the_alarm():
    """In short naps: a signal between the decision to sleep and the sleep does not end it."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        time.sleep(0.001)


def test_a_call_that_an_interrupt_cut_off_does_not_keep_its_turn():
    """Ctrl-C 300 times, at most moments of an ask and its way in and out: others go on."""
    learner = sparring.tracker(4, seed=1)
    learner.ask()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    interrupted = 0
    try:
        for n in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, (1 + n % 15) * 1e-6)
                learner.ask()
                wait_for_the_alarm()
            except KeyboardInterrupt:
                interrupted += 1
            assert another_thread_can_ask(learner)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted > 250


@pytest.mark.parametrize("call", ["ask", "snapshot", "p", "chances"])
def test_a_call_in_the_midst_of_another_is_refused(call):
    class Handler(sparring.learners.Adaptive):
        def _choose(self):
            getattr(self, call) if call in ("p", "chances") else getattr(self, call)()

    learner = Handler(4, seed=1)
    with pytest.raises(RuntimeError, match="in the midst of another call"):
        learner.ask()
    assert another_thread_can_ask(sparring.restore(learner.snapshot()))


def test_a_snapshot_taken_meanwhile_is_whole():
    """Snapshots taken while others ask and tell restore: no half-written state is ever seen."""
    learner = sparring.dex3s(20, 100_000, S=3, seed=1)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            learner.tell(learner.ask(), 1.0)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(50):
            again = sparring.restore(learner.snapshot())
            np.testing.assert_allclose(again.p.sum(axis=1), 1, rtol=1e-12)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
