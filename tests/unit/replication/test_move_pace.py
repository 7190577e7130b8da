"""The rate at which replicas move between data folders."""

import asyncio
from pathlib import Path

import pytest
from tests.support.moves import TwoFolders
from tests.support.virtual_time import LoopClock, in_virtual_time

from penstock.log import PartitionLog
from penstock.replication import moving
from penstock.replication.move_pace import MovePace
from penstock.settings import Config
from penstock.settings.broker import REPLICA_ALTER_LOG_DIRS_IO_MAX_BYTES_PER_SECOND


@in_virtual_time
async def test_what_was_not_used_while_nothing_moved_is_not_made_up_for() -> None:
    rate = {REPLICA_ALTER_LOG_DIRS_IO_MAX_BYTES_PER_SECOND.name: "1000"}
    pace, now = MovePace(Config.for_broker(rate), LoopClock()), asyncio.get_running_loop().time
    await asyncio.sleep(60)
    began_s = now()
    await pace.spend(3_000)
    assert now() - began_s == pytest.approx(3.0)


async def test_a_long_move_is_flushed_on_its_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the last flush, for which writers wait, would have all of it to write."""
    monkeypatch.setattr(moving, "UNFLUSHED_BYTES_MAX", 10_000)
    world = TwoFolders(tmp_path)
    log = world.make_log(300)  # in pieces of a segment each
    flushed: list[int] = []
    durable = world.flusher.durable

    async def seen(copy: PartitionLog, upto: int) -> None:
        flushed.append(upto)
        await durable(copy, upto)

    monkeypatch.setattr(world.flusher, "durable", seen)
    try:
        await world.begin(world.partition()).run()
        assert len({upto for upto in flushed if upto < log.end_offset}) > 2
    finally:
        await world.close()
