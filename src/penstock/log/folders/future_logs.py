"""Logs on their way into a data folder: copies that become the log itself once they have all of it.

A copy lies in `<topic>-<n>.<id>-future`, as Kafka names it, beside the logs of the folder it moves to; the log itself
goes on in the folder where it was. The exchange, so that a crash at any point leaves one whole log:

    in a thread   the copy is flushed; the note MOVED_IN, which names the folder that the log comes from, is made to
                  last in the copy, and an old note is removed in the log itself; the checkpoints know the copy
    on the loop   `-future` -> the log's own name. From here on the copy is the log, and takes the appends
    in a thread   this folder is fsynced; then the old log -> `-delete`, that folder fsynced, the note removed

Between the last two there are two folders of one name: the one with the note wins at start (unfinished_moves.py).
"""

import asyncio
import errno
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.log.checkpoint_files import write_properties
from penstock.log.file_pool import remove_files, sync_file, sync_folder, write_atomically
from penstock.log.folders.names import DELETE, future_name, leaving_name
from penstock.log.health import Trouble
from penstock.log.partition_log import PartitionLog
from penstock.log.recovery import KnownLog, open_log
from penstock.model import TopicId, TopicPartition, topic_id_text

if TYPE_CHECKING:
    from penstock.log.folders.folder import LogFolder
    from penstock.settings.config import Config, TopicConfig

PARTITION_METADATA: Final = "partition.metadata"
MOVED_IN: Final = "penstock-moved-in"
"""Lies in a log that came from another data folder, until the old one has made way; holds that folder's id."""


def write_topic_id(folder: Path, topic_id: TopicId, *, durably: bool) -> None:
    """Whose log a folder holds, in Kafka's own file."""
    values = {"version": "0", "topic_id": topic_id_text(topic_id)}
    write_properties(str(folder / PARTITION_METADATA), values, separator=": ", durably=durably)


class FutureLogs:
    """The copies in one data folder; owned by the event loop."""

    def __init__(self, folder: "LogFolder") -> None:
        self._folder = folder
        self.logs: dict[TopicPartition, PartitionLog] = {}
        self.found: dict[TopicPartition, str] = {}
        """Names of copies that a start has found and means to go on with."""

    def create(self, partition: TopicPartition, topic_id: TopicId, config: "Config | TopicConfig") -> PartitionLog:
        """An empty copy. OSError where the folder takes none."""
        folder = self._folder
        if partition in self.logs or partition in folder.logs:
            raise ValueError(f"{partition} is in {folder.path} already")
        path = folder.path / future_name(partition)
        path.mkdir()
        write_topic_id(path, topic_id, durably=False)
        known = KnownLog(is_clean=True)
        log = open_log(path, partition, topic_id, known, config=config, pool=folder.pool, clock=folder.clock)
        log.is_folder_synced = False
        if folder.checkpoints.may_know(partition):
            folder.start_rises(log)  # rows of an earlier log would make the copy look as if it had lost records
        self.adopt([log])
        return log

    def adopt(self, logs: Iterable[PartitionLog]) -> None:
        for log in logs:
            log.home = self._folder
            self.logs[log.partition] = log

    def drop(self, partition: TopicPartition) -> None:
        """The move is not wanted any more: the copy goes, the log itself was never touched."""
        log = self.logs.pop(partition)
        let_go(log, "its move was given up")
        gone = self._folder.path / leaving_name(partition, DELETE)
        log.folder.rename(gone)
        self._folder.doomed_files.append((0, [str(gone)]))

    async def prepare(self, original: PartitionLog, origin: "LogFolder") -> None:
        """Before the exchange: all that must last by then, in threads."""
        folder, copy = self._folder, self.logs[original.partition]
        await asyncio.to_thread(_write_note, copy.folder, original.folder, origin.identity.directory_id)
        await folder.checkpoint()

    def promote(self, partition: TopicPartition, origin: "LogFolder") -> None:
        """The copy becomes the log: one rename, and the rest in memory. OSError: nothing has happened."""
        log = self.logs[partition]
        folder = self._folder
        was, now = log.folder, folder.path / str(partition)
        was.rename(now)
        rename_in_memory(log, now)
        folder.doomed_files = [
            (when, [path.replace(f"{was}/", f"{now}/", 1) for path in paths]) for when, paths in folder.doomed_files
        ]
        folder.logs[partition] = self.logs.pop(partition)
        let_go(origin.logs.pop(partition), "it is in another data folder now")

    async def settle(self, original: PartitionLog, origin: "LogFolder") -> None:
        """After the exchange: the old log makes way, but only once the new one's name lasts."""
        await asyncio.to_thread(sync_folder, str(self._folder.path))
        origin.remove_later(original)
        await asyncio.to_thread(sync_folder, str(origin.path))
        await asyncio.to_thread(remove_note, self._folder.path / str(original.partition))


def _write_note(copy: Path, original: Path, directory_id: bytes) -> None:
    if (copy.parent / original.name).exists():
        # What an earlier move could not take away; its note must stay with the log until it is gone.
        raise FileExistsError(errno.EEXIST, f"{copy.parent} still has an earlier {original.name}")
    sync_file(str(copy / PARTITION_METADATA))  # a copy without a record is never flushed
    if (original / MOVED_IN).exists():
        # From an earlier move; two notes would leave nobody the winner.
        remove_files([str(original / MOVED_IN)])
        sync_folder(str(original))
    write_atomically(str(copy / MOVED_IN), topic_id_text(TopicId(directory_id)).encode())


def remove_note(log: Path) -> None:
    remove_files([str(log / MOVED_IN)])


def let_go(log: PartitionLog, why: str) -> None:
    """Nobody reads or writes this log any more; slices that are being sent keep their descriptors."""
    with log.renaming:
        log.trouble = Trouble(f"{log.partition}: {why}", stops_reads=True, may_pass=False)
    for segment in log.segments:
        segment.file.forget()
        log.pool.indexes.drop(segment)
    if log.home is not None:
        log.home.let_go(log)


def rename_in_memory(log: PartitionLog, folder: Path) -> None:
    """The log's folder has another name now. Nobody but the caller may be at work on the log."""
    log.folder = folder
    log.epochs.folder = str(folder)
    log.producers.history.files.folder = folder
    for segment in log.segments:
        segment.file.path = str(folder / Path(segment.file.path).name)
        if segment.transactions is not None:
            segment.transactions.path = folder / segment.transactions.path.name
    log.is_folder_synced = False  # the next flush makes the new name last before it counts
