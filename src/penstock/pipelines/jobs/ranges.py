"""A stretch of topics as a DataFrame, through Spark's own connector or ours: their options have the same names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Ranges = Mapping[tuple[str, int], tuple[int, int]]
"""By topic and partition: the first offset, and the one after the last."""


def read_ranges(
    spark: SparkSession,
    ranges: Ranges,
    *,
    reader: str,
    bootstrap: str,
    isolation: str = "read_committed",
    client: Mapping[str, str] | None = None,
) -> DataFrame:
    """Exactly these offsets: what is missing among them (compacted, aborted, markers) is not, what is lost fails."""
    rows = spark.read.format(reader).options(
        **{
            "kafka.bootstrap.servers": bootstrap,
            "assign": json.dumps(_by_topic(dict.fromkeys(ranges, 0), as_list=True)),
            "startingOffsets": json.dumps(_by_topic({place: first for place, (first, _) in ranges.items()})),
            "endingOffsets": json.dumps(_by_topic({place: end for place, (_, end) in ranges.items()})),
            "includeHeaders": "true",
            "failOnDataLoss": "true",
            "kafka.isolation.level": isolation,
            **{f"kafka.{name}": value for name, value in (client or {}).items()},
        }
    )
    return rows.load()


def _by_topic(values: Mapping[tuple[str, int], int], *, as_list: bool = False) -> dict[str, object]:
    nested: dict[str, dict[str, int]] = {}
    for (topic, partition), value in sorted(values.items()):
        nested.setdefault(topic, {})[str(partition)] = value
    return {topic: [int(each) for each in inner] if as_list else inner for topic, inner in nested.items()}
