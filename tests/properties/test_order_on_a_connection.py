"""What a client sees on one connection is as if its requests were carried out one after the other (RULES 49).

Every API of the registry behind every API that may keep its answer waiting, on a real connection and dispatcher. The
handlers are planted: each answers with a number that grows while requests wait, as a log's end does. A planted handler
answers at once, later, or as an ordered coroutine, as the real one of its API may.
"""

import asyncio
import socket
import struct
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock.broker.handlers  # noqa: F401 - fills the registry
from penstock.broker.after_receive import AfterReceive
from penstock.broker.buffers import RequestMemory
from penstock.broker.connection import SCRATCH_SIZE, Connection, Limits
from penstock.broker.dispatch import Dispatcher
from penstock.broker.registry import REGISTRY, Answer, Bound
from penstock.broker.request_order import LETS_PASS
from penstock.metrics import MetricsRegistry
from penstock.replication import Promise
from penstock.transport import SocketChannel
from penstock.wire.api import ApiKey, response_header_version
from penstock.wire.framing import RequestHeader

KEYS = sorted(REGISTRY)
PARKING = [key for key in KEYS if REGISTRY[key].is_raw or REGISTRY[key].answers_later]


class Begun:
    """A request that has begun and not been answered."""

    def __init__(self, key: ApiKey, settle: Callable[[list[bytes]], None]) -> None:
        self.key = key
        self.settle = settle


class World:
    """A broker's end of a connection and a client's, and a number that both can see grow."""

    def __init__(self) -> None:
        self.number = 0
        self.begun: list[ApiKey] = []
        self.waiting: list[Begun] = []
        self.out_of_order: list[tuple[ApiKey, ApiKey]] = []
        """Requests that had begun when an earlier one was answered: the earlier first."""
        loop = asyncio.get_running_loop()
        ours, self.sock = socket.socketpair()
        for end in (ours, self.sock):
            end.setblocking(False)
        self.connection = Connection(
            SocketChannel(ours, loop),
            listener="PLAINTEXT",
            peer="test:1",
            loop=loop,
            handler=Dispatcher({key: self._planted(key) for key in KEYS}, MetricsRegistry(), control_bytes_max=1 << 20),
            memory=RequestMemory(1 << 20),
            scratch=memoryview(bytearray(SCRATCH_SIZE)),
            afterwards=AfterReceive(loop),
            limits=Limits(frame_size_max=1 << 20, in_flight_max=100),
            spawn=loop.create_task,
            on_closed=lambda _connection: None,
        )

    def _planted(self, key: ApiKey) -> Bound:
        real = REGISTRY[key]

        def at_once(*_: Any) -> Any:
            self.begun.append(key)
            return self._shown()

        def later(*_: Any) -> Any:
            promise: Promise[list[bytes]] = Promise()
            place = len(self.begun)
            self.begun.append(key)

            def settle(shown: list[bytes]) -> None:
                self.out_of_order += [(key, other) for other in self.begun[place + 1 :]]
                promise.set_result(shown)

            self.waiting.append(Begun(key, settle))
            return promise

        async def in_order(*_: Any) -> Any:
            future: asyncio.Future[list[bytes]] = asyncio.get_running_loop().create_future()
            self.begun.append(key)
            self.waiting.append(Begun(key, future.set_result))
            return await future

        call = later if key in PARKING else in_order if real.is_async else at_once
        answer = Answer(
            key=key,
            versions=real.versions,
            function=call,
            is_raw=True,
            is_async=False,
            request=None,
            response=None,
            services={},
            context=None,
            advertised_from=0,
        )
        return Bound(answer, call)

    def _shown(self) -> list[bytes]:
        return [struct.pack(">q", self.number)]

    def answer(self, which: int) -> None:
        if self.waiting:
            self.waiting.pop(which % len(self.waiting)).settle(self._shown())

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.sock, data)
        await self.turn()

    async def turn(self) -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    async def shown(self, keys: list[ApiKey]) -> list[int]:
        """What each answer says, in the order in which they come, which is that of the requests."""
        numbers = []
        for place, key in enumerate(keys):
            while (frame := await self._frame()) is None:
                self.answer(0)
                await self.turn()
            assert struct.unpack_from(">i", frame)[0] == place
            skipped = 4 + response_header_version(key, REGISTRY[key].versions[1])
            numbers.append(struct.unpack_from(">q", frame, skipped)[0])
        return numbers

    async def _frame(self) -> bytes | None:
        try:
            head = self.sock.recv(4)
        except BlockingIOError:
            return None
        return self.sock.recv(struct.unpack(">i", head)[0])

    def close(self) -> None:
        self.connection.close("the test is over")
        self.sock.close()


def request(key: ApiKey, place: int) -> bytes:
    frame = bytes(RequestHeader(key, REGISTRY[key].versions[1], place, "me").encode())
    return struct.pack(">i", len(frame)) + frame


def may_pass(parked: ApiKey, other: ApiKey) -> bool:
    return other in LETS_PASS.get(parked, ())


@pytest.mark.parametrize("parked", PARKING, ids=lambda key: key.name)
async def test_a_request_behind_a_parked_one_shows_nothing_older_unless_it_may_pass(parked: ApiKey) -> None:
    for behind in KEYS:
        world = World()
        try:
            await world.send(request(parked, 0) + request(behind, 1))
            assert world.begun == ([parked, behind] if may_pass(parked, behind) else [parked]), behind.name
            world.number += 1
            first, second = await world.shown([parked, behind])
            assert first == 1
            assert second >= first or may_pass(parked, behind), behind.name
        finally:
            world.close()


@settings(max_examples=150)
@given(
    keys=st.lists(st.sampled_from(PARKING) | st.sampled_from(KEYS), min_size=2, max_size=8),
    steps=st.lists(
        st.tuples(st.just("send"), st.integers(1, 60))
        | st.tuples(st.just("answer"), st.integers(0, 7))
        | st.tuples(st.just("grow"), st.just(1)),
        max_size=40,
    ),
)
def test_requests_are_as_if_carried_out_in_order_however_they_come_and_whenever_they_are_answered(
    keys: list[ApiKey], steps: list[tuple[str, int]]
) -> None:
    async def play() -> None:
        world = World()
        stream = b"".join(request(key, place) for place, key in enumerate(keys))
        try:
            for what, how_much in steps:
                match what:
                    case "send":
                        data, stream = stream[:how_much], stream[how_much:]
                        await world.send(data)
                    case "answer":
                        world.answer(how_much)
                        await world.turn()
                    case "grow":
                        world.number += how_much
            await world.send(stream)
            numbers = await world.shown(keys)
        finally:
            world.close()
        assert world.begun == keys
        assert all(may_pass(earlier, later) for earlier, later in world.out_of_order)
        for place, number in enumerate(numbers):
            older = [other for other, seen in zip(keys[:place], numbers, strict=False) if seen > number]
            assert all(may_pass(other, keys[place]) for other in older)

    asyncio.run(play())
