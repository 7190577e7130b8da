"""Those who wait for an offset to be reached, in the order of their offsets."""

from asyncio import Future, get_running_loop
from collections import deque

from penstock.errors import Refusal


class OffsetWaiters:
    """Nearly always they come in order: a batch sent again is the one that waits for an earlier offset."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Future[None]]] = deque()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def wait_for(self, offset: int) -> "Future[None]":
        future: Future[None] = get_running_loop().create_future()
        waiting = self._waiting
        place = len(waiting)
        while place and waiting[place - 1][0] > offset:
            place -= 1
        waiting.insert(place, (offset, future))
        return future

    def release(self, reached: int) -> None:
        waiting = self._waiting
        while waiting and waiting[0][0] <= reached:
            _, future = waiting.popleft()
            if not future.done():
                future.set_result(None)

    def fail(self, refusal: Refusal) -> None:
        waiting, self._waiting = self._waiting, deque()
        for _, future in waiting:
            if not future.done():
                future.set_exception(refusal)
