"""What a user writes in Spark's own language: conditions, keys, schemas, lengths of time.

A run and a dry run ask Spark in the same words, so that what the one refuses the other does not call fine: a function
over a DataFrame is given the records by the run, and none by the dry run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException, IllegalArgumentException

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.session import SparkOptions, lent, spark_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@contextmanager
def understood(what: str) -> Iterator[None]:
    """A mistake in it is told as one, and not as a bug."""
    try:
        yield
    except (AnalysisException, IllegalArgumentException) as error:
        said = (error.getMessage() or str(error)).strip().splitlines()[0]
        raise PipelineProblem(f"Spark does not understand {what}: {said}") from error


def repeatable(rows: DataFrame) -> DataFrame:
    """Rows that are the same whenever they are asked for. A task that is run again would else choose others, or place
    them elsewhere: some would be missing, some be there twice.
    """
    if not rows._jdf.queryExecution().analyzed().deterministic():
        raise PipelineProblem(
            "an expression has another outcome each time, like rand() or uuid()",
            hint="A batch that is run again would lose records and double others. Use what is in the record itself: "
            "xxhash64(value), for example.",
        )
    return rows


def asking(options: SparkOptions, spark: SparkSession | None) -> AbstractContextManager[SparkSession]:
    """For a dry run, a session to ask: on this machine and without jars, wherever the job itself would run."""
    language = {name: value for name, value in options.settings.items() if name.startswith("spark.sql.")}

    def make() -> SparkSession:
        return spark or spark_session(f"penstock {options.job}", master="local[1]", settings=language, jars=False)

    return lent(spark, make)
