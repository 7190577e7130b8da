"""A channel over a plain socket: it receives, sends and sends files, and says when it can."""

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock.transport import MORE, Channel, SocketChannel, connect, listen, prepare_accepted


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Two ends of a TCP connection."""
    with listen("127.0.0.1", 0, backlog=1) as listening:
        theirs = socket.create_connection(listening.getsockname())
        listening.setblocking(True)
        ours, _ = listening.accept()
    with ours, theirs:
        prepare_accepted(ours, send_buffer_bytes=0, receive_buffer_bytes=0)
        yield ours, theirs


async def test_bytes_go_both_ways(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    channel: Channel = SocketChannel(ours, asyncio.get_running_loop())
    assert channel.send(b"head ", MORE) + channel.send(b"tail", 0) == 9
    assert theirs.recv(9, socket.MSG_WAITALL) == b"head tail"
    readable = asyncio.Event()
    channel.start_reading(readable.set)
    buffer = bytearray(10)
    with pytest.raises(BlockingIOError):
        channel.receive_into(memoryview(buffer))
    theirs.send(b"hello")
    async with asyncio.timeout(60):
        await readable.wait()
    channel.stop_reading()
    assert channel.receive_into(memoryview(buffer), 4) == 4 and buffer[:4] == b"hell"
    channel.close()


async def test_a_part_of_a_file_is_sent_without_reading_it(
    pair: tuple[socket.socket, socket.socket], tmp_path: Path
) -> None:
    ours, theirs = pair
    (tmp_path / "file").write_bytes(b"0123456789")
    channel = SocketChannel(ours, asyncio.get_running_loop())
    fd = os.open(tmp_path / "file", os.O_RDONLY)
    try:
        assert channel.sendfile(fd, 2, 5) == 5
        assert channel.sendfile(fd, 10, 5) == 0, "the file is too short"
    finally:
        os.close(fd)
    assert theirs.recv(100) == b"23456"


async def test_a_full_channel_says_when_it_takes_more(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    channel = SocketChannel(ours, asyncio.get_running_loop())
    sent = 0
    with pytest.raises(BlockingIOError):
        while True:
            sent += channel.send(bytes(1 << 20), 0)
    assert 0 < channel.unsent_bytes() <= sent
    writable = asyncio.Event()
    channel.start_writing(writable.set)
    drained = asyncio.create_task(asyncio.to_thread(theirs.recv, sent, socket.MSG_WAITALL))
    async with asyncio.timeout(60):
        await writable.wait()
        assert len(await drained) == sent
    channel.stop_writing()
    assert channel.send(b"more", 0) == 4


async def test_a_name_that_cannot_be_a_hosts_is_an_oserror_in_words() -> None:
    with pytest.raises(OSError, match="cannot be a host's name"):
        await connect(asyncio.Protocol, "a..b", 1)
