"""Which brokers hold a new partition: spread over machines first, racks next, and evenly over brokers (RULES 17).

Each partition's leader goes to the broker with the fewest leaders so far, each further replica to the broker whose
machine, then whose rack, holds the fewest of that partition's replicas; among equals the one with the fewest replicas
so far. Ties go round in broker order from `start`, which differs from topic to topic so that small topics do not all
begin at the same broker.
"""

from collections.abc import Iterable, Sequence

from penstock.cluster.shapes import BrokerImage
from penstock.errors import InvalidReplicaAssignment, InvalidReplicationFactor
from penstock.model import BrokerId


def place(
    brokers: Iterable[BrokerImage], *, partitions: int, replication_factor: int, start: int
) -> list[tuple[BrokerId, ...]]:
    """The replicas of each of so many new partitions, preferred leader first."""
    order = sorted(brokers, key=lambda broker: broker.id)
    _require_enough(replication_factor, len(order))
    rotated = order[start % len(order) :] + order[: start % len(order)]
    plan = _Plan(rotated)
    return [plan.next_partition(replication_factor) for _ in range(partitions)]


def _require_enough(replication_factor: int, brokers: int) -> None:
    if brokers == 0 or replication_factor > brokers:
        raise InvalidReplicationFactor(
            f"every replica needs its own broker; replicas wanted: {replication_factor}, brokers registered: {brokers}"
        )


class _Plan:
    def __init__(self, order: Sequence[BrokerImage]) -> None:
        self._order = order
        self._leaders = [0] * len(order)
        self._replicas = [0] * len(order)
        # A broker that does not say where it runs stands alone: two of them may well share a machine, nobody knows.
        self._machines = [broker.machine or f"broker {broker.id}" for broker in order]
        self._racks = [broker.rack or "" for broker in order]

    def next_partition(self, replication_factor: int) -> tuple[BrokerId, ...]:
        everyone = range(len(self._order))
        leader = min(everyone, key=lambda at: (self._leaders[at], self._replicas[at], at))
        turn = self._leaders[leader] - 1
        self._leaders[leader] += 1
        chosen = [leader]
        while len(chosen) < replication_factor:
            machines = [self._machines[at] for at in chosen]
            racks = [self._racks[at] for at in chosen]
            chosen.append(
                min(
                    (at for at in everyone if at not in chosen),
                    key=lambda at: (
                        machines.count(self._machines[at]),
                        racks.count(self._racks[at]),
                        self._replicas[at],
                        # Leaders of coming partitions are the least burdened now, so followers come after the leader;
                        # with whom it begins goes round, so that what a lost leader led falls to many, not to one.
                        ((at - leader) % len(self._order) + turn) % max(1, len(self._order) - 1),
                    ),
                )
            )
        for at in chosen:
            self._replicas[at] += 1
        return tuple(self._order[at].id for at in chosen)


def check_by_hand(
    replicas: Sequence[int], brokers: Iterable[BrokerId], *, replication_factor: int | None
) -> tuple[BrokerId, ...]:
    """An assignment that a client chose, if there can be one like it."""
    known = set(brokers)
    if not replicas:
        raise InvalidReplicaAssignment("a partition is assigned to no broker: name at least one")
    before: int | None = None
    for broker in sorted(replicas):
        if broker not in known:
            raise InvalidReplicaAssignment(f"a partition is assigned to broker {broker}, which is not registered")
        if broker == before:
            raise InvalidReplicaAssignment(f"a partition is assigned to broker {broker} twice")
        before = broker
    if replication_factor is not None and len(replicas) != replication_factor:
        raise InvalidReplicaAssignment(
            f"all partitions of a topic have equally many replicas: {replication_factor} before, {len(replicas)} here"
        )
    return tuple(BrokerId(broker) for broker in replicas)
