"""How far groups are behind: committed offsets against the ends of partitions, and how old what waits is."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from penstock.cli.client import Cluster
from penstock.cli.exits import Failure
from penstock.cli.group.facts import committed_offsets
from penstock.cli.places import Place
from penstock.cli.topic.offsets import PartitionRange, offsets_unknown, partition_ranges
from penstock.client import place
from penstock.client.described import GroupFacts, Member

POLL_S = 0.25
FIRST_RECORD_BYTES = 16_384
_GONE = PartitionRange(None, None)

FirstTimestamp = int | Literal["no record", "no timestamp"]
"""Milliseconds; or nothing but transaction markers is there, or the record has none."""


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
    problem: str | None = None
    """Why a figure is not known though the partition is there: its leader did not tell."""

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
            "problem": self.problem,
        }


def partition_lags(
    cluster: Cluster, groups: Iterable[GroupFacts], *, in_seconds: bool
) -> dict[str, list[PartitionLag]]:
    """By group; partitions that it has committed or that its members read."""
    groups = list(groups)
    committed = committed_offsets(cluster, [group.name for group in groups])
    owners = {group.name: group.owners() for group in groups}
    places = {group.name: sorted(committed[group.name].keys() | owners[group.name].keys()) for group in groups}
    ranges = known_ranges(cluster, {place for of_group in places.values() for place in of_group})
    lags = {
        name: [
            PartitionLag(
                *place,
                committed[name].get(place),
                ranges[place].begin,
                ranges[place].end,
                owners[name].get(place),
                problem=ranges[place].problem,
            )
            for place in of_group
        ]
        for name, of_group in places.items()
    }
    return {name: _with_ages(cluster, of_group) if in_seconds else of_group for name, of_group in lags.items()}


def known_ranges(cluster: Cluster, places: Iterable[Place]) -> dict[Place, PartitionRange]:
    """Of partitions that may not exist any more: offsets outlive topics, and asking for such would wait in vain."""
    with cluster.doing("list topics") as client:
        topics = client.list_topics()
    places = list(places)
    existing = [(topic, index) for topic, index in places if topic in topics and index in topics[topic].partitions]
    ranges = partition_ranges(cluster, existing)
    return {place: ranges.get(place, _GONE) for place in places}


def total_records(lags: Iterable[PartitionLag]) -> int | None:
    """None where a part of it is not known: what did not answer may be all that waits."""
    lags = list(lags)
    if any(lag.problem is not None and lag.records is None for lag in lags):
        return None
    known = [lag.records for lag in lags if lag.records is not None]
    return sum(known) if known else None


def total_seconds(lags: Iterable[PartitionLag]) -> float | None:
    """A group is as late as its latest partition: not known as long as the age of anything that waits is not."""
    lags = list(lags)
    if any(lag.seconds is None and (lag.records or lag.problem is not None) for lag in lags):
        return None
    return max((lag.seconds for lag in lags if lag.seconds is not None), default=None)


def unknown_lags(lags: Mapping[str, Iterable[PartitionLag]], cluster: Cluster) -> Failure | None:
    """One failure that names what could not be measured; None if all could."""
    problems = {
        (lag.topic, lag.partition): lag.problem
        for of_group in lags.values()
        for lag in of_group
        if lag.problem is not None
    }
    return offsets_unknown(problems, cluster) if problems else None


def _with_ages(cluster: Cluster, lags: list[PartitionLag]) -> list[PartitionLag]:
    # What was deleted below `begin` cannot be read any more: the oldest that waits is there.
    waiting = {
        (lag.topic, lag.partition): (max(lag.committed, lag.begin or 0), lag.end)
        for lag in lags
        if lag.committed is not None and lag.end is not None and lag.records
    }
    written = written_at(cluster, waiting) if waiting else {}
    now_ms = time.time() * 1_000
    return [_with_age(lag, written, was_asked=(lag.topic, lag.partition) in waiting, now_ms=now_ms) for lag in lags]


def _with_age(
    lag: PartitionLag, written: Mapping[Place, FirstTimestamp], *, was_asked: bool, now_ms: float
) -> PartitionLag:
    where = lag.topic, lag.partition
    if lag.records == 0:
        return replace(lag, seconds=0.0)
    if not was_asked:
        return lag
    if where not in written:
        return replace(lag, problem="its leader did not hand out the oldest record that waits")
    match written[where]:
        case int(moment_ms):
            # Clocks of producers may run ahead of ours.
            return replace(lag, seconds=max(0.0, (now_ms - moment_ms) / 1_000))
        case "no record":
            return replace(lag, seconds=0.0)
        case "no timestamp":
            return lag


def written_at(cluster: Cluster, waiting: Mapping[Place, tuple[int, int]]) -> dict[Place, FirstTimestamp]:
    """Of the first record from each offset on, up to an end. A partition that did not answer in time is left out."""
    found: dict[Place, FirstTimestamp] = {}
    unanswered = {place(*where): end for where, (_, end) in waiting.items()}
    deadline = time.monotonic() + cluster.timeout_s
    with (
        cluster.doing("read the oldest records that wait") as client,
        client.consumer(read_committed=False, partition_bytes=FIRST_RECORD_BYTES) as consumer,
    ):
        consumer.assign({place(*where): begin for where, (begin, _) in waiting.items()})
        while unanswered and time.monotonic() < deadline:
            for record in consumer.poll(POLL_S):
                found.setdefault(
                    (record.topic, record.partition),
                    record.timestamp_ms if record.timestamp_ms >= 0 else "no timestamp",
                )
            for where, end in list(unanswered.items()):
                position = consumer.position(where)
                if position is not None and position >= end:
                    found.setdefault(where, "no record")
                if where in found:
                    del unanswered[where]
                    consumer.pause([where])
    return found
