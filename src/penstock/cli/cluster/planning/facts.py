"""What plans are made of: brokers and where they stand, partitions and who keeps them, and moves from here to there."""

from collections.abc import Mapping, Sequence

import msgspec

Replicas = tuple[int, ...]
Key = tuple[str, int]
"""A partition: its topic and number."""


class Place(msgspec.Struct, frozen=True):
    """A broker that is alive, and what would fail together with it."""

    id: int
    host: str = ""
    rack: str | None = None


class PartitionFacts(msgspec.Struct, frozen=True):
    topic: str
    index: int
    replicas: Replicas
    """What it has, or will have when the move under way is done. The first is the one that should lead."""
    leader: int = -1
    in_sync: Replicas = ()
    size_bytes: int | None = 0
    """None where no broker told: a plan counts it as empty, and does not show a figure."""
    adding: Replicas = ()
    removing: Replicas = ()

    @property
    def key(self) -> Key:
        return self.topic, self.index

    @property
    def name(self) -> str:
        return f"{self.topic}-{self.index}"

    @property
    def is_moving(self) -> bool:
        return bool(self.adding or self.removing)


class ClusterFacts(msgspec.Struct, frozen=True):
    brokers: Mapping[int, Place]
    """Those that are alive."""
    partitions: Sequence[PartitionFacts]

    def spread(self, replicas: Replicas) -> tuple[int, int]:
        """Over how many machines and racks they are: more survives more. A broker that is not alive counts for none."""
        places = [self.brokers[broker] for broker in replicas if broker in self.brokers]
        return len({place.host for place in places}), len({place.rack for place in places if place.rack is not None})


class Move(msgspec.Struct, frozen=True):
    """A partition's replicas before and after; the same ones in another order move no records, only who should lead."""

    topic: str
    index: int
    before: Replicas
    after: Replicas
    size_bytes: int | None = 0

    @property
    def name(self) -> str:
        return f"{self.topic}-{self.index}"

    @property
    def adding(self) -> Replicas:
        return tuple(broker for broker in self.after if broker not in self.before)

    @property
    def removing(self) -> Replicas:
        return tuple(broker for broker in self.before if broker not in self.after)

    @property
    def copied_bytes(self) -> int | None:
        if not self.adding:
            return 0
        return None if self.size_bytes is None else self.size_bytes * len(self.adding)


class NoPlace(Exception):
    """A partition has more replicas than there are brokers to keep them; in words."""


def moves_between(facts: ClusterFacts, wanted: Mapping[Key, Replicas]) -> list[Move]:
    """What it takes to get from what is to what is wanted; partitions that stay as they are have no move."""
    return [
        Move(each.topic, each.index, each.replicas, wanted[each.key], each.size_bytes)
        for each in sorted(facts.partitions, key=lambda each: each.key)
        if each.key in wanted and wanted[each.key] != each.replicas
    ]


def replaced(replicas: Replicas, *, old: int, new: int) -> Replicas:
    """The new one takes the old one's rank."""
    return tuple(new if broker == old else broker for broker in replicas)
