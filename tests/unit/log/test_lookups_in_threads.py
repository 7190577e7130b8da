"""Lookups by time while the log's files change under them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from crc32c import crc32c
from tests.support.compaction import NOW, a_compacted_log, clean, put, roll

from penstock.errors import CorruptMessage, KafkaStorageError
from penstock.log import batches
from penstock.log import file_pool as files
from penstock.log.partition_log import PartitionLog
from penstock.wire.batch import CRC, CRC_AT, CRC_FROM, HEADER_SIZE, MAGIC_AT, BatchHeader
from penstock.wire.records import Record, build_batch


@pytest.fixture
def log(tmp_path: Path) -> PartitionLog:
    """Ten records of one key, a millisecond apart, in a closed segment, and an active one."""
    log = a_compacted_log(tmp_path)
    for number in range(10):
        batch = build_batch([Record(number, NOW + number, b"key", b"x" * 100)], leader_epoch=0)
        log.append([(BatchHeader.peek(batch), memoryview(batch))])
    roll(log)
    put(log, ("another", "active"))
    return log


def before_the_first_open(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """What happens on the loop after the thread has chosen a segment and before it opens the file."""
    opening = files.private_descriptor

    def late(path: str, *more: Any) -> Any:
        monkeypatch.setattr(batches, "private_descriptor", opening)
        happens()
        return opening(path, *more)

    monkeypatch.setattr(batches, "private_descriptor", late)


async def test_a_segment_that_compaction_exchanges_is_not_taken_for_damaged(
    log: PartitionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_the_first_open(monkeypatch, lambda: clean(log))
    assert await log.times.look_up(lambda: log.times.find(NOW + 9)) == (NOW + 9, 9, 0)
    assert log.health.offline_reason is None


async def test_a_segment_that_retention_removes_is_passed_over(
    log: PartitionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.config.replace_overrides({"cleanup.policy": "delete", "retention.bytes": "1"})  # type: ignore[union-attr]
    before_the_first_open(monkeypatch, lambda: log.retention.delete_old_segments(NOW, log.end_offset))
    assert await log.times.look_up(lambda: log.times.find(NOW)) == (NOW, 10, 0)


async def test_a_batch_that_is_spoilt_is_refused_and_the_rest_is_read_on(log: PartitionLog) -> None:
    path = Path(log.segments[0].file.path)
    data = bytearray(path.read_bytes())
    data[8 * (len(data) // 10) + MAGIC_AT] ^= 1  # the ninth of ten batches
    path.write_bytes(data)
    with pytest.raises(CorruptMessage):
        await log.times.look_up(lambda: log.times.find(NOW + 9))
    assert log.health.offline_reason is None
    assert [where.first_offset for where in log.damage.ranges[0]] == [8]
    assert await log.times.look_up(lambda: log.times.find(NOW + 1)) == (NOW + 1, 1, 0)


async def test_a_batch_whose_records_are_none_is_refused(tmp_path: Path) -> None:
    """Nobody opens what a producer sends: its checksum is right."""
    log = a_compacted_log(tmp_path)
    batch = build_batch([Record(0, NOW, b"key", b"x" * 100)], leader_epoch=0)
    batch[HEADER_SIZE:] = b"\xff" * (len(batch) - HEADER_SIZE)
    CRC.pack_into(batch, CRC_AT, crc32c(batch[CRC_FROM:]))
    log.append([(BatchHeader.peek(batch), memoryview(batch))])
    with pytest.raises(CorruptMessage):
        await log.times.look_up(lambda: log.times.find(NOW))
    assert log.health.offline_reason is None


async def test_records_that_are_missing_take_the_log_offline(log: PartitionLog) -> None:
    path = Path(log.segments[0].file.path)
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(KafkaStorageError):
        await log.times.look_up(lambda: log.times.find(NOW + 9))
    assert log.health.offline_reason is not None
