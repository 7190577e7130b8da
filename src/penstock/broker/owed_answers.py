"""What a connection owes its peer: answers that are not there yet, and those that wait behind them."""

from collections.abc import Callable, Coroutine
from collections.abc import Set as AbstractSet
from typing import Any

from penstock.broker.outbox import Chunk
from penstock.replication import Promise


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


def release(chunks: list[Chunk] | None) -> None:
    """Nobody takes this answer any more: let go of the files in it."""
    for chunk in chunks or ():
        if not isinstance(chunk, (bytes, bytearray, memoryview)):
            chunk.release()
