"""What a connection owes its peer: answers that are not there yet, and those that wait behind them."""

from collections import deque
from collections.abc import Callable, Coroutine
from collections.abc import Set as AbstractSet
from typing import Any

from penstock.broker.after_receive import AfterReceive
from penstock.broker.outbox import Chunk, Outbox
from penstock.log import FileSlice
from penstock.replication import Promise

_NONE: AbstractSet[int] = frozenset()


class Parked:
    """An answer that is not there yet; `finish` makes its chunks when the promise is kept. Until then only requests of
    the APIs that it lets pass are begun.
    """

    __slots__ = ("finish", "lets_pass", "promise")

    def __init__(
        self,
        promise: Promise[Any],
        finish: "Callable[[Any], list[Chunk] | None]",
        lets_pass: AbstractSet[int],
    ) -> None:
        self.promise = promise
        self.finish = finish
        self.lets_pass = lets_pass


Handled = list[Chunk] | None | Parked | Coroutine[Any, Any, "list[Chunk] | Parked | None"]
"""A coroutine holds later requests back; it may end with an answer that is not there yet, and no longer does then."""


class Slot:
    """The place of one answer among the others."""

    __slots__ = ("chunks", "is_done", "parked", "size")

    def __init__(self, chunks: list[Chunk] | None, parked: Parked | None) -> None:
        self.chunks = chunks
        self.parked = parked
        self.is_done = parked is None
        self.size = 0
        """Bytes of an answer that waits behind another."""


class OwedAnswers:
    """Of one connection, in the order in which its requests came. They leave for the outbox when those before have."""

    __slots__ = ("_afterwards", "_is_answering", "_is_closed", "_on_sent", "_outbox", "held_bytes", "may_pass", "slots")

    def __init__(self, outbox: Outbox, afterwards: AfterReceive, *, on_sent: Callable[[], None]) -> None:
        self.slots: deque[Slot] = deque()
        """None are owed where it is empty: an answer that is there need not wait then, and takes no slot."""
        self.may_pass = _NONE
        """APIs whose requests may begin while answers are owed."""
        self.held_bytes = 0
        """Of answers that wait behind one that is not there yet."""
        self._outbox = outbox
        self._afterwards = afterwards
        self._on_sent = on_sent
        self._is_answering = False
        self._is_closed = False

    def put(self, chunks: list[Chunk]) -> None:
        """An answer that is there, behind those that are owed."""
        slot = Slot(chunks, None)
        if self.slots:
            self._hold(slot)
        self.slots.append(slot)

    def _hold(self, slot: Slot) -> None:
        """An answer that must wait behind another takes memory, or keeps files open."""
        slot.size = sum(chunk.size if isinstance(chunk, FileSlice) else len(chunk) for chunk in slot.chunks or ())
        self.held_bytes += slot.size

    def park(self, parked: Parked) -> None:
        slot = Slot(None, parked)
        self.may_pass = self.may_pass & parked.lets_pass if self.slots else parked.lets_pass
        self.slots.append(slot)
        parked.promise.add_done_callback(lambda _done: self._answer(slot))

    def _answer(self, slot: Slot) -> None:
        parked = slot.parked
        assert parked is not None
        slot.chunks = parked.finish(parked.promise)
        slot.is_done = True
        if self._is_closed:
            release(slot.chunks)
            return
        if self.slots[0] is not slot:
            self._hold(slot)
        if not self._is_answering:
            # Many answers may come to be at once: they leave together.
            self._is_answering = True
            self._afterwards.soon(self.send)

    def send(self) -> None:
        """What can leave now."""
        self._is_answering = False
        slots = self.slots
        while slots and slots[0].is_done:
            slot = slots.popleft()
            self.held_bytes -= slot.size
            if slot.chunks is not None:
                self._outbox.put(slot.chunks)
        self._outbox.flush()
        self._on_sent()

    def close(self) -> None:
        """Nobody takes them any more."""
        self._is_closed = True
        slots = list(self.slots)
        self.slots.clear()
        for slot in slots:
            release(slot.chunks)
            if slot.parked is not None and not slot.is_done:
                slot.parked.promise.cancel()


def release(chunks: list[Chunk] | None) -> None:
    """Nobody takes this answer any more: let go of the files in it."""
    for chunk in chunks or ():
        if not isinstance(chunk, (bytes, bytearray, memoryview)):
            chunk.release()
