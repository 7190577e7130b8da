"""A connection to another broker: whole frames out, whole frames in, received where they are used.

Frames are handed to `on_frame` as soon as they are whole, on the event loop, without a task in between; the view is
borrowed and its memory used again for the next frame. `lost` is done when the connection is, with what ended it.

A frame and its size are received together, to the front of one buffer, where the frame stays: most come with one
receive, and so with one turn of the loop (their sizes first, each took two). What comes behind a frame is the next
one's beginning, and is moved to the front when the frame is done with: little, as of a frame whose size is not known
yet only `FIRST_BYTES` are received, and of any other nothing beyond its end.
"""

import asyncio
import socket
import struct
from collections.abc import Callable
from typing import Final

FIRST_BYTES: Final = 64 * 1024
FRAME_BYTES_FIRST: Final = 256 * 1024
KEEP_BYTES_MAX: Final = 16 * 1024 * 1024
"""A buffer that a larger frame needed is given back afterwards."""

_SIZE = struct.Struct(">i")


class PeerConnection(asyncio.BufferedProtocol):
    def __init__(self, on_frame: Callable[[memoryview], None], *, frame_bytes_max: int) -> None:
        self.on_frame = on_frame
        self._frame_bytes_max = frame_bytes_max
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray(FRAME_BYTES_FIRST)
        self._filled = 0
        self._end = 0
        """Where the frame that is being received ends; 0 while its size is not known."""
        self.received = 0
        """Bytes so far, also of a frame that is not whole yet."""
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @classmethod
    async def open(
        cls, host: str, port: int, on_frame: Callable[[memoryview], None], *, frame_bytes_max: int, timeout_s: float
    ) -> "PeerConnection":
        """OSError where nobody is there, TimeoutError where nobody answers."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(timeout_s):
            _, connection = await loop.create_connection(
                lambda: cls(on_frame, frame_bytes_max=frame_bytes_max), host, port
            )
        return connection

    def send(self, frame: "bytes | bytearray | memoryview") -> None:
        if self._transport is not None and not self.lost.done():
            self._transport.write(frame)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # asyncio's side ---------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        sock = transport.get_extra_info("socket")
        if sock is not None:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def get_buffer(self, sizehint: int) -> memoryview:
        return memoryview(self._buffer)[self._filled : self._end or FIRST_BYTES]

    def buffer_updated(self, nbytes: int) -> None:
        self._filled += nbytes
        self.received += nbytes
        while self._has_whole_frame():
            end = self._end
            try:
                self.on_frame(memoryview(self._buffer)[_SIZE.size : end])
            except Exception as error:
                self.end(error)
            if self.lost.done():
                return
            self._next_frame(end)

    def _has_whole_frame(self) -> bool:
        if not self._end:
            if self._filled < _SIZE.size:
                return False
            (size,) = _SIZE.unpack_from(self._buffer)
            if not 0 < size <= self._frame_bytes_max:
                self.end(ConnectionError(f"a frame of {size} bytes, at most {self._frame_bytes_max} were expected"))
                return False
            self._end = _SIZE.size + size
            if self._end > len(self._buffer):
                self._change_buffer(0, self._end)
        return self._filled >= self._end

    def _next_frame(self, end: int) -> None:
        if len(self._buffer) > KEEP_BYTES_MAX:
            self._change_buffer(end, FRAME_BYTES_FIRST)
        elif self._filled > end:
            self._buffer[: self._filled - end] = self._buffer[end : self._filled]
        self._filled -= end
        self._end = 0

    def _change_buffer(self, begin: int, size: int) -> None:
        buffer = bytearray(size)
        buffer[: self._filled - begin] = self._buffer[begin : self._filled]
        self._buffer = buffer

    def eof_received(self) -> None:
        self.end(ConnectionResetError("the other broker closed the connection"))

    def connection_lost(self, exc: Exception | None) -> None:
        self.end(exc or ConnectionResetError("the connection was closed"))

    def end(self, error: Exception) -> None:
        """Close it, and let whoever waits for that know why."""
        if not self.lost.done():
            self.lost.set_exception(error)
            self.lost.exception()  # whoever does not wait for it need not hear of it
        self.close()
