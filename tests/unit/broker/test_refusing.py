"""Whatever a handler does, the broker lives (RULES 54): every API and version, and every way to fail.

The client is told, where the response of that version has a place for an error. Nothing else is answered: an answer
that leaves the error out would say that all is well. Where there is no place the connection is closed, a counter goes
up and a line is logged.
"""

import asyncio
import socket
import struct
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.support.wire_values import MESSAGES

import penstock.broker.handlers  # noqa: F401 - fills the registry
from penstock.broker.after_receive import AfterReceive
from penstock.broker.buffers import RequestMemory
from penstock.broker.connection import SCRATCH_SIZE, Connection, Limits
from penstock.broker.dispatch import Dispatcher
from penstock.broker.metrics import RequestFaults
from penstock.broker.registry import REGISTRY, Answer, Bound
from penstock.errors import InvalidRequest, Refusal
from penstock.metrics import MetricsRegistry
from penstock.replication import Promise
from penstock.transport import SocketChannel
from penstock.wire.api import ApiKey, response_header_version
from penstock.wire.framing import RequestHeader


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ZeroDivisionError


FAILURES: list[Callable[[], BaseException]] = [
    ZeroDivisionError,
    StopIteration,
    MemoryError,
    asyncio.CancelledError,
    InvalidRequest,
    Unspeakable,
]


def ways_to_fail(answer: Answer) -> Iterator[Callable[[BaseException], Any]]:
    """Handlers of this one's kind, which fail at once, after a while, or when their answer has been waited for."""

    async def fails(error: BaseException) -> Any:
        raise error

    async def fails_later(error: BaseException) -> Any:
        await asyncio.sleep(0)
        raise error

    def throws(error: BaseException) -> Any:
        raise error

    def breaks_promise(error: BaseException) -> Any:
        promise: Promise[Any] = Promise()
        asyncio.get_running_loop().call_soon(promise.set_exception, error)
        return promise

    if answer.is_async:
        yield from (fails, fails_later)
    else:
        yield throws
    if answer.is_raw:
        yield from (fails_later, breaks_promise)
    if answer.answers_later:
        yield breaks_promise


class Broker:
    """What of a broker a request goes through. Its tasks are those of a group, as a node's are: one that fails ends
    all.
    """

    def __init__(self, spawn: Callable[[Coroutine[Any, Any, Any]], asyncio.Task[Any]]) -> None:
        self.registry = MetricsRegistry()
        self.bound: dict[int, Bound] = {}
        self._dispatcher = Dispatcher(self.bound, self.registry, control_bytes_max=1 << 20)
        self._afterwards = AfterReceive(asyncio.get_running_loop())
        self._spawn = spawn

    @property
    def faults(self) -> RequestFaults:
        return self.registry.of(RequestFaults)

    async def ask(self, key: ApiKey, version: int) -> bytes:
        """The answer without its size, or nothing if the connection is closed instead."""
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setblocking(False)
        connection = Connection(
            SocketChannel(ours, loop),
            listener="PLAINTEXT",
            peer="test:1",
            loop=loop,
            handler=self._dispatcher,
            memory=RequestMemory(1 << 20),
            scratch=memoryview(bytearray(SCRATCH_SIZE)),
            afterwards=self._afterwards,
            limits=Limits(frame_size_max=1 << 20, in_flight_max=100),
            spawn=self._spawn,
            on_closed=lambda _connection: None,
        )
        request = REGISTRY[key].request
        body = b"" if request is None else bytes(request().encode(version))
        frame = bytes(RequestHeader(key, version, 7, "me").encode()) + body
        try:
            theirs.send(struct.pack(">i", len(frame)) + frame)
            async with asyncio.timeout(60):
                return (await loop.sock_recv(theirs, 10_000))[4:]
        finally:
            connection.close("the test is over")
            theirs.close()


def has_place(key: ApiKey, version: int) -> bool:
    """As the schema of the response has it."""
    response = REGISTRY[key].response
    if response is None:
        return False  # answered by the partition, in a codec of its own
    fields = MESSAGES[response.__name__].fields
    return any(field.python_name == "error_code" and version in field.versions for field in fields)


@pytest.mark.parametrize("key", sorted(REGISTRY), ids=lambda key: key.name)
async def test_a_handler_that_fails_in_any_way_is_told_or_hung_up_on(key: ApiKey) -> None:
    real = REGISTRY[key]
    for version in range(real.versions[0], real.versions[1] + 1):
        for fail in ways_to_fail(real):
            for failure in FAILURES:
                async with asyncio.TaskGroup() as tasks:
                    broker = Broker(tasks.create_task)
                    broker.bound[key] = Bound(real, lambda *_, fail=fail, failure=failure: fail(failure()))
                    with capture_logs() as lines:
                        answer = await broker.ask(key, version)
                said = (key.name, version, fail.__name__, failure.__name__)
                assert bool(answer) == has_place(key, version), said
                is_refusal = isinstance(failure(), Refusal)
                if answer:
                    assert real.response is not None
                    told = real.response.decode(answer, version, 4 + response_header_version(key, version))
                    assert told.error_code == (InvalidRequest.code if is_refusal else -1), said
                events = [line["event"] for line in lines]
                assert events.count("request failed") == broker.faults.bugs == (not is_refusal), said
                if is_refusal and not real.is_raw:  # a request that cannot be granted is no bug
                    unanswered = events.count("request refused without an answer")
                    assert unanswered == broker.faults.bad_frames == (not answer), said


async def test_a_log_that_cannot_be_written_does_not_end_the_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("penstock.broker.dispatch._log.error", broken, raising=False)

    async def fails(*_: Any) -> Any:
        raise ZeroDivisionError

    async with asyncio.TaskGroup() as tasks:
        broker = Broker(tasks.create_task)
        broker.bound[ApiKey.FIND_COORDINATOR] = Bound(REGISTRY[ApiKey.FIND_COORDINATOR], fails)
        assert await broker.ask(ApiKey.FIND_COORDINATOR, 6) == b""
