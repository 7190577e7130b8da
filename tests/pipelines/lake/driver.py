"""A lake run in a process of its own, for tests that kill it: options as JSON in the first argument.

Says "ready" once its session stands, so that a kill hits the work rather than the start of a JVM. Its Spark is a little
cluster, whose executors are processes too.
"""

from __future__ import annotations

import json
import sys

from tests.pipelines.conftest import SMALL_SPARK

from penstock.pipelines.jobs.catalogs import catalog_settings
from penstock.pipelines.jobs.lake import LakeOptions, run
from penstock.pipelines.session import spark_session

SETTINGS = {
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.task.maxFailures": "20",
    "spark.executor.maxNumFailures": "1000",
    "spark.deploy.maxExecutorRetries": "-1",
}


def main() -> None:
    given = json.loads(sys.argv[1])
    options = LakeOptions(**{**given, "topics": tuple(given["topics"])})
    settings = {**SMALL_SPARK, **SETTINGS, **catalog_settings(options)}
    spark = spark_session("lake driver", master="local-cluster[2,1,1024]", settings=settings)
    print("ready", flush=True)
    summary = run(options, spark=spark)
    print(json.dumps(summary.to_json()), flush=True)


if __name__ == "__main__":
    main()
