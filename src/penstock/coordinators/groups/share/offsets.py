"""Where a share group stands, set and deleted by hand: for groups that nobody is in. The state is another's to change
(the share coordinator's), so each has two steps: what is to be done, and that it was. Until then the group is closed.
"""

from collections.abc import Mapping

from penstock.coordinators.decision import Decision
from penstock.coordinators.groups.commands import BeingDeleted, DeleteGroup
from penstock.coordinators.groups.share import initialization
from penstock.coordinators.groups.share.commands import (
    AlterShareOffsets,
    DeleteShareOffsets,
    OffsetsAltering,
    OffsetsDeleting,
    StatesDeleted,
    StatesToDelete,
)
from penstock.coordinators.groups.share.records import KeptStatesRecord, ShareEpochRecord
from penstock.coordinators.groups.share.state import KeptStates, ShareGroup, TopicPart
from penstock.coordinators.groups.share.step import Step
from penstock.errors import NonEmptyGroup, UnknownTopicOrPartition
from penstock.model import Millis, TopicId
from penstock.wire.messages.alter_share_group_offsets_request import AlterShareGroupOffsetsRequestTopic
from penstock.wire.messages.alter_share_group_offsets_response import (
    AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponsePartition,
    AlterShareGroupOffsetsResponseTopic,
)
from penstock.wire.messages.delete_share_group_offsets_response import (
    DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
)

CLOSED_MS = 30_000
"""How long a group stays closed, should nobody come and say that it is done."""
NOTHING_TO_DELETE = "There is no offset information to delete."


def require_empty(group: ShareGroup) -> None:
    if group.members:
        raise NonEmptyGroup


def _close(step: Step) -> None:
    step.note(BeingDeleted(step.group.group_id, Millis(step.now + CLOSED_MS)))


# Setting --------------------------------------------------------------------------------------------------------


def alter(step: Step, command: AlterShareOffsets) -> Decision:
    """The group's epoch rises: whoever read a partition before is refused from then on."""
    group = step.group
    require_empty(group)
    response = AlterShareGroupOffsetsResponse()
    starts: dict[TopicId, dict[int, int]] = {}
    parts: dict[TopicId, TopicPart] = {}
    for topic in command.request.topics:
        answered, topic_starts = _altered(step, topic)
        response.responses.append(answered)
        if topic_starts:
            topic_id = TopicId(answered.topic_id)
            starts[topic_id] = topic_starts
            parts[topic_id] = TopicPart(topic.topic_name, frozenset(topic_starts))
    ordered = None
    if parts:
        epoch = group.epoch + 1
        step.keep(ShareEpochRecord(group.group_id, epoch, group.topics_hash))
        ordered = initialization.order(step, epoch, parts, starts)
        _close(step)
    step.reply(command.address, OffsetsAltering(response, ordered))
    return step.decision()


def _altered(
    step: Step, topic: AlterShareGroupOffsetsRequestTopic
) -> tuple[AlterShareGroupOffsetsResponseTopic, dict[int, int]]:
    facts = step.environment.topic_named(topic.topic_name)
    count = 0 if facts is None else facts.partitions
    answered = AlterShareGroupOffsetsResponseTopic(topic.topic_name)
    if facts is not None:
        answered.topic_id = facts.topic_id
    starts: dict[int, int] = {}
    for part in topic.partitions:
        index = part.partition_index
        if 0 <= index < count:
            starts[index] = part.start_offset
            answered.partitions.append(AlterShareGroupOffsetsResponsePartition(index))
        else:
            refusal = UnknownTopicOrPartition()
            answered.partitions.append(AlterShareGroupOffsetsResponsePartition(index, refusal.code, refusal.message))
    return answered, starts


# Deleting -------------------------------------------------------------------------------------------------------


def delete(step: Step, command: DeleteShareOffsets) -> Decision:
    group = step.group
    require_empty(group)
    response = DeleteShareGroupOffsetsResponse()
    wanted: dict[TopicId, str] = {}
    for topic in command.request.topics if group.states is not None else ():
        facts = step.environment.topic_named(topic.topic_name)
        known = group.states.names() if group.states is not None else {}
        if facts is not None and facts.topic_id in known:
            wanted[facts.topic_id] = topic.topic_name
            continue
        message = UnknownTopicOrPartition().message if facts is None else NOTHING_TO_DELETE
        response.responses.append(
            DeleteShareGroupOffsetsResponseTopic(
                topic.topic_name, error_code=UnknownTopicOrPartition.code, error_message=message
            )
        )
    step.reply(command.address, OffsetsDeleting(response, wanted, _order_deletion(step, wanted)))
    return step.decision()


def delete_states(step: Step, command: DeleteGroup) -> Decision | None:
    """What goes before the group does; None where no state is kept of it."""
    group = step.group
    ordered = None if group.states is None else _order_deletion(step, group.states.names())
    if ordered is None:
        return None
    step.reply(command.address, ordered)
    return step.decision()


def _order_deletion(step: Step, topics: Mapping[TopicId, str]) -> StatesToDelete | None:
    """Of topics that are being deleted already it is not known how far that came: all is asked for again."""
    group, kept = step.group, step.group.states
    if kept is None or not topics:
        return None
    partitions: dict[TopicId, frozenset[int]] = {}
    for topic_id in topics:
        parts = {part for of in (group.initialized(), group.initializing()) for part in of.get(topic_id, ())}
        facts = step.environment.topic_with(topic_id)
        if topic_id in kept.deleting and facts is not None:
            parts.update(range(facts.partitions))
        partitions[topic_id] = frozenset(parts)
    step.keep(KeptStatesRecord(group.group_id, kept.delete(topics)))
    _close(step)
    there = {topic_id: parts for topic_id, parts in partitions.items() if parts}
    return StatesToDelete(group.group_id, there) if there else None


def deleted(step: Step, command: StatesDeleted) -> Decision:
    group = step.group
    kept = group.states or KeptStates()
    gone = command.topics & frozenset(kept.deleting)
    if gone:
        step.keep(KeptStatesRecord(group.group_id, kept.forget(gone)))
    step.note(BeingDeleted(group.group_id, None))
    step.reply(command.address, None)
    return step.decision()
