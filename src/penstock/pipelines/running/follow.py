"""Following a streaming query: progress told, its consumer group moved, and an end when it is due or asked for."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark import SparkContext

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running.progress import BatchProgress, Pace, Unwatched, Watcher
from penstock.pipelines.running.spark_errors import problem_in
from penstock.pipelines.running.stopping import Stopping
from penstock.pipelines.running.topic_stream import TopicStream
from penstock.pipelines.source.cluster import Cluster
from penstock.pipelines.source.group import GroupProgress
from penstock.pipelines.source.positions import Offsets, Position

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

LOOK_EVERY_S = 0.2


@dataclass
class Followed:
    """What was seen of a query until its end."""

    rows: int = 0
    batches: int = 0
    stopped: bool = False


@dataclass(frozen=True)
class FinishedBatch:
    batch: int
    rows: int
    seconds: float
    end: Offsets
    state_rows: int | None = None


def finished_batch(report: Mapping[str, Any]) -> FinishedBatch:
    """What a report of Spark's says about a batch; both sources write their offsets in the same form."""
    ends: dict[Any, int] = {}
    for source in report.get("sources", ()):
        end = source.get("endOffset")
        end = json.loads(end) if isinstance(end, str) else end
        if isinstance(end, dict):
            ends.update(Position.from_json(end).offsets)
    seconds = report.get("durationMs", {}).get("triggerExecution", 0) / 1000
    states = [int(operator["numRowsTotal"]) for operator in report.get("stateOperators", ())]
    return FinishedBatch(
        int(report["batchId"]), int(report["numInputRows"]), seconds, ends, sum(states) if states else None
    )


def follow(
    query: StreamingQuery,
    stream: TopicStream,
    *,
    watcher: Watcher | None = None,
    stopping: Stopping | None = None,
) -> Followed:
    """Returns when the query has ended: by itself, at the end of an available-now run, or because `stopping` was set.
    What it failed on is raised; where our own source said why, in its words."""
    followed = Followed()
    with _following(query, stream, watcher or Unwatched(), followed) as look:
        at_end = threading.Event()
        if stream.available_now and not stream.ends_by_itself:
            threading.Thread(target=_wait_for_end, args=(query, at_end), daemon=True, name="end of query").start()
        try:
            while not (at_end.is_set() or (stopping is not None and stopping.is_set())):
                ended = query.awaitTermination(LOOK_EVERY_S)  # type: ignore[arg-type] # takes seconds and parts
                look()
                if ended:
                    return followed
            followed.stopped = not at_end.is_set()
            if followed.stopped:
                _let_end(query, look)
            with breaking_off():
                query.stop()
            query.awaitTermination(1)
            look()
        except Exception as error:
            words = problem_in(str(error))
            if words is None:
                raise
            raise PipelineProblem(words) from error
        finally:
            if query.isActive:
                with breaking_off():
                    query.stop()
    return followed


@contextmanager
def breaking_off() -> Iterator[None]:
    """A query that is stopped may be at its next batch already. What Spark says of that, wherever in it it was, is no
    news to who stops it; PENSTOCK_SPARK_LOG shows it.
    """
    spark = SparkContext._active_spark_context
    if spark is None or "PENSTOCK_SPARK_LOG" in os.environ:
        yield
        return
    assert spark._jvm is not None
    level = str(spark._jvm.org.apache.logging.log4j.LogManager.getRootLogger().getLevel())
    spark.setLogLevel("OFF")
    try:
        yield
    finally:
        spark.setLogLevel(level)


def _let_end(query: StreamingQuery, look: Callable[[], None]) -> None:
    """Spark would break off the batch that it is at, whose work would be for nothing; a second Ctrl-C does."""
    batch = query.lastProgress.batchId if query.lastProgress else None
    while query.isActive and query.status["isTriggerActive"]:
        if query.awaitTermination(LOOK_EVERY_S):  # type: ignore[arg-type]
            return
        look()
        if query.lastProgress and query.lastProgress.batchId != batch:
            return


def _wait_for_end(query: StreamingQuery, at_end: threading.Event) -> None:
    try:
        query.processAllAvailable()
    except Exception:
        return
    if query.isActive:
        at_end.set()


@contextmanager
def _following(query: StreamingQuery, stream: TopicStream, watcher: Watcher, followed: Followed) -> Iterator[Any]:
    options = stream.source_options()
    cluster, group = Cluster(options), GroupProgress(options)
    pace = Pace()
    seen = -1

    def look() -> None:
        nonlocal seen
        last = query.lastProgress
        if last is None or last.batchId <= seen:
            return
        # Several batches may have ended since; Spark keeps the last hundred.
        for report in query.recentProgress:
            if report.batchId <= seen:
                continue
            done = finished_batch(json.loads(report.json))
            seen = done.batch
            tell(done)

    def tell(done: FinishedBatch) -> None:
        followed.batches += 1
        followed.rows += done.rows
        pace.note(done.rows, done.seconds)
        lag = _lag(cluster, done.end)
        group.commit(done.end)
        watcher.batch(
            BatchProgress(
                stream.query,
                done.batch,
                done.rows,
                done.seconds,
                followed.rows,
                lag,
                pace.remaining_s(lag),
                done.state_rows,
            )
        )

    try:
        yield look
    finally:
        cluster.close()
        group.close()


def _lag(cluster: Cluster, position: Offsets) -> int | None:
    try:
        logs = cluster.logs(position)
    except PipelineProblem:
        return None  # away; the query itself says so if it lasts
    return sum(max(0, log.end - max(position[each], log.start)) for each, log in logs.items())
