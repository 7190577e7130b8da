"""Asking the store whether the image still holds: once for all who ask meanwhile, and never for ever."""

import asyncio

import pytest

from penstock.cluster import ReadBarrier, read_barrier
from penstock.metastore import Unavailable


class Store:
    def __init__(self) -> None:
        self.asked = 0
        self.may_answer = asyncio.Event()
        self.is_away = False

    async def catch_up(self) -> None:
        self.asked += 1
        await self.may_answer.wait()
        if self.is_away:
            raise Unavailable("away")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(read_barrier, "PAUSE_S", 0)
    return Store()


async def test_many_who_ask_at_once_are_one_question(store: Store) -> None:
    barrier = ReadBarrier(store.catch_up, spawn=asyncio.ensure_future)
    waiting = [asyncio.ensure_future(barrier.passed()) for _ in range(50)]
    await asyncio.sleep(0)
    store.may_answer.set()
    assert await asyncio.gather(*waiting) == [True] * 50
    assert store.asked == 1


async def test_whoever_asks_while_a_question_is_under_way_is_answered_by_the_next(store: Store) -> None:
    """The first question may have been answered, as far as the store is concerned, before the second was put."""
    barrier = ReadBarrier(store.catch_up, spawn=asyncio.ensure_future)
    first = asyncio.ensure_future(barrier.passed())
    while not store.asked:
        await asyncio.sleep(0)
    second = asyncio.ensure_future(barrier.passed())
    await asyncio.sleep(0)
    store.may_answer.set()
    assert await first and await second
    assert store.asked == 2


async def test_a_store_that_is_away_or_silent_confirms_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_barrier, "WITHIN_S", 0.01)
    barrier = ReadBarrier(store.catch_up, spawn=asyncio.ensure_future)
    assert not await barrier.passed()
    store.is_away = True
    store.may_answer.set()
    assert not await barrier.passed()
    store.is_away = False
    assert await barrier.passed()


async def test_a_caller_that_gives_up_takes_nobody_with_it(store: Store) -> None:
    barrier = ReadBarrier(store.catch_up, spawn=asyncio.ensure_future)
    hasty, patient = (asyncio.ensure_future(barrier.passed()) for _ in range(2))
    await asyncio.sleep(0)
    hasty.cancel()
    store.may_answer.set()
    assert await patient
