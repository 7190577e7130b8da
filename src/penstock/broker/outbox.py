"""What a connection still has to send: bytes and file slices, in order, without copying file contents.

Sends go short and sockets fill up, so each slice is kept as (descriptor, position, left) and taken up again when the
socket can be written. The bytes before a slice go out with MSG_MORE, so that header and records share a packet.
Slices whose pages are not in memory are read in a thread first: sendfile would stall every other connection meanwhile.
"""

import os
import socket
from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Callable

from penstock.log import FileSlice

IOVEC_MAX = 64
SENDFILE_MAX = 4 * 1024 * 1024
"""At most this much of one slice in one call, so that a fast reader cannot keep the loop to itself."""

Chunk = bytes | bytearray | memoryview | FileSlice


class Outbox:
    __slots__ = (
        "_chunks",
        "_fd",
        "_is_closed",
        "_is_warming",
        "_is_watching",
        "_loop",
        "_on_broken",
        "_on_drained",
        "_sock",
        "size",
    )

    def __init__(
        self,
        sock: socket.socket,
        loop: AbstractEventLoop,
        *,
        on_drained: Callable[[], None],
        on_broken: Callable[[BaseException], None],
    ) -> None:
        self._sock = sock
        self._fd = sock.fileno()
        self._loop = loop
        self._on_drained = on_drained
        self._on_broken = on_broken
        self._chunks: deque[Chunk] = deque()
        self._is_watching = False
        self._is_warming = False
        self._is_closed = False
        self.size = 0

    def put(self, chunks: list[Chunk]) -> None:
        """Queue chunks; `flush` sends them. Queueing all answers to one receive first makes them one send."""
        for chunk in chunks:
            self.size += chunk.size if isinstance(chunk, FileSlice) else len(chunk)
        self._chunks.extend(chunks)

    def flush(self) -> None:
        if not self._chunks or self._is_watching or self._is_warming:
            return
        try:
            self._send_all()
        except BlockingIOError:
            self._is_watching = True
            self._loop.add_writer(self._fd, self._on_writable)
        except OSError as error:
            self._on_broken(error)

    def _on_writable(self) -> None:
        try:
            self._send_all()
        except BlockingIOError:
            return
        except OSError as error:
            self._on_broken(error)
            return
        self._stop_watching()
        if not self._chunks:
            self._on_drained()

    def _stop_watching(self) -> None:
        if self._is_watching:
            self._is_watching = False
            self._loop.remove_writer(self._fd)

    def _send_all(self) -> None:
        """Send until all is gone, the socket is full (BlockingIOError) or a slice must be warmed first."""
        chunks = self._chunks
        while chunks:
            chunk = chunks[0]
            if isinstance(chunk, FileSlice):
                if not chunk.is_hot():
                    self._warm(chunk)
                    return
                self._send_slice(chunk)
            else:
                self._send_bytes()

    def _send_bytes(self) -> None:
        chunks = self._chunks
        if len(chunks) == 1:
            only = chunks[0]
            assert not isinstance(only, FileSlice)
            sent = self._sock.send(only)
            self.size -= sent
            if sent == len(only):
                chunks.popleft()
            else:
                chunks[0] = memoryview(only)[sent:]
            return
        vector: list[bytes | bytearray | memoryview] = []
        flags = 0
        for chunk in chunks:
            if isinstance(chunk, FileSlice):
                flags = socket.MSG_MORE
                break
            if len(vector) == IOVEC_MAX:
                break
            vector.append(chunk)
        sent = self._sock.sendmsg(vector, (), flags)
        self.size -= sent
        for chunk in vector:
            if sent < len(chunk):
                chunks[0] = memoryview(chunk)[sent:]
                return
            sent -= len(chunk)
            chunks.popleft()

    def _send_slice(self, chunk: FileSlice) -> None:
        while chunk.size:
            sent = os.sendfile(self._fd, chunk.fd, chunk.position, min(chunk.size, SENDFILE_MAX))
            if sent == 0:
                # The file ends before the slice does: the answer's announced size cannot be kept, so break the
                # connection.
                raise OSError(f"a log file ends at {chunk.position}, {chunk.size} bytes before its slice")
            self.size -= sent
            chunk.position += sent
            chunk.size -= sent
        self._chunks.popleft()
        chunk.release()

    def _warm(self, chunk: FileSlice) -> None:
        self._stop_watching()
        self._is_warming = True
        self._loop.run_in_executor(None, chunk.warm).add_done_callback(lambda _done: self._warmed())

    def _warmed(self) -> None:
        self._is_warming = False
        if self._is_closed:
            self._release()
            return
        self.flush()
        if not self._chunks:
            self._on_drained()

    def close(self) -> None:
        self._is_closed = True
        self._stop_watching()
        if not self._is_warming:  # a thread still reads from a slice's descriptor: let go of it afterwards
            self._release()

    def _release(self) -> None:
        for chunk in self._chunks:
            if isinstance(chunk, FileSlice):
                chunk.release()
        self._chunks.clear()
        self.size = 0
