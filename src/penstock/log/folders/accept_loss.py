"""Accepting the loss of a damaged log: what is sound from its start on goes on under its name, all of it stays aside.

Only when a person asks for it. The sound part is copied, so that the damaged log is kept byte for byte, as `-stray`.
"""

import os
import shutil
from pathlib import Path
from typing import Final

import msgspec

from penstock.log.epochs import FILE_NAME as LEADER_EPOCHS
from penstock.log.file_pool import private_descriptor, sync_file, sync_folder
from penstock.log.folders.future_logs import PARTITION_METADATA
from penstock.log.folders.offline import OfflineFolder
from penstock.log.notes import GAPS_NOTE
from penstock.log.producers.snapshots import SUFFIX as SNAPSHOT
from penstock.log.segments.abort_sums import FILE_NAME as ABORT_SUMS
from penstock.log.segments.files import LOG, TXN_INDEX
from penstock.log.segments.scan import READ_SIZE, Damaged, walk
from penstock.model import TopicPartition

ACCEPTED: Final = ".accepted"
"""What is being built has a name that a start takes for nothing."""


class SoundPart(msgspec.Struct, frozen=True):
    """The sound part of a log, from its first segment on."""

    start_offset: int
    end_offset: int
    segments: tuple[tuple[int, int], ...]
    """Base offset of each segment, and how many of its bytes are sound."""
    stopped_by: str
    """What comes after; empty where all of it is sound."""


def look_for_sound(log: Path) -> SoundPart:
    """Read a log as far as it makes sense, every checksum; changes nothing."""
    bases = sorted(int(path.stem) for path in log.glob(f"*{LOG}"))
    may_have_gaps = (log / GAPS_NOTE).exists()
    start = end = bases[0] if bases else 0
    segments: list[tuple[int, int]] = []
    for base in bases:
        if base != end and (base < end or not may_have_gaps):
            return SoundPart(start, end, tuple(segments), f"the records from {end} to {base - 1} are missing")
        path, sound_size, end = log / f"{base:020d}{LOG}", 0, base
        try:
            with private_descriptor(str(path)) as fd:
                size = os.fstat(fd).st_size
                for found in walk(fd, 0, size, expected_offset=base, may_have_gaps=may_have_gaps):
                    sound_size, end = found.position + found.header.size, found.header.next_offset
        except (Damaged, OSError) as error:
            return SoundPart(start, end, (*segments, (base, sound_size)), f"{path.name}: {error}")
        segments.append((base, sound_size))
    return SoundPart(start, end, tuple(segments), "")


def keep_sound(folder: OfflineFolder, partition: TopicPartition, sound: SoundPart) -> Path:
    """Go on with the sound part; where the whole log is now."""
    log = folder.path / str(partition)
    copy = folder.path / f".{partition}{ACCEPTED}"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for base, size in sound.segments:
        _copy(log / f"{base:020d}{LOG}", copy, size)
        # Indexes are built again by the start, the one of aborted transactions too where it is not as noted.
        _copy(log / f"{base:020d}{TXN_INDEX}", copy)
    for name in (PARTITION_METADATA, LEADER_EPOCHS, GAPS_NOTE, ABORT_SUMS):
        _copy(log / name, copy)
    for snapshot in log.glob(f"*{SNAPSHOT}"):
        if snapshot.stem.isdecimal() and int(snapshot.stem) <= sound.end_offset:
            _copy(snapshot, copy)
    sync_folder(str(copy))
    folder.forget_offsets(partition, start_offset=sound.start_offset)
    aside = folder.set_aside(partition)
    copy.rename(log)
    sync_folder(str(folder.path))
    return aside


def begin_empty(folder: OfflineFolder, partition: TopicPartition) -> Path | None:
    """Let the next start make the log anew, empty or fetched from another broker; where what is left of it is now."""
    aside = folder.set_aside(partition) if (folder.path / str(partition)).exists() else None
    folder.forget_offsets(partition)
    return aside


def _copy(path: Path, to: Path, size: int | None = None) -> None:
    if not path.exists():
        return
    with private_descriptor(str(path)) as fd, open(to / path.name, "wb") as target:
        left = os.fstat(fd).st_size if size is None else size  # what comes after it may be unreadable
        while left and (part := os.read(fd, min(left, READ_SIZE))):
            left -= target.write(part)
    shutil.copystat(path, to / path.name)
    sync_file(str(to / path.name))
