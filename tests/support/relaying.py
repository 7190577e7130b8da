"""What proxies have in common: connections passed on to another port, and cut, none of them left behind."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Iterable
from typing import NamedTuple


class Side(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class Relay(ABC):
    def __init__(self, port: int, *, to: tuple[str | None, int | None]) -> None:
        """`port` 0 is any free one."""
        self.port = port
        self._to = to
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Returns when every connection is gone, those that were being made included."""
        assert self._server is not None
        self._server.close()
        self.cut_all()
        while self._tasks:
            await asyncio.wait(self._tasks)

    def cut_all(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    def let_go(self, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()
        self._writers.discard(writer)

    @property
    def is_refusing(self) -> bool:
        return False

    @abstractmethod
    def pumps(self, near: Side, far: Side) -> Iterable[Coroutine[None, None, None]]:
        """What passes on each way of a connection, and lets go of the writer that it has at its end."""

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self._begin(self._connect(Side(reader, writer)))

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, near: Side) -> None:
        if self.is_refusing:
            self.let_go(near.writer)
            return
        try:
            far = Side(*await asyncio.open_connection(*self._to))
        except OSError:
            self.let_go(near.writer)
            return
        self._writers.add(far.writer)
        if near.writer.transport.is_closing():  # cut meanwhile
            self.let_go(far.writer)
        for pump in self.pumps(near, far):
            self._begin(pump)
