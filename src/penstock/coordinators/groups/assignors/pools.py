"""Pools: topics that the same members are subscribed to.

Within a pool any partition may go to any member, so balance and racks are settled there without asking who reads what.
A group whose members are all subscribed to the same topics, which is nearly every group, has one pool.
"""

from collections import defaultdict
from collections.abc import Container, Sequence

import msgspec

from penstock.coordinators.groups.assignors.spec import GroupSpec, MemberSpec
from penstock.model import TopicId


class Pool(msgspec.Struct, frozen=True):
    members: Sequence[int]
    """Places in the list of members that `ordered` makes, ascending."""
    topics: tuple[TopicId, ...]


def ordered(group: GroupSpec) -> list[tuple[str, MemberSpec]]:
    """Static members first, by instance id: their place outlives the member id, which a restart changes."""

    def place(member: tuple[str, MemberSpec]) -> tuple[bool, str, str]:
        member_id, spec = member
        return spec.instance_id is None, spec.instance_id or "", member_id

    return sorted(group.members.items(), key=place)


def pools_of(members: Sequence[MemberSpec], topics: Container[TopicId]) -> list[Pool]:
    """Every topic that somebody is subscribed to, in one pool; the pools and the topics in them are sorted."""
    alike: defaultdict[frozenset[TopicId], list[int]] = defaultdict(list)
    for place, member in enumerate(members):
        alike[member.subscribed].append(place)
    if len(alike) == 1:
        [subscribed] = alike
        return _pool(range(len(members)), [topic_id for topic_id in subscribed if topic_id in topics])
    readers: defaultdict[TopicId, list[int]] = defaultdict(list)
    crowds = list(alike.values())
    for number, subscribed in enumerate(alike):
        for topic_id in subscribed:
            if topic_id in topics:
                readers[topic_id].append(number)
    together: defaultdict[tuple[int, ...], list[TopicId]] = defaultdict(list)
    for topic_id, numbers in readers.items():
        together[tuple(numbers)].append(topic_id)
    pools: list[Pool] = []
    for crowd_numbers, topic_ids in together.items():
        pools += _pool(sorted(place for number in crowd_numbers for place in crowds[number]), topic_ids)
    return sorted(pools, key=lambda pool: pool.topics)


def _pool(members: Sequence[int], topic_ids: list[TopicId]) -> list[Pool]:
    return [Pool(members, tuple(sorted(topic_ids)))] if topic_ids else []
