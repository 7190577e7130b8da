"""One HTTP connection: requests read, answered by their page, sent, until the peer is done or breaks a rule.

h11 does the parsing, so that bytes from strangers meet a parser made for them.
"""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import unquote, urlsplit

import h11
import structlog

from penstock.admin.http import READ_BYTES, Page, Request, Response

_log = structlog.get_logger(__name__)

HEAD_BYTES_MAX = 16 * 1024
BODY_BYTES_MAX = 64 * 1024
_METHODS = ("GET", "HEAD")


class HttpConnection:
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
                self._http.receive_data(await self._reader.read(READ_BYTES))
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
