"""A small HTTP/1.1 server for pages about the broker: GET and HEAD, keep-alive, and a bound on everything.

h11 does the parsing, so that bytes from strangers meet a parser made for them. A page is an async function from Request
to Response. Bounds: connections at once, size of a request's head, time for sending a request, time for reading an
answer.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from types import TracebackType
from typing import Self
from urllib.parse import unquote, urlsplit

import h11
import msgspec
import structlog

_log = structlog.get_logger(__name__)

HEAD_BYTES_MAX = 16 * 1024
BODY_BYTES_MAX = 64 * 1024
_READ_BYTES = 4 * 1024
_METHODS = ("GET", "HEAD")
_TURNED_AWAY = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\nretry-after: 1\r\n\r\n"


class Request(msgspec.Struct, frozen=True):
    path: str
    query: str
    headers: dict[str, str]
    """By lower-case name; of several equal ones the last."""


class Response(msgspec.Struct, frozen=True):
    body: bytes
    content_type: str = "text/plain; charset=utf-8"
    status: HTTPStatus = HTTPStatus.OK


Page = Callable[[Request], Awaitable[Response]]


class HttpServer:
    """Serves `pages` by path until stopped: `async with HttpServer(pages, host="127.0.0.1", port=0) as http`."""

    def __init__(
        self,
        pages: Mapping[str, Page],
        *,
        host: str,
        port: int,
        connections_max: int = 64,
        timeout_seconds: float = 10.0,
    ) -> None:
        self._pages = pages
        self._host = host
        self._asked_port = port
        self._connections_max = connections_max
        self._timeout_seconds = timeout_seconds
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        # Empty is every interface, which asyncio calls None.
        try:
            self._server = await asyncio.start_server(
                self._accept, self._host or None, self._asked_port, limit=_READ_BYTES, backlog=self._connections_max
            )
        except OSError as error:
            # asyncio's own text is long, and does not say that it is the HTTP server's address.
            why = os.strerror(error.errno) if error.errno is not None and error.errno > 0 else error.strerror
            raise OSError(error.errno, f"http://{self._host or '*'}:{self._asked_port}: {why}") from error

    @property
    def port(self) -> int:
        """The port that is bound; the one to use where 0 was asked for."""
        if self._server is None or not self._server.sockets:
            raise RuntimeError("the HTTP server is not listening")
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def address(self) -> str:
        """host:port for a person or a program on this machine to use."""
        host = self._host or "127.0.0.1"
        return f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"

    async def stop(self) -> None:
        """Stop listening and end every connection, running answers included: they are about a broker that is going."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await server.wait_closed()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        try:
            if len(self._connections) >= self._connections_max:
                writer.write(_TURNED_AWAY)
                return
            self._connections.add(task)
            await _Connection(self._pages, reader, writer, self._timeout_seconds).serve()
        except (OSError, TimeoutError):
            pass  # the peer went away or dawdled: its loss
        except asyncio.CancelledError:
            pass  # stop() cancels; asyncio's streams would report it as a failure
        finally:
            self._connections.discard(task)
            writer.close()


class _Connection:
    def __init__(
        self,
        pages: Mapping[str, Page],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        timeout_seconds: float,
    ) -> None:
        self._pages = pages
        self._reader = reader
        self._writer = writer
        self._timeout_seconds = timeout_seconds
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_BYTES_MAX)

    async def serve(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self._timeout_seconds):
                    request = await self._read_request()
            except h11.RemoteProtocolError as error:
                await self._refuse(HTTPStatus(error.error_status_hint))
                return
            if request is None:
                return
            await self._send(request.method, await self._answer(request))
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()

    async def _read_request(self) -> h11.Request | None:
        """The next request, its body (which no page wants) read and dropped; None when the peer is done."""
        request: h11.Request | None = None
        body_bytes = 0
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                self._http.receive_data(await self._reader.read(_READ_BYTES))
            elif isinstance(event, h11.Request):
                request = event
                if self._http.they_are_waiting_for_100_continue:
                    return request  # no page wants a body: answering now spares the peer sending it
            elif isinstance(event, h11.Data):
                body_bytes += len(event.data)
                if body_bytes > BODY_BYTES_MAX:
                    raise h11.RemoteProtocolError("body too large", error_status_hint=413)
            elif isinstance(event, h11.EndOfMessage):
                return request
            else:  # ConnectionClosed, or PAUSED with nothing more to come
                return None

    async def _answer(self, request: h11.Request) -> Response:
        if request.method.decode("ascii") not in _METHODS:
            return _error(HTTPStatus.METHOD_NOT_ALLOWED)
        try:
            split = urlsplit(request.target.decode("ascii", "replace"))
        except ValueError:  # such as an address with one bracket
            return _error(HTTPStatus.BAD_REQUEST)
        page = self._pages.get(unquote(split.path))
        if page is None:
            return _error(HTTPStatus.NOT_FOUND, f"There is {', '.join(sorted(self._pages))}.")
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in request.headers}
        try:
            return await page(Request(split.path, split.query, headers))
        except Exception:
            _log.exception("page failed", path=split.path)
            return _error(HTTPStatus.INTERNAL_SERVER_ERROR)

    async def _refuse(self, status: HTTPStatus) -> None:
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            await self._send(b"GET", _error(status), close=True)

    async def _send(self, method: bytes, response: Response, *, close: bool = False) -> None:
        headers = [
            ("content-type", response.content_type),
            ("content-length", str(len(response.body))),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
        ]
        if response.status is HTTPStatus.METHOD_NOT_ALLOWED:
            headers.append(("allow", ", ".join(_METHODS)))
        if close:
            headers.append(("connection", "close"))
        head = h11.Response(status_code=response.status.value, headers=headers, reason=response.status.phrase.encode())
        self._writer.write(self._http.send(head) or b"")
        if method != b"HEAD":
            self._writer.write(self._http.send(h11.Data(data=response.body)) or b"")
        self._writer.write(self._http.send(h11.EndOfMessage()) or b"")
        async with asyncio.timeout(self._timeout_seconds):
            await self._writer.drain()


def _error(status: HTTPStatus, more: str = "") -> Response:
    return Response(f"{status.value} {status.phrase}. {more}".strip().encode() + b"\n", status=status)
