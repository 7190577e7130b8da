"""Earlier states of a log's producers, for a start and for a cut.

The state at an offset is the newest snapshot at or below it plus a replay of the batches in between. A cut replays on
the event loop, and a segment may have millions of batches: so two late states are kept in memory too, as snapshots.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.log.producers.producer import ProducerState
from penstock.log.producers.snapshots import SnapshotFiles, decode_snapshot, encode_snapshot

if TYPE_CHECKING:
    from penstock.log.producers.producers import ProducerStates

REMEMBERED_AFTER: Final = 10_000
"""Offsets after which a state is worth keeping: to replay as many batches takes some tens of milliseconds."""


class _Remembered(msgspec.Struct, frozen=True, gc=False):
    at_offset: int
    snapshot: bytes
    ended: dict[int, int]


class ProducerHistory:
    __slots__ = ("_producers", "_remembered", "files")

    def __init__(self, producers: "ProducerStates", folder: Path) -> None:
        self._producers = producers
        self.files = SnapshotFiles(folder)
        self._remembered: list[_Remembered] = []  # ascending

    # -- looking ahead -----------------------------------------------------------------------------------------------

    def take_snapshot(self, at_offset: int, *, flush: bool = False) -> None:
        """Write down the state, which must be that of the log up to `at_offset`.

        Without `flush` a crash may leave a torn file: its CRC tells, and the one before it serves.
        """
        files = self.files
        if not files.offsets or files.offsets[-1] < at_offset:
            files.write(at_offset, self._producers, flush=flush)

    def is_worth_remembering(self, at_offset: int) -> bool:
        """Whether a cut at an offset would have much to replay, for what it costs to write a state down."""
        if at_offset < REMEMBERED_AFTER:  # the first cut would replay less
            return False
        known = [each.at_offset for each in self._remembered[-1:]] + self.files.offsets[-1:]
        return at_offset - max(known, default=0) >= max(REMEMBERED_AFTER, 10 * len(self._producers))

    def remember(self, at_offset: int) -> None:
        """As `take_snapshot`, in memory and with the one before: a cut may come to lie below this one."""
        latest = _Remembered(at_offset, encode_snapshot(self._producers), dict(self._producers.ended))
        self._remembered = [*self._remembered[-1:], latest]

    # -- going back --------------------------------------------------------------------------------------------------

    def restore(self, upto_offset: int, first_offset: int = 0) -> int:
        """Load the newest good snapshot in [first_offset, upto_offset]; the offset from which batches must be replayed.

        Snapshots outside are deleted: they tell of records that are gone, and not of all of them.
        """
        self.forget()
        self.files.find()
        self._delete(lambda offset: not first_offset <= offset <= upto_offset)
        found = self.files.read_newest()
        at_offset, states = (0, ()) if found is None else found
        self._producers.load(states, at_offset=at_offset)
        return first_offset if found is None else at_offset

    def truncate_to(self, offset: int, first_offset: int = 0) -> int:
        """The log now ends at `offset`; batches from the offset returned on must be replayed (`offset`: none)."""
        self._delete(lambda later: later > offset)
        self._remembered = [each for each in self._remembered if first_offset <= each.at_offset <= offset]
        if self._producers.is_all_below(offset):
            return offset
        if not self._remembered or self._remembered[-1].at_offset < max(self.files.offsets, default=0):
            return self.restore(offset, first_offset)
        latest = self._remembered[-1]
        self._producers.load(decode_snapshot(latest.snapshot), at_offset=latest.at_offset, ended=latest.ended)
        return latest.at_offset

    def find(self, offset: int, first_offset: int) -> tuple[int, list[ProducerState]]:
        """What was known at an offset or before it, and the offset from which batches are to be replayed on it; changes
        nothing. For a thread.
        """
        return self.files.read_within(first_offset, offset) or (first_offset, [])

    # -- being rid of it ---------------------------------------------------------------------------------------------

    def remove_before(self, offset: int) -> None:
        self._delete(lambda earlier: earlier < offset)

    def remove_at(self, offsets: list[int]) -> None:
        """Their segments were merged into earlier ones; the newest snapshot stays, from which a restart begins."""
        newest = self.files.offsets[-1:]
        self._delete(lambda offset: offset in offsets and offset not in newest)

    def delete(self) -> None:
        self.forget()
        self._delete(lambda _: True)

    def forget(self) -> None:
        """What is in memory alone."""
        self._remembered = []

    def _delete(self, is_unwanted: Callable[[int], bool]) -> None:
        self.files.delete(filter(is_unwanted, self.files.offsets))
