"""Decisions about partitions, and the transactions that carry them out. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from penstock.cluster.elections import ElectedFrom
from penstock.cluster.image.shapes import PartitionImage, TopicImage
from penstock.cluster.keys import Keys
from penstock.cluster.records import PartitionRecord, encode
from penstock.metastore import OPERATIONS_MAX, Compare, Put, Revision, Transaction, created_at, unchanged_since
from penstock.model import BrokerId, TopicId, topic_id_text

_COMPARES_MAX = OPERATIONS_MAX - 2
"""Partitions and leaders in one transaction: each has a compare of its own. One more names the controller, and another
may name a broker that has to be away.
"""


class PartitionRef(NamedTuple):
    """A partition by name: what it is now is in the image."""

    topic_id: TopicId
    number: int


NO_EPOCHS: Mapping[PartitionRef, int] = {}


class PartitionWrite(NamedTuple):
    topic: TopicImage
    partition: PartitionImage
    """As it was decided from."""
    record: PartitionRecord
    how: ElectedFrom
    registered: Revision
    """The registration, as of the decision, of whoever is to lead."""

    @property
    def which(self) -> PartitionRef:
        return PartitionRef(self.topic.topic_id, self.partition.index)

    @property
    def is_election(self) -> bool:
        return self.record.leader_epoch != self.partition.leader_epoch

    @property
    def elects(self) -> bool:
        """Whether it makes somebody the leader, rather than nobody."""
        return self.is_election and self.record.leader >= 0


class Batch(NamedTuple):
    """Rulings that one transaction carries out, all or none."""

    rulings: Sequence[PartitionWrite]
    fence: Compare
    """What a controller's every write compares."""
    keys: Keys

    @property
    def transaction(self) -> Transaction:
        """Made when it is asked for: thousands of partitions are written down in turns, not at once."""
        leaders = {ruling.record.leader: ruling.registered for ruling in self.rulings if ruling.elects}
        compares = [self.fence, *(created_at(self.keys.broker(who), since) for who, since in sorted(leaders.items()))]
        puts = []
        for ruling in self.rulings:
            key = self.keys.partition(topic_id_text(ruling.topic.topic_id), ruling.partition.index)
            compares.append(unchanged_since(key, ruling.partition.revision))
            puts.append(Put(key, encode(ruling.record)))
        return Transaction(compares=tuple(compares), puts=tuple(puts))


def as_fit(rulings: Sequence[PartitionWrite]) -> Iterator[Sequence[PartitionWrite]]:
    """As many as one transaction compares: each partition, each leader once, and the controller."""
    some: list[PartitionWrite] = []
    leaders: dict[BrokerId, Revision] = {}
    for ruling in rulings:
        leader = ruling.record.leader
        if ruling.elects and leaders.get(leader) != ruling.registered:
            # A leader that registered anew between two decisions has two, which cannot both hold.
            if leader in leaders or len(some) + len(leaders) + 2 > _COMPARES_MAX:
                yield some
                some, leaders = [], {}
            leaders[leader] = ruling.registered
        if len(some) + len(leaders) >= _COMPARES_MAX:
            yield some
            some, leaders = [], {leader: ruling.registered} if ruling.elects else {}
        some.append(ruling)
    if some:
        yield some
