"""A produce request is read as far as it has a size that somebody may mean."""

import pytest

from penstock.wire.malformed import Malformed
from penstock.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from penstock.wire.produce import PARTITIONS_MAX, decode_request


def a_request(*counts: int, version: int) -> memoryview:
    """With so many partitions of each topic."""
    topics = [
        TopicProduceData(
            name="" if version >= 13 else "t",
            partition_data=[PartitionProduceData(index=0, records=None) for _ in range(count)],
        )
        for count in counts
    ]
    return memoryview(ProduceRequest(acks=1, timeout_ms=1, topic_data=topics).encode(version))


@pytest.mark.parametrize("version", [3, 9, 13])
def test_so_many_partitions_and_no_more(version: int) -> None:
    most = a_request(PARTITIONS_MAX - 1, 1, version=version)
    assert sum(len(parts) for _, parts in decode_request(most, 0, version).topics) == PARTITIONS_MAX
    for counts in ((PARTITIONS_MAX + 1,), (PARTITIONS_MAX, 1), (0,) * (PARTITIONS_MAX + 1)):
        with pytest.raises(Malformed, match="at most 20000 are taken"):
            decode_request(a_request(*counts, version=version), 0, version)
