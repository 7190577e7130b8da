"""A client that says exactly what it is told: any request at any version, or any bytes, over one plain socket."""

from __future__ import annotations

import socket
import struct
from types import TracebackType
from typing import Any

from tests.support.schema import Message, Reader, messages, uvarint

_RESPONSE_MAX = 256 << 20
_ALERT_SEEN_AS_SIZE = 0x15030100
"""How an alert of TLS begins, read as the length of a frame."""


class TlsAlert(Exception):
    """The peer answered in TLS: what it was sent looked like TLS to it."""


class ConnectionEnded(Exception):
    """The broker closed the connection instead of answering."""


def request_frame(
    api: str, version: int, body: dict[str, Any] | bytes, *, correlation_id: int = 1, client_id: str | None = "raw"
) -> bytes:
    """A whole frame without its size: header and body. A body in bytes is taken as it is."""
    message = messages()[f"{api}Request"]
    encoded = body if isinstance(body, bytes) else message.encode(body, version)
    return header(message, version, correlation_id=correlation_id, client_id=client_id) + encoded


def header(message: Message, version: int, *, correlation_id: int, client_id: str | None) -> bytes:
    start = struct.pack(">hhi", message.api_key, version, correlation_id)
    name = struct.pack(">h", -1) if client_id is None else struct.pack(">h", len(client_id)) + client_id.encode()
    return start + name + (uvarint(0) if message.is_flexible(version) else b"")


def decode_response(api: str, version: int, frame: bytes) -> tuple[int, dict[str, Any]]:
    """The correlation id and the body of a response frame."""
    message = messages()[f"{api}Response"]
    reader = Reader(frame)
    correlation_id: int = reader.number("int32")
    if message.is_flexible(version) and api != "ApiVersions":
        for _ in range(reader.uvarint()):
            reader.uvarint()
            reader.take(reader.uvarint())
    return correlation_id, message.decode(frame[reader.position :], version)


class RawClient:
    """Blocking, one request after the other unless the caller sends frames itself."""

    def __init__(self, port: int, *, host: str = "127.0.0.1", timeout_s: float = 120) -> None:
        self._socket = socket.create_connection((host, port), timeout=timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._correlation_id = 0

    def __enter__(self) -> RawClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def next_correlation_id(self) -> int:
        self._correlation_id += 1
        return self._correlation_id

    def send_bytes(self, raw: bytes) -> None:
        try:
            self._socket.sendall(raw)
        except (BrokenPipeError, ConnectionResetError) as gone:
            raise ConnectionEnded from gone

    def send_frame(self, frame: bytes) -> None:
        self.send_bytes(struct.pack(">i", len(frame)) + frame)

    def send(self, api: str, version: int, body: dict[str, Any] | bytes, *, client_id: str | None = "raw") -> int:
        """Send a request without waiting; returns its correlation id."""
        correlation_id = self.next_correlation_id()
        self.send_frame(request_frame(api, version, body, correlation_id=correlation_id, client_id=client_id))
        return correlation_id

    def receive_frame(self) -> bytes:
        (size,) = struct.unpack(">i", self._receive(4))
        if size == _ALERT_SEEN_AS_SIZE:
            raise TlsAlert
        assert 0 <= size <= _RESPONSE_MAX, f"a response of {size} bytes"
        return self._receive(size)

    def request(self, api: str, version: int, body: dict[str, Any] | bytes) -> dict[str, Any]:
        """Ask and wait; ConnectionEnded when the broker hangs up."""
        sent = self.send(api, version, body)
        answered, response = decode_response(api, version, self.receive_frame())
        assert answered == sent, f"asked {sent}, got an answer to {answered}"
        return response

    def is_closed_by_peer(self) -> bool:
        """Wait for the peer to hang up; True when it does before the client's timeout and sends nothing first."""
        try:
            return self._socket.recv(1) == b""
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False

    def drain(self) -> bytes:
        """All that the peer sends before it hangs up; TimeoutError where it does not."""
        parts = bytearray()
        try:
            while part := self._socket.recv(1 << 16):
                parts += part
        except ConnectionResetError:
            pass  # it hung up with bytes of ours unread
        return bytes(parts)

    def _receive(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            try:
                part = self._socket.recv(min(size - len(parts), 1 << 20))
            except ConnectionResetError as gone:
                raise ConnectionEnded from gone
            if not part:
                raise ConnectionEnded
            parts += part
        return bytes(parts)


def port_of(bootstrap: str) -> int:
    """The port of a host:port."""
    return int(bootstrap.rpartition(":")[2])
