"""An answer to come: as a Future, but whoever waits for it is called at once and not in a later turn of the loop.

Handlers and coordinators answer later by nothing else. On the event loop only. A Future costs a handle and a turn of
the loop (with its look at every socket) for each step from the append that makes an answer possible to the send that
carries it.
"""

from asyncio import CancelledError, Future, InvalidStateError, get_running_loop
from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

from penstock.errors import Refusal

T = TypeVar("T")


class Promise(Generic[T]):
    """Kept once, broken or cancelled. Callbacks must not fail, and must not mind being called within whatever kept
    it.
    """

    __slots__ = ("_callbacks", "_error", "_is_done", "_value")

    def __init__(self) -> None:
        self._callbacks: list[Callable[[Promise[T]], None]] = []
        self._error: BaseException | None = None
        self._is_done = False
        self._value: T | None = None

    def done(self) -> bool:
        return self._is_done

    def cancelled(self) -> bool:
        return isinstance(self._error, CancelledError)

    def exception(self) -> BaseException | None:
        self._require_done()
        return self._error

    def result(self) -> T:
        self._require_done()
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]

    def set_result(self, value: T) -> None:
        self._settle(value, None)

    def set_exception(self, error: BaseException) -> None:
        self._settle(None, error)

    def cancel(self) -> None:
        if not self._is_done:
            self.set_exception(CancelledError())

    def add_done_callback(self, call: "Callable[[Promise[T]], None]") -> None:
        if self._is_done:
            call(self)
        else:
            self._callbacks.append(call)

    def __await__(self) -> "Generator[Any, None, T]":
        """For those who have time. As with a Future, whoever is cancelled while waiting cancels what it waits for."""
        if not self._is_done:
            turn: Future[None] = get_running_loop().create_future()
            self.add_done_callback(lambda _done: None if turn.done() else turn.set_result(None))
            try:
                yield from turn
            except CancelledError:
                self.cancel()
                raise
        return self.result()

    def _settle(self, value: T | None, error: BaseException | None) -> None:
        if self._is_done:
            raise InvalidStateError("this answer was given before")
        self._is_done, self._value, self._error = True, value, error
        callbacks, self._callbacks = self._callbacks, []
        for call in callbacks:
            call(self)

    def _require_done(self) -> None:
        if not self._is_done:
            raise InvalidStateError("this answer is not there yet")


def then(first: Promise[Any], go_on: Callable[[Any], T]) -> "Promise[T | Refusal]":
    """A promise of what `go_on` makes of the first one's value, be that a Refusal; raised Refusals are values too."""
    second: Promise[T | Refusal] = Promise()

    def settle(done: Promise[Any]) -> None:
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

    first.add_done_callback(settle)
    return second
