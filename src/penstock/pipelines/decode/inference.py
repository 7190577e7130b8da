"""The schema that JSON values have, by Spark's own inference over all of them (or a sample)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CORRUPT = "__corrupt"


def infer_json_schema(records: DataFrame, *, sample: float = 1.0) -> StructType:
    """Columns of the JSON objects in `value`: whole numbers are BIGINT, others DOUBLE, what disagrees is STRING.

    Values that are no JSON objects, and fields that are only ever null or empty, add no column.
    """
    text = fn.col("value").cast("string")
    objects = records.where(fn.ltrim(text).startswith("{")).select(text.alias("value"))
    # PySpark's own read.json takes an RDD of Python strings, which would pass every value through Python.
    jvm = records.sparkSession._jvm
    assert jvm is not None
    lines = getattr(objects._jdf, "as")(jvm.org.apache.spark.sql.Encoders.STRING())
    with _telling_case_apart(records.sparkSession) as session:
        reader = (
            session.read()
            .option("samplingRatio", str(sample))
            .option("dropFieldIfAllNull", "true")
            .option("columnNameOfCorruptRecord", CORRUPT)
            .option("mode", "PERMISSIVE")
        )
        inferred = StructType.fromJson(json.loads(reader.json(lines.toJavaRDD()).schema().json()))
    return StructType([field for field in inferred.fields if field.name != CORRUPT])


@contextmanager
def _telling_case_apart(spark: SparkSession) -> Iterator[Any]:
    """A session of the JVM's. One that does not tell case apart gives records with the same fields but for their case
    one schema, and the other spelling is in none. The tasks ask the data's session, what merges their answers the
    active one; the caller's own may be in use meanwhile, and stays as it is.
    """
    sessions = SparkSession._get_j_spark_session_class(spark._jvm)
    before, other = sessions.getActiveSession(), spark._jsparkSession.newSession()
    other.conf().set("spark.sql.caseSensitive", "true")
    sessions.setActiveSession(other)
    try:
        yield other
    finally:
        if before.isDefined():
            sessions.setActiveSession(before.get())
        else:
            sessions.clearActiveSession()
