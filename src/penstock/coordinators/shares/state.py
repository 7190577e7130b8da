"""What is known of one share partition. Only `apply` of the machine changes it."""

import msgspec

from penstock.coordinators.shares.progress import Progress
from penstock.coordinators.shares.ranges import StateRanges
from penstock.coordinators.shares.states import ShareState, ShareSummary


class ShareLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that bound what is kept, as they were when the broker started."""

    updates_per_snapshot: int = 500
    prune_interval_ms: int = 300_000
    cold_after_ms: int = 300_000
    partitions_max: int = 20_000
    """Share partitions on one partition of `__share_group_state`."""
    ranges_max: int = 20_000
    """Rows of one share partition: a snapshot of them fits a batch of the log by far."""


class PartitionState(msgspec.Struct, gc=False, kw_only=True):
    snapshot_epoch: int
    state_epoch: int
    leader_epoch: int
    progress: Progress
    ranges: StateRanges
    create_timestamp: int
    write_timestamp: int
    """When the newest snapshot was written; updates leave it as it is, as in Kafka."""
    updates: int = 0
    """Since that snapshot."""
    relay: bytes = b""
    snapshot_at: int = 0
    """The offset of the batch of the log that has the snapshot, or a little before the snapshot: what lies before
    is of no use to this partition any more."""

    def as_read(self) -> ShareState:
        return ShareState(self.state_epoch, self.progress.start_offset, tuple(self.ranges), self.relay)

    def summary(self) -> ShareSummary:
        return ShareSummary(
            self.state_epoch, self.leader_epoch, self.progress.start_offset, self.progress.delivery_complete_count
        )


NO_SUMMARY = ShareSummary(state_epoch=0, leader_epoch=0, start_offset=-1, delivery_complete_count=-1)
"""Of a partition that nobody has initialized, as Kafka tells it."""
