"""Opening a data folder: which logs lie in it, whose they are, and what is known of each from before.

Runs before anybody else knows of the folder's logs; they are opened in threads.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

import structlog

from penstock.log.checkpoint_files import CLEANER_OFFSETS, HIGH_WATERMARKS, LOG_START_OFFSETS
from penstock.log.cut_notes import read_note
from penstock.log.epochs import FILE_NAME as LEADER_EPOCHS
from penstock.log.file_pool import remove_files
from penstock.log.folders.clean_marker import take_clean_marker
from penstock.log.folders.future_logs import write_topic_id
from penstock.log.folders.names import DELETE, STRAY, is_on_its_way_out, parse_folder_name
from penstock.log.folders.reserve import give_up_reserve
from penstock.log.partition_log import PartitionLog
from penstock.log.recovery import ExpectedLog, KnownLog, open_log
from penstock.model import TopicId, TopicPartition

if TYPE_CHECKING:
    from penstock.log.folders.folder import LogFolder

FindExpected = Callable[[TopicPartition, TopicId], ExpectedLog | None]

_log = structlog.get_logger(__name__)

NO_TOPIC_ID: Final = TopicId(bytes(16))


class FolderOpening:
    """Fills in what the folder knows of its logs."""

    def __init__(self, folder: "LogFolder", find: FindExpected) -> None:
        self._folder = folder
        self._find = find
        self._is_clean = False
        self._found: set[TopicPartition] = set()

    def run(self, *, threads: int) -> None:
        folder, checkpoints = self._folder, self._folder.checkpoints
        give_up_reserve(folder.path)  # on a full disk, for what has to be written of logs to open them
        stop = take_clean_marker(folder.path)
        self._is_clean = stop is not None
        folder.stopped_under = None if stop is None else stop.broker_epoch
        elsewhere = folder.moved_away | folder.futures.found.keys()
        wanted = self._find_logs()
        missed = checkpoints.least_ends().items()
        folder.lost = {at: end for at, end in missed if end > 0 and at not in elsewhere and at not in self._found}
        copies = self._find_copies()
        with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="open logs") as executor:
            for log in executor.map(lambda open_one: open_one(), wanted):
                log.home = folder
                folder.logs[log.partition] = log
            folder.futures.adopt(executor.map(lambda open_one: open_one(), copies))
        marks = checkpoints.on_disk[HIGH_WATERMARKS] | checkpoints.notes.high_watermarks()
        ends = dict.fromkeys(marks.keys() - elsewhere - self._found, 0)
        ends |= {at: log.end_offset for at, log in folder.logs.items()}
        folder.shortened = {at: mark for at, mark in marks.items() if ends.get(at, mark) < mark}

    def _find_logs(self) -> list[Callable[[], PartitionLog]]:
        """How to open each; what is on its way out, or nobody's, is put aside."""
        folder, wanted = self._folder, []
        for name in sorted(entry.name for entry in os.scandir(folder.path) if entry.is_dir()):
            partition = parse_folder_name(name)
            if partition is None:
                if is_on_its_way_out(name, DELETE):
                    folder.doomed_files.append((0, [str(folder.path / name)]))
                elif is_on_its_way_out(name, STRAY):
                    folder.strays.append(name)
                continue
            self._found.add(partition)
            topic_id = folder.topic_id_of(name)
            expected = self._find(partition, topic_id)
            if expected is None:
                folder.rename_to_stray(partition)
                continue
            if topic_id == NO_TOPIC_ID and expected.topic_id is not None:
                topic_id = expected.topic_id
                self._name_topic(partition, topic_id)
            wanted.append(self._opener(name, partition, topic_id, expected))
        return wanted

    def _find_copies(self) -> list[Callable[[], PartitionLog]]:
        folder, wanted = self._folder, []
        for partition, name in folder.futures.found.items():
            topic_id = folder.topic_id_of(name)
            expected = self._find(partition, topic_id)
            if expected is None:
                folder.doomed_files.append((0, [str(folder.path / name)]))
            else:
                wanted.append(self._opener(name, partition, topic_id, expected))
        return wanted

    def _name_topic(self, partition: TopicPartition, topic_id: TopicId) -> None:
        """A log whose file does not say, torn or lost, is its namesake's where that counts on it (`find` knows): this
        broker is in sync by it, or may be the only one to have it. Any other may be of a topic deleted since, and is
        set aside.
        """
        _log.warning("log does not say whose it is, taken by its name", partition=str(partition))
        try:
            write_topic_id(self._folder.path / str(partition), topic_id, durably=True)
        except OSError as error:  # the next start tries again
            _log.error("topic not written down", partition=str(partition), reason=str(error))

    def _opener(
        self, name: str, partition: TopicPartition, topic_id: TopicId, expected: ExpectedLog
    ) -> Callable[[], PartitionLog]:
        folder, known = self._folder, self._known(partition)

        def open_one() -> PartitionLog:
            note = read_note(folder.path / name)
            if note is not None and note.if_empty:
                # Power may have failed before this was gone for good: it would be believed of what comes to lie there.
                remove_files([str(folder.path / name / LEADER_EPOCHS)])
            log = open_log(
                folder.path / name,
                partition,
                topic_id,
                known if note is None else note.correct(known),
                config=expected.config,
                pool=folder.pool,
                clock=folder.clock,
            )
            if note is not None:
                folder.checkpoints.notes.found(log, note)
            return log

        return open_one

    def _known(self, partition: TopicPartition) -> KnownLog:
        checkpoints, is_adopted = self._folder.checkpoints, self._folder.identity.is_adopted
        on_disk = checkpoints.on_disk
        are_starts_known = checkpoints.knows_starts and not is_adopted
        return KnownLog(
            is_clean=self._is_clean,
            recovery_point=checkpoints.least_ends().get(partition, 0),
            is_point_known=checkpoints.knows_flushed,
            start_offset=on_disk[LOG_START_OFFSETS].get(partition, 0),
            is_start_exact=are_starts_known or partition in on_disk[LOG_START_OFFSETS],
            may_have_gaps=is_adopted,
            high_watermark=on_disk[HIGH_WATERMARKS].get(partition, 0),
            clean_upto=on_disk[CLEANER_OFFSETS].get(partition, 0),
        )
