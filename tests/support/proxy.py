"""A TCP proxy on the test's own loop: it can be cut (connections reset, new ones refused) and hold answers back."""

import asyncio
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class Proxy:
    """In front of one address; `async with Proxy(url) as proxy`, and connect to `proxy.url`."""

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._pumps: set[asyncio.Task[None]] = set()
        self.port = 0

    @property
    def url(self) -> str:
        return f"{self._url.scheme}://127.0.0.1:{self.port}"

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        if self._pumps:
            await asyncio.wait(self._pumps)

    def hold_answers(self) -> None:
        """What is sent still arrives; what comes back waits."""
        self._flowing.clear()

    def pass_answers(self) -> None:
        self._flowing.set()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pass_answers()
        await self.cut()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            other_reader, other_writer = await asyncio.open_connection(self._url.hostname, self._url.port)
        except OSError:
            writer.transport.abort()
            return
        self._writers.add(other_writer)
        always = asyncio.Event()
        always.set()
        for way in ((reader, other_writer, always), (other_reader, writer, self._flowing)):
            pump = asyncio.create_task(self._pump(*way))
            self._pumps.add(pump)
            pump.add_done_callback(self._pumps.discard)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, flowing: asyncio.Event) -> None:
        try:
            while data := await reader.read(65536):
                await flowing.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.transport.abort()
            self._writers.discard(writer)
