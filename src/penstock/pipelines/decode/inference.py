"""The schema that JSON values have, by Spark's own inference over all of them (or a sample)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pyspark.sql import functions as fn
from pyspark.sql.types import StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CORRUPT = "__corrupt"


def infer_json_schema(records: DataFrame, *, sample: float = 1.0) -> StructType:
    """Columns of the JSON objects in `value`: whole numbers are BIGINT, others DOUBLE, what disagrees is STRING.

    Values that are no JSON objects, and fields that are only ever null or empty, add no column.
    """
    spark = records.sparkSession
    text = fn.col("value").cast("string")
    objects = records.where(fn.ltrim(text).startswith("{")).select(text.alias("value"))
    # PySpark's own read.json takes an RDD of Python strings, which would pass every value through Python.
    jvm = spark._jvm
    assert jvm is not None
    lines = getattr(objects._jdf, "as")(jvm.org.apache.spark.sql.Encoders.STRING())
    reader = (
        spark._jsparkSession.read()
        .option("samplingRatio", str(sample))
        .option("dropFieldIfAllNull", "true")
        .option("columnNameOfCorruptRecord", CORRUPT)
        .option("mode", "PERMISSIVE")
    )
    inferred = StructType.fromJson(json.loads(reader.json(lines).schema().json()))
    return StructType([field for field in inferred.fields if field.name != CORRUPT])
