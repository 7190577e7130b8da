"""Making and altering Iceberg tables: SQL, from columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import types as t

from penstock.pipelines.jobs.lake.evolution import AddColumn, Change
from penstock.pipelines.problems import Kind, PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULT_NAMESPACE = "default"
PROPERTIES = {
    "format-version": "2",
    "write.wap.enabled": "true",  # a commit is staged first, then published with the progress: commits.py
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "50",
    "commit.retry.num-retries": "10",
}


def full_name(catalog: str, table: str) -> str:
    """`orders`, `sales.orders` and `lake.sales.orders` in the catalog `lake`, ready for SQL."""
    parts = table.split(".")
    if parts[0] == catalog and len(parts) > 1:
        parts = parts[1:]
    if len(parts) == 1:
        parts = [DEFAULT_NAMESPACE, *parts]
    if not all(parts):
        raise PipelineProblem(f"{table!r} is no table's name: namespace.name")
    return ".".join(quoted(part) for part in (catalog, *parts))


def plain(name: str) -> str:
    """For people."""
    return name.replace("`", "")


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def exists(spark: SparkSession, table: str) -> bool:
    return bool(spark.catalog.tableExists(table))


def java(spark: SparkSession, table: str) -> Any:
    """Iceberg's own table, read anew."""
    jvm: Any = spark._jvm
    return jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(spark._jsparkSession, table)


def identity(spark: SparkSession, table: str) -> str:
    """Differs when the table is another one under the same name."""
    if not exists(spark, table):
        raise PipelineProblem(f"there is no table {plain(table)} any more", kind=Kind.MISSING)
    return str(java(spark, table).uuid())


def create(spark: SparkSession, table: str, columns: t.StructType, *, by: str, column: str) -> None:
    """If it is not there; made with the properties that commits need either way."""
    spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {table.rpartition('.')[0]}")
    fields = ", ".join(f"{quoted(each.name)} {sql_type(each.dataType)}" for each in columns.fields)
    partitions = "" if by == "none" else f" PARTITIONED BY ({by}s({quoted(column)}))"
    properties = ", ".join(f"'{name}' = '{value}'" for name, value in PROPERTIES.items())
    spark.sql(f"CREATE TABLE IF NOT EXISTS {table} ({fields}) USING iceberg{partitions} TBLPROPERTIES ({properties})")


def make_ready(spark: SparkSession, table: str) -> None:
    """A table that somebody else made: only what commits cannot do without."""
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.wap.enabled' = 'true')")


def alter(spark: SparkSession, table: str, changes: list[Change]) -> None:
    for change in changes:
        column = ".".join(quoted(part) for part in change.path)
        if isinstance(change, AddColumn):
            spark.sql(f"ALTER TABLE {table} ADD COLUMN {column} {sql_type(change.kind)}")
        else:
            spark.sql(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {sql_type(change.kind)}")


def sql_type(kind: t.DataType) -> str:
    match kind:
        case t.StructType():
            inner = ", ".join(f"{quoted(each.name)}: {sql_type(each.dataType)}" for each in kind.fields)
            return f"STRUCT<{inner}>"
        case t.ArrayType():
            return f"ARRAY<{sql_type(kind.elementType)}>"
        case t.MapType():
            return f"MAP<{sql_type(kind.keyType)}, {sql_type(kind.valueType)}>"
    return kind.simpleString()
