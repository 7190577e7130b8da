"""Mending while the broker stops."""

import asyncio
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.logs import ORDERS_0, TOPIC_ID, a_batch, a_log, fill

from penstock.log import Wound, write_into
from penstock.log.damage import bad_range
from penstock.log.files import private_descriptor
from penstock.log.partition_log import PartitionLog
from penstock.model import BrokerId
from penstock.replication import Mending
from penstock.replication import mending as module

ANOTHER = BrokerId(2)


def a_damaged_log(folder: Path) -> PartitionLog:
    """A flipped bit in the first batch."""
    log = a_log(folder / "orders-0")
    fill(log, 3)
    log.roll()
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


async def test_a_stop_waits_for_a_batch_that_is_being_written_before_its_file_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else another file might come to have the descriptor's number, and the batch be written into that."""
    log = a_damaged_log(tmp_path)
    file = log.segments[0].file
    is_writing, may_write = threading.Event(), threading.Event()

    def slowly(wound: Wound, fd: int, batches: bytes) -> Any:
        is_writing.set()
        assert may_write.wait(timeout=60)
        return write_into(wound, fd, batches)

    monkeypatch.setattr(module, "write_into", slowly)
    partition: Any = SimpleNamespace(
        log=log,
        topic_id=TOPIC_ID,
        index=0,
        topic_partition=ORDERS_0,
        high_watermark=3,
        leader=ANOTHER,
        in_sync=(BrokerId(1), ANOTHER),
    )
    image: Any = SimpleNamespace(brokers={ANOTHER: None})
    peers: Any = Peers()
    mending = Mending(lambda _turn: [partition], peers, image, me=BrokerId(1), give_up=lambda *_: False)
    mend = asyncio.create_task(mending.mend(partition))
    await asyncio.to_thread(is_writing.wait, 60)

    mend.cancel()
    await asyncio.wait([mend], timeout=0)
    log.close()

    assert file.fd >= 0
    may_write.set()
    with pytest.raises(asyncio.CancelledError):
        await mend
    assert file.fd < 0
