"""Catalogs beside the embedded one: a REST catalog in a process of its own, and one that Spark's settings name."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.pipelines.lake.conftest import Lake, Topic
from tests.support.rest_catalog import rest_catalog

from penstock.pipelines.jobs.lake.commits import LakeTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def fill_twice(lake: Lake, topic: Topic, **catalog: Any) -> None:
    """Through the catalog given, with all that a table needs of one: made, grown, committed to, its upkeep done."""
    topic.write([{"id": 0}, {"id": 1}, b"bad"])
    lake.fill(topic, **catalog)
    topic.write([{"id": 2, "note": "new"}])
    lake.fill(topic, compact_every=1, expire_after_s=0.0, snapshots_min=1, **catalog)
    assert lake.fill(topic, **catalog).rows_in == 0


def check(spark: SparkSession, catalog: str) -> None:
    assert sorted((row.id, row.note) for row in spark.table(f"{catalog}.shop.orders").collect()) == [
        (0, None), (1, None), (2, "new"),
    ]  # fmt: skip
    assert spark.table(f"{catalog}.shop.orders_dead_letters").count() == 1
    assert LakeTable(spark, f"{catalog}.shop.orders", "lake").progress().sequence == 2


def test_a_rest_catalog_holds_the_tables(lake: Lake, topic: Topic, tmp_path: Path) -> None:
    name = f"rest_{uuid.uuid4().hex[:8]}"
    with rest_catalog(tmp_path / "rest") as address:
        fill_twice(lake, topic, catalog=name, catalog_uri=address)
        check(lake.spark, name)
    assert not (lake.folder / "shop").exists()


def test_any_catalog_that_sparks_settings_name_holds_the_tables(lake: Lake, topic: Topic, tmp_path: Path) -> None:
    name = f"own_{uuid.uuid4().hex[:8]}"
    key = f"spark.sql.catalog.{name}"
    settings = {
        key: "org.apache.iceberg.spark.SparkCatalog",
        f"{key}.type": "hadoop",
        f"{key}.warehouse": str(tmp_path / "own"),
    }
    fill_twice(lake, topic, catalog=name, settings=settings)
    check(lake.spark, name)
    assert (tmp_path / "own" / "shop" / "orders" / "metadata").is_dir()
