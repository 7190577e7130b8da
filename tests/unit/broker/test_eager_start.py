"""Coroutines begun on the spot: those that need not wait are done, the others go on as if a task had begun them."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from penstock.broker.eager_start import start_eagerly


async def answer(*waits: Any) -> int:
    for wait in waits:
        await wait
    return len(waits)


async def waits_for_ever(ended: list[str]) -> None:
    try:
        await asyncio.get_running_loop().create_future()
    finally:
        ended.append("cleaned up")


def test_one_that_does_not_wait_is_done() -> None:
    assert start_eagerly(answer()) == 0


def test_one_that_fails_at_once_fails_here() -> None:
    async def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        start_eagerly(fails())


async def test_one_that_waits_goes_on_where_it_was() -> None:
    loop = asyncio.get_running_loop()
    there, later = loop.create_future(), loop.create_future()
    there.set_result(None)
    begun = start_eagerly(answer(there, later, asyncio.sleep(0), asyncio.sleep(0.001)))
    assert isinstance(begun, Coroutine)
    task = asyncio.create_task(begun)
    await asyncio.sleep(0)
    assert not task.done()
    later.set_result(None)
    assert await task == 4


async def test_what_it_waits_for_may_fail() -> None:
    refused = asyncio.get_running_loop().create_future()

    async def asks() -> str:
        try:
            await refused
        except ValueError as error:
            await asyncio.sleep(0)
            return str(error)
        return "nothing"

    begun = start_eagerly(asks())
    assert isinstance(begun, Coroutine)
    refused.set_exception(ValueError("no"))
    assert await asyncio.create_task(begun) == "no"


async def test_it_can_be_cancelled() -> None:
    ended: list[str] = []
    begun = start_eagerly(waits_for_ever(ended))
    assert isinstance(begun, Coroutine)
    task = asyncio.create_task(begun)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["cleaned up"]


async def test_one_that_is_never_gone_on_with_is_cleaned_up() -> None:
    ended: list[str] = []
    begun = start_eagerly(waits_for_ever(ended))
    assert isinstance(begun, Coroutine)
    begun.close()
    del begun
    assert ended == ["cleaned up"]
