"""A job as people write them, run as a program by test_following.py: a topic into files until it is told to stop."""

import json
import sys

from penstock.pipelines import spark_session
from penstock.pipelines.running import BatchProgress, stop_on_signals
from penstock.pipelines.running.follow import follow
from penstock.pipelines.running.topic_stream import TopicStream


class Telling:
    def batch(self, progress: BatchProgress) -> None:
        sys.stdout.write(json.dumps({"batch": progress.batch, "rows": progress.rows, "lag": progress.lag}) + "\n")
        sys.stdout.flush()


def main(bootstrap: str, topic: str, folder: str, master: str) -> None:
    spark = spark_session("job", master=master, jars=False)
    stream = TopicStream(topic, bootstrap, (topic,), batch_records_max=10)
    with stop_on_signals() as stopping:
        values = stream.load(spark).selectExpr("CAST(value AS STRING) AS value")
        writer = values.writeStream.format("parquet").option("checkpointLocation", f"{folder}/checkpoint")
        query = stream.trigger(writer).start(f"{folder}/rows")
        followed = follow(query, stream, watcher=Telling(), stopping=stopping)
    spark.stop()
    sys.stdout.write(json.dumps({"stopped": followed.stopped}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
