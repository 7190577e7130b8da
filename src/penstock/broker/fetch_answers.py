"""What a fetch is told of one partition: its records, that there are none, or that another replica is nearer."""

from penstock.replication import Partition
from penstock.wire.fetch import FetchPartition, PartitionAnswer


def idle(partition: Partition, committed_only: bool) -> PartitionAnswer:
    """What `read` answers where there is nothing to read."""
    return PartitionAnswer(
        partition.index,
        0,
        partition.high_watermark,
        partition.last_stable_offset,
        partition.start_offset,
        [] if committed_only else None,
    )


def preferred_elsewhere(partition: Partition, preferred: int) -> PartitionAnswer:
    return PartitionAnswer(
        partition.index,
        0,
        partition.high_watermark,
        partition.last_stable_offset,
        partition.start_offset,
        preferred_read_replica=preferred,
    )


def read(
    partition: Partition,
    asked: FetchPartition,
    committed_only: bool,
    left: int,
    *,
    at_least_one: bool,
    at_leader: bool = False,
) -> PartitionAnswer:
    epoch = max(asked.current_leader_epoch, -1)
    if at_leader:
        partition.require_leader(epoch)
    else:
        partition.require_reader(epoch)
    diverging = (
        partition.reader.diverging_epoch(asked.last_fetched_epoch, asked.offset)
        if asked.last_fetched_epoch >= 0
        else None
    )
    if diverging is not None:
        return PartitionAnswer(
            asked.index,
            high_watermark=partition.high_watermark,
            last_stable_offset=partition.last_stable_offset,
            log_start_offset=partition.start_offset,
            diverging_epoch=diverging,
        )
    readable = partition.reader.read(
        asked.offset,
        bytes_max=min(asked.bytes_max, left),
        committed_only=committed_only,
        at_least_one=at_least_one,
    )
    return PartitionAnswer(
        asked.index,
        0,
        readable.high_watermark,
        readable.last_stable_offset,
        readable.log_start_offset,
        readable.aborted,
        -1,
        readable.records,
    )
