"""Mending where the disk fails, or the broker stops."""

import asyncio
import errno
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.logs import ORDERS_0, TOPIC_ID, a_batch, a_log, fill

from penstock.log import RepairTarget, write_into
from penstock.log.damage.damage import bad_range
from penstock.log.file_pool import private_descriptor
from penstock.log.partition_log import PartitionLog
from penstock.model import BrokerId
from penstock.replication import Mending
from penstock.replication import mending as module

ANOTHER = BrokerId(2)


def a_damaged_log(folder: Path, *, is_closed: bool = True) -> PartitionLog:
    """A flipped bit in the first batch."""
    log = a_log(folder / "orders-0")
    fill(log, 3)
    if is_closed:
        log.rolling.roll()
    path = Path(log.segments[0].file.path)
    data = bytearray(path.read_bytes())
    data[70] ^= 1
    path.write_bytes(data)
    with private_descriptor(str(path)) as fd:
        log.damage.report(0, bad_range(fd, log.segments[0], 0, size=len(data), first_offset=0), "a flipped bit")
    return log


class Peers:
    """Have the batch as it should be."""

    async def ask(self, *_: object, **__: object) -> Any:
        row = SimpleNamespace(error_code=0, records=bytes(a_batch(0)[1]))
        return SimpleNamespace(error_code=0, responses=[SimpleNamespace(partitions=[row])])


def a_partition(log: PartitionLog) -> Any:
    return SimpleNamespace(
        log=log,
        topic_id=TOPIC_ID,
        index=0,
        topic_partition=ORDERS_0,
        high_watermark=3,
        leader=ANOTHER,
        in_sync=(BrokerId(1), ANOTHER),
    )


def a_mending(partition: Any, give_up: Callable[[Any, str], bool] = lambda *_: False) -> Mending:
    image: Any = SimpleNamespace(brokers={ANOTHER: None})
    peers: Any = Peers()
    return Mending(lambda _turn: [partition], peers, image, me=BrokerId(1), give_up=give_up)


async def test_a_stop_waits_for_a_batch_that_is_being_written_before_its_file_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else another file might come to have the descriptor's number, and the batch be written into that."""
    log = a_damaged_log(tmp_path)
    file = log.segments[0].file
    is_writing, may_write = threading.Event(), threading.Event()

    def slowly(repair: RepairTarget, fd: int, batches: bytes) -> Any:
        is_writing.set()
        assert may_write.wait(timeout=60)
        return write_into(repair, fd, batches)

    monkeypatch.setattr(module, "write_into", slowly)
    partition = a_partition(log)
    mending = a_mending(partition)
    mend = asyncio.create_task(mending.mend(partition))
    await asyncio.to_thread(is_writing.wait, 60)

    mend.cancel()
    await asyncio.wait([mend], timeout=0)
    log.flushing.close()

    assert file.fd >= 0
    may_write.set()
    with pytest.raises(asyncio.CancelledError):
        await mend
    assert file.fd < 0


async def test_a_batch_that_cannot_be_written_back_has_its_log_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written may be in memory alone then, and would look sound (RULES 20)."""
    log = a_damaged_log(tmp_path)

    def fail(*_: object) -> Any:
        raise OSError(errno.EIO, "the disk is broken")

    monkeypatch.setattr(module, "write_into", fail)
    partition, given_up = a_partition(log), list[str]()

    def give_up(_partition: Any, reason: str) -> bool:
        given_up.append(reason)
        return True

    await a_mending(partition, give_up).mend(partition)
    assert len(given_up) == 1 and "the disk is broken" in given_up[0]
    log.flushing.close()


async def test_damage_in_the_segment_that_is_appended_to_is_mended_in_one_that_is_closed(tmp_path: Path) -> None:
    log = a_damaged_log(tmp_path, is_closed=False)
    before = log.segments
    partition = a_partition(log)
    await a_mending(partition).mend(partition)
    assert not log.damage and log.segments[:-1] == before
    log.flushing.close()


async def test_what_is_sound_again_is_asked_of_nobody(tmp_path: Path) -> None:
    log = a_damaged_log(tmp_path)
    path = Path(log.segments[0].file.path)
    data = bytearray(path.read_bytes())
    data[70] ^= 1
    path.write_bytes(data)
    partition = a_partition(log)
    partition.in_sync, partition.leader = (BrokerId(1),), BrokerId(1)
    await a_mending(partition).mend(partition)
    assert not log.damage
    log.flushing.close()
