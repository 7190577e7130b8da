"""One question to one broker over a socket of its own: what is asked about a cluster without a client in the way."""

import socket
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    import ssl

from penstock.wire.framing import SIZE, RequestHeader, decode_response_header, request_frame

Response = TypeVar("Response", bound=msgspec.Struct)

TIMEOUT_S = 10.0


def ask(
    address: str,
    request: Any,
    response: type[Response],
    *,
    version: int,
    timeout_s: float = TIMEOUT_S,
    tls: "ssl.SSLContext | None" = None,
) -> Response:
    """Raises OSError where nobody answers within the time."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host.strip("[]"), int(port)), timeout=timeout_s) as connection:
        if tls is None:
            return ask_over(connection, request, response, version=version)
        with tls.wrap_socket(connection, server_hostname=host.strip("[]")) as secured:
            return ask_over(secured, request, response, version=version)


def ask_over(connection: socket.socket, request: Any, response: type[Response], *, version: int) -> Response:
    """The same over a socket that is there and stays."""
    header = RequestHeader(request.api_key, version, 1, "penstock")
    connection.sendall(request_frame(header, bytes(request.encode(version))))
    (size,) = SIZE.unpack(_receive(connection, SIZE.size))
    frame = _receive(connection, size)
    _, position = decode_response_header(request.api_key, version, frame)
    decoded: Response = response.decode(frame, version, position)  # type: ignore[attr-defined]
    return decoded


def _receive(connection: socket.socket, size: int) -> bytes:
    received = bytearray()
    while len(received) < size:
        part = connection.recv(size - len(received))
        if not part:
            raise ConnectionResetError("the broker closed the connection")
        received += part
    return bytes(received)
