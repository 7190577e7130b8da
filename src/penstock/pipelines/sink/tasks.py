"""What a task does with the rows it is given: they come sorted by slot, and a row that says it is the last comes last.

A task must know that it has seen all its rows before it commits. The end of its input does not say so: an executor that
dies, or a task that is cancelled, closes the pipe between two of Arrow's batches, and that looks just like the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise, repeat
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink.ledger import home_of
from penstock.pipelines.sink.markers import MarkerReader
from penstock.pipelines.sink.placing import RECORD
from penstock.pipelines.sink.target import Headers, TargetWriter
from penstock.pipelines.sink.work import Outcome, Work

OUTCOMES = "slot int, rows bigint, written boolean"


def write_task(batches: Iterable[pa.RecordBatch], work: Work) -> Iterator[pa.RecordBatch]:
    """For mapInArrow: columns last, slot and value, and if there are key, timestamp_ms and headers."""
    context = TaskContext.get()
    assert context is not None, "only Spark calls this"
    outcomes = list(write_sorted(batches, work, task=context.partitionId()))
    columns = {
        "slot": pa.array([each.slot for each in outcomes], pa.int32()),
        "rows": pa.array([each.rows for each in outcomes], pa.int64()),
        "written": pa.array([each.written for each in outcomes], pa.bool_()),
    }
    yield pa.RecordBatch.from_pydict(columns)


def write_sorted(batches: Iterable[pa.RecordBatch], work: Work, *, task: int) -> Iterator[Outcome]:
    writer: TargetWriter | None = None
    markers: MarkerReader | None = None
    slot_now = -1
    ended = False
    try:
        for batch in batches:
            for first, last, slot, is_last in _runs(batch):
                if ended:
                    raise PipelineProblem(
                        "rows came after the last one: the batch is not laid out as the sink asked for"
                    )
                _check_is_ours(slot, work, task=task)
                if is_last:
                    ended = True
                    continue
                if slot != slot_now:
                    if slot < slot_now:
                        raise PipelineProblem(
                            "rows are not sorted by target: the batch is not laid out as the sink asked for"
                        )
                    if writer is not None:
                        yield writer.finish()
                        writer = None
                    markers = markers or MarkerReader(work.options, partition=home_of(work.query), since=work.since)
                    writer = TargetWriter(work, slot, markers)
                    slot_now = slot
                assert writer is not None
                for row in _rows(batch.slice(first, last - first)):
                    writer.send(*row)
                writer.check()
        if not ended:
            raise RuntimeError("the input ended before its last row: the task was cancelled, or its executor died")
        if writer is not None:
            done, writer = writer, None
            yield done.finish()
    finally:
        if writer is not None:
            writer.abandon()
        if markers is not None:
            markers.close()


def _check_is_ours(slot: int, work: Work, *, task: int) -> None:
    """All rows of a target have to be in one task: another would write a share of its own, and fence this one."""
    if slot % work.tasks != task:
        raise PipelineProblem(f"a row of slot {slot} came to task {task} of {work.tasks}")


def _runs(batch: pa.RecordBatch) -> Iterator[tuple[int, int, int, bool]]:
    """Stretches of rows with one slot: first, behind the last, slot, whether it is the last row's."""
    slots = np.asarray(batch.column("slot"))
    lasts = np.asarray(batch.column("last").cast(pa.int8()))
    starts = np.flatnonzero((np.diff(slots) != 0) | (np.diff(lasts) != 0)) + 1
    bounds = [0, *starts.tolist(), len(slots)] if len(slots) else []
    for first, end in pairwise(bounds):
        yield first, end, int(slots[first]), bool(lasts[first])


def _rows(batch: pa.RecordBatch) -> Iterator[tuple[bytes | None, bytes | None, int | None, Headers | None]]:
    key, value, timestamp_ms, headers = (
        batch.column(name).to_pylist() if name in batch.schema.names else repeat(None, len(batch)) for name in RECORD
    )
    yield from zip(key, value, timestamp_ms, map(_pairs, headers), strict=True)


def _pairs(headers: list[dict[str, Any]] | None) -> Headers | None:
    return [(each["key"], each["value"]) for each in headers] if headers else None
