"""The consumer's core against a broker made by hand: positions, resets, and membership in a group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.hand_fed import LOST, Brokers, Later, run, two_brokers

from penstock.client import place
from penstock.client.core import Core
from penstock.client.records.consumer import ConsumerCore
from penstock.client.records.settings import ConsumerSettings
from penstock.errors import GroupMaxSizeReached, OffsetOutOfRange, TopicAuthorizationFailed
from penstock.wire.api import ApiKey
from penstock.wire.messages.consumer_group_heartbeat_response import (
    Assignment,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from penstock.wire.messages.fetch_response import FetchableTopicResponse, FetchResponse, PartitionData
from penstock.wire.messages.find_coordinator_response import Coordinator, FindCoordinatorResponse
from penstock.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from penstock.wire.messages.metadata_response import MetadataResponsePartition, MetadataResponseTopic
from penstock.wire.messages.offset_commit_response import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from penstock.wire.messages.offset_fetch_response import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)
from penstock.wire.records import Record, build_batch

TOPIC_ID = b"topic-id-16bytes"


class Fixed:
    def random_bytes(self, count: int) -> bytes:
        return bytes(count)

    def uniform(self, low: float, high: float) -> float:
        return 0.0


class OneBroker:
    """Leads both partitions of `t`, which hold records at offsets from `begin` to `end`, and coordinates the group."""

    def __init__(self, begin: int = 0, end: int = 4) -> None:
        self.begin, self.end = begin, end
        self.fetched: list[dict[int, int]] = []
        """The offsets that each fetch asked for, by partition."""
        self.faults: list[Any] = []
        """An error code for the next fetch, or LOST."""
        self.committed: dict[int, int] = {}
        self.beats: list[tuple[int, list[int]]] = []
        """The epoch and the partitions that each heartbeat told."""
        self.answers: list[ConsumerGroupHeartbeatResponse] = []

    def __call__(self, port: int, request: Any, version: int) -> Any:
        match request.api_key:
            case ApiKey.METADATA:
                answer = two_brokers(request)
                known = [MetadataResponsePartition(0, index, 1, 5, [1], [1]) for index in (0, 1)]
                answer.topics = [MetadataResponseTopic(0, each.name, TOPIC_ID, False, known) for each in request.topics]
                return answer
            case ApiKey.FETCH:
                return self._fetch(request)
            case ApiKey.LIST_OFFSETS:
                return self._list(request)
            case ApiKey.FIND_COORDINATOR:
                return FindCoordinatorResponse(coordinators=[Coordinator("g", 1, "a", 1)])
            case ApiKey.CONSUMER_GROUP_HEARTBEAT:
                told = [index for each in request.topic_partitions for index in each.partitions]
                self.beats.append((request.member_epoch, told))
                return self.answers.pop(0) if self.answers else beat(request.member_epoch)
            case ApiKey.OFFSET_FETCH:
                return self._committed(request)
            case ApiKey.OFFSET_COMMIT:
                (topic,) = request.topics
                self.committed |= {each.partition_index: each.committed_offset for each in topic.partitions}
                done = [OffsetCommitResponsePartition(each.partition_index) for each in topic.partitions]
                return OffsetCommitResponse(topics=[OffsetCommitResponseTopic("t", partitions=done)])
        return two_brokers(request)

    def _fetch(self, request: Any) -> Any:
        (topic,) = request.topics
        self.fetched.append({each.partition: each.fetch_offset for each in topic.partitions})
        fault = self.faults.pop(0) if self.faults else 0
        if fault is LOST:
            return LOST

        def answer() -> FetchResponse:
            told = [self._told(each, fault) for each in topic.partitions]
            return FetchResponse(responses=[FetchableTopicResponse("", TOPIC_ID, told)])

        has_news = any(each.records or each.error_code for each in answer().responses[0].partitions)
        return answer() if has_news else Later(answer)

    def _told(self, asked: Any, fault: int) -> PartitionData:
        code = fault or (0 if self.begin <= asked.fetch_offset <= self.end else OffsetOutOfRange.code)
        records = [Record(offset, 0, None, b"%d" % offset) for offset in range(asked.fetch_offset, self.end)]
        data = bytes(build_batch(records, leader_epoch=5)) if records and not code else b""
        return PartitionData(asked.partition, code, self.end, self.end, self.begin, records=data)

    def _list(self, request: Any) -> Any:
        (topic,) = request.topics
        found = [
            ListOffsetsPartitionResponse(
                each.partition_index, offset=self.begin if each.timestamp == -2 else self.end, leader_epoch=5
            )
            for each in topic.partitions
        ]
        return ListOffsetsResponse(topics=[ListOffsetsTopicResponse("t", found)])

    def _committed(self, request: Any) -> Any:
        ((topic,),) = (group.topics for group in request.groups)
        found = [OffsetFetchResponsePartitions(i, self.committed.get(i, -1)) for i in topic.partition_indexes]
        group = OffsetFetchResponseGroup("g", [OffsetFetchResponseTopics("t", partitions=found)])
        return OffsetFetchResponse(groups=[group])


def beat(epoch: int, *partitions: int, code: int = 0, unchanged: bool = True) -> ConsumerGroupHeartbeatResponse:
    assignment = Assignment([TopicPartitions(TOPIC_ID, list(partitions))])
    return ConsumerGroupHeartbeatResponse(0, code, None, "m", epoch, 3000, None if unchanged else assignment)


def shares(epoch: int, *partitions: int) -> ConsumerGroupHeartbeatResponse:
    return beat(epoch, *partitions, unchanged=False)


def consumed(broker: OneBroker, read: Callable[[ConsumerCore], Any], **settings: Any) -> Any:
    async def operation(core: Core) -> Any:
        consumer = ConsumerCore(core, ConsumerSettings(**settings), Fixed())
        try:
            return await read(consumer)
        finally:
            await consumer.close()

    return run(Brokers(broker), operation)


def test_partitions_are_read_from_where_they_are_assigned() -> None:
    broker = OneBroker()

    async def read(consumer: ConsumerCore) -> list[Any]:
        consumer.assign({place("t", 0): 2, place("t", 1): None})
        first = await consumer.poll(1.0, at_most=3)
        rest = await consumer.poll(1.0)
        broker.end = 5
        later = await consumer.poll(1.0)
        positions = [consumer.position(place("t", index)) for index in (0, 1)]
        return [[(each.partition, each.offset) for each in some] for some in (first, rest, later)] + [positions]

    first, rest, later, positions = consumed(broker, read)
    assert sorted(first + rest) == [(0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)]
    assert sorted(later) == [(0, 4), (1, 4)] and positions == [5, 5]


@pytest.mark.parametrize(("reset", "offsets"), [("earliest", [10, 11]), ("latest", [])])
def test_a_position_that_is_gone_is_looked_for_anew(reset: str, offsets: list[int]) -> None:
    async def read(consumer: ConsumerCore) -> list[int]:
        consumer.assign({place("t", 0): 3})
        return [each.offset for each in await consumer.poll(2.0)]

    assert consumed(OneBroker(10, 12), read, reset=reset) == offsets


def test_without_a_reset_a_position_that_is_gone_is_raised() -> None:
    async def read(consumer: ConsumerCore) -> None:
        consumer.assign({place("t", 0): 3})
        with pytest.raises(OffsetOutOfRange, match="t-0 holds 10 to 12, and not 3"):
            await consumer.poll(2.0)
        with pytest.raises(OffsetOutOfRange, match="no reset"):
            consumer.seek(place("t", 0), None)

    consumed(OneBroker(10, 12), read, reset=None)


@pytest.mark.parametrize("fault", [LOST, 6, 74, 100, 3])
def test_a_fetch_that_fails_for_a_while_is_made_again(fault: Any) -> None:
    broker = OneBroker()
    broker.faults = [fault, fault]

    async def read(consumer: ConsumerCore) -> list[int]:
        consumer.assign({place("t", 0): 1})
        return [each.offset for each in await consumer.poll(10.0)]

    assert consumed(broker, read) == [1, 2, 3]


def test_what_is_refused_for_good_is_raised() -> None:
    broker = OneBroker()
    broker.faults = [TopicAuthorizationFailed.code]

    async def read(consumer: ConsumerCore) -> None:
        consumer.assign({place("t", 0): 1})
        with pytest.raises(TopicAuthorizationFailed, match="t-0"):
            await consumer.poll(10.0)

    consumed(broker, read)


def test_nothing_is_fetched_of_what_is_paused_or_not_assigned_any_more() -> None:
    broker = OneBroker()

    async def read(consumer: ConsumerCore) -> list[int]:
        consumer.assign({place("t", 0): 0, place("t", 1): 0})
        consumer.pause([place("t", 1)])
        first = await consumer.poll(1.0)
        consumer.assign({place("t", 1): 0})
        consumer.resume([place("t", 1)])
        return [each.partition for each in (*first, *await consumer.poll(1.0))]

    assert consumed(broker, read) == [0] * 4 + [1] * 4


def test_what_was_fetched_for_another_position_is_not_handed_out() -> None:
    async def read(consumer: ConsumerCore) -> list[int]:
        consumer.assign({place("t", 0): 0})
        assert len(await consumer.poll(1.0)) == 4
        broker.end = 6  # the next fetch, from 4, is under way already
        consumer.seek(place("t", 0), 2)
        return [each.offset for each in await consumer.poll(5.0)]

    broker = OneBroker()
    assert consumed(broker, read) == [2, 3, 4, 5]


def test_a_member_reads_its_share_from_what_is_committed_and_commits_what_it_handed_out() -> None:
    broker = OneBroker()
    broker.committed = {1: 3}
    broker.answers = [shares(1, 0, 1)]

    async def read(consumer: ConsumerCore) -> list[tuple[int, int]]:
        got = await consumer.poll(5.0)
        while len(got) < 5:
            got += await consumer.poll(5.0)
        await consumer.commit()
        return [(each.partition, each.offset) for each in got]

    assert sorted(consumed(broker, read, group="g", topics=("t",))) == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 3)]
    assert broker.committed == {0: 4, 1: 4}
    assert broker.beats[0] == (0, []) and (1, [0, 1]) in broker.beats
    assert broker.beats[-1] == (-1, []), "it leaves at the end"


def test_what_is_another_members_is_committed_given_up_and_said_to_be() -> None:
    broker = OneBroker()
    broker.answers = [shares(1, 0, 1), beat(1), shares(2, 1)]

    async def read(consumer: ConsumerCore) -> set[Any]:
        await consumer.poll(5.0)
        while consumer.assignment() != {place("t", 1)}:
            await consumer.poll(5.0)
        await consumer.poll(5.0)
        return consumer.assignment()

    assert consumed(broker, read, group="g", topics=("t",)) == {place("t", 1)}
    assert broker.committed[0] == 4
    assert (2, [1]) in broker.beats


def test_a_member_that_is_fenced_joins_anew_and_reads_from_what_was_committed() -> None:
    broker = OneBroker()
    broker.answers = [shares(1, 0), beat(1), beat(0, code=110), shares(7, 0)]

    async def read(consumer: ConsumerCore) -> list[int]:
        got: list[int] = []
        while len(got) < 8:
            got += [each.offset for each in await consumer.poll(5.0)]
        return got

    settings = {"group": "g", "topics": ("t",), "auto_commit": False}
    assert consumed(broker, read, **settings) == [0, 1, 2, 3, 0, 1, 2, 3]
    assert [epoch for epoch, _ in broker.beats].count(0) == 2


def test_a_group_that_takes_no_more_members_is_told_by_poll() -> None:
    broker = OneBroker()
    broker.answers = [beat(0, code=GroupMaxSizeReached.code)]

    async def read(consumer: ConsumerCore) -> None:
        with pytest.raises(GroupMaxSizeReached):
            await consumer.poll(5.0)

    consumed(broker, read, group="g", topics=("t",))


def test_settings_that_make_no_sense_are_refused() -> None:
    for settings in ({"group": "g"}, {"topics": ("t",)}, {"reset": "middle"}):
        with pytest.raises(ValueError, match=r"give both|earliest, latest"):
            consumed(OneBroker(), lambda _: None, **settings)
