"""Copying a log that is in use into another data folder, batch by batch, as a follower gets its leader's.

The copy so has the same offsets, leader epochs and transaction index; every checksum is checked on the way (RULES 23).
On the loop a piece is found, in a thread it is read through a descriptor of its own, on the loop it is appended, unless
the log was cut or its head deleted meanwhile: then the piece is thrown away.
"""

import asyncio
from typing import Final

from penstock.errors import KafkaStorageError
from penstock.log.copy_pieces import find_piece, read_piece
from penstock.log.damage.suspects import Suspect, convict, examine
from penstock.log.partition_log import PartitionLog
from penstock.log.segments.scan import Damaged
from penstock.settings.topic import INTERNAL_SEGMENT_BYTES, SEGMENT_BYTES
from penstock.wire.batch import BatchHeader

PIECE_BYTES: Final = 256 << 10
"""Copied in one turn of the loop."""

PAUSE_S: Final = 0.1


class CannotCopy(Exception):
    """The log is damaged, or takes no part in anything any more; it stays where it is."""


class LogCopy:
    """Owned by the event loop. What of `copy` comes before `copy.end_offset` is in `log` too, once `has_all` or
    `copy_piece` was called."""

    def __init__(self, log: PartitionLog, copy: PartitionLog) -> None:
        self.log = log
        self.copy = copy
        self._cuts = -1

    def has_all(self) -> bool:
        return self._next_offset() == self.log.end_offset

    async def copy_piece(self) -> int:
        """How many bytes were copied. CannotCopy; KafkaStorageError or OSError where the copy's disk fails."""
        self._check()
        offset = self._next_offset()
        if not self.log.is_near(offset):
            await asyncio.to_thread(self.log.warm, offset)
            if self._has_changed(offset):
                return 0
        try:
            return await self._copy_from(offset)
        except FileNotFoundError:
            self._check()  # retention was faster
        except Damaged as damage:
            if not self._has_changed(offset):  # else it was read while it was cut
                await self._tell(damage, offset)
                raise CannotCopy(str(damage)) from damage
        except KafkaStorageError:
            self._check()  # every file that may be open is in use: that passes
            await asyncio.sleep(PAUSE_S)
        return 0

    async def _copy_from(self, offset: int) -> int:
        piece = find_piece(self.log, offset, bytes_max=PIECE_BYTES)
        if piece is None:
            self._end_alike()
            return 0
        batches = await asyncio.to_thread(read_piece, piece)
        if self._has_changed(offset):
            return 0
        self._append(batches)
        return piece.size

    async def _tell(self, damage: Damaged, offset: int) -> None:
        """What cannot be copied is not served either, and mended if another replica can."""
        segment = next((each for each in reversed(self.log.segments) if each.base_offset <= offset), None)
        if segment is not None:
            suspected = Suspect.within(self.log, segment, damage.position, damage.position + 1)
            convict(suspected, await asyncio.to_thread(examine, suspected))

    def copy_rest(self, *, pieces_max: int) -> bool:
        """Without an await, as far as that many pieces go: whether the copy has everything now."""
        for _ in range(pieces_max):
            self._check()
            if self.has_all():
                return True
            try:
                piece = find_piece(self.log, self._next_offset(), bytes_max=PIECE_BYTES)
                if piece is None:
                    self._end_alike()
                else:
                    self._append(read_piece(piece))
            except Damaged as damage:
                raise CannotCopy(str(damage)) from damage
            except KafkaStorageError:
                self._check()
                return False
        return self.has_all()

    def level_marks(self, high_watermark: int) -> None:
        """Start and high watermark as the log has them, as far as the copy goes."""
        log, copy = self.log, self.copy
        copy.high_watermark = max(copy.start_offset, min(high_watermark, copy.end_offset))
        if copy.start_offset < log.start_offset <= copy.high_watermark:
            copy.retention.advance_start(log.start_offset)

    def take_over(self) -> None:
        """What is known of the log beside its batches: epochs without a record, producers whose records are gone."""
        self.copy.epochs.take_over(self.log.epochs)
        self.copy.producers.take_over(self.log.producers)
        self.copy.producers.history.take_snapshot(self.copy.end_offset)

    # --- steps ---

    def _check(self) -> None:
        if self.log.trouble is not None and not self.log.trouble.may_pass:
            raise CannotCopy(self.log.trouble.reason)
        if self.copy.trouble is not None:
            raise self.copy.trouble.refusal()

    def _has_changed(self, offset: int) -> bool:
        """Whether what was looked up before an await may not hold any more."""
        self._check()
        return self._cuts != self.log.cuts or self._next_offset() != offset

    def _next_offset(self) -> int:
        """Where to go on; brings the copy back to what it shares with the log, should that have been cut."""
        log, copy = self.log, self.copy
        if self._cuts != log.cuts or copy.end_offset < log.start_offset:
            agree(copy, log)
            self._cuts = log.cuts
        return max(copy.end_offset, log.start_offset)

    def _append(self, batches: list[tuple[BatchHeader, memoryview]]) -> None:
        copy, first = self.copy, batches[0][0]
        if first.base_offset < copy.end_offset:
            if copy.end_offset > copy.start_offset:
                raise CannotCopy(f"a batch from offset {first.base_offset} on, after {copy.end_offset - 1}")
            # A log may begin in the middle of a batch, whose records before that are not served.
            copy.truncation.start_anew(first.base_offset)
        segment_bytes = copy.config[INTERNAL_SEGMENT_BYTES] or copy.config[SEGMENT_BYTES]
        if sum(len(view) for _, view in batches) <= segment_bytes // 2:
            copy.append(batches)
            return
        for batch in batches:  # a run that may not fit: each to the segment that takes it
            copy.append((batch,))

    def _end_alike(self) -> None:
        """A log whose last segment is empty ends where that begins, as compaction may have it, after its last batch."""
        if self.copy.end_offset < self.log.end_offset:
            self.copy.allow_gaps()
            self.copy.end_offset = self.log.end_offset


def agree(copy: PartitionLog, log: PartitionLog) -> None:
    """Cut the copy to what is certainly in the log too: by offsets, then by leader epochs as a follower does (KIP-101).

    Needed after the log was cut, and where a start finds a copy: a power failure may have taken records from the log
    that the copy has, and others may be in their place.
    """
    if copy.start_offset > log.start_offset or copy.end_offset < log.start_offset:
        copy.truncation.start_anew(log.start_offset)
        return
    copy.truncation.cut(to=log.end_offset)
    while copy.end_offset > copy.start_offset:
        latest = copy.epochs.latest
        epoch, end_offset = log.epochs.end_offset_for(latest)
        if epoch == latest >= 0 and end_offset >= copy.end_offset:
            return
        if latest < 0:
            to = copy.start_offset
        elif epoch < latest:  # that epoch is nothing the log knows of
            to = copy.epochs.starts[-1]
        else:
            to = end_offset
        if to <= max(copy.start_offset, log.start_offset):
            copy.truncation.start_anew(log.start_offset)
            return
        copy.truncation.cut(to=to)
