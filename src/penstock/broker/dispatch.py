"""From a frame to its handler and back: what every API needs and none should repeat.

Reads the request header, checks key and version, decodes, runs the handler, times it, and turns whatever comes out into
an answer: a response, a Refusal into the response's error code, and anything else (a bug) into UNKNOWN_SERVER_ERROR
with the stack in our log. A frame that is no request of an API and version we answer closes its connection, as Kafka
does; an ApiVersions of an unknown version is answered in version 0 with error 35 (RULES 37).
"""

import struct
from asyncio import CancelledError, Future
from time import perf_counter
from typing import Any

import structlog

from penstock.broker.connection import BadFrame, Connection, Handled, Parked
from penstock.broker.metrics import RequestFaults, RouteMetrics
from penstock.broker.outbox import Chunk
from penstock.broker.registry import Answer, Bound, RequestContext, Unanswerable
from penstock.errors import Fatal, Refusal, UnknownServerError, UnsupportedVersion
from penstock.log import FileSlice
from penstock.metrics import MetricsRegistry
from penstock.wire.api import ApiKey, request_header_version, response_header_version
from penstock.wire.malformed import Malformed
from penstock.wire.primitives import skip_tag_section

_HEADER = struct.Struct(">hhih")
_PREFIX = struct.Struct(">ii")
_PREFIX_FLEXIBLE = struct.Struct(">iib")
_log = structlog.get_logger(__name__)


class Route:
    """Everything about one API and version that can be known before a request comes."""

    __slots__ = (
        "answer",
        "api_version",
        "call",
        "is_flexible_request",
        "is_flexible_response",
        "key",
        "metrics",
        "name",
    )

    def __init__(self, bound: Bound, api_version: int, registry: MetricsRegistry) -> None:
        self.answer: Answer = bound.answer
        self.call = bound.call
        self.key = bound.answer.key
        self.api_version = api_version
        self.is_flexible_request = request_header_version(self.key, api_version) >= 2
        self.is_flexible_response = response_header_version(self.key, api_version) >= 1
        self.name = "".join(word.capitalize() for word in self.key.name.split("_"))
        self.metrics = RouteMetrics(registry, self.name, api_version)


class Dispatcher:
    def __init__(self, bound: dict[int, Bound], registry: MetricsRegistry, *, control_bytes_max: int) -> None:
        self._bound = bound
        self._control_bytes_max = control_bytes_max
        self._registry = registry
        self._faults = registry.of(RequestFaults)
        self._routes: dict[tuple[int, int], Route] = {}

    def handle(self, frame: memoryview, connection: Connection) -> Handled:
        started = perf_counter()
        try:
            api_key, api_version, correlation_id, client_length = _HEADER.unpack_from(frame)
        except struct.error:
            self._faults.bad_frames += 1
            raise BadFrame(f"a request header in {len(frame)} bytes") from None
        try:
            route = self._routes.get((api_key, api_version)) or self._route(api_key, api_version)
            if route is None:
                return [self._unsupported_api_versions(correlation_id)]
            if len(frame) > self._control_bytes_max and api_key != ApiKey.PRODUCE:
                raise BadFrame(f"{route.name} of {len(frame)} bytes (penstock.control.request.max.bytes)")
            position = _HEADER.size
            client_id = None
            if client_length >= 0:
                if position + client_length > len(frame):
                    raise BadFrame(f"a client id of {client_length} bytes in a frame of {len(frame)}")
                client_id = bytes(frame[position : position + client_length])
                position += client_length
            if route.is_flexible_request:
                position = skip_tag_section(frame, position)
            context = _context(connection, route, client_id)
            return self._answer(route, frame, position, context, correlation_id, started)
        except (Malformed, IndexError) as error:
            self._faults.bad_frames += 1
            raise BadFrame(f"api {api_key} version {api_version}: {error}") from None
        except BadFrame:
            self._faults.bad_frames += 1
            raise

    def _route(self, api_key: int, api_version: int) -> Route | None:
        """None: an ApiVersions request from the future."""
        bound = self._bound.get(api_key)
        if bound is None:
            raise BadFrame(f"api {api_key} is not one that is answered here")
        oldest, newest = bound.answer.versions
        if not oldest <= api_version <= newest:
            if api_key == ApiKey.API_VERSIONS:
                return None
            raise BadFrame(f"{bound.answer.key.name} version {api_version} is not one of {oldest} to {newest}")
        route = self._routes[api_key, api_version] = Route(bound, api_version, self._registry)
        return route

    def _unsupported_api_versions(self, correlation_id: int) -> bytes:
        """Version 0 of the response, with what we do support of ApiVersions itself: enough to ask again."""
        oldest, newest = self._bound[ApiKey.API_VERSIONS].answer.versions
        body = struct.pack(">hihhh", UnsupportedVersion.code, 1, ApiKey.API_VERSIONS, oldest, newest)
        return _PREFIX.pack(4 + len(body), correlation_id) + body

    def _answer(
        self,
        route: Route,
        frame: memoryview,
        position: int,
        context: RequestContext,
        correlation_id: int,
        started: float,
    ) -> Handled:
        if route.answer.is_raw:
            try:
                body = route.call(frame, position, context)
            except Unanswerable as error:
                raise BadFrame(str(error)) from None
            except Malformed:
                raise
            except Exception as error:
                self._bug(route, error)
                raise BadFrame(f"{route.name} failed") from error
            if type(body) is list:
                route.metrics.record(perf_counter() - started)
                return _framed(route, correlation_id, body)
            if body is None:
                route.metrics.record(perf_counter() - started)
                return None
            if isinstance(body, Future):
                return Parked(body, lambda future: self._finish_raw(route, correlation_id, started, future))
            return self._run_raw(route, correlation_id, started, body)
        request_type = route.answer.request
        assert request_type is not None
        request = request_type.decode(frame, route.api_version, position)
        if route.answer.is_async:
            return self._run(route, correlation_id, started, request, context)
        try:
            response = route.call(request, context)
        except Exception as error:
            response = self._refused(route, error)
        return self._encoded(route, correlation_id, started, response)

    async def _run(
        self, route: Route, correlation_id: int, started: float, request: Any, context: RequestContext
    ) -> list[Chunk] | None:
        try:
            response = await route.call(request, context)
        except Exception as error:
            response = self._refused(route, error)
        return self._encoded(route, correlation_id, started, response)

    async def _run_raw(self, route: Route, correlation_id: int, started: float, body: Any) -> list[Chunk] | None:
        """The ordered part of a raw handler that could not be done on the spot; it may leave a future in turn."""
        try:
            chunks = await body
        except Exception as error:
            self._bug(route, error)
            return None
        route.metrics.record(perf_counter() - started)
        return None if chunks is None else _framed(route, correlation_id, chunks)

    def _finish_raw(
        self, route: Route, correlation_id: int, started: float, future: "Future[Any]"
    ) -> list[Chunk] | None:
        if future.cancelled():
            return None
        error = future.exception()
        if error is not None:
            self._bug(route, error)
            return None
        route.metrics.record(perf_counter() - started)
        body = future.result()
        return None if body is None else _framed(route, correlation_id, body)

    def _encoded(self, route: Route, correlation_id: int, started: float, response: Any) -> list[Chunk]:
        body = response.encode(route.api_version)
        route.metrics.record(perf_counter() - started)
        return _framed(route, correlation_id, [body])

    def _refused(self, route: Route, error: Exception) -> Any:
        """The handler's response type with the refusal in it."""
        if not isinstance(error, Refusal):
            self._bug(route, error)
            error = UnknownServerError()
        response = route.answer.response
        assert response is not None
        refused = response()
        if not hasattr(refused, "error_code"):
            raise Fatal(f"{route.name} has no place for an error code, its handler must catch {error!r}")
        refused.error_code = error.code
        if hasattr(refused, "error_message"):
            refused.error_message = error.message
        return refused

    def _bug(self, route: Route, error: BaseException) -> None:
        if isinstance(error, (Fatal, CancelledError)):
            raise error
        self._faults.bugs += 1
        _log.error("request failed", api=route.name, version=route.api_version, exc_info=error)


def _context(connection: Connection, route: Route, client_id: bytes | None) -> RequestContext:
    """Clients repeat themselves: the same version and client id share one context."""
    cache = connection.context_cache
    cached: RequestContext | None = cache.get((route.api_version, client_id))
    if cached is not None:
        return cached
    if len(cache) > 32:
        cache.clear()
    try:
        name = None if client_id is None else client_id.decode()
    except UnicodeDecodeError:
        raise Malformed("a client id that is not UTF-8") from None
    context = cache[route.api_version, client_id] = RequestContext(
        api_version=route.api_version, client_id=name, listener=connection.listener, peer=connection.peer
    )
    return context


def _framed(route: Route, correlation_id: int, body: list[Chunk]) -> list[Chunk]:
    size = sum(chunk.size if isinstance(chunk, FileSlice) else len(chunk) for chunk in body)
    if route.is_flexible_response:
        prefix = _PREFIX_FLEXIBLE.pack(size + 5, correlation_id, 0)
    else:
        prefix = _PREFIX.pack(size + 4, correlation_id)
    first = body[0] if body else b""
    if isinstance(first, FileSlice):
        return [prefix, *body]
    return [prefix + first, *body[1:]]
