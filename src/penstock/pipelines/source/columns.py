"""The columns of the source, named as in Spark's kafka source, and records made into them as Arrow batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import pyarrow as pa

from penstock.model import TopicPartition

if TYPE_CHECKING:
    from penstock.pipelines.kafka_names import Message

DDL = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP, timestampType INT"
DDL_WITH_HEADERS = f"{DDL}, headers ARRAY<STRUCT<key: STRING, value: BINARY>>"

_HEADERS = pa.list_(pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())]))
_FIELDS = [
    pa.field("key", pa.binary()),
    pa.field("value", pa.binary()),
    pa.field("topic", pa.string()),
    pa.field("partition", pa.int32()),
    pa.field("offset", pa.int64()),
    pa.field("timestamp", pa.timestamp("us", tz="UTC")),
    pa.field("timestampType", pa.int32()),
]
SCHEMA = pa.schema(_FIELDS)
SCHEMA_WITH_HEADERS = pa.schema([*_FIELDS, pa.field("headers", _HEADERS)])


def header_pairs(record: Message) -> Sequence[tuple[str, bytes | None]]:
    """The library's type also allows a dictionary, which only producers give."""
    return cast("Sequence[tuple[str, bytes | None]]", record.headers() or ())


def record_batch(partition: TopicPartition, records: Sequence[Message], *, headers: bool) -> pa.RecordBatch:
    count = len(records)
    stamps = [record.timestamp() for record in records]
    columns = [
        pa.array([record.key() for record in records], pa.binary()),
        pa.array([record.value() for record in records], pa.binary()),
        pa.repeat(pa.scalar(partition.topic, pa.string()), count),
        pa.repeat(pa.scalar(partition.partition, pa.int32()), count),
        pa.array([record.offset() for record in records], pa.int64()),
        # Kafka's milliseconds as Spark's microseconds; a record without a time has none, not one of 1970.
        pa.array([at * 1000 if kind else None for kind, at in stamps], pa.int64()).cast(pa.timestamp("us", tz="UTC")),
        # 0 is the producer's time and 1 the broker's, as in Spark; librdkafka counts from 1.
        pa.array([kind - 1 for kind, _ in stamps], pa.int32()),
    ]
    if not headers:
        return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)
    found = [[{"key": name, "value": value} for name, value in header_pairs(record)] or None for record in records]
    columns.append(pa.array(found, _HEADERS))
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA_WITH_HEADERS)
