"""The other brokers of the cluster, to be asked, over kept connections on which this broker has made itself known.

Answers on one connection come in the order of the questions, as all Kafka's do. What may take its time has one of its
own, under a name, so that nothing else waits behind it.

A connection is opened by the first question, at the address of the listener that brokers use among themselves. It lasts
as long as both registrations that it was opened under: whoever registers anew authenticates anew. After a failure the
next attempt waits a little, longer each time, and whoever asks meanwhile is refused at once: those who ask try again by
themselves, and know best how urgent it is. A connection that is refused or breaks makes its broker a suspect (RULES 8).
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import structlog

from penstock.cluster import BrokerImage, ClusterImage, Endpoint
from penstock.errors import NetworkFailure, Refusal, RequestTimedOut
from penstock.model import BrokerId, Clock
from penstock.replication.conversation import Conversation
from penstock.replication.peer_connection import PeerConnection
from penstock.replication.peer_handshake import PeerHandshake
from penstock.transport import ContextOf, without_tls

CONNECT_TIMEOUT_S: Final = 2.0
PAUSE_FIRST_S: Final = 0.02
PAUSE_S_MAX: Final = 1.0

_log = structlog.get_logger(__name__)


class _Line:
    """What this broker has with one other, over one connection."""

    def __init__(self) -> None:
        self.opening = asyncio.Lock()
        self.conversation: Conversation | None = None
        self.opened_for: tuple[int, int, Endpoint] | None = None
        """Own epoch, the other's, and its address."""
        self.pause_s = 0.0
        self.not_before_s = 0.0
        self.failed_for: tuple[int, Endpoint] | None = None
        self.reason = ""


class Peers:
    def __init__(
        self,
        image: ClusterImage,
        *,
        clock: Clock,
        own_epoch: Callable[[], int],
        handshake: PeerHandshake | None,
        on_unreachable: Callable[[BrokerId], None] = lambda _broker: None,
        context_of: ContextOf = without_tls,
    ) -> None:
        """Without a `handshake` this broker stands alone: nobody else is to be reached."""
        self._image = image
        self._clock = clock
        self._own_epoch = own_epoch
        self._handshake = handshake
        self._on_unreachable = on_unreachable
        self._context_of = context_of
        self._lines: dict[tuple[BrokerId, str], _Line] = {}
        self._is_closed = False

    async def ask(
        self, broker_id: BrokerId, request: Any, *, version: int, timeout_s: float, connection_name: str = ""
    ) -> Any:
        """The broker's answer. NetworkFailure: it cannot be reached, or was lost before it answered, and may have done
        what was asked. RequestTimedOut: it may yet do it.
        """
        deadline_s = self._clock.monotonic() + timeout_s
        conversation = await self._conversation_with(broker_id, connection_name, timeout_s)
        left_s = max(deadline_s - self._clock.monotonic(), 0.0)
        return await conversation.ask(request, version=version, timeout_s=left_s)

    def close(self) -> None:
        self._is_closed = True
        for line in self._lines.values():
            if line.conversation is not None:
                line.conversation.close()

    # Connections ------------------------------------------------------------------------------------------------

    async def _conversation_with(self, broker_id: BrokerId, connection_name: str, timeout_s: float) -> Conversation:
        line = self._lines.setdefault((broker_id, connection_name), _Line())
        try:
            async with asyncio.timeout(timeout_s), line.opening:
                broker = self._require(broker_id)
                current = (self._own_epoch(), broker.epoch, broker.peer_endpoint)
                if line.conversation is not None and not line.conversation.is_over:
                    if line.opened_for == current:
                        return line.conversation
                    line.conversation.close_when_quiet()
                line.conversation = await self._try_to_open(line, broker)
                line.opened_for = current
                return line.conversation
        except TimeoutError:
            raise RequestTimedOut(f"broker {broker_id} takes no connection within {timeout_s:g} s") from None

    def _require(self, broker_id: BrokerId) -> BrokerImage:
        broker = self._image.brokers.get(broker_id)
        if broker is None or self._handshake is None or self._is_closed:
            raise NetworkFailure(f"broker {broker_id} cannot be reached: it is not registered, or this one is stopping")
        return broker

    async def _try_to_open(self, line: _Line, broker: BrokerImage) -> Conversation:
        registered = (broker.epoch, broker.peer_endpoint)
        if line.failed_for == registered and self._clock.monotonic() < line.not_before_s:
            raise NetworkFailure(line.reason)
        try:
            conversation = await self._open(broker)
        except (OSError, TimeoutError, Refusal) as error:
            line.failed_for = registered
            line.pause_s = min(max(2 * line.pause_s, PAUSE_FIRST_S), PAUSE_S_MAX)
            line.not_before_s = self._clock.monotonic() + line.pause_s
            line.reason = f"broker {broker.id} cannot be reached: {error or type(error).__name__}"
            _log.info("peer not reached", broker=broker.id, reason=str(error) or type(error).__name__)
            if isinstance(error, ConnectionError):
                self._on_unreachable(broker.id)
            raise NetworkFailure(line.reason) from error
        line.pause_s = 0.0
        line.failed_for = None
        return conversation

    async def _open(self, broker: BrokerImage) -> Conversation:
        assert self._handshake is not None
        endpoint = broker.peer_endpoint
        connection = await PeerConnection.open(
            endpoint.host,
            endpoint.port,
            lambda _frame: None,
            timeout_s=CONNECT_TIMEOUT_S,
            tls=self._context_of(endpoint.security_protocol),
        )
        conversation = Conversation(connection)
        try:
            await self._handshake.authenticate(conversation, broker.id)
        except BaseException:
            connection.close()
            raise
        conversation.when_broken(lambda: self._on_unreachable(broker.id))
        return conversation
