"""Reads what each replica has on disk, batch by batch, and compares them (RULES 24).

Replicas retain and compact on their own, so files need not be equal. A batch that two replicas have at one offset below
the high watermark must be, to the byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crc32c import crc32c
from tests.support.faults import checkpoint

from penstock.testing import RunningBroker
from penstock.wire.batch import CRC_FROM, HEADER_SIZE, LENGTH_OVERHEAD, BatchHeader


@dataclass
class ReplicaFiles:
    """One replica of one partition: its batches by base offset, and how far the broker knew them committed."""

    broker: int
    high_watermark: int = 0
    batches: dict[int, bytes] = field(default_factory=dict)
    damage: list[str] = field(default_factory=list)

    @property
    def end_offset(self) -> int:
        return BatchHeader.peek(self.batches[max(self.batches)]).next_offset if self.batches else 0


def read_replica(broker: int, folder: Path, high_watermark: int) -> ReplicaFiles:
    replica = ReplicaFiles(broker, high_watermark)
    for segment in sorted(folder.glob("*.log")):
        _read_segment(replica, segment)
    return replica


def _read_segment(replica: ReplicaFiles, segment: Path) -> None:
    data, position = segment.read_bytes(), 0
    while position + HEADER_SIZE <= len(data):
        header = BatchHeader.peek(data, position)
        end = position + header.length + LENGTH_OVERHEAD
        if header.magic != 2 or header.length < HEADER_SIZE - LENGTH_OVERHEAD or end > len(data):
            break
        batch = data[position:end]
        if crc32c(batch[CRC_FROM:]) != header.crc:
            replica.damage.append(f"{segment.name}: wrong checksum at byte {position}, offset {header.base_offset}")
        replica.batches[header.base_offset] = batch
        position = end
    if position < len(data):
        replica.damage.append(f"{segment.name}: {len(data) - position} bytes from {position} on are no batch")


def read_replicas(brokers: Mapping[int, RunningBroker], topic: str, partitions: int) -> dict[int, list[ReplicaFiles]]:
    """Of brokers that have stopped, by partition."""
    marks = {number: checkpoint(broker, "replication-offset-checkpoint") for number, broker in brokers.items()}
    return {
        index: [
            read_replica(number, broker.data_dir / f"{topic}-{index}", marks[number].get((topic, index), 0))
            for number, broker in brokers.items()
        ]
        for index in range(partitions)
    }


def compare(partition: int, replicas: Sequence[ReplicaFiles]) -> Iterator[str]:
    """Everything that is wrong, in words."""
    for replica in replicas:
        for damage in replica.damage:
            yield f"partition {partition}, broker {replica.broker}: {damage}"
        if replica.end_offset < replica.high_watermark:
            yield (
                f"partition {partition}, broker {replica.broker}: ends at {replica.end_offset}, below its own high"
                f" watermark {replica.high_watermark}"
            )
    committed = max((replica.high_watermark for replica in replicas), default=0)
    for number, one in enumerate(replicas):
        for other in replicas[number + 1 :]:
            both_have = min(committed, one.end_offset, other.end_offset)
            for offset in sorted(one.batches.keys() | other.batches.keys()):
                if offset >= both_have:
                    break
                if one.batches.get(offset) != other.batches.get(offset):
                    yield f"partition {partition}: brokers {one.broker} and {other.broker} differ at offset {offset}"
                    break
