"""What a user writes in Spark's own language: conditions, keys, schemas, lengths of time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException

from penstock.pipelines.problems import PipelineProblem


@contextmanager
def understood(what: str) -> Iterator[None]:
    """A mistake in it is told as one, and not as a bug."""
    try:
        yield
    except AnalysisException as error:
        said = (error.getMessage() or str(error)).strip().splitlines()[0]
        raise PipelineProblem(f"Spark does not understand {what}: {said}") from error
