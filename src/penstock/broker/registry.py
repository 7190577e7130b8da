"""Which API is answered by which function. A handler's signature lists all that it touches.

    @answers(ApiKey.METADATA, versions=(0, 13), requires=(DESCRIBE_TOPIC,), audits=NOTHING)
    async def metadata(request: MetadataRequest, context: RequestContext, image: ClusterImage) -> MetadataResponse

`requires` and `audits` declare which rights its requests may be asked for and what they change; see `rights`.
The first parameter is the decoded request; a `RequestContext` is the request's own; every other parameter is a
service, found by its type once at start (`bind`), which fails then if one is unknown.

A handler is plain, async or raw. An `async def` holds the connection's later requests back until it has answered, as
Kafka does. A plain `def` returns
- a response, which is sent on the spot;
- a Promise of a response or a Refusal. What it did so far is the ordered part. Later requests wait for the answer,
  except those that `request_order` lets pass. A promise that is kept already is answered on the spot;
- the rest of a coroutine that it has begun on the spot (`eager_start`) and that must wait: as an `async def`.

Hot paths use `@answers_raw`: the function gets the frame's bytes and returns the response's chunks, or in the same way
a Promise of them or a coroutine.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from penstock.access.principal import Principal
from penstock.access.rights import NOTHING, Kinds, Rights
from penstock.broker.peer_authentication import Caller
from penstock.replication import Promise
from penstock.wire.api import ApiKey

Function = TypeVar("Function", bound=Callable[..., Any])


class RequestContext(msgspec.Struct, frozen=True, gc=False):
    """What a handler may know of who asks. One is shared by all requests of a connection that agree in it."""

    api_version: int
    client_id: str | None
    listener: str
    peer: str
    caller: Caller = msgspec.field(default_factory=Caller)
    """Who is at the other end of the connection, which may come out after the first request (RULES 25)."""

    @property
    def principal(self) -> Principal:
        """As whom the caller asks now."""
        return self.caller.principal


Chunk = Any  # bytes | bytearray | FileSlice: what the connection's writer can send
RawReply = list[Chunk] | None
"""The body's chunks; None means that no answer is owed (acks=0)."""

LaterReply = Promise[RawReply]


class Unanswerable(Exception):
    """Something failed that no answer can carry (acks=0): the connection is closed, as Kafka does."""


class Answer(msgspec.Struct, frozen=True):
    """One row of the table that ApiVersions tells to clients."""

    key: ApiKey
    versions: tuple[int, int]
    function: Callable[..., Any]
    is_raw: bool
    is_async: bool
    request: type[Any] | None
    response: type[Any] | None
    services: dict[str, Any]
    context: str | None
    advertised_from: int
    requires: Rights = NOTHING
    """The rights that requests may be asked for."""
    audits: Kinds = NOTHING
    """What is changed."""
    answers_later: bool = False
    """Whether a plain handler may give a Promise, as its signature says."""


REGISTRY: dict[ApiKey, Answer] = {}


def answers(
    key: ApiKey,
    *,
    versions: tuple[int, int],
    requires: Rights,
    audits: Kinds,
) -> Callable[[Function], Function]:
    def register(function: Function) -> Function:
        hints = get_type_hints(function)
        returned = hints.pop("return")
        kinds = get_args(returned) or (returned,)  # the response, or it and a promise of it
        request_parameter, *others = hints
        _add(
            key,
            versions=versions,
            requires=requires,
            audits=audits,
            function=function,
            is_raw=False,
            request=hints[request_parameter],
            response=kinds[0],
            answers_later=any(get_origin(kind) is Promise for kind in (returned, *kinds)),
            others={name: hints[name] for name in others},
        )
        return function

    return register


def answers_raw(
    key: ApiKey,
    *,
    versions: tuple[int, int],
    requires: Rights,
    audits: Kinds,
    advertised_from: int | None = None,
) -> Callable[[Function], Function]:
    """For a function of (frame, body position, context, services...) that reads and writes bytes by itself."""

    def register(function: Function) -> Function:
        hints = get_type_hints(function)
        _frame, _position, *others = (name for name in hints if name != "return")
        if not others or hints[others[0]] is not RequestContext:
            raise TypeError(f"{key.name}: the third parameter of a raw handler is its RequestContext")
        _add(
            key,
            versions=versions,
            requires=requires,
            audits=audits,
            function=function,
            is_raw=True,
            request=None,
            response=None,
            others={name: hints[name] for name in others},
            advertised_from=advertised_from,
        )
        return function

    return register


def _add(
    key: ApiKey,
    *,
    versions: tuple[int, int],
    requires: Rights,
    audits: Kinds,
    function: Callable[..., Any],
    is_raw: bool,
    request: type[Any] | None,
    response: type[Any] | None,
    others: dict[str, Any],
    advertised_from: int | None = None,
    answers_later: bool = False,
) -> None:
    if key in REGISTRY:
        raise TypeError(f"{key.name} is answered twice: {REGISTRY[key].function} and {function}")
    context = next((name for name, kind in others.items() if kind is RequestContext), None)
    REGISTRY[key] = Answer(
        key=key,
        versions=versions,
        requires=requires,
        audits=audits,
        function=function,
        is_raw=is_raw,
        is_async=inspect.iscoroutinefunction(function),
        answers_later=answers_later,
        request=request,
        response=response,
        services={name: kind for name, kind in others.items() if kind is not RequestContext},
        context=context,
        advertised_from=versions[0] if advertised_from is None else advertised_from,
    )


class Unbound(TypeError):
    """A handler asks for a service that the node does not have: a mistake found at start."""


class Bound(msgspec.Struct):
    """An answer with its services in hand, called with the request (or frame and position) and the context."""

    answer: Answer
    call: Callable[..., Any]


def bind(services: Mapping[Any, object]) -> dict[int, Bound]:
    return {int(key): Bound(answer, _bound_call(answer, services)) for key, answer in REGISTRY.items()}


def _bound_call(answer: Answer, services: Mapping[Any, object]) -> Callable[..., Any]:
    missing = [f"{name}: {kind}" for name, kind in answer.services.items() if kind not in services]
    if missing:
        raise Unbound(f"{answer.key.name} needs {', '.join(missing)}, which this node does not have")
    given = {name: services[kind] for name, kind in answer.services.items()}
    function, context_name = answer.function, answer.context
    if answer.is_raw:
        # By position, in the signature's order: no dictionary is taken apart on the hot path.
        ordered = tuple(given.values())
        return lambda frame, position, context: function(frame, position, context, *ordered)
    if context_name is None:
        return lambda request, _context: function(request, **given)
    name = context_name
    return lambda request, context: function(request, **{name: context}, **given)
