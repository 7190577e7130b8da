"""How decisions about many partitions are packed into transactions."""

from collections.abc import Sequence

from penstock.cluster import Keys, PartitionImage, TopicImage
from penstock.cluster.duties.partition_writes import Batch, PartitionWrite, as_fit
from penstock.cluster.elections import ElectedFrom
from penstock.cluster.image.shapes import record_from
from penstock.metastore import OPERATIONS_MAX, Revision, created_at
from penstock.metastore.machine import check
from penstock.model import BrokerId, LeaderEpoch, PartitionIndex, TopicId

KEYS = Keys("main")
CONTROLLER = created_at(KEYS.controller, Revision(7))
TOPIC = TopicImage("orders", TopicId(bytes(16)), [], {}, False, Revision(1))


def elected(index: int, leader: int, *, registered: int = 100) -> PartitionWrite:
    both = BrokerId(99), BrokerId(leader)
    part = PartitionImage(PartitionIndex(index), both[0], LeaderEpoch(3), both, both, (), (), (), Revision(5))
    record = record_from(part, leader=both[1], leader_epoch=LeaderEpoch(4), in_sync=both[1:])
    return PartitionWrite(TOPIC, part, record, ElectedFrom.IN_SYNC, Revision(registered))


def shrunk(index: int) -> PartitionWrite:
    ruling = elected(index, 1)
    record = record_from(ruling.partition, in_sync=ruling.partition.in_sync[:1])
    return ruling._replace(record=record, how=ElectedFrom.KEPT)


def packed(rulings: Sequence[PartitionWrite]) -> list[Batch]:
    batches = [Batch(some, CONTROLLER, KEYS) for some in as_fit(rulings)]
    for batch in batches:
        check(batch.transaction)  # as a store would
    assert [ruling for batch in batches for ruling in batch.rulings] == list(rulings)
    return batches


def test_leaders_of_few_partitions_each_share_transactions() -> None:
    batches = packed([elected(leader * 10 + number, leader) for leader in range(1, 100) for number in range(10)])
    assert len(batches) == 9  # 990 partitions of 99 leaders: 1,089 compares, 126 at most at a time


def test_every_transaction_compares_each_partition_each_leader_and_the_controller() -> None:
    (batch,) = packed([elected(0, 1), elected(1, 1), elected(2, 2, registered=200)])
    compares = batch.transaction.compares
    assert compares[:3] == (
        CONTROLLER,
        created_at(KEYS.broker(1), Revision(100)),
        created_at(KEYS.broker(2), Revision(200)),
    )
    assert len(compares) == 6 and len(batch.transaction.puts) == 3


def test_one_leader_of_many_is_compared_in_each_transaction() -> None:
    batches = packed([elected(number, 1) for number in range(300)])
    assert [len(batch.rulings) for batch in batches] == [125, 125, 50]
    assert all(len(batch.transaction.compares) <= OPERATIONS_MAX for batch in batches)
    assert all(created_at(KEYS.broker(1), Revision(100)) in batch.transaction.compares for batch in batches)


def test_a_leader_that_registered_anew_between_two_decisions_splits_them() -> None:
    first, second = packed([elected(0, 1), elected(1, 1, registered=150)])
    assert created_at(KEYS.broker(1), Revision(100)) in first.transaction.compares
    assert created_at(KEYS.broker(1), Revision(150)) in second.transaction.compares


def test_in_sync_sets_alone_name_no_leader() -> None:
    assert [len(batch.rulings) for batch in packed([shrunk(number) for number in range(130)])] == [126, 4]
