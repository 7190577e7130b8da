"""Answers that may be there already: what is made of a future's value, without a turn of the loop if it has one."""

import asyncio
from asyncio import Future
from collections.abc import Callable
from typing import Any, TypeVar

from penstock.errors import Refusal

T = TypeVar("T")


def then(first: "Future[Any]", go_on: Callable[[Any], T]) -> "Future[T | Refusal]":
    """A future of what `go_on` makes of the first one's value, be that a Refusal; raised Refusals are values too."""
    second: Future[T | Refusal] = asyncio.get_running_loop().create_future()

    def settle(done: "Future[Any]") -> None:
        if second.done():
            return
        if done.cancelled():
            second.cancel()
            return
        try:
            second.set_result(go_on(done.result()))
        except Refusal as refusal:
            second.set_result(refusal)
        except Exception as error:
            second.set_exception(error)

    if first.done():
        settle(first)
    else:
        first.add_done_callback(settle)
    return second
