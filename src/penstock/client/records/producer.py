"""A producer without I/O: records go into batches by partition, and a writer for each partition brings them in.

Its drivers are penstock.client.records.blocking and .aio.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from penstock.client.core import Core
from penstock.client.outcomes import place as place_of
from penstock.client.records.batches import Batch, Sent, size_of
from penstock.client.records.partition_writer import PartitionWriter
from penstock.client.records.partitioner import StickyPartition, partition_for
from penstock.client.records.settings import ProducerSettings
from penstock.client.tasks import Future, NoAnswer, Task, first_of
from penstock.errors import RecordListTooLarge, Refusal, UnknownTopicOrPartition
from penstock.model import Dice, TopicPartition
from penstock.wire.compression import CODECS_BY_NAME
from penstock.wire.messages.init_producer_id_request import InitProducerIdRequest
from penstock.wire.messages.init_producer_id_response import InitProducerIdResponse
from penstock.wire.records import Header

NO_TRANSACTION_TIMEOUT_MS: Final = 0x7FFFFFFF

Headers = tuple[Header, ...]


class ProducerCore:
    def __init__(self, core: Core, settings: ProducerSettings, dice: Dice) -> None:
        if settings.compression not in CODECS_BY_NAME:
            raise ValueError(f"{settings.compression!r} is no compression; there are {', '.join(CODECS_BY_NAME)}")
        self.core = core
        self.settings = settings
        self.codec = CODECS_BY_NAME[settings.compression]
        self.buffered_bytes = 0
        self._dice = dice
        self._writers: dict[TopicPartition, PartitionWriter] = {}
        self._sticky: dict[str, StickyPartition] = {}
        self._room: Future[None] = Future()
        self._identity: Task[tuple[int, int]] | None = None
        self._flushes = 0
        self._failure: Exception | None = None
        """The first one since the last flush."""

    # Sending --------------------------------------------------------------------------------------------------------

    def offer(
        self,
        topic: str,
        value: bytes | None,
        *,
        key: bytes | None = None,
        headers: Headers = (),
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> Sent | None:
        """Take a record; None if it cannot be taken at once: `send` waits until it can."""
        size = size_of(key, value, headers)
        if self.buffered_bytes and self.buffered_bytes + size > self.settings.buffer_bytes:
            return None
        known = self.core.metadata.topics.get(topic)
        if known is None:
            return None
        if partition is None:
            if key is None:
                partition = self._stuck_to(topic).choose(known.partitions, size)
            else:
                partition = partition_for(key, len(known.partitions))
        elif partition not in known.partitions:
            raise UnknownTopicOrPartition(f"{topic} has no partition {partition}")
        writer = self._writer(place_of(topic, partition))
        batch = writer.open_batch(size)
        self.buffered_bytes += size
        index = batch.add(self.core.clock.now() if timestamp_ms is None else timestamp_ms, key, value, headers)
        return writer.sent(batch, index)

    def offer_apart(self, topic: str, records: Sequence[Mapping[str, Any]]) -> list[Sent] | None:
        """Take records that go at once, and share no batch with those of another call: what is wrong with one of them
        is nobody else's trouble. Each is what `offer` is given. None: none is taken, as there is no room for them or
        the topic is not known.
        """
        size = sum(size_of(each.get("key"), each.get("value"), each.get("headers", ())) for each in records)
        if size > self.settings.buffer_bytes:
            raise RecordListTooLarge(f"{size} bytes of records at once; at most {self.settings.buffer_bytes}")
        known = self.core.metadata.topics.get(topic)
        if known is None or self.buffered_bytes + size > self.settings.buffer_bytes:
            return None
        for partition in {each.get("partition") for each in records} - {None}:
            if partition not in known.partitions:
                raise UnknownTopicOrPartition(f"{topic} has no partition {partition}")
        taken = [sent for each in records if (sent := self.offer(topic, **each)) is not None]
        for place in {each.place for each in taken}:
            self._writers[place].close_batch()
        return taken

    async def send(
        self,
        topic: str,
        value: bytes | None,
        *,
        key: bytes | None = None,
        headers: Headers = (),
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> Sent:
        """Take a record, when there is room for it and the topic is known. UnknownTopicOrPartition: it is not there."""
        while True:
            await self._know(topic)
            sent = self.offer(topic, value, key=key, headers=headers, partition=partition, timestamp_ms=timestamp_ms)
            if sent is not None:
                return sent
            if self._room.is_done:
                self._room = Future()
            await self._room

    async def flush(self) -> None:
        """Until all that was taken is written or given up. Raises the first failure since the last flush."""
        waiting = [batch for writer in self._writers.values() for batch in writer.batches]
        self._flushes += 1
        try:
            for writer in self._writers.values():
                writer.wake()
            for batch in waiting:
                await first_of([batch.done])
        finally:
            self._flushes -= 1
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    @property
    def is_flushing(self) -> bool:
        """Whether batches go without waiting for more records."""
        return self._flushes > 0

    # For writers ----------------------------------------------------------------------------------------------------

    def settled(self, batch: Batch, error: Exception | None = None) -> None:
        self.buffered_bytes -= batch.size_bytes
        self._failure = self._failure or error
        self._room.resolve(None)

    async def identity(self, *, former: int) -> tuple[int, int]:
        """A producer id and its epoch, shared by all partitions; asked for anew by who can use the former no more."""
        asked = self._identity
        if asked is None or (asked.is_done and (asked.error is not None or asked.value()[0] == former)):
            self._identity = asked = self.core.scheduler.start(self._ask_identity())
        return await asked

    async def _ask_identity(self) -> tuple[int, int]:
        request = InitProducerIdRequest(None, NO_TRANSACTION_TIMEOUT_MS)
        answer: InitProducerIdResponse = await self.core.routed(request)
        return answer.producer_id, answer.producer_epoch

    # Where to -------------------------------------------------------------------------------------------------------

    async def _know(self, topic: str) -> None:
        """Metadata of the topic; a topic that brokers make when asked for may take a moment."""
        metadata, clock, settings = self.core.metadata, self.core.clock, self.core.settings
        deadline_s = clock.monotonic() + settings.timeout_s
        while topic not in metadata.topics:
            problem: Refusal = NoAnswer(f"{topic}: no metadata within {settings.timeout_s:g} s")
            try:
                await self.core.refresh([topic], create=self.settings.create_topics)
            except Refusal as error:
                problem = error
            if topic in metadata.topics:
                return
            if topic in metadata.refused:
                problem = metadata.refused[topic](f"{topic}: {metadata.refused[topic].meaning()}")
            is_missing = isinstance(problem, UnknownTopicOrPartition) and not self.settings.create_topics
            if is_missing or not problem.retriable or clock.monotonic() + settings.retry_pause_s > deadline_s:
                raise problem
            await self.core.scheduler.pause(settings.retry_pause_s)

    def _stuck_to(self, topic: str) -> StickyPartition:
        if topic not in self._sticky:
            self._sticky[topic] = StickyPartition(self._dice, self.settings.batch_bytes)
        return self._sticky[topic]

    def _writer(self, place: TopicPartition) -> PartitionWriter:
        if place not in self._writers:
            self._writers[place] = PartitionWriter(self, place)
        return self._writers[place]
