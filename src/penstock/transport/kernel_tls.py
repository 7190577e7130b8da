"""A channel whose bytes the kernel encrypts (kTLS): OpenSSL shakes hands and gives it the keys. From then on sending is
what it is without TLS, `sendfile` too.

OpenSSL 3.0 hands over TLS 1.3 with AES-GCM for sending, and TLS 1.2 with AES-GCM both ways. With another cipher, or
where the kernel would not, OpenSSL encrypts and writes to the socket itself: that works, and costs more. So it is used
only where the kernel can, and where its AES is the processor's: in plain C it takes five times what OpenSSL takes.
"""

import errno
import os
import socket
import ssl
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from penstock.transport.channel import Bytes, Watcher, acknowledge_at_once, unsent_in_kernel
from penstock.transport.tls import SEND_PIECE_BYTES, TlsFailed, reason_of

_TCP_ULP: Final = 31
_SOL_TLS: Final = 282
_TLS_TX: Final = 1
_VERSION_AND_CIPHER_BYTES: Final = 4
_IN_SOFTWARE: Final = ("aes-generic", "aes-fixed-time", "aes-lib")


def kernel_can_encrypt() -> bool:
    """Whether a connection can be handed to the kernel's TLS at all."""
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.create_connection(listening.getsockname()) as sock:
        try:
            sock.setsockopt(socket.IPPROTO_TCP, _TCP_ULP, b"tls")
        except OSError:
            return False
    return True


def kernel_encrypts_fast(crypto: str | None = None) -> bool:
    """Whether its AES-GCM is the processor's. `crypto`: what /proc/crypto says."""
    try:
        text = Path("/proc/crypto").read_text() if crypto is None else crypto
    except OSError:
        return False
    best, driver = -1, ""
    for block in text.split("\n\n"):
        fields = dict(_field(line) for line in block.splitlines() if ":" in line)
        if fields.get("name") == "gcm(aes)" and int(fields.get("priority", "0")) > best:
            best, driver = int(fields.get("priority", "0")), fields.get("driver", "")
    return best >= 0 and not any(slow in driver for slow in _IN_SOFTWARE)


def _field(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()


class KernelTlsChannel:
    __slots__ = ("_call_pending", "_fd", "_is_ready", "_read", "_sock", "_watcher", "is_in_kernel", "send", "sendfile")

    def __init__(self, sock: socket.socket, watcher: Watcher, context: ssl.SSLContext) -> None:
        """`context`: a server's, made with `in_kernel`."""
        self._sock = context.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        self._fd = self._sock.fileno()
        self._watcher = watcher
        self._is_ready = False
        self._read: Callable[[], None] | None = None
        self._call_pending = False
        self.is_in_kernel = False
        """Whether what is sent is encrypted there; known after the handshake."""
        self.send: Callable[[Bytes, int], int] = self._send_by_openssl
        self.sendfile: Callable[[int, int, int], int] = self._sendfile_by_openssl

    # The handshake --------------------------------------------------------------------------------------------------

    def shake_hands(self) -> None:
        try:
            self._sock.do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise BlockingIOError from None
        except ssl.SSLError as error:
            raise TlsFailed(reason_of(error)) from error
        self._is_ready = True
        acknowledge_at_once(self._sock)
        if self._kernel_has_keys():
            self.is_in_kernel = True
            # The socket's own, beneath that of ssl.
            self.send = partial(socket.socket.send, self._sock)
            self.sendfile = partial(os.sendfile, self._fd)

    def _kernel_has_keys(self) -> bool:
        try:
            return any(self._sock.getsockopt(_SOL_TLS, _TLS_TX, _VERSION_AND_CIPHER_BYTES))
        except OSError:
            return False

    @property
    def peer_certificate(self) -> bytes | None:
        return self._sock.getpeercert(binary_form=True)

    # Bytes ----------------------------------------------------------------------------------------------------------

    def receive_into(self, buffer: memoryview, at_most: int = 0) -> int:
        filled, wanted = 0, at_most or len(buffer)
        try:
            while filled < wanted and (count := self._sock.recv_into(buffer[filled:wanted])):
                filled += count
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            if not filled:
                raise BlockingIOError from None
        except ssl.SSLError as error:
            raise TlsFailed(reason_of(error)) from error
        except OSError as error:
            if error.errno != errno.EIO:  # with keys for receiving in the kernel, how a peer's last word shows
                raise
        return filled

    def _send_by_openssl(self, data: Bytes, _flags: int = 0) -> int:
        try:
            return self._sock.send(memoryview(data)[:SEND_PIECE_BYTES])
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise BlockingIOError from None
        except ssl.SSLError as error:
            raise TlsFailed(reason_of(error)) from error

    def _sendfile_by_openssl(self, file: int, position: int, count: int) -> int:
        data = os.pread(file, min(count, SEND_PIECE_BYTES), position)
        return self._send_by_openssl(data) if data else 0

    def send_many(self, pieces: list[memoryview]) -> int:
        return self.send(b"".join(pieces), 0)

    def unsent_bytes(self) -> int:
        return unsent_in_kernel(self._fd)

    # When to try again ----------------------------------------------------------------------------------------------

    def start_reading(self, call: Callable[[], None]) -> None:
        self._read = call
        self._watcher.add_reader(self._fd, self._readable)
        if self._is_ready:
            self._look_for_more()

    def stop_reading(self) -> None:
        self._read = None
        self._watcher.remove_reader(self._fd)

    def _readable(self) -> None:
        if self._read is not None:
            self._read()
            if self._read is not None:
                self._look_for_more()

    def _look_for_more(self) -> None:
        """What OpenSSL has decrypted already is read in the next turn of the loop."""
        if self._sock.pending() and not self._call_pending:
            self._call_pending = True
            self._watcher.call_soon(self._had_more)

    def _had_more(self) -> None:
        self._call_pending = False
        if self._read is not None and self._sock.pending():
            self._readable()

    def start_writing(self, call: Callable[[], None]) -> None:
        self._watcher.add_writer(self._fd, call)

    def stop_writing(self) -> None:
        self._watcher.remove_writer(self._fd)

    def close(self) -> None:
        self._sock.close()
