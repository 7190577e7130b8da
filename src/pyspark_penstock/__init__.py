"""Makes Spark know format("penstock") by itself: it looks for packages called pyspark_*, and in them for this name.

Sessions that `penstock.pipelines.spark_session` makes register the format anyway; this is for all others.
"""

from penstock.pipelines.datasource import PenstockDataSource as DefaultSource

__all__ = ["DefaultSource"]
