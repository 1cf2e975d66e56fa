"""The desk: calls of coroutines are done together, answered once, and none is lost."""

import asyncio
import threading

import pytest

from sparring.web.desk import TOGETHER, Desk, DeskFullError

pytestmark = pytest.mark.compiled  # threads are the same without the compiler


def perform(works):
    """Do each, and give what it returned or raised."""
    found = []
    for work in works:
        try:
            found.append(work())
        except Exception as error:
            found.append(error)
    return found


async def opened(perform, most=1024):
    desk = Desk(perform, most)
    desk.open()
    return desk


def test_what_waits_is_done_together():
    sizes, go_on = [], threading.Event()

    def counted(works):
        assert go_on.wait(300)
        sizes.append(len(works))
        return perform(works)

    async def main():
        desk = await opened(counted)
        calls = [asyncio.create_task(desk.do(lambda n=n: n * n)) for n in range(600)]
        await asyncio.sleep(0)  # now all wait
        go_on.set()
        assert await asyncio.gather(*calls) == [n * n for n in range(600)]
        await desk.close()

    asyncio.run(main())
    assert sum(sizes) == 600
    assert max(sizes) == TOGETHER
    assert len(sizes) <= 4


def test_an_error_is_its_callers_alone():
    def fail():
        raise ValueError("mine")

    async def main():
        desk = await opened(perform)
        found = await asyncio.gather(desk.do(int), desk.do(fail), return_exceptions=True)
        assert found[0] == 0
        assert str(found[1]) == "mine"
        await desk.close()

    asyncio.run(main())


def test_an_error_of_all_is_everybodys():
    def broken(works):
        raise RuntimeError("no disk")

    async def main():
        desk = await opened(broken)
        found = await asyncio.gather(desk.do(int), desk.do(int), return_exceptions=True)
        assert [str(error) for error in found] == ["no disk", "no disk"]
        await desk.close()

    asyncio.run(main())


def test_a_full_desk_refuses_at_once_and_closing_finishes_what_waits():
    go_on = threading.Event()

    def slow(works):
        assert go_on.wait(300)
        return perform(works)

    async def main():
        desk = await opened(slow, most=3)
        first = asyncio.create_task(desk.do(int))
        while not desk._taken:
            await asyncio.sleep(0.001)
        calls = [asyncio.create_task(desk.do(int)) for _ in range(3)]
        await asyncio.sleep(0)
        assert len(desk) == 3
        with pytest.raises(DeskFullError):
            await desk.do(int)
        closing = asyncio.create_task(desk.close())
        await asyncio.sleep(0)
        with pytest.raises(DeskFullError):
            await desk.do(int)
        go_on.set()
        assert await asyncio.gather(first, *calls) == [0] * 4
        await closing

    asyncio.run(main())


def test_a_caller_who_leaves_disturbs_nobody():
    go_on, done = threading.Event(), []

    def slow(works):
        assert go_on.wait(300)
        return perform(works)

    async def main():
        desk = await opened(slow)
        gone = asyncio.create_task(desk.do(lambda: done.append("gone")))
        stays = asyncio.create_task(desk.do(lambda: done.append("stays")))
        await asyncio.sleep(0.02)
        gone.cancel()
        go_on.set()
        await stays
        await desk.close()

    asyncio.run(main())
    assert done == ["gone", "stays"]  # what was begun is done, whoever waits for it
