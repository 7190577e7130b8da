"""How many records came too late for a window of theirs.

Spark counts what it drops, but only after rows of a window and group were summed up within each task: seven late
records may be one row by then. So where it has dropped anything, the batch's stretch of the topic is read again, and
the records are counted that are behind the watermark which that batch was judged by.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import structlog
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import functions as fn

from penstock.pipelines.jobs.ranges import Ranges
from penstock.pipelines.source.positions import Position

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_log = structlog.get_logger(__name__)


class LateRows:
    """Of one query. `windows` reads a stretch of the topic to rows with their place and `window`."""

    def __init__(self, spark: SparkSession, windows: Callable[[Ranges], DataFrame]) -> None:
        self._spark, self._windows = spark, windows
        self._watermark_ms: dict[int, int] = {}

    def begin(self, query: str, batch: int) -> None:
        """Within the batch, when Spark knows what it holds for late: the watermark of the batch before. Its reports
        have this batch's only, by which windows are final."""
        try:
            found: Any = self._spark.streams.get(query)
            before = found._jsq.streamingQuery().lastExecution().prevOffsetSeqMetadata()
            self._watermark_ms[batch] = int(before.get().batchWatermarkMs()) if before.isDefined() else 0
        except (AttributeError, TypeError, Py4JError) as error:  # Spark's own parts: a figure is not worth the job
            _log.debug("watermark not known", reason=str(error)[:200])

    def count(self, report: Mapping[str, Any]) -> int | None:
        """Of a batch, as Spark reports it; None where it cannot be known."""
        dropped = sum(int(state.get("numRowsDroppedByWatermark", 0)) for state in report.get("stateOperators", ()))
        watermark_ms = self._watermark_ms.pop(int(report["batchId"]), None)
        if not dropped:
            return 0
        ranges = _stretch(report)
        if watermark_ms is None or ranges is None:
            return None
        late = fn.unix_millis(fn.col("window.end")) <= watermark_ms
        try:
            return self._windows(ranges).where(late).select("topic", "partition", "offset").distinct().count()
        except (Py4JError, PySparkException) as error:
            _log.warning("late rows not counted", reason=str(error).splitlines()[0][:200])
            return None


def _stretch(report: Mapping[str, Any]) -> Ranges | None:
    ranges: dict[tuple[str, int], tuple[int, int]] = {}
    for source in report.get("sources", ()):
        start, end = (_offsets(source.get(name)) for name in ("startOffset", "endOffset"))
        if start is None or end is None:
            return None
        for place, upto in end.items():
            since = start.get(place, 0)  # one that was added meanwhile is read from its first record
            if upto > since:
                ranges[place.topic, place.partition] = (since, upto)
    return ranges or None


def _offsets(kept: Any) -> Mapping[Any, int] | None:
    kept = json.loads(kept) if isinstance(kept, str) else kept
    return Position.from_json(kept).offsets if isinstance(kept, dict) else None
