"""Frames of another broker, however the network cuts and joins them."""

import asyncio
import random
import socket
import struct

import pytest

from penstock.replication.peer_connection import (
    FRAME_BYTES_FIRST,
    KEEP_BYTES_MAX,
    STRANGERS_FRAME_BYTES_MAX,
    PeerConnection,
)

LARGEST = (1 << 31) - 1


def framed(body: bytes) -> bytes:
    return struct.pack(">i", len(body)) + body


class Receiver:
    """Keeps a copy of each frame, and spoils what it was lent: whoever is lent memory may write to it."""

    def __init__(self, *, is_known: bool = True) -> None:
        self.frames: list[bytes] = []
        self.connection = PeerConnection(self._on_frame)
        self.connection.is_known = is_known

    def _on_frame(self, frame: memoryview) -> None:
        self.frames.append(bytes(frame))
        frame[:] = b"\xff" * len(frame)

    def receive(self, stream: bytes, *, at_most: int) -> int:
        """As a socket that never has more than so much at once; the number of receives."""
        position = receives = 0
        while position < len(stream):
            room = self.connection.get_buffer(-1)
            piece = stream[position : position + min(len(room), at_most)]
            assert piece, "no room, and a receive of nothing would be taken for the end"
            room[: len(piece)] = piece
            self.connection.buffer_updated(len(piece))
            position += len(piece)
            receives += 1
        return receives


@pytest.mark.parametrize("at_most", [1, 2, 3, 4, 5, 7, 64, 1_000, 1 << 30])
async def test_frames_come_whole_and_in_order_however_they_are_cut(at_most: int) -> None:
    bodies = [b"a", b"bc" * 700, b"d", b"e" * 3_000, b"f" * 5]
    receiver = Receiver()
    receiver.receive(b"".join(framed(body) for body in bodies), at_most=at_most)
    assert receiver.frames == bodies
    assert receiver.connection.received == sum(len(body) + 4 for body in bodies)


@pytest.mark.parametrize("at_most", [100_000, 1 << 30])
async def test_large_and_small_frames_share_a_connection(at_most: int) -> None:
    dice = random.Random(7)
    first, most = FRAME_BYTES_FIRST, KEEP_BYTES_MAX
    sizes = [first - 4, 3, first - 3, first, 10, first * 3, most - 4, 1, first * 2, most + 1, 5, most + 2, most - 3, 6]
    bodies = [dice.randbytes(size) for size in sizes]
    receiver = Receiver()
    receiver.receive(b"".join(framed(body) for body in bodies), at_most=at_most)
    assert receiver.frames == bodies


async def test_a_frame_takes_one_receive_and_a_large_one_does_from_its_second_time_on() -> None:
    receiver = Receiver()
    assert receiver.receive(framed(b"answer"), at_most=1 << 30) == 1
    assert receiver.receive(framed(b"large" * 100_000), at_most=1 << 30) == 2
    assert receiver.receive(framed(b"large" * 100_000), at_most=1 << 30) == 1


async def test_many_frames_come_with_one_receive() -> None:
    receiver = Receiver()
    bodies = [b"%d" % number for number in range(10_000)]
    stream = b"".join(map(framed, bodies))
    assert len(stream) < FRAME_BYTES_FIRST
    assert receiver.receive(stream, at_most=1 << 30) == 1
    assert receiver.frames == bodies


async def test_a_frame_of_any_size_is_taken_and_memory_grows_with_what_has_arrived() -> None:
    receiver = Receiver()
    receiver.receive(struct.pack(">i", LARGEST) + b"x" * KEEP_BYTES_MAX, at_most=1 << 30)
    assert not receiver.connection.lost.done()
    assert len(receiver.connection.get_buffer(-1)) <= KEEP_BYTES_MAX
    body = random.Random(7).randbytes(5 * KEEP_BYTES_MAX + 7)
    receiver = Receiver()
    receiver.receive(framed(b"one") + framed(body) + framed(b"two"), at_most=1 << 20)
    assert receiver.frames == [b"one", body, b"two"]
    assert len(receiver.connection.get_buffer(-1)) == FRAME_BYTES_FIRST


@pytest.mark.parametrize("size", [0, -1, STRANGERS_FRAME_BYTES_MAX + 1])
async def test_a_size_that_no_frame_has_ends_the_connection(size: int) -> None:
    """Before the other side has proved who it is."""
    receiver = Receiver(is_known=False)
    receiver.receive(framed(b"good") + struct.pack(">i", size) + b"more", at_most=1 << 30)
    assert receiver.frames == [b"good"]
    with pytest.raises(ConnectionError, match=f"a frame of {size} bytes"):
        await receiver.connection.lost


async def test_nothing_is_handed_on_after_what_could_not_be_taken() -> None:
    seen = []

    def refuse(frame: memoryview) -> None:
        seen.append(bytes(frame))
        raise ValueError("not understood")

    connection = PeerConnection(refuse)
    stream = framed(b"first") + framed(b"second")
    connection.get_buffer(-1)[: len(stream)] = stream
    connection.buffer_updated(len(stream))
    assert seen == [b"first"]
    with pytest.raises(ValueError, match="not understood"):
        await connection.lost


async def test_frames_come_over_a_real_socket() -> None:
    bodies = [b"x" * size for size in (1, 70_000, 2, 900_000, 3)]

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.writelines(framed(body) for body in bodies)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    frames: list[bytes] = []
    connection = await PeerConnection.open(host, port, lambda frame: frames.append(bytes(frame)), timeout_s=60.0)
    with pytest.raises(ConnectionResetError):
        await asyncio.wait_for(connection.lost, 60.0)
    assert frames == bodies
    server.close()
    await server.wait_closed()


async def test_a_broker_whose_address_cannot_be_one_is_not_there() -> None:
    with pytest.raises(OSError, match=r"two\.\.dots"):
        await PeerConnection.open("two..dots", 9092, lambda _: None, timeout_s=10)


async def test_what_has_not_left_when_a_connection_is_closed_never_does() -> None:
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        host, port = server.getsockname()
        connection = await PeerConnection.open(host, port, lambda _frame: None, timeout_s=60.0)
        other, _ = await loop.sock_accept(server)
        with other:
            other.setblocking(False)
            connection.send(framed(b"x" * 64_000_000))  # more than the other side's kernel takes
            connection.close()
            with pytest.raises(ConnectionResetError):
                while await asyncio.wait_for(loop.sock_recv(other, 1 << 20), 60.0):
                    pass
