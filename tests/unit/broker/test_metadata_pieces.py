"""Metadata that is encoded a piece at a time is the metadata that is encoded at once."""

from collections.abc import Sequence

import pytest

from penstock.broker.metadata_pieces import PARTITIONS_A_TURN, PiecewiseMetadata, describe_in_turns, is_large
from penstock.cluster import PartitionImage, TopicImage
from penstock.metastore import Revision
from penstock.model import BrokerId, LeaderEpoch, PartitionIndex, TopicId
from penstock.wire.messages.metadata_response import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

VERSIONS = range(MetadataResponse.versions[0], MetadataResponse.versions[1] + 1)


def a_topic(number: int, partitions: int) -> TopicImage:
    me = BrokerId(1)
    parts = [
        PartitionImage(PartitionIndex(n), me, LeaderEpoch(3), (me,), (me,), (), (), (), Revision(1))
        for n in range(partitions)
    ]
    return TopicImage(f"topic-{number}", TopicId(number.to_bytes(16, "big")), parts, {}, False, Revision(1))


def described(
    topic: TopicImage, partitions: Sequence[PartitionImage] | None = None, *, version: int
) -> MetadataResponseTopic:
    partitions = topic.partitions if partitions is None else partitions
    epoch = 3 if version >= 7 else -1
    return MetadataResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id if version >= 10 else bytes(16),
        partitions=[MetadataResponsePartition(0, part.index, 1, epoch, [1], [1], []) for part in partitions],
    )


LARGE = 3 * PARTITIONS_A_TURN + 1


@pytest.mark.parametrize(
    "sizes",
    [
        [40] * 2,
        [40] * 3,
        [40] * 130,
        [40] * 300,
        [LARGE],
        [1, LARGE, 2],
        [PARTITIONS_A_TURN + 1, 4 * PARTITIONS_A_TURN],
    ],
    ids=lambda sizes: f"{len(sizes)} topics, {sum(sizes)} partitions",
)
@pytest.mark.parametrize("version", VERSIONS)
async def test_pieces_come_to_the_same_bytes(version: int, sizes: list[int]) -> None:
    images = [a_topic(number, size) for number, size in enumerate(sizes)]
    brokers = [MetadataResponseBroker(node_id=n, host=f"host-{n}", port=9092) for n in range(200)]
    before = [MetadataResponseTopic(error_code=3, name="before")]
    after = [MetadataResponseTopic(error_code=3, name="after")]
    whole = MetadataResponse(
        topics=[*before, *(described(topic, version=version) for topic in images), *after], brokers=brokers
    )
    pieces = await describe_in_turns(
        images, lambda topic, some: described(topic, some, version=version), version=version, before=before, after=after
    )
    pieces.brokers = brokers
    for answer in (whole, pieces):
        answer.cluster_id = "a cluster" if version >= 2 else None
        answer.controller_id = 3 if version >= 1 else -1
    assert pieces.encode(version) == whole.encode(version)
    assert len(pieces.pieces) >= sum(sizes) // (PARTITIONS_A_TURN + 40)


async def test_a_large_topic_is_described_a_turn_at_a_time_as_it_was_at_the_first() -> None:
    topic, turns = a_topic(1, LARGE), []

    def describe(_: TopicImage, some: Sequence[PartitionImage]) -> MetadataResponseTopic:
        turns.append(len(some))
        topic.partitions.append(topic.partitions[0])  # it grows meanwhile
        return described(topic, some, version=12)

    pieces = await describe_in_turns([topic], describe, version=12, before=[], after=[])
    assert max(turns) <= PARTITIONS_A_TURN and sum(turns) == LARGE
    (answered,) = MetadataResponse.decode(pieces.encode(12), 12).topics
    assert [part.partition_index for part in answered.partitions] == list(range(LARGE))


def test_a_few_hundred_partitions_are_answered_at_once() -> None:
    assert not is_large([a_topic(1, PARTITIONS_A_TURN)])
    assert is_large([a_topic(1, PARTITIONS_A_TURN), a_topic(2, 1)])


def test_pieces_are_for_one_version() -> None:
    with pytest.raises(ValueError, match="version 12"):
        PiecewiseMetadata(version=12).encode(13)
