"""The uniform assignor: every member holds as many partitions as any other, and keeps those it has.

In order of weight: every partition has one owner; the numbers of any two members differ by one at most, where their
subscriptions allow; as many partitions as exchanges can bring there are read in their member's rack; as few partitions
move as the rest permits.
"""

from collections.abc import Sequence
from itertools import chain

from penstock.coordinators.groups.assignors.balance import allowances, hand_out, level, release_surplus
from penstock.coordinators.groups.assignors.pools import Pool, ordered, pools_of
from penstock.coordinators.groups.assignors.racks import settle
from penstock.coordinators.groups.assignors.spec import Assignment, GroupAssignment, GroupSpec, MemberSpec, TopicView
from penstock.coordinators.groups.assignors.working_assignment import NOBODY, WorkingAssignment
from penstock.model import TopicId


def assign_uniformly(group: GroupSpec, topics: TopicView) -> GroupAssignment:
    named = ordered(group)
    members = [member for _, member in named]
    pools = pools_of(members, topics)
    numbering = _Numbering(pools, topics)
    work, dropped = _set_up(members, numbering, topics)
    match pools:
        case []:
            pass
        case [pool]:
            _balance_one(work, pool.members)
        case _:
            _balance_many(work, pools, numbering)
    _settle(work, pools, numbering)
    changed = work.changed() | dropped
    return {
        member_id: numbering.assignment(work.held[place]) if place in changed else member.assigned
        for place, (member_id, member) in enumerate(named)
    }


class _Numbering:
    """Partitions as numbers: pool by pool, topic by topic, so that each pool's numbers are one range."""

    def __init__(self, pools: Sequence[Pool], topics: TopicView) -> None:
        self.first: dict[TopicId, int] = {}
        self.items: list[range] = []
        self._topics: list[TopicId] = []
        for pool in pools:
            start = len(self._topics)
            for topic_id in pool.topics:
                self.first[topic_id] = len(self._topics)
                self._topics += [topic_id] * topics[topic_id].partitions
            self.items.append(range(start, len(self._topics)))

    def __len__(self) -> int:
        return len(self._topics)

    def assignment(self, items: set[int]) -> Assignment:
        partitions: dict[TopicId, list[int]] = {}
        for item in sorted(items):
            topic_id = self._topics[item]
            partitions.setdefault(topic_id, []).append(item - self.first[topic_id])
        return {topic_id: frozenset(numbers) for topic_id, numbers in partitions.items()}


def _set_up(
    members: Sequence[MemberSpec], numbering: _Numbering, topics: TopicView
) -> tuple[WorkingAssignment, set[int]]:
    """The assignment as the group has it now, and the members that lost something on the way to it.

    A partition is lost with its topic, with the subscription, and to another member that has it too (which no target
    assignment of ours says, but one that was read from a log might).
    """
    homes, dropped = [NOBODY] * len(numbering), set[int]()
    for place, member in enumerate(members):
        for topic_id, partitions in member.assigned.items():
            first = numbering.first.get(topic_id)
            if first is None or topic_id not in member.subscribed:
                dropped.add(place)
                continue
            count = topics[topic_id].partitions
            for partition in partitions:
                if partition < count and homes[first + partition] == NOBODY:
                    homes[first + partition] = place
                else:
                    dropped.add(place)
    racks = [member.rack for member in members]
    item_racks: list[frozenset[str]] | None = None
    if any(racks) and any(topics[topic_id].racks for topic_id in numbering.first):
        item_racks = [
            topics[topic_id].racks_of(partition)
            for topic_id in numbering.first
            for partition in range(topics[topic_id].partitions)
        ]
    return WorkingAssignment(homes, item_racks=item_racks, member_racks=racks), dropped


def _balance_one(work: WorkingAssignment, members: Sequence[int]) -> None:
    release_surplus(work, members, allowances([len(work.held[member]) for member in members], len(work.homes)))
    hand_out(work, members, work.unheld(range(len(work.homes))))


def _balance_many(work: WorkingAssignment, pools: Sequence[Pool], numbering: _Numbering) -> None:
    # Pools with few members go first: the others can still make up for what these have no choice about.
    for pool, items in sorted(zip(pools, numbering.items, strict=True), key=lambda pair: len(pair[0].members)):
        hand_out(work, pool.members, work.unheld(items))
    pool_of = list(chain.from_iterable([number] * len(items) for number, items in enumerate(numbering.items)))
    level(work, [pool.members for pool in pools], pool_of)


def _settle(work: WorkingAssignment, pools: Sequence[Pool], numbering: _Numbering) -> None:
    # What an exchange in one pool does to the loads may make room for one in another: all are asked until none helps.
    helped = True
    while helped:
        helped = False
        for pool, items in zip(pools, numbering.items, strict=True):
            helped |= settle(work, pool.members, items)
        helped = helped and len(pools) > 1
