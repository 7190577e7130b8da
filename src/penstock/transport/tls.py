"""A channel that encrypts, for who connects: TLS over a non-blocking socket.

The handshake is made as bytes come, before anybody is told that something can be read or written. What was decrypted
together with other bytes counts as readable: the socket itself will not say so again.
"""

import os
import socket
import ssl
from collections.abc import Callable
from typing import Final

from penstock.transport.channel import Bytes, Watcher

FILE_PIECE_BYTES: Final = 64 << 10
"""Read and encrypted at once: as much as a few TLS records hold."""


class TlsChannel:
    def __init__(self, sock: socket.socket, watcher: Watcher, context: ssl.SSLContext, host: str) -> None:
        """`host`: whom the peer's certificate has to name."""
        self._sock = context.wrap_socket(sock, server_hostname=host, do_handshake_on_connect=False)
        self._fd = self._sock.fileno()
        self._watcher = watcher
        self._is_ready = False
        self._read: Callable[[], None] | None = None
        self._write: Callable[[], None] | None = None

    # Bytes ----------------------------------------------------------------------------------------------------------

    def receive_into(self, buffer: memoryview, at_most: int = 0) -> int:
        try:
            self._shake_hands()
            return self._sock.recv_into(buffer, at_most or None)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise BlockingIOError from None

    def send(self, data: Bytes, _flags: int = 0) -> int:
        try:
            self._shake_hands()
            return self._sock.send(data)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise BlockingIOError from None

    def send_many(self, pieces: list[memoryview]) -> int:
        return self.send(b"".join(pieces))

    def sendfile(self, file: int, position: int, count: int) -> int:
        data = os.pread(file, min(count, FILE_PIECE_BYTES), position)
        return self.send(data) if data else 0

    def unsent_bytes(self) -> int:
        return 0

    def _shake_hands(self) -> None:
        if not self._is_ready:
            self._sock.do_handshake()
            self._is_ready = True
            if self._write is not None:
                self._watcher.add_writer(self._fd, self._write)

    # When to try again ----------------------------------------------------------------------------------------------

    def start_reading(self, call: Callable[[], None]) -> None:
        self._read = call
        self._watcher.add_reader(self._fd, self._readable)

    def stop_reading(self) -> None:
        self._read = None
        self._watcher.remove_reader(self._fd)

    def _readable(self) -> None:
        while self._read is not None:
            self._read()
            if self._read is None or not self._sock.pending():
                return

    def start_writing(self, call: Callable[[], None]) -> None:
        """Not before the handshake is made: until then only the peer's bytes help, and the socket takes any."""
        self._write = call
        if self._is_ready:
            self._watcher.add_writer(self._fd, call)

    def stop_writing(self) -> None:
        self._write = None
        self._watcher.remove_writer(self._fd)

    def close(self) -> None:
        self._sock.close()
