"""Lays out the classes of Spark that a job loads, once, for the many Javas that the pipelines' tests start.

python -m tools.spark_classes .cache/spark-classes.jsa

A Spark spends half of its start on loading them. Java writes the file when the job ends; where it does not fit (another
Java, another Spark) Java leaves it alone and starts as ever.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.support.topics import create, write

import penstock.testing
from penstock.pipelines.jobs.lake import LakeOptions, run
from penstock.pipelines.session import spark_session


def main(file: Path) -> None:
    new = file.with_suffix(".new")
    new.unlink(missing_ok=True)
    # To this Java alone, and not to the one that works out its command. What it would say of classes that it leaves out
    # is of no use to anybody.
    settings = {
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": f"-XX:ArchiveClassesAtExit={new.resolve()} -Xlog:disable -XX:+UseSerialGC",
    }
    with tempfile.TemporaryDirectory() as folder, penstock.testing.broker(mode="process") as broker:
        create(broker.bootstrap, "orders", 2)
        write(broker.bootstrap, "orders", [b'{"id": 1, "item": "tea"}', b"no order"])
        spark = spark_session("classes", master="local[2]", settings=settings)
        java = spark.sparkContext._gateway.proc  # type: ignore[union-attr]
        options = LakeOptions(
            bootstrap=broker.bootstrap, topics=("orders",), table="shop.orders", available_now=True, warehouse=folder
        )
        run(options, spark=spark)
        spark.table("lake.shop.orders").groupBy("item").count().collect()
        spark.stop()
        java.stdin.close()  # as at the end of every driver
        java.wait()
    if new.exists():
        new.rename(file)
    else:
        print(f"this Java laid out no classes: without {file} a Spark takes longer to start", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
