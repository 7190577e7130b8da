"""What a receive sets off is done after its last frame, in order, and does not keep others waiting."""

import asyncio
from functools import partial
from typing import Any

import pytest

from penstock.broker.after_receive import AT_ONCE, AfterReceive


@pytest.fixture
async def afterwards() -> AfterReceive:
    return AfterReceive(asyncio.get_running_loop())


async def test_within_a_receive_all_is_done_at_its_end(afterwards: AfterReceive) -> None:
    done: list[str] = []
    afterwards.begin()
    afterwards.soon(partial(done.append, "first"))
    afterwards.soon(lambda: afterwards.soon(partial(done.append, "set off by the second")))
    assert not done
    afterwards.settle()
    assert done == ["first", "set off by the second"]


async def test_outside_of_one_the_loop_does_it(afterwards: AfterReceive) -> None:
    done: list[str] = []
    afterwards.begin()
    afterwards.settle()
    afterwards.soon(partial(done.append, "later"))
    assert not done
    await asyncio.sleep(0)
    assert done == ["later"]


async def test_many_are_left_to_the_next_turn_in_their_order(afterwards: AfterReceive) -> None:
    done: list[int] = []
    afterwards.begin()
    for number in range(2 * AT_ONCE):
        afterwards.soon(partial(done.append, number))
    afterwards.settle()
    assert done == list(range(AT_ONCE))
    await asyncio.sleep(0)
    assert done == list(range(2 * AT_ONCE))


async def test_one_that_fails_is_reported_and_stops_nobody(afterwards: AfterReceive) -> None:
    reported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: reported.append(context))
    done: list[str] = []
    afterwards.begin()
    afterwards.soon(lambda: done.append(str(1 // 0)))
    afterwards.soon(partial(done.append, "the other"))
    afterwards.settle()
    assert done == ["the other"]
    assert [type(context["exception"]) for context in reported] == [ZeroDivisionError]


async def test_a_single_thing_is_done_before_the_answer_and_so_is_what_it_sets_off(afterwards: AfterReceive) -> None:
    done: list[str] = []
    afterwards.begin()

    def woken() -> None:
        done.append("woken")
        afterwards.soon(lambda: done.append("sent"))

    afterwards.soon(woken)
    afterwards.settle_single()
    assert done == ["woken", "sent"]
    afterwards.settle()
    assert done == ["woken", "sent"]


async def test_several_things_wait_until_the_answer_is_sent(afterwards: AfterReceive) -> None:
    done: list[int] = []
    afterwards.begin()
    for number in range(2):
        afterwards.soon(lambda number=number: done.append(number))  # type: ignore[misc]
    afterwards.settle_single()
    assert not done
    afterwards.settle()
    assert done == [0, 1]
