"""What `penstock txn` says where it cannot see all partitions."""

from collections.abc import Iterable
from typing import Any, cast

import pytest

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.txn.facts import listed, open_transactions
from penstock.client import Client, Outcomes, PartitionInfo, TopicInfo
from penstock.model import TopicPartition
from penstock.wire.messages.describe_producers_response import ProducerState


class TwoPartitions:
    """The client of a cluster whose topics' partition 0 is led by broker 1, and partition 1 by `second`."""

    def __init__(self, second: int) -> None:
        self._second = second

    def describe_topics(self, names: list[str]) -> Outcomes[str, TopicInfo]:
        partitions = {
            index: PartitionInfo(index, leader, 0, (1,), (1,)) for index, leader in enumerate((1, self._second))
        }
        return Outcomes({name: TopicInfo(name, bytes(16), False, partitions) for name in names})

    def list_transactions(self, **_: Any) -> Outcomes[int, list[Any]]:
        return Outcomes({1: []})

    def describe_producers(self, partitions: Iterable[TopicPartition]) -> Outcomes[TopicPartition, list[ProducerState]]:
        producer = ProducerState(producer_id=7, producer_epoch=0, current_txn_start_offset=3)
        return Outcomes({each: [producer] for each in partitions})


class TwoPartitionCluster(Cluster):
    def __init__(self, second: int) -> None:
        super().__init__("nowhere")
        self._second = second

    def client(self) -> Client:
        return cast(Client, TwoPartitions(self._second))


def brokers(*, second: int) -> Cluster:
    return TwoPartitionCluster(second)


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
