"""Python decoders over Arrow batches: the part that Avro and Protobuf share.

Values become Python objects, those one Arrow column. If the column cannot be built, each row is tried alone, so
that one value that does not fit costs only its own row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.pandas.types import to_arrow_type
from pyspark.sql.types import BooleanType, StringType, StructField, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Decode = Callable[[bytes], dict[str, Any]]
"""Bytes to a value, or ValueError/LookupError with the reason; any other exception fails the task."""

REASON_CHARACTERS_MAX = 300


class Respelled(dict[str, Any]):
    """A value whose fields had other spellings than the columns: `respelled` in its row."""


def decode_rows(records: DataFrame, data: StructType, decoder: Callable[[], Decode]) -> DataFrame:
    """`decoder` is called once in each task, there to parse schemas and fill caches."""
    decoded = StructType(
        [StructField("data", data), StructField("error", StringType()), StructField("respelled", BooleanType())]
    )
    wanted = to_arrow_type(data)
    made: list[Decode] = []

    def run(column: pa.Array) -> pa.Array:
        if not made:
            made.append(decoder())
        values, errors = _decode_all(made[0], column.to_pylist())
        other = pa.array([isinstance(each, Respelled) for each in values], pa.bool_())
        columns = [_column(values, errors, wanted), pa.array(errors, pa.string()), other]
        return pa.StructArray.from_arrays(columns, names=decoded.names)

    # Only the values go to Python and back; headers that are null would cost more than decoding does, as Arrow's Java
    # writer goes through all nulls of a list column again at every row. Not deterministic, or else a filter over what
    # it gives would have Spark do it twice.
    udf: Any = arrow_udf(run, decoded)  # type: ignore[call-overload]  # by its hints, as Spark prefers
    rows = records.withColumn("__decoded", udf.asNondeterministic()("value"))
    return rows.select(*records.columns, *(f"__decoded.{name}" for name in decoded.names))


def _decode_all(decode: Decode, raw: list[bytes | None]) -> tuple[list[Any], list[str | None]]:
    values: list[Any] = [None] * len(raw)
    errors: list[str | None] = [None] * len(raw)
    for at, value in enumerate(raw):
        if value is None:
            continue
        try:
            values[at] = decode(value)
        except (ValueError, LookupError) as error:
            errors[at] = str(error)[:REASON_CHARACTERS_MAX]
    return values, errors


def _column(values: list[Any], errors: list[str | None], wanted: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, wanted)
    except (pa.ArrowException, ValueError, OverflowError, TypeError):
        for at, value in enumerate(values):
            try:
                pa.array([value], wanted)
            except (pa.ArrowException, ValueError, OverflowError, TypeError) as error:
                values[at] = None
                errors[at] = f"does not fit the columns: {error}"[:REASON_CHARACTERS_MAX]
        return pa.array(values, wanted)
