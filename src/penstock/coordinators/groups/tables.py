"""What groups of all kinds share in one partition of `__consumer_offsets`: ids, committed offsets, and limits.

An id is one group's, whatever its kind: a group that changes its kind takes the place of the former one.
"""

from typing import Any, TypeVar, get_args

import msgspec

from penstock.coordinators.decision import ClockMoved, InTransaction, TransactionEnded
from penstock.coordinators.groups.assigned import notes
from penstock.coordinators.groups.assigned.records import SilenceRecord, apply_silence
from penstock.coordinators.groups.assigned.state import AssignedGroup
from penstock.coordinators.groups.commands import BeingDeleted
from penstock.coordinators.groups.offsets import GroupOffsets
from penstock.coordinators.groups.pending_offsets import PendingOffsets, place_of
from penstock.coordinators.groups.records import OffsetRecord
from penstock.coordinators.groups.state import Group, GroupLimits
from penstock.errors import CoordinatorLoadInProgress, PolicyViolation
from penstock.model import Millis

G = TypeVar("G")


class GroupTables:
    def __init__(self, limits: GroupLimits) -> None:
        self.groups: dict[str, Any] = {}
        """By id. The class of a group is its kind."""
        self.offsets: dict[str, GroupOffsets] = {}
        self.offset_count = 0
        self.pending = PendingOffsets()
        self.limits = limits
        self.closed: dict[str, Millis] = {}
        """Groups that are being deleted, in several steps."""
        self.tickets = 0
        """Of work that has begun, whether or not its group is still there."""

    def of_kind(self, kind: type[G]) -> dict[str, G]:
        return {group_id: group for group_id, group in self.groups.items() if isinstance(group, kind)}

    def get(self, group_id: str, kind: type[G]) -> G | None:
        group = self.groups.get(group_id)
        return group if isinstance(group, kind) else None

    def drop(self, group_id: str, kind: type[Any]) -> None:
        """A group of another kind stays: it has taken the id over."""
        if isinstance(self.groups.get(group_id), kind):
            del self.groups[group_id]

    def offsets_of(self, group_id: str) -> GroupOffsets:
        return self.offsets.get(group_id, {})

    def check_room(self) -> None:
        if len(self.groups) >= self.limits.groups_max:
            raise PolicyViolation(
                f"{len(self.groups)} groups are coordinated here, and penstock.groups.per.partition.max is "
                f"{self.limits.groups_max}"
            )

    def check_open(self, group_id: str, now: Millis) -> None:
        until = self.closed.get(group_id)
        if until is not None and now < until:
            raise CoordinatorLoadInProgress(f"group {group_id} is being deleted")

    # Applying ---------------------------------------------------------------------------------------------------

    changes = (OffsetRecord, InTransaction, TransactionEnded, ClockMoved, BeingDeleted)

    def apply(self, change: Any) -> None:
        match change:
            case OffsetRecord():
                self._apply_offset(change)
                if self.pending.is_open(change.group_id):
                    self._outdo_pending(change)
            case InTransaction(producer_id, kept):
                self._simple_group(kept.group_id)
                self.pending.add(producer_id, kept)
            case TransactionEnded(producer_id, is_committed):
                for kept in self.pending.end(producer_id, is_committed=is_committed):
                    self._apply_offset(kept)
            case ClockMoved(wall_ahead_ms):
                self.limits = msgspec.structs.replace(self.limits, wall_ahead_ms=wall_ahead_ms)
            case BeingDeleted(group_id, until):
                self.closed.pop(group_id, None)
                if until is not None:
                    self.closed[group_id] = until

    changes_of_assigned = (SilenceRecord, *get_args(notes.Note))
    """Of groups whose members the broker assigns, whatever their kind."""

    def apply_to_assigned(self, change: Any) -> None:
        self.tickets += isinstance(change, notes.Working)
        group = self.groups.get(change.group_id)
        if not isinstance(group, AssignedGroup):
            return
        if isinstance(change, SilenceRecord):
            apply_silence(group, change)
        else:
            notes.apply_note(group, change)

    def _simple_group(self, group_id: str) -> None:
        if group_id not in self.groups:
            self.groups[group_id] = Group(group_id=group_id)

    def _outdo_pending(self, change: OffsetRecord) -> None:
        if change.committed is None:
            self.pending.forget(place_of(change))
        else:
            self.pending.outdo(place_of(change))

    def _apply_offset(self, change: OffsetRecord) -> None:
        group_id, topic, partition = change.group_id, change.topic, change.partition
        if change.committed is not None:
            self._simple_group(group_id)
            parts = self.offsets.setdefault(group_id, {}).setdefault(topic, {})
            self.offset_count += partition not in parts
            parts[partition] = change.committed
            return
        of_group = self.offsets.get(group_id, {})
        of_topic = of_group.get(topic, {})
        if of_topic.pop(partition, None) is not None:
            self.offset_count -= 1
        if not of_topic:
            of_group.pop(topic, None)
        if not of_group:
            self.offsets.pop(group_id, None)
