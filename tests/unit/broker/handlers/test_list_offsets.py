"""ListOffsets: what it refuses before it looks, and where a log begins."""

from typing import Any

import pytest
from tests.support.callers import a_context
from tests.support.partitions import ME, TOPIC, Make, SomePartitions

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.list_offsets import CONSUMER, DEBUGGING, list_offsets
from penstock.errors import FencedLeaderEpoch, NotLeaderOrFollower, Refusal, UnknownLeaderEpoch, UnknownServerError
from penstock.model import BrokerId, LeaderEpoch
from penstock.replication.log_port import on_disk
from penstock.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic

UNKNOWN = UnknownServerError.code


class Found:
    """As much of `Partitions` as the handler asks for."""

    def __init__(self, some: SomePartitions) -> None:
        self._some = some

    def require(self, topic: str, index: int) -> Any:
        return self._some[index]


@pytest.mark.parametrize(
    ("level", "answer"), [(0, (0, 1)), (1, (0, 1)), (2, (UNKNOWN, -1)), (7, (UNKNOWN, -1)), (-1, (UNKNOWN, -1))]
)
async def test_an_isolation_level_that_does_not_exist_is_not_taken_for_one_that_does(
    make: Make, level: int, answer: tuple[int, int]
) -> None:
    some = make()
    some.fill(0)
    asked = ListOffsetsTopic(name=TOPIC, partitions=[ListOffsetsPartition(partition_index=0, timestamp=-1)])
    request = ListOffsetsRequest(isolation_level=level, topics=[asked])
    found: Any = Found(some)
    (part,) = (await list_offsets(request, a_context(version=7), found, Authorizer())).topics[0].partitions
    assert (part.error_code, part.offset) == answer


@pytest.mark.parametrize(("timestamp", "offset"), [(-2, 1), (-4, 2)])
async def test_the_earliest_offset_and_the_earliest_that_files_here_hold_are_two(
    make: Make, timestamp: int, offset: int
) -> None:
    some = make()
    log = on_disk(some[0].log)
    some.fill(0, batches=2)
    log.rolling.roll()
    some.fill(0)
    log.retention.advance_start(1)
    assert (log.start_offset, log.local_start_offset) == (1, 1), "of one segment, deleted up to its middle"
    log.segments = log.segments[1:]  # as if its records were kept elsewhere from now on
    asked = ListOffsetsTopic(name=TOPIC, partitions=[ListOffsetsPartition(partition_index=0, timestamp=timestamp)])
    found: Any = Found(some)
    request = ListOffsetsRequest(topics=[asked])
    (part,) = (await list_offsets(request, a_context(version=8), found, Authorizer())).topics[0].partitions
    assert (part.error_code, part.offset, part.leader_epoch) == (0, offset, 3)


@pytest.mark.parametrize(
    ("asks", "epoch", "code"),
    [
        (CONSUMER, -1, NotLeaderOrFollower),
        (CONSUMER, 4, NotLeaderOrFollower),
        (CONSUMER, 3, FencedLeaderEpoch),
        (CONSUMER, 5, UnknownLeaderEpoch),
        (3, 4, NotLeaderOrFollower),
        (DEBUGGING, 4, None),
        (DEBUGGING, 5, UnknownLeaderEpoch),
    ],
)
async def test_a_follower_names_a_wrong_epoch_first_and_answers_whoever_compares_replicas(
    make: Make, asks: int, epoch: int, code: type[Refusal] | None
) -> None:
    some = make()
    some.fill(0, batches=2)
    two = BrokerId(2)
    some[0].leadership.lead(epoch=LeaderEpoch(4), leader=two, replicas=(ME, two), in_sync=(ME, two))
    part = ListOffsetsPartition(partition_index=0, timestamp=-1, current_leader_epoch=epoch)
    request = ListOffsetsRequest(replica_id=asks, topics=[ListOffsetsTopic(name=TOPIC, partitions=[part])])
    found: Any = Found(some)
    (answer,) = (await list_offsets(request, a_context(version=8), found, Authorizer())).topics[0].partitions
    assert (answer.error_code, answer.offset) == ((code.code, -1) if code else (0, 2))
