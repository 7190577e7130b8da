"""`audit`: both ends read as they are when it begins, compared, and the findings told."""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyspark import StorageLevel
from pyspark.sql import functions as fn

from penstock.model.words import counted
from penstock.pipelines.jobs import catalogs
from penstock.pipelines.jobs.audit.comparing import KINDS, compare, samples, totals
from penstock.pipelines.jobs.audit.entries import entries, table_records
from penstock.pipelines.jobs.audit.options import AuditOptions, End
from penstock.pipelines.jobs.audit.report import Cell, Report, bucket_seconds
from penstock.pipelines.jobs.catalogs import is_unmade
from penstock.pipelines.jobs.copying import sessions
from penstock.pipelines.jobs.lake import tables
from penstock.pipelines.jobs.ranges import Ranges, read_ranges
from penstock.pipelines.jobs.topics import Topics, looked_at
from penstock.pipelines.problems import Kind, PipelineProblem
from penstock.pipelines.running import Plan, Stopping, Unwatched, Watcher
from penstock.pipelines.running.one_job import OneJob
from penstock.pipelines.session import check_startable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def audit(left: str, right: str, *, bootstrap: str = "", spark: SparkSession | None = None, **options: Any) -> Report:
    """`audit("topic:orders", "table:shop.orders", bootstrap="localhost:9092").same`"""
    ends: dict[str, Any] = {
        "left": End.parse(left, bootstrap=bootstrap),
        "right": End.parse(right, bootstrap=bootstrap),
    }
    return run(AuditOptions(**ends, **options), spark=spark)


def check(options: AuditOptions) -> None:
    """That the topics are there, without any Spark."""
    for end in (options.left, options.right):
        if end.kind == "topic":
            _ranges(options, end)


def plan(options: AuditOptions, spark: SparkSession | None = None) -> Plan:
    """Reads the clusters and the catalog, writes nothing."""
    if spark is None and (not options.has_table or is_unmade(options)):
        planned = _plan(options, None)
        check_startable(
            options.settings, master=options.master, jars=options.has_table or sessions.needs_jars(options.reader)
        )
        return planned
    with opened(options, spark) as session:
        return _plan(options, session)


def opened(options: AuditOptions, spark: SparkSession | None) -> AbstractContextManager[SparkSession]:
    """With the catalog where a table is compared; topics need none."""
    if options.has_table:
        return catalogs.opened(options, spark)
    return sessions.opened(options, spark, reader=options.reader)


def _plan(options: AuditOptions, spark: SparkSession | None) -> Plan:
    steps = []
    for side, end in (("left", options.left), ("right", options.right)):
        if end.kind == "topic":
            steps.append(f"{side}: {end}, {counted(_offsets(_ranges(options, end)), 'offset')}")
        else:
            _checked(_records_of(options, spark, end), options, end)
            steps.append(f"{side}: {end}")
    steps.append(f"match by {options.matching}, look at order within: {options.ordering}")
    return Plan("audit: compare two ends", tuple(steps))


def run(
    options: AuditOptions,
    *,
    spark: SparkSession | None = None,
    watcher: Watcher | None = None,
    stopping: Stopping | None = None,
) -> Report:
    del stopping  # one job of Spark's: it ends with the process, and has nothing to leave behind
    if spark is None:
        check(options)
    with opened(options, spark) as session:
        return _run(options, session, watcher or Unwatched())


def _run(options: AuditOptions, spark: SparkSession, watcher: Watcher) -> Report:
    (left, lefts), (right, rights) = (_entries(options, spark, end) for end in (options.left, options.right))
    with OneJob(spark, watcher, options.job, rows=lefts + rights) as work:
        report = _compared(options, spark, left, right)
    work.end(report.left_records + report.right_records)
    return report


def _compared(options: AuditOptions, spark: SparkSession, left: DataFrame, right: DataFrame) -> Report:
    compared = compare(left, right).persist(StorageLevel.MEMORY_AND_DISK)
    try:
        span = compared.agg(
            fn.min(fn.coalesce(fn.col("l.time"), fn.col("r.time"))),
            fn.max(fn.coalesce(fn.col("l.time"), fn.col("r.time"))),
        ).first()
        assert span is not None
        bucket_s = bucket_seconds((span[1] - span[0]).total_seconds() if span[0] is not None else 0)
        cells = tuple(
            Cell(
                row["partition"],
                row["bucket"],
                row["left"],
                row["right"],
                {kind: int(row[kind]) for kind in KINDS},
            )
            for row in totals(compared, bucket_s=bucket_s).collect()
        )
        found = [kind for kind in KINDS if any(cell.counts[kind] for cell in cells)]
        examples = {
            kind: [row.asDict() for row in samples(compared, kind, options.samples).collect()] for kind in found
        }
    finally:
        compared.unpersist()
    return Report(
        left=str(options.left),
        right=str(options.right),
        matching=options.matching,
        ordering=options.ordering,
        bucket_s=bucket_s,
        cells=cells,
        samples=examples,
        contents_compared=_keeps_values(options, spark),
    )


def _entries(options: AuditOptions, spark: SparkSession, end: End) -> tuple[DataFrame, int]:
    """And how many there are to read, at most."""
    records, rows = _topic(options, spark, end) if end.kind == "topic" else _table(options, spark, end)
    return entries(_checked(records, options, end), matching=options.matching, ordering=options.ordering), rows


def _checked(records: DataFrame, options: AuditOptions, end: End) -> DataFrame:
    """That they have what they are to be matched by."""
    if options.matching.partition(":")[0] in ("content", "field") and "value" not in records.columns:
        raise PipelineProblem(
            f"{end} does not keep values, so records cannot be matched by {options.matching}",
            hint="--match offset compares places; lake keeps values with --mode raw or --keep-value.",
        )
    return records


def _topic(options: AuditOptions, spark: SparkSession, end: End) -> tuple[DataFrame, int]:
    ranges = _ranges(options, end)
    if not ranges:
        empty = "key BINARY, value BINARY, partition INT, offset BIGINT, timestamp TIMESTAMP"
        return spark.createDataFrame([], f"{empty}, headers ARRAY<STRUCT<key: STRING, value: BINARY>>"), 0
    records = read_ranges(
        spark,
        ranges,
        reader=options.reader,
        bootstrap=end.bootstrap,
        isolation=options.isolation,
        client=options.client,
    )
    return _within(records, options), _offsets(ranges)


def _table(options: AuditOptions, spark: SparkSession, end: End) -> tuple[DataFrame, int]:
    records = _within(_records_of(options, spark, end), options)
    return records, spark.table(tables.full_name(options.catalog, end.name)).count()  # Iceberg knows without reading it


def _records_of(options: AuditOptions, spark: SparkSession | None, end: End) -> DataFrame:
    """A table's; without a session there is no catalog that could have it."""
    name = tables.full_name(options.catalog, end.name)
    if spark is None or not tables.exists(spark, name):
        raise PipelineProblem(f"there is no table {end.name} in catalog {options.catalog}", kind=Kind.MISSING)
    topic = options.topic_in_table
    if topic is None:
        topic = next((each.name for each in (options.left, options.right) if each.kind == "topic"), None)
    return table_records(spark.table(name), topic)


def _within(records: DataFrame, options: AuditOptions) -> DataFrame:
    """By the records' own time on both sides, so that the same records are asked for."""
    for limit_ms, is_from in ((options.from_ms, True), (options.to_ms, False)):
        if limit_ms is not None:
            limit = fn.lit(datetime.fromtimestamp(limit_ms / 1000, UTC))
            records = records.where(fn.col("timestamp") >= limit if is_from else fn.col("timestamp") < limit)
    return records


def _ranges(options: AuditOptions, end: End) -> Ranges:
    cluster = Topics(end.bootstrap, options.isolation, options.client, options.answer_s)
    state = looked_at(lambda: cluster.states([end.name]))[end.name]
    return {
        (end.name, partition): (first, last)
        for partition, (first, last) in enumerate(zip(state.begins, state.ends, strict=True))
        if last > first
    }


def _offsets(ranges: Ranges) -> int:
    return sum(last - first for first, last in ranges.values())


def _keeps_values(options: AuditOptions, spark: SparkSession) -> bool:
    for end in (options.left, options.right):
        if end.kind == "table":
            columns = dict(spark.table(tables.full_name(options.catalog, end.name)).dtypes)
            if "record_value" not in columns and columns.get("value") != "binary":
                return False
    return True
