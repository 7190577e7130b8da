"""Opening a log: what is on disk, whether it can be trusted, and what to do where it cannot.

After a clean stop nothing is scanned: only the tail of the last segment is looked at. After anything else every batch
from the recovery point on is read and its checksum verified (all of them where even the leader epochs cannot be read:
they are made again from the batches). There, above the recovery point, a torn tail is what a
crash leaves behind, and is cut; whatever followed it in the log goes too, so that a prefix remains. Below the recovery
point everything has been fsynced: what is missing or wrong there is damage, which is said and takes the log offline,
and not one byte is changed (RULES 21). Damage once found is remembered in a file of the folder, so that no later start
trusts the log again without having read all of it.

Runs in a thread, before anybody else knows of the log.
"""

import os
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import structlog

from penstock.errors import KafkaStorageError
from penstock.log.batches import DamagedIn, batches_in
from penstock.log.checkpoint_files import CheckpointUnreadable
from penstock.log.damage.suspects import is_sound
from penstock.log.epoch_doubts import EpochDoubts
from penstock.log.epochs import LeaderEpochs
from penstock.log.file_pool import FilePool, names_in, private_descriptor, remove_files
from penstock.log.health import DISK_FULL, WANTS
from penstock.log.notes import DAMAGE_NOTE, FLUSHED_NOTE, GAPS_NOTE
from penstock.log.partition_log import PartitionLog
from penstock.log.renaming import DELETED
from penstock.log.segments.checking import check_closed, end_offset_of, has_batch, header_at
from penstock.log.segments.files import INDEX, LOG, SUFFIXES, TIME_INDEX, TXN_INDEX, file_name
from penstock.log.segments.indexes import OffsetIndex, TimeIndex
from penstock.log.segments.scan import Damaged, Unreadable, walk
from penstock.log.segments.segment import Segment
from penstock.log.segments.transaction_index import EMPTY
from penstock.log.swapping import CLEANED, SWAP, finish_swaps
from penstock.model import Clock, TopicId, TopicPartition
from penstock.settings.topic import INDEX_INTERVAL_BYTES
from penstock.wire.batch import CONTROL, NO_TIMESTAMP
from penstock.wire.malformed import Malformed

if TYPE_CHECKING:
    from penstock.settings.config import Config, TopicConfig

_log = structlog.get_logger(__name__)


class KnownLog(msgspec.Struct, frozen=True, gc=False):
    """What the data folder's checkpoints say of a log."""

    is_clean: bool
    recovery_point: int = 0
    is_point_known: bool = True
    """If not, `recovery_point` is how far the log reaches at least, and nothing is known to be flushed."""
    start_offset: int = 0
    is_start_exact: bool = True
    """Whether the first segment must reach down to start_offset; Kafka itself does not write down every start."""
    may_have_gaps: bool = False
    """Offsets may be missing between batches although the folder has no note of it: Kafka wrote it."""
    high_watermark: int = 0
    clean_upto: int = 0


class ExpectedLog(msgspec.Struct, frozen=True, gc=False):
    """What the cluster's metadata says of a log."""

    config: "Config | TopicConfig"
    topic_id: TopicId | None = None
    """Of the topic of that name, for a log that does not say its own."""


def open_log(
    folder: Path,
    partition: TopicPartition,
    topic_id: TopicId,
    known: KnownLog,
    *,
    config: "Config | TopicConfig",
    pool: FilePool,
    clock: Clock,
) -> PartitionLog:
    """The log of a folder, fit for use or offline with a reason; never an exception for what is in the files, nor for
    what is wanting to read them: then it can be opened again.
    """
    log = PartitionLog(folder, partition, topic_id, config=config, pool=pool, clock=clock)
    log.recovery_point = log.recovery_point_on_disk = known.recovery_point
    try:
        _Opening(log, known).run()
    except (OSError, Damaged, Malformed, KafkaStorageError) as error:
        if isinstance(error, OSError) and error.errno in WANTS:
            log.health.leave_unread(error, partial(_open_again, log, known, wants_room=error.errno in DISK_FULL))
        else:
            log.health.take_offline(f"damage found at start: {error}", stops_reads=True)
        if not log.segments:
            log.segments = (Segment(pool, str(folder), known.start_offset),)
        # What the checkpoints say stays said: with offsets guessed from the files that are left, the next start would
        # find nothing missing.
        log.recovery_point = known.recovery_point
        log.start_offset = known.start_offset
        if not known.is_start_exact:
            log.start_offset = max(known.start_offset, log.segments[0].base_offset)
        log.end_offset = max(log.start_offset, known.recovery_point, known.high_watermark)
        _learn_latest_epoch(log)
    log.size = sum(segment.size for segment in log.segments)
    log.high_watermark = max(log.start_offset, min(known.high_watermark, log.end_offset))
    # None is written down above the recovery point; one that lies there is of records that were cut since.
    log.clean_upto = known.clean_upto if known.clean_upto <= known.recovery_point else 0
    return log


def _learn_latest_epoch(log: PartitionLog) -> None:
    """Of a log that was not read, or not to its end: where the metadata was taken back in time it is what the next
    epoch must be raised above, or what was written in the latest one could not be told from what another writes in it.
    """
    on_disk = LeaderEpochs(str(log.folder), log)
    with suppress(OSError, CheckpointUnreadable):
        on_disk.load()
    if on_disk.latest > log.epochs.latest:
        log.epochs.take_over(on_disk)


def _open_again(log: PartitionLog, known: KnownLog, *, wants_room: bool) -> PartitionLog:
    """Nobody has written to it since, so the checkpoints still hold."""
    if wants_room and not log.health.has_room():
        return log
    opened = open_log(log.folder, log.partition, log.topic_id, known, config=log.config, pool=log.pool, clock=log.clock)
    opened.is_folder_synced = False  # the attempt before may have removed files
    return opened


class _Opening:
    def __init__(self, log: PartitionLog, known: KnownLog) -> None:
        self.log = log
        self.known = known
        self.point = known.recovery_point
        self.interval = log.config[INDEX_INTERVAL_BYTES]
        self.end_offset = 0
        self.first_marker: int | None = None
        """Offset of the first control batch that was read on the way."""
        self.was_damaged = False
        self.reads_all = False
        """Whether every batch is to be read, whatever the checkpoints say."""
        self.epochs_from = 0
        """From this offset on leader epochs are learnt from the batches."""
        self.trusted_to = self.point
        """Up to this offset what lies beside the batches is of those that are there."""

    def run(self) -> None:
        log, known = self.log, self.known
        log.damage.load()
        log.aborts.sums.load()
        segments = self._without_deleted(self._list_segments()) or [
            self._segment(known.start_offset, size=0, is_created=False)
        ]
        self._look_at_damage(segments)
        first_offset = segments[0].base_offset
        log.segments = tuple(segments)
        log.start_offset = max(known.start_offset, first_offset)
        self.reads_all = not self._has_epochs() or self.was_damaged or not known.is_point_known
        # What began below the recovery point is in the epochs' file, and that is to be believed before a batch is.
        # Where the point is not known, a crash may have come before the file was written.
        is_file_whole = known.is_clean or known.is_point_known
        self.epochs_from = self.point if log.epochs.epochs and is_file_whole else 0
        if known.is_start_exact and first_offset > known.start_offset:
            raise KafkaStorageError(f"the records from {known.start_offset} to {first_offset - 1} are missing")
        if known.is_clean and not self.reads_all:
            self._trust(segments)
        else:
            self._recover(segments)
        if log.end_offset < self.point:
            raise KafkaStorageError(f"the log ends at {log.end_offset}, records up to {self.point} should be here")
        if not known.is_point_known:
            log.recovery_point = log.recovery_point_on_disk = 0  # the folder has all of it flushed
        log.start_offset = min(log.start_offset, log.end_offset)
        log.epochs.cut_end(log.end_offset)
        log.epochs.cut_start(log.start_offset)
        self._look_at_aborts()
        log.bookkeeping.restore(log.producers.history.restore(self._replay_before(), first_offset))
        self._find_aborts_again()
        if self.was_damaged:
            _log.info("log found whole again", partition=str(log.partition))
            remove_files([str(log.folder / DAMAGE_NOTE)])

    def _look_at_damage(self, segments: list[Segment]) -> None:
        """What is sound again is served again. A range that ends after its file says nothing, nor is it looked for: the
        check of the segment's end will tell whether bytes are missing."""
        damage = self.log.damage
        for segment in segments if damage else ():
            for known in list(damage.ranges.get(segment.base_offset, ())):
                if known.end > segment.size or is_sound(segment, known, may_have_gaps=self.log.may_have_gaps):
                    damage.forget(segment.base_offset, known)
        damage.keep_only({segment.base_offset for segment in segments})

    def _replay_before(self) -> int:
        """An offset up to which the indexes of aborted transactions, and the snapshots, are as they were written.

        Above the recovery point power may have failed: an index may have lost some, or hold what the log does not, and
        both may be of records that were cut, or of those that took their place. They are replayed, from a snapshot of
        before.
        """
        before = min(self.trusted_to, self.log.end_offset)
        return before if self.first_marker is None else min(self.first_marker, before)

    def _look_at_aborts(self) -> None:
        """Of an index below, fsynced, an entry that cannot be right tells that something destroyed it. So does a sum
        that does not hold (abort_sums)."""
        log = self.log
        ends = [segment.base_offset for segment in log.segments[1:]] + [log.end_offset]
        for segment, end_offset in zip(log.segments, ends, strict=True):
            index = segment.transactions
            if index is not None and not index.is_sound(segment.base_offset, end_offset):
                index.is_wrong = True

    def _find_aborts_again(self) -> None:
        """What has not been replayed of indexes that are wrong."""
        log = self.log
        wrong = [
            segment for segment in log.segments if segment.transactions is not None and segment.transactions.is_wrong
        ]
        for segment in wrong:
            assert segment.transactions is not None
            _log.warning("index of aborted transactions wrong, built again", file=segment.path(TXN_INDEX))
            try:
                segment.transactions.replace(log.aborts.find(segment))
            except (DamagedIn, Malformed) as error:  # read_committed waits for it, the others do not
                _log.error("index of aborted transactions not built", file=segment.path(TXN_INDEX), reason=str(error))
        if wrong:
            log.aborts.sums.write()

    def _has_epochs(self) -> bool:
        """Whether the file of leader epochs can be read, and knows of the log's first record. If not the batches tell,
        whose epochs no checksum covers.
        """
        epochs, first = self.log.epochs, self.log.segments[0]
        try:
            epochs.load()
        except CheckpointUnreadable as error:
            _log.warning("leader epochs unreadable, read from the batches", reason=str(error))
            return False
        if self.known.is_clean or not epochs.starts or epochs.starts[0] <= self.log.start_offset or not first.size:
            return True
        header = header_at(first, 0)
        if header is None or not 0 <= header.leader_epoch <= epochs.epochs[0]:
            return True
        # A flush has written the file when the log began later already, and a crash came before the checkpoint.
        _log.warning("leader epochs of the first records unknown, read from the batches", file=first.file.path)
        epochs.clear()
        return False

    # --- what is there ---

    def _list_segments(self) -> list[Segment]:
        folder = self.log.folder
        names = names_in(folder)
        if any(name.endswith((SWAP, CLEANED, DELETED)) for name in names):
            finish_swaps(folder, names)
            names = names_in(folder)
        held = set(names)
        self.was_damaged = DAMAGE_NOTE in held
        self.log.may_have_gaps = GAPS_NOTE in held
        self.log.is_flush_noted = FLUSHED_NOTE in held
        if self.known.may_have_gaps:
            self.log.allow_gaps()
        segments = []
        ours = {name for name in held if name.partition(".")[0].isdecimal()}  # whatever else lies there is let be
        for name in sorted(name for name in ours if name.endswith(LOG)):
            size = (folder / name).stat().st_size
            segment = self._segment(int(name.removesuffix(LOG)), size=size, is_created=True)
            # A crash may have come between the two, and without the second nothing here would be found by time.
            segment.is_index_written = held.issuperset(
                file_name(segment.base_offset, suffix) for suffix in (INDEX, TIME_INDEX)
            )
            noted = self.log.aborts.sums.noted.get(segment.base_offset, EMPTY)
            if noted != EMPTY or file_name(segment.base_offset, TXN_INDEX) in held:
                self.log.aborts.add_index(segment, noted)
            segments.append(segment)
        orphans = [name for name in ours if name.endswith(SUFFIXES[1:]) and name.partition(".")[0] + LOG not in held]
        remove_files(str(folder / name) for name in orphans)
        return segments

    def _without_deleted(self, segments: list[Segment]) -> list[Segment]:
        """After a crash, what lies below the log's start is removed if any of it is torn: retention had dropped it.
        Nobody waited for its bytes to reach the disk, nor for its names to leave it, so it may be back. What is whole
        stays: DeleteRecords leaves it until retention comes, and it may hold all that is known of a producer.
        """
        start_offset = self.known.start_offset if self.known.is_start_exact and not self.known.is_clean else 0
        count = sum(following.base_offset <= start_offset for following in segments[1:])
        if all(self._is_whole(*pair) for pair in pairwise(segments[: count + 1])):
            return segments
        for segment in segments[:count]:
            remove_files(segment.path(suffix) for suffix in SUFFIXES)
        return segments[count:]

    def _is_whole(self, segment: Segment, following: Segment) -> bool:
        end_offset = segment.base_offset
        try:
            for found in batches_in(segment):
                end_offset = found.header.next_offset
        except Damaged:
            return False
        return end_offset == following.base_offset or (self.log.may_have_gaps and end_offset < following.base_offset)

    def _segment(self, base_offset: int, *, size: int, is_created: bool) -> Segment:
        log = self.log
        segment = Segment(log.pool, str(log.folder), base_offset, size=size, created_at=log.clock.now())
        segment.is_created = is_created
        return segment

    # --- after a clean stop ---

    def _trust(self, segments: list[Segment]) -> None:
        """Closed segments are checked when somebody reads them."""
        self.log.end_offset = end_offset_of(segments[-1], may_have_gaps=self.log.may_have_gaps)
        for segment in segments:
            self._ensure_index(segment)
        self.log.recovery_point = self.trusted_to = max(self.point, self.log.end_offset)
        segments[-1].is_active = True

    def _ensure_index(self, segment: Segment) -> None:
        if segment.is_index_written or not segment.size:
            segment.is_index_written = True
            return
        _log.warning("index missing, built again", file=segment.file.path)
        self._scan(segment, from_point=0)
        segment.write_indexes(*segment.index_bytes(), durably=True)
        segment.is_index_written = True
        segment.index, segment.time_index, segment.recent = None, None, None

    # --- after anything else ---

    def _recover(self, segments: list[Segment]) -> None:
        """Segment by segment: those below the recovery point need only look whole, the others are read."""
        log, scan_from = self.log, 0 if self.reads_all else self.point
        doubts = EpochDoubts(on_disk=log.epochs.latest)
        # Above the recovery point the batches tell: the file may know of epochs whose records were cut since.
        log.epochs.cut_end(self.epochs_from)
        for number, segment in enumerate(segments):
            following = segments[number + 1] if number + 1 < len(segments) else None
            if following is not None and following.base_offset <= scan_from:
                if not log.damage.is_known_in(segment.base_offset):
                    check_closed(segment, following, may_have_gaps=log.may_have_gaps)
                self._ensure_index(segment)
                continue
            sound_size = self._sound_size(segment, scan_from, doubts)
            is_whole = sound_size == segment.size
            if following is not None and is_whole and self._meets(following):
                segment.close()
                segment.is_checked = True
                continue
            if not is_whole or following is not None:
                self._cut(segment, segments[number + 1 :], sound_size)
            del segments[number + 1 :]
            break
        log.segments = tuple(segments)
        log.end_offset = self.end_offset
        segments[-1].is_active = True

    def _meets(self, following: Segment) -> bool:
        gap = following.base_offset - self.end_offset
        return gap == 0 or (gap > 0 and self.log.may_have_gaps and following.base_offset <= self.point)

    def _sound_size(self, segment: Segment, scan_from: int, doubts: EpochDoubts) -> int:
        """Read a segment; how many of its bytes are sound. Damaged where others are below the recovery point."""
        size = segment.size
        try:
            doubts.next_segment()
            self._scan(segment, from_point=scan_from, doubts=doubts)
        except Unreadable:
            raise  # it may be whole: what a crash has torn can be read
        except Damaged as damage:
            if damage.position < segment.size:  # batches that had looked sound are not
                segment.size = size
                self._scan(segment, from_point=scan_from, upto=damage.position)
            sound_size, segment.size = segment.size, size
            if self.end_offset < self.point:
                raise
            _log.warning("torn tail", file=segment.file.path, cut_to=sound_size, of=size, reason=str(damage))
            return sound_size
        return size

    def _scan(
        self, segment: Segment, *, from_point: int, upto: int | None = None, doubts: EpochDoubts | None = None
    ) -> None:
        """Walk a segment with every checksum, building its indexes and the leader epochs anew as it goes."""
        upto = segment.size if upto is None else upto
        segment.size = self._start_indexes(segment, from_point)
        self.end_offset = segment.base_offset
        if not upto:
            return  # a partition that never got a record has no file
        epochs = self.log.epochs
        with private_descriptor(segment.file.path) as fd:
            batches = walk(
                fd, segment.size, upto, expected_offset=segment.base_offset, may_have_gaps=self.log.may_have_gaps
            )
            for found in batches:
                header = found.header
                if doubts is not None and header.base_offset >= self.point:
                    doubts.look_at(found)
                segment.note(header, header.size, self.interval)
                if header.leader_epoch > epochs.latest and header.base_offset >= self.epochs_from:
                    epochs.assign(header.leader_epoch, header.base_offset)
                if self.first_marker is None and header.attributes & CONTROL:
                    self.first_marker = header.base_offset
                self.end_offset = header.next_offset

    def _start_indexes(self, segment: Segment, from_point: int) -> int:
        """Where to begin reading so as to see all from an offset on, with the indexes as they were just before."""
        offsets, times = OffsetIndex(), TimeIndex()
        position = 0
        if from_point > segment.base_offset and segment.is_index_written:
            offsets, times = segment.load_offset_index(), segment.load_time_index()
            position, last = offsets.entry_at(from_point - 1 - segment.base_offset)
            if not offsets.is_sane(segment.size) or not len(times) or not has_batch(segment, position, last):
                offsets, times, position, last = OffsetIndex(), TimeIndex(), 0, -1
            offsets.cut(position)
            times.cut(last + 1)
        segment.index, segment.time_index, segment.recent = offsets, times, None
        timestamp, relative = times.last() or (NO_TIMESTAMP, 0)
        segment.max_timestamp, segment.max_timestamp_last = timestamp, segment.base_offset + relative
        segment.since_index_bytes = position - (offsets.positions[-1] if len(offsets) else 0)
        if position and (first := header_at(segment, 0)) is not None:
            segment.first_timestamp = first.max_timestamp
        return position

    def _cut(self, torn: Segment, later: list[Segment], size: int) -> None:
        """Above the recovery point: keep the sound bytes of this segment and nothing after it."""
        if self.end_offset < self.point:
            raise KafkaStorageError(f"the records from {self.end_offset} to {self.point - 1} are missing")
        for segment in reversed(later):
            _log.warning("segment after a torn one removed", file=segment.file.path, size=segment.size)
            remove_files(segment.path(suffix) for suffix in SUFFIXES)
        with private_descriptor(torn.file.path, os.O_RDWR) as fd:
            os.ftruncate(fd, size)
            os.fsync(fd)
        torn.size = size
        # An index file of an active segment is missing or true: a later start begins its scan by it.
        remove_files([torn.path(INDEX), torn.path(TIME_INDEX)])
        torn.is_index_written = False
        self.log.is_folder_synced = False
