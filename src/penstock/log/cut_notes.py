"""What a cut says of its log, in a small file of the log's own folder, until the data folder's checkpoints say it too.

Before bytes are taken off a log the disk must not claim them any more, and a log that begins anew must say where before
the first record lies there. The checkpoints hold the rows of every log of a data folder: to write them for each cut
would cost more the more logs there are. So the log's folder gets a note, which a start believes rather than the rows.

A note goes when checkpoints are on disk that were taken after it, and before anybody relies on them. So whatever is
removed because the checkpoints allow it, no older note stands against it.

Notes may be written ahead, by a thread, before the loop cuts. Such a note is true whether the cut comes or not: of the
recovery point it only takes back, and a start that is written ahead (`if_empty`) counts only where no segment lies
below it. Before checkpoints say such a start, it is made to last that the old segments are gone.
"""

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final

import msgspec
import structlog

from penstock.log.checkpoint_files import read_rows, write_rows
from penstock.log.file_pool import names_in, remove_files, sync_file, sync_folder
from penstock.log.partition_log import PartitionLog
from penstock.log.recovery import KnownLog
from penstock.log.segments.files import LOG
from penstock.model import TopicPartition

_log = structlog.get_logger(__name__)

CUT_NOTE: Final = "penstock-cut"
UNKNOWN: Final = -1


class CutNote(msgspec.Struct, frozen=True):
    recovery_point: int
    clean_upto: int
    start_offset: int
    """UNKNOWN: as the checkpoints say, and so the high watermark."""
    high_watermark: int
    if_empty: bool = False
    """It was written before the log began anew: where a segment begins below `start_offset`, that did not happen."""

    @classmethod
    def of(cls, log: PartitionLog) -> "CutNote":
        return cls(log.recovery_point, log.clean_upto, log.start_offset, log.high_watermark)

    def covers(self, other: "CutNote", *, starts_here: bool) -> bool:
        """Whether it claims no more, and says the same of where the log begins, or nothing where it need not."""
        return (
            (self.start_offset == other.start_offset or (self.if_empty and not starts_here))
            and self.recovery_point <= other.recovery_point
            and self.clean_upto <= other.clean_upto
        )

    def correct(self, known: KnownLog) -> KnownLog:
        """What is known of the log, with this rather than with what the checkpoints say."""
        if self.start_offset == UNKNOWN:
            point = min(known.recovery_point, self.recovery_point) if known.is_point_known else known.recovery_point
            return msgspec.structs.replace(known, recovery_point=point, clean_upto=0)
        return msgspec.structs.replace(
            known,
            recovery_point=min(
                known.recovery_point, self.recovery_point if known.is_point_known else self.high_watermark
            ),
            clean_upto=min(known.clean_upto, self.clean_upto),
            start_offset=self.start_offset,
            is_start_exact=True,
            high_watermark=self.high_watermark,
        )


def read_note(log: Path) -> CutNote | None:
    """What it says of the log as it is now; None where there is none. `if_empty`: the log has begun anew, and that is
    all that has happened to it since.
    """
    try:
        rows = read_rows(str(log / CUT_NOTE))
        if rows is None:
            return None
        ((recovery_point, clean_upto, start_offset, high_watermark, if_empty),) = (map(int, row) for row in rows)
    except ValueError as error:  # only damage leaves one so. As there was a cut, nothing is known to be flushed
        _log.warning("note of a cut unreadable", log=str(log), reason=str(error))
        return CutNote(0, 0, UNKNOWN, UNKNOWN)
    first = _first_segment(log) if if_empty else None
    if first is not None and first < start_offset:
        return CutNote(recovery_point, clean_upto, UNKNOWN, UNKNOWN)
    return CutNote(recovery_point, clean_upto, start_offset, high_watermark, if_empty=bool(if_empty) and first is None)


def _first_segment(log: Path) -> int | None:
    stems = (name.removesuffix(LOG) for name in names_in(log) if name.endswith(LOG))
    return min((int(stem) for stem in stems if stem.isdecimal()), default=None)


class HeldNote:
    """One announcement of a note. Two that say the same are still two."""

    __slots__ = ("is_written", "note")

    def __init__(self, note: CutNote, *, is_written: bool) -> None:
        self.note = note
        self.is_written = is_written


class CutNotes:
    """The notes in the logs of one data folder. The lock is held for as long as it takes to give a file its name or to
    remove it, never for an fsync.
    """

    def __init__(self) -> None:
        self._held: dict[PartitionLog, HeldNote] = {}
        """All that are on disk, or may be."""
        self._lock = threading.Lock()
        self._numbers = count()

    def found(self, log: PartitionLog, note: CutNote) -> None:
        """A start has come upon one."""
        self._held[log] = HeldNote(note, is_written=True)

    def forget(self, log: PartitionLog, *, for_the_sake_of: PartitionLog | None = None) -> None:
        """The log was deleted or set aside, its note with it; or another stands for it now."""
        with self._lock:
            held = self._held.pop(log, None)
            if held is not None and for_the_sake_of is not None:
                self._held[for_the_sake_of] = held

    def high_watermarks(self) -> dict[TopicPartition, int]:
        """At start: what the notes say rather than the checkpoints."""
        said = {log.partition: held.note.high_watermark for log, held in self._held.items()}
        return {partition: mark for partition, mark in said.items() if mark != UNKNOWN}

    def is_held(self, log: PartitionLog) -> bool:
        return log in self._held

    def taken(self) -> dict[PartitionLog, HeldNote]:
        """With a picture of the checkpoints, on the loop: what these say when they are written (`drop`)."""
        return dict(self._held)

    def settle(self, log: PartitionLog, note: CutNote, *, starts_here: bool) -> None:
        """On the loop: have a note on disk that says this; where the log begins only if that is news (`starts_here`).
        OSError: what the disk says is not known.
        """
        if not self._renew(log, lambda held: held.covers(note, starts_here=starts_here)):
            self.ahead(log, note)()

    def says_start(self, log: PartitionLog, offset: int) -> bool:
        """On the loop: whether a note on disk says that the log begins there once its segments are gone."""
        return self._renew(log, lambda held: held.if_empty and held.start_offset == offset)

    def _renew(self, log: PartitionLog, suffices: Callable[[CutNote], bool]) -> bool:
        with self._lock:
            held = self._held.get(log)
            if held is None or not held.is_written or not suffices(held.note):
                return False
            # Checkpoints that were taken before this do not say it, and must not take the note away.
            self._held[log] = HeldNote(held.note, is_written=True)
            return True

    def make_starts_last(self, taken: Mapping[PartitionLog, HeldNote]) -> None:
        """In a thread, before checkpoints are written that say where logs have begun anew: else the old segments could
        come back after a power failure, with nobody who knows that they are not to be there.
        """
        for log, held in taken.items():
            if held.note.if_empty:
                with suppress(FileNotFoundError):  # it was deleted, or got its own name, just now
                    sync_folder(str(log.folder))

    def ahead(self, log: PartitionLog, note: CutNote) -> Callable[[], None]:
        """On the loop: announce a note. What is returned writes it, in a thread. OSError as above."""
        held = HeldNote(note, is_written=False)
        with self._lock:
            self._held[log] = held
        return lambda: self._write(log, held)

    def _write(self, log: PartitionLog, held: HeldNote) -> None:
        note, path = held.note, str(log.folder / CUT_NOTE)
        row = (note.recovery_point, note.clean_upto, note.start_offset, note.high_watermark, int(note.if_empty))
        made = f"{path}.{next(self._numbers)}"  # two may be at it, and the later one's is to stay
        try:
            write_rows(made, [" ".join(map(str, row))], durably=False)
            sync_file(made)
            with self._lock:
                if self._held.get(log) is held:
                    Path(made).rename(path)
            sync_folder(str(log.folder))
        except OSError:
            self._take_back(log, held, [made, made + ".tmp"])
            raise
        with self._lock:
            if self._held.get(log) is not held:
                remove_files([made])
            held.is_written = True

    def _take_back(self, log: PartitionLog, held: HeldNote, made: list[str]) -> None:
        """It was not written, or not for good: then nothing that it says is to happen."""
        with self._lock, suppress(OSError):
            remove_files(made)
            if self._held.get(log) is held:
                remove_files([str(log.folder / CUT_NOTE)])

    def drop(self, taken: Mapping[PartitionLog, HeldNote]) -> None:
        """In a thread, when checkpoints are on disk: those go that were there when the checkpoints were taken, unless
        another has come since. OSError: some may be there still, and the next checkpoints take them.
        """
        for log, held in taken.items():
            folder = str(log.folder)
            with self._lock:
                if self._held.get(log) is not held or not log.health.is_readable:
                    continue
                remove_files([os.path.join(folder, CUT_NOTE)])
                del self._held[log]
            try:
                sync_folder(folder)
            except OSError as error:
                with self._lock:
                    if log.health.is_readable:
                        self._held.setdefault(log, HeldNote(held.note, is_written=False))
                if not isinstance(error, FileNotFoundError):  # it was deleted, or got its own name, just now
                    raise
