"""The client's core over lines that a test holds in its hands: no socket, and a clock that the test turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from penstock.client import aio, blocking
from penstock.client.admin import groups, topics
from penstock.client.core import Core
from penstock.client.network import NotConnected, Wire
from penstock.client.routing import ROUTES
from penstock.client.settings import ClientSettings, addresses
from penstock.errors import RequestTimedOut, UnsupportedVersion
from penstock.model import Millis
from penstock.wire.api import API_VERSIONS, BROKER_APIS, ApiKey, request_type
from penstock.wire.framing import RequestHeader, response_frame
from penstock.wire.messages.api_versions_response import ApiVersion, ApiVersionsResponse
from penstock.wire.messages.delete_groups_response import DeletableGroupResult, DeleteGroupsResponse
from penstock.wire.messages.find_coordinator_response import Coordinator, FindCoordinatorResponse
from penstock.wire.messages.metadata_response import MetadataResponse, MetadataResponseBroker


class TurnedClock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> Millis:
        return Millis(int(self.seconds * 1000))

    def monotonic(self) -> float:
        return self.seconds


Answer = Callable[[int, Any, int], Any]


class Brokers:
    """Answers by a function of port, request and version; None never answers."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.opened: list[int] = []
        self.refusing: set[int] = set()
        self._todo: list[Callable[[], None]] = []
        self.asked: list[tuple[int, ApiKey, int]] = []

    def open(self, host: str, port: int, wire: Wire) -> _Line:
        self.opened.append(port)
        refused = port in self.refusing
        self._todo.append(lambda: wire.lost("Connection refused") if refused else wire.opened())
        return _Line(self, port, wire)

    def sent(self, port: int, wire: Wire, frame: bytes) -> None:
        header, position = RequestHeader.decode(frame[4:])
        key, version = ApiKey(header.api_key), header.api_version
        self.asked.append((port, key, version))
        found = self._answer(port, request_type(key).decode(frame[4:], version, position), version)
        if found is None:
            return
        answer, answer_version = found if isinstance(found, tuple) else (found, version)
        said = response_frame(key, answer_version, header.correlation_id, answer.encode(answer_version))
        self._todo.append(lambda: _tell(wire, said))

    def settle(self) -> bool:
        todo, self._todo = self._todo, []
        for each in todo:
            each()
        return bool(todo)


def _tell(wire: Wire, data: bytes) -> None:
    """In pieces of seven bytes, as a network may."""
    for begin in range(0, len(data), 7):
        piece = data[begin : begin + 7]
        wire.buffer()[: len(piece)] = piece
        wire.received(len(piece))


class _Line:
    def __init__(self, brokers: Brokers, port: int, wire: Wire) -> None:
        self._brokers, self._port, self._wire = brokers, port, wire

    def send(self, frames: list[bytes]) -> None:
        for frame in frames:
            self._brokers.sent(self._port, self._wire, frame)

    def close(self) -> None: ...


def run(brokers: Brokers, operation: Callable[[Core], Any], **settings: Any) -> Any:
    clock = TurnedClock()
    core = Core(ClientSettings(bootstrap=addresses("a:1,a:2"), **settings), clock, brokers)
    task = core.scheduler.start(operation(core))
    while not task.is_done:
        core.scheduler.run()
        if not brokers.settle() and not task.is_done:
            assert core.scheduler.next_wake_s is not None, "nothing is under way, and the operation is not done"
            clock.seconds = core.scheduler.next_wake_s
    return task.value()


def offers(**newest: int) -> ApiVersionsResponse:
    return ApiVersionsResponse(
        api_keys=[ApiVersion(key, low, newest.get(key.name, high)) for key, (low, high) in API_VERSIONS.items()]
    )


def two_brokers(request: Any) -> Any:
    match request.api_key:
        case ApiKey.API_VERSIONS:
            return offers()
        case ApiKey.METADATA:
            return MetadataResponse(
                brokers=[MetadataResponseBroker(1, "a", 1), MetadataResponseBroker(2, "a", 2)], controller_id=1
            )
    return None


def test_the_newest_version_that_both_know_is_spoken() -> None:
    brokers = Brokers(
        lambda _, request, __: offers(METADATA=9) if request.api_key == ApiKey.API_VERSIONS else MetadataResponse()
    )
    assert run(brokers, topics.list_topics) == {}
    assert brokers.asked[1:] == [(1, ApiKey.METADATA, 9)]


def test_a_broker_that_does_not_know_our_api_versions_is_asked_again_in_its_own() -> None:
    def answer(_: int, request: Any, version: int) -> Any:
        if request.api_key != ApiKey.API_VERSIONS:
            return MetadataResponse()
        if version > 2:
            return ApiVersionsResponse(UnsupportedVersion.code, [ApiVersion(ApiKey.API_VERSIONS, 0, 2)]), 0
        return offers()

    brokers = Brokers(answer)
    run(brokers, topics.list_topics)
    assert [version for _, key, version in brokers.asked if key == ApiKey.API_VERSIONS] == [4, 2]


def test_an_address_that_refuses_is_passed_over() -> None:
    brokers = Brokers(lambda _, request, __: two_brokers(request))
    brokers.refusing = {1}
    run(brokers, topics.list_topics)
    assert brokers.opened == [1, 2]


def test_where_nobody_answers_every_address_is_named_with_its_reason() -> None:
    brokers = Brokers(lambda *_: None)
    brokers.refusing = {1, 2}
    with pytest.raises(NotConnected, match="a:1: Connection refused; a:2: Connection refused"):
        run(brokers, topics.list_topics, timeout_s=1)


def test_a_silent_broker_is_given_up_on_when_the_operation_is_over() -> None:
    brokers = Brokers(lambda _, request, __: None if request.api_key == ApiKey.METADATA else two_brokers(request))
    with pytest.raises(RequestTimedOut):
        run(brokers, topics.list_topics, timeout_s=5, request_timeout_s=60)


def test_a_coordinator_that_moved_is_looked_for_anew() -> None:
    finds = iter((1, 2))

    def answer(port: int, request: Any, _: int) -> Any:
        if request.api_key == ApiKey.FIND_COORDINATOR:
            found = next(finds)
            return FindCoordinatorResponse(coordinators=[Coordinator("g", found, "a", found)])
        if request.api_key == ApiKey.DELETE_GROUPS:
            return DeleteGroupsResponse(results=[DeletableGroupResult("g", 16 if port == 1 else 0)])
        return two_brokers(request)

    brokers = Brokers(answer)
    assert run(brokers, lambda core: groups.delete_groups(core, ["g"])).all() == {"g": None}
    assert [port for port, key, _ in brokers.asked if key == ApiKey.DELETE_GROUPS] == [1, 2]


def test_both_drivers_have_the_same_operations_and_each_api_has_a_row() -> None:
    def face(kind: type, descriptor: type) -> set[str]:
        return {name for name, value in vars(kind).items() if isinstance(value, descriptor)}

    assert face(blocking.Client, blocking.Blocking) == face(aio.AsyncClient, aio.Awaited)
    assert set(ROUTES) <= set(BROKER_APIS)
