"""One data folder: the logs in it, what is known about them between runs, and the way in and out of it.

The layout is Kafka's (RULES 43), so that a folder can be adopted: meta.properties, `.lock`, `.kafka_cleanshutdown`,
four checkpoint files, and a folder a partition with partition.metadata, segments and snapshots. After a clean stop
opening reads a few small files a partition and scans nothing; after anything else each log is recovered from its
checkpoint.
"""

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import structlog

from penstock.errors import KafkaStorageError
from penstock.log.checkpoint_files import (
    read_properties,
)
from penstock.log.cut_notes import CutNote
from penstock.log.file_pool import FilePool, remove_files
from penstock.log.folder_port import FolderPort, steady_ms
from penstock.log.folders.checkpoints import CheckpointSnapshot, FolderCheckpoints, Offsets
from penstock.log.folders.clean_marker import write_clean_marker
from penstock.log.folders.future_logs import PARTITION_METADATA, FutureLogs, let_go, write_topic_id
from penstock.log.folders.identity import FolderLock, claim, write_identity
from penstock.log.folders.names import DELETE, STRAY, leaving_name
from penstock.log.folders.opening import NO_TOPIC_ID, FindExpected, FolderOpening
from penstock.log.folders.reserve import keep_reserve
from penstock.log.health import Trouble
from penstock.log.partition_log import PartitionLog
from penstock.log.recovery import KnownLog, open_log
from penstock.log.segments.segment import Segment
from penstock.model import Clock, TopicId, TopicPartition, topic_id_from_text
from penstock.settings.topic import FILE_DELETE_DELAY_MS

if TYPE_CHECKING:
    from penstock.settings.config import Config, TopicConfig

_log = structlog.get_logger(__name__)

CLOSE_AT_ONCE: Final = 64


class LogFolder(FolderPort):
    def __init__(self, path: Path, *, cluster_id: str, node_id: int, pool: FilePool, clock: Clock) -> None:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)  # records are nobody else's on this machine
        self.path = path
        self.pool = pool
        self.clock = clock
        self.lock = FolderLock(path)
        try:
            self.identity = claim(path, cluster_id=cluster_id, node_id=node_id)
            self.checkpoints = FolderCheckpoints(path)
            if self.identity.is_adopted:
                self.checkpoints.forget_topic_ids()
        except BaseException:
            self.lock.release()
            raise
        self.logs: dict[TopicPartition, PartitionLog] = {}
        self._is_open = False
        self.stopped_under: int | None = None
        """The registration (broker epoch) that ended with a clean stop, all flushed, as far as it is known."""
        self.strays: list[str] = []
        """Folders that were set aside, now or earlier, because nobody knows their topic or because of damage."""
        self.lost: Offsets = {}
        """Logs that the checkpoints know and the disk does not, and how far they should reach: whoever still wants one
        gets it offline (RULES 21). Until then the checkpoints go on saying so."""
        self.shortened: Offsets = {}
        """Logs that end below the high watermark they had, or are not there, and where that was: committed records are
        missing. The checkpoints go on saying so until whoever counts on these logs has been told, whatever is made in
        their place meanwhile."""
        self.moved_away: set[TopicPartition] = set()
        """Logs and copies that this start took away, as another folder has them; checkpoints may still name them."""
        self.futures = FutureLogs(self)
        self.rolled_logs: list[PartitionLog] = []
        """Logs with a closed segment that wants flushing."""
        self.doomed_files: list[tuple[int, list[str]]] = []
        """When to remove what, by `steady_ms`; folders too."""
        self.failing: dict[str, str] = {}
        """Steps of housekeeping that failed here when they were last tried, and why."""

    def open_all(self, find: FindExpected, *, threads: int = 2) -> dict[TopicPartition, PartitionLog]:
        """Open every log, in threads; blocks. Those for which `find` says None are set aside (RULES 15)."""
        FolderOpening(self, find).run(threads=threads)
        self._is_open = True
        keep_reserve(self.path)
        if not self.checkpoints.knows_flushed:
            self._flush_all()
        if self.identity.is_adopted and all(log.health.open_again is None for log in self.all_logs()):
            self.write_checkpoints()
            write_identity(self.path, self.identity)
        return self.logs

    def _flush_all(self) -> None:
        """All that was read is whole. Were recovery points to begin again at 0, damage anywhere would be cut as a torn
        tail after the next crash, for as long as nobody writes to a log.
        """
        for log in self.all_logs():
            with suppress(KafkaStorageError):  # offline, and says why
                log.flushing.flush()

    def topic_id_of(self, name: str) -> TopicId:
        values = read_properties(str(self.path / name / PARTITION_METADATA), separator=":") or {}
        try:
            return topic_id_from_text(values.get("topic_id", ""))
        except ValueError:
            return NO_TOPIC_ID

    # --- partitions come and go ---

    def create(self, partition: TopicPartition, topic_id: TopicId, config: "Config | TopicConfig") -> PartitionLog:
        """A new, empty log: a folder and partition.metadata; the first record makes the first segment's file.

        A log that is `lost` is not new: it comes back offline, since what was acknowledged is not there. Unless it was
        another topic's, deleted since.
        """
        if partition in self.logs or not self._is_open:
            raise ValueError(f"{partition} is here already, or {self.path} is not open")
        known = KnownLog(is_clean=True)
        if self.checkpoints.topic_ids.get(partition, topic_id) != topic_id:
            self.lost.pop(partition, None)
            self.shortened.pop(partition, None)
        if partition in self.lost:
            known = KnownLog(is_clean=False, recovery_point=self.lost[partition])
        elif self.checkpoints.may_know(partition):
            # Rows of a deleted namesake would make the new log look as if it had lost records.
            try:
                self.write_checkpoints()
            except OSError as error:
                raise KafkaStorageError(f"{partition} could not be created: {error.strerror or error}") from error
        folder = self.path / str(partition)
        try:
            folder.mkdir()
        except OSError as error:
            raise KafkaStorageError(f"{partition} could not be created: {error.strerror or error}") from error
        try:
            write_topic_id(folder, topic_id, durably=False)
            log = open_log(folder, partition, topic_id, known, config=config, pool=self.pool, clock=self.clock)
        except OSError as error:
            # Half a partition would be in the way of the next try.
            shutil.rmtree(folder, ignore_errors=True)
            raise KafkaStorageError(f"{partition} could not be created: {error.strerror or error}") from error
        if log.trouble is not None and log.health.open_again is not None:
            shutil.rmtree(folder, ignore_errors=True)
            raise log.trouble.refusal()
        log.is_folder_synced = False
        log.home = self
        self.logs[partition] = log
        self.lost.pop(partition, None)
        return log

    def has_namesake(self, partition: TopicPartition, topic_id: TopicId) -> bool:
        """Whether the checkpoints have to forget a deleted topic's rows (`checkpoint`) before `create`, which else does
        it itself, and blocks.
        """
        if partition in self.lost and self.checkpoints.topic_ids.get(partition, topic_id) == topic_id:
            return False
        return self.checkpoints.may_know(partition)

    def stand_in(
        self, partition: TopicPartition, topic_id: TopicId, config: "Config | TopicConfig", reason: str
    ) -> PartitionLog:
        """For a log that could not be made: offline, so that its replica makes way. It has no files, and is none of
        `logs`: what the checkpoints say of its name stays said.
        """
        path = self.path / str(partition)
        log = PartitionLog(path, partition, topic_id, config=config, pool=self.pool, clock=self.clock)
        log.segments = (Segment(self.pool, str(path), 0),)
        log.trouble = Trouble(reason, stops_reads=True, may_pass=False, is_unmade=True)
        return log

    def opened_again(self, log: PartitionLog) -> None:
        """What a start could not open is open now."""
        self.checkpoints.notes.forget(self.logs[log.partition], for_the_sake_of=log)
        log.home = self
        self.logs[log.partition] = log

    def delete(self, partition: TopicPartition) -> None:
        """Out of sight at once, off the disk after file.delete.delay.ms."""
        log = self.logs.pop(partition)
        let_go(log, "it was deleted")
        try:
            self.remove_later(log)
        except OSError as error:
            # A full disk may have no room for a longer name, and this is what makes some. Its own it keeps until it is
            # gone: before that nobody else's log can come to it.
            _log.error("deleted log not renamed, removed at once", partition=str(partition), reason=str(error))
            self.doomed_files.append((0, [str(log.folder)]))

    def remove_later(self, log: PartitionLog) -> None:
        """The folder of a log that nobody uses any more."""
        gone = self.path / leaving_name(log.partition, DELETE)
        log.folder.rename(gone)
        due = steady_ms(self.clock) + log.config[FILE_DELETE_DELAY_MS]
        self.doomed_files.append((due, [str(gone)]))

    def set_aside(self, partition: TopicPartition) -> None:
        """A log that is open and damaged: its place is needed for a new one, its bytes may be worth a look."""
        log = self.logs.pop(partition)
        let_go(log, "it was set aside")
        self.rename_to_stray(partition)

    def rename_to_stray(self, partition: TopicPartition) -> None:
        """The folder of a log that is not open; a person may look at it."""
        name = leaving_name(partition, STRAY)
        (self.path / str(partition)).rename(self.path / name)
        self.strays.append(name)
        _log.warning("log set aside", partition=str(partition), folder=str(self.path / name))

    # --- what logs tell (FolderPort) ---

    def rolled(self, log: PartitionLog) -> None:
        assert isinstance(log, PartitionLog)
        self.rolled_logs.append(log)

    def start_rises(self, log: PartitionLog) -> None:
        self._note_cut(log, starts_here=True)

    def recovery_point_falls(self, log: PartitionLog) -> None:
        self._note_cut(log, starts_here=False)

    def _note_cut(self, log: PartitionLog, *, starts_here: bool) -> None:
        note = CutNote.of(log)
        self.checkpoints.notes.settle(log, note, starts_here=starts_here)
        log.recovery_point_on_disk = min(log.recovery_point_on_disk, note.recovery_point)

    def cut_ahead(self, log: PartitionLog, *, to: int) -> Callable[[], None] | None:
        note, clean_upto = CutNote.of(log), min(log.clean_upto, to)
        lower = msgspec.structs.replace(note, recovery_point=min(log.recovery_point, to), clean_upto=clean_upto)
        return self.checkpoints.notes.ahead(log, lower)

    def start_ahead(self, log: PartitionLog, offset: int, *, recovery_point: int) -> Callable[[], None] | None:
        if self.checkpoints.notes.is_held(log):
            return None  # which may be why the log begins where it does
        return self.checkpoints.notes.ahead(log, CutNote(recovery_point, 0, offset, offset, if_empty=True))

    def says_start(self, log: PartitionLog, offset: int) -> bool:
        return self.checkpoints.notes.says_start(log, offset)

    def let_go(self, log: PartitionLog) -> None:
        self.checkpoints.notes.forget(log)

    def doomed(self, log: PartitionLog, paths: list[str]) -> None:
        self.doomed_files.append((steady_ms(self.clock) + log.config[FILE_DELETE_DELAY_MS], paths))

    # --- checkpoints, removal, closing ---

    def take_picture(self) -> CheckpointSnapshot:
        return self.checkpoints.take(self.all_logs(), lost=self.lost, shortened=self.shortened)

    def all_logs(self) -> Iterator[PartitionLog]:
        """Copies too: a folder never has a log and a copy of one partition."""
        yield from self.logs.values()
        yield from self.futures.logs.values()

    def picture_written(self, picture: CheckpointSnapshot) -> None:
        if self.checkpoints.is_latest(picture):
            for log, _, recovery_point, _, _, cuts in picture.logs:
                if log.cuts == cuts:  # else it is what the note of the last cut says, or lower
                    log.recovery_point_on_disk = recovery_point

    async def checkpoint(self) -> None:
        """Write down what is so now, in a thread."""
        picture = self.take_picture()
        await asyncio.to_thread(self.checkpoints.write, picture)
        self.picture_written(picture)

    def write_checkpoints(self) -> None:
        """All three parts at once; blocks."""
        picture = self.take_picture()
        self.checkpoints.write(picture)
        self.picture_written(picture)

    def due_for_removal(self, now: int) -> list[str]:
        due = [path for when, paths in self.doomed_files if when <= now for path in paths]
        self.doomed_files = [(when, paths) for when, paths in self.doomed_files if when > now]
        return due

    def close(self, *, broker_epoch: int = -1) -> bool:
        """Flush and close every log, several at once; the clean marker only if all went well, with the registration
        under which the logs were last written to. Of a process that was not registered that is what the marker before
        said: after a crash nothing, for what the machine lost is lost all the same. Blocks.
        """
        if not self._is_open:
            # Whatever the folder says of its logs, we have not looked: it must go on saying it.
            self.lock.release()
            return False
        self._is_open = False
        is_clean = True
        try:
            logs = self.all_logs()
            with ThreadPoolExecutor(max_workers=4, thread_name_prefix="close logs") as executor:
                while some := list(islice(logs, CLOSE_AT_ONCE)):
                    is_clean = self._close_some(some, executor) and is_clean
            self.write_checkpoints()
            if is_clean:
                write_clean_marker(
                    self.path, broker_epoch=broker_epoch if broker_epoch > 0 else self.stopped_under or -1
                )
        except OSError as error:
            _log.error("folder not closed cleanly", folder=str(self.path), reason=str(error))
            is_clean = False
        finally:
            self.lock.release()
        return is_clean

    def _close_some(self, logs: list[PartitionLog], executor: ThreadPoolExecutor) -> bool:
        """The slow part, fsync, in threads; the pool's part here, one log after the other."""
        jobs = [(log, log.flushing.begin_close()) for log in logs]
        futures = [(log, job, executor.submit(job.run) if job is not None else None) for log, job in jobs]
        is_clean = True
        for log, job, future in futures:
            try:
                log.flushing.end_close(job, None if future is None else future.exception())
            except KafkaStorageError as error:
                _log.error("log not closed cleanly", partition=str(log.partition), reason=error.message)
                is_damaged = log.trouble is not None and log.trouble.stops_reads and log.health.open_again is None
                is_clean = is_clean and is_damaged  # which is noted, and read whole at the next start
        return is_clean

    def __iter__(self) -> Iterator[PartitionLog]:
        return iter(self.logs.values())


def remove_paths(paths: list[str]) -> None:
    """Files and whole folders, off the disk; in a thread."""
    for path in paths:
        try:
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                remove_files([path])
        except OSError as error:  # the next start finds it; the others need not wait for that
            _log.error("not removed", path=path, reason=str(error))
