"""Writes of a share partition, one under way at a time: what comes meanwhile is joined and leaves as one.

Alone, a write leaves at once. Under load writes grow instead of becoming many, and each still returns only when what it
brought is replicated.
"""

from asyncio import Future, get_running_loop
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from penstock.coordinators.shares.commands import Write
from penstock.coordinators.shares.joining import joined
from penstock.coordinators.shares.metrics import ShareStateMetrics
from penstock.coordinators.shares.states import SharePartitionKey
from penstock.errors import Refusal

_Waiting = list[tuple[Write, "Future[None]"]]


class JoinedWrites:
    def __init__(
        self,
        send: Callable[[Write], Awaitable[Any]],
        *,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        metrics: ShareStateMetrics,
    ) -> None:
        self._send = send
        self._spawn = spawn
        self._metrics = metrics
        self._under_way: dict[SharePartitionKey, _Waiting] = {}
        """What waits behind the write that is under way."""

    async def write(self, write: Write) -> None:
        self._metrics.writes += 1
        waiting = self._under_way.get(write.key)
        if waiting is not None:
            answer: Future[None] = get_running_loop().create_future()
            waiting.append((write, answer))
            await answer
            return
        waiting = self._under_way[write.key] = []
        try:
            await self._send(write)
        finally:
            if waiting:
                self._spawn(self._send_waiting(write.key, waiting))
            else:
                del self._under_way[write.key]

    async def _send_waiting(self, key: SharePartitionKey, waiting: _Waiting) -> None:
        answers: list[Future[None]] = []
        try:
            while waiting:
                write, answers = self._take(waiting)
                await self._send_one(write, answers)
        finally:
            del self._under_way[key]
            for answer in [*answers, *(each for _, each in waiting)]:  # only where this task is ended
                answer.cancel()

    async def _send_one(self, write: Write, answers: "list[Future[None]]") -> None:
        error: Exception | None = None
        try:
            await self._send(write)
        except Exception as failure:  # a Refusal, or a bug that whoever asked is the one to hear of
            error = failure
        for answer in answers:
            if answer.done():
                continue
            if error is None:
                answer.set_result(None)
            else:  # one each: whoever raises it adds its own traceback
                answer.set_exception(type(error)(error.message) if isinstance(error, Refusal) else error)

    def _take(self, waiting: _Waiting) -> "tuple[Write, list[Future[None]]]":
        """The first, and all after it that can be joined with it."""
        write, answer = waiting.pop(0)
        answers = [answer]
        while waiting:
            both = joined(write, waiting[0][0])
            if both is None:
                break
            write = both
            answers.append(waiting.pop(0)[1])
            self._metrics.joined_writes += 1
        return write, answers
