"""Keeping what is known of a log's producers in step with its batches: as they come in, after a start and after a cut.

The states themselves are in `producers`. Each batch is taken in by the same call, live or replayed, so that the two
cannot disagree (RULES 27). A transaction that a batch aborts goes into its segment's index.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from penstock.log.aborts import aborted_by
from penstock.log.segments.checking import position_for
from penstock.log.segments.segment import Segment, number_of
from penstock.wire.batch import BatchHeader
from penstock.wire.malformed import Malformed

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog


class ProducerBookkeeping:
    __slots__ = ("_log",)

    def __init__(self, log: "PartitionLog") -> None:
        self._log = log

    def take_in(self, segment: Segment, batches: Sequence[tuple[BatchHeader, memoryview]]) -> None:
        """The batches are in the log by now. Should this fail, what is known of producers is not what the log says:
        no more appends, until a start has read it again."""
        try:
            for header, view in batches:
                if header.producer_id >= 0:
                    self._take_in(segment, header, view)
        except (OSError, Malformed) as error:
            raise self._log.health.take_offline(f"producer state in doubt: {error}", stops_reads=False) from error

    def _take_in(self, segment: Segment, header: BatchHeader, view: memoryview) -> None:
        log = self._log
        aborted = aborted_by(log.producers.update(header, view))
        if aborted is None:
            return
        index = segment.transactions
        if index is None:
            index = log.aborts.add_index(segment)
            log.is_folder_synced = False
        index.append(aborted)

    def restore(self, replay_from: int) -> None:
        """Bring producer state up to the log's end, from the offset to which it is known (RULES 27). What transaction
        indexes hold from there on is found anew: a crash may have left more in them, or less, than in the log.
        """
        log = self._log
        for segment in log.segments[number_of(log.segments, replay_from) :]:
            aborted = bytearray()
            if replay_from < log.end_offset:
                position = _position_before(segment, replay_from)
                for found in log.batches_of(segment, position=position, check_crc=False):
                    if found.header.base_offset >= replay_from:
                        ended = aborted_by(log.producers.update(found.header, found.view))
                        aborted += b"" if ended is None else ended.encode()
            if aborted and segment.transactions is None:
                log.aborts.add_index(segment)
            if segment.transactions is not None and replay_from <= segment.base_offset:
                segment.transactions.replace(aborted)
            elif segment.transactions is not None:
                segment.transactions.replace_from(replay_from, aborted)

    def remember(self) -> bool:
        """From time to time, for a cut that may come (RULES 27); whether there was enough that is new."""
        log = self._log
        if log.trouble is not None or not log.producers.history.is_worth_remembering(log.end_offset):
            return False
        log.producers.history.remember(log.end_offset)
        return True


def _position_before(segment: Segment, offset: int) -> int:
    """Where to begin so as to see all batches from an offset on, by an index that is in memory."""
    return 0 if segment.index is None else position_for(segment, segment.index, offset - 1 - segment.base_offset)
