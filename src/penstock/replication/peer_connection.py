"""A connection to another broker: whole frames out, whole frames in, received where they are used.

Frames are handed to `on_frame` as soon as they are whole, on the event loop, without a task in between; the view is
borrowed and its memory used again for the next frame. `lost` is done when the connection is, with what ended it.

As much is received as the buffer holds, so that most frames come with one receive, and so with one turn of the loop.
Frames are handed on where they lie; what is behind the last whole one is moved to the front then. That is little: the
next answer mostly waits for the next question, and of a frame whose size is known nothing beyond its end is received.

What a broker of the cluster sends is taken, however large (RULES 48): a batch that was taken once has to be replicated.
What it is received into grows with what has arrived. Until the other side has proved who it is, frames have a bound.

Once a connection is closed here nothing more leaves on it. Where packets were lost the kernel would go on sending them
again, for minutes: a request that was given up would be carried out after the one that took its place. A marker so late
would end the producer's next transaction, before transaction version 2 without anybody being able to tell.
"""

import asyncio
import socket
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from penstock.transport import connect

if TYPE_CHECKING:
    import ssl

FRAME_BYTES_FIRST: Final = 256 * 1024
STRANGERS_FRAME_BYTES_MAX: Final = 1024 * 1024
"""As long as nobody knows who is there: a port that others have by now may say anything."""
KEEP_BYTES_MAX: Final = 16 * 1024 * 1024
"""A buffer that a larger frame needed is given back afterwards. Smaller ones stay: what came once comes again."""

_SIZE = struct.Struct(">i")
_AT_ONCE: Final = struct.pack("ii", 1, 0)
"""Of SO_LINGER: what is not sent when a socket is closed is not sent any more."""


class PeerConnection(asyncio.BufferedProtocol):
    def __init__(self, on_frame: Callable[[memoryview], None]) -> None:
        self.on_frame = on_frame
        self.is_known = False
        """Whether the other side is a broker of the cluster."""
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
        cls,
        host: str,
        port: int,
        on_frame: Callable[[memoryview], None],
        *,
        timeout_s: float,
        tls: "ssl.SSLContext | None" = None,
    ) -> "PeerConnection":
        """OSError where nobody is there, TimeoutError where nobody answers."""
        async with asyncio.timeout(timeout_s):
            return await connect(lambda: cls(on_frame), host, port, tls=tls)

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
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)

    def get_buffer(self, sizehint: int) -> memoryview:
        return memoryview(self._buffer)[self._filled : self._end or len(self._buffer)]

    def buffer_updated(self, nbytes: int) -> None:
        self._filled += nbytes
        self.received += nbytes
        if self._filled < self._end:
            if self._filled == len(self._buffer):
                self._make_room(self._end, at_most=2 * self._filled)
            return
        begin = 0
        while 0 < (end := self._frame_end(begin)) <= self._filled:
            try:
                self.on_frame(memoryview(self._buffer)[begin + _SIZE.size : end])
            except Exception as error:
                self.end(error)
            if self.lost.done():
                return
            begin = end
        self._keep_rest(begin, end)

    def _frame_end(self, begin: int) -> int:
        """Where the frame that begins here ends; 0 while its size is not known."""
        if self._filled - begin < _SIZE.size:
            return 0
        (size,) = _SIZE.unpack_from(self._buffer, begin)
        if size <= 0 or (size > STRANGERS_FRAME_BYTES_MAX and not self.is_known):
            self.end(ConnectionError(f"a frame of {size} bytes, at most {STRANGERS_FRAME_BYTES_MAX} were expected"))
            return 0
        return begin + _SIZE.size + int(size)

    def _keep_rest(self, begin: int, end: int) -> None:
        """Behind the frames that are done with, before `begin`, a frame has begun that is to end at `end`."""
        rest, wanted = self._filled - begin, max(end - begin, 0)
        if wanted > len(self._buffer) or len(self._buffer) > KEEP_BYTES_MAX:
            self._make_room(wanted, at_most=KEEP_BYTES_MAX, begin=begin)
        elif rest and begin:
            self._buffer[:rest] = self._buffer[begin : self._filled]
        self._filled, self._end = rest, wanted

    def _make_room(self, wanted: int, *, at_most: int, begin: int = 0) -> None:
        """Another buffer, with what of the frame is here already: as long as the frame, or as is sensible for now."""
        rest = self._filled - begin
        buffer = bytearray(max(min(wanted, at_most), rest, FRAME_BYTES_FIRST))
        buffer[:rest] = memoryview(self._buffer)[begin : self._filled]
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
