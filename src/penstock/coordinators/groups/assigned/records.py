"""What is kept of such a group: a record of it, and three a member. Each kind of group has its own classes of them, by
which the machine knows whose they are, and its own bytes.

Each is about one key alone, so that a change of one member writes what changed and no more, however large the group.
None takes back what was kept under the key.
"""

from typing import Any, NamedTuple

import msgspec

from penstock.coordinators.groups.assigned.state import AssignedGroup, AssignedMember
from penstock.coordinators.groups.assignors import Assignment
from penstock.model import Millis

NO_ASSIGNMENT_EPOCH = -1


class EpochRecord(msgspec.Struct, frozen=True, gc=False):
    """The group and its epoch, or with None that there is no such group any more."""

    group_id: str
    epoch: int | None
    topics_hash: int = 0


class ToldRecord(msgspec.Struct, frozen=True):
    """Who a member is and what it wants; of `member` only that is kept here."""

    group_id: str
    member_id: str
    member: Any


class TargetEpoch(msgspec.Struct, frozen=True, gc=False):
    group_id: str
    epoch: int | None
    at: Millis | None = None


class TargetRecord(msgspec.Struct, frozen=True):
    """What a member is to own."""

    group_id: str
    member_id: str
    target: Assignment | None


class CurrentRecord(msgspec.Struct, frozen=True):
    """How far a member has come; of `member` only that is kept here."""

    group_id: str
    member_id: str
    member: Any


class SilenceRecord(msgspec.Struct, frozen=True, gc=False):
    """When a member was last heard of, by the wall clock; with None that it has been heard of since. It is of no kind,
    and of ours alone (ADR 42).
    """

    group_id: str
    member_id: str
    heard_at: Millis | None


class Kept(NamedTuple):
    """The classes of one kind's records."""

    epoch: type[EpochRecord]
    told: type[ToldRecord]
    target_epoch: type[TargetEpoch]
    target: type[TargetRecord]
    current: type[CurrentRecord]


AssignedRecord = EpochRecord | ToldRecord | TargetEpoch | TargetRecord | CurrentRecord


def takes_back(record: AssignedRecord) -> bool:
    match record:
        case EpochRecord(epoch=kept) | TargetEpoch(epoch=kept):
            return kept is None
        case ToldRecord(member=kept) | CurrentRecord(member=kept):
            return kept is None
        case TargetRecord(target=kept):
            return kept is None


def apply_record(group: "AssignedGroup[Any]", record: AssignedRecord) -> None:
    """All but the end of the group, which is its owner's to note."""
    match record:
        case EpochRecord(_, epoch, topics_hash):
            if epoch is not None:
                group.epoch, group.topics_hash = epoch, topics_hash
        case ToldRecord(_, member_id, None):
            group.drop(member_id)
        case ToldRecord(_, member_id, told):
            group.put(_with_current(told, _member(group, member_id)))
        case CurrentRecord(_, member_id, None):
            known = group.members.get(member_id)
            if known is not None:
                nothing = _with_current(known, group.new_member(member_id))
                group.put(msgspec.structs.replace(nothing, epoch=-1, previous_epoch=-1))
        case CurrentRecord(_, member_id, current):
            group.put(_with_current(_member(group, member_id), current))
        case TargetRecord(_, member_id, target):
            group.targets.pop(member_id, None)
            if target is not None:
                group.targets[member_id] = target
        case TargetEpoch(_, epoch, at):
            group.assignment_epoch = NO_ASSIGNMENT_EPOCH if epoch is None else epoch
            group.assigned_at = at


def apply_silence(group: "AssignedGroup[Any]", record: SilenceRecord) -> None:
    group.silences.pop(record.member_id, None)
    if record.heard_at is not None and record.member_id in group.members:
        group.silences[record.member_id] = record.heard_at


def _member(group: "AssignedGroup[Any]", member_id: str) -> Any:
    return group.members.get(member_id) or group.new_member(member_id)


def _with_current(member: AssignedMember, current: AssignedMember) -> AssignedMember:
    return msgspec.structs.replace(member, **{name: getattr(current, name) for name in member.kept_as_current})
