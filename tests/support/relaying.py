"""What proxies have in common: connections passed on to another port, and cut, none of them left behind."""

from __future__ import annotations

import asyncio
import socket
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
        self._listener: socket.socket | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]
        asyncio.get_running_loop().add_reader(self._listener, self._accept, self._listener)

    async def close(self) -> None:
        """Returns when every connection is gone, those that were being made included."""
        assert self._listener is not None
        asyncio.get_running_loop().remove_reader(self._listener)
        self._listener.close()
        self._listener = None
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

    def _accept(self, listener: socket.socket) -> None:
        """Not by an asyncio server: that tells of a connection only turns of the loop after it has taken it, and one
        taken right before `close` would be told of after it, cut by nobody.
        """
        try:
            accepted, _ = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):  # given up meanwhile
            return
        self._begin(self._connect(accepted))

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, accepted: socket.socket) -> None:
        near = Side(*await asyncio.open_connection(sock=accepted))
        self._writers.add(near.writer)
        if self.is_refusing or self._listener is None:
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
