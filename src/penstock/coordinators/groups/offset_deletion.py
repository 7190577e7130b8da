"""Offsets that go: deleted on request, with their group or their topic, or because nobody has used them for too long.

Deleting takes back what open transactions have committed too, so that it does not come back with their markers. What
nobody uses does not expire while a transaction is about to use it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Protocol, TypeVar

from penstock.coordinators.decision import Decision, Reply, Timer
from penstock.coordinators.groups.commands import BeingDeleted, DeleteGroup, DeleteOffsets, ExpiryDue, ForgetTopic
from penstock.coordinators.groups.offsets import GroupOffsets
from penstock.coordinators.groups.pending_offsets import PendingOffsets
from penstock.coordinators.groups.records import GroupRecord, OffsetRecord
from penstock.coordinators.groups.share.records import KeptStatesRecord
from penstock.coordinators.groups.state import CONSUMER, Group, GroupLimits, GroupState
from penstock.errors import GroupIdNotFound, GroupSubscribedToTopic, InvalidGroupId, NonEmptyGroup
from penstock.model import Millis
from penstock.wire.messages.offset_delete_response import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

FORGET_AT_ONCE = 1_000
NAMES_AT_ONCE = 150_000
"""Records that are taken back in one batch, and characters of the names in their keys, which may be long: a batch that
the log does not take would be tried again for good. The rest follow in the next, after everybody else had a turn.
"""
DELETE_WITHIN_MS = 5_000
"""How long a group stays closed after a batch, should the next one not come: too few replicas may be in sync for it."""
LOOK_AT_ONCE = 5_000
"""Offsets looked at between two turns of the loop."""


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
                records.append(OffsetRecord(request.group_id, topic.name, index, None))
            answered.partitions.append(OffsetDeleteResponsePartition(index, code))
    return Decision(records=records, replies=(Reply(command.address, response),))


def delete_group(
    command: DeleteGroup,
    offsets: GroupOffsets,
    pending: PendingOffsets,
    now: Millis,
    *,
    end: Iterable[GroupRecord],
    timers: Sequence[Timer],
) -> Decision:
    """A group that nobody is in goes, with all it committed: the offsets first, and `end` last. Who comes while there
    are many to take back is told to come again. If the broker stops on the way, the group is there with what is left,
    nobody was told that it is gone, and whoever asks again has the rest taken back.
    """
    group_id = command.group_id
    records, is_all = _first_of(_taken_back(group_id, offsets, pending))
    if not is_all:
        again = Timer(("delete", group_id, str(command.address)), now, command)
        closed = BeingDeleted(group_id, Millis(now + DELETE_WITHIN_MS))
        return Decision(records=records, notes=(closed,), timers=(again,))
    return Decision(
        records=[*records, *end],
        notes=(BeingDeleted(group_id, None),),
        timers=timers,
        replies=(Reply(command.address, None),),
    )


def _taken_back(group_id: str, offsets: GroupOffsets, pending: PendingOffsets) -> Iterator[OffsetRecord]:
    for topic, parts in offsets.items():
        yield from (OffsetRecord(group_id, topic, partition, None) for partition in parts)
    for topic, partition in pending.of_group(group_id):
        if partition not in offsets.get(topic, {}):
            yield OffsetRecord(group_id, topic, partition, None)


def forget_topic(
    command: ForgetTopic,
    all_offsets: Mapping[str, GroupOffsets],
    pending: PendingOffsets,
    now: Millis,
    *,
    more: Iterable[KeptStatesRecord] = (),
) -> Decision:
    """`more` is what else groups keep of the topic, each time with what is left of it."""
    found: Iterable[OffsetRecord | KeptStatesRecord] = chain(_committed_on(command, all_offsets, pending), more)
    records, is_all = _first_of(found)
    # Another of that name may be forgotten at the same time.
    name = ("forget", command.topic, *sorted(map(bytes.hex, command.ids or ())))
    return Decision(records=records, timers=() if is_all else (Timer(name, now, command),))


def _committed_on(
    command: ForgetTopic, all_offsets: Mapping[str, GroupOffsets], pending: PendingOffsets
) -> Iterator[OffsetRecord]:
    topic, ids = command.topic, command.ids
    begun: set[tuple[str, int]] = set()
    for offset in pending.of_topic(topic):
        place = (offset.group_id, offset.partition)
        if place not in begun and (ids is None or (offset.committed and offset.committed.topic_id in ids)):
            begun.add(place)
            yield OffsetRecord(offset.group_id, topic, offset.partition, None)
    for group_id, offsets in all_offsets.items():
        for partition, committed in offsets.get(topic, {}).items():
            if (group_id, partition) not in begun and (ids is None or committed.topic_id in ids):
                yield OffsetRecord(group_id, topic, partition, None)


class _Sized(Protocol):
    @property
    def size(self) -> int: ...


R = TypeVar("R", bound=_Sized)


def _first_of(records: Iterable[R]) -> tuple[list[R], bool]:
    """As many as go into one batch, and whether that is all."""
    first: list[R] = []
    names = 0
    for record in records:
        names += record.size
        if first and (len(first) == FORGET_AT_ONCE or names > NAMES_AT_ONCE):
            return first, False
        first.append(record)
    return first, True


# Expiry ---------------------------------------------------------------------------------------------------------


def expire(
    left: Sequence[str],
    find: Callable[[str], tuple[Group, Iterable[GroupRecord]] | None],
    all_offsets: Mapping[str, GroupOffsets],
    pending: PendingOffsets,
    now: Millis,
    limits: GroupLimits,
) -> Decision:
    """Take back what is too old of the groups that are left to look at, and groups that have nothing left, with the
    records that make an end of them.
    """
    records: list[GroupRecord] = []
    looked_at = names = 0
    for number, group_id in enumerate(left):
        if looked_at >= LOOK_AT_ONCE or len(records) >= FORGET_AT_ONCE or names >= NAMES_AT_ONCE:
            return Decision(records=records, timers=(expiry_timer(now, left[number:]),))
        found = find(group_id)
        if found is None:
            continue
        group, end = found
        offsets = all_offsets.get(group_id, {})
        count = sum(map(len, offsets.values()))
        expired, is_all = _first_of(_expired(group, offsets, pending, limits.wall(now), limits))
        records += expired
        names += sum(record.size for record in expired)
        looked_at += 1 + count
        is_idle = group.state is GroupState.EMPTY and not group.promised and not pending.is_open(group_id)
        if is_idle and len(expired) == count:
            records += end
            names += len(group_id)
        elif not is_all:
            return Decision(records=records, timers=(expiry_timer(now, left[number:]),))
    return Decision(records=records, timers=(expiry_timer(Millis(now + limits.expiry_interval_ms)),))


def expiry_timer(at: Millis, left: Sequence[str] | None = None) -> Timer:
    return Timer(("expiry",), at, ExpiryDue(left=left))


def _expired(
    group: Group, offsets: GroupOffsets, pending: PendingOffsets, wall: Millis, limits: GroupLimits
) -> Iterator[OffsetRecord]:
    """Members use what they are subscribed to. Of the rest: in an empty group each counts from when it became empty,
    or from its commit where that came later; in a stable or a simple one from its commit; while a group rebalances
    nothing expires.
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
            start = committed.committed_at if since is None else max(since, committed.committed_at)
            end = committed.expires_at or start + limits.offsets_retention_ms
            if wall >= end and not pending.has(group.group_id, topic, partition):
                yield OffsetRecord(group.group_id, topic, partition, None)
