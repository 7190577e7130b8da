"""Deadlines: called in time and in order, not at all when cancelled, and none is kept for long after that."""

import asyncio
from functools import partial

import pytest

from penstock.broker.deadlines import Deadlines


@pytest.fixture
async def deadlines() -> Deadlines:
    return Deadlines(asyncio.get_running_loop())


async def until_empty(deadlines: Deadlines) -> None:
    async with asyncio.timeout(60):
        while len(deadlines):
            await asyncio.sleep(0.001)
    await asyncio.sleep(0)


async def test_each_is_called_once_its_time_has_come(deadlines: Deadlines) -> None:
    loop = asyncio.get_running_loop()
    called: dict[int, float] = {}

    def note(wait_ms: int) -> None:
        called[wait_ms] = loop.time()

    began = loop.time()
    for wait_ms in (20, 5, 1, 5, 20):
        deadlines.call_later(wait_ms, partial(note, wait_ms))
    await until_empty(deadlines)
    assert sorted(called) == [1, 5, 20]
    assert all(at - began >= wait_ms / 1000 for wait_ms, at in called.items())


async def test_those_that_wait_equally_long_are_called_in_order_but_for_the_cancelled(deadlines: Deadlines) -> None:
    called: list[int] = []
    waiting = [deadlines.call_later(5, partial(called.append, number)) for number in range(6)]
    for number in (0, 3, 5):
        waiting[number].cancel()
    await until_empty(deadlines)
    assert called == [1, 2, 4]


async def test_a_line_that_was_empty_is_begun_anew(deadlines: Deadlines) -> None:
    called: list[int] = []
    for number in range(2):
        deadlines.call_later(1, partial(called.append, number))
        await until_empty(deadlines)
    assert called == [0, 1]


async def test_the_cancelled_make_room_for_those_that_come(deadlines: Deadlines) -> None:
    for _ in range(1_000):
        deadlines.call_later(60_000, lambda: None).cancel()
    assert len(deadlines) == 1


async def test_the_cancelled_go_from_behind_one_who_waits_on(deadlines: Deadlines) -> None:
    called: list[str] = []
    deadlines.call_later(60_000, partial(called.append, "first"))
    for _ in range(10_000):
        deadlines.call_later(60_000, lambda: None).cancel()
    assert len(deadlines) < 200


async def test_whoever_names_ever_other_times_leaves_nothing_behind(deadlines: Deadlines) -> None:
    called: list[str] = []
    deadlines.call_later(20, partial(called.append, "among them"))
    for wait_ms in range(1_000_000, 1_010_000):
        deadlines.call_later(wait_ms, lambda: None).cancel()
    assert len(deadlines) < 200
    async with asyncio.timeout(60):
        while not called:
            await asyncio.sleep(0.001)
    assert called == ["among them"]


async def test_a_failing_one_does_not_stop_the_others(deadlines: Deadlines) -> None:
    asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
    called: list[str] = []
    deadlines.call_later(1, lambda: called.append(str(1 // 0)))
    deadlines.call_later(1, partial(called.append, "the other"))
    await until_empty(deadlines)
    assert called == ["the other"]
