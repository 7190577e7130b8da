"""The share consumer's core against a broker made by hand: what is lent, and what becomes of what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.hand_fed import LOST, Brokers, Later, offers, run, two_brokers

from penstock.client import place
from penstock.client.core import Core
from penstock.client.records.acknowledging import Ack, SharedRecord, ack_ranges
from penstock.client.records.settings import ShareConsumerSettings
from penstock.client.records.share_consumer import ShareConsumerCore
from penstock.errors import (
    CorruptMessage,
    GroupAuthorizationFailed,
    InvalidRecordState,
    Refusal,
    ShareSessionNotFound,
    UnsupportedVersion,
)
from penstock.wire.api import ApiKey
from penstock.wire.messages.find_coordinator_response import Coordinator, FindCoordinatorResponse
from penstock.wire.messages.metadata_response import MetadataResponsePartition, MetadataResponseTopic
from penstock.wire.messages.share_acknowledge_response import (
    PartitionData as Acknowledged,
)
from penstock.wire.messages.share_acknowledge_response import (
    ShareAcknowledgeResponse,
    ShareAcknowledgeTopicResponse,
)
from penstock.wire.messages.share_fetch_response import (
    AcquiredRecords,
    PartitionData,
    ShareFetchableTopicResponse,
    ShareFetchResponse,
)
from penstock.wire.messages.share_group_heartbeat_response import (
    Assignment,
    ShareGroupHeartbeatResponse,
    TopicPartitions,
)
from penstock.wire.records import Record, build_batch

TOPIC_ID = b"topic-id-16bytes"
WHERE = place("t", 0)


class Fixed:
    def random_bytes(self, count: int) -> bytes:
        return bytes(count)

    def uniform(self, low: float, high: float) -> float:
        return 0.0


def batch(*offsets: int) -> bytes:
    return bytes(build_batch([Record(each, 0, None, b"%d" % each) for each in offsets], leader_epoch=5))


class Lender:
    """Leads the one partition of `t`, and coordinates the group. Each fetch gets the next of `loans`."""

    def __init__(self, *loans: PartitionData) -> None:
        self.loans = list(loans)
        self.told: list[tuple[str, int, list[tuple[int, int, list[int]]]]] = []
        """API, epoch and acknowledgements of each request of the session."""
        self.faults: dict[str, list[Any]] = {"fetch": [], "acknowledge": []}
        """An error code for the whole of the next answer, LOST, or 0."""
        self.refused_acks = 0
        self.beats: list[tuple[int, list[str] | None]] = []
        self.beat_errors: list[int] = []
        self.newest = {}  # type: dict[str, int]

    def __call__(self, port: int, request: Any, version: int) -> Any:
        match request.api_key:
            case ApiKey.API_VERSIONS if self.newest:
                return offers(**self.newest)
            case ApiKey.METADATA:
                answer = two_brokers(request)
                known = [MetadataResponsePartition(0, 0, 1, 5, [1], [1])]
                answer.topics = [MetadataResponseTopic(0, each.name, TOPIC_ID, False, known) for each in request.topics]
                return answer
            case ApiKey.FIND_COORDINATOR:
                return FindCoordinatorResponse(coordinators=[Coordinator("g", 1, "a", 1)])
            case ApiKey.SHARE_GROUP_HEARTBEAT:
                self.beats.append((request.member_epoch, request.subscribed_topic_names))
                code = self.beat_errors.pop(0) if self.beat_errors else 0
                assignment = Assignment([TopicPartitions(TOPIC_ID, [0])])
                return ShareGroupHeartbeatResponse(0, code, None, request.member_id, 1, 5_000, assignment)
            case ApiKey.SHARE_FETCH:
                return self._fetch(request)
            case ApiKey.SHARE_ACKNOWLEDGE:
                return self._acknowledge(request)
        return two_brokers(request)

    def _note(self, name: str, request: Any) -> Any:
        acks = [
            (each.first_offset, each.last_offset, each.acknowledge_types)
            for topic in request.topics
            for partition in topic.partitions
            for each in partition.acknowledgement_batches
        ]
        self.told.append((name, request.share_session_epoch, acks))
        return self.faults[name].pop(0) if self.faults[name] else 0

    def _fetch(self, request: Any) -> Any:
        fault = self._note("fetch", request)
        if fault is LOST:
            return LOST
        if fault:
            return ShareFetchResponse(error_code=fault)
        if not self.loans:
            return Later(lambda: ShareFetchResponse(acquisition_lock_timeout_ms=20_000))
        loan = ShareFetchableTopicResponse(TOPIC_ID, [self.loans.pop(0)])
        return ShareFetchResponse(acquisition_lock_timeout_ms=20_000, responses=[loan])

    def _acknowledge(self, request: Any) -> Any:
        fault = self._note("acknowledge", request)
        if fault is LOST:
            return LOST
        told = [ShareAcknowledgeTopicResponse(TOPIC_ID, [Acknowledged(0, self.refused_acks)])] if request.topics else []
        return ShareAcknowledgeResponse(error_code=fault, responses=told)


def loan(data: bytes, *ranges: tuple[int, int, int]) -> PartitionData:
    return PartitionData(0, records=data, acquired_records=[AcquiredRecords(*each) for each in ranges])


def play(lender: Lender, story: Callable[[ShareConsumerCore], Any], **settings: Any) -> Any:
    async def told(core: Core) -> Any:
        given: dict[str, Any] = {"group": "g", "topics": ("t",), "auto_accept": False}
        return await story(ShareConsumerCore(core, ShareConsumerSettings(**given | settings), Fixed()))

    return run(Brokers(lender), told)


def seen(records: list[SharedRecord]) -> list[tuple[int, bytes | None, int]]:
    return [(each.offset, each.value, each.delivery_count) for each in records]


@pytest.mark.parametrize(
    ("acks", "ranges"),
    [
        ({}, []),
        ({5: 1}, [(5, 5, [1])]),
        ({7: 1, 5: 1, 6: 1}, [(5, 7, [1])]),
        ({5: 1, 6: 2, 7: 1}, [(5, 7, [1, 2, 1])]),
        ({5: 1, 7: 3}, [(5, 5, [1]), (7, 7, [3])]),
        ({5: 1, 6: 0, 9: 2, 10: 2}, [(5, 6, [1, 0]), (9, 10, [2])]),
    ],
)
def test_what_is_said_goes_in_as_few_ranges_as_there_are_gaps(acks: Any, ranges: Any) -> None:
    assert ack_ranges(acks) == ranges


def test_records_of_others_in_a_batch_are_not_handed_out() -> None:
    lender = Lender(loan(batch(0, 1, 2, 3, 4), (1, 2, 1), (4, 4, 3)))

    async def story(consumer: ShareConsumerCore) -> None:
        assert seen(await consumer.poll(5.0)) == [(1, b"1", 1), (2, b"2", 1), (4, b"4", 3)]
        assert consumer.lock_s == 20.0 and consumer.assignment() == {WHERE}

    play(lender, story)
    assert lender.beats[0] == (0, ["t"]) and lender.told == [("fetch", 0, [])]


def test_offsets_without_a_record_are_gaps_and_a_batch_that_was_cut_off_is_given_back() -> None:
    whole, cut = batch(0, 2), batch(3, 4)
    lender = Lender(loan(whole + cut[:-1], (0, 4, 1)))

    async def story(consumer: ShareConsumerCore) -> None:
        assert seen(await consumer.poll(5.0)) == [(0, b"0", 1), (2, b"2", 1)]
        await consumer.commit()

    play(lender, story)
    assert lender.told[1] == ("acknowledge", 1, [(1, 1, [0]), (3, 4, [Ack.RELEASE])])


def test_a_batch_that_cannot_be_read_is_given_back_and_said() -> None:
    bad = bytearray(batch(1, 2))
    bad[-1] ^= 1
    lender = Lender(loan(batch(0) + bytes(bad), (0, 2, 1)))

    async def story(consumer: ShareConsumerCore) -> None:
        assert seen(await consumer.poll(5.0)) == [(0, b"0", 1)]
        with pytest.raises(CorruptMessage):
            await consumer.poll(5.0)

    play(lender, story)
    assert lender.told[1] == ("acknowledge", 1, [(1, 2, [Ack.RELEASE])])


def test_what_is_acknowledged_rides_on_the_next_fetch() -> None:
    lender = Lender(loan(batch(0, 1, 2), (0, 2, 1)), loan(batch(3), (3, 3, 1)))

    async def story(consumer: ShareConsumerCore) -> Any:
        first, second, third = await consumer.poll(5.0)
        consumer.acknowledge(first)
        consumer.acknowledge(second, Ack.RELEASE)
        consumer.acknowledge(third, Ack.REJECT)
        await consumer.poll(5.0)
        return await consumer.commit()

    assert play(lender, story) == {WHERE: None}
    assert lender.told == [("fetch", 0, []), ("fetch", 1, [(0, 2, [1, 2, 3])])]


def test_by_itself_a_consumer_accepts_what_it_handed_out_before() -> None:
    lender = Lender(loan(batch(0, 1), (0, 1, 1)), loan(batch(2), (2, 2, 1)))

    async def story(consumer: ShareConsumerCore) -> None:
        await consumer.poll(5.0, at_most=1)
        assert await consumer.commit() == {WHERE: None}
        await consumer.poll(5.0)
        await consumer.poll(5.0)
        await consumer.close()

    play(lender, story, auto_accept=True)
    assert lender.told == [
        ("fetch", 0, []),
        ("acknowledge", 1, [(0, 0, [1])]),
        ("fetch", 2, [(1, 1, [1])]),
        ("acknowledge", -1, [(2, 2, [1])]),
    ]
    assert lender.beats[-1] == (-1, None)


@pytest.mark.parametrize("give_back", [False, True])
def test_close_tells_what_was_said_and_gives_back_the_rest(give_back: bool) -> None:
    lender = Lender(loan(batch(0, 1), (0, 1, 1)))

    async def story(consumer: ShareConsumerCore) -> None:
        first, _ = await consumer.poll(5.0)
        consumer.acknowledge(first, Ack.REJECT)
        await consumer.close(give_back=give_back)

    play(lender, story, auto_accept=True)
    said = [3] if give_back else [3, 1]
    assert lender.told[-1] == ("acknowledge", -1, [(0, len(said) - 1, said)])


def test_a_record_is_acknowledged_once_but_renewed_as_often_as_wanted() -> None:
    lender = Lender(loan(batch(0), (0, 0, 1)))

    async def story(consumer: ShareConsumerCore) -> None:
        (record,) = await consumer.poll(5.0)
        for how in (Ack.RENEW, Ack.RENEW, Ack.ACCEPT):
            consumer.acknowledge(record, how)
            assert await consumer.commit() == {WHERE: None}
        with pytest.raises(InvalidRecordState):
            consumer.acknowledge(record)

    play(lender, story)
    assert [each for each in lender.told if each[0] == "acknowledge"] == [
        ("acknowledge", 1, [(0, 0, [4])]),
        ("acknowledge", 2, [(0, 0, [4])]),
        ("acknowledge", 3, [(0, 0, [1])]),
    ]


def test_a_broker_that_cannot_renew_is_named_as_the_reason() -> None:
    lender = Lender(loan(batch(0, 1), (0, 1, 1)))
    lender.newest = {"SHARE_ACKNOWLEDGE": 1}

    async def story(consumer: ShareConsumerCore) -> None:
        long, short = await consumer.poll(5.0)
        consumer.acknowledge(long, Ack.RENEW)
        consumer.acknowledge(short)
        assert isinstance((await consumer.commit())[WHERE], UnsupportedVersion)
        consumer.acknowledge(long)
        await consumer.commit()

    play(lender, story)
    assert lender.told[1:] == [("acknowledge", 1, [(1, 1, [1])]), ("acknowledge", 2, [(0, 0, [1])])]


@pytest.mark.parametrize(("fault", "outcome"), [(122, ShareSessionNotFound), (123, Refusal), (LOST, Refusal)], ids=str)
def test_a_session_that_is_gone_is_opened_anew_and_its_records_are_not_ours(fault: Any, outcome: type) -> None:
    lender = Lender(loan(batch(0, 1), (0, 1, 1)), loan(batch(0, 1), (0, 1, 2)))

    async def story(consumer: ShareConsumerCore) -> None:
        first, second = await consumer.poll(5.0)
        consumer.acknowledge(first)
        lender.faults["acknowledge"].append(fault)
        assert isinstance((await consumer.commit())[WHERE], outcome)
        with pytest.raises(InvalidRecordState):
            consumer.acknowledge(second)
        assert seen(await consumer.poll(5.0)) == [(0, b"0", 2), (1, b"1", 2)]

    play(lender, story)
    assert lender.told[-1] == ("fetch", 0, [])


def test_a_refused_acknowledgement_is_seen_in_commit_though_later_ones_went_well() -> None:
    lender = Lender(loan(batch(0, 1), (0, 1, 1)))

    async def story(consumer: ShareConsumerCore) -> None:
        first, second = await consumer.poll(5.0, at_most=2)
        lender.refused_acks = InvalidRecordState.code
        consumer.acknowledge(first, Ack.RENEW)
        await consumer.poll(1.0)
        lender.refused_acks = 0
        consumer.acknowledge(second)
        assert isinstance((await consumer.commit())[WHERE], InvalidRecordState)
        assert await consumer.commit() == {}

    play(lender, story)


def test_a_fenced_member_joins_anew_and_one_without_rights_is_told_so() -> None:
    lender = Lender(loan(batch(0), (0, 0, 1)))
    lender.beat_errors = [25]  # UNKNOWN_MEMBER_ID

    async def story(consumer: ShareConsumerCore) -> None:
        assert len(await consumer.poll(5.0)) == 1

    play(lender, story)
    assert [epoch for epoch, _ in lender.beats[:2]] == [0, 0]

    async def refused(consumer: ShareConsumerCore) -> None:
        with pytest.raises(GroupAuthorizationFailed):
            await consumer.poll(5.0)

    lender.beat_errors = [GroupAuthorizationFailed.code]
    play(lender, refused)


def test_nothing_is_lent_that_nobody_asked_for() -> None:
    lender = Lender(loan(batch(0, 1, 2), (0, 2, 1)))

    async def story(consumer: ShareConsumerCore) -> None:
        for offset in range(3):
            assert [each.offset for each in await consumer.poll(5.0, at_most=1)] == [offset]

    play(lender, story)
    assert [name for name, _, _ in lender.told] == ["fetch"]
