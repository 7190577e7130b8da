"""The range assignor: every member reads one range of each topic, the same range of topics of one size."""

from penstock.coordinators.groups.assignors.spec import GroupAssignment, GroupSpec, TopicView
from penstock.model import TopicId


def assign_ranges(group: GroupSpec, topics: TopicView) -> GroupAssignment:
    owned: dict[str, dict[TopicId, frozenset[int]]] = {member_id: {} for member_id in sorted(group.members)}
    for topic_id in sorted(topics):
        subscribers = [m for m in owned if topic_id in group.members[m].subscribed]
        start = 0
        for position, member_id in enumerate(subscribers):
            share, extra = divmod(topics[topic_id].partitions, len(subscribers))
            end = start + share + (position < extra)
            if end > start:
                owned[member_id][topic_id] = frozenset(range(start, end))
            start = end
    return dict(owned)
