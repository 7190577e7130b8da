"""The aborted transactions of a log, by the index that each segment has of those that end in it.

Without the index a read_committed consumer would be shown what was aborted. So an index that turns out wrong tells
nobody anything until housekeeping has built it again from the batches.
"""

import asyncio
import os
from typing import TYPE_CHECKING

import structlog

from penstock.errors import KafkaStorageError
from penstock.log.batches import DamagedIn, batches_in
from penstock.log.producers.producers import CompletedTransaction
from penstock.log.segments.abort_sums import AbortSums
from penstock.log.segments.files import TXN_INDEX
from penstock.log.segments.scan import Damaged
from penstock.log.segments.segment import Segment, number_of
from penstock.log.segments.slices import FileSlice
from penstock.log.segments.transaction_index import (
    EMPTY,
    AbortedTransaction,
    CorruptTransactionIndex,
    Sum,
    TransactionIndex,
    collect_aborted,
)

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

_log = structlog.get_logger(__name__)


class AbortedTransactions:
    __slots__ = ("_log", "are_doubted", "sums")

    def __init__(self, log: "PartitionLog") -> None:
        self._log = log
        self.sums = AbortSums(log)
        self.are_doubted = False
        """An index turned out wrong, and nobody has tried to build it again since."""

    def between(self, start: int, upto: int) -> list[AbortedTransaction]:
        """What a read_committed consumer of [start, upto) must skip."""
        log = self._log
        later = log.segments[number_of(log.segments, start) :]
        try:
            return collect_aborted((s.transactions for s in later if s.transactions is not None), start, upto)
        except CorruptTransactionIndex as error:
            self.doubt(error.index)
            raise KafkaStorageError(f"{log.partition}: {error}, it is built again") from error
        except OSError as error:
            raise KafkaStorageError(f"{log.partition}: {error}") from error

    def within(self, records: FileSlice, before: int) -> list[AbortedTransaction]:
        """The same for a slice; `before` is the offset that it was cut at."""
        segments = self._log.segments
        number = number_of(segments, records.first_offset)
        if all(segment.transactions is None for segment in segments[number:]):
            return []
        return self.between(records.first_offset, _bound(segments, records, number, before))

    def doubt(self, index: TransactionIndex | None) -> None:
        """An index is wrong, unless it is of a segment that is gone."""
        if index is not None and any(segment.transactions is index for segment in self._log.segments):
            if not index.is_wrong:
                _log.error("index of aborted transactions wrong", file=str(index.path))
            index.is_wrong = self.are_doubted = True

    def add_index(self, segment: Segment, noted: Sum = EMPTY) -> TransactionIndex:
        path = self._log.folder / os.path.basename(segment.path(TXN_INDEX))
        segment.transactions = TransactionIndex(path, noted)
        return segment.transactions

    async def build_again(self) -> None:
        """The indexes that turned out wrong. What fails is left as it is, and tried again when somebody asks for it.
        KafkaStorageError, OSError.
        """
        log = self._log
        self.are_doubted = False
        active = log.active.transactions
        if active is not None and active.is_wrong and log.trouble is None:
            log.rolling.roll()  # nothing is added to it while it is read
        for segment in log.segments[:-1]:
            index, cuts, segments = segment.transactions, log.cuts, log.segments
            if index is None or not index.is_wrong:
                continue
            try:
                found = await asyncio.to_thread(self.find, segment)
            except DamagedIn as damaged:
                if log.segments is segments and log.health.is_readable:  # else a file may have been exchanged under it
                    log.damage.take_in(damaged.segment, damaged.damage)
                continue
            except FileNotFoundError:
                continue  # retention or compaction was faster
            if log.cuts == cuts and log.health.is_readable and segment in log.segments:
                index.replace(found)
                await asyncio.to_thread(self.sums.write)

    def find(self, segment: Segment) -> bytearray:
        """What a closed segment's index should hold, by the batches from the last snapshot before it on. Changes
        nothing. Blocks; in a thread. DamagedIn, Malformed, OSError.
        """
        segments, aborted = self._log.segments, bytearray()
        producers, replay_from = self._log.producers.known_at(segment.base_offset, segments[0].base_offset)
        for each in segments[number_of(segments, replay_from) :]:
            if each.base_offset > segment.base_offset:
                break
            try:
                for found in batches_in(each):
                    if found.header.base_offset >= replay_from:
                        ended = aborted_by(producers.update(found.header, found.view))
                        aborted += b"" if ended is None or each is not segment else ended.encode()
            except Damaged as damage:
                raise DamagedIn(each, damage) from damage
        return aborted


def aborted_by(ended: CompletedTransaction | None) -> AbortedTransaction | None:
    """The entry of an index for what a batch has ended, if it has one."""
    if ended is None or not ended.is_aborted:
        return None
    return AbortedTransaction(ended.producer_id, ended.first_offset, ended.last_offset, ended.last_stable_offset)


def _bound(segments: tuple[Segment, ...], records: FileSlice, number: int, before: int) -> int:
    """An offset that no record of a slice reaches, near its end: transactions that began later do not matter."""
    while number < len(segments) and segments[number].file is not records.file:
        number += 1
    if number == len(segments):
        return before
    stop = records.position + records.size
    if stop < segments[number].size:
        return min(before, segments[number].bound_at(stop, otherwise=before))
    return before if number + 1 == len(segments) else min(before, segments[number + 1].base_offset)
