"""The driver that gets killed: a stream of numbers into a topic, started again and again with the same checkpoint.

How the rows are cut into tasks is drawn anew at every start, so that a batch which is run again is cut otherwise.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

from tests.support.spark_processes import SURVIVING

from penstock.pipelines.session import spark_session
from penstock.pipelines.sink import write_stream

SETTINGS = {
    **SURVIVING,
    # Two attempts of a task alive at once, as soon as one is slower than others.
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.quantile": "0.3",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.minTaskRuntime": "100ms",
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--master", required=True)
    parser.add_argument("--batches", type=int, required=True, help="at least; on until there is the file --enough")
    parser.add_argument("--enough", type=Path, required=True)
    parser.add_argument("--rows", type=int, required=True, help="of a batch")
    parser.add_argument("--keys", type=int, required=True)
    args = parser.parse_args()

    spark = spark_session("writing", master=args.master, settings=SETTINGS, jars=False)
    numbers = (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", args.rows)
        .option("numPartitions", random.randint(1, 5))
        .option("startTimestamp", 1_700_000_000_000)
        .load()
    )
    rows = numbers.selectExpr(
        f"cast(value % {args.keys} as string) as key", "cast(value as string) as value", "timestamp", "value as number"
    )
    query = write_stream(
        rows,
        checkpoint=args.checkpoint,
        bootstrap=args.bootstrap,
        topic=args.topic,
        order=["number"],
        tasks_max=random.randint(1, 4),
        trigger={"processingTime": "0 seconds"},
    )
    print("started", flush=True)
    batches = 0
    while query.isActive:
        progress = query.lastProgress
        if progress is not None and progress["batchId"] >= args.batches - 1 and args.enough.exists():
            batches = progress["batchId"] + 1
            query.stop()
            break
        time.sleep(0.2)
    failure = query.exception()
    if failure is not None:
        raise failure
    print(f"done {batches}", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
