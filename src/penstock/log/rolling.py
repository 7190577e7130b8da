"""New segments, and what has to be remembered of producers as batches come in, live or replayed."""

import asyncio
import os

from penstock.log.file_pool import remove_files
from penstock.log.producers.producers import CompletedTransaction
from penstock.log.reading import DamagedIn, ReadableLog, batches_in
from penstock.log.segments.checking import position_for
from penstock.log.segments.files import INDEX, TIME_INDEX, TXN_INDEX
from penstock.log.segments.scan import Damaged
from penstock.log.segments.segment import Segment, number_of
from penstock.log.segments.transaction_index import EMPTY, AbortedTransaction, Sum, TransactionIndex
from penstock.wire.batch import BatchHeader


class RollableLog(ReadableLog):
    __slots__ = ()

    def roll(self) -> Segment:
        """Close the active segment and begin another at the log's end; one that has no records yet serves as it is."""
        active = self.active
        return active if active.base_offset == self.end_offset else self.roll_at(self.end_offset)

    def roll_at(self, base_offset: int) -> Segment:
        active = self.active
        # Whatever can fail comes first: a roll that failed has not happened.
        self.producers.take_snapshot(self.end_offset)
        if active.is_index_unwritten:
            # The files are of an earlier stop and know of nothing since. True of an active segment, which is read on
            # from there; of a closed one they would be believed: by retention, that its records are as old.
            remove_files([active.path(INDEX), active.path(TIME_INDEX)])
        segment = self.add_segment(base_offset)
        active.close()
        if self.home is not None:
            self.home.rolled(self)
        return segment

    def add_segment(self, base_offset: int) -> Segment:
        segment = Segment(self.pool, str(self.folder), base_offset, created_at=self.clock.now())
        segment.activate()
        segment.file.create()
        segment.is_created = True
        self.is_folder_synced = False
        self.segments = (*self.segments, segment)
        return segment

    def restore_producers(self, replay_from: int) -> None:
        """Bring producer state up to the log's end, from the offset to which it is known (RULES 27). What transaction
        indexes hold from there on is found anew: a crash may have left more in them, or less, than in the log.
        """
        for segment in self.segments[number_of(self.segments, replay_from) :]:
            aborted = bytearray()
            if replay_from < self.end_offset:
                position = _position_before(segment, replay_from)
                for found in self.batches_of(segment, position=position, check_crc=False):
                    if found.header.base_offset >= replay_from:
                        ended = self._take_in_producer(found.header, found.view)
                        aborted += b"" if ended is None else ended.encode()
            if aborted and segment.transactions is None:
                self.add_transaction_index(segment)
            if segment.transactions is not None and replay_from <= segment.base_offset:
                segment.transactions.replace(aborted)
            elif segment.transactions is not None:
                segment.transactions.replace_from(replay_from, aborted)

    def remember_producers(self) -> bool:
        """From time to time, for a cut that may come (RULES 27); whether there was enough that is new."""
        if self.trouble is not None or not self.producers.is_worth_remembering(self.end_offset):
            return False
        self.producers.remember(self.end_offset)
        return True

    def note_producer(self, segment: Segment, header: BatchHeader, view: memoryview) -> None:
        """A producer's batch is in the log; a transaction that it aborts goes into the segment's index."""
        aborted = self._take_in_producer(header, view)
        if aborted is None:
            return
        if segment.transactions is None:
            self.add_transaction_index(segment)
            self.is_folder_synced = False
        assert segment.transactions is not None
        segment.transactions.append(aborted)

    def _take_in_producer(self, header: BatchHeader, view: memoryview) -> AbortedTransaction | None:
        return _aborted(self.producers.update(header, view))

    def add_transaction_index(self, segment: Segment, noted: Sum = EMPTY) -> None:
        segment.transactions = TransactionIndex(self.folder / os.path.basename(segment.path(TXN_INDEX)), noted)

    async def find_aborts_again(self) -> None:
        """Build the indexes of aborted transactions again that turned out wrong. What fails is left as it is, and tried
        again when somebody asks for it. KafkaStorageError, OSError.
        """
        self.abort_sums.are_doubted = False
        active = self.active.transactions
        if active is not None and active.is_wrong and self.trouble is None:
            self.roll()  # nothing is added to it while it is read
        for segment in self.segments[:-1]:
            index, cuts, segments = segment.transactions, self.cuts, self.segments
            if index is None or not index.is_wrong:
                continue
            try:
                found = await asyncio.to_thread(self.find_aborts, segment)
            except DamagedIn as damaged:
                if self.segments is segments and self.is_readable:  # else a file may have been exchanged under it
                    self.take_in_damage(damaged.segment, damaged.damage)
                continue
            except FileNotFoundError:
                continue  # retention or compaction was faster
            if self.cuts == cuts and self.is_readable and segment in self.segments:
                index.replace(found)
                await asyncio.to_thread(self.abort_sums.write)

    def find_aborts(self, segment: Segment) -> bytearray:
        """What a closed segment's index of aborted transactions should hold, by the batches from the last snapshot
        before it on. Changes nothing. Blocks; in a thread. DamagedIn, Malformed, OSError.
        """
        segments, aborted = self.segments, bytearray()
        producers, replay_from = self.producers.known_at(segment.base_offset, segments[0].base_offset)
        for each in segments[number_of(segments, replay_from) :]:
            if each.base_offset > segment.base_offset:
                break
            try:
                for found in batches_in(each):
                    if found.header.base_offset >= replay_from:
                        ended = _aborted(producers.update(found.header, found.view))
                        aborted += b"" if ended is None or each is not segment else ended.encode()
            except Damaged as damage:
                raise DamagedIn(each, damage) from damage
        return aborted


def _aborted(ended: CompletedTransaction | None) -> AbortedTransaction | None:
    if ended is None or not ended.is_aborted:
        return None
    return AbortedTransaction(ended.producer_id, ended.first_offset, ended.last_offset, ended.last_stable_offset)


def _position_before(segment: Segment, offset: int) -> int:
    """Where to begin so as to see all batches from an offset on, by an index that is in memory."""
    return 0 if segment.index is None else position_for(segment, segment.index, offset - 1 - segment.base_offset)
