"""Hooks around handlers: called once for each request, however the handler answers."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from tests.unit.broker.test_dispatch import LIST_GROUPS, Bench, a_request, read

from penstock.broker.connection import BadFrame
from penstock.broker.dispatch import Dispatcher
from penstock.broker.hooks import Hook, around
from penstock.broker.owed_answers import Parked
from penstock.broker.registry import Answer, RequestContext
from penstock.errors import ClusterAuthorizationFailed
from penstock.replication import Promise
from penstock.wire.api import ApiKey
from penstock.wire.messages.list_groups_request import ListGroupsRequest
from penstock.wire.messages.list_groups_response import ListGroupsResponse

ASKED = a_request(ApiKey.LIST_GROUPS, 3, ListGroupsRequest().encode(3))


class Throttling(Hook):
    """Sees all, lets everybody wait, and may refuse."""

    def __init__(self, refusal: Exception | None = None, *, is_concerned: bool = True) -> None:
        self._refusal = refusal
        self._is_concerned = is_concerned
        self.seen: list[str] = []

    def concerns(self, answer: Answer) -> bool:
        return self._is_concerned

    def before(self, answer: Answer, context: RequestContext, request: Any) -> None:
        self.seen.append(f"{context.principal} {type(request).__name__}")
        if self._refusal is not None:
            raise self._refusal

    def after(self, answer: Answer, context: RequestContext, request: Any, outcome: Any) -> None:
        self.seen.append(type(outcome).__name__)
        if isinstance(outcome, ListGroupsResponse):
            outcome.throttle_time_ms = 40


def a_bench(*hooks: Hook) -> Bench:
    bench = Bench()
    bench.dispatcher = Dispatcher(bench.bound, bench.registry, control_bytes_max=10_000, hooks=hooks)
    return bench


async def answer_of(handled: Any) -> bytes:
    if isinstance(handled, Coroutine):
        handled = await handled
    if isinstance(handled, Parked):
        ended = asyncio.Event()  # as a connection does: by a callback, which comes after the hooks' own
        handled.promise.add_done_callback(lambda _done: ended.set())
        await ended.wait()
        handled = handled.finish(handled.promise)
    return read(handled)


async def respond(*_: Any) -> ListGroupsResponse:
    await asyncio.sleep(0)
    return ListGroupsResponse()


def promised(value: Any) -> Any:
    def call(*_: Any) -> Promise[Any]:
        promise: Promise[Any] = Promise()
        asyncio.get_running_loop().call_soon(promise.set_result, value)
        return promise

    return call


WAYS: dict[str, Any] = {
    "plain": lambda *_: ListGroupsResponse(),
    "async": respond,
    "later": promised(ListGroupsResponse()),
}


@pytest.mark.parametrize("way", WAYS)
async def test_a_decoded_handler_has_its_hooks_however_it_answers(way: str) -> None:
    hook = Throttling()
    bench = a_bench(hook)
    bench.answer(ApiKey.LIST_GROUPS, WAYS[way], **LIST_GROUPS)
    answer = await answer_of(bench.handle(ASKED))
    assert ListGroupsResponse.decode(answer, 3, 5).throttle_time_ms == 40
    assert hook.seen == ["User:ANONYMOUS ListGroupsRequest", "ListGroupsResponse"]


async def ordered(*_: Any) -> Any:
    return promised([b"body"])()


@pytest.mark.parametrize("call", [lambda *_: [b"body"], promised([b"body"]), ordered], ids=["spot", "later", "ordered"])
async def test_a_raw_handler_has_the_same_hooks(call: Any) -> None:
    hook = Throttling()
    bench = a_bench(hook)
    bench.answer(ApiKey.LIST_GROUPS, call, is_raw=True, request=None, response=None)
    assert (await answer_of(bench.handle(ASKED)))[5:] == b"body"
    assert hook.seen == ["User:ANONYMOUS memoryview", "list"]


def test_a_hook_refuses_before_the_handler_runs() -> None:
    hook, ran = Throttling(ClusterAuthorizationFailed("no")), []
    bench = a_bench(hook)
    bench.answer(ApiKey.LIST_GROUPS, lambda *_: ran.append(1), **LIST_GROUPS)
    answer = ListGroupsResponse.decode(read(bench.handle(ASKED)), 3, 5)
    assert answer.error_code == ClusterAuthorizationFailed.code
    assert not ran and hook.seen[1:] == ["ClusterAuthorizationFailed"]


def test_a_raw_answer_has_no_place_for_a_hooks_refusal() -> None:
    bench = a_bench(Throttling(ClusterAuthorizationFailed("no")))
    bench.answer(ApiKey.LIST_GROUPS, lambda *_: [b""], is_raw=True, request=None, response=None)
    with pytest.raises(BadFrame):
        bench.handle(ASKED)


async def test_hooks_hear_of_a_handler_that_fails() -> None:
    async def fails(*_: Any) -> Any:
        raise ZeroDivisionError

    hook = Throttling()
    bench = a_bench(hook)
    bench.answer(ApiKey.LIST_GROUPS, fails, **LIST_GROUPS)
    assert ListGroupsResponse.decode(await answer_of(bench.handle(ASKED)), 3, 5).error_code == -1
    assert hook.seen[1:] == ["ZeroDivisionError"]


def test_a_hook_that_fails_afterwards_keeps_nobody_from_the_answer() -> None:
    class Broken(Throttling):
        def after(self, answer: Answer, context: RequestContext, request: Any, outcome: Any) -> None:
            raise ZeroDivisionError

    last = Throttling()
    bench = a_bench(Broken(), last)
    bench.answer(ApiKey.LIST_GROUPS, WAYS["plain"], **LIST_GROUPS)
    assert ListGroupsResponse.decode(read(bench.handle(ASKED)), 3, 5).throttle_time_ms == 40
    assert last.seen[1:] == ["ListGroupsResponse"]


def test_a_route_that_no_hook_concerns_calls_its_handler_directly() -> None:
    bench = Bench()
    bench.answer(ApiKey.LIST_GROUPS, WAYS["plain"], **LIST_GROUPS)
    bound = bench.bound[ApiKey.LIST_GROUPS]
    assert around([], bound.answer, bound.call) is bound.call
    assert around([Throttling(is_concerned=False)], bound.answer, bound.call) is bound.call
