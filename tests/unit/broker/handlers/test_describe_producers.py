"""DescribeProducers is answered by every replica, as Kafka's tools expect that ask one broker about all it keeps."""

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from tests.support.partitions import ME, TOPIC, SomePartitions

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers import describe_producers as handler
from penstock.broker.handlers.describe_producers import describe_producers
from penstock.broker.registry import RequestContext
from penstock.errors import InvalidRequest, NotLeaderOrFollower
from penstock.model import BrokerId, LeaderEpoch
from penstock.wire.messages.describe_producers_request import DescribeProducersRequest, TopicRequest
from penstock.wire.messages.describe_producers_response import PartitionResponse

CONTEXT = RequestContext(api_version=0, client_id=None, listener="PLAINTEXT", peer="")


async def ask(partitions: Any, *, times: int = 1) -> list[PartitionResponse]:
    answer = await describe_producers(
        DescribeProducersRequest([TopicRequest(TOPIC, [0] * times)]), CONTEXT, partitions, Authorizer()
    )
    return answer.topics[0].partitions


@pytest.mark.parametrize("leader", [ME, BrokerId(2)])
async def test_leader_and_follower_tell_of_the_producers_that_their_log_has(tmp_path: Path, leader: BrokerId) -> None:
    partitions = SomePartitions(tmp_path)
    partitions[0].append(memoryview(partitions.batch(producer=7, sequence=0)), acks=1)
    partitions[0].leadership.lead(
        epoch=LeaderEpoch(4), leader=leader, replicas=(ME, BrokerId(2)), in_sync=(ME, BrokerId(2))
    )
    (told,) = await ask(Mock(require=lambda _topic, index: partitions[index]))
    assert (told.error_code, [state.producer_id for state in told.active_producers]) == (0, [7])
    await partitions.close()


async def test_who_keeps_no_replica_says_so() -> None:
    (told,) = await ask(Mock(require=Mock(side_effect=NotLeaderOrFollower())))
    assert (told.error_code, told.active_producers) == (NotLeaderOrFollower.code, [])


async def test_a_partition_that_is_named_many_times_is_described_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    partitions = SomePartitions(tmp_path)
    partitions[0].append(memoryview(partitions.batch(producer=7, sequence=0)), acks=1)
    require = Mock(return_value=partitions[0])
    told = await ask(Mock(require=require), times=100)
    assert [len(one.active_producers) for one in told] == [1] * 100
    assert require.call_count == 1
    monkeypatch.setattr(handler, "PRODUCERS_MAX", 99)
    with pytest.raises(InvalidRequest, match="more than 99 producers"):
        await ask(Mock(require=require), times=100)
    await partitions.close()
