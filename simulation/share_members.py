"""Members of a share group in a simulated world: they join at the group's coordinator, fetch from the leader of the
partition that they are assigned, and say of records what a real application might, or nothing at all.

What a leader is asked goes through the real handlers and codecs, on a connection that breaks as one does: with its
process, or when the client has waited too long, which the broker hears of later.
"""

import asyncio
import uuid
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from penstock.broker.handlers.share_acknowledge import share_acknowledge
from penstock.broker.handlers.share_fetch import share_fetch
from penstock.broker.handlers.share_group_heartbeat import share_group_heartbeat
from penstock.broker.peer_authentication import Caller
from penstock.broker.registry import RequestContext
from penstock.delivery.shares.sessions import FINAL, INITIAL
from penstock.delivery.shares.settling import ACCEPT, GAP, REJECT, RELEASE, RENEW
from penstock.errors import FencedMemberEpoch, Refusal, UnknownMemberId
from penstock.model import TopicPartition
from penstock.replication import Promise
from penstock.wire.batch import BatchHeader
from penstock.wire.messages import share_acknowledge_request as acknowledging
from penstock.wire.messages import share_fetch_request as fetching
from penstock.wire.messages.share_fetch_response import PartitionData, ShareFetchResponse
from penstock.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from penstock.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse
from penstock.wire.records import Record, iterate
from simulation.clients import Client
from simulation.committing import offsets_led
from simulation.fetching import FetchServer

if TYPE_CHECKING:
    from simulation.broker import BrokerProcess
    from simulation.sharing import SharedWorld

VERSION: Final = 2
HEARTBEAT_VERSION: Final = 1
HEARTBEAT_S: Final = 0.4
TIMEOUT_S: Final = 1.5
JOINING: Final = 0

Said = list[tuple[int, int, int]]
"""Offsets, what is said of them, and how manieth deliveries they were."""


class Connection:
    """Of a member to the process that took its first request."""

    def __init__(self) -> None:
        self.process: BrokerProcess | None = None
        self.caller = Caller()
        self.is_closed = False
        self._answers: list[Any] = []

    def taken_by(self, process: "BrokerProcess") -> None:
        if self.is_closed or self.process not in (None, process):
            raise ConnectionRefusedError("this connection is gone")
        self.process = process

    def owes(self, answer: Any) -> None:
        self._answers.append(answer)

    def close(self) -> None:
        """Where the broker is: it hears that nobody is there any more."""
        self.is_closed = True
        for answer in self._answers:
            answer.cancel()
        if self.caller.on_gone is not None:
            self.caller.on_gone()


class ShareMember(Client):
    def __init__(self, world: "SharedWorld", number: int, partition: TopicPartition) -> None:
        super().__init__(world, number, partition)
        self.shared = world
        self.is_steady = False
        """It does all that it is given, at once."""
        self._epoch = JOINING
        self._is_assigned = self._tells_all = False
        self._has: dict[int, int] = {}
        """How manieth deliveries, by offset, of what it has not answered yet."""
        self._gaps: list[int] = []
        self._join_anew()
        self._hang_up()

    async def run(self) -> None:
        self.world.loop.spawn(self._beat())
        while not self.is_stopped:
            if self._is_assigned and self.place is not None and self._believed > 0:
                await self._turn()
            else:
                self.refresh()
            await asyncio.sleep(self.dice.random() * (0.1 if self.is_steady else self.world.pace_s))

    # Membership ---------------------------------------------------------------------------------------------------

    def _join_anew(self) -> None:
        self._epoch, self._is_assigned = JOINING, False
        self._member = str(uuid.UUID(int=self.dice.getrandbits(128), version=4))

    async def _beat(self) -> None:
        while not self.is_stopped:
            coordinator = offsets_led(self.world)
            if coordinator is not None and coordinator.leader > 0:
                await self._beat_at(coordinator.leader)
            await asyncio.sleep(HEARTBEAT_S * (0.5 + self.dice.random()))

    async def _beat_at(self, broker: int) -> None:
        names = [self.partition.topic] if self._epoch == JOINING or self._tells_all else None
        self._tells_all = True  # unless it is answered: to be told all in return
        request = ShareGroupHeartbeatRequest(self.shared.group, self._member, self._epoch, None, names)
        try:
            answer = await self.world.network.ask(self.address, broker, _heartbeat(request), timeout_s=TIMEOUT_S)
        except (FencedMemberEpoch, UnknownMemberId):
            self._join_anew()
            self._hang_up()
        except (Refusal, TimeoutError, ConnectionRefusedError):
            pass
        else:
            self._epoch, self._tells_all = answer.member_epoch, False
            if answer.assignment is not None:
                self._is_assigned = bool(answer.assignment.topic_partitions)

    # Work ---------------------------------------------------------------------------------------------------------

    def _hang_up(self, *, after_s: float = 0.0) -> None:
        """What it had it has no more. The broker hears of it `after_s`."""
        former: Connection | None = getattr(self, "_connection", None)
        if former is not None and former.process is not None and not former.process.is_dead:
            self.world.loop.call_later(after_s, former.close, context=former.process.context)
        elif former is not None:
            former.is_closed = True
        self._connection = Connection()
        self._session = INITIAL
        self._has.clear()
        self._gaps.clear()

    async def _turn(self) -> None:
        chance = 1.0 if self.is_steady else self.dice.random()
        if chance < 0.02:
            self._hang_up(after_s=3 * self.dice.random())
        elif chance < 0.05:
            await asyncio.sleep(2 * self.shared.lock_s * self.dice.random())  # locks may end meanwhile
        elif chance < 0.2 and self._has and self._session != INITIAL:
            await self._acknowledge(renews=self.dice.random() < 0.3)
        else:
            await self._fetch(leaves=chance < 0.23 and self._session != INITIAL)

    def _say(self, *, renews: bool = False) -> Said:
        """Something of some of what it has, which it has no more then."""
        if self._session == INITIAL:
            return []
        said = [] if renews else [(offset, GAP, 0) for offset in self._gaps]
        for offset, count in sorted(self._has.items()):
            if self.is_steady or self.dice.random() < 0.6:
                said.append((offset, RENEW if renews else self._kind(), count))
        if not renews:
            self._gaps.clear()
            for offset, _, _ in said:
                self._has.pop(offset, None)
        self.shared.book.says(said)
        return sorted(said)

    def _kind(self) -> int:
        return ACCEPT if self.is_steady else self.dice.choices((ACCEPT, RELEASE, REJECT), (6, 3, 1))[0]

    async def _fetch(self, *, leaves: bool) -> None:
        place, said = self.place, self._say()
        assert place is not None
        wants = self.is_steady or self.dice.random() < 0.9
        request = fetching.ShareFetchRequest(
            self.shared.group, self._member, FINAL if leaves else self._session,
            max_wait_ms=self.dice.choice((0, 100, 500)), min_bytes=1, max_bytes=self.dice.choice((200, 10_000)),
            max_records=self.dice.choice((1, 3, 10)) if wants else 0, batch_size=self.dice.choice((1, 3)),
            share_acquire_mode=self.dice.choice((0, 0, 1)),
        )  # fmt: skip
        rows = [fetching.AcknowledgementBatch(offset, offset, [kind]) for offset, kind, _ in said]
        request.topics = [fetching.FetchTopic(place.topic_id, [fetching.FetchPartition(place.at.partition, rows)])]
        connection, frame = self._connection, request.encode(VERSION)
        answer = await self._ask(lambda process: fetched(process, connection, frame, said))
        if answer is None or connection is not self._connection:
            return
        if leaves or answer.error_code:
            self._hang_up()
            return
        self._session += 1
        for topic in answer.responses:
            for row in topic.partitions:
                self._take(row)

    def _take(self, row: PartitionData) -> None:
        if row.error_code:
            self._hang_up()
            self.refresh()
            return
        there = {record.offset for record in _records_in(bytes(row.records or b""))}
        for acquired in row.acquired_records:
            for offset in range(acquired.first_offset, acquired.last_offset + 1):
                if offset in there:
                    self._has[offset] = acquired.delivery_count
                else:
                    self._gaps.append(offset)

    async def _acknowledge(self, *, renews: bool) -> None:
        place, said = self.place, self._say(renews=renews)
        assert place is not None
        rows = [acknowledging.AcknowledgementBatch(offset, offset, [kind]) for offset, kind, _ in said]
        part = acknowledging.AcknowledgePartition(place.at.partition, rows)
        request = acknowledging.ShareAcknowledgeRequest(
            self.shared.group, self._member, self._session, renews,
            [acknowledging.AcknowledgeTopic(place.topic_id, [part])],
        )  # fmt: skip
        connection = self._connection
        answer = await self._ask(lambda process: acknowledged(process, connection, request, said))
        if answer is not None and connection is self._connection:
            self._session += 1

    async def _ask(self, question: Callable[["BrokerProcess"], Any]) -> Any:
        try:
            return await self.world.network.ask(self.address, self._believed, question, timeout_s=TIMEOUT_S)
        except (Refusal, TimeoutError, ConnectionRefusedError):
            self._hang_up(after_s=4 * self.dice.random() ** 3)
            self.refresh()
            return None


def _records_in(data: bytes) -> Iterator[Record]:
    while data:
        header = BatchHeader.peek(data)
        if not header.is_control:
            yield from iterate(data[: header.size])
        data = data[header.size :]


# Where the leader is --------------------------------------------------------------------------------------------------


def _context(connection: Connection) -> RequestContext:
    return RequestContext(VERSION, None, "PLAINTEXT", "simulated:1", connection.caller)


def fetched(
    process: "BrokerProcess", connection: Connection, frame: bytes, said: Said
) -> "asyncio.Future[ShareFetchResponse]":
    connection.taken_by(process)
    its = process.services
    assert its is not None
    reply = share_fetch(
        memoryview(frame), 0, _context(connection), its.share_delivery, its.partitions, its.image, its.authorizer,
        its.quotas, its.config, its.clock, its.after_receive, its.deadlines,
    )  # fmt: skip

    async def answered() -> ShareFetchResponse:
        chunks: Any = reply
        while asyncio.iscoroutine(chunks) or isinstance(chunks, Promise):
            chunks = await (chunks if asyncio.iscoroutine(chunks) else _owed(connection, chunks))
        answer = ShareFetchResponse.decode(b"".join(FetchServer.bytes_of(chunk) for chunk in chunks), VERSION)
        for topic in answer.responses:
            for row in topic.partitions:
                if not answer.error_code and not row.acknowledge_error_code:
                    process.world.book.answered(said)  # type: ignore[attr-defined]
        return answer

    return process.spawn(answered())


def acknowledged(
    process: "BrokerProcess",
    connection: Connection,
    request: acknowledging.ShareAcknowledgeRequest,
    said: Said,
) -> Any:
    connection.taken_by(process)
    its = process.services
    assert its is not None
    reply = share_acknowledge(
        request, _context(connection), its.share_delivery, its.partitions, its.image, its.authorizer
    )

    async def answered() -> Any:
        answer: Any = await _owed(connection, reply) if isinstance(reply, Promise) else reply
        rows = [row for topic in answer.responses for row in topic.partitions]
        if not answer.error_code and not any(row.error_code for row in rows):
            process.world.book.answered(said)  # type: ignore[attr-defined]
        return answer

    return process.spawn(answered())


async def _owed(connection: Connection, promise: Promise[Any]) -> Any:
    connection.owes(promise)
    return await promise


def _heartbeat(request: ShareGroupHeartbeatRequest) -> Callable[["BrokerProcess"], Any]:
    async def answered(process: "BrokerProcess") -> ShareGroupHeartbeatResponse:
        its = process.services
        assert its is not None
        context = RequestContext(HEARTBEAT_VERSION, None, "PLAINTEXT", "simulated:1")
        answer: Any = await share_group_heartbeat(request, context, its.share_groups, its.authorizer)
        if isinstance(answer, Refusal):
            raise answer
        return answer  # type: ignore[no-any-return]

    return lambda process: process.spawn(answered(process))
