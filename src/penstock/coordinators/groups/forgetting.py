"""Offsets that go: deleted on request, with their group or their topic, or because nobody has used them for too long.

Deleting takes back what open transactions have committed too, so that it does not come back with their markers. What
nobody uses does not expire while a transaction is about to use it.
"""

from collections.abc import Iterator, Mapping

from penstock.coordinators.decision import Decision, Reply, Timer
from penstock.coordinators.groups.commands import DeleteOffsets, ExpiryDue, ForgetTopic
from penstock.coordinators.groups.offsets import GroupOffsets
from penstock.coordinators.groups.pending import PendingOffsets
from penstock.coordinators.groups.records import GroupKept, GroupRecord, OffsetKept
from penstock.coordinators.groups.state import CONSUMER, Group, GroupLimits, GroupState
from penstock.errors import GroupIdNotFound, GroupSubscribedToTopic, InvalidGroupId, NonEmptyGroup
from penstock.model import Millis
from penstock.wire.messages.offset_delete_response import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

FORGET_AT_ONCE = 1_000
"""Records that are taken back in one batch; the rest follow in the next."""


def delete(command: DeleteOffsets, group: Group | None, offsets: GroupOffsets, pending: PendingOffsets) -> Decision:
    request = command.request
    if not request.group_id:
        raise InvalidGroupId
    if group is None:
        raise GroupIdNotFound
    if group.state is not GroupState.EMPTY and group.protocol_type != CONSUMER:
        raise NonEmptyGroup  # what its members use cannot be told
    response = OffsetDeleteResponse()
    records: list[GroupRecord] = []
    for topic in request.topics:
        answered = OffsetDeleteResponseTopic(topic.name)
        response.topics.append(answered)
        code = GroupSubscribedToTopic.code if group.is_subscribed_to(topic.name) else 0
        known = offsets.get(topic.name, {})
        for part in topic.partitions:
            index = part.partition_index
            if not code and (index in known or pending.has(request.group_id, topic.name, index)):
                records.append(OffsetKept(request.group_id, topic.name, index, None))
            answered.partitions.append(OffsetDeleteResponsePartition(index, code))
    return Decision(records=records, replies=(Reply(command.address, response),))


def taken_back(group_id: str, offsets: GroupOffsets, pending: PendingOffsets) -> list[GroupRecord]:
    places = {(topic, partition): None for topic, parts in offsets.items() for partition in parts}
    places |= dict.fromkeys(pending.of_group(group_id))
    return [OffsetKept(group_id, topic, partition, None) for topic, partition in places]


def forget_topic(
    command: ForgetTopic, all_offsets: Mapping[str, GroupOffsets], pending: PendingOffsets, now: Millis
) -> Decision:
    places: dict[tuple[str, int], None] = {}
    topic, ids = command.topic, command.ids
    for offset in pending.of_topic(topic):
        if ids is None or (offset.committed is not None and offset.committed.topic_id in ids):
            places[offset.group_id, offset.partition] = None
    is_all = True
    for group_id, offsets in all_offsets.items():
        for partition, committed in offsets.get(topic, {}).items():
            if ids is None or committed.topic_id in ids:
                places[group_id, partition] = None
        if len(places) >= FORGET_AT_ONCE:
            is_all = False
            break
    return Decision(
        records=[OffsetKept(group_id, topic, partition, None) for group_id, partition in places],
        timers=() if is_all else (Timer(("forget", topic), now, command),),
    )


# Expiry ---------------------------------------------------------------------------------------------------------


def expire(
    groups: Mapping[str, Group],
    all_offsets: Mapping[str, GroupOffsets],
    pending: PendingOffsets,
    now: Millis,
    limits: GroupLimits,
) -> Decision:
    """Take back what is too old, and groups that have nothing left."""
    records: list[GroupRecord] = []
    again_at = Millis(now + limits.expiry_interval_ms)
    for group_id, group in groups.items():
        offsets = all_offsets.get(group_id, {})
        expired = list(_expired(group, offsets, pending, limits.wall(now), limits))
        records += expired
        is_idle = group.state is GroupState.EMPTY and not group.promised and not pending.is_open(group_id)
        if is_idle and len(expired) == sum(map(len, offsets.values())):
            records.append(GroupKept(group_id, None))
        if len(records) >= FORGET_AT_ONCE:
            again_at = now
            break
    return Decision(records=records, timers=(expiry_timer(again_at),))


def expiry_timer(at: Millis) -> Timer:
    return Timer(("expiry",), at, ExpiryDue())


def _expired(
    group: Group, offsets: GroupOffsets, pending: PendingOffsets, wall: Millis, limits: GroupLimits
) -> Iterator[OffsetKept]:
    """Members use what they are subscribed to. Of the rest: in an empty group all counts from when it became empty, in
    a stable or a simple one each from its commit; while a group rebalances nothing expires.
    """
    if group.protocol_type is None or (
        group.protocol_type == CONSUMER and group.subscribed is not None and group.state is GroupState.STABLE
    ):
        since = None
    elif group.state is GroupState.EMPTY:
        since = group.state_since
    else:
        return
    for topic, parts in offsets.items():
        if group.is_subscribed_to(topic):
            continue
        for partition, committed in parts.items():
            start = committed.committed_at if since is None else since
            end = committed.expires_at or start + limits.offsets_retention_ms
            if wall >= end and not pending.has(group.group_id, topic, partition):
                yield OffsetKept(group.group_id, topic, partition, None)
