"""Memory for requests: buffers used again and again, within one bound for the whole broker.

A frame that does not arrive in one piece needs a buffer of its own until it is whole. Fresh memory is zeroed and
faulted in page by page, which costs more than receiving into it, so buffers are kept and handed out again. A buffer
grows with what has really arrived: a stranger who announces 100 MB and sends nothing holds one small buffer.
"""

from collections import deque
from collections.abc import Callable

FIRST_SIZE = 64 * 1024
WHOLE_AT_ONCE = 2 * 1024 * 1024
"""Frames up to this size get their buffer in one go, as producers' batches mostly are; larger ones grow by doubling."""
KEPT_MAX = 8


class RequestMemory:
    """All bytes that unfinished requests hold. At the bound, connections stop being read until others are done."""

    def __init__(self, bytes_max: int) -> None:
        self.bytes_max = bytes_max
        self.bytes_held = 0
        self._free: dict[int, list[bytearray]] = {}
        self._waiting: deque[Callable[[], None]] = deque()

    def take(self, frame_size: int, arrived: int = 0) -> bytearray | None:
        """A buffer to begin a frame with, or None when the bound is reached: ask again when woken (`wait`)."""
        return self._take(_class_of(frame_size if frame_size <= WHOLE_AT_ONCE else 2 * arrived))

    def grow(self, buffer: bytearray, filled: int, frame_size: int) -> bytearray | None:
        """A larger buffer with the same first bytes; the old one is given back."""
        larger = self._take(_class_of(min(frame_size, 2 * len(buffer))))
        if larger is not None:
            larger[:filled] = memoryview(buffer)[:filled]
            self.give_back(buffer)
        return larger

    def _take(self, size: int) -> bytearray | None:
        # One buffer is always granted to an empty broker, or a frame larger than the bound could never come in.
        if self.bytes_held and self.bytes_held + size > self.bytes_max:
            return None
        self.bytes_held += size
        free = self._free.get(size)
        return free.pop() if free else bytearray(size)

    def give_back(self, buffer: bytearray) -> None:
        size = len(buffer)
        self.bytes_held -= size
        if size <= WHOLE_AT_ONCE:
            free = self._free.setdefault(size, [])
            if len(free) < KEPT_MAX:
                free.append(buffer)
        self.wake_next()

    def wake_next(self) -> None:
        """Each buffer that comes back wakes one waiter, who gives one back in turn."""
        if self._waiting:
            self._waiting.popleft()()

    def wait(self, wake: Callable[[], None]) -> None:
        self._waiting.append(wake)

    def forget(self, wake: Callable[[], None]) -> None:
        try:
            self._waiting.remove(wake)
        except ValueError:
            pass


def _class_of(size: int) -> int:
    """The power of two that holds it, so that buffers fit again."""
    return max(FIRST_SIZE, 1 << (size - 1).bit_length())
