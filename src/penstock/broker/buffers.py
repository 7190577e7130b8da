"""Memory for requests: buffers used again and again, within one bound for the whole broker.

A frame that does not arrive in one piece needs a buffer of its own until it is whole. Fresh memory is zeroed and
faulted in page by page, which costs more than receiving into it, so buffers are kept and handed out again. A buffer
grows with what has really arrived: a client that announces 100 MB and sends nothing holds one small buffer. Of one
that has not logged in this is so for every frame: strangers must send what they take.
"""

from collections import deque
from collections.abc import Callable

FIRST_SIZE = 64 * 1024
WHOLE_AT_ONCE = 2 * 1024 * 1024
"""Frames up to this size get their buffer in one go, as producers' batches mostly are; larger ones grow by doubling."""
STRANGERS_FIRST_SIZE = 4 * 1024
KEPT_MAX = 8


class RequestMemory:
    """All bytes that unfinished requests hold. At the bound, connections stop being read until others are done.

    Somebody must always be able to get done: where all who hold a buffer wait for a larger one, one of them is given it
    over the bound. So the bound is passed by one frame at most, and by those of other brokers, which do not wait:
    clients that use it up must not keep records from being replicated.
    """

    def __init__(self, bytes_max: int) -> None:
        self.bytes_max = bytes_max
        self.bytes_held = 0
        self._holders = 0
        self._free: dict[int, list[bytearray]] = {}
        self._waiting: deque[tuple[Callable[[], None], bool]] = deque()
        """Whom to wake, and whether it holds a buffer meanwhile."""

    def take(
        self, frame_size: int, arrived: int = 0, *, for_broker: bool = False, for_stranger: bool = False
    ) -> bytearray | None:
        """A buffer to begin a frame with, or None when the bound is reached: ask again when woken (`wait`)."""
        if for_stranger:
            size = max(STRANGERS_FIRST_SIZE, _class_of(min(frame_size, 2 * arrived)))
        else:
            size = max(FIRST_SIZE, _class_of(frame_size if frame_size <= WHOLE_AT_ONCE else 2 * arrived))
        if self._holders and not for_broker and not self._has_room(size):
            return None
        self._holders += 1
        return self._hand_out(size)

    def grow(self, buffer: bytearray, filled: int, frame_size: int, *, for_broker: bool = False) -> bytearray | None:
        """A larger buffer with the same first bytes; the old one is given back. None as for `take`."""
        size = _class_of(min(frame_size, 2 * len(buffer)))
        others_waiting = sum(holds_buffer for _, holds_buffer in self._waiting)
        if not for_broker and not self._has_room(size) and others_waiting < self._holders - 1:
            return None
        larger = self._hand_out(size)
        larger[:filled] = memoryview(buffer)[:filled]
        self._put_back(buffer)
        return larger

    def give_back(self, buffer: bytearray) -> None:
        self._holders -= 1
        self._put_back(buffer)
        self.wake_next()

    def _has_room(self, size: int) -> bool:
        return self.bytes_held + size <= self.bytes_max

    def _hand_out(self, size: int) -> bytearray:
        self.bytes_held += size
        free = self._free.get(size)
        return free.pop() if free else bytearray(size)

    def _put_back(self, buffer: bytearray) -> None:
        size = len(buffer)
        self.bytes_held -= size
        if size <= WHOLE_AT_ONCE:
            free = self._free.setdefault(size, [])
            if len(free) < KEPT_MAX:
                free.append(buffer)

    def wake_next(self) -> None:
        """A buffer that comes back wakes one waiter, who wakes the next when it has what it needs: as many go on as
        there is room for, and none depends on how fast another's frame arrives.
        """
        if self._waiting:
            wake, _ = self._waiting.popleft()
            wake()

    def wait(self, wake: Callable[[], None], *, holds_buffer: bool) -> None:
        self._waiting.append((wake, holds_buffer))

    def forget(self, wake: Callable[[], None]) -> None:
        self._waiting = deque(waiting for waiting in self._waiting if waiting[0] != wake)


def _class_of(size: int) -> int:
    """The power of two that holds it, so that buffers fit again."""
    return 1 << max(size - 1, 0).bit_length()
