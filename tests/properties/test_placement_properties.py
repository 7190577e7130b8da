"""Whatever the cluster looks like, replicas are spread: over machines, over racks, evenly over brokers."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from penstock.cluster.image.shapes import BrokerImage
from penstock.cluster.placement import place
from penstock.metastore import Revision
from penstock.model import BrokerId


def _broker(number: int, machine: str, rack: str | None) -> BrokerImage:
    return BrokerImage(BrokerId(number), {}, machine, rack, "folder", "incarnation", "boot", Revision(1))


@st.composite
def _clusters(draw: st.DrawFn) -> list[BrokerImage]:
    """Machines with some brokers each; a machine stands in one rack, or nobody says in which."""
    racks = st.sampled_from([None, "r1", "r2", "r3"])
    machines = draw(st.lists(st.tuples(st.integers(1, 3), racks), min_size=1, max_size=6))
    brokers: list[BrokerImage] = []
    for machine, (count, rack) in enumerate(machines):
        for _ in range(count):
            brokers.append(_broker(len(brokers), f"m{machine}", rack))
    return brokers


@given(brokers=_clusters(), partitions=st.integers(1, 40), factor=st.integers(1, 4), start=st.integers(0, 2**32 - 1))
def test_replicas_differ_and_share_a_machine_or_rack_only_if_they_must(
    brokers: list[BrokerImage], partitions: int, factor: int, start: int
) -> None:
    factor = min(factor, len(brokers))
    machine = {broker.id: broker.machine for broker in brokers}
    rack = {broker.id: broker.rack or "" for broker in brokers}
    placed = place(brokers, partitions=partitions, replication_factor=factor, start=start)
    assert len(placed) == partitions
    for replicas in placed:
        assert len(set(replicas)) == factor
        assert len({machine[replica] for replica in replicas}) == min(factor, len(set(machine.values())))
        if len({rack[replica] for replica in replicas}) < factor:
            # One of each machine: racks are shared only when there are not enough of them.
            reachable = len(set(rack.values()))
            assert len({rack[replica] for replica in replicas}) == min(factor, reachable)


@given(brokers=_clusters(), partitions=st.integers(1, 60), factor=st.integers(1, 4), start=st.integers(0, 2**32 - 1))
def test_leaders_are_even_over_brokers(brokers: list[BrokerImage], partitions: int, factor: int, start: int) -> None:
    placed = place(brokers, partitions=partitions, replication_factor=min(factor, len(brokers)), start=start)
    leaders = Counter({broker.id: 0 for broker in brokers})
    leaders.update(replicas[0] for replicas in placed)
    assert max(leaders.values()) - min(leaders.values()) <= 1


@given(
    racks=st.integers(1, 3),
    machines_a_rack=st.integers(1, 4),
    partitions=st.integers(1, 60),
    factor=st.integers(1, 3),
    start=st.integers(0, 2**32 - 1),
)
def test_replicas_are_even_over_brokers_where_machines_and_racks_are_alike(
    racks: int, machines_a_rack: int, partitions: int, factor: int, start: int
) -> None:
    brokers = [_broker(n, f"m{n}", f"r{n % racks}") for n in range(racks * machines_a_rack)]
    placed = place(brokers, partitions=partitions, replication_factor=min(factor, len(brokers)), start=start)
    held = Counter({broker.id: 0 for broker in brokers})
    held.update(replica for replicas in placed for replica in replicas)
    assert max(held.values()) - min(held.values()) <= 2
