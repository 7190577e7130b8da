"""What `penstock txn` says where it cannot see all partitions."""

from typing import Any, cast

import pytest

from penstock.cli.asking import Brokers
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.txn.facts import listed, open_transactions
from penstock.wire.messages.describe_producers_response import (
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)
from penstock.wire.messages.list_transactions_response import ListTransactionsResponse
from penstock.wire.messages.metadata_response import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)


class TwoPartitions:
    """Brokers of a topic whose partition 0 is led by broker 1, and partition 1 by `second`."""

    def __init__(self, second: int) -> None:
        self._second = second

    def topics(self, names: list[str] | None) -> MetadataResponse:
        partitions = [
            MetadataResponsePartition(partition_index=index, leader_id=leader)
            for index, leader in enumerate((1, self._second))
        ]
        return MetadataResponse(topics=[MetadataResponseTopic(name=(names or ["t"])[0], partitions=partitions)])

    def ids(self) -> list[int]:
        return [1]

    def at(self, _broker: int) -> "TwoPartitions":
        return self

    def ask(self, _request: Any, response: type, **_: Any) -> Any:
        if response is ListTransactionsResponse:
            return ListTransactionsResponse()
        producer = ProducerState(producer_id=7, producer_epoch=0, current_txn_start_offset=3)
        partition = PartitionResponse(partition_index=0, active_producers=[producer])
        return DescribeProducersResponse(topics=[TopicResponse(name="t", partitions=[partition])])


def brokers(*, second: int) -> Brokers:
    return cast(Brokers, TwoPartitions(second))


def test_a_list_is_not_whole_where_nobody_leads_a_partition_of_it() -> None:
    assert listed(brokers(second=2)) == []
    with pytest.raises(Failure, match="nobody leads __transaction_state-1") as failure:
        listed(brokers(second=-1))
    assert failure.value.exit_code == ExitCode.FAILED


def test_what_hangs_where_nobody_leads_is_not_known() -> None:
    with pytest.raises(Failure, match="could not see what is open on t-1: nobody leads there"):
        list(open_transactions(brokers(second=-1), ["t"]))


def test_a_partition_that_has_a_leader_can_be_looked_at_alone() -> None:
    (found,) = open_transactions(brokers(second=-1), ["t"], only=0)
    assert (found.partition, found.producer_id, found.first_offset) == (0, 7, 3)
