"""A promise: kept once, told at once."""

import asyncio

import pytest

from penstock.replication import Promise


def test_whoever_waits_is_told_within_the_call_that_keeps_it() -> None:
    promise: Promise[int] = Promise()
    told: list[int] = []
    promise.add_done_callback(lambda done: told.append(done.result()))
    assert not promise.done()
    promise.set_result(7)
    assert told == [7] and promise.done() and promise.exception() is None
    promise.add_done_callback(lambda done: told.append(-done.result()))
    assert told == [7, -7]


def test_a_broken_promise_raises_what_broke_it() -> None:
    promise: Promise[int] = Promise()
    promise.set_exception(ValueError("no"))
    assert isinstance(promise.exception(), ValueError) and not promise.cancelled()
    with pytest.raises(ValueError, match="no"):
        promise.result()


def test_it_is_kept_once_and_not_known_before() -> None:
    promise: Promise[int] = Promise()
    with pytest.raises(asyncio.InvalidStateError):
        promise.result()
    with pytest.raises(asyncio.InvalidStateError):
        promise.exception()
    promise.set_result(1)
    with pytest.raises(asyncio.InvalidStateError):
        promise.set_result(2)
    promise.cancel()
    assert promise.result() == 1 and not promise.cancelled()


def test_cancelling_tells_whoever_waits() -> None:
    promise: Promise[int] = Promise()
    told: list[bool] = []
    promise.add_done_callback(lambda done: told.append(done.cancelled()))
    promise.cancel()
    promise.cancel()
    assert told == [True]


async def test_it_can_be_awaited() -> None:
    promise: Promise[int] = Promise()
    asyncio.get_running_loop().call_soon(promise.set_result, 3)
    assert await promise == 3
    assert await promise == 3


async def test_whoever_is_cancelled_while_waiting_cancels_it() -> None:
    promise: Promise[int] = Promise()
    waiting = asyncio.ensure_future(promise)
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert promise.cancelled()
