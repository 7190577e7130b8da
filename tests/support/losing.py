"""A proxy that loses one request of a kind, or its answer, and with it every connection, as a broker that dies does."""

from __future__ import annotations

import asyncio
import enum
import struct
from collections.abc import Coroutine
from types import TracebackType
from typing import Self

_HEADER = struct.Struct(">hhi")
"""API key, version, correlation id: what every request begins with."""


class Lost(enum.Enum):
    REQUEST = enum.auto()
    ANSWER = enum.auto()


class LosingProxy:
    """On the port that a broker advertises; `to` is the one that it listens on."""

    def __init__(self, port: int, *, to: int) -> None:
        self.port = port
        self.has_lost = asyncio.Event()
        self._to = to
        self._wanted: tuple[int, Lost] | None = None
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        self._cut()
        while self._tasks:
            await asyncio.wait(self._tasks)

    def lose(self, api_key: int, what: Lost) -> None:
        """From the next request of this kind on nobody gets through, until `restore`."""
        self.has_lost.clear()
        self._wanted = (api_key, what)

    def restore(self) -> None:
        self._wanted = None
        self.has_lost.clear()

    def _cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    def _lose(self) -> None:
        self.has_lost.set()
        self._cut()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self._begin(self._connect(reader, writer))

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.has_lost.is_set():
            self._end(writer)
            return
        try:
            other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            self._end(writer)
            return
        self._writers.add(other_writer)
        if writer.transport.is_closing():  # cut meanwhile
            self._end(other_writer)
        awaited: set[int] = set()
        self._begin(self._requests(reader, other_writer, awaited))
        self._begin(self._answers(other_reader, writer, awaited))

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, awaited: set[int]) -> None:
        try:
            while frame := await _frame(reader):
                api_key, _, correlation_id = _HEADER.unpack_from(frame, 4)
                if self._wanted == (api_key, Lost.REQUEST):
                    self._lose()
                    return
                if self._wanted == (api_key, Lost.ANSWER):
                    awaited.add(correlation_id)
                writer.write(frame)
        finally:
            self._end(writer)

    async def _answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, awaited: set[int]) -> None:
        try:
            while frame := await _frame(reader):
                if int.from_bytes(frame[4:8], "big") in awaited:
                    self._lose()
                    return
                writer.write(frame)
        finally:
            self._end(writer)

    def _end(self, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()
        self._writers.discard(writer)


async def _frame(reader: asyncio.StreamReader) -> bytes | None:
    """A whole request or answer with its size in front; None at the end."""
    try:
        size = await reader.readexactly(4)
        return size + await reader.readexactly(int.from_bytes(size, "big"))
    except (asyncio.IncompleteReadError, OSError):
        return None
