"""Lookups by time while the log's files change under them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.compaction import NOW, a_compacted_log, clean, put, roll

from penstock.errors import KafkaStorageError
from penstock.log import files, reading
from penstock.log.partition_log import PartitionLog
from penstock.wire.batch import BatchHeader
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
        monkeypatch.setattr(reading, "private_descriptor", opening)
        happens()
        return opening(path, *more)

    monkeypatch.setattr(reading, "private_descriptor", late)


async def test_a_segment_that_compaction_exchanges_is_not_taken_for_damaged(
    log: PartitionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_the_first_open(monkeypatch, lambda: clean(log))
    assert await log.look_up(lambda: log.find_by_time(NOW + 9)) == (NOW + 9, 9, 0)
    assert log.offline_reason is None


async def test_a_segment_that_retention_removes_is_passed_over(
    log: PartitionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.config.replace_overrides({"cleanup.policy": "delete", "retention.bytes": "1"})  # type: ignore[union-attr]
    before_the_first_open(monkeypatch, lambda: log.delete_old_segments(NOW, log.end_offset))
    assert await log.look_up(lambda: log.find_by_time(NOW)) == (NOW, 10, 0)


async def test_real_damage_takes_the_log_offline(log: PartitionLog) -> None:
    path = Path(log.segments[0].file.path)
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(KafkaStorageError):
        await log.look_up(lambda: log.find_by_time(NOW + 9))
    assert log.offline_reason is not None
