"""A lake run in a process of its own, for tests that kill it: options as JSON in the first argument.

Says "ready" once its session stands, so that a kill hits the work rather than the start of a JVM.
"""

from __future__ import annotations

import json
import sys

from tests.pipelines.conftest import SMALL_SPARK

from penstock.pipelines.jobs.lake import LakeOptions, run
from penstock.pipelines.jobs.lake.catalogs import catalog_settings
from penstock.pipelines.session import spark_session


def main() -> None:
    given = json.loads(sys.argv[1])
    options = LakeOptions(**{**given, "topics": tuple(given["topics"])})
    spark = spark_session("lake driver", master="local[2]", settings={**SMALL_SPARK, **catalog_settings(options)})
    print("ready", flush=True)
    summary = run(options, spark=spark)
    print(json.dumps(summary.to_json()), flush=True)


if __name__ == "__main__":
    main()
