"""DescribeProducers is answered by every replica, as Kafka's tools expect that ask one broker about all it keeps."""

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from tests.support.partitions import ME, TOPIC, SomePartitions

from penstock.broker.handlers.describe_producers import describe_producers
from penstock.errors import NotLeaderOrFollower
from penstock.model import BrokerId, LeaderEpoch
from penstock.wire.messages.describe_producers_request import DescribeProducersRequest, TopicRequest
from penstock.wire.messages.describe_producers_response import PartitionResponse


def ask(partitions: Any) -> PartitionResponse:
    answer = describe_producers(DescribeProducersRequest([TopicRequest(TOPIC, [0])]), partitions)
    return answer.topics[0].partitions[0]


@pytest.mark.parametrize("leader", [ME, BrokerId(2)])
async def test_leader_and_follower_tell_of_the_producers_that_their_log_has(tmp_path: Path, leader: BrokerId) -> None:
    partitions = SomePartitions(tmp_path)
    partitions[0].append(memoryview(partitions.batch(producer=7, sequence=0)), acks=1)
    partitions[0].lead(epoch=LeaderEpoch(4), leader=leader, replicas=(ME, BrokerId(2)), in_sync=(ME, BrokerId(2)))
    told = ask(Mock(require=lambda _topic, index: partitions[index]))
    assert (told.error_code, [state.producer_id for state in told.active_producers]) == (0, [7])
    await partitions.close()


def test_who_keeps_no_replica_says_so() -> None:
    told = ask(Mock(require=Mock(side_effect=NotLeaderOrFollower())))
    assert (told.error_code, told.active_producers) == (NotLeaderOrFollower.code, [])
