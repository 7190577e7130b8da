"""Connections of simulated worlds: bytes in order, whatever is held up, and a connection that breaks behind them."""

import asyncio
import random
from typing import Any

import pytest
from simulation.loop import OWNER, WORLD, Owner, SimulatedLoop
from simulation.network import Network
from simulation.streams import End, Streams


class Server(Owner):
    def __init__(self) -> None:
        super().__init__()
        self.id = 2
        self.context = WORLD.copy()
        self.received = bytearray()
        self.ends: list[End] = []
        self.is_told = False

    def accept(self, end: End) -> "Server":
        self.ends.append(end)
        return self

    def feed(self, data: bytes) -> None:
        self.received += data

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_told = True


class Client(Owner):
    """asyncio's side of a connection, as far as the streams ask for it."""

    def __init__(self) -> None:
        super().__init__()
        self.id = 1
        self.context = WORLD.copy()
        self.context.run(OWNER.set, self)
        self.lost: asyncio.Future[None]

    def connection_made(self, transport: End) -> None:
        self.lost = asyncio.get_running_loop().create_future()

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost.set_result(None)


class Bench:
    def __init__(self, seed: int) -> None:
        self.loop = SimulatedLoop()
        self.server, self.client = Server(), Client()
        network = Network(self.loop, random.Random(seed), lambda _: None)
        self.streams = Streams(self.loop, network, lambda _: self.server)
        self.near: End

    def connect(self) -> None:
        async def connect() -> None:
            self.near, _ = await self.streams.connect(lambda: self.client, "simulated", 2)

        self.loop.create_task(connect(), context=self.client.context)
        self.run(3)

    def run(self, seconds: float) -> None:
        self.loop.run(until_s=self.loop.time() + seconds)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_held_up_is_not_overtaken_by_what_is_sent_later(seed: int) -> None:
    bench = Bench(seed)
    bench.connect()
    held: list[Any] = [None, bench.loop.create_future(), None, None]
    bench.near.hold_up = lambda: held.pop(0) if held else None
    sent = bytearray()
    for number in range(12):
        frame = bytes([number]) * 100
        bench.near.write(frame)
        sent += frame
        bench.run(bench.streams.dice.random() * 0.01)
    bench.run(10)
    assert bench.server.received == sent
    bench.loop.close()


def test_what_was_sent_before_a_connection_broke_comes_to_an_end_that_has_not_heard_of_it() -> None:
    bench = Bench(1)
    bench.connect()
    bench.near.breaks = lambda: True
    bench.near.write(b"late")
    bench.run(0.01)
    assert bench.client.lost.done() and bytes(bench.server.received) == b""
    bench.near.write(b"nothing more")
    while len(bench.server.received) < 4:
        bench.run(0.01)
    assert bytes(bench.server.received) == b"late" and not bench.server.is_told
    bench.run(10)
    assert (bytes(bench.server.received), bench.server.is_told) == (b"late", True)
    bench.loop.close()
