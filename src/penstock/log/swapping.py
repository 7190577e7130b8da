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
from typing import Final

from penstock.log.cutting import CuttableLog
from penstock.log.files import private_descriptor, rename_if_there, sync_folder
from penstock.log.retention import DELETED
from penstock.log.scan import Damaged, Unreadable, walk
from penstock.log.segment import Segment
from penstock.log.segment_files import LOG, SUFFIXES, TXN_INDEX, file_name
from penstock.log.state import GAPS_NOTE

CLEANED: Final = ".cleaned"
SWAP: Final = ".swap"


class SwappableLog(CuttableLog):
    def prepare_swap(self, base_offset: int, *, cuts: int) -> bool:
        """First part, in the thread that wrote and fsynced the `.cleaned` files. Indexes first: once the `.log` is a
        `.swap` it stands for all originals from its base to its end, with whatever index is there.

        False where the log was cut since: then nothing is ready.
        """
        with self.renaming.lock:
            if self.cuts != cuts:
                return False
            self.renaming.ready_swap = base_offset
            (self.folder / GAPS_NOTE).touch()
            for suffix in reversed(SUFFIXES):
                path = str(self.folder / file_name(base_offset, suffix))
                rename_if_there(path + CLEANED, path + SWAP)
            sync_folder(str(self.folder))
            return True

    def _before_cut(self, to: int) -> None:
        super()._before_cut(to)  # counts it: from here on nothing gets ready that was made before
        with self.renaming.lock:
            if self.renaming.ready_swap is None:
                return
            try:
                remove_leftovers(self.folder, self.renaming.ready_swap)
                sync_folder(str(self.folder))
            except OSError as error:
                raise self.fail("could not be cut", error) from error
            self.renaming.ready_swap = None

    def replace_segments(self, old: Sequence[Segment], new_base_offsets: Sequence[int]) -> list[Segment]:
        """Second part, on the loop: `old` are neighbours among the closed segments, the new ones are `.swap` files.
        ValueError, or OSError: they stay as they are. KafkaStorageError: they could not even be left so.
        """
        segments = self.segments
        first = segments.index(old[0])
        if segments[first : first + len(old)] != tuple(old) or old[-1] is segments[-1]:
            raise ValueError("only closed segments that are neighbours in the log can be replaced")
        if self.is_being_copied:
            raise ValueError("a log that is being copied to another folder is not compacted meanwhile")
        if segments[first + len(old)].base_offset > self.recovery_point_on_disk:
            raise ValueError("segments above the checkpointed recovery point may not be replaced: recovery scans them")
        if not self.being_indexed.isdisjoint(old):
            raise ValueError(
                "segments whose indexes a flush is writing may not be replaced: the new ones have the names"
            )
        deleted, new = self._exchange(old, new_base_offsets)
        self.renaming.ready_swap = None
        self.segments = (*segments[:first], *new, *segments[first + len(old) :])
        self.size += sum(s.size for s in new) - sum(s.size for s in old)
        self.is_folder_synced = False
        self.allow_gaps()
        for segment in old:
            self.pool.indexes.drop(segment)
        self.removal_begun(old, deleted)
        return new

    def _exchange(self, old: Sequence[Segment], new_base_offsets: Sequence[int]) -> tuple[list[str], list[Segment]]:
        """The names of the old files from now on, and the new segments. OSError: nothing has happened."""
        leaving = [segment.path(suffix) for segment in old for suffix in SUFFIXES]
        coming = [file_name(base, suffix) for base in new_base_offsets for suffix in reversed(SUFFIXES)]
        names = [(path, path + DELETED) for path in leaving]
        names += [(str(self.folder / name) + SWAP, str(self.folder / name)) for name in coming]
        with self._renames("swap of compacted segments failed") as renames:
            for was, now in names:
                renames.add(was, now)
            new = [self._take_in(base_offset) for base_offset in new_base_offsets]
        return [now for _, now in renames.done if now.endswith(DELETED)], new

    def _take_in(self, base_offset: int) -> Segment:
        size = (self.folder / file_name(base_offset, LOG)).stat().st_size
        segment = Segment(self.pool, str(self.folder), base_offset, size=size, created_at=self.clock.now())
        segment.is_created = True
        if os.path.exists(segment.path(TXN_INDEX)):
            self.add_transaction_index(segment)
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
