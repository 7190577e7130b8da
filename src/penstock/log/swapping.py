"""Replacing segments by cleaned ones, so that a crash at any point leaves either the old or the new, never a mixture.

Compaction writes `<base>.log.cleaned` (and its indexes) beside the old segments, in a thread, and fsyncs them. Then:

    in the thread   `.cleaned` -> `.swap`, fsync of the folder: from here on the new ones win
    on the loop     old -> `.deleted`, `.swap` -> final name, the tuple of segments replaced
    in the thread   fsync of the folder; the old files are removed after file.delete.delay.ms

At start `.cleaned` and `.deleted` files are removed; `.swap` files are completed: originals within their offsets go.
So a cut of the log removes `.swap` files first: they hold records that are to go, and not those that come after it.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.log.file_pool import private_descriptor, rename_if_there, sync_folder
from penstock.log.notes import GAPS_NOTE
from penstock.log.renaming import DELETED, all_or_none, removal_begun
from penstock.log.segments.files import LOG, SUFFIXES, TXN_INDEX, file_name
from penstock.log.segments.scan import Damaged, Unreadable, walk
from penstock.log.segments.segment import Segment

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

CLEANED: Final = ".cleaned"
SWAP: Final = ".swap"


class Swapping:
    __slots__ = ("_log", "ready")

    def __init__(self, log: "PartitionLog") -> None:
        self._log = log
        self.ready: int | None = None
        """Base offset of the `.swap` files, if any, that a start would complete."""

    def prepare(self, base_offset: int, *, cuts: int) -> bool:
        """First part, in the thread that wrote and fsynced the `.cleaned` files. Indexes first: once the `.log` is a
        `.swap` it stands for all originals from its base to its end, with whatever index is there.

        False where the log was cut since: then nothing is ready.
        """
        log = self._log
        with log.renaming:
            if log.cuts != cuts:
                return False
            self.ready = base_offset
            (log.folder / GAPS_NOTE).touch()
            for suffix in reversed(SUFFIXES):
                path = str(log.folder / file_name(base_offset, suffix))
                rename_if_there(path + CLEANED, path + SWAP)
            sync_folder(str(log.folder))
            return True

    def drop_ready(self) -> None:
        """Before a cut, which has been counted: a start must not complete what is ready by now."""
        log = self._log
        with log.renaming:
            if self.ready is None:
                return
            try:
                remove_leftovers(log.folder, self.ready)
                sync_folder(str(log.folder))
            except OSError as error:
                raise log.health.fail("could not be cut", error) from error
            self.ready = None

    def replace(self, old: Sequence[Segment], new_base_offsets: Sequence[int]) -> list[Segment]:
        """Second part, on the loop: `old` are neighbours among the closed segments, the new ones are `.swap` files.
        ValueError, or OSError: they stay as they are. KafkaStorageError: they could not even be left so.
        """
        log = self._log
        segments = log.segments
        first = segments.index(old[0])
        if segments[first : first + len(old)] != tuple(old) or old[-1] is segments[-1]:
            raise ValueError("only closed segments that are neighbours in the log can be replaced")
        if log.is_being_copied:
            raise ValueError("a log that is being copied to another folder is not compacted meanwhile")
        if segments[first + len(old)].base_offset > log.recovery_point_on_disk:
            raise ValueError("segments above the checkpointed recovery point may not be replaced: recovery scans them")
        if not log.flushing.being_indexed.isdisjoint(old):
            raise ValueError(
                "segments whose indexes a flush is writing may not be replaced: the new ones have the names"
            )
        deleted, new = self._exchange(old, new_base_offsets)
        self.ready = None
        log.segments = (*segments[:first], *new, *segments[first + len(old) :])
        log.size += sum(s.size for s in new) - sum(s.size for s in old)
        log.is_folder_synced = False
        log.allow_gaps()
        for segment in old:
            log.pool.indexes.drop(segment)
        removal_begun(log, old, deleted)
        return new

    def _exchange(self, old: Sequence[Segment], new_base_offsets: Sequence[int]) -> tuple[list[str], list[Segment]]:
        """The names of the old files from now on, and the new segments. OSError: nothing has happened."""
        log = self._log
        leaving = [segment.path(suffix) for segment in old for suffix in SUFFIXES]
        coming = [file_name(base, suffix) for base in new_base_offsets for suffix in reversed(SUFFIXES)]
        names = [(path, path + DELETED) for path in leaving]
        names += [(str(log.folder / name) + SWAP, str(log.folder / name)) for name in coming]
        with all_or_none(log, "swap of compacted segments failed") as renames:
            for was, now in names:
                renames.add(was, now)
            new = [self._take_in(base_offset) for base_offset in new_base_offsets]
        return [now for _, now in renames.done if now.endswith(DELETED)], new

    def _take_in(self, base_offset: int) -> Segment:
        log = self._log
        size = (log.folder / file_name(base_offset, LOG)).stat().st_size
        segment = Segment(log.pool, str(log.folder), base_offset, size=size, created_at=log.clock.now())
        segment.is_created = True
        if os.path.exists(segment.path(TXN_INDEX)):
            log.aborts.add_index(segment)
        return segment


def remove_leftovers(folder: Path, base_offset: int) -> None:
    """Drop what was written for a segment that is not to be swapped in after all; the batches' file first, by which a
    start would know it."""
    for suffix in SUFFIXES:
        for stage in (SWAP, CLEANED):
            Path(str(folder / file_name(base_offset, suffix)) + stage).unlink(missing_ok=True)


def finish_swaps(folder: Path, names: Sequence[str]) -> None:
    """At start: remove what was being written or deleted, complete what was being swapped."""
    for name in names:
        if name.endswith((DELETED, CLEANED)):
            (folder / name).unlink()
    ready = [name.removesuffix(LOG + SWAP) for name in names if name.endswith(LOG + SWAP)]
    for stem in ready:
        _remove_originals(folder, names, int(stem), _end_of(folder / (stem + LOG + SWAP), int(stem)))
        # The batches' file comes last here as everywhere: while its `.swap` is there, all of this is done again.
        for suffix in reversed(SUFFIXES):
            if stem + suffix + SWAP in names:
                (folder / (stem + suffix + SWAP)).rename(folder / (stem + suffix))
    for name in names:
        if name.endswith(SWAP) and name.partition(".")[0] not in ready:
            (folder / name).unlink()  # an index that was renamed before its segment was: the old segment has its own
    sync_folder(str(folder))


def _remove_originals(folder: Path, names: Sequence[str], base_offset: int, end_offset: int) -> None:
    for name in names:
        stem, dot, suffix = name.partition(".")
        if dot + suffix in SUFFIXES and base_offset <= int(stem) < max(end_offset, base_offset + 1):
            (folder / name).unlink(missing_ok=True)


def _end_of(path: Path, base_offset: int) -> int:
    end_offset = base_offset
    with private_descriptor(str(path)) as fd:
        try:
            for found in walk(fd, 0, os.fstat(fd).st_size, expected_offset=base_offset, check_crc=False):
                end_offset = found.header.next_offset
        except Unreadable:
            raise  # how far it reaches is not known: nothing is removed
        except Damaged:
            pass  # it was fsynced before it was renamed: opening the log will report it
    return end_offset
