"""A proxy that loses one request of a kind, or its answer, and with it every connection, as a broker that dies does."""

from __future__ import annotations

import asyncio
import enum
import struct
from collections.abc import Coroutine, Iterable
from types import TracebackType
from typing import Self

from tests.support.relaying import Relay, Side

_HEADER = struct.Struct(">hhi")
"""API key, version, correlation id: what every request begins with."""


class Lost(enum.Enum):
    REQUEST = enum.auto()
    ANSWER = enum.auto()


class LosingProxy(Relay):
    """On the port that a broker advertises; `to` is the one that it listens on."""

    def __init__(self, port: int, *, to: int) -> None:
        super().__init__(port, to=("127.0.0.1", to))
        self.has_lost = asyncio.Event()
        self._wanted: tuple[int, Lost] | None = None

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def lose(self, api_key: int, what: Lost) -> None:
        """From the next request of this kind on nobody gets through, until `restore`."""
        self.has_lost.clear()
        self._wanted = (api_key, what)

    def restore(self) -> None:
        self._wanted = None
        self.has_lost.clear()

    @property
    def is_refusing(self) -> bool:
        return self.has_lost.is_set()

    def pumps(self, near: Side, far: Side) -> Iterable[Coroutine[None, None, None]]:
        awaited: set[int] = set()
        return self._requests(near.reader, far.writer, awaited), self._answers(far.reader, near.writer, awaited)

    def _lose(self) -> None:
        self.has_lost.set()
        self.cut_all()

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
            self.let_go(writer)

    async def _answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, awaited: set[int]) -> None:
        try:
            while frame := await _frame(reader):
                if int.from_bytes(frame[4:8], "big") in awaited:
                    self._lose()
                    return
                writer.write(frame)
        finally:
            self.let_go(writer)


class SilentProxy(LosingProxy):
    """Passes on everything but requests of some kinds, which are never answered; connections stay."""

    def __init__(self, port: int, *, to: int) -> None:
        super().__init__(port, to=to)
        self.unanswered: set[int] = set()
        """Keys of APIs."""
        self.swallowed = asyncio.Event()

    async def _requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, awaited: set[int]) -> None:
        try:
            while frame := await _frame(reader):
                if _HEADER.unpack_from(frame, 4)[0] in self.unanswered:
                    self.swallowed.set()
                else:
                    writer.write(frame)
        finally:
            self.let_go(writer)


async def _frame(reader: asyncio.StreamReader) -> bytes | None:
    """A whole request or answer with its size in front; None at the end."""
    try:
        size = await reader.readexactly(4)
        return size + await reader.readexactly(int.from_bytes(size, "big"))
    except (asyncio.IncompleteReadError, OSError):
        return None
