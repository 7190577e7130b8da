"""Windows over a real topic: counts, sums, quantiles and distincts, each final window once, across restarts."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipelines.lake.conftest import Lake, Topic
from tests.support.topics import create, delete

from penstock.pipelines.jobs.lake import tables
from penstock.pipelines.jobs.rollup import RollupOptions, plan, rolled_up, rollup, run
from penstock.pipelines.jobs.rollup.measures import parse
from penstock.pipelines.problems import PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MINUTE_MS = 60_000
BEGIN_MS = 1_750_000_020_000  # a full minute


def test_measures_of_a_batch_are_what_python_computes(spark: SparkSession) -> None:
    rows = [(b"k", datetime.fromtimestamp(BEGIN_MS / 1000 + n, UTC), (n % 2, float(n), f"u{n % 7}")) for n in range(60)]
    decoded = spark.createDataFrame(
        rows, "key BINARY, event_time TIMESTAMP, data STRUCT<shop: INT, amount: DOUBLE, user: STRING>"
    )
    measures = [parse(each) for each in ("count", "sum:amount", "max:amount", "p50:amount", "distinct:user")]
    found = rolled_up(decoded, window="1 minute", by=["shop"], measures=measures, watermark="1 minute")
    assert found.columns == [
        "window_start", "window_end", "shop", "count", "sum_amount", "max_amount", "p50_amount", "distinct_user",
    ]  # fmt: skip
    for row in found.collect():
        amounts = [float(n) for n in range(60) if n % 2 == row.shop]
        assert (row["count"], row.sum_amount, row.max_amount) == (30, sum(amounts), max(amounts))
        assert row.p50_amount in sorted(amounts)[14:16] and row.distinct_user == 7


@pytest.mark.parametrize("text", ["median:x", "sum", "count:x", "p100:x", "p9x:y"])
def test_what_is_no_measure_is_refused(text: str) -> None:
    with pytest.raises(PipelineProblem, match="nothing to compute"):
        parse(text)


@pytest.mark.parametrize(("reader", "uncounted"), [("kafka", 1), ("penstock", 0)])
def test_each_final_window_is_written_once_across_restarts(
    spark: SparkSession, queue: Any, tmp_path: Path, reader: str, uncounted: int
) -> None:
    lake = Lake(spark, tmp_path / "warehouse")
    topic = Topic(queue.bootstrap, queue.fresh("sales"), partitions=1)
    to: dict[str, Any] = {
        "bootstrap": topic.bootstrap, "topic": topic.name, "table": "shop.minutes", "available_now": True,
        "warehouse": str(lake.folder), "catalog": lake.catalog, "schema": "shop INT, amount DOUBLE",
        "window": "1 minute", "watermark": "1 minute", "by": ["shop"], "measures": ["count", "sum:amount"],
        "reader": reader,
    }  # fmt: skip
    out = Topic(queue.bootstrap, queue.fresh("minutes"), partitions=2)
    to["to_topic"] = out.name
    for minute in range(2):
        topic.write([{"shop": n % 2, "amount": 1.5} for n in range(4)], timestamp_ms=BEGIN_MS + minute * MINUTE_MS)
    topic.write([b"bad"], timestamp_ms=BEGIN_MS)
    first = rollup(spark=spark, **to)
    assert (first.rows_in, first.bad_rows, first.details["open_groups"]) == (9, 1, 4)
    topic.write([{"shop": 0, "amount": 1.0}], timestamp_ms=BEGIN_MS + 10 * MINUTE_MS)
    assert rollup(spark=spark, **to).details["open_groups"] == 1, "the watermark has passed the others"
    topic.write([{"shop": 0, "amount": 1.0}] * 7, timestamp_ms=BEGIN_MS)  # all of one window and group
    late = rollup(spark=spark, **to)
    assert (late.rows_in, late.details["late_rows"]) == (7, 7), "each of them is counted, not what Spark made of them"
    # As if it was killed when the last batch had landed and Spark had not noted its end: that one is run again.
    noted = [each for each in (lake.folder / "checkpoints").glob("*/commits/*") if each.name.isdigit()]
    last = max(noted, key=lambda each: int(each.name))
    for each in (last, last.with_name(f".{last.name}.crc")):
        each.unlink()
    assert rollup(spark=spark, **to).details.get("uncounted_batches", 0) == uncounted
    rows = lake.table("minutes").collect()
    assert {(row.window_start.timestamp() * 1000, row.shop, row["count"], row.sum_amount) for row in rows} == {
        (BEGIN_MS + minute * MINUTE_MS, shop, 2, 3.0) for minute in (0, 1) for shop in (0, 1)
    }
    assert len(rows) == 4
    written = spark.read.format("penstock").option("bootstrap", out.bootstrap).option("topics", out.name).load()
    values = [json.loads(row.value) for row in written.collect()]
    assert sorted((each["window_start"], each["shop"], each["count"], each["sum_amount"]) for each in values) == [
        (f"2025-06-15T15:0{minute}:00.000Z", shop, 2, 3.0) for minute in (7, 8) for shop in (0, 1)
    ]
    other = RollupOptions(**{**to, "by": ("shop",), "measures": ("count", "max:amount")})
    for asked in (lambda: plan(other, spark), lambda: run(other, spark=spark)):
        with pytest.raises(PipelineProblem, match="not made for these windows: it has no column max_amount"):
            asked()
    with pytest.raises(PipelineProblem, match="another run"):
        rollup(spark=spark, **to, checkpoint=str(tmp_path / "other"))
    assert lake.table("minutes").count() == 4


NOT_UNDERSTOOD = "Spark does not understand schema, window or measures: "


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"window": "never"}, NOT_UNDERSTOOD),
        ({"slide": "often"}, NOT_UNDERSTOOD),
        ({"watermark": "soon"}, NOT_UNDERSTOOD),
        ({"watermark": "-1 minute"}, NOT_UNDERSTOOD),
        ({"measures": ("sum:price",)}, NOT_UNDERSTOOD),
        ({"by": ("city",)}, NOT_UNDERSTOOD),
        ({"schema": "shop WRONG"}, NOT_UNDERSTOOD),
        ({"schema": "INT"}, "a schema is a list of columns"),
        ({"event_time": "sold_at"}, "the schema has no field sold_at"),
        ({"measures": ("count", "count")}, "two columns would be called count"),
        ({"to_topic": "nowhere"}, "topic nowhere does not exist"),
    ],
)
def test_a_dry_run_refuses_what_the_run_would_refuse(
    spark: SparkSession, penstock_queue: Any, tmp_path: Path, wrong: dict[str, Any], words: str
) -> None:
    topic = create(penstock_queue.bootstrap, penstock_queue.fresh("sales"))
    right = RollupOptions(
        bootstrap=penstock_queue.bootstrap, topic=topic, table="shop.minutes", schema="shop INT", window="1 minute",
        warehouse=str(tmp_path / "warehouse"), available_now=True,
    )  # fmt: skip
    assert plan(right, spark).steps
    for asked in (lambda: plan(replace(right, **wrong), spark), lambda: run(replace(right, **wrong), spark=spark)):
        with pytest.raises(PipelineProblem, match=words):
            asked()


def test_a_topic_that_is_deleted_while_it_is_read_is_named(spark: SparkSession, queue: Any, tmp_path: Path) -> None:
    lake = Lake(spark, tmp_path / "warehouse")
    topic = Topic(queue.bootstrap, queue.fresh("sales"), partitions=1)
    topic.write([{"shop": 1}])

    class Deletes:
        def batch(self, progress: Any) -> None:
            if progress.rows:  # Spark may run a batch without rows behind it
                delete(queue.bootstrap, topic.name)

    options = RollupOptions(
        bootstrap=topic.bootstrap, topic=topic.name, table="shop.minutes", schema="shop INT", window="1 minute",
        catalog=lake.catalog, warehouse=str(lake.folder), interval_s=0.1,
    )  # fmt: skip
    # Where brokers make topics that are asked for, Spark's consumer has it made anew: then its records are gone.
    words = f"there is no topic {topic.name}|records of {topic.name} that were to be read are gone"
    with pytest.raises(PipelineProblem, match=words):
        run(options, spark=spark, watcher=Deletes())


def test_a_table_that_was_dropped_does_not_go_on_with_the_last_windows_alone(
    spark: SparkSession, penstock_queue: Any, tmp_path: Path
) -> None:
    lake = Lake(spark, tmp_path / "warehouse")
    topic = Topic(penstock_queue.bootstrap, penstock_queue.fresh("sales"), partitions=1)
    options = RollupOptions(
        bootstrap=topic.bootstrap, topic=topic.name, table="shop.minutes", available_now=True,
        warehouse=str(lake.folder), catalog=lake.catalog, schema="n INT", window="1 minute", watermark="1 minute",
    )  # fmt: skip
    for minute in (0, 10):
        topic.write([{"n": 1}], timestamp_ms=BEGIN_MS + minute * MINUTE_MS)
        run(options, spark=spark)
    assert lake.table("minutes").count() == 1
    columns = lake.table("minutes").schema
    spark.sql(f"DROP TABLE {lake.catalog}.shop.minutes")
    topic.write([{"n": 1}], timestamp_ms=BEGIN_MS + 20 * MINUTE_MS)
    with pytest.raises(PipelineProblem, match=r"shop\.minutes was dropped since the windows in .* were begun"):
        run(options, spark=spark)
    tables.create(spark, f"{lake.catalog}.shop.minutes", columns, by="none", column="")
    with pytest.raises(PipelineProblem, match=r"shop\.minutes was dropped and made anew since the windows in"):
        run(options, spark=spark)
    run(replace(options, checkpoint=str(tmp_path / "anew")), spark=spark)
    assert lake.table("minutes").count() == 2
