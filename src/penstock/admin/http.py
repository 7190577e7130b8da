"""A small HTTP/1.1 server for pages about the broker: GET and HEAD, keep-alive, and a bound on everything.

A page is an async function from Request to Response. Bounds: connections at once, size of a request's head, time for
sending a request, time for reading an answer. What one connection says and is told is in http_connection.py, which is
loaded with the first one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from penstock.transport import serve_streams

if TYPE_CHECKING:
    import ssl

READ_BYTES = 4 * 1024
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


_TURNS_TO_COUNT = 2
"""Of the loop, from when a connection is accepted until asyncio's server counts it."""


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
        tls: "ssl.SSLContext | None" = None,
    ) -> None:
        self._pages = pages
        self._host = host
        self._asked_port = port
        self._connections_max = connections_max
        self._timeout_seconds = timeout_seconds
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._is_stopped = False

    async def start(self) -> None:
        try:
            self._server = await serve_streams(
                self._accept,
                self._host,
                self._asked_port,
                limit=READ_BYTES,
                backlog=self._connections_max,
            )
        except OSError as error:
            raise OSError(error.errno, f"{self._scheme}{error.strerror}") from error

    @property
    def port(self) -> int:
        """The port that is bound; the one to use where 0 was asked for."""
        if self._server is None or not self._server.sockets:
            raise RuntimeError("the HTTP server is not listening")
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def address(self) -> str:
        """host:port for a person or a program on this machine to use; with https:// before it where it encrypts."""
        host = self._host or "127.0.0.1"
        place = f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"
        return place if self._tls is None else self._scheme + place

    @property
    def _scheme(self) -> str:
        return "http://" if self._tls is None else "https://"

    async def stop(self) -> None:
        """Stop listening and end every connection, running answers included: they are about a broker that is going."""
        server, self._server = self._server, None
        if server is None:
            return
        self._is_stopped = True
        for listening in server.sockets:
            asyncio.get_running_loop().remove_reader(listening.fileno())
        # asyncio's server fails over a connection that it has accepted and not counted yet when it is closed.
        for _ in range(_TURNS_TO_COUNT):
            await asyncio.sleep(0)
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
        from penstock.admin.http_connection import HttpConnection  # noqa: PLC0415 - spares a start h11

        task = asyncio.current_task()
        assert task is not None
        try:
            if self._is_stopped:  # it was being made when `stop` cancelled the others
                return
            if len(self._connections) >= self._connections_max:
                if self._tls is None:
                    writer.write(_TURNED_AWAY)
                return
            self._connections.add(task)
            if self._tls is not None:
                # Only now, so that who does not shake hands counts, too: it holds a descriptor, of which clients need
                # some. Nothing has been awaited yet, so nothing has been read that would be missing here.
                await writer.start_tls(self._tls, ssl_handshake_timeout=self._timeout_seconds)
            await HttpConnection(self._pages, reader, writer, self._timeout_seconds).serve()
        except (OSError, TimeoutError):
            pass  # the peer went away or dawdled: its loss
        except asyncio.CancelledError:
            pass  # stop() cancels; asyncio's streams would report it as a failure
        finally:
            self._connections.discard(task)
            writer.close()
