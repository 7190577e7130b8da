"""Writes the batches of one partition, one after the other: none is lost, doubled or overtaken.

At most one batch is under way. It is sent again until it is written, refused for good, or too old; only then comes the
next one. While it is under way others fill up, so nothing is gained by more.

The broker knows a batch again by the producer's id, its epoch and the sequence number of its first record (KIP-98). A
batch that was never accepted leaves its numbers to the next one. One that is given up while it may have been written
makes them unusable: this partition goes on with a higher epoch and begins at 0, and what may still be on its way under
the old epoch is fenced (KIP-360). Brokers keep this state by partition, so epochs of partitions may differ.
"""

from collections import deque
from typing import TYPE_CHECKING, Final

from penstock.client.network import Node, NotConnected
from penstock.client.outcomes import refusal
from penstock.client.records.batches import NO_OFFSET, Batch, Sent
from penstock.client.tasks import Future, NoAnswer, Task, first_of
from penstock.errors import (
    DuplicateSequence,
    InvalidProducerEpoch,
    MessageTooLarge,
    NetworkFailure,
    NotEnoughReplicasAfterAppend,
    OutOfOrderSequence,
    ProducerFenced,
    RecordListTooLarge,
    Refusal,
    RequestTimedOut,
    UnknownProducerId,
)
from penstock.model import TopicPartition
from penstock.wire.api import ApiKey
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from penstock.wire.messages.produce_response import PartitionProduceResponse, ProduceResponse
from penstock.wire.produce import TOPIC_IDS_FROM
from penstock.wire.records import build_batch

if TYPE_CHECKING:
    from penstock.client.records.producer import ProducerCore

CONNECTION_NAME: Final = "produce"
EPOCH_MAX: Final = 0x7FFF
SEQUENCE_MAX: Final = 0x7FFFFFFF
SERVER_SHARE: Final = 0.75
"""Of the time for an answer: a broker that gives up on its replicas says so before this side takes it for gone."""

_TOO_LARGE = (MessageTooLarge, RecordListTooLarge)


class PartitionWriter:
    def __init__(self, producer: "ProducerCore", place: TopicPartition) -> None:
        self._producer = producer
        self._core = producer.core
        self._place = place
        self._queue: deque[Batch] = deque()
        self._task: Task[None] | None = None
        self._woken: Future[None] = Future()
        self._needs_identity = producer.settings.is_idempotent
        self._producer_id = -1
        self._epoch = -1
        self._sequence = 0

    # What is to be written ------------------------------------------------------------------------------------------

    @property
    def batches(self) -> list[Batch]:
        return list(self._queue)

    def open_batch(self, size_bytes: int) -> Batch:
        """The batch that takes a record of this size. A batch is closed when it is full, or when it is sent."""
        last = self._queue[-1] if self._queue else None
        if last is None or last.is_closed or last.size_bytes + size_bytes > self._producer.settings.batch_bytes:
            if last is not None:
                last.is_closed = True
                self.wake()
            last = Batch(self._core.clock.monotonic())
            self._queue.append(last)
            if self._task is None:
                self._task = self._core.scheduler.start(self._run())
        last.size_bytes += size_bytes
        return last

    def close_batch(self) -> None:
        """What is here goes at once, without what comes next."""
        if self._queue:
            self._queue[-1].is_closed = True
            self.wake()

    def sent(self, batch: Batch, index: int) -> Sent:
        return Sent(self._place, batch, index)

    def wake(self) -> None:
        self._woken.resolve(None)

    async def _run(self) -> None:
        while self._queue:
            batch = self._queue[0]
            await self._until_due(batch)
            batch.is_closed = True
            await self._deliver(batch)
        self._task = None

    async def _until_due(self, batch: Batch) -> None:
        while not (batch.is_closed or self._producer.is_flushing):
            left_s = batch.created_s + self._producer.settings.linger_s - self._core.clock.monotonic()
            if left_s <= 0:
                return
            self._woken, timer = Future(), self._core.scheduler.pause(left_s)
            await first_of([self._woken, timer])
            timer.resolve(None)

    # One batch ------------------------------------------------------------------------------------------------------

    async def _deliver(self, batch: Batch) -> None:
        """Until it is written or given up; it leaves the queue either way."""
        settings = self._core.settings
        deadline_s = batch.created_s + self._producer.settings.delivery_timeout_s
        pause_s = settings.retry_pause_s
        problem: Refusal | None = None
        while True:
            left_s = deadline_s - self._core.clock.monotonic()
            if left_s <= 0:
                self._give_up(batch, self._too_late(batch, problem))
                return
            try:
                offset = await self._attempt(batch, left_s)
            except Refusal as error:
                problem = error
            except Exception as error:  # a mistake of ours: nobody shall wait for ever for its outcome
                self._give_up(batch, error)
                return
            else:
                self._sequence = (self._sequence + len(batch.records)) & SEQUENCE_MAX
                self._queue.popleft()
                self._producer.settled(batch)
                batch.done.resolve(offset)
                return
            if isinstance(problem, _TOO_LARGE) and len(batch.records) > 1 and not batch.is_uncertain:
                self._queue.popleft()
                self._queue.extendleft(reversed(batch.split()))
                return
            if not self._is_worth_another(problem):
                self._give_up(batch, problem)
                return
            await self._core.scheduler.pause(min(pause_s, left_s))
            pause_s = min(2 * pause_s, settings.retry_pause_s_max)

    def _is_worth_another(self, problem: Refusal) -> bool:
        """Whether to send it again, after what the problem asks for is done."""
        if self._producer.settings.is_idempotent:
            # The broker has not written it: numbers that it does not know follow nothing that it has.
            if isinstance(problem, (OutOfOrderSequence, UnknownProducerId)):
                self._begin_epoch()
                return True
            if isinstance(problem, (InvalidProducerEpoch, ProducerFenced)):
                self._needs_identity = True
                return True
        return problem.retriable

    def _too_late(self, batch: Batch, problem: Refusal | None) -> Refusal:
        words = f"{self._place}: not written within {self._producer.settings.delivery_timeout_s:g} s"
        words += f" ({problem.message})" if problem is not None else ""
        return NoAnswer(f"{words}; it may have been written" if batch.is_uncertain else words)

    def _give_up(self, batch: Batch, error: Exception) -> None:
        if batch.is_uncertain:
            self._begin_epoch()
        self._queue.popleft()
        self._producer.settled(batch, error)
        batch.done.fail(error)

    def _begin_epoch(self) -> None:
        self._sequence = 0
        if self._epoch < EPOCH_MAX:
            self._epoch += 1
        else:
            self._needs_identity = True

    # One attempt ----------------------------------------------------------------------------------------------------

    async def _attempt(self, batch: Batch, left_s: float) -> int:
        """The offset of its first record; raises what the broker refuses, or why it could not be asked."""
        settings, topic = self._producer.settings, self._place.topic
        node = await self._leader()
        if self._needs_identity:
            self._producer_id, self._epoch = await self._producer.identity(former=self._producer_id)
            self._needs_identity, self._sequence = False, 0
        records = build_batch(
            batch.records,
            compression=self._producer.codec,
            producer_id=self._producer_id,
            producer_epoch=self._epoch,
            base_sequence=self._sequence if settings.is_idempotent else -1,
        )
        timeout_s = min(self._core.settings.request_timeout_s, left_s)

        def request(version: int) -> ProduceRequest:
            topic_id = self._core.metadata.id_of(topic)
            named = TopicProduceData(topic) if version < TOPIC_IDS_FROM else TopicProduceData(topic_id=topic_id)
            named.partition_data = [PartitionProduceData(self._place.partition, records)]
            return ProduceRequest(None, settings.acks, int(timeout_s * SERVER_SHARE * 1000), [named])

        try:
            answer: ProduceResponse | None = await self._core.network.ask(
                node, request, api_key=ApiKey.PRODUCE, at_least=3, timeout_s=timeout_s, connection_name=CONNECTION_NAME,
                answered=settings.acks != 0,
            )  # fmt: skip
        except (NetworkFailure, RequestTimedOut) as error:
            batch.is_uncertain = batch.is_uncertain or not isinstance(error, NotConnected)
            self._core.metadata.doubt(topic)  # who is gone may lead no more
            raise
        if answer is None:
            return NO_OFFSET
        ((told,),) = (each.partition_responses for each in answer.responses)
        return self._judged(batch, told, answer)

    async def _leader(self) -> Node:
        await self._core.need_topics([self._place.topic])
        try:
            return self._core.metadata.leader_of(self._place)
        except Refusal:
            self._core.metadata.doubt(self._place.topic)
            raise

    def _judged(self, batch: Batch, told: PartitionProduceResponse, answer: ProduceResponse) -> int:
        if not told.error_code:
            return told.base_offset
        if told.error_code == DuplicateSequence.code:
            return NO_OFFSET  # an earlier attempt wrote it
        leader = told.current_leader
        learnt = self._core.metadata.learn_leader(
            self._place, leader.leader_id, leader.leader_epoch, answer.node_endpoints
        )
        problem = refusal(told.error_code, told.error_message)
        if isinstance(problem, (RequestTimedOut, NotEnoughReplicasAfterAppend)):
            batch.is_uncertain = True
        if not learnt and problem.retriable:
            self._core.metadata.doubt(self._place.topic)
        raise problem
