"""A flush that is still under way when its topic is deleted and made again: the new log has the old one's name."""

import asyncio
import os
import threading
from pathlib import Path

import pytest
from tests.support.logs import ORDERS_0, TOPIC_ID, StillClock, a_batch, fill

from penstock.errors import KafkaStorageError
from penstock.log import FilePool, Flusher, LogFolder, flushing
from penstock.log.file_pool import names_in
from penstock.log.notes import FLUSHED_NOTE
from penstock.log.partition_log import PartitionLog
from penstock.settings.config import Config
from penstock.settings.topic import INTERNAL_SEGMENT_BYTES

SMALL_SEGMENTS = Config.for_broker({}).for_topic({INTERNAL_SEGMENT_BYTES.name: "300"})


class HeldDisk:
    """Keeps the first fdatasync waiting until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_entered, self.gate = threading.Event(), threading.Event()
        monkeypatch.setattr(flushing, "sync_data", self._sync)

    def _sync(self, fd: int) -> None:
        if not self.is_entered.is_set():
            self.is_entered.set()
            assert self.gate.wait(timeout=60)
        os.fdatasync(fd)


def a_folder(tmp_path: Path) -> LogFolder:
    folder = LogFolder(tmp_path, cluster_id="c", node_id=1, pool=FilePool(32), clock=StillClock())
    folder.open_all(lambda *_: None)
    return folder


def a_log_in(folder: LogFolder) -> PartitionLog:
    log = folder.create(ORDERS_0, TOPIC_ID, SMALL_SEGMENTS)
    log.append([a_batch(0, leader_epoch=7)])
    fill(log, 9)
    assert len(log.segments) > 1
    return log


async def begin(flusher: Flusher, log: PartitionLog, disk: HeldDisk) -> "asyncio.Task[None]":
    flush = asyncio.create_task(flusher.durable(log, log.end_offset))
    await asyncio.to_thread(disk.is_entered.wait, 60)
    return flush


async def test_a_flush_of_a_log_that_is_deleted_meanwhile_writes_nothing_into_its_namesake_s_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, folder, flusher = HeldDisk(monkeypatch), a_folder(tmp_path), Flusher()
    flush = await begin(flusher, a_log_in(folder), disk)
    folder.delete(ORDERS_0)
    namesake = folder.create(ORDERS_0, TOPIC_ID, SMALL_SEGMENTS)

    disk.gate.set()
    with pytest.raises(KafkaStorageError, match="deleted"):
        await flush

    assert names_in(namesake.folder) == ["partition.metadata"]
    await flusher.close()
    assert folder.close()


@pytest.mark.parametrize("holds", [True, False])
async def test_a_note_for_a_log_that_is_deleted_meanwhile_is_not_made_of_its_namesake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holds: bool
) -> None:
    disk, folder, flusher = HeldDisk(monkeypatch), a_folder(tmp_path), Flusher(threads=1)
    log = a_log_in(folder)
    flush = await begin(flusher, log, disk)
    note = asyncio.create_task(flusher.note(log, holds=holds))
    await asyncio.sleep(0)
    folder.delete(ORDERS_0)
    namesake = folder.create(ORDERS_0, TOPIC_ID, SMALL_SEGMENTS)
    if not holds:
        (namesake.folder / FLUSHED_NOTE).touch()

    disk.gate.set()
    outcomes = await asyncio.gather(flush, note, return_exceptions=True)

    assert [type(outcome) for outcome in outcomes] == [KafkaStorageError, KafkaStorageError]
    assert (namesake.folder / FLUSHED_NOTE).exists() is not holds
    await flusher.close()
    assert folder.close()


def test_a_log_that_was_cut_and_deleted_during_a_flush_takes_no_indexes_from_its_namesake(tmp_path: Path) -> None:
    folder = a_folder(tmp_path)
    log = a_log_in(folder)
    job = log.flushing.begin()
    job.run()
    log.truncation.cut(to=8)
    folder.delete(ORDERS_0)
    namesake = a_log_in(folder)
    namesake.flushing.flush()
    before = sorted(names_in(namesake.folder))

    with pytest.raises(KafkaStorageError, match="deleted"):
        log.flushing.end(job)

    assert sorted(names_in(namesake.folder)) == before
    assert folder.close()
