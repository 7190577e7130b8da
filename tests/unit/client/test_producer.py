"""The producer's core against a leader that keeps the rules of idempotence, and loses what it is told to lose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.hand_fed import LOST, Brokers, run, two_brokers

from penstock.client import NoAnswer
from penstock.client.core import Core
from penstock.client.records.batches import Sent
from penstock.client.records.producer import ProducerCore
from penstock.client.records.settings import ProducerSettings
from penstock.errors import DuplicateSequence, InvalidRecord, MessageTooLarge, UnknownTopicOrPartition
from penstock.wire.api import ApiKey
from penstock.wire.batch import BatchHeader
from penstock.wire.messages.init_producer_id_response import InitProducerIdResponse
from penstock.wire.messages.metadata_response import MetadataResponsePartition, MetadataResponseTopic
from penstock.wire.messages.produce_response import PartitionProduceResponse, ProduceResponse, TopicProduceResponse
from penstock.wire.records import Record, iterate

TOPIC_ID = b"topic-id-16bytes"


class Fixed:
    def random_bytes(self, count: int) -> bytes:
        return bytes(count)

    def uniform(self, low: float, high: float) -> float:
        return 0.0


class Leader:
    """Leads the only partition of `t`. `faults` says what becomes of each Produce; when it is used up, all is well."""

    def __init__(
        self, faults: list[str] | None = None, *, records_max: int = 1000, remembers_offsets: bool = True
    ) -> None:
        self.faults = list(faults or ())
        self.log: list[Record] = []
        self.epochs: list[int] = []
        self.asked = 0
        self._records_max = records_max
        self._remembers_offsets = remembers_offsets
        self._epoch, self._next, self._last = -1, 0, (-1, -1)

    def __call__(self, port: int, request: Any, version: int) -> Any:
        match request.api_key:
            case ApiKey.METADATA:
                answer = two_brokers(request)
                known = [MetadataResponsePartition(0, 0, 1, 5, [1], [1])]
                for each in request.topics or []:
                    code = 0 if each.name == "t" else UnknownTopicOrPartition.code
                    answer.topics.append(
                        MetadataResponseTopic(code, each.name, TOPIC_ID, False, known if not code else [])
                    )
                return answer
            case ApiKey.INIT_PRODUCER_ID:
                return InitProducerIdResponse(producer_id=77, producer_epoch=0)
            case ApiKey.PRODUCE:
                return self._produce(request)
        return two_brokers(request)

    def _produce(self, request: Any) -> Any:
        (topic,) = request.topic_data
        assert topic.topic_id == TOPIC_ID
        (data,) = topic.partition_data
        self.asked += 1
        fault = self.faults.pop(0) if self.faults else "well"
        if fault == "lost before it is written":
            return LOST
        if fault == "not leader":
            return _said(6, -1)
        if fault == "forgotten":
            self._epoch = -1
        code, offset = self._append(bytes(data.records))
        if fault == "lost after it is written":
            return LOST
        if fault == "never answered":
            return None
        return _said(20 if fault == "too few replicas" and not code else code, offset)

    def _append(self, batch: bytes) -> tuple[int, int]:
        header, records = BatchHeader.peek(batch), list(iterate(batch))
        if len(records) > self._records_max:
            return MessageTooLarge.code, -1
        if any(record.value == b"bad" for record in records):
            return InvalidRecord.code, -1
        assert header.producer_id == 77
        if header.producer_epoch != self._epoch:
            if header.producer_epoch < self._epoch:
                return 47, -1
            if header.base_sequence != 0:
                return 45 if self._epoch >= 0 else 59, -1
            self._epoch, self._next = header.producer_epoch, 0
        elif header.base_sequence == self._last[0]:
            return (0, self._last[1]) if self._remembers_offsets else (DuplicateSequence.code, -1)
        if header.base_sequence != self._next:
            return 45, -1
        self._last = header.base_sequence, len(self.log)
        self._next += len(records)
        self.log += records
        self.epochs += [header.producer_epoch] * len(records)
        return 0, self._last[1]

    @property
    def values(self) -> list[bytes | None]:
        return [record.value for record in self.log]


def _said(code: int, offset: int) -> ProduceResponse:
    told = PartitionProduceResponse(0, code, offset)
    return ProduceResponse(responses=[TopicProduceResponse("", TOPIC_ID, [told])])


def produced(leader: Leader, send: Callable[[ProducerCore], Any], **settings: Any) -> Any:
    async def operation(core: Core) -> Any:
        return await send(ProducerCore(core, ProducerSettings(**settings), Fixed()))

    return run(Brokers(leader), operation, request_timeout_s=5)


async def numbers(producer: ProducerCore, count: int = 6) -> list[Sent]:
    """Two records a batch."""
    return [await producer.send("t", b"%d" % number) for number in range(count)]


FAULTS = [
    "well",
    "lost before it is written",
    "lost after it is written",
    "never answered",
    "not leader",
    "too few replicas",
]


@given(st.lists(st.sampled_from(FAULTS), max_size=12))
def test_whatever_is_lost_on_the_way_each_record_is_written_once_and_in_order(faults: list[str]) -> None:
    leader = Leader(faults)

    async def send(producer: ProducerCore) -> list[Sent]:
        sent = await numbers(producer)
        await producer.flush()
        return sent

    sent = produced(leader, send, batch_bytes=52)
    assert leader.values == [b"0", b"1", b"2", b"3", b"4", b"5"]
    assert leader.epochs == [0] * 6
    assert all(each.value().offset in (number, -1) for number, each in enumerate(sent))


def test_a_record_that_an_earlier_attempt_wrote_is_written_at_an_offset_that_nobody_tells() -> None:
    leader = Leader(["lost after it is written"], remembers_offsets=False)

    async def send(producer: ProducerCore) -> list[int]:
        sent = await numbers(producer, 4)
        await producer.flush()
        return [each.value().offset for each in sent]

    assert produced(leader, send, batch_bytes=52) == [-1, -1, 2, 3]
    assert leader.values == [b"0", b"1", b"2", b"3"]


def test_a_leader_that_has_forgotten_the_producer_is_told_a_new_epoch() -> None:
    leader = Leader(["well", "forgotten"])
    produced(leader, _all_sent, batch_bytes=52)
    assert leader.values == [b"0", b"1", b"2", b"3", b"4", b"5"]
    assert leader.epochs == [0, 0, 1, 1, 1, 1]


async def _all_sent(producer: ProducerCore) -> None:
    await numbers(producer)
    await producer.flush()


def test_what_is_given_up_while_it_may_be_written_never_doubles_or_blocks_what_follows() -> None:
    leader = Leader(["never answered"] * 3)

    async def send(producer: ProducerCore) -> None:
        first = await producer.send("t", b"first")
        with pytest.raises(NoAnswer, match="it may have been written"):
            await producer.flush()
        assert first.is_done
        leader.faults = []
        await producer.send("t", b"second")
        await producer.flush()

    produced(leader, send, delivery_timeout_s=12)
    assert leader.values == [b"first", b"second"]
    assert leader.epochs == [0, 1]


def test_a_record_that_is_refused_for_good_leaves_its_numbers_to_the_next() -> None:
    leader = Leader()

    async def send(producer: ProducerCore) -> None:
        bad = await producer.send("t", b"bad")
        with pytest.raises(InvalidRecord):
            await producer.flush()
        with pytest.raises(InvalidRecord):
            bad.value()
        await producer.send("t", b"good")
        await producer.flush()

    produced(leader, send)
    assert (leader.values, leader.epochs) == ([b"good"], [0])


def test_a_batch_that_is_too_large_for_the_topic_is_split() -> None:
    leader = Leader(records_max=2)

    async def send(producer: ProducerCore) -> list[int]:
        sent = await numbers(producer, 7)
        await producer.flush()
        return [each.value().offset for each in sent]

    assert produced(leader, send) == list(range(7))
    assert leader.values == [b"%d" % number for number in range(7)]


def test_records_wait_for_room_and_batches_for_more_records() -> None:
    leader = Leader()

    async def send(producer: ProducerCore) -> None:
        await producer.send("t", b"a" * 60)
        assert producer.offer("t", b"b" * 60) is None
        await producer.send("t", b"b" * 60)
        assert len(leader.log) == 1, "there was room when the first was written"
        await producer.flush()

    produced(leader, send, buffer_bytes=100)
    assert leader.asked == 2


def test_a_topic_that_nobody_knows_is_told_at_once_where_none_is_to_be_made() -> None:
    with pytest.raises(UnknownTopicOrPartition, match="u: "):
        produced(Leader(), lambda producer: producer.send("u", b"x"), create_topics=False)
    with pytest.raises(UnknownTopicOrPartition, match="has no partition 9"):
        produced(Leader(), lambda producer: producer.send("t", b"x", partition=9))


def test_a_compression_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="'brotli' is no compression"):
        produced(Leader(), _all_sent, compression="brotli")
