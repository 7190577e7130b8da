"""Which offsets the next batch reads: pure."""

from __future__ import annotations

from collections.abc import Mapping

from penstock.pipelines.jobs.lake.progress import Progress
from penstock.pipelines.jobs.ranges import Ranges


def next_ranges(progress: Progress, ends: Mapping[str, tuple[int, ...]], *, records_max: int) -> Ranges:
    """What is there and not read, at most about `records_max` offsets of it, shared by how much each partition has.

    Every partition that has something gets at least one, so that a small one does not wait for a large one: the bound
    can be passed by one record a partition.
    """
    waiting = {
        (topic, partition): end - at
        for topic, kept in progress.topics.items()
        if topic in ends
        for partition, (at, end) in enumerate(zip(kept.next, ends[topic], strict=False))
        if end > at
    }
    total = sum(waiting.values())
    ranges = {}
    for (topic, partition), count in sorted(waiting.items()):
        share = count if total <= records_max else max(count * records_max // total, 1)
        first = progress.topics[topic].next[partition]
        ranges[topic, partition] = (first, first + share)
    return ranges


def lag(progress: Progress, ends: Mapping[str, tuple[int, ...]]) -> int:
    return sum(
        max(end - at, 0)
        for topic, kept in progress.topics.items()
        for at, end in zip(kept.next, ends.get(topic, ()), strict=False)
    )
