"""Brings lines of an audit log to the topic that all brokers of the cluster write theirs to.

The file is the record, the topic a copy for whoever wants to read along. Lines go there once they are on disk, in their
order, as often as it takes. What cannot be sent for long is given up, the oldest first, and counted: a gap in the
numbers of a broker's lines tells a reader. A line that was sent twice has its number twice.
"""

import asyncio
from asyncio import wait_for
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

import structlog

from penstock.access.audit.log import AuditMetrics
from penstock.cluster import AUDIT, ClusterImage, Controller, CreateTopic
from penstock.errors import (
    MessageTooLarge,
    NotLeaderOrFollower,
    RecordListTooLarge,
    Refusal,
    RequestTimedOut,
    TopicAlreadyExists,
    refusal_for,
)
from penstock.model import BrokerId, Clock, PartitionIndex
from penstock.replication import ALL, Partitions, Peers
from penstock.settings import Config
from penstock.settings import broker as settings
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from penstock.wire.records import Record, build_batch

WAITING_BYTES_MAX: Final = 16 * 1024 * 1024
BATCH_BYTES: Final = 256 * 1024
"""With one line more, which has about as much at most."""
RECORDS_BYTES_MAX: Final = 1024 * 1024
RETRY_S: Final = 1.0
SEND_WITHIN_S: Final = 30.0
FINISH_WITHIN_S: Final = 2.0
"""How long the stop of a broker that stands alone tries to write what is left."""
RETENTION_MS: Final = 30 * 24 * 3600 * 1000
"""With which the topic is made; it may be altered like any topic's."""
_PRODUCE_VERSION: Final = 12
"""The last that names topics."""
_ONLY: Final = PartitionIndex(0)

_log = structlog.get_logger(__name__)


class AuditTopic:
    def __init__(
        self,
        *,
        config: Config,
        image: ClusterImage,
        controller: Controller,
        partitions: Partitions,
        peers: Peers,
        me: BrokerId,
        clock: Clock,
        metrics: AuditMetrics,
        stands_alone: bool,
    ) -> None:
        self._config = config
        self._image = image
        self._controller = controller
        self._partitions = partitions
        self._peers = peers
        self._me = me
        self._clock = clock
        self._metrics = metrics
        self._stands_alone = stands_alone
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._wake = asyncio.Event()
        self._trouble = ""
        self._is_stopping = False
        self._task: asyncio.Task[None] | None = None

    def offer(self, lines: Sequence[bytes]) -> None:
        """Have them sent. Nobody waits for it."""
        self._waiting.extend(lines)
        self._waiting_bytes += sum(map(len, lines))
        while self._waiting_bytes > WAITING_BYTES_MAX:
            self._waiting_bytes -= len(self._waiting.popleft())
            self._metrics.unsent += 1
        self._wake.set()

    def start(self, spawn: Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]) -> None:
        self._task = spawn(self._run())

    async def stop(self) -> None:
        """A broker that has left its cluster is not believed to be one any more: what is left stays in its files."""
        self._is_stopping = True
        self._wake.set()
        if self._task is not None:
            _, late = await asyncio.wait([self._task], timeout=FINISH_WITHIN_S if self._stands_alone else 0)
            for task in late:
                task.cancel()
                await asyncio.wait([task])
        self._metrics.unsent += len(self._waiting)

    async def _run(self) -> None:
        while not (self._is_stopping and not self._waiting):
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                await self._send_some()

    async def _send_some(self) -> None:
        """The oldest, until they are there."""
        lines: list[bytes] = []
        size = 0
        while self._waiting and size < BATCH_BYTES:
            line = self._waiting.popleft()
            lines.append(line)
            size += len(line)
        self._waiting_bytes -= size
        now = self._clock.now()
        records = [Record(place, now, b"audit-%d" % self._me, line) for place, line in enumerate(lines)]
        while True:
            try:
                await wait_for(self._send(build_batch(records)), SEND_WITHIN_S)
                break
            except TimeoutError:
                self._tell("no answer in time")
            except (MessageTooLarge, RecordListTooLarge) as refusal:  # somebody has altered the topic
                self._tell(refusal.message)
                self._metrics.unsent += len(lines)
                return
            except Refusal as refusal:
                self._tell(refusal.message)
            await asyncio.sleep(RETRY_S)
        self._metrics.sent += len(lines)
        self._trouble = ""

    def _tell(self, trouble: str) -> None:
        if trouble != self._trouble:
            _log.warning("audit events not sent to their topic yet", topic=AUDIT, reason=trouble)
        self._trouble = trouble

    async def _send(self, batch: bytearray) -> None:
        if AUDIT not in self._image.topics:
            await self._create()
        leader = self._image.topics[AUDIT].partitions[_ONLY].leader
        if leader < 0:
            raise NotLeaderOrFollower(f"nobody leads {AUDIT}")
        if leader == self._me:
            await self._append(batch)
        else:
            await self._ask(leader, batch)

    async def _append(self, batch: bytearray) -> None:
        partition = self._partitions.get(AUDIT, _ONLY)
        if partition is None:
            raise NotLeaderOrFollower("its log is not there yet")
        appended = partition.append(memoryview(batch), acks=ALL)
        pending = partition.acknowledged(appended, acks=ALL)
        if pending is not None:
            await pending

    async def _ask(self, leader: BrokerId, batch: bytearray) -> None:
        data = TopicProduceData(name=AUDIT, partition_data=[PartitionProduceData(_ONLY, memoryview(batch))])
        request = ProduceRequest(acks=ALL, timeout_ms=int(SEND_WITHIN_S * 1000), topic_data=[data])
        answer = await self._peers.ask(
            leader, request, version=_PRODUCE_VERSION, timeout_s=SEND_WITHIN_S, connection_name="audit"
        )
        (outcome,) = answer.responses[0].partition_responses
        if outcome.error_code:
            raise refusal_for(outcome.error_code)(outcome.error_message or "")

    async def _create(self) -> None:
        factor = 1 if self._stands_alone else self._config[settings.OFFSETS_TOPIC_REPLICATION_FACTOR]
        topic = CreateTopic(
            AUDIT,
            partitions=1,
            replication_factor=factor,
            settings=(
                ("cleanup.policy", "delete"),
                ("max.message.bytes", str(RECORDS_BYTES_MAX)),
                ("retention.ms", str(RETENTION_MS)),
            ),
        )
        (outcome,) = await self._controller.create_topics([topic], timeout_ms=int(SEND_WITHIN_S * 1000))
        if isinstance(outcome, Refusal) and not isinstance(outcome, TopicAlreadyExists):
            raise outcome
        if AUDIT not in self._image.topics:
            raise RequestTimedOut(f"{AUDIT} is not there yet")
