"""A partition that several processes read whole, and write in turn: what they agree on is what is in it.

Who writes takes a transactional id first. That shuts out whoever had it, and completes or aborts what it had begun.
Then all that is committed is read. So what a writer decides rests on all that was written before, or its transaction
is refused: another one has taken the id meanwhile, and it has to look again.

The transactions are those of any broker since Apache Kafka 3.0: partitions are added by hand (KIP-890's first part).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from penstock.client.admin.partitions import OffsetSpec, list_offsets
from penstock.client.core import Core
from penstock.client.network import Node
from penstock.client.outcomes import Outcomes, one, outcome, refusal, require_ok
from penstock.client.records.fetched import ConsumedRecord, Fetched
from penstock.errors import OffsetOutOfRange, Refusal, UnknownTopicId, UnknownTopicOrPartition
from penstock.model import TopicPartition
from penstock.wire.api import ApiKey
from penstock.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest, AddPartitionsToTxnTopic
from penstock.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from penstock.wire.messages.end_txn_request import EndTxnRequest
from penstock.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from penstock.wire.messages.fetch_response import FetchResponse, PartitionData
from penstock.wire.messages.init_producer_id_request import InitProducerIdRequest
from penstock.wire.messages.init_producer_id_response import InitProducerIdResponse
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from penstock.wire.messages.produce_response import ProduceResponse
from penstock.wire.records import Record, build_batch

CONNECTION_NAME: Final = "journal"
FETCH_BYTES: Final = 4 * 1024 * 1024
FETCH_IDS_FROM: Final = 13
UNTIL_SEEN_S: Final = 0.005
"""Between two looks for what was just committed: the marker is written by itself, a moment later."""
# The newest versions in which a client adds partitions itself, and keeps its epoch from one transaction to the next.
ADD_AT_MOST, PRODUCE_AT_MOST, END_AT_MOST = 3, 11, 4


class Writer(msgspec.Struct):
    producer_id: int
    epoch: int
    sequence: int = 0


class Journal:
    """Its methods take the core of whoever asks: the cluster decides whether that user may.

    Many may read at the same time. Each record is told once, in order, in the same breath as the position goes past it.
    """

    def __init__(
        self,
        where: TopicPartition,
        *,
        transactional_id: str,
        tell: Callable[[list[ConsumedRecord]], None],
        begin_anew: Callable[[], None],
        transaction_timeout_s: float = 10.0,
    ) -> None:
        """`begin_anew`: what was told is not what the topic holds any more (it was made anew, or records were deleted),
        and all that it holds is told next. `transaction_timeout_s`: after that the cluster aborts by itself what a
        process that died had begun."""
        self._where = where
        self._transactional_id = transactional_id
        self._tell = tell
        self._tell_anew = begin_anew
        self._timeout_ms = int(transaction_timeout_s * 1000)
        self._topic_id = b""
        self._writer: Writer | None = None
        self._lives = 0
        self.position = 0
        """All that is committed below was told."""

    @property
    def is_writer(self) -> bool:
        """This process had the transactional id last, as far as it knows."""
        return self._writer is not None

    # Reading --------------------------------------------------------------------------------------------------------

    async def read_on(self, core: Core, *, until: int = 0) -> None:
        """Tell all that was committed before this call, and at least what is below `until`.

        UnknownTopicOrPartition: there is no topic.
        """
        while True:
            lives, position = self._lives, self.position
            came = await self._fetch(core, position)
            if came is None or self._lives != lives:
                continue
            # Others may have read on meanwhile: what they told is passed over.
            aborted = [(each.producer_id, each.first_offset) for each in came.aborted_transactions or ()]
            fetched = Fetched(self._where.topic, self._where.partition, came.records, self.position, aborted)
            records = fetched.take(FETCH_BYTES)
            self.position = fetched.position
            self._tell(records)
            if self.position >= max(came.last_stable_offset, until):
                return
            if self.position == position:
                await core.scheduler.pause(UNTIL_SEEN_S)

    async def _fetch(self, core: Core, position: int) -> PartitionData | None:
        """What is at the position; None if it is to be asked for again."""
        topic, topic_id = self._where.topic, b""

        def request(version: int) -> FetchRequest:
            nonlocal topic_id
            topic_id = core.metadata.id_of(topic)
            named = FetchTopic(topic) if version < FETCH_IDS_FROM else FetchTopic(topic_id=topic_id)
            named.partitions = [FetchPartition(self._where.partition, -1, position, partition_max_bytes=FETCH_BYTES)]
            return FetchRequest(max_wait_ms=0, min_bytes=0, max_bytes=FETCH_BYTES, isolation_level=1, topics=[named])

        async def ask(node: Node | None, _: list[TopicPartition]) -> Outcomes[TopicPartition, PartitionData]:
            answer: FetchResponse = await core.ask(
                node, request, api_key=ApiKey.FETCH, at_least=4, connection_name=CONNECTION_NAME
            )
            (told,) = (each for found in answer.responses for each in found.partitions)
            return Outcomes({self._where: outcome(told.error_code, told)})

        try:
            found = one(await core.scatter(ApiKey.FETCH, [self._where], ask))
        except OffsetOutOfRange:
            begin = one(await list_offsets(core, {self._where: OffsetSpec.EARLIEST})).offset
            if position == self.position:
                self.begin_anew(at=begin)
            return None
        except (UnknownTopicId, UnknownTopicOrPartition):
            core.metadata.doubt(topic)
            await core.need_topics([topic])
            core.metadata.leader_of(self._where)  # raises where there is still no such topic
            return None
        is_another, self._topic_id = self._topic_id not in {b"", topic_id}, topic_id
        if is_another:
            self.begin_anew(at=0)
        return None if is_another else found

    def begin_anew(self, *, at: int = 0) -> None:
        """For a user too, who was told that there is no topic: a broker may not know of it yet."""
        self.position = at
        self._lives += 1
        self._writer = None
        self._tell_anew()

    # Writing --------------------------------------------------------------------------------------------------------

    async def take_over(self, core: Core) -> None:
        """Be the only one who writes, and tell all that others have written."""
        self._writer = None
        request = InitProducerIdRequest(self._transactional_id, transaction_timeout_ms=self._timeout_ms)
        answer: InitProducerIdResponse = await core.routed(request, self._transactional_id, at_most=5)
        # A leader that was just elected does not tell its end before it knows what is committed; a fetch would.
        end = one(await list_offsets(core, {self._where: OffsetSpec.LATEST}, read_committed=True))
        lives = self._lives
        await self.read_on(core, until=end.offset)
        if self._lives == lives:
            self._writer = Writer(answer.producer_id, answer.producer_epoch)

    async def write(self, core: Core, records: Sequence[tuple[bytes, bytes | None]]) -> None:
        """Keys and values, all or none, after `take_over`. When it returns they have been told.

        ProducerFenced, InvalidProducerEpoch: another one writes now, and nothing of this was written. After any refusal
        `take_over` comes first; if it was NoAnswer or a failing network, what was committed has to be looked at.
        """
        writer, self._writer = self._writer, None
        assert writer is not None, "whoever has not taken over writes nothing"
        await self._add_partition(core, writer)
        last = await self._produce(core, writer, records)
        await core.routed(
            EndTxnRequest(self._transactional_id, writer.producer_id, writer.epoch, True),
            self._transactional_id, at_most=END_AT_MOST,
        )  # fmt: skip
        writer.sequence += len(records)
        lives = self._lives
        await self.read_on(core, until=last + 1)
        if self._lives == lives:
            self._writer = writer

    async def _add_partition(self, core: Core, writer: Writer) -> None:
        topics = [AddPartitionsToTxnTopic(self._where.topic, [self._where.partition])]
        request = AddPartitionsToTxnRequest([], self._transactional_id, writer.producer_id, writer.epoch, topics)

        async def ask(node: Node | None, _: Iterable[str]) -> Outcomes[str, None]:
            answer: AddPartitionsToTxnResponse = await core.ask(node, request, at_most=ADD_AT_MOST)
            ((told,),) = (each.results_by_partition for each in answer.results_by_topic_v3_and_below)
            return Outcomes({self._transactional_id: outcome(told.partition_error_code, None)})

        one(await core.scatter(ApiKey.ADD_PARTITIONS_TO_TXN, [self._transactional_id], ask))

    async def _produce(self, core: Core, writer: Writer, records: Sequence[tuple[bytes, bytes | None]]) -> int:
        """The offset of the last record."""
        now = core.clock.now()
        batch = build_batch(
            [Record(index, now, key, value) for index, (key, value) in enumerate(records)],
            producer_id=writer.producer_id, producer_epoch=writer.epoch, base_sequence=writer.sequence,
            transactional=True,
        )  # fmt: skip
        data = TopicProduceData(self._where.topic, partition_data=[PartitionProduceData(self._where.partition, batch)])
        request = ProduceRequest(self._transactional_id, -1, core.timeout_ms, [data])

        async def ask(node: Node | None, _: list[TopicPartition]) -> Outcomes[TopicPartition, int]:
            answer: ProduceResponse = await core.ask(node, request, at_least=3, at_most=PRODUCE_AT_MOST)
            require_ok(answer)
            ((told,),) = (each.partition_responses for each in answer.responses)
            problem: Refusal | int = told.base_offset
            if told.error_code:
                problem = refusal(told.error_code, told.error_message)
            return Outcomes({self._where: problem})

        return one(await core.scatter(ApiKey.PRODUCE, [self._where], ask)) + len(records) - 1
