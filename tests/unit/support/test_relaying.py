"""A proxy of the tests: once it is closed, whoever was connecting through it is cut off, however far it had come."""

import asyncio
import socket

import pytest
from tests.support.losing import LosingProxy

_LONG_S = 60.0


@pytest.mark.parametrize("turns_of_the_loop", range(8))
async def test_a_connection_that_is_being_made_when_the_proxy_is_closed_is_cut_as_well(turns_of_the_loop: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as broker:
        proxy = LosingProxy(0, to=broker.getsockname()[1])
        await proxy.open()
        with (
            _connected(proxy.port) as there_before,
            (await asyncio.to_thread(broker.accept))[0],
            _connected(proxy.port) as coming,
        ):
            for _ in range(turns_of_the_loop):
                await asyncio.sleep(0)
            await asyncio.wait_for(proxy.close(), _LONG_S)
            assert await asyncio.to_thread(_is_cut, there_before)
            assert await asyncio.to_thread(_is_cut, coming)


def _connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=_LONG_S)


def _is_cut(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True
