"""How large waiting records are, by a look at some of them: a batch is bounded in bytes as well as in records."""

from __future__ import annotations

from penstock.model import PartitionIndex, TopicPartition
from penstock.pipelines.jobs.lake.options import LakeOptions
from penstock.pipelines.jobs.ranges import Ranges
from penstock.pipelines.source.cluster import SAMPLE_RECORDS, Cluster
from penstock.pipelines.source.options import SourceOptions

SAMPLED_PARTITIONS_MAX = 4
LOOK_WITHIN_MS = 5_000


def records_within(options: LakeOptions, ranges: Ranges) -> int:
    """About how many records of these ranges are as much as a batch may have in bytes. Looks at the first and the last
    ones of the longest ranges, as records may grow along the way."""
    longest = sorted(ranges.items(), key=lambda each: each[1][0] - each[1][1])[:SAMPLED_PARTITIONS_MAX]
    if sum(end - first for first, end in ranges.values()) <= SAMPLE_RECORDS:
        return options.batch_records_max
    cluster = Cluster(
        SourceOptions(
            options.bootstrap,
            read_committed=options.isolation == "read_committed",
            broker_wait_ms=LOOK_WITHIN_MS,
            client=options.client,
        )
    )
    try:
        sizes: list[float] = []
        for place in (_first, _last):
            at = {TopicPartition(topic, PartitionIndex(number)): place(*bounds) for (topic, number), bounds in longest}
            sizes += cluster.record_bytes(at).values()
    finally:
        cluster.close()
    return as_records(options.batch_bytes_max, sizes, most=options.batch_records_max)


def _first(first: int, _end: int) -> int:
    return first


def _last(first: int, end: int) -> int:
    return max(first, end - SAMPLE_RECORDS)


def as_records(bytes_max: int, sizes: list[float], *, most: int) -> int:
    mean = sum(sizes) / len(sizes) if sizes else 0.0
    return most if mean <= 0 else min(most, max(1, int(bytes_max / mean)))
