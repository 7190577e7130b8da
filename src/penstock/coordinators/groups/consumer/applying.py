"""What each record and note changes in a consumer group alone. Nothing here decides, fails or looks at a clock."""

from penstock.coordinators.groups.assigned import records
from penstock.coordinators.groups.consumer.commands import CalledToJoin
from penstock.coordinators.groups.consumer.records import ConsumerRecord, PatternRecord
from penstock.coordinators.groups.consumer.state import ConsumerGroup


def takes_back(record: ConsumerRecord) -> bool:
    return record.resolved is None if isinstance(record, PatternRecord) else records.takes_back(record)


def apply_record(group: ConsumerGroup, record: ConsumerRecord) -> None:
    """All but the end of the group, which is its owner's to note."""
    if not isinstance(record, PatternRecord):
        records.apply_record(group, record)
        return
    group.resolved.pop(record.pattern, None)
    if record.resolved is not None:
        group.resolved[record.pattern] = record.resolved


def apply_call(group: ConsumerGroup, note: CalledToJoin) -> None:
    if note.is_called:
        group.called_to_join[note.member_id] = None
    else:
        group.called_to_join.pop(note.member_id, None)
