"""What a group keeps in `__consumer_offsets`, in Kafka's own bytes, so that tools which read that topic understand it.

A key begins with its record type, a value with its schema version, two bytes each. A record without a value takes back
what was kept under its key. Types of other group protocols are let be.
"""

import struct

import msgspec

from penstock.coordinators.groups.assigned import silences
from penstock.coordinators.groups.assigned.records import AssignedRecord, SilenceRecord
from penstock.coordinators.groups.consumer import records as consumer
from penstock.coordinators.groups.consumer.record_decoding import decode as decode_consumer_record
from penstock.coordinators.groups.share import records as share
from penstock.coordinators.groups.state import CommittedOffset, Group, GroupState, Member
from penstock.model import Millis
from penstock.wire.messages.group_metadata_key import GroupMetadataKey
from penstock.wire.messages.group_metadata_value import GroupMetadataValue, MemberMetadata
from penstock.wire.messages.offset_commit_key import OffsetCommitKey
from penstock.wire.messages.offset_commit_value import OffsetCommitValue

_VERSION = struct.Struct(">h")
_OFFSET_COMMIT_LEGACY, _OFFSET_COMMIT, _GROUP_METADATA = 0, 1, 2
_OFFSET_VERSION, _OFFSET_VERSION_WITH_EXPIRY, _GROUP_VERSION = 4, 1, 3

_PARTITION = struct.Struct(">i")
_COMMON_VALUE = struct.Struct(">hqiBq3s16s")
"""What nearly all of millions of values are: version 4 without metadata (a length of 1), and with the topic's id as the
only tag (number 0, 16 bytes)."""
_NO_METADATA, _ONLY_TOPIC_ID = 1, b"\x01\x00\x10"
PLACES_REMEMBERED = 10_000
"""Groups with a topic whose names are read once for many offsets; at this many, remembering begins anew."""


class OffsetRecord(msgspec.Struct, frozen=True, gc=False):
    """A committed offset, or with None that there is none any more."""

    group_id: str
    topic: str
    partition: int
    committed: CommittedOffset | None

    @property
    def size(self) -> int:
        """Roughly, and what may be long: its names."""
        return len(self.group_id) + len(self.topic)


class GroupMetadataRecord(msgspec.Struct, frozen=True):
    """A generation of a group with its members' assignments, or with None that the group is deleted."""

    group_id: str
    value: GroupMetadataValue | None


GroupRecord = (
    OffsetRecord
    | GroupMetadataRecord
    | SilenceRecord
    | AssignedRecord
    | consumer.PatternRecord
    | share.KeptStatesRecord
)


class GroupCodec:
    def __init__(self) -> None:
        self._places: dict[bytes, tuple[str, str]] = {}

    def encode(self, record: GroupRecord) -> tuple[bytes, bytes | None]:
        if isinstance(record, OffsetRecord):
            key = OffsetCommitKey(record.group_id, record.topic, record.partition).encode(0)
            return _VERSION.pack(_OFFSET_COMMIT) + key, _offset_value(record.committed)
        if isinstance(record, SilenceRecord):
            return silences.encode(record)
        if not isinstance(record, GroupMetadataRecord):
            return share.encode(record) if isinstance(record, share.RECORDS) else consumer.encode(record)
        key = GroupMetadataKey(record.group_id).encode(0)
        if record.value is None:
            return _VERSION.pack(_GROUP_METADATA) + key, None
        return _VERSION.pack(_GROUP_METADATA) + key, _VERSION.pack(_GROUP_VERSION) + record.value.encode(_GROUP_VERSION)

    def decode(self, key: bytes, value: bytes | None) -> GroupRecord | None:
        (kind,) = _VERSION.unpack_from(key)
        if kind in (_OFFSET_COMMIT_LEGACY, _OFFSET_COMMIT):
            group_id, topic = self._places.get(key[:-4]) or self._place(key)
            return OffsetRecord(group_id, topic, _PARTITION.unpack_from(key, len(key) - 4)[0], _committed(value))
        if kind == _GROUP_METADATA:
            group_id = GroupMetadataKey.decode(key, 0, 2).group
            if value is None:
                return GroupMetadataRecord(group_id, None)
            (version,) = _VERSION.unpack_from(value)
            return GroupMetadataRecord(group_id, GroupMetadataValue.decode(value, version, 2))
        if kind == silences.RECORD_TYPE:
            return silences.decode(key, value)
        return decode_consumer_record(kind, key, value) or share.decode(kind, key, value)

    def _place(self, key: bytes) -> tuple[str, str]:
        place = OffsetCommitKey.decode(key, 0, 2)
        if len(self._places) >= PLACES_REMEMBERED:
            self._places.clear()
        self._places[key[:-4]] = (place.group, place.topic)
        return place.group, place.topic


def _offset_value(committed: CommittedOffset | None) -> bytes | None:
    if committed is None:
        return None
    version = _OFFSET_VERSION if committed.expires_at is None else _OFFSET_VERSION_WITH_EXPIRY
    value = OffsetCommitValue(
        offset=committed.offset,
        leader_epoch=committed.leader_epoch,
        metadata=committed.metadata,
        commit_timestamp=committed.committed_at,
        expire_timestamp=-1 if committed.expires_at is None else committed.expires_at,
        topic_id=committed.topic_id,
    )
    return _VERSION.pack(version) + value.encode(version)


def _committed(value: bytes | None) -> CommittedOffset | None:
    if value is None:
        return None
    if len(value) == _COMMON_VALUE.size:
        version, offset, leader_epoch, length, committed_at, tags, topic_id = _COMMON_VALUE.unpack(value)
        if version == _OFFSET_VERSION and length == _NO_METADATA and tags == _ONLY_TOPIC_ID:
            return CommittedOffset(offset, leader_epoch, "", committed_at, None, topic_id)
    (version,) = _VERSION.unpack_from(value)
    read = OffsetCommitValue.decode(value, version, 2)
    return CommittedOffset(
        offset=read.offset,
        leader_epoch=read.leader_epoch,
        metadata=read.metadata,
        committed_at=Millis(read.commit_timestamp),
        expires_at=None if read.expire_timestamp == -1 else Millis(read.expire_timestamp),
        topic_id=read.topic_id,
    )


def kept(group: Group) -> GroupMetadataRecord:
    """The group as it is to be found again: who is in it, under which protocol, with which assignments."""
    return GroupMetadataRecord(
        group.group_id,
        GroupMetadataValue(
            protocol_type=group.protocol_type or "",
            generation=group.generation,
            protocol=group.protocol,
            leader=group.leader,
            current_state_timestamp=-1 if group.state_since is None else group.state_since,
            members=[
                MemberMetadata(
                    member_id=member.member_id,
                    group_instance_id=member.instance_id,
                    client_id=member.client_id,
                    client_host=member.client_host,
                    rebalance_timeout=member.rebalance_timeout_ms,
                    session_timeout=member.session_timeout_ms,
                    subscription=member.metadata(group.protocol),
                    assignment=member.assignment,
                )
                for member in group.members.values()
            ],
        ),
    )


def kept_with_instance(group: Group, instance_id: str) -> GroupMetadataRecord | None:
    """What is kept of the group, with the id that a static member has now; None where that is what is kept, or the
    member is not.
    """
    value, member_id = group.last_kept, group.instances[instance_id]
    former = next((m for m in value.members if m.group_instance_id == instance_id), None) if value else None
    if value is None or former is None or former.member_id == member_id:
        return None
    renamed = msgspec.structs.replace(former, member_id=member_id)
    members = [renamed if member is former else member for member in value.members]
    leader = member_id if value.leader == former.member_id else value.leader
    return GroupMetadataRecord(group.group_id, msgspec.structs.replace(value, members=members, leader=leader))


def restored(record: GroupMetadataRecord) -> Group:
    value = record.value
    assert value is not None
    group = Group(
        group_id=record.group_id,
        state=GroupState.STABLE if value.members else GroupState.EMPTY,
        state_since=None if value.current_state_timestamp == -1 else Millis(value.current_state_timestamp),
        generation=value.generation,
        protocol_type=value.protocol_type or None,
        protocol=value.protocol,
        leader=value.leader,
        last_kept=value,
    )
    for kept_member in value.members:
        session_ms = kept_member.session_timeout
        group.members[kept_member.member_id] = Member(
            member_id=kept_member.member_id,
            instance_id=kept_member.group_instance_id,
            client_id=kept_member.client_id,
            client_host=kept_member.client_host,
            # Before there were rebalance timeouts, the session's served for both.
            rebalance_timeout_ms=session_ms if kept_member.rebalance_timeout == -1 else kept_member.rebalance_timeout,
            session_timeout_ms=session_ms,
            protocols=((value.protocol or "", kept_member.subscription),),
            assignment=kept_member.assignment,
        )
        if kept_member.group_instance_id is not None:
            group.instances[kept_member.group_instance_id] = kept_member.member_id
    group.subscribed = group.topics_of_members()
    return group
