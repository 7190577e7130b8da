"""The bytes of the one record that is ours (ADR 42): Kafka passes over types of records that it does not know."""

import struct
from typing import Final

from penstock.coordinators.groups.assigned.records import SilenceRecord
from penstock.model import Millis
from penstock.wire.messages.consumer_group_current_member_assignment_key import ConsumerGroupCurrentMemberAssignmentKey

RECORD_TYPE: Final = 0x5053
"""Beyond all of Kafka's types. Its keys are those of a member's current assignment, whatever the kind of its group."""
_TYPE = struct.Struct(">h")
_VALUE = struct.Struct(">hq")


def encode(record: SilenceRecord) -> tuple[bytes, bytes | None]:
    key = ConsumerGroupCurrentMemberAssignmentKey(record.group_id, record.member_id)
    value = None if record.heard_at is None else _VALUE.pack(0, record.heard_at)
    return _TYPE.pack(RECORD_TYPE) + key.encode(0), value


def decode(key: bytes, value: bytes | None) -> SilenceRecord:
    read = ConsumerGroupCurrentMemberAssignmentKey.decode(key, 0, _TYPE.size)
    heard_at = None if value is None else Millis(_VALUE.unpack_from(value)[1])
    return SilenceRecord(read.group_id, read.member_id, heard_at)
