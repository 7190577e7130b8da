"""`lake`: the loop over the workers, its plan and its summary."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from penstock.model.words import counted
from penstock.pipelines.jobs.catalogs import is_embedded, is_unmade, opened
from penstock.pipelines.jobs.expressions import asking
from penstock.pipelines.jobs.lake import tables
from penstock.pipelines.jobs.lake.batches import lag
from penstock.pipelines.jobs.lake.column_checks import check_existing, check_new
from penstock.pipelines.jobs.lake.columns import not_held
from penstock.pipelines.jobs.lake.commits import CommittedByAnother, LakeTable
from penstock.pipelines.jobs.lake.decoding import Decoding, decoding
from penstock.pipelines.jobs.lake.failures import raise_meaning
from penstock.pipelines.jobs.lake.options import LakeOptions
from penstock.pipelines.jobs.lake.progress import Progress
from penstock.pipelines.jobs.lake.worker import LakeWorker, Step, following
from penstock.pipelines.jobs.topics import ClusterAway, Patience, Topics, TopicState, looked_at, unless_away
from penstock.pipelines.running import BatchProgress, Pace, Plan, Stopping, Summary, Unwatched, Watcher
from penstock.pipelines.session import check_startable
from penstock.pipelines.source.group import GroupProgress
from penstock.pipelines.source.options import SourceOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POLL_S = 0.2
OVERTAKEN_MAX = 20
"""Times in a row that another run may be quicker before this one gives up: two that take turns are a mistake."""


def lake(*, spark: SparkSession | None = None, **options: Any) -> Summary:
    """`lake(bootstrap="localhost:9092", topics=["orders"], table="lake.orders")`; LakeOptions has the rest."""
    options["topics"] = tuple(options.get("topics", ()))
    return run(LakeOptions(**options), spark=spark)


def check(options: LakeOptions) -> None:
    """That the topics are there, without any Spark."""
    cluster = Topics(options.bootstrap, options.isolation, options.client, options.answer_s)
    unless_away(lambda: cluster.require(options.topics))


def plan(options: LakeOptions, spark: SparkSession | None = None, *, how: Decoding | None = None) -> Plan:
    """Reads the cluster and the tables, writes nothing: where there is no warehouse yet, it is not made for this.
    `how` is that of a job that does not decode as lake does."""
    if spark is None and is_unmade(options):
        planned = _plan(options, None, how)
        check_startable(options.settings, master=options.master, jars=True)
        return planned
    with opened(options, spark) as session:
        return _plan(options, session, how)


def _plan(options: LakeOptions, spark: SparkSession | None, how: Decoding | None) -> Plan:
    cluster = Topics(options.bootstrap, options.isolation, options.client, options.answer_s)
    cluster_id, found = looked_at(lambda: (cluster.cluster_id(), cluster.states(options.topics)))
    with asking(options, spark) if options.has_ddl else nullcontext():
        fixed = (how or decoding(options)).fixed
    steps = [f"catalog {options.catalog}: " + ("embedded in " + options.warehouse if is_embedded(options) else "yours")]
    for table, topics in options.workers().items():
        name, letters = (tables.full_name(options.catalog, each) for each in (table, options.dead_letters_of(table)))
        there = spark is not None and tables.exists(spark, name)
        kept = Progress()
        if spark is not None and there:
            check_existing(spark.table(name).schema, fixed, event_time=options.event_time, table=name)
            kept = LakeTable(spark, name, options.job).progress()
        else:
            check_new(fixed, event_time=options.event_time)
        progress = following(options, kept, cluster_id, {topic: found[topic] for topic in topics})
        waiting = lag(progress, {topic: found[topic].ends for topic in topics})
        batches = counted(-(-waiting // options.batch_records_max), "batch", "es")
        steps.append(
            f"{'append to' if there else 'create'} {tables.plain(name)} from {', '.join(topics)} as {options.mode}"
            + (f", after its commit {progress.sequence}" if there else "")
            + f": {counted(waiting, 'offset')} to read in {batches}"
        )
        left_out = [] if fixed is None else not_held(fixed)
        if left_out:
            steps.append(f"leave out {', '.join(left_out)}: a type without fields has no column")
        if options.can_have_bad_rows:
            limit = (
                "" if options.max_dead_letters >= 100 else f"; end at more than {options.max_dead_letters:g} % of them"
            )
            steps.append(f"put bad rows into {tables.plain(letters)}{limit}")
    steps.append("end when they are read" if options.available_now else "then follow what is written, until stopped")
    return Plan(f"{options.job}: {', '.join(options.topics)} from {options.bootstrap} to the lake", tuple(steps))


MakeLane = Callable[["SparkSession", LakeOptions, str, tuple[str, ...]], LakeWorker]


def run(
    options: LakeOptions,
    *,
    spark: SparkSession | None = None,
    watcher: Watcher | None = None,
    stopping: Stopping | None = None,
    worker: MakeLane = LakeWorker,
) -> Summary:
    """`worker` makes another kind of worker, for a job that does more with a batch than landing it."""
    if spark is None:
        check(options)
    with opened(options, spark) as session:
        workers = [worker(session, options, table, topics) for table, topics in options.workers().items()]
        for each in workers:
            each.check_fits()
        return _Run(options, workers, watcher or Unwatched(), stopping).run()


class _Run:
    def __init__(
        self, options: LakeOptions, workers: list[LakeWorker], watcher: Watcher, stopping: Stopping | None
    ) -> None:
        self._options = options
        self._watcher = watcher
        self._stopping = stopping
        self._cluster = Topics(options.bootstrap, options.isolation, options.client)
        self._workers = workers
        self._groups = [_group(options, worker) for worker in self._workers]
        self._patience = Patience(options.patience_s)
        self._pace = Pace()
        self._summary = Summary(options.job)
        self._last: dict[str, tuple[int, ...]] | None = None
        """Where --available-now ends: what was there when it began."""
        self._overtaken = 0

    def run(self) -> Summary:
        began = time.monotonic()
        try:
            while not self._stopped():
                started = time.monotonic()
                more = self._round()
                if self._options.available_now and more is False:
                    break
                if not more:
                    self._pause(self._options.interval_s - (time.monotonic() - started))
            else:
                self._summary.stopped = True
            self._finish()
        finally:
            for group in self._groups:
                group.close()
        self._summary.seconds = time.monotonic() - began
        return self._summary

    def _round(self) -> bool | None:
        """One batch of every worker. True: there is more. False: nothing left. None: could not look."""
        try:
            cluster_id = self._cluster.cluster_id()
            found = self._cluster.states(self._options.topics)
            if self._last is None and self._options.available_now:
                self._last = {topic: state.ends for topic, state in found.items()}
            ends = self._last or {topic: state.ends for topic, state in found.items()}
            more = False
            for worker, group in zip(self._workers, self._groups, strict=True):
                more |= self._step(worker, group, cluster_id, found, ends)
                if self._stopped():
                    break
            self._patience.answered()
            return more
        except ClusterAway as away:
            self._forget()
            self._patience.wait(away)
            return None

    def _step(
        self,
        worker: LakeWorker,
        group: GroupProgress,
        cluster_id: str,
        found: Mapping[str, TopicState],
        ends: Mapping[str, tuple[int, ...]],
    ) -> bool:
        started = time.monotonic()
        try:
            step = worker.step(cluster_id, found, ends)
        except CommittedByAnother:
            worker.forget()
            self._overtaken += 1
            if self._overtaken > OVERTAKEN_MAX:
                raise
            return True
        except (Py4JError, PySparkException) as error:
            worker.forget()
            raise_meaning(error)
        self._overtaken = 0
        if step is None:
            return False
        left = lag(worker.progress(), ends)
        group.commit(worker.progress().places())
        self._tell(worker, step, time.monotonic() - started, left)
        return left > 0

    def _tell(self, worker: LakeWorker, step: Step, seconds: float, left: int) -> None:
        summary = self._summary
        summary.batches += 1
        rows = step.rows + step.bad + step.left_out
        summary.rows_in += rows
        summary.rows_out += step.rows
        summary.bad_rows += step.bad
        summary.respelled_rows += step.respelled
        self._pace.note(rows, seconds)
        self._watcher.batch(
            BatchProgress(
                query=worker.table.plain_name,
                batch=worker.progress().sequence,
                rows=rows,
                seconds=seconds,
                rows_total=summary.rows_in,
                lag=left,
                remaining_s=self._pace.remaining_s(left),
                state_rows=step.compared,
                bad=step.bad,
                respelled=step.respelled,
            )
        )

    def _finish(self) -> None:
        """A scheduled run does its upkeep at its end, however few batches it had."""
        for worker in self._workers:
            if self._options.available_now and worker.unkept:
                self._maintain(worker)
        self._summary.details = {
            worker.table.plain_name: {"commit": worker.progress().sequence, "maintenance": worker.maintained}
            for worker in self._workers
        }

    def _maintain(self, worker: LakeWorker) -> None:
        try:
            worker.maintain()
        except (Py4JError, PySparkException) as error:
            raise_meaning(error)

    def _forget(self) -> None:
        for worker in self._workers:
            worker.forget()

    def _stopped(self) -> bool:
        return self._stopping is not None and self._stopping.is_set()

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._stopped():
            time.sleep(min(POLL_S, max(until - time.monotonic(), 0)))


def _group(options: LakeOptions, worker: LakeWorker) -> GroupProgress:
    name = f"spark.{options.job}.{worker.table.plain_name}" if options.group is None else options.group
    return GroupProgress(SourceOptions(bootstrap=options.bootstrap, group=name or None, client=options.client))
