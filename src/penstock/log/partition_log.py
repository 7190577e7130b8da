"""PartitionLog: one partition's records on disk, appended to on the event loop.

An append is one pwritev of the caller's views at the end of the active segment, then bookkeeping in memory: no other
system call, no look into a record. It happened whole or not at all (see writing.py).

The log itself appends and slices, and keeps what is so: its offsets, its segments. What else is done with it is done
by parts that are given the log:

    health        whether it may be used: taken offline, and back
    rolling       which segment takes an append
    flushing      to the disk, up to the recovery point; closing
    damage        batches that were found bad, and are not served
    epochs        which leader epoch wrote which offsets
    producers     what is known of idempotent producers and open transactions
    bookkeeping   keeps `producers` in step with the batches
    aborts        which transactions a reader has to skip
    times         finding records by timestamp
    retention     records off the start
    truncation    records off the end
    swapping      compacted segments in the place of others

Who may touch what. A log belongs to the event loop: every attribute, of the log and of its parts, is read and written
there, without locks. Threads get an order that was fixed on the loop (a flush job, a plan, a tuple of segments) and
report back to the loop, which alone changes the log. `segments` is an immutable tuple, replaced whole: whoever holds
one may go on reading it. Before a log is handed out (`recovery.open_log`) it belongs to the thread that opens it.

The log's own attributes are its parts' to change, and nobody else's, but for these: `high_watermark` (whoever leads or
follows the partition), `clean_upto` (the cleaner), `is_flush_noted` (the flusher), `is_being_copied` (a move to another
folder), `home`, `recovery_point_on_disk` and `folder` (the data folder), and all of them before it is handed out.
"""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from penstock.errors import CorruptMessage, Fatal, KafkaStorageError, OffsetOutOfRange
from penstock.log.aborts import AbortedTransactions
from penstock.log.batches import batches_in
from penstock.log.damage.damage import Damage
from penstock.log.damage.suspects import examine, not_sent, suspect_slice
from penstock.log.epochs import LeaderEpochs
from penstock.log.file_pool import FilePool
from penstock.log.flushing import Flushing
from penstock.log.folder_port import FolderPort
from penstock.log.health import Health, Trouble
from penstock.log.notes import GAPS_NOTE
from penstock.log.producers.bookkeeping import ProducerBookkeeping
from penstock.log.producers.producer import ProducerState
from penstock.log.producers.producers import ProducerStates
from penstock.log.retention import Retention
from penstock.log.rolling import Rolling
from penstock.log.segments.checking import check_closed
from penstock.log.segments.scan import Damaged, Found
from penstock.log.segments.segment import HOT_TAIL_BYTES, UNKNOWN, Segment, number_of
from penstock.log.segments.slices import FileSlice
from penstock.log.swapping import Swapping
from penstock.log.time_lookup import TimeLookup
from penstock.log.truncation import Truncation
from penstock.log.writing import write
from penstock.model import Clock, TopicId, TopicPartition
from penstock.wire.batch import HEADER_SIZE, BatchHeader

if TYPE_CHECKING:
    from penstock.settings.config import Config, TopicConfig

_log = structlog.get_logger(__name__)


class PartitionLog:
    __slots__ = (
        "aborts",
        "bookkeeping",
        "clean_upto",
        "clock",
        "config",
        "cuts",
        "damage",
        "end_offset",
        "epochs",
        "flushing",
        "folder",
        "health",
        "high_watermark",
        "home",
        "is_being_copied",
        "is_flush_noted",
        "is_folder_synced",
        "may_have_gaps",
        "partition",
        "pool",
        "producers",
        "recovery_point",
        "recovery_point_on_disk",
        "renaming",
        "retention",
        "rolling",
        "segments",
        "size",
        "start_offset",
        "swapping",
        "times",
        "topic_id",
        "trouble",
        "truncation",
    )

    def __init__(
        self,
        folder: Path,
        partition: TopicPartition,
        topic_id: TopicId,
        *,
        config: "Config | TopicConfig",
        pool: FilePool,
        clock: Clock,
    ) -> None:
        self.folder = folder
        self.partition = partition
        self.topic_id = topic_id
        self.config = config
        self.pool = pool
        self.clock = clock
        self.home: FolderPort | None = None

        self.start_offset = 0
        """The first offset that clients are served."""
        self.end_offset = 0
        self.high_watermark = 0
        """Kept here for its checkpoint and as retention's limit."""
        self.recovery_point = 0
        """Everything below it has been fdatasynced."""
        self.recovery_point_on_disk = 0
        """The one in the checkpoint file: what recovery will go by. Compaction stays below it."""
        self.clean_upto = 0
        """Compaction has been through everything below it: the cleaner's checkpoint."""

        self.segments: tuple[Segment, ...] = ()
        self.size = 0
        self.cuts = 0
        """How often bytes were taken off the end: a flush that began before a cut proves nothing after it."""
        self.may_have_gaps = False
        """Offsets may be missing between batches, by compaction here or at the leader, and that is no damage."""
        self.is_folder_synced = True
        """False while files were made or renamed since the folder was last fsynced."""
        self.is_flush_noted = False
        """The folder may say FLUSHED_NOTE: true from before it is written until it is surely gone. Read at start it
        tells of all processes so far."""
        self.is_being_copied = False
        """On its way to another data folder: compaction waits, else the copy could keep what it takes out here."""
        self.trouble: Trouble | None = None
        self.renaming = threading.Lock()
        """Between threads that rename files and the loop, which may cut the log, begin it anew or delete it meanwhile:
        what has a file's name then is something else."""

        self.health = Health(self)
        self.rolling = Rolling(self)
        self.flushing = Flushing(self)
        self.damage = Damage(self)
        self.epochs = LeaderEpochs(str(folder), self)
        self.producers = ProducerStates(folder, config)
        self.bookkeeping = ProducerBookkeeping(self)
        self.aborts = AbortedTransactions(self)
        self.times = TimeLookup(self)
        self.retention = Retention(self)
        self.truncation = Truncation(self)
        self.swapping = Swapping(self)

    @property
    def active(self) -> Segment:
        return self.segments[-1]

    @property
    def local_start_offset(self) -> int:
        """The first offset that files here serve. It is the log's start unless older records are kept elsewhere."""
        start_offset, base_offset = self.start_offset, self.segments[0].base_offset
        return start_offset if start_offset >= base_offset else base_offset

    def __repr__(self) -> str:
        return f"<log {self.partition} [{self.start_offset}, {self.end_offset})>"

    # --- appending ---

    def append(
        self, batches: Sequence[tuple[BatchHeader, memoryview]], expected_from: ProducerState | None = None
    ) -> None:
        """Write batches that carry their final offsets and leader epoch, checked already, rising from the log's end.
        `expected_from` of a single one: whose next batch it is, by `producers.expects`.
        """
        if self.trouble is not None:
            raise self.trouble.refusal()
        if len(batches) == 1:  # nearly every produce request: worth its own line
            first, view = batches[0]
            last, views, size = first, [view], len(view)
        else:
            first, last = batches[0][0], batches[-1][0]
            views = [view for _, view in batches]
            size = sum(map(len, views))
            if not self.may_have_gaps:
                self._look_for_gaps(batches)
        if first.base_offset != self.end_offset:
            self._look_for_gaps(batches)
        rolling = self.rolling
        limits = rolling.limits
        if limits.version != self.config.version:
            limits = rolling.work_out_limits()
        segment = rolling.segment_for(self.segments[-1], size, first, last, limits)
        write(self, segment, views, size)

        interval = limits.index_interval_bytes
        epochs = self.epochs
        has_producers = False
        for header, view in batches:
            segment.note(header, len(view), interval)
            if header.leader_epoch != epochs.latest:
                epochs.assign(header.leader_epoch, header.base_offset)
            if header.producer_id >= 0:
                has_producers = True
        self.end_offset = last.base_offset + last.last_offset_delta + 1
        self.size += size
        if expected_from is not None:
            expected_from.took(first)
        elif has_producers:
            self.bookkeeping.take_in(segment, batches)

    def _look_for_gaps(self, batches: Sequence[tuple[BatchHeader, memoryview]]) -> None:
        """A compacted leader's batches may leave offsets out; the folder must say so before they are in it."""
        expected_offset = self.end_offset
        for header, _ in batches:
            if header.base_offset < expected_offset:
                raise Fatal(f"{self.partition}: append at {header.base_offset}, the log ends at {expected_offset}")
            if header.base_offset > expected_offset:
                try:
                    self.allow_gaps()
                except OSError as error:
                    raise self.health.fail("append failed", error) from error
            expected_offset = header.next_offset

    def allow_gaps(self) -> None:
        """From now on a batch need not begin where the one before it ended."""
        if not self.may_have_gaps:
            (self.folder / GAPS_NOTE).touch()
            self.may_have_gaps = True
            self.is_folder_synced = False

    # --- reading ---

    def slice(self, start: int, *, at_most: int, before: int, at_least_one: bool = True) -> FileSlice | None:
        """Whole batches from the one that holds `start`, of base offsets below `before`, within one segment.

        At most `at_most` bytes, but at least one batch if `at_least_one` (KIP-74). None where there is nothing to give;
        OffsetOutOfRange only outside [local_start_offset, end_offset]; CorruptMessage where what is there is no batch;
        KafkaStorageError where the file cannot be opened.
        Release the slice when it is sent.
        """
        if self.trouble is not None:
            self.health.ensure_readable()
        end_offset = self.end_offset
        if not self.start_offset <= start <= end_offset:
            raise OffsetOutOfRange(f"{self.partition} holds offsets {self.start_offset} to {end_offset}, not {start}")
        if start >= before or start == end_offset:
            return None
        segments = self.segments
        number = len(segments) - 1
        segment = segments[number]
        if start < segment.base_offset:
            number = number_of(segments, start)
            segment = segments[number]
            if start < segment.base_offset:
                raise OffsetOutOfRange(f"{self.partition} has files from {segment.base_offset} on, not for {start}")
            if not segment.is_checked:
                self.damage.check(segment, segments[number + 1])
        damaged = self.damage.ranges
        if damaged:
            self.damage.refuse(segment.base_offset, start, size=segment.size)
        may_have_gaps = self.may_have_gaps
        try:
            position = segment.find(start, may_have_gaps=may_have_gaps)
            while position == UNKNOWN or (
                segment.size - position == HEADER_SIZE and _something_follows(segments, number, before)
            ):
                # Compaction left nothing from `start` to this segment's end, or only the emptied batch that it ends
                # with: what comes next is in a later one. (A consumer that gets many answers without a record in a row
                # takes them for records that are too large to fetch.)
                number += 1
                if number == len(segments) or segments[number].base_offset >= before:
                    return None
                segment = segments[number]
                if not segment.is_checked and number < len(segments) - 1:
                    self.damage.check(segment, segments[number + 1])
                position = segment.find(start, may_have_gaps=may_have_gaps)
            segment_end = end_offset if number == len(segments) - 1 else segments[number + 1].base_offset
            limit = segment.size if before >= segment_end else segment.end_before(before)
            if position >= limit:
                return None
            if damaged:
                limit = self.damage.clip(segment.base_offset, position=position, stop=limit)
            stop = limit
            if limit - position > at_most:
                stop = segment.cut_at(position, position + at_most)
                if stop == position:
                    if not at_least_one:
                        return None
                    stop += segment.size_of_batch_at(position, offset=start)
            return FileSlice(
                segment.file,
                position,
                stop - position,
                first_offset=start,
                is_recent=position >= segment.hot_from and position >= segment.size - HOT_TAIL_BYTES,
                log=self,
            )
        except Damaged as damage:
            # What nobody had found yet: said, kept from readers, and put right if another replica can (RULES 23). What
            # comes after it is not given in its place.
            self.damage.report_at(segment, damage)
            what = f"{self.partition} cannot be read at offset {damage.expected_offset}: {damage}"
            raise CorruptMessage(what) from damage
        except OSError as error:
            _log.warning("log not read", file=segment.file.path, reason=str(error))
            raise KafkaStorageError(f"{self.partition}: {error.strerror or error}") from error

    def read(self, start: int, at_most: int, *, at_least_one: bool = True) -> bytes:
        """The bytes of a slice up to the log's end, owned; empty where there is nothing. CorruptMessage where it cannot
        be read."""
        found = self.slice(start, at_most=at_most, before=self.end_offset, at_least_one=at_least_one)
        if found is None:
            return b""
        try:
            return found.read()
        except OSError as error:
            suspected = suspect_slice(found)
            if suspected is not None:
                not_sent(suspected, examine(suspected), str(error))
            raise CorruptMessage(f"{self.partition} cannot be read at offset {start}: {error}") from error
        finally:
            found.release()

    def batches_of(self, segment: Segment, *, position: int = 0, check_crc: bool = True) -> Iterator[Found]:
        """Every batch of a segment; damage takes the log offline (RULES 23). For the loop: a thread cannot tell damage
        from a file that was exchanged.
        """
        try:
            yield from batches_in(segment, position=position, check_crc=check_crc)
        except Damaged as damage:
            raise self.health.take_offline(f"{segment.file.path}: {damage}", stops_reads=True) from damage

    def bytes_from(self, records: FileSlice, *, before: int) -> int | None:
        """How much there is below `before`, from where a slice begins to its segment's end; None in a segment that is
        closed, which has all that it ever will.
        """
        active = self.active
        if records.file is not active.file:
            return None
        try:
            end = active.size if before >= self.end_offset else active.end_before(before)
        except (Damaged, OSError):
            return records.size  # whoever asks for what follows will be told
        return max(end - records.position, records.size)

    def warm(self, start: int) -> None:
        """Bring what `slice` will read first into the page cache; blocks, so in a thread. Changes nothing."""
        segments = self.segments
        number = number_of(segments, start)
        segment = segments[number]
        try:
            segment.load_offset_index()
            segment.load_time_index()
            if not segment.is_checked and number < len(segments) - 1:
                check_closed(segment, segments[number + 1], may_have_gaps=self.may_have_gaps)
        except (OSError, Damaged):
            pass  # `slice` will find it too, on the loop, where it can be acted upon and is this log's alone

    def is_near(self, start: int) -> bool:
        """Whether `slice` will find its place without loading an index; if not, `warm` first in a thread."""
        segments = self.segments
        segment = segments[-1]
        if start < segment.base_offset:
            segment = segments[number_of(segments, start)]
        return segment.index is not None or not segment.size


def _something_follows(segments: tuple[Segment, ...], number: int, before: int) -> bool:
    if number + 1 == len(segments):
        return False
    following = segments[number + 1]
    return following.size > 0 and following.base_offset < before
