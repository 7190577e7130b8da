"""Asking another broker whether it is there: the port, and its real implementation over TCP.

A process that died refuses connections: the kernel says so at once. One that hangs, or that is out of reach, merely
does not answer. The two mean different things, so they are told apart. A connection is kept to each broker that is
asked often: when its process dies the kernel closes it, and `on_break` is called without anybody having asked.
"""

import asyncio
import struct
from collections.abc import Callable
from enum import Enum
from typing import Protocol

from penstock.cluster.image.shapes import BrokerImage
from penstock.cluster.records import Endpoint
from penstock.model import BrokerId
from penstock.transport import ContextOf, connect, without_tls
from penstock.wire.api import ApiKey
from penstock.wire.framing import SIZE, RequestHeader
from penstock.wire.messages.describe_cluster_request import DescribeClusterRequest
from penstock.wire.messages.describe_cluster_response import DescribeClusterResponse

CLIENT_ID = "penstock-heartbeat"
ANSWER_BYTES_MAX = 1 << 20
_NO_TAGS_SIZE = 1
"""What ends the header of an answer to DescribeCluster."""


class ProbeResult(Enum):
    ALIVE = "alive"
    SILENT = "silent"
    """No answer in time: it hangs, or the network between does."""
    REFUSED = "refused"
    """Nobody listens at its address: the process is gone."""


class PeerView(Enum):
    """What another broker's image says of this one."""

    MEMBER = "member"
    GONE = "gone"
    """This broker's registration has ended: others lead what it led."""
    SILENT = "silent"
    """It did not answer in time, or not sensibly."""
    REFUSED = "refused"
    """Nobody listens at its address: its process is gone, and has no opinion."""


class Probe(Protocol):
    async def ping(self, broker: BrokerImage) -> ProbeResult: ...

    async def opinion(self, broker: BrokerImage, about: BrokerId) -> PeerView:
        """Ask a broker whether another one is registered, as far as it knows."""

    def watch(self, on_break: Callable[[BrokerId], None]) -> None:
        """Call back when a connection to a broker breaks that nobody meant to close."""

    def close(self) -> None: ...


class _Line(asyncio.Protocol):
    """One kept connection, one question at a time."""

    def __init__(self, on_break: Callable[[], None]) -> None:
        self._on_break = on_break
        self._received = bytearray()
        self._answer: asyncio.Future[bytes] | None = None
        self._asked = 0
        self._transport: asyncio.Transport | None = None
        self.is_open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        self._received += data
        if len(self._received) > ANSWER_BYTES_MAX:
            self.close()
            return
        while len(self._received) >= SIZE.size:
            (size,) = SIZE.unpack_from(self._received)
            if size < 4 or len(self._received) < SIZE.size + size:
                return
            (asked,) = struct.unpack_from(">i", self._received, SIZE.size)
            answer = bytes(self._received[SIZE.size + 4 : SIZE.size + size])
            del self._received[: SIZE.size + size]
            if asked == self._asked and self._answer is not None and not self._answer.done():
                self._answer.set_result(answer)

    def connection_lost(self, exc: Exception | None) -> None:
        was_open, self.is_open = self.is_open, False
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ConnectionResetError("closed"))
        if was_open:
            self._on_break()

    async def ask(self, api: ApiKey = ApiKey.API_VERSIONS, body: bytes = b"") -> bytes:
        """What the other side answers to a request of version 0; what was asked before and came too late does not
        count.
        """
        assert self._transport is not None
        self._asked += 1
        self._answer = asyncio.get_running_loop().create_future()
        header = RequestHeader(api, 0, self._asked, CLIENT_ID).encode()
        self._transport.write(SIZE.pack(len(header) + len(body)) + header + body)
        return await self._answer

    def close(self) -> None:
        self.is_open = False
        if self._transport is not None:
            self._transport.abort()


class TcpProbe:
    """Asks for ApiVersions, which every broker answers without being asked who one is."""

    def __init__(self, *, timeout_s: float, context_of: ContextOf = without_tls) -> None:
        self._timeout_s = timeout_s
        self._context_of = context_of
        self._lines: dict[BrokerId, tuple[Endpoint, _Line]] = {}
        self._on_break: Callable[[BrokerId], None] = lambda _: None

    def watch(self, on_break: Callable[[BrokerId], None]) -> None:
        self._on_break = on_break

    async def ping(self, broker: BrokerImage) -> ProbeResult:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._ping(broker)
        except (TimeoutError, OSError, ValueError):  # the last: what it says is its address cannot be one
            self._drop(broker.id)
            return ProbeResult.SILENT

    async def _ping(self, broker: BrokerImage) -> ProbeResult:
        endpoint = broker.peer_endpoint
        kept = self._lines.get(broker.id)
        if kept is not None and kept[0] == endpoint and kept[1].is_open:
            try:
                await kept[1].ask()
                return ProbeResult.ALIVE
            except ConnectionError:
                pass  # whether that was the process's end, a new connection tells
        self._drop(broker.id)
        tls = self._context_of(endpoint.security_protocol)
        try:
            line = await connect(
                lambda: _Line(lambda: self._on_break(broker.id)), endpoint.host, endpoint.port, tls=tls
            )
        except ConnectionRefusedError:
            return ProbeResult.REFUSED
        except ConnectionResetError:
            # One that listens may end a handshake, as it does with too many at once: that is no sign of its death.
            return ProbeResult.REFUSED if tls is None else ProbeResult.SILENT
        self._lines[broker.id] = endpoint, line
        await line.ask()
        return ProbeResult.ALIVE

    async def opinion(self, broker: BrokerImage, about: BrokerId) -> PeerView:
        """On a connection of its own, made for one question: it is seldom asked, and pings may be under way."""
        endpoint, line = broker.peer_endpoint, _Line(lambda: None)
        try:
            async with asyncio.timeout(self._timeout_s):
                tls = self._context_of(endpoint.security_protocol)
                await connect(lambda: line, endpoint.host, endpoint.port, tls=tls)
                answer = await line.ask(ApiKey.DESCRIBE_CLUSTER, DescribeClusterRequest().encode(0))
            described = DescribeClusterResponse.decode(answer[_NO_TAGS_SIZE:], 0)
        except ConnectionRefusedError:
            return PeerView.REFUSED
        except (TimeoutError, OSError, ValueError):
            return PeerView.SILENT
        finally:
            line.close()
        if described.error_code:
            return PeerView.SILENT
        return PeerView.MEMBER if any(each.broker_id == about for each in described.brokers) else PeerView.GONE

    def _drop(self, broker: BrokerId) -> None:
        kept = self._lines.pop(broker, None)
        if kept is not None:
            kept[1].close()

    def close(self) -> None:
        for broker in list(self._lines):
            self._drop(broker)
