"""What is made of an answer that may be there already."""

import asyncio
from typing import Any

import pytest

from penstock.errors import NotCoordinator, Refusal, UnknownMemberId
from penstock.replication import Promise, then


def a_promise(value: Any = None, *, is_done: bool = True) -> Promise[Any]:
    promise: Promise[Any] = Promise()
    if is_done:
        promise.set_result(value)
    return promise


async def test_a_value_that_is_there_is_gone_on_with_at_once() -> None:
    after = then(a_promise(20), lambda value: value + 1)
    assert after.done() and after.result() == 21


async def test_a_value_that_comes_later_is_gone_on_with_then() -> None:
    first = a_promise(is_done=False)
    after = then(first, lambda value: value + 1)
    assert not after.done()
    first.set_result(20)
    assert await after == 21


async def test_a_refusal_is_a_value_however_it_comes() -> None:
    def refuse(value: Any) -> Any:
        raise UnknownMemberId(str(value))

    refused = then(a_promise(NotCoordinator()), lambda value: value).result()
    assert isinstance(refused, NotCoordinator)
    assert isinstance(then(a_promise("m"), refuse).result(), Refusal)


async def test_a_bug_is_raised_to_whoever_asks() -> None:
    after = then(a_promise(0), lambda value: 1 / value)
    with pytest.raises(ZeroDivisionError):
        after.result()


async def test_whoever_stopped_waiting_hears_nothing() -> None:
    first = a_promise(is_done=False)
    after = then(first, lambda value: value)
    after.cancel()
    first.set_result(1)
    await asyncio.sleep(0)
    assert after.cancelled()


async def test_nothing_is_made_of_what_was_cancelled() -> None:
    first = a_promise(is_done=False)
    after = then(first, lambda value: value)
    first.cancel()
    await asyncio.sleep(0)
    assert after.cancelled()
