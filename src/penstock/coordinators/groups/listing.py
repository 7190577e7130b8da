"""Looking at groups, and deleting those that nobody is in."""

from collections.abc import Iterable

from penstock.coordinators.decision import Decision, Reply, Timer
from penstock.coordinators.groups.commands import DeleteGroup, DescribeGroup, ListGroups
from penstock.coordinators.groups.kind import GroupKind
from penstock.coordinators.groups.offset_deletion import delete_group
from penstock.coordinators.groups.offsets import GroupOffsets
from penstock.coordinators.groups.pending_offsets import PendingOffsets
from penstock.coordinators.groups.records import GroupMetadataRecord
from penstock.coordinators.groups.state import Group, GroupState
from penstock.coordinators.groups.tables import GroupTables
from penstock.errors import GroupIdNotFound, NonEmptyGroup
from penstock.model import Millis
from penstock.wire.messages.describe_groups_response import DescribedGroup, DescribedGroupMember

GROUP_ID_NOT_FOUND_FROM = 6


def list_groups(command: ListGroups, kinds: Iterable[GroupKind], tables: GroupTables) -> Decision:
    states = {state.strip().lower() for state in command.states}
    types = {name.strip().lower() for name in command.types}
    asked_for = (kind for kind in kinds if not types or kind.name in types)
    listed = (kind.listed(group) for kind in asked_for for group in tables.of_kind(kind.of).values())
    found = [group for group in listed if not states or group.group_state.lower() in states]
    return Decision(replies=(Reply(command.address, found),))


def describe(command: DescribeGroup, group: Group | None) -> Decision:
    return Decision(replies=(Reply(command.address, _described(command, group)),))


def _described(command: DescribeGroup, group: Group | None) -> DescribedGroup:
    if group is None:
        absent = DescribedGroup(group_id=command.group_id, group_state=GroupState.DEAD.value)
        if command.api_version >= GROUP_ID_NOT_FOUND_FROM:
            absent.error_code = GroupIdNotFound.code
            absent.error_message = f"Group {command.group_id} not found."
        return absent
    # Until everyone has its share, what members told is of two generations.
    is_stable = group.state is GroupState.STABLE
    return DescribedGroup(
        group_id=group.group_id,
        group_state=group.state.value,
        protocol_type=group.protocol_type or "",
        protocol_data=(group.protocol or "") if is_stable else "",
        members=[
            DescribedGroupMember(
                member_id=member.member_id,
                group_instance_id=member.instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                member_metadata=member.metadata(group.protocol) if is_stable else b"",
                member_assignment=member.assignment,
            )
            for member in group.members.values()
        ],
    )


def delete(
    command: DeleteGroup, group: Group | None, offsets: GroupOffsets, pending: PendingOffsets, now: Millis
) -> Decision:
    if group is None:
        raise GroupIdNotFound
    if group.state is not GroupState.EMPTY:
        raise NonEmptyGroup
    return delete_group(
        command,
        offsets,
        pending,
        now,
        end=(GroupMetadataRecord(group.group_id, None),),
        timers=[Timer((name, group.group_id), None) for name in ("sessions", "rebalance", "sync")],
    )
