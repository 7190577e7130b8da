"""Fetches from one leader everything that this broker follows there: one connection, one session, all partitions.

An answer is taken in as soon as it is whole: records are appended from the memory they were received into, and the next
fetch leaves at once, for it is what tells the leader that they are here. A partition is named in the session when it is
new, and each time something of it was taken in; in between it costs nothing. While a fetch is parked at the leader a
second one may follow, which makes the leader answer the first: so a partition that is new here need not wait.

Answers come in the order of the questions. One that was asked before a partition came to be followed in this epoch, or
before this session, tells of another log, here or there: it is not taken in, whatever it says.

A partition for itself may be busy: being flushed, so that the leader learns of records only when they are on disk
(RULES 20), or backing off after a refusal. The others go on.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

import structlog

from penstock.cluster import Endpoint
from penstock.errors import (
    CorruptMessage,
    FencedLeaderEpoch,
    NotLeaderOrFollower,
    OffsetOutOfRange,
    Refusal,
    ReplicaNotAvailable,
    UnknownLeaderEpoch,
    UnknownTopicId,
    UnknownTopicOrPartition,
    error_name,
    refusal_for,
)
from penstock.model import BrokerId
from penstock.replication.following import Follower
from penstock.replication.machine import Diverging
from penstock.replication.partition import Partition
from penstock.replication.peer_connection import PeerConnection
from penstock.replication.throttle import PAUSE_S, Throttle
from penstock.settings import Config
from penstock.settings import broker as settings
from penstock.transport import ContextOf, without_tls
from penstock.wire.fetch import FetchPartition
from penstock.wire.malformed import Malformed
from penstock.wire.replica_fetch import FetchedPartition, decode_head, decode_partitions, encode_request

IN_FLIGHT_MAX: Final = 2
NOT_ASKED: Final = 0
BACKOFF_FIRST_S: Final = 0.01
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
CUTS_AT_ONCE: Final = 200

_SHORTLY = (
    FencedLeaderEpoch.code,
    UnknownLeaderEpoch.code,
    NotLeaderOrFollower.code,
    ReplicaNotAvailable.code,
    UnknownTopicId.code,
    UnknownTopicOrPartition.code,
)
"""One of the two has not acted on the image's newest yet, or the leader has lost track of this follower: no reason for
a word in the log, unless it goes on.
"""

_log = structlog.get_logger(__name__)

Key = tuple[bytes, int]


class FollowedPartition:
    """A followed partition, in one leader epoch."""

    __slots__ = ("asked_in", "backoff_s", "epoch", "is_busy", "key", "lag", "partition", "retry")

    def __init__(self, key: Key, partition: Partition) -> None:
        self.key = key
        self.partition = partition
        self.epoch = partition.leader_epoch
        self.asked_in = NOT_ASKED
        """The request of this session that named it first."""
        self.is_busy = False
        self.lag = 0
        self.backoff_s = 0.0
        self.retry: asyncio.TimerHandle | None = None

    def is_answered_by(self, number: int) -> bool:
        """Whether the answer to this request tells of it as it is: it was named in this session by then."""
        return NOT_ASKED < self.asked_in <= number

    def is_current(self, leader: BrokerId) -> bool:
        role = self.partition.role
        return isinstance(role, Follower) and role.epoch == self.epoch and role.leader == leader


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
        self.places: dict[Key, FollowedPartition] = {}
        self._me = me
        self._config = config
        self._locate = locate
        self._context_of = context_of
        self._own_epoch = own_epoch
        self._throttle = throttle
        self._spawn = spawn
        self._authenticate = authenticate
        self._on_unreachable = on_unreachable
        self._on_silent = on_silent
        self._connection: PeerConnection | None = None
        self._try_now = asyncio.Event()
        self._retry_s = 0.0
        self._reset_session()
        self._to_cut: deque[tuple[FollowedPartition, Diverging | int, Callable[[], None] | None]] = deque()
        """With what a thread is to write first."""
        self._is_cutting = False
        self._has_cut = False
        """Within the answer that is being taken in."""
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
            self._drop(former)
        place = self.places[key] = FollowedPartition(key, partition)
        self._forgotten.pop(key, None)
        self._flush_or_name(place)

    def forget(self, partition: Partition) -> None:
        place = self.places.get((partition.topic_id, partition.index))
        if place is not None:
            self._drop(place)
            self._forgotten[place.key] = None

    def _drop(self, place: FollowedPartition) -> None:
        del self.places[place.key]
        self._named.pop(place, None)
        if place.retry is not None:
            place.retry.cancel()

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
        return asyncio.get_running_loop().time() - self._heard_at if self._in_flight else 0.0

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
            self._retry_s = min(max(2 * self._retry_s, BACKOFF_FIRST_S), self._backoff_max_s)
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
            self._reset_session()
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
        return self._in_flight > 0 and connection.received == received

    @property
    def _backoff_max_s(self) -> float:
        return self._config[settings.REPLICA_FETCH_BACKOFF_MS] / 1000

    def _reset_session(self) -> None:
        self._session_id = self._session_epoch = 0
        self._session_of = -1
        """This broker's registration under which the session was begun."""
        self._session_from = 0
        """The request that began it: earlier answers are of the session before."""
        self._in_flight = 0
        self._correlation_id = 0
        self._answered = 0
        self._ask_all_anew()
        self._named: dict[FollowedPartition, None] = {}
        self._forgotten: dict[Key, None] = {}

    def _ask_all_anew(self) -> None:
        for place in self.places.values():
            place.asked_in = NOT_ASKED

    # Asking -----------------------------------------------------------------------------------------------------

    def _name(self, place: FollowedPartition) -> None:
        place.is_busy = False
        self._named[place] = None
        self._send_soon()

    def _send_soon(self) -> None:
        """Many partitions that change at once become one fetch."""
        if self._connection is not None and not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._send)

    def _send(self) -> None:
        self._is_scheduled = False
        connection = self._connection
        if connection is None or not self.places:
            return
        own_epoch = self._own_epoch()
        if own_epoch <= 0:
            self._is_scheduled = True
            asyncio.get_running_loop().call_later(UNREGISTERED_S, self._send)
            return
        if self._in_flight >= IN_FLIGHT_MAX:
            return
        if own_epoch != self._session_of:
            self._session_id = self._session_epoch = 0
            self._session_of = own_epoch
            self._session_from = self._correlation_id + 1
            self._ask_all_anew()
            self._named = {place: None for place in self.places.values() if not place.is_busy}
            self._forgotten.clear()
        elif self._session_epoch and not self._session_id:
            return  # the session is about to begin: its number comes with the first answer, at once
        elif self._in_flight and not self._named:
            return
        asked: dict[bytes, list[FetchPartition]] = {}
        bytes_max = self._config[settings.REPLICA_FETCH_MAX_BYTES]
        self._correlation_id += 1
        for place in self._named:
            place.asked_in = place.asked_in or self._correlation_id
            asked.setdefault(place.key[0], []).append(self._ask(place, bytes_max))
        forgotten: dict[bytes, list[int]] = {}
        for topic_id, index in self._forgotten:
            forgotten.setdefault(topic_id, []).append(index)
        self._named, self._forgotten = {}, {}
        frame = encode_request(
            correlation_id=self._correlation_id & 0x7FFFFFFF,
            replica_id=self._me,
            replica_epoch=own_epoch,
            wait_ms_max=self._config[settings.REPLICA_FETCH_WAIT_MAX_MS],
            bytes_min=self._config[settings.REPLICA_FETCH_MIN_BYTES],
            bytes_max=self._config[settings.REPLICA_FETCH_RESPONSE_MAX_BYTES],
            session_id=self._session_id,
            session_epoch=self._session_epoch,
            asked=asked,
            forgotten=forgotten,
        )
        self._session_epoch = self._session_epoch + 1 if self._session_epoch < 0x7FFFFFFF else 1
        if not self._in_flight:
            self._heard_at = asyncio.get_running_loop().time()  # nobody was asked before: silence begins now
        self._in_flight += 1
        connection.send(frame)

    def _ask(self, place: FollowedPartition, bytes_max: int) -> FetchPartition:
        partition = place.partition
        offset, last_epoch = partition.follower_log.place()
        return FetchPartition(
            index=partition.index,
            offset=offset,
            bytes_max=bytes_max,
            current_leader_epoch=place.epoch,
            last_fetched_epoch=last_epoch,
            log_start_offset=partition.log.start_offset,
            high_watermark=partition.high_watermark,
        )

    # Taking in --------------------------------------------------------------------------------------------------

    def _on_frame(self, frame: memoryview) -> None:
        head = decode_head(frame)
        self._in_flight -= 1
        self._answered += 1
        now = asyncio.get_running_loop().time()
        self._heard_at, self._patience_s = now, 2 * (now - self._heard_at)
        if head.error_code:
            raise refusal_for(head.error_code)(f"the leader refuses the fetch: {error_name(head.error_code)}")
        if self._answered >= self._session_from:
            if not head.session_id:  # nothing more could be asked: that waits for the number of a session
                raise ReplicaNotAvailable("the leader has not heard of this broker's registration yet")
            self._session_id = head.session_id
        self._retry_s = 0.0
        self._has_cut = False
        for answer in decode_partitions(frame, head.position):
            place = self.places.get((answer.topic_id, answer.index))
            if place is not None and place.is_answered_by(self._answered) and place.is_current(self.leader):
                self._take_in(place, answer)
        self._send()

    def _take_in(self, place: FollowedPartition, answer: FetchedPartition) -> None:
        try:
            if answer.error_code == OffsetOutOfRange.code and answer.log_start_offset >= 0:
                self._cut_or_wait(place, answer.log_start_offset)
            elif answer.error_code:
                self._refused(place, answer)
            elif answer.diverging_epoch >= 0:
                self._cut_or_wait(place, Diverging(answer.diverging_epoch, answer.diverging_end_offset))
            else:
                self._append(place, answer)
        except Exception as error:
            self._not_taken(place, error)

    def _not_taken(self, place: FollowedPartition, error: Exception) -> None:
        """A log that takes no more records, or a batch that is damaged: asked for again, after a pause. Whatever it is,
        it is this partition's: the connection is for the others too.
        """
        partition = place.partition
        is_bug = not isinstance(error, (Refusal, OSError))
        name, reason = str(partition.topic_partition), str(error) or type(error).__name__
        _log.log(
            logging.ERROR if is_bug else logging.WARNING,
            "not replicated",
            partition=name,
            reason=reason,
            exc_info=is_bug,
        )
        partition.leadership.leave_in_sync()
        self._back_off(place, shortly=isinstance(error, CorruptMessage))

    def _cut_or_wait(self, place: FollowedPartition, where: "Diverging | int") -> None:
        """Cutting a log, or beginning it anew at an offset, waits for the disk; after a change of leaders, or where a
        broker is new, one answer may ask for thousands. What the disk must say first a thread writes, for many at once.
        Where it need say nothing the first is cut at once; between the others everybody is served. What was asked
        before the cut is no answer to what is asked after it, and may come before the log is cut or after more has been
        appended.
        """
        place.asked_in = NOT_ASKED
        write = place.partition.follower_log.cut_ahead(where)
        if write is None and not self._has_cut:
            self._has_cut = True
            self._cut(place, where)
            return
        place.is_busy = True
        self._to_cut.append((place, where, write))
        if not self._is_cutting:
            self._is_cutting = True
            self._spawn(self._cut_in_turns())

    async def _cut_in_turns(self) -> None:
        try:
            while self._to_cut:
                await asyncio.sleep(0)
                some = [self._to_cut.popleft() for _ in range(min(len(self._to_cut), CUTS_AT_ONCE))]
                if writes := [write for _, _, write in some if write is not None]:
                    await asyncio.to_thread(_call_all, writes)
                for place, where, _ in some:
                    if self.places.get(place.key) is place and place.is_current(self.leader):
                        try:
                            self._cut(place, where)
                        except Exception as error:
                            self._not_taken(place, error)
                        await asyncio.sleep(0)
        finally:
            self._is_cutting = False

    def _cut(self, place: FollowedPartition, where: "Diverging | int") -> None:
        if isinstance(where, Diverging):
            place.partition.follower_log.cut_back(where)
        else:
            place.partition.follower_log.start_anew(where)
        self._flush_or_name(place)

    def _append(self, place: FollowedPartition, answer: FetchedPartition) -> None:
        partition, log = place.partition, place.partition.log
        start_before = log.start_offset
        records = answer.records
        counts = partition.follower_log.append(records) if records is not None else True
        partition.follower_log.take_over(
            leaders_high_watermark=answer.high_watermark, leaders_start=answer.log_start_offset
        )
        place.lag = max(answer.high_watermark - log.end_offset, 0)
        place.backoff_s = 0.0
        if records is not None and self._me not in partition.in_sync:
            self._throttled(place, len(records))
        if place.is_busy:
            return
        if not counts:
            self._flush_or_name(place)
        elif records is not None or log.start_offset != start_before:
            self._named[place] = None

    def _throttled(self, place: FollowedPartition, size: int) -> None:
        """A replica that catches up may have used up what it may have: it is asked for again when there is more."""
        if self._throttle.concerns(place.partition, self._me):
            self._throttle.use(size)
            if self._throttle.is_used_up():
                place.is_busy = True
                self._wait(place, PAUSE_S)

    def _wait_on(self, place: FollowedPartition) -> None:
        if self._throttle.concerns(place.partition, self._me) and self._throttle.is_used_up():
            self._wait(place, PAUSE_S)
        else:
            self._flush_or_name(place)

    def _wait(self, place: FollowedPartition, pause_s: float) -> None:
        place.retry = asyncio.get_running_loop().call_later(pause_s, self._wait_on, place)

    def _refused(self, place: FollowedPartition, answer: FetchedPartition) -> None:
        partition = place.partition
        was_patient = place.backoff_s >= self._backoff_max_s
        self._back_off(place, shortly=True)
        goes_on = place.backoff_s >= self._backoff_max_s and not was_patient
        if goes_on or answer.error_code not in _SHORTLY:
            name = error_name(answer.error_code)
            _log.info("fetch refused", partition=str(partition.topic_partition), leader=self.leader, error=name)

    def _back_off(self, place: FollowedPartition, *, shortly: bool) -> None:
        place.is_busy = True
        if place.retry is not None:
            place.retry.cancel()
        first_s = BACKOFF_FIRST_S if shortly else self._backoff_max_s
        place.backoff_s = min(max(2 * place.backoff_s, first_s), self._backoff_max_s)
        self._wait(place, place.backoff_s)

    def _flush_or_name(self, place: FollowedPartition) -> None:
        place.retry = None
        if place.partition.log.trouble is not None:
            self._back_off(place, shortly=False)  # what is asked for could not be kept
        elif place.partition.follower_log.is_flushed:
            self._name(place)
        else:
            place.is_busy = True
            self._spawn(self._flush(place))

    async def _flush(self, place: FollowedPartition) -> None:
        try:
            await place.partition.follower_log.flush()
        except Refusal as refusal:
            partition = place.partition
            _log.warning("not flushed", partition=str(partition.topic_partition), reason=refusal.message)
            partition.leadership.leave_in_sync()
            if self.places.get(place.key) is place:
                self._back_off(place, shortly=False)
            return
        if self.places.get(place.key) is place:
            self._flush_or_name(place)  # more may have come meanwhile


def _call_all(writes: list[Callable[[], None]]) -> None:
    """In a thread. What fails is tried again by the cut itself, where it belongs to its log."""
    for write in writes:
        with suppress(OSError):
            write()
