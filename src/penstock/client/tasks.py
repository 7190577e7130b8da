"""Tasks, futures and timers without an event loop: what the client's operations are made of.

An operation is an `async def` that awaits futures from here and nothing else, so that it runs the same under every
driver, and under a test that turns the clock. A driver gives it bytes and time: it calls `run()` whenever something may
have happened, and comes back at `next_wake_s` at the latest.

Nothing here is safe to use from two threads.
"""

import heapq
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable
from typing import Any, Generic, TypeVar

from penstock.errors import Refusal, RequestTimedOut
from penstock.model import Clock

T = TypeVar("T")


class NoAnswer(RequestTimedOut):
    """Nobody answered in time; what was asked may have been done."""


class Cancelled(BaseException):
    """Thrown into a task that nobody waits for any more; passes through `except Exception`."""


class Future(Generic[T]):
    """A value that comes later, or the exception that comes instead."""

    __slots__ = ("_callbacks", "_error", "_value", "is_done")

    def __init__(self) -> None:
        self.is_done = False
        self._value: T | None = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[], None]] = []

    def resolve(self, value: T) -> None:
        if not self.is_done:
            self._value = value
            self._settle()

    def fail(self, error: BaseException) -> None:
        if not self.is_done:
            self._error = error
            self._settle()

    def _settle(self) -> None:
        self.is_done = True
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def when_done(self, callback: Callable[[], None]) -> None:
        if self.is_done:
            callback()
        else:
            self._callbacks.append(callback)

    @property
    def error(self) -> BaseException | None:
        return self._error

    def value(self) -> T:
        if not self.is_done:
            raise RuntimeError("the value is not there yet")
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]

    def __await__(self) -> "Generator[Future[Any], None, T]":
        if not self.is_done:
            yield self
        return self.value()


class Task(Future[T]):
    """A coroutine under way; done when it returns or raises."""

    __slots__ = ("_coroutine", "_ready", "_thrown")

    def __init__(self, coroutine: Coroutine[Any, Any, T], ready: "deque[Callable[[], None]]") -> None:
        super().__init__()
        self._coroutine = coroutine
        self._ready = ready
        self._thrown: BaseException | None = None
        ready.append(self._step)

    def _step(self) -> None:
        if self.is_done:
            return
        thrown, self._thrown = self._thrown, None
        try:
            waits_for = self._coroutine.throw(thrown) if thrown is not None else self._coroutine.send(None)
        except StopIteration as stop:
            self.resolve(stop.value)
        except BaseException as error:
            self.fail(error)
            if not isinstance(error, (Exception, Cancelled)):
                raise
        else:
            waits_for.when_done(self._wake)

    def _wake(self) -> None:
        self._ready.append(self._step)

    def cancel(self) -> None:
        if not self.is_done:
            self._thrown = Cancelled()
            self._ready.append(self._step)


class Scheduler:
    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._ready: deque[Callable[[], None]] = deque()
        self._timers: list[tuple[float, int, Future[None]]] = []
        self._count = 0

    def start(self, coroutine: Coroutine[Any, Any, T]) -> Task[T]:
        return Task(coroutine, self._ready)

    def pause(self, seconds: float) -> Future[None]:
        """Done after so long; resolve it earlier to call it off."""
        timer: Future[None] = Future()
        self._count += 1
        heapq.heappush(self._timers, (self.clock.monotonic() + seconds, self._count, timer))
        return timer

    def run(self) -> None:
        """Let every task go as far as it can by now."""
        timers, now_s = self._timers, self.clock.monotonic()
        while timers and (timers[0][0] <= now_s or timers[0][2].is_done):
            heapq.heappop(timers)[2].resolve(None)
        while self._ready:
            self._ready.popleft()()

    @property
    def next_wake_s(self) -> float | None:
        """When the next timer is due, on the monotonic clock; None if there is none."""
        while self._timers and self._timers[0][2].is_done:
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None

    # Waiting for several --------------------------------------------------------------------------------------------

    async def within(self, seconds: float, future: Future[T], *, doing: str) -> T:
        """The future's value, or NoAnswer; the future itself is let be."""
        timer = self.pause(seconds)
        await first_of([future, timer])
        if not future.is_done:
            raise NoAnswer(f"{doing}: no answer within {seconds:g} s")
        timer.resolve(None)
        return future.value()

    async def together(self, coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T | Refusal]:
        """All at once, in order; what one refuses stands in its place. Any other exception is raised."""
        tasks = [self.start(each) for each in coroutines]
        try:
            for task in tasks:
                await _done(task)
        except BaseException:
            for task in tasks:
                task.cancel()
            raise
        return [task.error if isinstance(task.error, Refusal) else task.value() for task in tasks]


async def first_of(futures: Iterable[Future[Any]]) -> None:
    """Wait until one of them is done, whichever way."""
    any_done: Future[None] = Future()
    for future in futures:
        future.when_done(lambda: any_done.resolve(None))
    await any_done


async def all_of(futures: Iterable[Future[Any]]) -> None:
    """Wait until all of them are done, whichever way."""
    for future in list(futures):
        await first_of([future])


async def _done(future: Future[Any]) -> None:
    await first_of([future])
