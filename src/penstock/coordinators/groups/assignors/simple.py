"""The simple assignor of share groups: a partition may be read by several members, and every one is read.

In order of weight: every partition has a reader, if anybody wants it; every member has something to read, if there is
anything it wants; the numbers of any two members with the same topics differ by one at most, and so do the numbers of
readers; as few partitions move as the rest permits. Racks play no part.

Where there are more members than partitions, each partition has as many readers as it takes for all to have one.
"""

from collections.abc import Mapping, Sequence
from math import ceil

from penstock.coordinators.groups.assignors.balance import allowances
from penstock.coordinators.groups.assignors.pools import Pool, pools_of
from penstock.coordinators.groups.assignors.spec import Assignment, GroupAssignment, MemberSpec
from penstock.model import TopicId

Item = tuple[TopicId, int]


def assign_shared(members: Mapping[str, MemberSpec], assignable: Mapping[TopicId, frozenset[int]]) -> GroupAssignment:
    named = sorted(members.items())
    topics = {topic_id: partitions for topic_id, partitions in assignable.items() if partitions}
    specs = [member for _, member in named]
    held: list[set[Item]] = [set() for _ in named]
    for pool in pools_of(specs, topics):
        _Pool(pool, specs, topics).settle(held)
    return {member_id: _assignment(held[place], member.assigned) for place, (member_id, member) in enumerate(named)}


def _assignment(items: set[Item], former: Assignment) -> Assignment:
    partitions: dict[TopicId, set[int]] = {}
    for topic_id, partition in sorted(items):
        partitions.setdefault(topic_id, set()).add(partition)
    assignment = {topic_id: frozenset(numbers) for topic_id, numbers in partitions.items()}
    return former if assignment == former else assignment


class _Pool:
    """Topics that the same members want: any of these may read any of their partitions."""

    def __init__(self, pool: Pool, members: Sequence[MemberSpec], topics: Mapping[TopicId, frozenset[int]]) -> None:
        items = [(topic_id, partition) for topic_id in pool.topics for partition in sorted(topics[topic_id])]
        self.members = pool.members
        self.readers_wanted = ceil(len(pool.members) / len(items))
        self.readers: dict[Item, set[int]] = {item: set() for item in items}
        self.mine: dict[int, set[Item]] = {place: set() for place in pool.members}
        for place in pool.members:
            for topic_id, partitions in members[place].assigned.items():
                for partition in partitions:
                    if (topic_id, partition) in self.readers:
                        self._give((topic_id, partition), place)
        loads = [len(self.mine[place]) for place in pool.members]
        quotas = allowances(loads, self.readers_wanted * len(items))
        self.quota = dict(zip(pool.members, quotas, strict=True))

    def settle(self, held: list[set[Item]]) -> None:
        self._take_surplus()
        self._fill()
        for place, items in self.mine.items():
            held[place] |= items

    def _give(self, item: Item, place: int) -> None:
        self.readers[item].add(place)
        self.mine[place].add(item)

    def _take(self, item: Item, place: int) -> None:
        self.readers[item].discard(place)
        self.mine[place].discard(item)

    def _take_surplus(self) -> None:
        """First from partitions with too many readers, of these from the fullest; then from members with too much,
        what has the most readers.
        """
        for item, readers in self.readers.items():
            surplus = len(readers) - self.readers_wanted
            if surplus > 0:
                for place in sorted(readers, key=lambda place: (-self._excess(place), place))[:surplus]:
                    self._take(item, place)
        for place in self.members:
            surplus = self._excess(place)
            if surplus > 0:
                for item in sorted(self.mine[place], key=lambda item: (-len(self.readers[item]), item))[:surplus]:
                    self._take(item, place)

    def _excess(self, place: int) -> int:
        return len(self.mine[place]) - self.quota[place]

    def _fill(self) -> None:
        """Each partition in turn gets the readers it lacks, those first who lack most. Whoever lacks something that it
        reads already exchanges with another: one who reads something else takes this, and gives that.
        """
        lacking = {place for place in self.members if self._excess(place) < 0}
        for item, readers in self.readers.items():
            while len(readers) < self.readers_wanted and lacking:
                free = lacking - readers
                if free:
                    place = min(free, key=lambda place: (self._excess(place), place))
                    self._give(item, place)
                else:
                    place = min(lacking, key=lambda place: (self._excess(place), place))
                    self._exchange(item, place)
                if self._excess(place) >= 0:
                    lacking.discard(place)

    def _exchange(self, item: Item, place: int) -> None:
        """Another member takes the item, and gives up one that this member does not read."""
        for other in self.members:
            spare = self.mine[other] - self.mine[place]
            if other not in self.readers[item] and spare:
                given = min(spare)
                self._take(given, other)
                self._give(item, other)
                self._give(given, place)
                return
        raise AssertionError("one who lacks something has less than others have")
