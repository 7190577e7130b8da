"""What groups keep of topics that are not there any more, found when a coordinator has loaded: a topic may have been
deleted while nobody coordinated, or while the log was being read.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator

from penstock.cluster import ClusterImage
from penstock.coordinators.groups.commands import ForgetTopic
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.offsets import NO_TOPIC_ID

LOOKED_AT_ONCE = 5_000
"""Offsets between two turns of the loop."""


async def of_deleted_topics(machine: GroupMachine, image: ClusterImage) -> list[ForgetTopic]:
    """The image is looked at last and without a pause: what is deleted after that, everyone is told of."""
    ids: defaultdict[str, set[bytes]] = defaultdict(set)
    for number, (topic, topic_id) in enumerate(_ids(machine)):
        ids[topic].add(topic_id)
        if number % LOOKED_AT_ONCE == 0:
            await asyncio.sleep(0)
    return list(_forgetting(ids.items(), image))


def _ids(machine: GroupMachine) -> Iterator[tuple[str, bytes]]:
    """Nobody commits to a machine that is not serving yet."""
    for offsets in machine.tables.offsets.values():
        for topic, parts in offsets.items():
            for committed in parts.values():
                yield topic, committed.topic_id
    for kept in machine.tables.pending:
        if kept.committed is not None:
            yield kept.topic, kept.committed.topic_id
    yield from machine.shares.topics_known()


def _forgetting(topics: Iterable[tuple[str, set[bytes]]], image: ClusterImage) -> Iterator[ForgetTopic]:
    for topic, ids in topics:
        present = image.topics.get(topic)
        # Without an id (an older broker's commit) it is taken to mean the topic of that name that is there.
        gone = ids if present is None else ids - {present.topic_id, NO_TOPIC_ID}
        if gone:
            yield ForgetTopic(topic=topic, ids=frozenset(gone))
