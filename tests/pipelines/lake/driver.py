"""A lake run in a process of its own, for tests that kill it: options as JSON in the first argument.

Says "ready" once its session stands, so that a kill hits the work rather than the start of a JVM. Its Spark is a little
cluster, whose executors are processes too.
"""

from __future__ import annotations

import json
import sys

from tests.pipelines.conftest import SMALL_SPARK
from tests.support.spark_processes import SMALL_CLUSTER, SURVIVING

from penstock.pipelines.jobs.catalogs import catalog_settings
from penstock.pipelines.jobs.lake import LakeOptions, run
from penstock.pipelines.session import spark_session


def main() -> None:
    given = json.loads(sys.argv[1])
    options = LakeOptions(**{**given, "topics": tuple(given["topics"])})
    settings = {**SMALL_SPARK, **SURVIVING, **catalog_settings(options)}
    spark = spark_session("lake driver", master=SMALL_CLUSTER, settings=settings)
    print("ready", flush=True)
    summary = run(options, spark=spark)
    print(json.dumps(summary.to_json()), flush=True)


if __name__ == "__main__":
    main()
