"""The schema that JSON values have, by what is commonest among them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pyarrow as pa

from penstock.pipelines.decode.field_counts import FieldCounts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType


def infer_json_schema(records: DataFrame) -> StructType:
    """Columns of the JSON objects in `value`: whole numbers are BIGINT, others DOUBLE; of kinds that disagree the
    commonest. A name that comes in several spellings is there in all of them, the commonest first.

    Values that are no JSON objects, and fields that are only ever null or empty, add no column.
    """
    found = FieldCounts()
    for row in records.select("value").mapInArrow(_count_all, "counts STRING").collect():
        found.merge(FieldCounts.from_json(json.loads(row.counts)))
    return found.columns()


def _count_all(batches: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
    found = FieldCounts()
    for batch in batches:
        for value in batch.column(0).to_pylist():
            count(found, value)
    yield pa.RecordBatch.from_pydict({"counts": [json.dumps(found.to_json())]})


def count(found: FieldCounts, value: bytes | None) -> None:
    if value is None:
        return
    try:
        parsed = json.loads(value.decode())
        if isinstance(parsed, dict):
            found.add(parsed)
    except (ValueError, RecursionError):
        return  # a bad row, which says why when it is decoded
