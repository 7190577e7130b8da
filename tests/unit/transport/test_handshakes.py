"""Strangers on their way in: who comes first, how many, how fast, and what becomes of the others."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import pytest

from penstock.transport import SocketChannel, listen
from penstock.transport.channel import Channel
from penstock.transport.handshakes import Bounds, Handshakes, Why
from penstock.transport.tls import TlsFailed

HELLO = b"\x16hello"


class Shaking:
    """A channel whose handshake takes two messages of its peer."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.heard = 0
        self.peer_certificate = b"certificate"
        self.fails = False

    def shake_hands(self) -> None:
        while self.heard < 2:
            self.sock.recv(100)
            self.heard += 1
            if self.fails:
                raise TlsFailed("no")

    def close(self) -> None:
        self.sock.close()


class Door:
    def __init__(self, bounds: Bounds) -> None:
        self.handshakes = Handshakes(asyncio.get_running_loop(), lambda: bounds)
        self.listening = listen("127.0.0.1", 0, backlog=10)
        self.listening.setblocking(True)
        self.peers: list[socket.socket] = []
        self.made: list[Shaking] = []
        self.ready: list[tuple[object, bytes | None]] = []
        self.failed: list[Why] = []

    def come(self, *, said: bytes = b"", is_optional: bool = False) -> socket.socket:
        theirs = socket.create_connection(self.listening.getsockname())
        ours, _ = self.listening.accept()
        ours.setblocking(False)
        self.peers.append(theirs)
        theirs.sendall(said)

        def make() -> Shaking:
            self.made.append(Shaking(ours))
            return self.made[-1]

        def let_in(channel: Channel, certificate: bytes | None) -> None:
            self.ready.append((channel, certificate))

        self.handshakes.begin(ours, make=make, is_optional=is_optional, ready=let_in, failed=self.failed.append)  # type: ignore[arg-type]
        return theirs

    async def until(self, count: int, of: list[object]) -> None:
        async with asyncio.timeout(60):
            while len(of) < count:
                await asyncio.sleep(0.001)

    @property
    def kinds(self) -> list[str]:
        return [why.kind for why in self.failed]

    def close(self) -> None:
        self.handshakes.close()
        for channel, _ in self.ready:
            channel.close()  # type: ignore[attr-defined]
        for sock in (*self.peers, self.listening):
            sock.close()


@pytest.fixture
def doors() -> Iterator[list[Door]]:
    opened: list[Door] = []
    yield opened
    for door in opened:
        door.close()


def a_door(doors: list[Door], *, half_open: int = 100, per_second: int = 10_000, timeout_s: float = 600.0) -> Door:
    doors.append(Door(Bounds(half_open, per_second, timeout_s)))
    return doors[-1]


async def test_who_shakes_hands_comes_in_with_a_certificate(doors: list[Door]) -> None:
    door = a_door(doors)
    peer = door.come(said=HELLO)
    await door.until(1, door.made)  # type: ignore[arg-type]
    assert len(door.handshakes) == 1
    peer.sendall(b"finished")
    await door.until(1, door.ready)  # type: ignore[arg-type]
    assert door.ready == [(door.made[0], b"certificate")]
    assert (len(door.handshakes), door.failed) == (0, [])


async def test_who_does_not_encrypt_comes_in_only_where_that_is_allowed(doors: list[Door]) -> None:
    door = a_door(doors)
    refused, taken = door.come(said=b"\0\0\0\x12"), door.come(said=b"\0\0\0\x12", is_optional=True)
    await door.until(1, door.ready)  # type: ignore[arg-type]
    await door.until(1, door.failed)  # type: ignore[arg-type]
    channel, certificate = door.ready[0]
    assert isinstance(channel, SocketChannel)
    assert certificate is None
    buffer = memoryview(bytearray(10))
    assert channel.receive_into(buffer) == 4, "the first byte was looked at, and not taken"
    assert door.kinds == ["plaintext"]
    with contextlib.suppress(ConnectionResetError):  # it had said something that was not read
        assert refused.recv(10) == b"", "closed without a word"
    taken.close()


async def test_the_oldest_makes_room_for_a_new_one(doors: list[Door]) -> None:
    door = a_door(doors, half_open=3)
    for _ in range(5):
        door.come()
    assert door.kinds == ["limit", "limit"]
    assert len(door.handshakes) == 3
    assert [peer.recv(1) for peer in door.peers[:2]] == [b"", b""]


async def test_who_takes_too_long_is_closed_however_it_dawdles(doors: list[Door]) -> None:
    door = a_door(doors, timeout_s=0.05)
    door.come()
    door.come(said=HELLO)
    await door.until(2, door.failed)  # type: ignore[arg-type]
    assert door.kinds == ["timeout", "timeout"]
    assert len(door.handshakes) == 0


async def test_no_more_begin_in_a_second_than_are_allowed_and_the_others_wait(doors: list[Door]) -> None:
    door = a_door(doors, per_second=20)
    began_s = asyncio.get_running_loop().time()
    for _ in range(8):
        door.come(said=HELLO)
    await door.until(8, door.made)  # type: ignore[arg-type]
    took_s = asyncio.get_running_loop().time() - began_s
    assert door.handshakes.begun <= 2 + 20 * took_s, "a tenth of a second's at once, and then as time goes"
    assert door.failed == []


async def test_a_handshake_that_fails_ends_its_own_connection(doors: list[Door]) -> None:
    door = a_door(doors)
    bad, good = door.come(said=HELLO), door.come(said=HELLO)
    await door.until(2, door.made)  # type: ignore[arg-type]
    door.made[0].fails = True
    bad.sendall(b"wrong")
    good.sendall(b"finished")
    await door.until(1, door.ready)  # type: ignore[arg-type]
    await door.until(1, door.failed)  # type: ignore[arg-type]
    assert door.failed == [Why("failed", "no")]
    assert door.ready[0][0] is door.made[1]


async def test_who_goes_without_a_word_is_let_go(doors: list[Door]) -> None:
    door = a_door(doors)
    door.come().close()
    await door.until(1, door.failed)  # type: ignore[arg-type]
    assert door.kinds == ["gone"]
