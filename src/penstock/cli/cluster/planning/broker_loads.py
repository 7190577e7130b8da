"""How much each broker keeps while a plan is being made: replicas and bytes."""

from collections.abc import Iterable

from penstock.cli.cluster.planning.facts import ClusterFacts, Key, PartitionFacts, Replicas, replaced


class BrokerLoads:
    def __init__(self, facts: ClusterFacts, brokers: Iterable[int]) -> None:
        """Only these brokers are counted, and get anything."""
        self.facts = facts
        self.brokers = sorted(brokers)
        self.partitions: dict[Key, PartitionFacts] = {each.key: each for each in facts.partitions}
        self.replicas: dict[Key, Replicas] = {each.key: each.replicas for each in facts.partitions}
        self.kept: dict[int, set[Key]] = {broker: set() for broker in self.brokers}
        self.size_bytes: dict[int, int] = dict.fromkeys(self.brokers, 0)
        for key, replicas in self.replicas.items():
            for broker in replicas:
                self._count(key, broker, 1)

    def count(self, broker: int) -> int:
        return len(self.kept[broker])

    def size_of(self, key: Key) -> int:
        return self.partitions[key].size_bytes or 0

    def move(self, key: Key, *, old: int, new: int) -> None:
        self.replicas[key] = replaced(self.replicas[key], old=old, new=new)
        self._count(key, old, -1)
        self._count(key, new, 1)

    def _count(self, key: Key, broker: int, sign: int) -> None:
        if broker in self.kept:
            (self.kept[broker].add if sign > 0 else self.kept[broker].discard)(key)
            self.size_bytes[broker] += sign * self.size_of(key)

    def may_move(self, key: Key, *, old: int, new: int) -> bool:
        """No two replicas on one broker, and over no fewer machines and racks than before."""
        before = self.replicas[key]
        if new in before:
            return False
        hosts, racks = self.facts.spread(before)
        hosts_after, racks_after = self.facts.spread(replaced(before, old=old, new=new))
        return hosts_after >= hosts and racks_after >= racks
