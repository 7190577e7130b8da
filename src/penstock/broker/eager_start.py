"""Coroutines begun on the spot: most end without having waited for anything, and then need no task and no turn of the
loop (Python 3.12 has this as eager tasks).

Until it first waits, such a coroutine runs in no task: it must not use what needs one (`asyncio.timeout`, a TaskGroup).
"""

import types
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

T = TypeVar("T")


def start_eagerly(work: Coroutine[Any, Any, T]) -> T | Coroutine[Any, Any, T]:
    """Run it until it waits: what it returns, if it does not; else the rest of it, for a task."""
    try:
        waits_for = work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    return _rest(work, waits_for)


async def _rest(work: Coroutine[Any, Any, T], waits_for: Any) -> T:
    return await _go_on(work, waits_for)


@types.coroutine
def _go_on(work: Coroutine[Any, Any, T], waits_for: Any) -> Generator[Any, Any, T]:
    """Wait for what it waits for, and pass on what comes."""
    try:
        while True:
            try:
                value = yield waits_for
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:
                waits_for = work.throw(error)
            else:
                waits_for = work.send(value)
    except StopIteration as end:
        result: T = end.value
        return result
