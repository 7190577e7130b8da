"""One end of a connection: receive, send, sendfile, close, and when to try again.

A port, so that encryption is another implementation and no copy of what uses it. What TLS does otherwise stays behind
it:
- The handshake happens in the loop before the first call of whoever reads.
- Bytes that came with others and are decrypted already count as readable.
- `sendfile` is the kernel's where the kernel encrypts (kTLS), and reads and encrypts in user space where it does not.
- `unsent_bytes` counts what is encrypted and not sent.
"""

import os
import socket
import sys
from collections.abc import Callable
from fcntl import ioctl
from termios import TIOCOUTQ
from typing import Any, Final, Protocol

MORE: Final = socket.MSG_MORE
"""A flag of `send`: more follows at once, so that both may share a packet, or a TLS record."""

Bytes = bytes | bytearray | memoryview


class Channel(Protocol):
    """No call waits. What cannot be done now raises BlockingIOError, and what ended the connection another OSError."""

    @property
    def receive_into(self) -> Callable[..., int]:
        """(buffer, bytes at most) How many bytes came; 0 at the end of the stream. Without a bound: the buffer's."""

    @property
    def send(self) -> Callable[[Bytes, int], int]:
        """(data, 0 or MORE) How many bytes were taken. After BlockingIOError the same bytes are to be offered again: a
        channel may have encrypted them already.
        """

    @property
    def send_many(self) -> Callable[[list[memoryview]], int]:
        """(pieces) As `send`, of several that follow each other."""

    def sendfile(self, file: int, position: int, count: int) -> int:
        """How many bytes of a file, by its descriptor, were taken; 0 where the file is too short."""

    def start_reading(self, call: Callable[[], None]) -> None:
        """Call whenever something can be received, until `stop_reading`."""

    def stop_reading(self) -> None: ...

    def start_writing(self, call: Callable[[], None]) -> None:
        """Call whenever something can be sent, until `stop_writing`."""

    def stop_writing(self) -> None: ...

    def unsent_bytes(self) -> int:
        """Bytes that were taken and that the peer has not acknowledged."""

    def close(self) -> None:
        """Reading and writing were stopped before."""


class Watcher(Protocol):
    """What tells when a descriptor can be read or written: an event loop, or a selector made to look like one."""

    def add_reader(self, fd: int, callback: Callable[[], None], /) -> Any: ...

    def remove_reader(self, fd: int, /) -> Any: ...

    def add_writer(self, fd: int, callback: Callable[[], None], /) -> Any: ...

    def remove_writer(self, fd: int, /) -> Any: ...

    def call_soon(self, callback: Callable[[], None], /) -> Any:
        """Once, in the next turn."""


class SocketChannel:
    """A plain non-blocking socket. Its calls are the socket's own: a request pays nothing for the port."""

    __slots__ = ("_fd", "_sock", "_watcher", "receive_into", "send", "send_many")

    def __init__(self, sock: socket.socket, watcher: Watcher) -> None:
        self._sock = sock
        self._watcher = watcher
        self._fd = sock.fileno()
        self.receive_into: Callable[..., int] = sock.recv_into
        self.send: Callable[[Bytes, int], int] = sock.send
        self.send_many: Callable[[list[memoryview]], int] = sock.sendmsg

    def sendfile(self, file: int, position: int, count: int) -> int:
        return os.sendfile(self._fd, file, position, count)

    def start_reading(self, call: Callable[[], None]) -> None:
        self._watcher.add_reader(self._fd, call)

    def stop_reading(self) -> None:
        self._watcher.remove_reader(self._fd)

    def start_writing(self, call: Callable[[], None]) -> None:
        self._watcher.add_writer(self._fd, call)

    def stop_writing(self) -> None:
        self._watcher.remove_writer(self._fd)

    def unsent_bytes(self) -> int:
        return unsent_in_kernel(self._fd)

    def close(self) -> None:
        self._sock.close()


def unsent_in_kernel(descriptor: int) -> int:
    """Bytes that a socket was given and that its peer has not acknowledged."""
    return int.from_bytes(ioctl(descriptor, TIOCOUTQ, bytes(4)), sys.byteorder)


def acknowledge_at_once(sock: socket.socket) -> None:
    """What has come. A client's kernel may hold its first request back until its last word of a handshake is."""
    if sock.family != socket.AF_UNIX:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
