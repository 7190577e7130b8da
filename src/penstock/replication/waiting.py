"""Those who wait for something to happen to a partition: for an offset to be reached, or for any move at all."""

from collections import deque
from typing import Protocol

from penstock.errors import Refusal
from penstock.replication.promise import Promise


class Waiter(Protocol):
    def partition_moved(self) -> None:
        """The high watermark rose, or the partition's state changed: look again."""


class EndWatcher(Protocol):
    def end_moved(self) -> None:
        """There are records after those that followers were sent."""


class OffsetWaiters:
    """In the order of their offsets. Nearly always they come so: a batch sent again is the one that waits for an
    earlier offset.
    """

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


class PartitionWaiters:
    """Everybody who waits for one partition. Kept by its parts; handlers and fetch sessions watch."""

    __slots__ = ("committed", "deleted", "durable", "end_watchers", "watchers")

    def __init__(self) -> None:
        self.committed = OffsetWaiters()
        """For the high watermark."""
        self.durable = OffsetWaiters()
        """For a flush of the leader's own log."""
        self.deleted = OffsetWaiters()
        """For every live replica's log to start there."""
        self.watchers: dict[Waiter, None] = {}
        """Empty most of the time, as the next one: worth a look before they are told."""
        self.end_watchers: dict[EndWatcher, None] = {}

    def watch(self, waiter: Waiter) -> None:
        self.watchers[waiter] = None

    def unwatch(self, waiter: Waiter) -> None:
        self.watchers.pop(waiter, None)

    def watch_end(self, watcher: EndWatcher) -> None:
        self.end_watchers[watcher] = None

    def unwatch_end(self, watcher: EndWatcher) -> None:
        self.end_watchers.pop(watcher, None)

    def tell_moved(self) -> None:
        for waiter in tuple(self.watchers):
            waiter.partition_moved()

    def tell_end(self) -> None:
        for watcher in tuple(self.end_watchers):
            watcher.end_moved()

    def fail(self, refusal: Refusal) -> None:
        """Whoever waits for an offset is told that it will not come."""
        self.committed.fail(refusal)
        self.durable.fail(refusal)
        self.deleted.fail(refusal)
