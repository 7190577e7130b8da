"""A start that waits for the metadata store, and what it says meanwhile. In virtual time."""

import asyncio

import pytest
from tests.support.virtual_time import in_virtual_time

from penstock.cluster import StoreWait
from penstock.metastore import StoreBehind, Unavailable


class Store:
    """Answers after so many seconds; before that a question is given up after three."""

    def __init__(self, *, up_after_s: float, failure: Exception | None = None) -> None:
        self._up_at_s = asyncio.get_running_loop().time() + up_after_s
        self._failure = failure or Unavailable("refused")

    async def ask(self) -> str:
        if asyncio.get_running_loop().time() < self._up_at_s:
            await asyncio.sleep(3)
            raise self._failure
        return "here"


def heard(wait: StoreWait) -> list[tuple[float, str | None]]:
    """What is told from now on, and when."""
    told: list[tuple[float, str | None]] = []
    loop, began_s = asyncio.get_running_loop(), asyncio.get_running_loop().time()
    wait.told = lambda reason: told.append((round(loop.time() - began_s, 1), reason))
    return told


@in_virtual_time
async def test_it_waits_for_as_long_as_it_takes_and_says_so_now_and_then() -> None:
    wait = StoreWait()
    told = heard(wait)
    assert await wait.answered(Store(up_after_s=3_600).ask) == "here"
    assert told[:4] == [(1.0, "no answer yet"), (3.0, "refused"), (13.0, "refused"), (23.0, "refused")]
    assert len(told) > 300 and told[-1][1] is None and wait.reason is None


@in_virtual_time
async def test_nothing_is_said_of_a_store_that_answers() -> None:
    wait = StoreWait()
    told = heard(wait)
    assert await wait.answered(Store(up_after_s=0).ask) == "here"
    await asyncio.sleep(60)
    assert told == []


@in_virtual_time
async def test_what_waiting_would_not_change_ends_it() -> None:
    with pytest.raises(StoreBehind):
        await StoreWait().answered(Store(up_after_s=60, failure=StoreBehind("restored")).ask)


@in_virtual_time
async def test_a_start_that_is_cancelled_says_nothing_more() -> None:
    wait = StoreWait()
    told = heard(wait)
    waiting = asyncio.create_task(wait.answered(Store(up_after_s=3_600).ask))
    await asyncio.sleep(5)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    said = len(told)
    await asyncio.sleep(60)
    assert len(told) == said and wait.reason is None
