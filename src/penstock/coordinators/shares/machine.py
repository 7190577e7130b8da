"""The share coordinator of one partition of `__share_group_state`: all share partitions whose keys hash there.

A share partition begins with Initialize, a snapshot. Writes are updates on top of it, until there are many; then one is
written as a snapshot. Who reads as the leader of the partition is written down, and fences the leaders before it.

The log is not compacted: its beginning is cut. States are kept in the order of their newest snapshots, so the first one
says where the log must begin. One that nobody writes to would keep the cut from moving on: its snapshot is
written anew, but only when more is of no use in the log than is of use.

What always holds
- a write that was carried out is in every later answer of this share partition, until it is initialized or deleted;
- within a state epoch neither the start nor the state of a record goes back, in whatever order writes come;
- who has an older leader epoch than the latest reader, or an older state epoch than the latest initialization, changes
  nothing;
- what lies before the newest snapshot of every share partition is of no use to anybody;
- a machine that replays the log equals the one that wrote it.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from penstock.coordinators.decision import ClockMoved, Decision, Loaded, Reply
from penstock.coordinators.shares import commands, upkeep
from penstock.coordinators.shares.bugs import NO_BUGS, ShareBugs
from penstock.coordinators.shares.progress import UNCHANGED, Progress
from penstock.coordinators.shares.ranges import StateRanges
from penstock.coordinators.shares.records import Forgotten, Snapshot, Update
from penstock.coordinators.shares.state import NO_SUMMARY, PartitionState, ShareLimits
from penstock.coordinators.shares.states import SharePartitionKey, StateBatch, newer_relay
from penstock.errors import (
    FencedLeaderEpoch,
    FencedStateEpoch,
    InvalidRequest,
    PolicyViolation,
    UnknownTopicOrPartition,
)
from penstock.model import Millis

NOT_SAID = -1
"""As an epoch: the caller is not held to one."""


class ShareMachine:
    def __init__(self, limits: ShareLimits, *, index: int, bugs: ShareBugs = NO_BUGS) -> None:
        self.states: OrderedDict[SharePartitionKey, PartitionState] = OrderedDict()
        """In the order of their newest snapshots."""
        self._bugs = bugs
        self._limits = limits
        self._index = index
        self._batch_at = 0
        self._wall_ahead_ms = 0

    # Deciding ---------------------------------------------------------------------------------------------------

    def decide(self, command: Any, now: Millis) -> Decision:
        wall = Millis(now + self._wall_ahead_ms)
        match command:
            case commands.Write():
                return self._write(command, wall)
            case commands.Read():
                return self._read(command, wall)
            case commands.Initialize():
                return self._initialize(command, wall)
            case commands.Summarize():
                return self._summarize(command)
            case commands.Delete():
                return self._delete(command)
            case commands.ForgetTopics(topic_ids=topic_ids):
                return upkeep.forget(self.states, topic_ids, now)
            case commands.PruneDue():
                return upkeep.cut(self.states, self._index, self._batch_at, now, self._limits, self._bugs)
            case commands.ColdDue():
                return upkeep.renew_cold(self.states, self._batch_at, now, wall, self._limits)
            case Loaded():
                return Decision(timers=upkeep.first_timers(now, self._limits))
            case _:
                raise TypeError(f"no such command: {command}")

    def _write(self, command: commands.Write, wall: Millis) -> Decision:
        state = self._initialized(command, "written to")
        if NOT_SAID != command.leader_epoch < state.leader_epoch and not self._bugs.ignores_leader_epochs:
            raise FencedLeaderEpoch(f"{command.leader_epoch} is older than {state.leader_epoch}")
        if NOT_SAID != command.state_epoch < state.state_epoch:
            raise FencedStateEpoch(f"{command.state_epoch} is older than {state.state_epoch}")
        _require_there(command)
        self._require_room(command, state)
        said, leader_epoch = command.progress, state.leader_epoch
        record = self._increment(command.key, state, said, leader_epoch, command.batches, wall, relay=command.relay)
        return Decision(records=(record,), replies=(Reply(command.address, None),))

    def _read(self, command: commands.Read, wall: Millis) -> Decision:
        state = self._initialized(command, "read")
        if command.leader_epoch < state.leader_epoch:
            raise FencedLeaderEpoch(f"{command.leader_epoch} is older than {state.leader_epoch}")
        _require_there(command)
        replies = (Reply(command.address, state.as_read()),)
        if command.leader_epoch == state.leader_epoch or self._bugs.ignores_leader_epochs:
            return Decision(replies=replies)
        record = self._increment(command.key, state, state.progress, command.leader_epoch, (), wall)
        return Decision(records=(record,), replies=replies)

    def _increment(
        self,
        key: SharePartitionKey,
        state: PartitionState,
        said: Progress,
        leader_epoch: int,
        batches: Sequence[StateBatch],
        wall: Millis,
        relay: bytes = b"",
    ) -> Snapshot | Update:
        """An update, or a snapshot where it is time for one."""
        progress = said if self._bugs.repeats_go_back and said.start_offset >= 0 else state.progress.after(said)
        added = StateRanges(batches)
        added.drop_before(progress.start_offset)
        if state.updates < self._limits.updates_per_snapshot:
            start_offset = UNCHANGED if said.start_offset == UNCHANGED else progress.start_offset
            return Update(
                key=key,
                snapshot_epoch=state.snapshot_epoch,
                leader_epoch=leader_epoch,
                progress=progress._replace(start_offset=start_offset),
                batches=tuple(added),
                relay=relay,
            )
        ranges = state.ranges.copy()
        ranges.drop_before(progress.start_offset)
        if not self._bugs.snapshots_without_the_write:
            ranges.add(added)
        return Snapshot(
            key=key,
            snapshot_epoch=state.snapshot_epoch + 1,
            state_epoch=state.state_epoch,
            leader_epoch=leader_epoch,
            progress=progress,
            create_timestamp=wall,
            write_timestamp=wall,
            batches=tuple(ranges),
            relay=newer_relay(state.relay, relay),
        )

    def _initialize(self, command: commands.Initialize, wall: Millis) -> Decision:
        _require_key(command.key)
        state = self.states.get(command.key)
        if state is not None and NOT_SAID != command.state_epoch < state.state_epoch:
            raise FencedStateEpoch(f"{command.state_epoch} is older than {state.state_epoch}")
        _require_there(command)
        if state is None and len(self.states) >= self._limits.partitions_max:
            raise PolicyViolation(f"{self._limits.partitions_max} share partitions are kept here, which is the most")
        record = Snapshot(
            key=command.key,
            snapshot_epoch=0 if state is None else state.snapshot_epoch + 1,
            state_epoch=command.state_epoch,
            leader_epoch=0,
            progress=Progress(command.start_offset, -1 if command.start_offset == UNCHANGED else 0),
            create_timestamp=wall,
            write_timestamp=wall,
        )
        return Decision(records=(record,), replies=(Reply(command.address, None),))

    def _summarize(self, command: commands.Summarize) -> Decision:
        _require_key(command.key)
        _require_there(command)
        state = self.states.get(command.key)
        return Decision(replies=(Reply(command.address, NO_SUMMARY if state is None else state.summary()),))

    def _delete(self, command: commands.Delete) -> Decision:
        _require_key(command.key)
        _require_there(command)
        records = (Forgotten(command.key),) if command.key in self.states else ()
        return Decision(records=records, replies=(Reply(command.address, None),))

    def _initialized(self, command: commands.Question, what: str) -> PartitionState:
        _require_key(command.key)
        state = self.states.get(command.key)
        if state is None:
            raise InvalidRequest(f"a share partition must be initialized before it is {what}")
        return state

    def _require_room(self, command: commands.Write, state: PartitionState) -> None:
        if any(batch.first_offset < 0 or batch.last_offset < batch.first_offset for batch in command.batches):
            raise InvalidRequest("a batch ends before it begins, or begins before offset 0")
        left = state.ranges.count_from(max(command.progress.start_offset, state.progress.start_offset))
        if left + 2 * len(command.batches) > self._limits.ranges_max:  # one batch may split another in two
            raise PolicyViolation(f"{self._limits.ranges_max} rows of states are the most for one share partition")

    # Applying ---------------------------------------------------------------------------------------------------

    def place(self, batch_at: int) -> None:
        """What is applied from here on is in the batch of the log that begins at this offset."""
        self._batch_at = batch_at

    def apply(self, change: Any) -> None:
        match change:
            case Update():
                state = self.states.get(change.key)
                if state is not None:  # else its snapshot was cut off, for it is taken back further on
                    self._take(change, state)
            case Snapshot():
                self._begin(change)
            case Forgotten(key):
                self.states.pop(key, None)
            case ClockMoved(wall_ahead_ms):
                self._wall_ahead_ms = wall_ahead_ms

    def _take(self, update: Update, state: PartitionState) -> None:
        goes_back = self._bugs.repeats_go_back and update.progress.start_offset >= 0
        state.progress = update.progress if goes_back else state.progress.after(update.progress)
        state.leader_epoch = max(state.leader_epoch, update.leader_epoch)
        state.relay = newer_relay(state.relay, update.relay)
        state.ranges.add(update.batches)
        state.ranges.drop_before(state.progress.start_offset)
        state.updates += 1

    def _begin(self, snapshot: Snapshot) -> None:
        self.states[snapshot.key] = PartitionState(
            snapshot_epoch=snapshot.snapshot_epoch,
            state_epoch=snapshot.state_epoch,
            leader_epoch=snapshot.leader_epoch,
            progress=snapshot.progress,
            ranges=StateRanges(snapshot.batches),
            relay=snapshot.relay,
            create_timestamp=snapshot.create_timestamp,
            write_timestamp=snapshot.write_timestamp,
            snapshot_at=self._batch_at,
        )
        self.states.move_to_end(snapshot.key)


def _require_key(key: SharePartitionKey) -> None:
    if key.partition < 0:
        raise InvalidRequest("a partition has no number below 0")


def _require_there(command: commands.Question) -> None:
    if not command.is_there:
        raise UnknownTopicOrPartition(f"there is no partition {command.key.partition} of such a topic")
