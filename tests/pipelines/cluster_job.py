"""A job for a real cluster, run by test_spark_cluster.py: reads a topic by both sources, on all workers."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from penstock.pipelines import spark_session

SETTINGS = {
    "spark.executor.memory": "512m",
    "spark.cores.max": "2",
    "spark.driver.host": "127.0.0.1",
    # Wait for both workers, else the first one may be done before the second has come.
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
}


def places(batches: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
    """Rows and the folder of the executor that read them: each has its own."""
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"place": [str(Path.cwd())], "rows": [batch.num_rows]})


def main(bootstrap: str, topic: str, master: str) -> None:
    spark = spark_session("cluster job", master=master, settings=SETTINGS)
    counts = {}
    for kind in ("penstock", "kafka"):
        reader = spark.read.format(kind).option("kafka.bootstrap.servers", bootstrap).option("subscribe", topic)
        found = reader.load().select("value").mapInArrow(places, "place STRING, rows LONG").collect()
        counts[kind] = {"rows": sum(row.rows for row in found), "places": len({row.place for row in found})}
    spark.stop()
    sys.stdout.write(json.dumps(counts) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
