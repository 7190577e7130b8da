"""Socket buffers are the kernel's business unless somebody sets their size."""

import socket
from collections.abc import Iterator

import pytest

from penstock.broker.listeners import _prepare
from penstock.settings import Config

OPTIONS = (socket.SO_SNDBUF, socket.SO_RCVBUF)


@pytest.fixture
def sock() -> Iterator[socket.socket]:
    with socket.socket() as made:
        yield made


def sizes(sock: socket.socket) -> list[int]:
    return [sock.getsockopt(socket.SOL_SOCKET, option) for option in OPTIONS]


def test_at_the_defaults_a_socket_keeps_the_buffers_that_the_kernel_gave_it(sock: socket.socket) -> None:
    before = sizes(sock)
    _prepare(sock, Config.for_broker({}))
    assert sizes(sock) == before


def test_sizes_that_are_set_are_asked_for(sock: socket.socket) -> None:
    asked = {"socket.send.buffer.bytes": "20000", "socket.receive.buffer.bytes": "30000"}
    _prepare(sock, Config.for_broker(asked))
    assert sizes(sock) == [40_000, 60_000], "Linux doubles what is asked for, to have room for its own records"
