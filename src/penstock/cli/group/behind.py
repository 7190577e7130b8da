"""How far groups are behind: committed offsets against the ends of partitions, and how old what waits is."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from penstock.cli.client import Cluster, failure
from penstock.cli.group.facts import GroupFacts, Member, committed_offsets
from penstock.cli.group.places import Place
from penstock.cli.kafka_names import AdminClient, Consumer, KafkaError, TopicPartition
from penstock.cli.reading import poll
from penstock.cli.topic.facts import PartitionRange, partition_ranges

_UNKNOWN_RANGE = PartitionRange(None, None)


@dataclass(frozen=True)
class PartitionLag:
    topic: str
    partition: int
    committed: int | None
    """None: a member reads the partition, but the group has committed nothing there."""
    begin: int | None
    end: int | None
    member: Member | None
    seconds: float | None = None
    """Age of the oldest record that is not yet read; None where it is not known, or was not asked for."""

    @property
    def records(self) -> int | None:
        if self.committed is None or self.end is None:
            return None
        return max(0, self.end - self.committed)

    def document(self) -> dict[str, Any]:
        return {
            "topic": self.topic,
            "partition": self.partition,
            "committed": self.committed,
            "begin": self.begin,
            "end": self.end,
            "lag_records": self.records,
            "lag_seconds": None if self.seconds is None else round(self.seconds, 3),
            "member": self.member.member_id if self.member else None,
            "client": self.member.client_id if self.member else None,
        }


def partition_lags(
    admin: AdminClient, cluster: Cluster, groups: Iterable[GroupFacts], *, in_seconds: bool
) -> dict[str, list[PartitionLag]]:
    """By group; partitions that it has committed or that its members read."""
    groups = list(groups)
    committed = committed_offsets(admin, cluster, [group.name for group in groups])
    owners = {group.name: group.owners() for group in groups}
    places = {group.name: sorted(committed[group.name].keys() | owners[group.name].keys()) for group in groups}
    ranges = known_ranges(admin, cluster, {place for of_group in places.values() for place in of_group})
    lags = {
        name: [
            PartitionLag(
                *place, committed[name].get(place), ranges[place].begin, ranges[place].end, owners[name].get(place)
            )
            for place in of_group
        ]
        for name, of_group in places.items()
    }
    return {name: _with_ages(cluster, of_group) if in_seconds else of_group for name, of_group in lags.items()}


def known_ranges(admin: AdminClient, cluster: Cluster, places: Iterable[Place]) -> dict[Place, PartitionRange]:
    """Of partitions that may not exist any more: offsets outlive topics, and asking for such would wait in vain."""
    topics = cluster.reach(admin).topics
    places = list(places)
    existing = [(topic, index) for topic, index in places if topic in topics and index in topics[topic].partitions]
    ranges = partition_ranges(admin, cluster, existing)
    return {place: ranges.get(place, _UNKNOWN_RANGE) for place in places}


def total_records(lags: Iterable[PartitionLag]) -> int | None:
    known = [lag.records for lag in lags if lag.records is not None]
    return sum(known) if known else None


def total_seconds(lags: Iterable[PartitionLag]) -> float | None:
    """A group is as late as its latest partition."""
    return max((lag.seconds for lag in lags if lag.seconds is not None), default=None)


def _with_ages(cluster: Cluster, lags: list[PartitionLag]) -> list[PartitionLag]:
    # What was deleted below `begin` cannot be read any more: the oldest that waits is there.
    waiting = {
        (lag.topic, lag.partition): max(lag.committed, lag.begin or 0)
        for lag in lags
        if lag.committed is not None and lag.records
    }
    written = written_at(cluster, waiting) if waiting else {}
    now_ms = time.time() * 1_000
    return [_with_age(lag, written, now_ms=now_ms) for lag in lags]


def _with_age(lag: PartitionLag, written: Mapping[Place, int | None], *, now_ms: float) -> PartitionLag:
    place = lag.topic, lag.partition
    seconds: float | None = None
    if lag.records == 0:
        seconds = 0.0
    elif place in written:
        moment_ms = written[place]
        # Clocks of producers may run ahead of ours.
        seconds = 0.0 if moment_ms is None else max(0.0, (now_ms - moment_ms) / 1_000)
    return PartitionLag(lag.topic, lag.partition, lag.committed, lag.begin, lag.end, lag.member, seconds)


def written_at(cluster: Cluster, offsets: Mapping[Place, int]) -> dict[Place, int | None]:
    """Timestamp of the first record at or after each offset; None where none is (transaction markers take offsets
    too). A partition that did not answer in time, or whose records have no timestamps, is left out.
    """
    consumer = cluster.consumer(
        **{
            "group.id": "penstock-cli",  # librdkafka wants one; assign() without commits leaves it unused
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_uncommitted",
            "queued.min.messages": 1,
            "fetch.message.max.bytes": 16_384,
        }
    )
    try:
        return _first_timestamps(consumer, cluster, offsets)
    finally:
        consumer.close()


def _first_timestamps(consumer: Consumer, cluster: Cluster, offsets: Mapping[Place, int]) -> dict[Place, int | None]:
    consumer.assign([TopicPartition(topic, index, offset) for (topic, index), offset in offsets.items()])
    found: dict[Place, int | None] = {}
    unanswered = set(offsets)
    deadline = time.monotonic() + cluster.timeout_s
    while unanswered and time.monotonic() < deadline:
        for message in poll(consumer):
            place = message.topic() or "", message.partition() or 0
            if place not in unanswered:
                continue
            error = message.error()
            if error is None:
                kind, timestamp_ms = message.timestamp()
                if kind != 0:
                    found[place] = timestamp_ms
            elif error.code() == KafkaError._PARTITION_EOF:
                found[place] = None
            else:
                raise failure(error, cluster, doing=f"read {place[0]}-{place[1]}")
            unanswered.discard(place)
            consumer.pause([TopicPartition(*place)])
    return found
