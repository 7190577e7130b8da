"""The uniform assignor: every member reads as many partitions as any other."""

from penstock.coordinators.groups.assignors.spec import GroupAssignment, GroupSpec, TopicView
from penstock.model import TopicId


def assign_uniformly(group: GroupSpec, topics: TopicView) -> GroupAssignment:
    owned: dict[str, dict[TopicId, set[int]]] = {member_id: {} for member_id in sorted(group.members)}
    loads = dict.fromkeys(owned, 0)
    for topic_id in sorted(topics):
        subscribers = [m for m in owned if topic_id in group.members[m].subscribed]
        for partition in range(topics[topic_id].partitions if subscribers else 0):
            member_id = min(subscribers, key=lambda m: (loads[m], m))
            loads[member_id] += 1
            owned[member_id].setdefault(topic_id, set()).add(partition)
    return {m: {t: frozenset(p) for t, p in mine.items()} for m, mine in owned.items()}
