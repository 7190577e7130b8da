"""What records are read as, and what may stand in front of a log.

    FileSlice      a range of a local file, sent without a copy: what a log answers itself
    RecordBytes    batches in memory: rewritten on their way, or brought from elsewhere
    LaterRecords   a promise of either, where they have to be brought first

A partition is read through its log unless its reader has a `source`: records that no local file holds (below the log's
`local_start_offset`), or that are to be shown as something else, come from that. Followers always read the log.
"""

from collections.abc import Iterable
from typing import Protocol, Self, TypeAlias

from penstock.log import FileSlice
from penstock.replication.log_port import LogPort
from penstock.replication.promise import Promise


class RecordBytes(bytes):
    """Whole batches. Whoever can send bytes can send them."""

    aborted: list[tuple[int, int]]
    """Producer id and first offset of each transaction that a read_committed consumer must skip among them."""

    def __new__(cls, batches: bytes, aborted: Iterable[tuple[int, int]] = ()) -> Self:
        made = super().__new__(cls, batches)
        made.aborted = list(aborted)
        return made

    @property
    def size(self) -> int:
        return len(self)

    def release(self) -> None:
        """As of a slice, which holds a file open."""


class NoMatch(RecordBytes):
    """Nothing to show: batches that only take a reader to `next_offset`. An answer that has nothing else may wait."""

    next_offset: int
    is_at_end: bool
    """Nothing more was there to be read."""

    @classmethod
    def up_to(cls, next_offset: int, batches: bytes, *, is_at_end: bool) -> Self:
        made = cls(batches)
        made.next_offset = next_offset
        made.is_at_end = is_at_end
        return made


Records: TypeAlias = FileSlice | RecordBytes


class LaterRecords(Promise[Records]):
    """Settled by whoever brings them, on the loop, with a Refusal if they cannot be had or it takes too long."""

    __slots__ = ("covers", "size")

    def __init__(self, size: int, *, covers: FileSlice | None = None) -> None:
        """`size`: how many bytes they will be at most; an answer keeps that much room for them. `covers`: of which part
        of the log here they are made, if they are; whoever brings them lets go of it.
        """
        super().__init__()
        self.size = size
        self.covers = covers

    def release(self) -> None:
        """Nobody waits for them any more: what has come is let go, what has not is cancelled."""
        if not self.done():
            self.cancel()
        elif self.exception() is None:
            self.result().release()


class RecordSource(Protocol):
    def slice(
        self, log: LogPort, start: int, *, at_most: int, before: int, at_least_one: bool
    ) -> Records | LaterRecords | None:
        """As the log's own `slice`, which it may ask."""
