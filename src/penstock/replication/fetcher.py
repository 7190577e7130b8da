"""Fetches from one leader everything that this broker follows there: one connection, one session, all partitions.

An answer is taken in as soon as it is whole (`ReplicaIntake`), and the next fetch leaves at once (`FollowerSession` has
what it asks for): that is what tells the leader that the records are here. Here is the connection: made, watched for
silence, and made again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import structlog

from penstock.cluster import Endpoint
from penstock.errors import Refusal, error_name, refusal_for
from penstock.model import BrokerId
from penstock.replication.followed_partition import FollowedPartition
from penstock.replication.follower_session import FollowerSession
from penstock.replication.partition import Partition
from penstock.replication.peer_connection import PeerConnection
from penstock.replication.replica_intake import BACKOFF_FIRST_S, ReplicaIntake
from penstock.replication.throttle import Throttle
from penstock.settings import Config
from penstock.settings import broker as settings
from penstock.transport import ContextOf, without_tls
from penstock.wire.malformed import Malformed
from penstock.wire.replica_fetch import decode_head, decode_partitions

CONNECT_TIMEOUT_S: Final = 2.0
"""Packets that were lost are sent again after one second, then after two, four: past a broken network's end a new
attempt gets through before an old one tries again.
"""
LATE_S: Final = 1.0
"""Beyond the time that a fetch may be parked."""
LOOKS_EVERY_S: Final = 1.0
"""How often to see whether an answer is late."""
UNREGISTERED_S: Final = 0.05
"""How soon to see again whether this broker is registered: the news of it may come before its epoch is known here."""

_log = structlog.get_logger(__name__)


class LeaderFetcher:
    def __init__(
        self,
        leader: BrokerId,
        *,
        me: BrokerId,
        config: Config,
        locate: Callable[[BrokerId], Endpoint | None],
        own_epoch: Callable[[], int],
        throttle: Throttle,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        authenticate: Callable[[PeerConnection, BrokerId], Awaitable[None]] | None = None,
        on_unreachable: Callable[[BrokerId], None] = lambda _broker: None,
        on_silent: Callable[[BrokerId], None] = lambda _broker: None,
        context_of: ContextOf = without_tls,
    ) -> None:
        """`authenticate` proves to the leader who is asking; `locate` finds its address, None while it has none."""
        self.leader = leader
        self._session = session = FollowerSession(leader, me=me, config=config)
        self._intake = ReplicaIntake(
            session, leader, me=me, config=config, throttle=throttle, spawn=spawn, send_soon=self._send_soon
        )
        self.places = session.places
        self._config = config
        self._locate = locate
        self._context_of = context_of
        self._own_epoch = own_epoch
        self._authenticate = authenticate
        self._on_unreachable = on_unreachable
        self._on_silent = on_silent
        self._connection: PeerConnection | None = None
        self._try_now = asyncio.Event()
        self._retry_s = 0.0
        self._is_scheduled = False
        self._heard_at = 0.0
        self._patience_s = 0.0
        """Silence after which a connection may be left for another: longer than the last answer took, and ever longer
        while none comes.
        """

    # Which partitions -------------------------------------------------------------------------------------------

    def follow(self, partition: Partition) -> None:
        key = (partition.topic_id, partition.index)
        former = self.places.get(key)
        if former is not None:
            if former.partition is partition and former.epoch == partition.leader_epoch:
                return
            self._session.drop(former)
        place = FollowedPartition(key, partition)
        self._session.add(place)
        self._intake.flush_or_name(place)

    def forget(self, partition: Partition) -> None:
        place = self.places.get((partition.topic_id, partition.index))
        if place is not None:
            self._session.forget(place)

    def try_now(self) -> None:
        """Something is new: the leader's address, or this broker's own registration."""
        self._try_now.set()
        if self._connection is not None and self._is_stuck():
            self._connection.end(TimeoutError("no answer, and one of the two has registered anew"))
            return
        self._send_soon()

    def _is_stuck(self) -> bool:
        """Whether an answer is so late that packets must have been lost. The kernel sends those again ever more rarely,
        when the network is whole again too: a new connection gets through at once.
        """
        return self._silent_s > self._config[settings.REPLICA_FETCH_WAIT_MAX_MS] / 1000 + LATE_S

    @property
    def _silent_s(self) -> float:
        """For how long a question has been waiting for an answer, or for the next word of one before it."""
        return asyncio.get_running_loop().time() - self._heard_at if self._session.in_flight else 0.0

    # The connection ---------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Until cancelled. Whatever ends a connection, another one is tried, after a growing pause."""
        while True:
            self._try_now.clear()
            try:
                await self._converse()
            except (OSError, TimeoutError, EOFError, Refusal, Malformed) as error:
                self._lost(error)
            except Exception:  # a bug: this leader's partitions fall behind, and the log says why
                _log.exception("fetcher failed", leader=self.leader)
            self._retry_s = min(max(2 * self._retry_s, BACKOFF_FIRST_S), self._intake.backoff_max_s)
            try:
                async with asyncio.timeout(self._retry_s):
                    await self._try_now.wait()
            except TimeoutError:
                pass

    def _lost(self, error: Exception) -> None:
        reason = str(error) or type(error).__name__
        if not self._retry_s:  # what follows from it at once is the same
            _log.info("leader not reached", leader=self.leader, reason=reason)
        else:
            _log.debug("leader not reached", leader=self.leader, reason=reason)
        if isinstance(error, ConnectionError):
            self._on_unreachable(self.leader)

    async def _converse(self) -> None:
        endpoint = self._locate(self.leader)
        if endpoint is None:
            return
        connection = await self._connect(endpoint, self._on_frame)
        try:
            if self._authenticate is not None:
                await self._authenticate(connection, self.leader)
            connection.is_known = True
            self._session.begin()
            self._connection = connection
            self._heard_at = asyncio.get_running_loop().time()
            self._send()
            await self._until_lost(connection)
        finally:
            self._connection = None
            connection.close()

    async def _connect(self, endpoint: Endpoint, on_frame: Callable[[memoryview], None]) -> PeerConnection:
        tls = self._context_of(endpoint.security_protocol)
        return await PeerConnection.open(endpoint.host, endpoint.port, on_frame, timeout_s=CONNECT_TIMEOUT_S, tls=tls)

    async def _until_lost(self, connection: PeerConnection) -> None:
        while True:
            received = connection.received
            silence_s_max = self._config[settings.REPLICA_SOCKET_TIMEOUT_MS] / 1000
            done, _ = await asyncio.wait([connection.lost], timeout=min(silence_s_max / 2, LOOKS_EVERY_S))
            if done:
                await connection.lost
            if self._silent_s > silence_s_max:
                raise TimeoutError(f"no answer for {silence_s_max} s")
            if connection.received > received or self._silent_s < self._patience_s or not self._is_stuck():
                continue
            self._on_silent(self.leader)
            if await self._gets_through(connection):
                # Were the answer only slow to make, asking for it anew each time would never bring it.
                self._patience_s = 2 * self._silent_s
                raise TimeoutError("no answer on this connection, and another gets through")

    async def _gets_through(self, connection: PeerConnection) -> bool:
        """Whether the leader answers on another connection while it is silent on this one. After a network was cut the
        kernel waits for seconds before it sends lost packets again. A leader that hangs answers on neither.
        """
        endpoint, received = self._locate(self.leader), connection.received
        if self._authenticate is None or endpoint is None:
            return False
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                other = await self._connect(endpoint, lambda _: None)
                try:
                    await self._authenticate(other, self.leader)
                finally:
                    other.close()
        except (OSError, TimeoutError, EOFError, Refusal, Malformed):
            return False
        return self._session.in_flight > 0 and connection.received == received

    # Asking and taking in ---------------------------------------------------------------------------------------

    def _send_soon(self) -> None:
        """Many partitions that change at once become one fetch."""
        if self._connection is not None and not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._send)

    def _send(self) -> None:
        self._is_scheduled = False
        connection, session = self._connection, self._session
        if connection is None or not self.places:
            return
        own_epoch = self._own_epoch()
        if own_epoch <= 0:
            self._is_scheduled = True
            asyncio.get_running_loop().call_later(UNREGISTERED_S, self._send)
            return
        was_idle = not session.in_flight
        frame = session.next_request(own_epoch)
        if frame is None:
            return
        if was_idle:
            self._heard_at = asyncio.get_running_loop().time()  # nobody was asked before: silence begins now
        connection.send(frame)

    def _on_frame(self, frame: memoryview) -> None:
        head, session = decode_head(frame), self._session
        session.in_flight -= 1
        session.answered += 1
        now = asyncio.get_running_loop().time()
        self._heard_at, self._patience_s = now, 2 * (now - self._heard_at)
        if head.error_code:
            raise refusal_for(head.error_code)(f"the leader refuses the fetch: {error_name(head.error_code)}")
        session.learn(head.session_id)
        self._retry_s = 0.0
        self._intake.cuts.begin_answer()
        for answer in decode_partitions(frame, head.position):
            place = session.told_of(answer)
            if place is not None:
                self._intake.take_in(place, answer)
        self._send()
