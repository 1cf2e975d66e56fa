"""Calls of many threads that are carried out together: each caller gets what is its own."""

import threading

import pytest

from sparring.arena.group import Call, Group

pytestmark = pytest.mark.compiled  # storage and processes are the same without the compiler


def carry_out(calls):
    for call in calls:
        call.attempt(())
    for call in calls:
        call.settle()


def started(work, *arguments):
    thread = threading.Thread(target=work, args=arguments)
    thread.start()
    return thread


def test_each_caller_gets_its_own_result_or_error():
    group, found, refused = Group(carry_out), [], []

    def work(number):
        if number % 5 == 0:
            raise ValueError(number)
        return number

    def call(first):
        for number in range(first, first + 50):
            try:
                found.append((number, group.do(lambda it=number: work(it))))
            except ValueError as error:
                refused.append((number, *error.args))

    threads = [started(call, 50 * n) for n in range(16)]
    for thread in threads:
        thread.join()
    assert len(found) + len(refused) == 16 * 50
    assert all(number == result for number, result in found)
    assert sorted(refused) == [(number, number) for number in range(0, 800, 5)]


def test_those_after_a_caller_that_is_gone_are_not_forgotten():
    """Callers wake each other one by one; of one that an interrupt took away nobody is woken."""
    groups, threads, gone = [], [], Call(lambda: None)

    def together(calls):
        groups.append(len(calls))
        if not threads:  # the first: while it is at work, others come
            threads.append(started(group.do, lambda: found.append("second")))
            wait_for(1)
            group._waiting.append(gone)
            threads.append(started(group.do, lambda: found.append("last")))
            wait_for(3)
        carry_out(calls)

    def wait_for(number):
        while len(group._waiting) < number:
            pass

    group, found = Group(together), []
    group.do(lambda: found.append("first"))
    for thread in threads:
        thread.join()
    assert found == ["first", "second", "last"]
    assert (groups, gone.settled) == ([1, 3], True)


def test_an_interrupted_caller_is_passed_over():
    group, first, gone, last = Group(carry_out), *(Call(int) for _ in range(3))
    first.next, gone.next, gone.given_up = gone, last, True
    group._pass_on(first)
    assert last.sleep()
    waiting = Call(int)
    group._waiting.append(waiting)
    group._pass_on(last)  # the last of its group: the next one may begin
    assert waiting.sleep()


def test_one_thread_has_many_calls_performed_at_once():
    """With those of other threads that wait; each call has an outcome of its own."""
    groups, found = [], []

    def together(calls):
        groups.append(len(calls))
        carry_out(calls)

    group = Group(together)
    calls = [Call(lambda it=number: 6 // it) for number in range(3)]
    with pytest.raises(RuntimeError, match="not been performed"):
        calls[1].outcome()
    with group._lock:  # so that the other thread has to wait
        group._busy = True
        other = started(lambda: found.append(group.do(lambda: "other")))
        while not group._waiting:
            pass
        group._carry_out(calls)
    group._pass_on(calls[-1])
    other.join()
    assert (groups, found) == ([4], ["other"])
    assert [call.outcome() for call in calls[1:]] == [6, 3]
    with pytest.raises(ZeroDivisionError):
        calls[0].outcome()
    group.perform(calls)  # they are settled
    group.perform([])
    group.perform([*calls, last := Call(int)])
    assert (groups, last.outcome()) == ([4, 1], 0)


def test_what_fails_for_all_is_the_outcome_of_each():
    def together(calls):
        raise OSError("no disk")

    calls = [Call(int), Call(int)]
    Group(together).perform(calls)
    for call in calls:
        with pytest.raises(OSError, match="no disk"):
            call.outcome()
