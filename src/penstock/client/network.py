"""The connections of a client, opened when first needed and kept; still without a socket.

A driver brings the sockets in through two small ports: it opens a `Line` for a `Wire` and tells the wire what happens
on it. TLS and SASL belong behind the same ports.

Whatever may keep a connection busy for long (a fetch that waits, a join) has one of its own, under a name: answers
come in order, and nothing else should wait behind it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from penstock.client.connection import Connection
from penstock.client.settings import ClientSettings
from penstock.client.tasks import Future, Scheduler
from penstock.errors import NetworkFailure, Refusal, RequestTimedOut
from penstock.wire.primitives import Message

NONCE_BYTES = 18
Address = tuple[str, int]
Request = Message | Callable[[int], Message]
"""A message, or what makes it for the version that is spoken."""


class NotConnected(NetworkFailure):
    """No connection could be opened: nothing was asked."""


class Node(NamedTuple):
    """A broker as clients know it; bootstrap addresses have negative ids."""

    id: int
    host: str
    port: int
    rack: str | None = None


class Line(Protocol):
    """A way to a broker, as a driver makes it."""

    def send(self, frames: list[bytes]) -> None:
        """Soon and in order, as much at a time as the way takes; never blocks."""

    def close(self) -> None: ...


class Connector(Protocol):
    def open(self, host: str, port: int, wire: "Wire") -> Line:
        """Begin to connect. Later the wire is told `opened` or `lost`, never from within this call."""


class Wire:
    """One connection with the line that carries it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.line: Line | None = None
        self.is_open: Future[None] = Future()

    # Told by the driver ---------------------------------------------------------------------------------------------

    def opened(self) -> None:
        self.is_open.resolve(None)

    def buffer(self) -> memoryview:
        return self.connection.buffer()

    def received(self, count: int) -> None:
        self.connection.received(count)
        if self.connection.error is not None:
            self.close(str(self.connection.error))

    def lost(self, reason: str) -> None:
        self.is_open.fail(NotConnected(reason))
        self.connection.lost(reason)

    # Told by the client ---------------------------------------------------------------------------------------------

    def ask(self, request: Message, version: int, *, answered: bool = True) -> Future[Any]:
        answer = self.connection.ask(request, version, answered=answered)
        if self.connection.to_send and self.line is not None:
            frames, self.connection.to_send = self.connection.to_send, []
            self.line.send(frames)
        return answer

    def close(self, reason: str) -> None:
        self.lost(reason)
        if self.line is not None:
            self.line.close()


class Network:
    def __init__(self, scheduler: Scheduler, connector: Connector, settings: ClientSettings) -> None:
        self._scheduler = scheduler
        self._connector = connector
        self._settings = settings
        self._ready: dict[tuple[Address, str], Future[Wire]] = {}
        self._is_closed = False

    async def ask(
        self,
        node: Node,
        request: Request,
        *,
        at_least: int = 0,
        at_most: int | None = None,
        timeout_s: float | None = None,
        answered: bool = True,
        api_key: int | None = None,
        connection_name: str = "",
    ) -> Any:
        """The broker's answer. NotConnected: nothing was asked. NetworkFailure, RequestTimedOut: it may have been done.

        A request that is made for its version names its `api_key`.
        """
        wire = await self.wire_to(node, connection_name)
        key = api_key if api_key is not None else request.api_key  # type: ignore[union-attr]
        version = wire.connection.version_for(key, at_least=at_least, at_most=at_most)
        message = request if isinstance(request, Message) else request(version)
        answer = wire.ask(message, version, answered=answered)
        timeout_s = self._settings.request_timeout_s if timeout_s is None else timeout_s
        try:
            return await self._scheduler.within(timeout_s, answer, doing=f"broker {node.host}:{node.port}")
        except RequestTimedOut as error:
            wire.close(f"gave up on an earlier request: {error}")  # all that follows would come behind its answer
            raise

    async def wire_to(self, node: Node, connection_name: str = "") -> Wire:
        """An open connection whose versions are known. NotConnected where there is none to be had."""
        key = ((node.host, node.port), connection_name)
        ready = self._ready.get(key)
        if ready is None or (ready.is_done and (ready.error or ready.value().connection.error)):
            if self._is_closed:
                raise NotConnected("the client is closed")
            self._ready[key] = ready = self._scheduler.start(self._open(node))
        return await ready

    def is_connected(self, node: Node) -> bool:
        ready = self._ready.get(((node.host, node.port), ""))
        return bool(ready and ready.is_done and not ready.error and not ready.value().connection.error)

    async def _open(self, node: Node) -> Wire:
        wire = Wire(Connection(self._settings.client_id))
        wire.line = self._connector.open(node.host, node.port, wire)
        timeout_s = min(self._settings.connect_timeout_s, self._settings.timeout_s)
        negotiated = self._scheduler.start(self._greet(wire))
        try:
            await self._scheduler.within(timeout_s, negotiated, doing="connecting")
        except Refusal as error:
            wire.close(str(error))
            if not isinstance(error, (NetworkFailure, RequestTimedOut)):
                raise
            raise NotConnected(f"{node.host}:{node.port}: {error}") from error
        return wire

    async def _greet(self, wire: Wire) -> None:
        await wire.is_open
        await wire.connection.negotiate(wire.ask)
        if self._settings.sasl is not None:
            from penstock.client.clock import SystemDice  # noqa: PLC0415 - rarely needed
            from penstock.client.sasl import authenticate  # noqa: PLC0415

            nonce = SystemDice().random_bytes(NONCE_BYTES)
            await authenticate(wire.ask, wire.connection, self._settings.sasl, nonce)

    def hang_up(self, connection_name: str) -> None:
        """End the connections of this name: nobody asks anything on them any more."""
        for key in [key for key in self._ready if key[1] == connection_name]:
            ready = self._ready.pop(key)
            if ready.is_done and not ready.error:
                ready.value().close("not needed any more")

    def close(self) -> None:
        self._is_closed = True
        for ready in self._ready.values():
            if ready.is_done and not ready.error:
                ready.value().close("the client is closed")
