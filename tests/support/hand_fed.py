"""A client's core over lines that a test holds in its hands: no socket, and a clock that the test turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from penstock.client.core import Core
from penstock.client.network import Wire
from penstock.client.settings import ClientSettings, addresses
from penstock.model import Millis
from penstock.wire.api import API_VERSIONS, ApiKey, request_type
from penstock.wire.framing import RequestHeader, response_frame
from penstock.wire.messages.api_versions_response import ApiVersion, ApiVersionsResponse
from penstock.wire.messages.metadata_response import MetadataResponse, MetadataResponseBroker

LOST = "lost"
"""In place of an answer: the connection ends."""
WAIT_S = 0.5
"""How long a broker waits before it answers with what is there `Later`."""


class Later(NamedTuple):
    answer: Callable[[], Any]


class TurnedClock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> Millis:
        return Millis(int(self.seconds * 1000))

    def monotonic(self) -> float:
        return self.seconds


Answer = Callable[[int, Any, int], Any]


class Brokers:
    """Answers by a function of port, request and version; None never answers, LOST ends the connection."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.opened: list[int] = []
        self.refusing: set[int] = set()
        self._todo: list[Callable[[], None]] = []
        self.asked: list[tuple[int, ApiKey, int]] = []
        self.clock = TurnedClock()
        self._later: list[tuple[float, Callable[[], None]]] = []

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
        if found is LOST:
            self._todo.append(lambda: wire.lost("the connection was reset"))
            return
        if isinstance(found, Later):
            self._later.append((self.clock.seconds + WAIT_S, lambda: self._say(wire, header, found.answer())))
            return
        self._todo.append(lambda: self._say(wire, header, found))

    def _say(self, wire: Wire, header: RequestHeader, found: Any) -> None:
        key, version = ApiKey(header.api_key), header.api_version
        answer, answer_version = found if isinstance(found, tuple) else (found, version)
        said = response_frame(key, answer_version, header.correlation_id, answer.encode(answer_version))
        if wire.connection.error is None:
            _tell(wire, said)

    def wait(self, until_s: float | None) -> None:
        """Let time go by, up to then: answers that come later are told at theirs."""
        if self._later and (until_s is None or self._later[0][0] <= until_s):
            until_s, tell = self._later.pop(0)
            self._todo.append(tell)
        assert until_s is not None, "nothing is under way, and the operation is not done"
        self.clock.seconds = until_s

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
    core = Core(ClientSettings(bootstrap=addresses("a:1,a:2"), **settings), brokers.clock, brokers)
    task = core.scheduler.start(operation(core))
    while not task.is_done:
        core.scheduler.run()
        if not brokers.settle() and not task.is_done:
            brokers.wait(core.scheduler.next_wake_s)
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
