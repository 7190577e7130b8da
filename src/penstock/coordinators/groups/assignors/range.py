"""The range assignor: partitions of the same number go to the same member, so that topics can be joined there.

Topics with as many partitions as each other and the same subscribers are taken together: whoever holds partition 3 of
one holds partition 3 of all of them. Each such set of topics is shared out by itself: of n numbers over m members each
holds n // m, and the first n % m members one more. A new group gets them in ranges, in the order of the members, as
Apache Kafka gives them; after that everyone keeps what it has, as far as balance and racks allow, rather than shift
every range when one member comes or goes.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import islice

from penstock.coordinators.groups.assignors.balance import allowances, release_surplus
from penstock.coordinators.groups.assignors.pools import ordered, pools_of
from penstock.coordinators.groups.assignors.racks import settle
from penstock.coordinators.groups.assignors.spec import GroupAssignment, GroupSpec, MemberSpec, TopicView
from penstock.coordinators.groups.assignors.working_assignment import NOBODY, WorkingAssignment
from penstock.model import TopicId


def assign_ranges(group: GroupSpec, topics: TopicView) -> GroupAssignment:
    named = ordered(group)
    members = [member for _, member in named]
    given: list[dict[TopicId, frozenset[int]]] = [{} for _ in members]
    for pool in pools_of(members, topics):
        subscribers = [members[place] for place in pool.members]
        for topic_ids in _of_equal_size(pool.topics, topics):
            for place, numbers in zip(pool.members, _share_out(subscribers, topic_ids, topics), strict=True):
                if numbers:
                    given[place].update(dict.fromkeys(topic_ids, numbers))
    # Equal or not, an unchanged member gets the very mapping back that it had: the caller may compare by identity.
    return {
        member_id: member.assigned if member.assigned == mine else mine
        for (member_id, member), mine in zip(named, given, strict=True)
    }


def _of_equal_size(topic_ids: Sequence[TopicId], topics: TopicView) -> list[list[TopicId]]:
    sizes: defaultdict[int, list[TopicId]] = defaultdict(list)
    for topic_id in topic_ids:
        sizes[topics[topic_id].partitions].append(topic_id)
    return [sizes[size] for size in sorted(sizes)]


def _share_out(
    subscribers: Sequence[MemberSpec], topic_ids: Sequence[TopicId], topics: TopicView
) -> list[frozenset[int]]:
    """The partition numbers of each subscriber, which hold for every one of these topics."""
    size, everyone = topics[topic_ids[0]].partitions, range(len(subscribers))
    work = WorkingAssignment(
        _homes(subscribers, topic_ids, size),
        item_racks=_racks(subscribers, topic_ids, topics),
        member_racks=[member.rack for member in subscribers],
    )
    allowed = allowances(work.loads(), size)
    release_surplus(work, everyone, allowed)
    waiting = iter(work.unheld(range(size)))
    for place in everyone:
        for number in islice(waiting, allowed[place] - len(work.held[place])):
            work.give(number, place)
    settle(work, everyone, range(size))
    return [frozenset(numbers) for numbers in work.held]


def _homes(subscribers: Sequence[MemberSpec], topic_ids: Sequence[TopicId], size: int) -> list[int]:
    """Whose each number is now: of several owners (another assignor was at work, or a topic has joined these) the one
    with most of the topics, and of those the first."""
    votes: list[Counter[int]] = [Counter() for _ in range(size)]
    together = frozenset(topic_ids)
    for place, member in enumerate(subscribers):
        for topic_id, numbers in member.assigned.items():
            if topic_id in together:
                for number in numbers:
                    if number < size:
                        votes[number][place] += 1
    return [max(owners, key=lambda place: (owners[place], -place)) if owners else NOBODY for owners in votes]


def _racks(
    subscribers: Sequence[MemberSpec], topic_ids: Sequence[TopicId], topics: TopicView
) -> list[frozenset[str]] | None:
    """Where a number can be read nearby in all of its topics; nowhere in particular if they have no rack in common."""
    shapes = [topics[topic_id] for topic_id in topic_ids]
    if not any(member.rack for member in subscribers) or not all(shape.racks for shape in shapes):
        return None
    return [
        frozenset.intersection(*(shape.racks_of(number) for shape in shapes)) for number in range(shapes[0].partitions)
    ]
