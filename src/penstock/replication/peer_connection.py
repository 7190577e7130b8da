"""A connection to another broker: whole frames out, whole frames in, received where they are used.

Frames are handed to `on_frame` as soon as they are whole, on the event loop, without a task in between; the view is
borrowed and its memory used again for the next frame. `lost` is done when the connection is, with what ended it.
"""

import asyncio
import socket
import struct
from collections.abc import Callable
from typing import Final

FRAME_BYTES_FIRST: Final = 256 * 1024
KEEP_BYTES_MAX: Final = 16 * 1024 * 1024
"""A buffer that a larger frame needed is given back afterwards."""

_SIZE = struct.Struct(">i")


class PeerConnection(asyncio.BufferedProtocol):
    def __init__(self, on_frame: Callable[[memoryview], None], *, frame_bytes_max: int) -> None:
        self.on_frame = on_frame
        self._frame_bytes_max = frame_bytes_max
        self._transport: asyncio.Transport | None = None
        self._head = bytearray(4)
        self._buffer = bytearray(FRAME_BYTES_FIRST)
        self._size = -1
        """Of the frame that is being received; -1 while its size is."""
        self._filled = 0
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
        if self._size < 0:
            return memoryview(self._head)[self._filled :]
        return memoryview(self._buffer)[self._filled : self._size]

    def buffer_updated(self, nbytes: int) -> None:
        self._filled += nbytes
        self.received += nbytes
        if self._size < 0 and self._filled == 4:
            self._begin_frame()
        if self._filled == self._size:
            frame = memoryview(self._buffer)[: self._size]
            self._size, self._filled = -1, 0
            try:
                self.on_frame(frame)
            except Exception as error:
                self.end(error)
            if len(self._buffer) > KEEP_BYTES_MAX:
                self._buffer = bytearray(FRAME_BYTES_FIRST)

    def _begin_frame(self) -> None:
        (size,) = _SIZE.unpack(self._head)
        if not 0 < size <= self._frame_bytes_max:
            self.end(ConnectionError(f"a frame of {size} bytes, at most {self._frame_bytes_max} were expected"))
            return
        if size > len(self._buffer):
            self._buffer = bytearray(size)
        self._size, self._filled = size, 0

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
