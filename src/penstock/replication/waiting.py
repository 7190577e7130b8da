"""Those who wait for an offset to be reached, in the order of their offsets."""

from collections import deque

from penstock.errors import Refusal
from penstock.replication.promise import Promise


class OffsetWaiters:
    """Nearly always they come in order: a batch sent again is the one that waits for an earlier offset."""

    __slots__ = ("waiting",)

    def __init__(self) -> None:
        self.waiting: deque[tuple[int, Promise[None]]] = deque()
        """Empty most of the time: worth a look before `release` is called."""

    def wait_for(self, offset: int) -> Promise[None]:
        promise: Promise[None] = Promise()
        waiting = self.waiting
        while waiting and waiting[0][1].done():
            waiting.popleft()  # whoever gave up: an offset that is not reached for long must not gather them
        place = len(waiting)
        while place and waiting[place - 1][0] > offset:
            place -= 1
        waiting.insert(place, (offset, promise))
        return promise

    def release(self, reached: int) -> None:
        waiting = self.waiting
        while waiting and waiting[0][0] <= reached:
            _, promise = waiting.popleft()
            if not promise.done():
                promise.set_result(None)

    def fail(self, refusal: Refusal) -> None:
        waiting, self.waiting = self.waiting, deque()
        for _, promise in waiting:
            if not promise.done():
                promise.set_exception(refusal)
