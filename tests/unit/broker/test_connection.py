"""A connection over a real socket pair: framing, order, backpressure, and ends of every kind."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from penstock.broker.after_receive import AfterReceive
from penstock.broker.buffers import STRANGERS_FIRST_SIZE, RequestMemory
from penstock.broker.connection import (
    HEAD_SIZE,
    LARGE_FRAME,
    SCRATCH_SIZE,
    BadFrame,
    Connection,
    Limits,
)
from penstock.broker.outbox import Outbox
from penstock.broker.owed_answers import Handled, Parked
from penstock.replication import Promise
from penstock.transport import SocketChannel

MIB = 1024 * 1024
ANYTHING = frozenset(range(-(1 << 15), 1 << 15))


def frame(payload: bytes) -> bytes:
    return struct.pack(">i", len(payload)) + payload


class Echo:
    """Answers each frame with itself; frames that begin with a word are answered as the word says."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.parked: dict[bytes, Promise[bytes]] = {}
        self.ordered: dict[bytes, asyncio.Future[bytes]] = {}
        self.promised: dict[bytes, Promise[bytes]] = {}
        self.lets_pass = ANYTHING
        """What need not wait for a parked answer, by the first two bytes of a frame."""

    def handle(self, view: memoryview, connection: Connection) -> Handled:
        payload = bytes(view)
        self.frames.append(payload)
        if payload.startswith(b"park"):
            promise = self.parked[payload] = Promise()
            return Parked(promise, _answer, self.lets_pass)
        if payload.startswith(b"promise"):
            promise = self.promised[payload] = Promise()
            return Parked(promise, _answer, self.lets_pass)
        if payload.startswith(b"keep"):
            for asked, promise in self.promised.items():
                promise.set_result(b"kept " + asked)
        if payload.startswith(b"order"):
            return self._ordered(payload)
        if payload.startswith(b"silent"):
            return None
        if payload.startswith(b"mute"):
            connection.mute(int(payload.split()[1]) / 1000)
        if payload.startswith(b"bad"):
            raise BadFrame("said so")
        if payload.startswith(b"bug"):
            raise BlockingIOError
        return [frame(payload)]

    def bad_frame(self, reason: str) -> BadFrame:
        return BadFrame(reason)

    async def _ordered(self, payload: bytes) -> list[Any]:
        future = self.ordered[payload] = asyncio.get_running_loop().create_future()
        return [frame(await future)]


def _answer(done: Any) -> list[Any] | None:
    return None if done.cancelled() else [frame(done.result())]


def key(word: bytes) -> int:
    """A frame's first two bytes: where requests have their API."""
    return int.from_bytes(word[:2], "big", signed=True)


class Peer:
    """The client's side, and the connection it is about."""

    def __init__(
        self, memory: RequestMemory | None = None, in_flight_max: int = 100, *, beside: "Peer | None" = None
    ) -> None:
        ours, self.sock = socket.socketpair()
        ours.setblocking(False)
        self.sock.setblocking(False)
        self.echo: Echo = Echo() if beside is None else beside.echo
        self.closed: list[Connection] = []
        self.memory = memory or RequestMemory(64 * MIB)
        self.loop = asyncio.get_running_loop()
        self.afterwards: AfterReceive = AfterReceive(self.loop) if beside is None else beside.afterwards
        self.connection = Connection(
            SocketChannel(ours, self.loop),
            listener="PLAINTEXT",
            peer="test:1",
            loop=self.loop,
            handler=self.echo,
            memory=self.memory,
            scratch=memoryview(bytearray(SCRATCH_SIZE)),
            afterwards=self.afterwards,
            limits=Limits(frame_size_max=10 * MIB, in_flight_max=in_flight_max),
            spawn=self.loop.create_task,
            on_closed=self.closed.append,
        )

    async def send(self, *payloads: bytes) -> None:
        await self.loop.sock_sendall(self.sock, b"".join(map(frame, payloads)))

    async def answer(self) -> bytes:
        size = struct.unpack(">i", await self._exactly(4))[0]
        return await self._exactly(size)

    async def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = await self.loop.sock_recv(self.sock, count - len(data))
            if not part:
                raise EOFError(data)
            data += part
        return data

    async def until(self, condition: Callable[[], Any]) -> None:
        async with asyncio.timeout(60):
            while not condition():
                await asyncio.sleep(0.001)


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    made = Peer()
    yield made
    made.connection.close("the test is over")
    made.sock.close()


async def test_frames_are_answered_in_order_however_they_arrive(peer: Peer) -> None:
    stream = b"".join(frame(b"%d" % number) for number in range(50))
    for position in range(0, len(stream), 3):
        await peer.loop.sock_sendall(peer.sock, stream[position : position + 3])
        await asyncio.sleep(0)
    assert [await peer.answer() for _ in range(50)] == [b"%d" % number for number in range(50)]


async def test_a_frame_larger_than_the_scratch_buffer_arrives_whole_and_gives_its_memory_back(peer: Peer) -> None:
    large = bytes(range(256)) * (5 * MIB // 256)
    sending = asyncio.create_task(peer.send(b"before", large, b"after"))
    assert await peer.answer() == b"before"
    assert await peer.answer() == large
    assert await peer.answer() == b"after"
    await sending
    assert peer.memory.bytes_held == 0


async def test_after_a_large_frame_come_large_and_small_ones_just_the_same(peer: Peer) -> None:
    letters = (b"a", b"b", b"c", b"d", b"e", b"f")
    frames = [
        letter * size for letter in letters for size in (MIB, HEAD_SIZE - 4, LARGE_FRAME, HEAD_SIZE, 1, HEAD_SIZE + 1)
    ]
    sending = asyncio.create_task(peer.send(*frames))
    assert [await peer.answer() for _ in frames] == frames
    await sending
    assert peer.memory.bytes_held == 0


async def test_a_large_frame_that_has_arrived_takes_one_turn_of_the_loop(peer: Peer) -> None:
    first, second = b"a" * MIB, b"b" * LARGE_FRAME
    await peer.send(first)
    assert await peer.answer() == first
    assert peer.sock.send(frame(second)) == 4 + len(second)
    peer.connection._on_readable()
    assert peer.echo.frames == [first, second]


async def test_what_a_waiting_answer_lets_pass_is_carried_out_and_answered_behind_it(peer: Peer) -> None:
    await peer.send(b"park 1", b"two", b"park 3", b"four")
    await peer.until(lambda: len(peer.echo.frames) == 4)
    peer.echo.parked[b"park 3"].set_result(b"three")
    peer.echo.parked[b"park 1"].set_result(b"one")
    assert [await peer.answer() for _ in range(4)] == [b"one", b"two", b"three", b"four"]


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 7, 1000])
async def test_what_a_waiting_answer_does_not_let_pass_waits_for_it_however_it_arrives(peer: Peer, piece: int) -> None:
    peer.echo.lets_pass = frozenset({key(b"park")})
    stream = b"".join(map(frame, [b"park 1", b"park 2", b"three", b"park 4", b"five"]))
    for position in range(0, len(stream), piece):
        await peer.loop.sock_sendall(peer.sock, stream[position : position + piece])
        await asyncio.sleep(0)
    await peer.until(lambda: peer.connection._awaits_turn)
    assert peer.echo.frames == [b"park 1", b"park 2"]
    peer.echo.parked[b"park 2"].set_result(b"two")
    await asyncio.sleep(0.01)
    assert peer.echo.frames == [b"park 1", b"park 2"]
    peer.echo.parked[b"park 1"].set_result(b"one")
    assert [await peer.answer() for _ in range(3)] == [b"one", b"two", b"three"]
    await peer.until(lambda: peer.connection._awaits_turn)
    assert peer.echo.frames[3:] == [b"park 4"]
    peer.echo.parked[b"park 4"].set_result(b"four")
    assert [await peer.answer(), await peer.answer()] == [b"four", b"five"]


async def test_what_two_waiting_answers_let_pass_is_what_both_do(peer: Peer) -> None:
    peer.echo.lets_pass = frozenset({key(b"promise"), key(b"one"), key(b"two")})
    await peer.send(b"park", b"promise", b"one")
    await peer.until(lambda: len(peer.echo.frames) == 3)
    peer.echo.lets_pass = frozenset({key(b"one")})
    await peer.send(b"promise again", b"one", b"two")
    await peer.until(lambda: peer.connection._awaits_turn)
    assert peer.echo.frames[3:] == [b"promise again", b"one"]


async def test_a_large_request_that_waits_its_turn_takes_no_memory(peer: Peer) -> None:
    peer.echo.lets_pass = frozenset()
    large = b"x" * MIB
    sending = asyncio.create_task(peer.send(b"park 1", large, b"three"))
    await peer.until(lambda: peer.connection._awaits_turn)
    assert peer.echo.frames == [b"park 1"] and peer.memory.bytes_held == 0
    peer.echo.parked[b"park 1"].set_result(b"one")
    assert [await peer.answer() for _ in range(3)] == [b"one", large, b"three"]
    await sending


async def test_requests_that_wait_their_turn_stay_with_the_peer_but_for_one_receive(peer: Peer) -> None:
    """Each of them parks, so that each of the others waits its turn again."""
    peer.echo.lets_pass = frozenset()
    payloads = [b"park %d " % number + b"x" * 1000 for number in range(2000)]
    sending = asyncio.create_task(peer.send(*payloads))
    for payload in payloads:
        await peer.until(lambda: payload in peer.echo.parked)  # noqa: B023 - called within this turn
        assert peer.echo.frames[-1] == payload
        assert len(peer.connection._backlog) <= SCRATCH_SIZE
        peer.echo.parked[payload].set_result(payload)
        assert await peer.answer() == payload
    await sending


async def test_requests_of_a_broker_do_not_wait_their_turn(peer: Peer) -> None:
    """A follower's fetch makes the leader answer the one before it."""
    peer.echo.lets_pass = frozenset()
    peer.connection.caller.broker_id = 2
    await peer.send(b"promise", b"keep")
    assert [await peer.answer(), await peer.answer()] == [b"kept promise", b"keep"]


async def test_a_peer_that_goes_while_a_request_waits_its_turn_is_noticed_when_that_has_come(peer: Peer) -> None:
    peer.echo.lets_pass = frozenset()
    await peer.send(b"park 1", b"two")
    await peer.until(lambda: peer.connection._awaits_turn)
    peer.sock.shutdown(socket.SHUT_WR)
    await asyncio.sleep(0.01)
    peer.echo.parked[b"park 1"].set_result(b"one")
    assert [await peer.answer(), await peer.answer()] == [b"one", b"two"]
    await peer.until(lambda: peer.closed)


async def test_answers_that_another_connection_makes_possible_leave_in_one_send_and_at_once(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Peer(beside=peer)
    sent: list[bytes] = []
    send = Outbox._send_bytes

    def noted(outbox: Outbox, data: bytearray | memoryview) -> None:
        sent.append(bytes(data))
        send(outbox, data)

    monkeypatch.setattr(Outbox, "_send_bytes", noted)
    try:
        await peer.send(b"promise 1", b"two", b"promise 3")
        await peer.until(lambda: len(peer.echo.promised) == 2)
        await other.send(b"keep", b"two")
        other.connection._on_readable()  # what the loop calls, and nothing else
        promised = [b"kept promise 1", b"two", b"kept promise 3"]
        assert sorted(sent) == sorted([frame(b"keep") + frame(b"two"), b"".join(map(frame, promised))])
        assert [await peer.answer() for _ in range(3)] == promised
    finally:
        other.connection.close("the test is over")
        other.sock.close()


async def test_a_connection_that_ends_gives_up_what_it_was_promised(peer: Peer) -> None:
    await peer.send(b"promise 1")
    await peer.until(lambda: peer.echo.promised)
    peer.connection.close("the test says so")
    assert peer.echo.promised[b"promise 1"].cancelled()


async def test_what_waits_behind_an_answer_that_does_not_come_has_an_end(peer: Peer) -> None:
    """A long poll, and behind it request after request with a long answer: they must not gather in memory."""
    payload = b"x" * (200 * 1024)
    sending = asyncio.create_task(peer.send(b"park 1", b"park 2", *[payload] * 40))
    await peer.until(lambda: len(peer.echo.frames) > 2)
    await asyncio.sleep(0.05)
    assert len(peer.echo.frames) <= 2 + 6
    peer.echo.parked[b"park 2"].set_result(payload)
    peer.echo.parked[b"park 1"].set_result(b"one")
    assert await peer.answer() == b"one"
    async with asyncio.timeout(60):
        for _ in range(41):
            assert await peer.answer() == payload
    await sending
    assert not peer.connection.owes_answers and peer.connection._owed.held_bytes == 0


async def test_a_request_that_is_carried_out_counts_with_the_memory_it_came_in(peer: Peer) -> None:
    """It may need a copy of its records until then, which nobody counts."""
    large = b"order " + b"x" * MIB
    await peer.send(large)
    await peer.until(lambda: peer.echo.ordered)
    assert peer.memory.bytes_held >= MIB
    peer.echo.ordered[large].set_result(b"one")
    assert await peer.answer() == b"one"
    assert peer.memory.bytes_held == 0


async def test_a_peer_that_goes_takes_the_memory_along_when_its_request_is_carried_out(peer: Peer) -> None:
    large = b"order " + b"x" * MIB
    await peer.send(large)
    await peer.until(lambda: peer.echo.ordered)
    peer.connection.close("the test says so")
    peer.echo.ordered[large].set_result(b"one")
    await peer.until(lambda: peer.memory.bytes_held == 0)


async def test_an_ordered_handler_holds_later_requests(peer: Peer) -> None:
    await peer.send(b"order 1", b"two")
    await peer.until(lambda: peer.echo.ordered)
    await asyncio.sleep(0.01)
    assert peer.echo.frames == [b"order 1"]
    peer.echo.ordered[b"order 1"].set_result(b"one")
    assert [await peer.answer(), await peer.answer()] == [b"one", b"two"]


async def test_requests_that_come_while_an_ordered_one_is_carried_out_wait_and_are_answered(peer: Peer) -> None:
    await peer.send(b"order 1")
    await peer.until(lambda: peer.echo.ordered)
    await peer.send(b"two", b"three")  # finds the connection still reading
    await asyncio.sleep(0.01)
    assert peer.echo.frames == [b"order 1"]
    peer.echo.ordered[b"order 1"].set_result(b"one")
    assert [await peer.answer() for _ in range(3)] == [b"one", b"two", b"three"]


async def test_a_request_without_an_answer_takes_no_place_among_the_answers(peer: Peer) -> None:
    await peer.send(b"silent", b"spoken")
    assert await peer.answer() == b"spoken"


async def test_reading_stops_at_the_limit_of_requests_in_flight_and_goes_on_below_it() -> None:
    peer = Peer(in_flight_max=2)
    try:
        await peer.send(b"park 1", b"park 2", b"three")
        await peer.until(lambda: len(peer.echo.frames) == 2)
        await asyncio.sleep(0.01)
        assert len(peer.echo.frames) == 2
        peer.echo.parked[b"park 1"].set_result(b"one")
        peer.echo.parked[b"park 2"].set_result(b"two")
        assert [await peer.answer() for _ in range(3)] == [b"one", b"two", b"three"]
    finally:
        peer.connection.close("the test is over")
        peer.sock.close()


async def test_a_peer_that_does_not_read_stops_being_read_and_is_served_again_when_it_does(peer: Peer) -> None:
    payload = b"x" * (256 * 1024)
    sending = asyncio.create_task(peer.send(*[payload] * 40))
    await asyncio.sleep(0.1)
    assert len(peer.echo.frames) < 40
    for _ in range(40):
        assert await peer.answer() == payload
    await sending
    assert not peer.connection.owes_answers


async def test_requests_behind_an_answer_that_fills_the_outbox_but_leaves_at_once_are_answered(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.broker.connection.OUTBOX_MAX", 100)
    await peer.send(b"x" * 100, b"y" * 100, b"three")
    async with asyncio.timeout(60):
        assert [await peer.answer() for _ in range(3)] == [b"x" * 100, b"y" * 100, b"three"]


async def test_without_memory_a_frame_waits_and_comes_in_when_there_is_some() -> None:
    memory = RequestMemory(bytes_max=2 * MIB)
    held = memory.take(2 * MIB)
    assert held is not None
    peer = Peer(memory)
    try:
        large = b"y" * MIB
        sending = asyncio.create_task(peer.send(large, b"after"))
        await asyncio.sleep(0.05)
        assert peer.echo.frames == []
        memory.give_back(held)
        assert await peer.answer() == large
        assert await peer.answer() == b"after"
        await sending
    finally:
        peer.connection.close("the test is over")
        peer.sock.close()


async def test_a_broker_does_not_wait_for_memory_that_clients_use_up() -> None:
    memory = RequestMemory(bytes_max=2 * MIB)
    held = memory.take(2 * MIB)
    assert held is not None
    peer = Peer(memory)
    peer.connection.caller.broker_id = 2
    try:
        large = b"y" * (5 * MIB)
        sending = asyncio.create_task(peer.send(large))
        async with asyncio.timeout(60):
            assert await peer.answer() == large
        await sending
        memory.give_back(held)
        assert memory.bytes_held == 0
    finally:
        peer.connection.close("the test is over")
        peer.sock.close()


async def test_memory_that_comes_back_serves_as_many_as_it_has_room_for_though_the_first_of_them_dawdles() -> None:
    memory = RequestMemory(bytes_max=2 * MIB)
    held = memory.take(2 * MIB)
    assert held is not None
    slow, quick = Peer(memory), Peer(memory)
    try:
        await slow.loop.sock_sendall(slow.sock, struct.pack(">i", 300_000) + b"a beginning")
        await slow.until(lambda: slow.connection._unfinished.wants_memory)
        payload = b"q" * 300_000
        sending = asyncio.create_task(quick.send(payload))
        await quick.until(lambda: quick.connection._unfinished.wants_memory)
        memory.give_back(held)
        async with asyncio.timeout(60):
            assert await quick.answer() == payload
        await sending
        assert slow.connection.is_within_frame
    finally:
        for peer in (slow, quick):
            peer.connection.close("the test is over")
            peer.sock.close()
    assert memory.bytes_held == 0


@pytest.mark.parametrize("size", [-1, -(2**31), 10 * MIB + 1, 2**31 - 1])
async def test_a_frame_of_an_impossible_size_closes_the_connection(peer: Peer, size: int) -> None:
    await peer.loop.sock_sendall(peer.sock, struct.pack(">i", size))
    with pytest.raises(EOFError):
        await peer.answer()
    assert peer.closed == [peer.connection]


@pytest.mark.parametrize("frame", [b"bad", b"bug"])
async def test_a_bad_frame_closes_the_connection_after_the_answers_before_it(peer: Peer, frame: bytes) -> None:
    await peer.send(b"good", frame, b"never seen")
    async with asyncio.timeout(60):
        assert await peer.answer() == b"good"
        with pytest.raises(EOFError):
            await peer.answer()
    assert peer.echo.frames == [b"good", frame]


async def test_a_peer_that_goes_takes_its_waiting_requests_and_memory_along(peer: Peer) -> None:
    await peer.send(b"park 1")
    await peer.loop.sock_sendall(peer.sock, struct.pack(">i", MIB) + b"a beginning")
    await peer.until(lambda: peer.memory.bytes_held > 0)
    peer.sock.close()
    await peer.until(lambda: peer.closed)
    assert peer.echo.parked[b"park 1"].cancelled()
    assert peer.memory.bytes_held == 0


# Held back ------------------------------------------------------------------------------------------------------------


def looks(peer: Peer) -> list[float]:
    """When the connection received, or tried to."""
    times: list[float] = []
    receive = peer.connection._receive_into

    def noted(*arguments: Any) -> int:
        times.append(peer.loop.time())
        return receive(*arguments)

    peer.connection._receive_into = noted
    return times


async def test_whoever_is_held_back_is_answered_and_not_read_until_the_time_is_over(
    peer: Peer,
) -> None:
    times = looks(peer)
    await peer.send(b"mute 200", b"two", b"three")
    assert await peer.answer() == b"mute 200"
    muted_until = peer.connection._muted
    assert muted_until is not None
    await peer.send(b"four")
    assert [await peer.answer() for _ in range(3)] == [b"two", b"three", b"four"]
    assert peer.echo.frames == [b"mute 200", b"two", b"three", b"four"]
    assert len(times) == 2 and times[1] >= muted_until.when() - 0.001


async def test_a_connection_that_is_held_back_wakes_nobody_up(peer: Peer) -> None:
    """Nobody watches its descriptor, however much its peer sends: the loop finds nothing to do."""
    await peer.send(b"mute 3600000")
    assert await peer.answer() == b"mute 3600000"
    await peer.send(*[b"more" * 100] * 10)
    peer.sock.shutdown(socket.SHUT_WR)
    selector = peer.loop._selector  # type: ignore[attr-defined]
    watched = [key.fd for key, _ in selector.select(0)]
    assert watched == [] and peer.echo.frames == [b"mute 3600000"]
    assert not peer.connection._is_reading and not peer.closed


async def test_of_two_times_the_longer_counts(peer: Peer) -> None:
    peer.connection.mute(100)
    first = peer.connection._muted
    peer.connection.mute(50)
    assert peer.connection._muted is first
    peer.connection.mute(200)
    assert first is not None and first.cancelled()


async def test_an_answer_that_comes_while_its_client_is_held_back_is_sent(peer: Peer) -> None:
    await peer.send(b"park 1")
    await peer.until(lambda: peer.echo.parked)
    peer.connection.mute(3600)
    peer.echo.parked[b"park 1"].set_result(b"one")
    assert await peer.answer() == b"one"
    await peer.send(b"two")
    await asyncio.sleep(0.01)
    assert peer.echo.frames == [b"park 1"]


async def test_whoever_is_held_back_within_a_frame_is_not_late_with_it(peer: Peer) -> None:
    await peer.loop.sock_sendall(peer.sock, frame(b"x" * 1000)[:500])
    await peer.until(lambda: peer.connection.is_within_frame)
    peer.connection.mute(3600)
    assert not peer.connection.is_frame_late(peer.loop.time() + 1000, stall_s=1)


async def test_a_broker_that_stops_does_not_wait_for_whoever_is_held_back(peer: Peer) -> None:
    peer.connection.mute(3600)
    peer.connection.take_no_more()
    assert not peer.connection.is_working and not peer.connection.unsent_bytes
    muted = peer.connection._muted
    peer.connection.close("the broker stops")
    assert muted is not None and muted.cancelled()
    assert peer.connection.caller.line is None


async def test_the_end_of_the_time_does_not_make_a_stopping_broker_read(peer: Peer) -> None:
    peer.connection.mute(0.01)
    peer.connection.take_no_more()
    await peer.send(b"late")
    await asyncio.sleep(0.05)
    assert peer.echo.frames == []


async def test_before_login_a_frame_takes_memory_as_it_arrives_and_afterwards_at_once(peer: Peer) -> None:
    ordinary = Limits(frame_size_max=10 * MIB, in_flight_max=1)
    peer.connection.hand_to(peer.echo, Limits(frame_size_max=MIB, in_flight_max=1, is_for_strangers=True))
    whole = frame(bytes(500_000))
    await peer.loop.sock_sendall(peer.sock, whole[:10])
    await peer.until(lambda: peer.connection.is_within_frame)
    assert peer.memory.bytes_held == STRANGERS_FIRST_SIZE
    sending = asyncio.create_task(peer.loop.sock_sendall(peer.sock, whole[10:]))
    assert await peer.answer() == whole[4:]
    await sending
    assert peer.memory.bytes_held == 0
    peer.connection.hand_to(peer.echo, ordinary)
    await peer.loop.sock_sendall(peer.sock, whole[:10])
    await peer.until(lambda: peer.connection.is_within_frame)
    assert peer.memory.bytes_held == 512 * 1024
