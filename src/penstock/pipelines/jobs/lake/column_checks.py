"""Whether columns that are known before any data can be landed: asked by a run at its first batch, and by a dry run."""

from __future__ import annotations

from pyspark.sql import types as t

from penstock.pipelines.decode import spellings
from penstock.pipelines.jobs.lake.columns import EVENT_TIME, ORIGIN, as_columns
from penstock.pipelines.jobs.lake.evolution import conflicts
from penstock.pipelines.problems import PipelineProblem


def check_new(fixed: t.StructType | None, *, event_time: str | None) -> None:
    """In a table that is still to be made."""
    if fixed is not None and event_time is not None and not _has(fixed, event_time):
        raise PipelineProblem(f"the schema has no field {event_time}, which is to be the event time")


def check_existing(columns: t.StructType, fixed: t.StructType | None, *, event_time: str | None, table: str) -> None:
    """In one that is there, with these columns."""
    needed = [*ORIGIN.names, *([EVENT_TIME.name] if event_time else [])]
    missing = [name for name in needed if name not in columns.names]
    if missing:
        raise PipelineProblem(
            f"{table} is there, and was not made for this: it has no column {missing[0]}",
            hint="Name a table that is not there yet; it is made with all the columns it needs.",
        )
    clashes = [] if fixed is None else conflicts(columns, as_columns(fixed))
    clashes += [] if fixed is None else [each.error for each in spellings(columns, as_columns(fixed))]
    if clashes:
        raise PipelineProblem(
            f"the schema does not fit {table}: {'; '.join(clashes)}",
            hint="Columns can be added and widened: INT to BIGINT, FLOAT to DOUBLE, DECIMAL to more digits.\n"
            "Fill another table, or give the schema that the table has: records that differ become dead letters.",
        )


def _has(kind: t.DataType, path: str) -> bool:
    name, _, rest = path.partition(".")
    return isinstance(kind, t.StructType) and name in kind.names and (not rest or _has(kind[name].dataType, rest))
