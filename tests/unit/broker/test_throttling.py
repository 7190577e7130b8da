"""Requests are counted, answered with a throttle time, and their connections held back."""

import asyncio
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.quotas import SomeQuotas
from tests.unit.broker.test_dispatch import CREATE_TOPICS, Bench, a_request, read

from penstock.access.principal import Principal
from penstock.access.subject import Subject
from penstock.broker import throttling
from penstock.broker.connection import BadFrame
from penstock.broker.owed_answers import Parked
from penstock.broker.peer_authentication import Caller
from penstock.broker.throttling import throttle
from penstock.replication import Promise
from penstock.wire.api import ApiKey
from penstock.wire.messages.create_topics_response import CreateTopicsResponse
from penstock.wire.messages.produce_response import (
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)


class Line:
    """A connection, as far as it is held back."""

    def __init__(self) -> None:
        self.muted: list[float] = []

    def mute(self, seconds: float) -> None:
        self.muted.append(seconds)

    def close(self, reason: str) -> None: ...


class World(Bench):
    def __init__(self) -> None:
        super().__init__()
        self.some = SomeQuotas()
        self.line = Line()
        self.connection.caller.line = self.line
        self.connection.caller.subject = Subject(Principal("User", "anna"))
        throttle(self.dispatcher, self.some.quotas)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def timer(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The time that handlers see; they move it themselves."""
    now = [0.0]
    monkeypatch.setattr(throttling, "perf_counter", lambda: now[0])
    yield now


def produced(version: int, *, endpoints: bool = False) -> bytes:
    response = ProduceResponse([TopicProduceResponse(partition_responses=[PartitionProduceResponse(0, 0, 7)])])
    if endpoints:
        response.node_endpoints = [NodeEndpoint(1, "h", 9092, None)]
    return bytes(response.encode(version))


def produce_request(version: int, size: int) -> bytes:
    request = a_request(ApiKey.PRODUCE, version, b"")
    return request + bytes(size - len(request))


@pytest.mark.parametrize(("version", "endpoints"), [(3, False), (8, False), (9, False), (12, False), (12, True)])
def test_a_producer_is_told_and_not_read(world: World, version: int, endpoints: bool) -> None:
    body = produced(version, endpoints=endpoints)
    world.answer(ApiKey.PRODUCE, lambda *_: [body], versions=(3, 13), is_raw=True, request=None, response=None)
    world.some.set("user=anna", producer_byte_rate=100)
    world.handle(produce_request(version, 1_000))
    assert world.line.muted == []
    answer = read(world.handle(produce_request(version, 500)))
    head = 5 if version >= 9 else 4
    told = ProduceResponse.decode(answer[head:], version)
    assert (told.throttle_time_ms, world.line.muted) == (5_000, [5.0])
    told.throttle_time_ms = 0
    assert bytes(told.encode(version)) == body


def test_a_producer_that_wants_no_answer_is_not_read_either(world: World) -> None:
    world.answer(ApiKey.PRODUCE, lambda *_: None, versions=(3, 13), is_raw=True, request=None, response=None)
    world.some.set("user=anna", producer_byte_rate=100)
    world.handle(produce_request(9, 1_500))
    assert world.line.muted == [5.0]


def test_a_producer_that_waits_for_replicas_is_held_back_with_the_answer(world: World) -> None:
    promise: Promise[Any] = Promise()
    world.answer(ApiKey.PRODUCE, lambda *_: promise, versions=(3, 13), is_raw=True, request=None, response=None)
    world.some.set("user=anna", producer_byte_rate=100)
    parked = world.handle(produce_request(9, 1_500))
    assert isinstance(parked, Parked) and world.line.muted == []
    chunks: list[Any] = [produced(9)]
    promise.set_result(chunks)
    assert world.line.muted == [5.0]
    assert ProduceResponse.decode(chunks[0], 9).throttle_time_ms == 5_000


def test_a_fetch_is_told_in_its_first_bytes(world: World, timer: list[float]) -> None:
    def fetch(*_: Any) -> list[Any]:
        timer[0] += 2.0
        return [bytearray(struct.pack(">ihi", 300, 0, 5)), b"records"]

    world.answer(ApiKey.FETCH, fetch, versions=(4, 18), is_raw=True, request=None, response=None)
    world.some.set("user=anna", request_percentage=10)
    answer = read(world.handle(a_request(ApiKey.FETCH, 12, b"\x00")))
    assert struct.unpack_from(">ihi", answer, 5) == (1_000, 0, 5)
    assert world.line.muted == [1.0]


@pytest.mark.parametrize("way", ["plain", "async", "later"])
async def test_the_loops_time_that_a_request_takes_is_counted(world: World, timer: list[float], way: str) -> None:
    """Not that in which it waits."""
    response = CreateTopicsResponse()
    promise: Promise[Any] = Promise()

    def plain(*_: Any) -> Any:
        timer[0] += 1.5
        return response

    async def waiting(*_: Any) -> Any:
        timer[0] += 0.5
        waited = asyncio.get_running_loop().create_future()

        def go_on() -> None:
            timer[0] += 1_000
            waited.set_result(None)

        asyncio.get_running_loop().call_soon(go_on)
        await waited
        timer[0] += 1.0
        return response

    def later(*_: Any) -> Any:
        timer[0] += 1.5
        return promise

    handler = {"plain": plain, "async": waiting, "later": later}[way]
    world.answer(ApiKey.CREATE_TOPICS, handler, versions=(2, 7), **CREATE_TOPICS)
    world.some.set("user=anna", request_percentage=10)
    body = bytes(CREATE_TOPICS["request"]().encode(2))
    handled = world.handle(a_request(ApiKey.CREATE_TOPICS, 2, body))
    if asyncio.iscoroutine(handled):
        handled = await handled
    promise.set_result(response)
    if isinstance(handled, Parked):
        handled = handled.finish(handled.promise)
    assert world.line.muted == [1.0]  # 15 % and not more, but a window at most
    assert CreateTopicsResponse.decode(read(handled)[4:], 2).throttle_time_ms == 1_000


async def test_what_a_request_waits_for_may_fail(world: World) -> None:
    async def failing(*_: Any) -> Any:
        broken = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(broken.set_exception, OSError("broken"))
        try:
            await broken
        except OSError:
            return CreateTopicsResponse(throttle_time_ms=7)

    world.answer(ApiKey.CREATE_TOPICS, failing, versions=(2, 7), **CREATE_TOPICS)
    world.some.set("user=anna", request_percentage=10)
    body = bytes(CREATE_TOPICS["request"]().encode(2))
    handled = await world.handle(a_request(ApiKey.CREATE_TOPICS, 2, body))
    assert CreateTopicsResponse.decode(read(handled)[4:], 2).throttle_time_ms == 7


def test_brokers_are_never_held_back(world: World) -> None:
    body = produced(9)
    world.answer(ApiKey.PRODUCE, lambda *_: [body], versions=(3, 13), is_raw=True, request=None, response=None)
    world.some.set("user", producer_byte_rate=1)
    world.connection.caller.broker_id = 2
    assert read(world.handle(produce_request(9, 10_000)))[5:] == body
    assert world.line.muted == []


def test_a_route_has_nothing_around_it_unless_there_are_quotas(world: World) -> None:
    """Also one that was made, and is known to a connection, before there were any."""
    handler = lambda *_: [produced(9)]  # noqa: E731
    world.answer(ApiKey.PRODUCE, handler, versions=(3, 13), is_raw=True, request=None, response=None)
    world.handle(produce_request(9, 10_000))
    route, _context = world.connection.context_cache[ApiKey.PRODUCE, 9, b"me"]
    assert route.call is handler
    world.some.set("user=anna", producer_byte_rate=100)
    world.handle(produce_request(9, 10_000))
    assert world.line.muted == [90.0]
    world.some.set("user=anna")
    assert route.call is handler


def test_a_change_concerns_connections_that_are_open(world: World) -> None:
    world.answer(ApiKey.PRODUCE, lambda *_: None, versions=(3, 13), is_raw=True, request=None, response=None)
    world.some.set("user=anna", producer_byte_rate=10_000)
    world.handle(produce_request(9, 1_500))
    world.some.set("user=anna", producer_byte_rate=100)
    world.handle(produce_request(9, 500))
    world.some.set("user=anna", producer_byte_rate=10_000)
    world.handle(produce_request(9, 500))
    assert world.line.muted == [10.0]


def test_a_tenant_has_so_many_connections(world: World) -> None:
    """Of all users whose names begin with its prefix. Whoever comes beyond is cut off at its first request."""
    world.answer(ApiKey.LIST_GROUPS, lambda *_: [b"fine"], is_raw=True, request=None, response=None)
    world.answer(ApiKey.CREATE_TOPICS, lambda *_: CreateTopicsResponse(), versions=(2, 7), **CREATE_TOPICS)
    world.some.set("tenant=acme.", connections=1)
    listing = a_request(ApiKey.LIST_GROUPS, 0, b"")

    def ask(user: str) -> Caller:
        world.connection.caller = Caller()
        world.connection.caller.subject = Subject(Principal("User", user))
        world.connection.context_cache.clear()
        read(world.handle(listing))
        return world.connection.caller

    first = ask("acme.anna")
    ask("other")
    with pytest.raises(BadFrame, match=r"tenant acme\. has all the connections"):
        ask("acme.bert")
    assert world.handle(a_request(ApiKey.CREATE_TOPICS, 2, bytes(CREATE_TOPICS["request"]().encode(2)))) is None
    assert world.connection.closed == ["tenant acme. has all the connections that it may have"]
    assert first.tenant is not None
    first.tenant.leave()
    ask("acme.bert")


def test_a_connection_counts_for_whom_it_logs_in_as_again(world: World) -> None:
    world.answer(ApiKey.LIST_GROUPS, lambda *_: [b"fine"], is_raw=True, request=None, response=None)
    world.some.set("tenant=acme.", connections=1)
    caller, tenant = world.connection.caller, world.some.quotas.tenants.of("acme.x")
    assert tenant is not None
    for user, connections in (("acme.anna", {caller}), ("acme.anna", {caller}), ("bert", set())):
        caller.subject = Subject(Principal("User", user))
        read(world.handle(a_request(ApiKey.LIST_GROUPS, 0, b"")))
        assert tenant.connections == connections
