"""A TCP proxy on the test's own loop: it can be cut (connections reset, new ones refused) and hold answers back."""

import asyncio
from collections.abc import Coroutine, Iterable
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from tests.support.relaying import Relay, Side


class Proxy(Relay):
    """In front of one address; `async with Proxy(url) as proxy`, and connect to `proxy.url`."""

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)
        super().__init__(0, to=(self._url.hostname, self._url.port))
        self._flowing = asyncio.Event()
        self._flowing.set()

    @property
    def url(self) -> str:
        return f"{self._url.scheme}://127.0.0.1:{self.port}"

    async def cut(self) -> None:
        await self.close()

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
        await self.close()

    def pumps(self, near: Side, far: Side) -> Iterable[Coroutine[None, None, None]]:
        always = asyncio.Event()
        always.set()
        return self._pump(near.reader, far.writer, always), self._pump(far.reader, near.writer, self._flowing)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, flowing: asyncio.Event) -> None:
        try:
            while data := await reader.read(65536):
                await flowing.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            self.let_go(writer)
