"""Ranges cut into tasks by size; asks the cluster for a sample where a range might be too large for one."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.pipelines.source.cluster import Cluster
from penstock.pipelines.source.options import SourceOptions
from penstock.pipelines.source.planning import Range, split

WORTH_A_SAMPLE = 10_000
"""Records in a range below which its size is not looked at: a broker's default limit makes them 10 GB at the very most,
and usually 10 MB."""


def tasks(parts: Sequence[Range], options: SourceOptions, cluster: Cluster) -> list[Range]:
    large = {part.partition: part.start for part in parts if part.records > WORTH_A_SAMPLE}
    return split(
        parts,
        record_bytes=cluster.record_bytes(large) if large else {},
        bytes_max=options.partition_bytes_max,
        records_max=options.partition_records_max,
        partitions_min=options.partitions_min,
    )
