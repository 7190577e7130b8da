"""Sending dead letters back.

Before a batch is written, the ledger says which letters it takes; the union of those of all batches is what was sent.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as f

from penstock.model.words import counted
from penstock.pipelines.jobs.copying import offset_ranges as st
from penstock.pipelines.jobs.copying import sessions
from penstock.pipelines.jobs.copying.headers import with_headers
from penstock.pipelines.jobs.copying.sources import ORDER, TopicSource, no_records
from penstock.pipelines.jobs.expressions import asking
from penstock.pipelines.jobs.redrive.dead_letters import Reading, letters
from penstock.pipelines.jobs.redrive.offsets import OffsetSet
from penstock.pipelines.jobs.redrive.options import RedriveOptions
from penstock.pipelines.jobs.topics import unless_away
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running import BatchProgress, Pace, Plan, Stopping, Summary, Unwatched, Watcher
from penstock.pipelines.sink import Sink
from penstock.pipelines.sink.placing import as_records
from penstock.pipelines.sink.topics import Topics

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_PACKED_BYTES_MAX = 400_000


def check(options: RedriveOptions) -> None:
    """That the topics are there, without any Spark."""
    topics = Topics(options.sink().hasty(options.answer_s))
    unless_away(lambda: topics.layout([options.topic, *([options.target] if options.target else [])]))


def plan(options: RedriveOptions, spark: SparkSession | None = None) -> Plan:
    topics = Topics(options.sink().hasty(options.answer_s))
    topics.layout([options.topic])
    if options.target is not None:
        topics.layout([options.target])
    sessions.check(options, spark, reader=options.reader)
    reading = options.reading
    if reading.where is not None or options.transform is not None:
        with asking(options, spark) as session:
            _check(_outgoing(letters(no_records(session), reading), options), options)
    kept = [f"reason contains {reading.reason!r}"] if reading.reason else []
    kept += [reading.where] if reading.where else []
    return Plan(
        f"redrive {options.topic}",
        (
            f"read {options.topic} from its first record to the last one there is now",
            f"take those where {' and '.join(kept)}" if kept else "take all of them",
            "leave out what an earlier run has sent back",
            "change them by the function given" if options.transform else "change nothing in them",
            f"send them to {options.target or 'the topics that their headers name'}, each once",
        ),
    )


def run(
    options: RedriveOptions,
    *,
    spark: SparkSession | None = None,
    watcher: Watcher | None = None,
    stopping: Stopping | None = None,
) -> Summary:
    if spark is None:
        check(options)
    with opened(options, spark) as session, Sink(options.sink(), options.query) as sink:
        source = TopicSource(
            session,
            options.bootstrap,
            options.topic,
            reader=options.reader,
            client=options.client,
            group=f"spark.{options.query}",
        )
        try:
            return _Redriving(options, session, source, sink, watcher or Unwatched(), stopping).run()
        finally:
            source.close()


def opened(options: RedriveOptions, spark: SparkSession | None) -> AbstractContextManager[SparkSession]:
    return sessions.opened(options, spark, reader=options.reader)


def redrive(*, spark: SparkSession | None = None, **options: Any) -> Summary:
    """From Python, with the options by name: redrive(bootstrap=…, topic=…, reading=Reading(reason=…))."""
    return run(RedriveOptions(**options), spark=spark)


class _Redriving:
    def __init__(
        self,
        options: RedriveOptions,
        spark: SparkSession,
        source: TopicSource,
        sink: Sink,
        watcher: Watcher,
        stopping: Stopping | None,
    ) -> None:
        self._options = options
        self._spark = spark
        self._source = source
        self._sink = sink
        self._watcher = watcher
        self._stopping = stopping
        self._summary = Summary(options.job)
        self._pace = Pace()
        self._by_topic: Counter[str] = Counter()
        self._identity = source.identity()
        self._batch = -1
        self._sent = OffsetSet({})

    def run(self) -> Summary:
        started = time.monotonic()
        self._resume()
        at, ends = self._source.firsts(), self._source.ends()
        while not self._is_asked_to_stop():
            wanted = st.next_stretches(at, ends, records_max=self._options.records_max)
            if not wanted:
                break
            self._take(wanted, lag=st.lag(st.after(at, wanted), ends))
            at = st.after(at, wanted)
            self._source.passed(at)
        self._summary.stopped = self._is_asked_to_stop()
        self._summary.seconds = time.monotonic() - started
        self._summary.details["sent_to"] = dict(self._by_topic)
        return self._summary

    def _resume(self) -> None:
        last = self._sink.last
        if last is None:
            return
        self._batch = last.batch
        if last.details["identity"] != self._identity:
            return  # another topic under the old name: nothing of it was sent, and nothing of the old one can be
        self._sent = OffsetSet.unpack(last.details["sent"])
        if not last.done:
            chosen = OffsetSet.unpack(last.details["selected"])
            self._send(self._prepared(self._still_there(st.from_json(last.details["stretches"]), chosen), chosen))

    def _still_there(self, wanted: tuple[st.OffsetRange, ...], chosen: OffsetSet) -> tuple[st.OffsetRange, ...]:
        """Retention may have been quicker than the next start: what it took cannot be sent any more, and is told."""
        firsts = self._source.firsts()
        lost = sum(offset < firsts.get(partition, 0) for partition, offset in chosen)
        if lost:
            self._summary.details["lost_before_sent"] = lost
        return tuple(
            replace(each, first=min(max(each.first, firsts.get(each.partition, 0)), each.end)) for each in wanted
        )

    def _take(self, wanted: tuple[st.OffsetRange, ...], *, lag: int) -> None:
        started = time.monotonic()
        if self._source.identity() != self._identity:  # else what was sent would be noted for the wrong one
            raise PipelineProblem(f"{self._options.topic} was deleted and made anew while it was read")
        found = letters(self._source.read(wanted), self._options.reading).select(
            *ORDER, _destination(self._options).alias("topic")
        )
        rows = [(row["from_partition"], row["from_offset"], row["topic"]) for row in found.collect()]
        self._summary.rows_in += len(rows)
        fresh = [row for row in rows if row[:2] not in self._sent]
        if fresh:
            self._batch += 1
            chosen = OffsetSet.of((partition, offset) for partition, offset, _ in fresh)
            topics = _destinations(fresh)
            # Before it is written down that it begins: a function that does not fit begins nothing, else the next run
            # would send these letters, whatever it is asked for.
            outgoing = self._prepared(wanted, chosen)
            self._begin(wanted, chosen, topics)
            self._send(outgoing)
            self._by_topic.update(topic for _, _, topic in fresh)
        seconds = time.monotonic() - started
        self._pace.note(sum(each.length for each in wanted), seconds)  # in offsets, as what is left
        self._watcher.batch(
            BatchProgress(
                self._options.query,
                max(self._batch, 0),
                len(fresh),
                seconds,
                self._summary.rows_out,
                lag,
                self._pace.remaining_s(lag),
            )
        )

    def _begin(self, wanted: tuple[st.OffsetRange, ...], chosen: OffsetSet, topics: Sequence[str]) -> None:
        self._sent = self._sent.with_places(chosen).without_below(self._source.firsts())
        details = {
            "identity": self._identity,
            "stretches": st.to_json(wanted),
            "selected": chosen.pack(),
            "sent": self._sent.pack(),
        }
        if sum(map(len, (details["selected"], details["sent"]))) > _PACKED_BYTES_MAX:
            raise PipelineProblem(
                f"too many single records of {self._options.topic} are sent and others between them not",
                hint="Send those between them too, or let retention take what is done with.",
            )
        self._sink.begin(self._batch, details, topics=topics)

    def _prepared(self, wanted: tuple[st.OffsetRange, ...], chosen: OffsetSet) -> DataFrame:
        """Which letters is decided; the filter is not asked again."""
        places = self._spark.createDataFrame(list(chosen), "from_partition int, from_offset bigint")
        rows = letters(self._source.read(wanted), _unfiltered(self._options))
        rows = _outgoing(rows.join(f.broadcast(places), list(ORDER), "left_semi"), self._options)
        _check(rows, self._options)
        return rows

    def _send(self, rows: DataFrame) -> None:
        order = ORDER if all(name in rows.columns for name in ORDER) else ()
        written = self._sink.write(rows, self._batch, order=order)
        self._summary.rows_out += written.rows
        self._summary.batches += 1

    def _is_asked_to_stop(self) -> bool:
        return self._stopping is not None and self._stopping.is_set()


def _outgoing(found: DataFrame, options: RedriveOptions) -> DataFrame:
    """Letters as they are sent: with where they go, where they lay, and what the user's function makes of them."""
    rows = with_headers(
        found.withColumn("topic", _destination(options)),
        {
            "penstock.redrive.topic": f.lit(options.topic),
            "penstock.redrive.partition": f.col("from_partition"),
            "penstock.redrive.offset": f.col("from_offset"),
        },
    )
    return (options.transform(rows) if options.transform else rows).drop("partition")


def _check(rows: DataFrame, options: RedriveOptions) -> None:
    """Whether what the function made of them are records."""
    as_records(rows, topic=options.target or options.topic)


def _destination(options: RedriveOptions) -> Column:
    return f.lit(options.target) if options.target is not None else f.col("origin_topic")


def _destinations(fresh: Sequence[tuple[int, int, str | None]]) -> list[str]:
    homeless = [row for row in fresh if row[2] is None]
    if homeless:
        partition, offset, _ = homeless[0]
        raise PipelineProblem(
            f"{counted(len(homeless), 'dead letter')} {'does' if len(homeless) == 1 else 'do'} not say which topic "
            f"they are from; the first is at {partition}/{offset}",
            hint="Name the topic with --to, or the header that holds it with --origin-header; --where leaves some out.",
        )
    return sorted({row[2] for row in fresh if row[2] is not None})


def _unfiltered(options: RedriveOptions) -> Reading:
    return replace(options.reading, reason=None, where=None)
