"""A disk that is full in the middle of a flush, and a partition that there was no room for: both pass."""

import errno
from pathlib import Path

import pytest
from tests.support.logs import ORDERS_0, TOPIC_ID, StillClock, a_batch, a_log, fill

from penstock.errors import KafkaStorageError
from penstock.log import FilePool, Flusher, LogFolder, epochs, flushing
from penstock.log.folders import folder
from penstock.settings.config import Config


def no_room(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


async def test_a_flush_without_room_for_the_epochs_is_made_up_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, flusher = a_log(tmp_path / "orders-0"), Flusher()
    fill(log, 3)
    with monkeypatch.context() as full:
        full.setattr(epochs, "write_epochs", no_room)
        with pytest.raises(KafkaStorageError, match="No space left"):
            await flusher.durable(log, 3)
        assert flusher.metrics.flushes == 1, "it is not tried over and over"
    assert log.trouble is not None and log.trouble.may_pass and not log.trouble.stops_reads
    assert log.recovery_point == 0

    await flusher.durable(log, 3)

    assert log.recovery_point == 3
    assert (tmp_path / "orders-0" / "leader-epoch-checkpoint").exists()
    await flusher.close()
    log.pool.close_all()


async def test_a_failed_fdatasync_does_not_pass_even_if_the_disk_was_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, flusher = a_log(tmp_path / "orders-0"), Flusher()
    fill(log, 3)
    with monkeypatch.context() as full:
        full.setattr(flushing, "sync_data", no_room)
        with pytest.raises(KafkaStorageError):
            await flusher.durable(log, 3)
    assert log.trouble is not None and not log.trouble.may_pass
    with pytest.raises(KafkaStorageError):
        await flusher.durable(log, 3)
    assert log.recovery_point == 0
    await flusher.close()
    log.pool.close_all()


def test_a_partition_that_could_not_be_made_can_be_made_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = LogFolder(tmp_path, cluster_id="c", node_id=1, pool=FilePool(8), clock=StillClock())
    home.open_all(lambda *_: None)
    with monkeypatch.context() as full:
        full.setattr(folder, "write_topic_id", no_room)
        with pytest.raises(KafkaStorageError, match="No space left"):
            home.create(ORDERS_0, TOPIC_ID, Config.for_broker({}))
    assert not (tmp_path / "orders-0").exists()
    log = home.create(ORDERS_0, TOPIC_ID, Config.for_broker({}))
    log.append([a_batch(0)])
    assert home.close()
