"""Dispatch: headers, versions, and what becomes of refusals and of bugs."""

import asyncio
import struct
from collections.abc import Coroutine
from typing import Any

import pytest

from penstock.access.rights import NOTHING
from penstock.broker.connection import BadFrame
from penstock.broker.dispatch import CONTEXTS_MAX, Dispatcher
from penstock.broker.eager_start import start_eagerly
from penstock.broker.metrics import RequestFaults
from penstock.broker.owed_answers import Parked
from penstock.broker.peer_authentication import Caller
from penstock.broker.registry import REGISTRY, Answer, Bound, RequestContext, Unanswerable, Unbound, answers_raw, bind
from penstock.errors import Fatal, InvalidRequest
from penstock.metrics import MetricsRegistry
from penstock.replication import Promise
from penstock.wire.api import ApiKey
from penstock.wire.framing import RequestHeader
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.api_versions_response import ApiVersionsResponse
from penstock.wire.messages.create_topics_request import CreateTopicsRequest
from penstock.wire.messages.create_topics_response import CreateTopicsResponse
from penstock.wire.messages.list_groups_request import ListGroupsRequest
from penstock.wire.messages.list_groups_response import ListGroupsResponse


class FakeConnection:
    """What dispatch sees of a connection."""

    def __init__(self) -> None:
        self.caller = Caller()
        self.context_cache: dict[Any, Any] = {}
        self.listener = "PLAINTEXT"
        self.peer = "10.0.0.1:5"
        self.closed: list[str] = []
        self.fatal: list[Fatal] = []

    def end_broker(self, fatal: Fatal) -> None:
        self.fatal.append(fatal)

    def close(self, reason: str) -> None:
        self.closed.append(reason)


class Bench:
    def __init__(self) -> None:
        self.registry = MetricsRegistry()
        self.bound: dict[int, Bound] = {}
        self.connection = FakeConnection()
        self.dispatcher = Dispatcher(self.bound, self.registry, control_bytes_max=10_000)

    def answer(self, key: ApiKey, call: Any, *, versions: tuple[int, int] = (0, 4), **more: Any) -> None:
        facts: dict[str, Any] = {"is_raw": False, "is_async": asyncio.iscoroutinefunction(call)} | more
        self.bound[key] = Bound(
            Answer(key=key, versions=versions, function=call, services={}, context=None, advertised_from=0, **facts),
            call,
        )

    def handle(self, frame: bytes | bytearray) -> Any:
        return self.dispatcher.handle(memoryview(bytearray(frame)), self.connection)  # type: ignore[arg-type]

    @property
    def faults(self) -> RequestFaults:
        return self.registry.of(RequestFaults)


LIST_GROUPS: dict[str, Any] = {"request": ListGroupsRequest, "response": ListGroupsResponse}
CREATE_TOPICS: dict[str, Any] = {"request": CreateTopicsRequest, "response": CreateTopicsResponse}


def a_request(key: ApiKey, version: int, body: bytes, *, correlation: int = 7, client: str | None = "me") -> bytes:
    return bytes(RequestHeader(key, version, correlation, client).encode()) + bytes(body)


def read(chunks: list[Any]) -> bytes:
    data = b"".join(map(bytes, chunks))
    assert struct.unpack(">i", data[:4])[0] == len(data) - 4
    return data[4:]


@pytest.mark.parametrize("way", ["plain", "async", "raw", "parked"])
async def test_a_broken_invariant_ends_the_broker(way: str) -> None:
    bench = Bench()
    fatal = Fatal("the log ends elsewhere")

    def plain(*_: Any) -> Any:
        raise fatal

    async def later(*_: Any) -> Any:
        raise fatal

    def parked(*_: Any) -> Any:
        promise: Promise[Any] = Promise()
        asyncio.get_running_loop().call_soon(promise.set_exception, fatal)
        return promise

    match way:
        case "raw":
            bench.answer(ApiKey.LIST_GROUPS, plain, is_raw=True, request=None, response=None)
        case "parked":
            bench.answer(ApiKey.LIST_GROUPS, parked, **LIST_GROUPS)
        case _:
            bench.answer(ApiKey.LIST_GROUPS, later if way == "async" else plain, **LIST_GROUPS)
    try:
        handled = bench.handle(a_request(ApiKey.LIST_GROUPS, 0, b""))
    except BadFrame:
        assert way == "raw"
    else:
        if isinstance(handled, Parked):
            with pytest.raises(Fatal):
                await handled.promise
            handled.finish(handled.promise)
        elif isinstance(handled, Coroutine):
            await handled
    assert bench.connection.fatal == [fatal]


def test_a_long_client_id_is_taken_and_not_remembered() -> None:
    bench = Bench()
    bench.answer(ApiKey.LIST_GROUPS, lambda *_: ListGroupsResponse(), **LIST_GROUPS)
    for length in (256, 257, 9_000):
        assert read(bench.handle(a_request(ApiKey.LIST_GROUPS, 0, b"", client="c" * length)))
    assert [len(client_id) for _, _, client_id in bench.connection.context_cache] == [256]


def test_a_plain_handler_is_answered_on_the_spot_with_its_correlation_id() -> None:
    bench = Bench()
    contexts: list[RequestContext] = []

    def call(request: ListGroupsRequest, context: RequestContext) -> ListGroupsResponse:
        contexts.append(context)
        return ListGroupsResponse(error_code=3)

    bench.answer(ApiKey.LIST_GROUPS, call, **LIST_GROUPS)
    answer = read(bench.handle(a_request(ApiKey.LIST_GROUPS, 3, ListGroupsRequest().encode(3))))
    assert answer[:5] == b"\x00\x00\x00\x07\x00"
    assert ListGroupsResponse.decode(answer, 3, 5).error_code == 3
    assert (contexts[0].client_id, contexts[0].api_version, contexts[0].peer) == ("me", 3, "10.0.0.1:5")


async def test_a_handler_that_begins_a_coroutine_is_answered_on_the_spot_unless_it_waits() -> None:
    bench = Bench()
    waits_for: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def call(request: ListGroupsRequest, context: RequestContext) -> ListGroupsResponse:
        return ListGroupsResponse(error_code=await waits_for)

    bench.answer(ApiKey.LIST_GROUPS, lambda *asked: start_eagerly(call(*asked)), **LIST_GROUPS)
    asked = a_request(ApiKey.LIST_GROUPS, 3, ListGroupsRequest().encode(3))
    waiting = asyncio.ensure_future(bench.handle(asked))
    await asyncio.sleep(0)
    waits_for.set_result(3)
    on_the_spot = bench.handle(asked)
    assert ListGroupsResponse.decode(read(on_the_spot), 3, 5).error_code == 3
    assert read(await waiting) == read(on_the_spot)


def test_requests_that_agree_share_one_context() -> None:
    bench = Bench()
    contexts: list[RequestContext] = []

    def call(request: ListGroupsRequest, context: RequestContext) -> ListGroupsResponse:
        contexts.append(context)
        return ListGroupsResponse()

    bench.answer(ApiKey.LIST_GROUPS, call, **LIST_GROUPS)
    for client in ("me", "me", "you", None):
        bench.handle(a_request(ApiKey.LIST_GROUPS, 3, ListGroupsRequest().encode(3), client=client))
    assert contexts[0] is contexts[1] and [c.client_id for c in contexts] == ["me", "me", "you", None]


@pytest.mark.parametrize("refusal", [InvalidRequest("no"), ZeroDivisionError()])
async def test_a_refusal_becomes_its_code_and_a_bug_minus_one(refusal: Exception) -> None:
    bench = Bench()

    async def call(request: ListGroupsRequest, context: RequestContext) -> ListGroupsResponse:
        raise refusal

    bench.answer(ApiKey.LIST_GROUPS, call, **LIST_GROUPS)
    answer = read(await bench.handle(a_request(ApiKey.LIST_GROUPS, 3, ListGroupsRequest().encode(3))))
    is_bug = isinstance(refusal, ZeroDivisionError)
    assert ListGroupsResponse.decode(answer, 3, 5).error_code == (-1 if is_bug else InvalidRequest.code)
    assert bench.faults.bugs == is_bug and not bench.connection.closed


async def test_a_bug_without_a_place_in_the_response_ends_the_connection_not_the_broker() -> None:
    bench = Bench()

    async def call(request: CreateTopicsRequest, context: RequestContext) -> CreateTopicsResponse:
        raise ZeroDivisionError

    bench.answer(ApiKey.CREATE_TOPICS, call, versions=(2, 7), **CREATE_TOPICS)
    assert await bench.handle(a_request(ApiKey.CREATE_TOPICS, 7, CreateTopicsRequest().encode(7))) is None
    assert bench.connection.closed == ["CreateTopics failed"] and bench.faults.bugs == 1


def test_a_response_that_its_version_cannot_carry_is_a_bug_and_said_as_one() -> None:
    bench = Bench()
    bench.answer(
        ApiKey.LIST_GROUPS, lambda request, context: ListGroupsResponse(throttle_time_ms=1 << 40), **LIST_GROUPS
    )
    answer = read(bench.handle(a_request(ApiKey.LIST_GROUPS, 3, ListGroupsRequest().encode(3))))
    assert ListGroupsResponse.decode(answer, 3, 5).error_code == -1


def test_an_unknown_version_of_api_versions_is_answered_in_version_0_with_error_35() -> None:
    bench = Bench()
    bench.answer(
        ApiKey.API_VERSIONS,
        lambda r, c: ApiVersionsResponse(),
        request=ApiVersionsRequest,
        response=ApiVersionsResponse,
    )
    answer = read(bench.handle(a_request(ApiKey.API_VERSIONS, 5, b"\x00")))
    response = ApiVersionsResponse.decode(answer, 0, 4)
    assert answer[:4] == b"\x00\x00\x00\x07" and response.error_code == 35
    assert [(api.api_key, api.min_version, api.max_version) for api in response.api_keys] == [(18, 0, 4)]


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\x00\x10",
        struct.pack(">hhih", 999, 0, 1, -1),
        struct.pack(">hhih", ApiKey.LIST_GROUPS, 9, 1, -1),
        struct.pack(">hhih", ApiKey.LIST_GROUPS, -1, 1, -1),
        struct.pack(">hhih", ApiKey.LIST_GROUPS, 3, 1, 500),
        struct.pack(">hhih", ApiKey.LIST_GROUPS, 3, 1, -1),
        struct.pack(">hhih", ApiKey.LIST_GROUPS, 3, 1, -1) + b"\xff\xff\xff\xff\xff\xff",
        struct.pack(">hhih", ApiKey.LIST_GROUPS, 3, 1, -1) + b"\x00" * 10_000,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_request_ends_the_connection_and_is_counted(frame: bytes) -> None:
    bench = Bench()
    bench.answer(ApiKey.LIST_GROUPS, lambda request, context: ListGroupsResponse(), **LIST_GROUPS)
    with pytest.raises(BadFrame):
        bench.handle(frame)
    assert bench.faults.bad_frames == 1


RAW: dict[str, Any] = {"is_raw": True, "request": None, "response": None, "versions": (4, 18)}
FETCH = struct.pack(">hhih", ApiKey.FETCH, 11, 7, -1)


def test_a_raw_answer_is_framed_around_its_chunks() -> None:
    bench = Bench()
    bench.answer(ApiKey.FETCH, lambda frame, position, context: [b"ab", b"cde"], **RAW)
    assert read(bench.handle(FETCH)) == b"\x00\x00\x00\x07abcde"


def test_a_raw_answer_of_one_chunk_is_framed_in_either_form_of_header() -> None:
    bench = Bench()
    bench.answer(ApiKey.FETCH, lambda frame, position, context: [bytearray(b"abc")], **RAW)
    assert bench.handle(FETCH) == [b"\x00\x00\x00\x07" + b"\x00\x00\x00\x07abc"]
    flexible = struct.pack(">hhihb", ApiKey.FETCH, 12, 7, -1, 0)
    assert bench.handle(flexible) == [b"\x00\x00\x00\x08" + b"\x00\x00\x00\x07\x00abc"]


def test_requests_that_agree_share_a_context_and_others_do_not() -> None:
    bench = Bench()
    contexts: list[RequestContext] = []

    def call(frame: memoryview, position: int, context: RequestContext) -> list[Any]:
        contexts.append(context)
        return [b""]

    bench.answer(ApiKey.FETCH, call, **RAW)
    for version, client in ((11, "me"), (11, "me"), (11, "you"), (10, "me"), (11, None)):
        bench.handle(a_request(ApiKey.FETCH, version, b"", client=client))
    first, second, you, older, nobody = contexts
    assert first is second
    assert [(c.api_version, c.client_id) for c in (first, you, older, nobody)] == [
        (11, "me"),
        (11, "you"),
        (10, "me"),
        (11, None),
    ]


def test_a_client_that_changes_its_name_all_the_time_is_not_remembered_for_ever() -> None:
    bench = Bench()
    bench.answer(ApiKey.FETCH, lambda frame, position, context: [b""], **RAW)
    for number in range(1000):
        bench.handle(a_request(ApiKey.FETCH, 11, b"", client=f"client-{number}"))
    assert len(bench.connection.context_cache) <= CONTEXTS_MAX


def test_a_client_id_that_is_not_text_is_read_as_kafka_reads_it() -> None:
    bench = Bench()
    seen = []

    def note(frame: memoryview, position: int, context: RequestContext) -> list[bytes]:
        seen.append(context.client_id)
        return [b""]

    bench.answer(ApiKey.FETCH, note, **RAW)
    bench.handle(struct.pack(">hhih", ApiKey.FETCH, 11, 7, 4) + b"a\xff\xfeb")
    assert seen == ["a\ufffd\ufffdb"]


def test_a_known_client_id_that_claims_to_be_longer_is_a_bad_frame() -> None:
    bench = Bench()
    bench.answer(ApiKey.FETCH, lambda frame, position, context: [b""], **RAW)
    bench.handle(a_request(ApiKey.FETCH, 11, b"", client="me"))
    with pytest.raises(BadFrame, match="client id of 100 bytes"):
        bench.handle(struct.pack(">hhih", ApiKey.FETCH, 11, 7, 100) + b"me")
    assert bench.faults.bad_frames == 1


def test_a_known_request_that_grew_too_large_is_a_bad_frame_unless_it_is_a_produce() -> None:
    bench = Bench()
    bench.answer(ApiKey.FETCH, lambda frame, position, context: [b""], **RAW)
    bench.answer(ApiKey.PRODUCE, lambda frame, position, context: [b""], **RAW)
    for key in (ApiKey.FETCH, ApiKey.PRODUCE):
        bench.handle(a_request(key, 8, b""))
    with pytest.raises(BadFrame, match=r"penstock\.control\.request\.max\.bytes"):
        bench.handle(a_request(ApiKey.FETCH, 8, bytes(10_000)))
    assert bench.handle(a_request(ApiKey.PRODUCE, 8, bytes(10_000)))


def test_an_answer_that_nobody_waits_for_is_none() -> None:
    bench = Bench()
    bench.answer(ApiKey.FETCH, lambda frame, position, context: None, **RAW)
    assert bench.handle(FETCH) is None


async def test_a_raw_promise_is_parked_and_finished_later() -> None:
    bench = Bench()
    promise: Promise[Any] = Promise()
    bench.answer(ApiKey.FETCH, lambda frame, position, context: promise, **RAW)
    parked = bench.handle(FETCH)
    assert isinstance(parked, Parked)
    promise.set_result([b"late"])
    chunks = parked.finish(promise)
    assert chunks is not None and read(chunks) == b"\x00\x00\x00\x07late"


async def test_a_parked_bug_ends_the_connection() -> None:
    bench = Bench()
    promise: Promise[Any] = Promise()
    bench.answer(ApiKey.FETCH, lambda frame, position, context: promise, **RAW)
    parked = bench.handle(FETCH)
    promise.set_exception(ZeroDivisionError())
    assert parked.finish(promise) is None
    assert bench.connection.closed and bench.faults.bugs == 1


async def test_an_ordered_part_of_a_raw_handler_is_awaited() -> None:
    bench = Bench()

    async def slow() -> Any:
        return [b"slow"]

    def call(frame: memoryview, position: int, context: RequestContext) -> Coroutine[Any, Any, Any]:
        return slow()

    bench.answer(ApiKey.FETCH, call, **RAW)
    assert read(await bench.handle(FETCH)) == b"\x00\x00\x00\x07slow"


def test_what_no_answer_can_carry_ends_the_connection() -> None:
    bench = Bench()

    def call(frame: memoryview, position: int, context: RequestContext) -> None:
        raise Unanswerable("acks=0")

    bench.answer(ApiKey.FETCH, call, **RAW)
    with pytest.raises(BadFrame, match="acks=0"):
        bench.handle(FETCH)


def test_a_raw_handler_without_its_context_in_third_place_is_a_mistake_found_at_import() -> None:
    def misplaced(frame: memoryview, position: int, image: int, context: RequestContext) -> None: ...

    with pytest.raises(TypeError, match="third parameter"):
        answers_raw(ApiKey.FETCH, versions=(0, 1), requires=NOTHING, audits=NOTHING)(misplaced)


def test_services_reach_a_raw_handler_in_the_order_of_its_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.broker.registry.REGISTRY", {})

    def handler(frame: memoryview, position: int, context: RequestContext, number: int, text: str) -> list[Any]:
        return [number, text, position]

    answers_raw(ApiKey.FETCH, versions=(0, 1), requires=NOTHING, audits=NOTHING)(handler)
    (bound,) = bind({str: "words", int: 7, float: 1.5}).values()
    assert bound.call(memoryview(b""), 3, None) == [7, "words", 3]


def test_a_service_that_the_node_lacks_is_found_at_start() -> None:
    import penstock.broker.handlers  # noqa: F401

    assert REGISTRY
    with pytest.raises(Unbound, match="which this node does not have"):
        bind({})


async def test_a_handler_that_parks_is_answered_when_its_promise_is_kept() -> None:
    bench = Bench()
    promise: Promise[Any] = Promise()
    bench.answer(ApiKey.LIST_GROUPS, lambda request, context: promise, **LIST_GROUPS)
    parked = bench.handle(a_request(ApiKey.LIST_GROUPS, 3, ListGroupsRequest().encode(3)))
    assert isinstance(parked, Parked)
    promise.set_result(ListGroupsResponse(error_code=3))
    assert ListGroupsResponse.decode(read(parked.finish(promise) or []), 3, 5).error_code == 3


@pytest.mark.parametrize(("outcome", "code"), [(InvalidRequest("no"), 42), (ZeroDivisionError(), -1)])
async def test_a_parked_answer_may_be_a_refusal_or_a_bug(outcome: Exception, code: int) -> None:
    bench = Bench()
    promise: Promise[Any] = Promise()
    bench.answer(ApiKey.LIST_GROUPS, lambda request, context: promise, **LIST_GROUPS)
    parked = bench.handle(a_request(ApiKey.LIST_GROUPS, 3, ListGroupsRequest().encode(3)))
    if code == -1:
        promise.set_exception(outcome)
    else:
        promise.set_result(outcome)
    assert ListGroupsResponse.decode(read(parked.finish(promise)), 3, 5).error_code == code


async def test_a_handler_that_could_park_but_has_its_answer_is_answered_on_the_spot() -> None:
    bench = Bench()
    promise: Promise[Any] = Promise()
    promise.set_result(ListGroupsResponse(error_code=3))
    answers: list[Any] = [promise, ListGroupsResponse(error_code=4)]
    bench.answer(ApiKey.LIST_GROUPS, lambda request, context: answers.pop(0), **LIST_GROUPS)
    request = a_request(ApiKey.LIST_GROUPS, 0, ListGroupsRequest().encode(0))
    told = [ListGroupsResponse.decode(read(bench.handle(request))[4:], 0).error_code for _ in range(2)]
    assert told == [3, 4]


def test_a_handler_that_refuses_before_it_parks_is_answered_at_once() -> None:
    bench = Bench()

    def call(request: ListGroupsRequest, context: RequestContext) -> Any:
        raise InvalidRequest("no")

    bench.answer(ApiKey.LIST_GROUPS, call, **LIST_GROUPS)
    answer = read(bench.handle(a_request(ApiKey.LIST_GROUPS, 3, ListGroupsRequest().encode(3))))
    assert ListGroupsResponse.decode(answer, 3, 5).error_code == 42
