"""Reading committed offsets: what there is at one moment, told piece by piece.

A group may have committed on tens of thousands of partitions, and spelling them out takes longer than anyone else
should wait. So the machine hands out what it has at that moment, which costs next to nothing, and the answer is made of
it with pauses.
"""

from collections.abc import Callable, Iterator

import msgspec

from penstock.coordinators.decision import Decision, Reply
from penstock.coordinators.groups.commands import FetchOffsets
from penstock.coordinators.groups.offsets import NO_TOPIC_ID, GroupOffsets, PartitionOffsets
from penstock.coordinators.groups.pending_offsets import PendingOffsets
from penstock.coordinators.groups.records import OffsetRecord
from penstock.coordinators.groups.state import CommittedOffset
from penstock.errors import UnstableOffsetCommit
from penstock.wire.messages.offset_fetch_response import (
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)

PIECE = 1_000
"""Partitions between two pauses: about a millisecond's worth."""
PROOF = OffsetRecord("", "", -1, None)
"""Says nothing: it takes back what no topic and no partition is named by. Of all of them compaction keeps the last."""
_FEW = 8
"""Fewer than one in so many of a topic's partitions are looked up one by one; else all are copied, which is quicker."""


class FoundOffsets(msgspec.Struct, frozen=True):
    group_id: str
    topics: list[tuple[str, PartitionOffsets, list[int] | None]]
    """With the partitions that were asked for; None: all that there are."""
    unstable: frozenset[tuple[str, int]]

    def fill(self, response: OffsetFetchResponseGroup, id_of: Callable[[str], bytes | None]) -> Iterator[None]:
        """Put the answer into a response, pausing now and then. `id_of` tells the id of the topic that has a name now,
        if there is one: what was committed on a former topic means nothing on it, also where too few replicas are in
        sync to take it back, or a transaction committed it late.
        """
        count = 0
        for topic, parts, indexes in self.topics:
            answered = OffsetFetchResponseTopics(topic)
            response.topics.append(answered)
            topic_id = id_of(topic)
            for index in sorted(parts) if indexes is None else indexes:
                found = parts.get(index)
                if found is None or _is_on(topic_id, found):
                    answered.partitions.append(self._place(topic, index, found))
                elif indexes is not None:
                    answered.partitions.append(self._place(topic, index, None))
                count += 1
                if count % PIECE == 0:
                    yield

    def _place(self, topic: str, index: int, found: CommittedOffset | None) -> OffsetFetchResponsePartitions:
        if self.unstable and (topic, index) in self.unstable:
            return OffsetFetchResponsePartitions(index, -1, -1, "", UnstableOffsetCommit.code)
        if found is None:
            return OffsetFetchResponsePartitions(index, -1, -1, "")
        return OffsetFetchResponsePartitions(index, found.offset, found.leader_epoch, found.metadata)


def _is_on(topic_id: bytes | None, committed: CommittedOffset) -> bool:
    """Without an id (an older broker's commit) it is taken to mean the topic of that name that is there."""
    return topic_id is None or committed.topic_id in (topic_id, NO_TOPIC_ID)


def fetch(command: FetchOffsets, offsets: GroupOffsets, pending: PendingOffsets) -> Decision:
    unstable = pending.of_group(command.group_id) if command.require_stable else ()
    topics: list[tuple[str, PartitionOffsets, list[int] | None]]
    if command.topics is None:
        topics = [(topic, dict(parts), None) for topic, parts in sorted(offsets.items())]
    else:
        topics = [(topic, _some(offsets.get(topic, {}), indexes), indexes) for topic, indexes in command.topics]
    found = FoundOffsets(command.group_id, topics, frozenset(unstable))
    records = (PROOF,) if command.proves_lead else ()
    return Decision(records=records, replies=(Reply(command.address, found),))


def _some(parts: PartitionOffsets, indexes: list[int]) -> PartitionOffsets:
    if len(indexes) * _FEW > len(parts):
        return dict(parts)
    return {index: parts[index] for index in indexes if index in parts}
