"""A warehouse a test, and topics filled with what the test says."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.topics import create, send

from penstock.pipelines.jobs.catalogs import catalog_settings
from penstock.pipelines.jobs.lake import LakeOptions, run
from penstock.pipelines.jobs.lake.commits import LakeTable
from penstock.pipelines.kafka_names import AdminClient, Producer
from penstock.pipelines.running import Summary

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Record = dict[str, Any] | bytes | None


class Died(Exception): ...


class Topic:
    def __init__(self, bootstrap: str, name: str, partitions: int = 2) -> None:
        self.bootstrap, self.name, self.partitions = bootstrap, name, partitions
        self.admin = AdminClient({"bootstrap.servers": bootstrap})  # kept: its futures fail when it is collected
        self.create()

    def create(self) -> None:
        create(self.bootstrap, self.name, self.partitions)

    def write(self, records: Sequence[Record], *, timestamp_ms: int = 1_750_000_000_000) -> None:
        """Round robin over the partitions, each record a millisecond after the one before."""
        producer = Producer({"bootstrap.servers": self.bootstrap})
        wanted = (
            {
                "key": str(n),
                "value": json.dumps(record).encode() if isinstance(record, dict) else record,
                "partition": n % self.partitions,
                "timestamp": timestamp_ms + n,
            }
            for n, record in enumerate(records)
        )
        send(producer, self.name, wanted)


class Lake:
    """One warehouse under a catalog of its own, since a session keeps the first settings of a catalog's name."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder
        self.catalog = f"lake_{uuid.uuid4().hex[:8]}"
        # Here and not only by a run in this session: a test may look at what other processes wrote.
        anything = LakeOptions(
            bootstrap="", topics=("any",), table="any.any", warehouse=str(folder), catalog=self.catalog
        )
        for name, value in catalog_settings(anything).items():
            spark.conf.set(name, value)

    def options(self, topic: Topic, **more: Any) -> LakeOptions:
        given: dict[str, Any] = {
            "bootstrap": topic.bootstrap,
            "topics": (topic.name,),
            "table": "shop.orders",
            "available_now": True,
            "warehouse": str(self.folder),
            "catalog": self.catalog,
            **more,
        }
        return LakeOptions(**given)

    def fill(self, topic: Topic, **more: Any) -> Summary:
        return run(self.options(topic, **more), spark=self.spark)

    def dies_before_the_good_ones(self, topic: Topic, **more: Any) -> None:
        """A run that ends between its two commits: bad rows are buried, good ones have not landed."""
        publish = LakeTable._publish

        def dying(table: LakeTable, *arguments: Any) -> Any:
            if not table.name.endswith("dead_letters`"):
                raise Died
            return publish(table, *arguments)

        with pytest.MonkeyPatch.context() as patched, pytest.raises(Died):
            patched.setattr(LakeTable, "_publish", dying)
            self.fill(topic, **more)

    def table(self, name: str = "orders") -> DataFrame:
        return self.spark.table(f"{self.catalog}.shop.{name}")

    def dead(self) -> DataFrame:
        return self.table("orders_dead_letters")

    def places(self, name: str = "orders") -> list[tuple[int, int]]:
        rows = self.table(name).select("record_partition", "record_offset").collect()
        return sorted((row[0], row[1]) for row in rows)


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    return Lake(spark, tmp_path / "warehouse")


@pytest.fixture
def topic(queue: Any) -> Topic:
    return Topic(queue.bootstrap, queue.fresh("orders"))
