from collections import Counter

import pytest

from penstock.cluster.image.shapes import BrokerImage
from penstock.cluster.placement import check_by_hand, place
from penstock.errors import InvalidReplicaAssignment, InvalidReplicationFactor
from penstock.metastore import Revision
from penstock.model import BrokerId


def broker(number: int, *, machine: str = "", rack: str | None = None) -> BrokerImage:
    return BrokerImage(BrokerId(number), {}, machine, rack, "folder", "incarnation", "boot", Revision(1))


def test_leaders_and_replicas_are_spread_evenly() -> None:
    placed = place([broker(n) for n in (1, 2, 3)], partitions=6, replication_factor=2, start=0)
    assert Counter(replicas[0] for replicas in placed) == {1: 2, 2: 2, 3: 2}
    assert Counter(replica for replicas in placed for replica in replicas) == {1: 4, 2: 4, 3: 4}


def test_the_start_decides_where_a_small_topic_begins() -> None:
    brokers = [broker(n) for n in (1, 2, 3)]
    assert [place(brokers, partitions=1, replication_factor=1, start=start)[0] for start in range(4)] == [
        (1,),
        (2,),
        (3,),
        (1,),
    ]


def test_replicas_avoid_sharing_a_machine_before_they_avoid_sharing_a_rack() -> None:
    brokers = [
        broker(1, machine="a", rack="r1"),
        broker(2, machine="a", rack="r1"),
        broker(3, machine="b", rack="r1"),
        broker(4, machine="c", rack="r2"),
    ]
    machines = {1: "a", 2: "a", 3: "b", 4: "c"}
    for replicas in place(brokers, partitions=8, replication_factor=3, start=0):
        assert len({machines[replica] for replica in replicas}) == 3


def test_a_rack_is_shared_by_many_before_a_machine_is_by_two() -> None:
    """The ninth replica is the eighth in its rack, or the second on its machine."""
    machines = {1: "a", 2: "a", 3: "b", 4: "c", 5: "d", 6: "e", 7: "f", 8: "g", 9: "h", 10: "i"}
    brokers = [broker(n, machine=machine, rack="r1" if machine == "a" else "r2") for n, machine in machines.items()]
    for replicas in place(brokers, partitions=10, replication_factor=9, start=0):
        assert len({machines[replica] for replica in replicas}) == 9


def test_with_machines_to_spare_replicas_spread_over_racks() -> None:
    brokers = [broker(n, machine=f"m{n}", rack="east" if n <= 3 else "west") for n in range(1, 7)]
    for replicas in place(brokers, partitions=12, replication_factor=2, start=0):
        assert {"east" if replica <= 3 else "west" for replica in replicas} == {"east", "west"}


def test_more_replicas_than_brokers_are_refused_with_both_numbers() -> None:
    with pytest.raises(InvalidReplicationFactor) as refused:
        place([broker(1)], partitions=1, replication_factor=3, start=0)
    assert refused.value.message == "every replica needs its own broker; replicas wanted: 3, brokers registered: 1"


def test_without_any_broker_nothing_is_placed() -> None:
    with pytest.raises(InvalidReplicationFactor, match="wanted: 1, brokers registered: 0"):
        place([], partitions=1, replication_factor=1, start=0)
    with pytest.raises(InvalidReplicationFactor, match="registered: 1, of which away: 1"):
        place([], away=[BrokerId(1)], partitions=1, replication_factor=1, start=0)


def test_who_is_away_gets_a_replica_only_where_the_others_are_too_few_and_never_leads() -> None:
    brokers, away = [broker(1), broker(2)], [BrokerId(3), BrokerId(4)]
    assert {*place(brokers, away=away, partitions=4, replication_factor=2, start=0)} == {(1, 2), (2, 1)}
    placed = place(brokers, away=away, partitions=4, replication_factor=3, start=0)
    assert placed == [(1, 2, 3), (2, 1, 4), (1, 2, 3), (2, 1, 4)]
    with pytest.raises(InvalidReplicationFactor, match="wanted: 5, brokers registered: 4, of which away: 2"):
        place(brokers, away=away, partitions=1, replication_factor=5, start=0)


@pytest.mark.parametrize(
    ("replicas", "factor", "why"),
    [
        ((), None, "assigned to no broker: name at least one"),
        ((9,), None, "broker 9, which is not registered"),
        ((1, 1), None, "assigned to broker 1 twice"),
        ((1, 2), 1, "equally many replicas: 1 before, 2 here"),
        ((2,), None, "all brokers that a partition is assigned to are away: [2]"),
    ],
)
def test_impossible_assignments_by_hand_are_refused_with_the_reason(
    replicas: tuple[int, ...], factor: int | None, why: str
) -> None:
    with pytest.raises(InvalidReplicaAssignment) as refused:
        check_by_hand(replicas, {BrokerId(1), BrokerId(2)}, away={BrokerId(2)}, replication_factor=factor)
    assert why in refused.value.message


def test_what_a_lost_leader_led_falls_to_several() -> None:
    placed = place([broker(n) for n in (1, 2, 3, 4)], partitions=24, replication_factor=3, start=0)
    next_in_line = {replicas[1] for replicas in placed if replicas[0] == 1}
    assert next_in_line == {2, 3, 4}
