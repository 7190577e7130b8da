"""The frame of a connection of which only a part has come: where it is received to, how far, and since when."""

from asyncio import AbstractEventLoop
from collections.abc import Callable

from penstock.broker.buffers import RequestMemory

PATIENCE_BYTES = 512 * 1024
"""Each so many bytes of a frame give its sender another penstock.frame.stall.ms."""


class UnfinishedFrame:
    __slots__ = ("_loop", "_memory", "_on_memory", "began_at", "buffer", "filled", "size", "wants_memory")

    def __init__(self, memory: RequestMemory, loop: AbstractEventLoop, *, on_memory: Callable[[], None]) -> None:
        """`on_memory` is called when there is memory again, for whom `wants_memory`."""
        self.buffer: bytearray | None = None
        """None while no frame is unfinished."""
        self.filled = 0
        self.size = 0
        """Of the frame, or of the last one."""
        self.began_at = 0.0
        self.wants_memory = False
        self._memory = memory
        self._loop = loop
        self._on_memory = on_memory

    def begin(self, size: int, start: memoryview, *, for_broker: bool, for_stranger: bool) -> bool:
        """False where there is no memory for it now."""
        buffer = self._memory.take(size, len(start), for_broker=for_broker, for_stranger=for_stranger)
        if buffer is None:
            self._wait()
            return False
        buffer[: len(start)] = start
        self.buffer, self.filled, self.size = buffer, len(start), size
        self.began_at = self._loop.time()
        return True

    def grow(self, buffer: bytearray, *, for_broker: bool) -> bool:
        """A larger buffer for what has filled this one; False where there is no memory for it now."""
        larger = self._memory.grow(buffer, self.filled, self.size, for_broker=for_broker)
        if larger is None:
            self._wait()
            return False
        self.buffer = larger
        return True

    def is_late(self, now: float, last_active: float, stall_s: float) -> bool:
        """Whether the rest takes too long, all at once or drop by drop."""
        patience_s = stall_s * (1 + self.size / PATIENCE_BYTES)
        return now - last_active > stall_s or now - self.began_at > patience_s

    def close(self) -> None:
        if self.wants_memory:
            self._memory.forget(self._memory_free)
        if self.buffer is not None:
            buffer, self.buffer = self.buffer, None
            self._memory.give_back(buffer)

    # Waiting for memory -----------------------------------------------------------------------------------------

    def _wait(self) -> None:
        self.wants_memory = True
        self._memory.wait(self._memory_free, holds_buffer=self.buffer is not None)

    def _memory_free(self) -> None:
        # Called while another connection gives a buffer back: its frame is done first.
        self._loop.call_soon(self._memory_came)

    def _memory_came(self) -> None:
        self.wants_memory = False
        self._on_memory()
        if not self.wants_memory:
            self._memory.wake_next()
