"""Members that are there, come or go, in groups of either kind."""

from collections.abc import Iterator
from typing import Any

from penstock.coordinators.groups.assigned.records import AssignedRecord, Kept, SilenceRecord
from penstock.coordinators.groups.assigned.state import AssignedGroup, M
from penstock.errors import GroupMaxSizeReached, UnknownMemberId


def check_room(group: "AssignedGroup[Any]", member_id: str, members_max: int) -> None:
    if len(group.members) >= members_max and member_id not in group.members:
        raise GroupMaxSizeReached(f"the group has {members_max} members, which is all it may have")


def known_member(group: AssignedGroup[M], member_id: str) -> M:
    member = group.members.get(member_id)
    if member is None:
        raise UnknownMemberId(f"{member_id} is no member of group {group.group_id}")
    return member


def removal(group: "AssignedGroup[Any]", member_id: str, kept: Kept) -> Iterator[AssignedRecord | SilenceRecord]:
    group_id = group.group_id
    if member_id in group.silences:
        yield SilenceRecord(group_id, member_id, None)
    yield kept.current(group_id, member_id, None)
    yield kept.target(group_id, member_id, None)
    yield kept.told(group_id, member_id, None)
