"""From a frame to its handler and back: what every API needs and none should repeat.

Reads the request header, checks key and version, decodes, runs the handler, times it, and turns whatever comes out into
an answer: a response, a Refusal into the response's error code, and anything else (a bug) into UNKNOWN_SERVER_ERROR
with the stack in our log. A frame that is no request of an API and version we answer closes its connection, as Kafka
does; an ApiVersions of an unknown version is answered in version 0 with error 35 (RULES 37).
"""

import struct
import sys
from asyncio import CancelledError, current_task
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from time import perf_counter
from types import CoroutineType
from typing import Any

import structlog

from penstock.broker.connection import BadFrame, Connection
from penstock.broker.hooks import Hook, around
from penstock.broker.metrics import RequestFaults, RouteMetrics
from penstock.broker.outbox import Chunk
from penstock.broker.owed_answers import Handled, Parked
from penstock.broker.registry import Answer, Bound, LaterReply, RawReply, RequestContext, Unanswerable
from penstock.broker.request_order import LETS_PASS
from penstock.errors import Fatal, Refusal, UnknownServerError, UnsupportedVersion
from penstock.log import FileSlice
from penstock.metrics import MetricsRegistry
from penstock.replication import Promise
from penstock.wire.api import ApiKey, request_header_version, response_header_version
from penstock.wire.malformed import Malformed, Unencodable
from penstock.wire.primitives import skip_tag_section

CONTEXTS_MAX = 64
"""Combinations of API, version and client id that a connection remembers."""
CLIENT_ID_KEPT_MAX = 256
"""Bytes of a client id up to which it is remembered. It may have 32767, and there may be thousands of connections."""

_HEADER = struct.Struct(">hhih")
_HEADER_SIZE = _HEADER.size
_PREFIX = struct.Struct(">ii")
_PREFIX_FLEXIBLE = struct.Struct(">iib")
_log = structlog.get_logger(__name__)


class Route:
    """Everything about one API and version that can be known before a request comes."""

    __slots__ = (
        "_has_place_for_error",
        "answer",
        "api_version",
        "bytes_max",
        "call",
        "is_flexible_request",
        "is_flexible_response",
        "is_raw",
        "key",
        "lets_pass",
        "metrics",
        "name",
        "plain_call",
    )

    def __init__(
        self,
        bound: Bound,
        api_version: int,
        registry: MetricsRegistry,
        *,
        control_bytes_max: int,
        hooks: Sequence[Hook] = (),
    ) -> None:
        self.answer: Answer = bound.answer
        self.plain_call = around(hooks, bound.answer, bound.call)
        self.call = self.plain_call
        self.is_raw = bound.answer.is_raw
        self.key = bound.answer.key
        self.lets_pass = LETS_PASS.get(self.key, frozenset())
        self.bytes_max = sys.maxsize if self.key == ApiKey.PRODUCE else control_bytes_max
        self.api_version = api_version
        self.is_flexible_request = request_header_version(self.key, api_version) >= 2
        self.is_flexible_response = response_header_version(self.key, api_version) >= 1
        self.name = "".join(word.capitalize() for word in self.key.name.split("_"))
        self.metrics = RouteMetrics(registry, self.name, api_version)
        self._has_place_for_error: bool | None = None

    @property
    def has_place_for_error(self) -> bool:
        """Whether the response carries an error of the whole request in this version."""
        if self._has_place_for_error is None:
            self._has_place_for_error = _carries_error(self.answer.response, self.api_version)
        return self._has_place_for_error


def _carries_error(response: type[Any] | None, api_version: int) -> bool:
    """Its own codec knows: what a version does not have is refused by it, or left out."""
    if response is None:
        return False
    probe = response()
    if not hasattr(probe, "error_code"):
        return False
    probe.error_code = UnknownServerError.code
    try:
        return bool(response.decode(probe.encode(api_version), api_version).error_code == probe.error_code)
    except Unencodable:
        return False


Wrapper = Callable[[Answer, Callable[..., Any]], Callable[..., Any]]


class Dispatcher:
    def __init__(
        self,
        bound: dict[int, Bound],
        registry: MetricsRegistry,
        *,
        control_bytes_max: int,
        hooks: Sequence[Hook] = (),
    ) -> None:
        self._bound = bound
        self._hooks = hooks
        self._control_bytes_max = control_bytes_max
        self._registry = registry
        self._faults = registry.of(RequestFaults)
        self._routes: dict[tuple[int, int], Route] = {}
        self._wrap: Wrapper | None = None

    def wrap(self, wrapper: "Wrapper | None") -> None:
        """Put this around every handler from the next request on, or nothing. It is called when that changes, which is
        seldom: so a request need not look whether there is something.
        """
        self._wrap = wrapper
        for route in self._routes.values():
            route.call = route.plain_call if wrapper is None else wrapper(route.answer, route.plain_call)

    def handle(self, frame: memoryview, connection: Connection) -> Handled:
        try:
            api_key, api_version, correlation_id, client_length = _HEADER.unpack_from(frame)
        except struct.error:
            raise self.bad_frame(f"a request header in {len(frame)} bytes") from None
        size = len(frame)
        if client_length < 0:
            position, client_id = _HEADER_SIZE, None
        else:
            position = _HEADER_SIZE + client_length
            client_id = bytes(frame[_HEADER_SIZE:position])
        try:
            # Clients repeat themselves: one look says which route and which context.
            known = connection.context_cache.get((api_key, api_version, client_id))
            if known is None:
                route = self._routes.get((api_key, api_version)) or self._route(api_key, api_version)
                if route is None:
                    return [self._unsupported_api_versions(correlation_id)]
                context = _context(connection, route, client_id, client_length)
            else:
                route, context = known
            if size > route.bytes_max:
                raise BadFrame(f"{route.name} of {size} bytes (penstock.control.request.max.bytes)")
            if position > size:
                raise BadFrame(f"a client id of {client_length} bytes in a frame of {size}")
            if route.is_flexible_request:
                position = skip_tag_section(frame, position) if frame[position] else position + 1
            if route.is_raw:
                return self._answer_raw(route, connection, correlation_id, frame, position, context)
            return self._answer(Call(route, connection, correlation_id, self._faults), frame, position, context)
        except (Malformed, IndexError) as error:
            raise self.bad_frame(f"api {api_key} version {api_version}: {error}") from None
        except BadFrame:
            self._faults.bad_frames += 1
            raise

    def bad_frame(self, reason: str) -> BadFrame:
        self._faults.bad_frames += 1
        return BadFrame(reason)

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
        route = self._routes[api_key, api_version] = Route(
            bound, api_version, self._registry, control_bytes_max=self._control_bytes_max, hooks=self._hooks
        )
        if self._wrap is not None:
            route.call = self._wrap(route.answer, route.plain_call)
        return route

    def _unsupported_api_versions(self, correlation_id: int) -> bytes:
        """Version 0 of the response, with what we do support of ApiVersions itself: enough to ask again."""
        oldest, newest = self._bound[ApiKey.API_VERSIONS].answer.versions
        body = struct.pack(">hihhh", UnsupportedVersion.code, 1, ApiKey.API_VERSIONS, oldest, newest)
        return _PREFIX.pack(4 + len(body), correlation_id) + body

    def _answer_raw(
        self,
        route: Route,
        connection: Connection,
        correlation_id: int,
        frame: memoryview,
        position: int,
        context: RequestContext,
    ) -> Handled:
        started = perf_counter()
        try:
            body = route.call(frame, position, context)
        except Unanswerable as error:
            raise BadFrame(str(error)) from None
        except Malformed:
            raise
        except (Exception, CancelledError) as error:
            Call(route, connection, correlation_id, self._faults).report(error)
            raise BadFrame(f"{route.name} failed") from error
        if type(body) is list:  # answered on the spot, as nearly all are: nothing need be remembered
            route.metrics.record(perf_counter() - started)
            return _framed(route, correlation_id, body)
        call = Call(route, connection, correlation_id, self._faults, started)
        if body is None:
            return call.finish_raw(body)
        if type(body) is Promise:
            return Parked(body, call.finish_parked, route.lets_pass)
        return call.run_raw(body)

    def _answer(self, call: "Call", frame: memoryview, position: int, context: RequestContext) -> Handled:
        route = call.route
        request_type = route.answer.request
        assert request_type is not None
        request = request_type.decode(frame, route.api_version, position)
        if route.answer.is_async:
            return call.run(lambda: route.call(request, context))
        try:
            answer = route.call(request, context)
            kind = type(answer)
            if kind is Promise:
                # Many are kept already: then nothing is waited for, and the answers of one receive are sent together.
                return call.finish_late(answer) if answer.done() else Parked(answer, call.finish_late, route.lets_pass)
            return call.run(lambda: answer) if kind is CoroutineType else call.finish(answer)
        except (Exception, CancelledError) as error:
            return call.refuse(error)


class Call:
    """One request on its way through: which API, for whom, since when.

    Whatever goes wrong stays here: a Refusal becomes an answer, a bug the answer -1 or, where the response has no place
    for it, the end of the connection. Only Fatal goes further: it ends the broker.
    """

    __slots__ = ("connection", "correlation_id", "faults", "route", "started")

    def __init__(
        self,
        route: Route,
        connection: Connection,
        correlation_id: int,
        faults: RequestFaults,
        started: float | None = None,
    ) -> None:
        self.route = route
        self.connection = connection
        self.correlation_id = correlation_id
        self.faults = faults
        self.started = perf_counter() if started is None else started

    async def run(self, work: Callable[[], Awaitable[Any]]) -> list[Chunk] | None:
        try:
            return self.finish(await work())
        except Exception as error:
            return self.refuse(error)
        except CancelledError as error:
            return self.refuse(_not_ours(error))

    async def run_raw(self, body: "Coroutine[Any, Any, RawReply | LaterReply]") -> list[Chunk] | Parked | None:
        """The ordered part of a raw handler that could not be done on the spot."""
        try:
            result = await body
            if isinstance(result, Promise):
                return Parked(result, self.finish_parked, self.route.lets_pass)
            return self.finish_raw(result)
        except Unanswerable as error:
            self.connection.close(str(error))
        except Exception as error:
            self.hang_up(error)
        except CancelledError as error:
            self.hang_up(_not_ours(error))
        return None

    def finish_late(self, promise: Promise[Any]) -> list[Chunk] | None:
        if promise.cancelled():
            # Mostly because the client has gone; one that is still here must not wait for ever.
            return None if self.connection.is_closed else self.refuse(CancelledError())
        answer = promise.exception() or promise.result()
        try:
            return self.refuse(answer) if isinstance(answer, BaseException) else self.finish(answer)
        except Exception as failure:
            return self.refuse(failure)

    def finish_parked(self, promise: LaterReply) -> list[Chunk] | None:
        if promise.cancelled():
            if not self.connection.is_closed:
                self.hang_up(CancelledError())
            return None
        try:
            return self.finish_raw(promise.result())
        except Exception as error:
            self.hang_up(error)
            return None

    def finish_raw(self, body: RawReply) -> list[Chunk] | None:
        self.route.metrics.record(perf_counter() - self.started)
        return None if body is None else _framed(self.route, self.correlation_id, body)

    def finish(self, response: Any) -> list[Chunk]:
        body = response.encode(self.route.api_version)
        self.route.metrics.record(perf_counter() - self.started)
        return _framed(self.route, self.correlation_id, [body])

    def refuse(self, error: BaseException) -> list[Chunk] | None:
        """The handler's response type with the refusal in it, or the end of the connection where it has no place. Never
        raises: it is called where nobody but the node's task group would catch it (RULES 54).
        """
        if isinstance(error, Unanswerable):
            self.connection.close(str(error))
            return None
        try:
            response = self.route.answer.response
            if response is None or not self.route.has_place_for_error:
                self.hang_up(error)
                return None
            if not isinstance(error, Refusal):
                self.report(error)
                error = UnknownServerError()
            refused = response()
            refused.error_code = error.code
            if hasattr(refused, "error_message"):
                refused.error_message = error.message
            return self.finish(refused)
        except Exception as failure:
            self.hang_up(failure)
            return None

    def hang_up(self, error: BaseException) -> None:
        self.connection.close(f"{self.route.name} failed")
        self.report(error)

    def report(self, error: BaseException) -> None:
        """Count it and say so. A log that cannot be written is no reason to end a broker."""
        api, version = self.route.name, self.route.api_version
        if isinstance(error, Refusal):
            self.faults.bad_frames += 1
            with suppress(Exception):
                _log.warning("request refused without an answer", api=api, version=version, reason=str(error))
            return
        if isinstance(error, Fatal):
            self.connection.end_broker(error)
        self.faults.bugs += 1
        with suppress(Exception):
            _log.error("request failed", api=api, version=version, exc_info=error)


def _not_ours(cancelled: CancelledError) -> CancelledError:
    """A cancellation that a handler came upon. One that is meant for the request's own task goes on."""
    task = current_task()
    if task is not None and task.cancelling():
        raise cancelled
    return cancelled


def _context(connection: Connection, route: Route, client_id: bytes | None, client_length: int) -> RequestContext:
    """A context that the next request of the same API, version and client id finds with its route."""
    if client_id is not None and len(client_id) < client_length:
        raise BadFrame(f"a client id of {client_length} bytes, of which {len(client_id)} came")
    name = None if client_id is None else client_id.decode(errors="replace")  # as Kafka reads it
    context = RequestContext(
        api_version=route.api_version,
        client_id=name,
        listener=connection.listener,
        peer=connection.peer,
        caller=connection.caller,
    )
    if client_length > CLIENT_ID_KEPT_MAX:
        return context
    cache = connection.context_cache
    if len(cache) >= CONTEXTS_MAX:
        cache.clear()
    cache[route.key.value, route.api_version, client_id] = route, context
    return context


def _framed(route: Route, correlation_id: int, body: list[Chunk]) -> list[Chunk]:
    if len(body) == 1 and not isinstance(only := body[0], FileSlice):  # all that Produce and most others answer
        if route.is_flexible_response:
            return [_PREFIX_FLEXIBLE.pack(len(only) + 5, correlation_id, 0) + only]
        return [_PREFIX.pack(len(only) + 4, correlation_id) + only]
    size = sum(chunk.size if isinstance(chunk, FileSlice) else len(chunk) for chunk in body)
    if route.is_flexible_response:
        prefix = _PREFIX_FLEXIBLE.pack(size + 5, correlation_id, 0)
    else:
        prefix = _PREFIX.pack(size + 4, correlation_id)
    first = body[0] if body else b""
    if isinstance(first, FileSlice):
        return [prefix, *body]
    return [prefix + first, *body[1:]]
