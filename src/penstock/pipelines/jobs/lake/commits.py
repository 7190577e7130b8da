"""Rows and progress into a table in one commit, by one run at a time.

Spark's own append cannot compare before it commits: of two runs that began at the same progress, both would append. So
a commit has two steps. The rows are staged: written and known to the table, but in no version of it (Iceberg's
write-audit-publish). Then one transaction of the table publishes the staged rows and sets the progress as a
property. Iceberg refuses to publish an id twice in a table's history, and the id is the job's name with the number of
the commit that follows on the progress the run began with: so a progress has one successor, however many runs try.

A run that dies between the steps leaves staged rows that nobody sees; expiring snapshots removes them.

The progress is in the snapshot's summary too, and that is the one that counts: who rolls a table back to an older
snapshot gets the rows after it again. The property is for when the snapshots that carried it have expired.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError

from penstock.pipelines.jobs.lake import tables
from penstock.pipelines.jobs.lake.progress import Progress
from penstock.pipelines.problems import PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ATTEMPT = "penstock.attempt"
WAP_ID = "spark.wap.id"
_SOURCE = "source-snapshot-id"
_TWICE = "DuplicateWAPCommitException"


class CommittedByAnother(Exception):
    """Another run has committed what this one was about to: read the progress again."""


@dataclass(frozen=True, slots=True)
class State:
    """What a run knows of a table, and its next commit follows on."""

    table_id: str = ""
    """Tells it from another one under its name; empty while there is none."""
    progress: Progress = field(default_factory=Progress)


@dataclass(frozen=True, slots=True)
class Committed:
    rows: int
    snapshot_id: int
    table_id: str


@dataclass(frozen=True, slots=True)
class LakeTable:
    spark: SparkSession
    name: str
    """As SQL has it."""
    job: str

    @property
    def plain_name(self) -> str:
        """For people."""
        return tables.plain(self.name)

    @property
    def key(self) -> str:
        return f"penstock.progress.{self.job}".lower()  # Spark's options know no case

    @property
    def _number_key(self) -> str:
        """Iceberg's number of the last commit, which tells what came before it from what came after."""
        return f"penstock.committed.{self.job}".lower()

    def state(self) -> State:
        """As it is now; the beginning where there is no table."""
        if not tables.exists(self.spark, self.name):
            return State()
        table = self.java()
        return State(str(table.uuid()), self._progress_in(table))

    def check_is(self, table_id: str, known: str) -> None:
        """Rows that follow on what another table had would be all that this one has."""
        if known and table_id != known:
            anew = " and made anew" if table_id else ""
            raise PipelineProblem(
                f"{self.plain_name} was dropped{anew} while this run filled it",
                hint="What had landed is gone with it. A run that is started now fills the table from the beginning.",
            )

    def progress(self) -> Progress:
        """How far the current version of the table was read; the beginning for one that this job never wrote."""
        return self._progress_in(self.java())

    def _progress_in(self, table: Any) -> Progress:
        current = table.currentSnapshot()
        while current is not None:
            found = self._progress_of(table, current)
            if found is not None:
                return found
            parent = current.parentId()
            if parent is None:
                return self._before_all(table, current)
            current = table.snapshot(parent)
        kept = table.properties().get(self.key)
        newest, number = table.currentSnapshot(), table.properties().get(self._number_key)
        if newest is not None and number is not None and newest.sequenceNumber() < int(number):
            raise PipelineProblem(
                f"{self.plain_name} was rolled back to a version of which it is not known any more how far it was read",
                hint="The snapshots that said so have expired. Set it to a later version, or fill another table.",
            )
        return Progress() if kept is None else Progress.from_text(kept)

    def _before_all(self, table: Any, first: Any) -> Progress:
        """The whole history is there, and this job is not in it: it has read nothing, unless the history begins after
        its commits. So it is in a table that was replaced (CREATE OR REPLACE TABLE ... AS SELECT), mostly by what it
        held: properties stay, and what was read is not to be read again."""
        properties = table.properties()
        kept, number = properties.get(self.key), properties.get(self._number_key)
        replaced = number is not None and first.sequenceNumber() > int(number)
        return Progress.from_text(kept) if kept is not None and replaced else Progress()

    def _progress_of(self, table: Any, snapshot: Any) -> Progress | None:
        text = snapshot.summary().get(self.key)
        source = snapshot.summary().get(_SOURCE)
        if text is None and source is not None:
            staged = table.snapshot(int(source))
            if staged is not None:
                text = staged.summary().get(self.key)
            else:  # published beside another commit, and its staged twin has expired
                published = snapshot.summary().get("published-wap-id") or ""
                kept = table.properties().get(self.key)
                if kept is not None and published == self._id(Progress.from_text(kept)):
                    text = kept
        return None if text is None else Progress.from_text(text)

    def is_claimed(self) -> bool:
        """Whether a run of this job has begun with this very table, be there rows of it or not."""
        return self.java().properties().get(self._claim_key) is not None

    def claim(self, query: str) -> None:
        self.java().updateProperties().set(self._claim_key, query).commit()

    @property
    def _claim_key(self) -> str:
        return f"penstock.query.{self.job}".lower()

    def append(
        self,
        rows: DataFrame,
        progress: Progress,
        *,
        after: State | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> Committed:
        """`progress` is the one after these rows. Raises Overtaken when the table has it, or another in its place.

        `after` is what the rows follow on: in an older version of the table, or in one made anew, they would leave a
        gap. `check` is asked when all rows were read, and may refuse them.
        """
        staged_id = self._stage(rows, progress)
        check()
        return self._publish(staged_id, progress, after)

    def _publish(self, staged_id: int, progress: Progress, after: State | None) -> Committed:
        table = self.java()
        table_id = str(table.uuid())
        if after is not None:
            self.check_is(table_id, after.table_id)  # from here on Iceberg looks after that itself
            if self._progress_in(table).sequence != after.progress.sequence:
                # Iceberg knows the ids of its history only: not those before a roll-back, nor those that have expired.
                raise CommittedByAnother(
                    f"{self.plain_name} is not at commit {after.progress.sequence} of {self.job} any more"
                )
        try:
            transaction = table.newTransaction()
            transaction.manageSnapshots().cherrypick(staged_id).commit()
            number = str(table.snapshot(staged_id).sequenceNumber())
            properties = transaction.updateProperties()
            properties.set(self.key, progress.to_text()).set(self._number_key, number).commit()
            transaction.commitTransaction()
        except Py4JJavaError as error:
            if _TWICE in str(error.java_exception):
                raise CommittedByAnother(f"commit {progress.sequence} of {self.job} is in the table already") from error
            raise
        added = table.snapshot(staged_id).summary().get("added-records")
        return Committed(int(added or 0), staged_id, table_id)

    def _stage(self, rows: DataFrame, progress: Progress) -> int:
        attempt = str(self._jvm().java.util.UUID.randomUUID())
        # That of the rows: within foreachBatch Spark gives them a session of their own.
        settings = rows.sparkSession.conf
        settings.set(WAP_ID, self._id(progress))
        try:
            (
                rows.writeTo(self.name)
                .option(f"snapshot-property.{self.key}", progress.to_text())
                .option(f"snapshot-property.{ATTEMPT}", attempt)
                .append()
            )
        finally:
            settings.unset(WAP_ID)
        snapshots = self.java().snapshots()
        for at in range(snapshots.size() - 1, -1, -1):
            snapshot = snapshots.get(at)
            if snapshot.summary().get(ATTEMPT) == attempt:
                return int(snapshot.snapshotId())
        raise AssertionError(f"{self.name} does not know what was staged for it")

    def _id(self, progress: Progress) -> str:
        return f"{self.key}.{progress.sequence}"

    def java(self) -> Any:
        """Iceberg's own table, read anew."""
        return tables.java(self.spark, self.name)

    def _jvm(self) -> Any:
        return self.spark._jvm
