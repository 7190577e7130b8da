"""A data folder that no broker uses right now: what was set aside in it, what is damaged, and putting that right.

Nothing is decided here by itself: a start never deletes what it does not understand (RULES 15, 21), so a person has to
say what becomes of it. The folder is locked for as long as it is looked at.
"""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from penstock.errors import Fatal
from penstock.log.checkpoint_files import (
    CLEANER_OFFSETS,
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    RECOVERY_POINTS,
    CheckpointUnreadable,
    read_offsets,
    read_properties,
    read_rows,
    write_offsets,
)
from penstock.log.damage.damage import FILE_NAME as DAMAGED_BATCHES
from penstock.log.file_pool import names_in, sync_folder
from penstock.log.folders.future_logs import PARTITION_METADATA
from penstock.log.folders.identity import META_PROPERTIES, FolderLock
from penstock.log.folders.names import STRAY, leaving_name, parse_folder_name, parse_stray_name
from penstock.log.notes import DAMAGE_NOTE
from penstock.model import TopicPartition


class SetAside(msgspec.Struct, frozen=True):
    folder: Path
    name: str
    partition: TopicPartition | None
    """None where the topic's name was too long to be kept whole."""
    topic_id: str
    size: int


class DamagedLog(msgspec.Struct, frozen=True):
    folder: Path
    partition: TopicPartition
    reason: str
    size: int


class OfflineFolder:
    def __init__(self, path: Path) -> None:
        self.path = path

    def strays(self) -> list[SetAside]:
        found = []
        for name in sorted(names_in(self.path)):
            if name.endswith(STRAY) and (self.path / name).is_dir():
                metadata = read_properties(str(self.path / name / PARTITION_METADATA), separator=":") or {}
                size = size_of(self.path / name)
                found.append(SetAside(self.path, name, parse_stray_name(name), metadata.get("topic_id", ""), size))
        return found

    def logs(self) -> dict[TopicPartition, Path]:
        parsed = ((parse_folder_name(name), name) for name in sorted(names_in(self.path)))
        found = {partition: self.path / name for partition, name in parsed if partition is not None}
        return {partition: folder for partition, folder in found.items() if folder.is_dir()}

    def damaged(self) -> list[DamagedLog]:
        """Logs that the last run took offline, or of which it refuses batches."""
        found = []
        for partition, folder in self.logs().items():
            reason = damage_of(folder)
            if reason is not None:
                found.append(DamagedLog(self.path, partition, reason, size_of(folder)))
        return found

    def least_ends(self) -> dict[TopicPartition, int]:
        """How far logs should reach at least, as a start would take it."""
        for name in (RECOVERY_POINTS, HIGH_WATERMARKS):
            with suppress(CheckpointUnreadable):
                return read_offsets(str(self.path / name))
        return {}

    # --- changes ---

    def remove(self, stray: SetAside) -> None:
        shutil.rmtree(self.path / stray.name)

    def restore(self, stray: SetAside) -> None:
        """Give it its name back: the next start takes it, if the metadata has its topic id, and reads all of it."""
        assert stray.partition is not None
        self.forget_offsets(stray.partition)
        (self.path / stray.name).rename(self.path / str(stray.partition))
        sync_folder(str(self.path))

    def set_aside(self, partition: TopicPartition) -> Path:
        where = self.path / leaving_name(partition, STRAY)
        (self.path / str(partition)).rename(where)
        sync_folder(str(self.path))
        return where

    def forget_offsets(self, partition: TopicPartition, *, start_offset: int = 0) -> None:
        """What the checkpoints say of a log; else the next start would miss what they promise."""
        for name in (RECOVERY_POINTS, LOG_START_OFFSETS, HIGH_WATERMARKS, CLEANER_OFFSETS):
            path = str(self.path / name)
            try:
                offsets = read_offsets(path)
            except CheckpointUnreadable:
                continue  # it promises nothing
            wanted = {other: offset for other, offset in offsets.items() if other != partition}
            if name == LOG_START_OFFSETS and start_offset:
                wanted[partition] = start_offset
            if wanted != offsets:
                write_offsets(path, wanted)


@contextmanager
def offline_folders(paths: Iterable[Path]) -> Iterator[list[OfflineFolder]]:
    """Locked until the end. Fatal, in words, where one is in use or is no data folder."""
    with ExitStack() as locks:
        folders = []
        for path in paths:
            if not (path / META_PROPERTIES).exists():
                raise Fatal(f"{path} is no data folder: it has no {META_PROPERTIES}")
            locks.callback(FolderLock(path).release)
            folders.append(OfflineFolder(path))
        yield folders


def lost_logs(folders: Iterable[OfflineFolder]) -> list[DamagedLog]:
    """Logs that a checkpoint promises and no folder has: whoever leads them is offline."""
    folders = list(folders)
    held = {partition for folder in folders for partition in folder.logs()}
    return [
        DamagedLog(folder.path, partition, f"missing: it should have records up to {point}", 0)
        for folder in folders
        for partition, point in folder.least_ends().items()
        if point > 0 and partition not in held
    ]


def damage_of(log: Path) -> str | None:
    note = log / DAMAGE_NOTE
    if note.exists():
        return note.read_text(errors="replace").strip() or "damaged"
    try:
        rows = read_rows(str(log / DAMAGED_BATCHES))
    except CheckpointUnreadable as error:
        return str(error)
    return f"{len(rows)} bad batches are refused, the rest is served" if rows else None


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
