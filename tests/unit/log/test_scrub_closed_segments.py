"""Rot on the disk is found before a reader is, and what was found is not served."""

import asyncio
from pathlib import Path

import pytest
from tests.support.logs import StillClock, a_log, base_offsets, fill, reopen

from penstock.errors import CorruptMessage
from penstock.log.damage.damage import DamagedRange
from penstock.log.damage.scrub import Scrubber
from penstock.log.partition_log import PartitionLog
from penstock.settings.config import Config


@pytest.fixture
def log(tmp_path: Path) -> PartitionLog:
    made = a_log(tmp_path / "orders-0", settings={"index.interval.bytes": "0"})
    fill(made, 10)
    made.rolling.roll()
    fill(made, 2)
    made.flushing.flush()
    return made


def _flip(log: PartitionLog, position: int) -> None:
    path = log.folder / "00000000000000000000.log"
    data = bytearray(path.read_bytes())
    data[position] ^= 0x40
    path.write_bytes(data)


async def _scrub(log: PartitionLog) -> int:
    scrubber = Scrubber(lambda: [log], Config.for_broker({}), StillClock())
    try:
        found = await scrubber.round()
        assert log.damage.count == found
        return found
    finally:
        scrubber.stop()


async def test_sound_segments_are_read_and_nothing_is_said(log: PartitionLog) -> None:
    assert await _scrub(log) == 0
    assert not log.damage


async def test_a_bad_batch_is_not_served_and_its_neighbours_are(log: PartitionLog) -> None:
    one = log.segments[0].size // 10
    _flip(log, 4 * one + 70)
    assert base_offsets(log.read(0, 10_000)) == list(range(10))  # nobody has looked yet

    assert await _scrub(log) == 1

    assert base_offsets(log.read(0, 10_000)) == [0, 1, 2, 3]
    with pytest.raises(CorruptMessage, match="offset 4 "):
        log.read(4, 10_000)
    assert base_offsets(log.read(5, 10_000)) == [5, 6, 7, 8, 9]


async def test_a_length_that_cannot_be_believed_costs_what_comes_before_the_next_batch_in_the_index(
    log: PartitionLog,
) -> None:
    one = log.segments[0].size // 10
    _flip(log, 4 * one + 8)
    assert await _scrub(log) == 1
    assert log.damage.ranges == {0: [DamagedRange(4 * one, 5 * one, 4, 5)]}


async def test_without_an_index_it_costs_the_rest_of_the_segment(log: PartitionLog) -> None:
    one = log.segments[0].size // 10
    _flip(log, 4 * one + 8)
    log.flushing.close()
    again = reopen(log, is_clean=True)
    (log.folder / "00000000000000000000.index").unlink()
    assert await _scrub(again) == 1
    assert again.damage.ranges == {0: [DamagedRange(4 * one, 10 * one, 4)]}


async def test_several_bad_batches_are_all_found(log: PartitionLog) -> None:
    one = log.segments[0].size // 10
    for number in (2, 5, 9):
        _flip(log, number * one + 65)
    assert await _scrub(log) == 3
    assert base_offsets(log.read(6, 10_000)) == [6, 7, 8]


async def test_damage_is_known_after_a_restart(log: PartitionLog) -> None:
    one = log.segments[0].size // 10
    _flip(log, 4 * one + 70)
    await _scrub(log)
    log.flushing.close()
    again = reopen(log, is_clean=True)
    with pytest.raises(CorruptMessage):
        again.read(4, 10_000)


async def test_a_place_that_is_sound_again_is_served_again(log: PartitionLog) -> None:
    one = log.segments[0].size // 10
    _flip(log, 4 * one + 70)
    await _scrub(log)
    _flip(log, 4 * one + 70)
    assert await _scrub(log) == 0
    assert base_offsets(log.read(0, 10_000)) == list(range(10))
    assert not log.damage
    assert not (log.folder / "damaged-batches").exists()


async def test_the_active_segment_is_not_scrubbed(log: PartitionLog) -> None:
    path = log.folder / "00000000000000000010.log"
    data = bytearray(path.read_bytes())
    data[70] ^= 1
    path.write_bytes(data)
    assert await _scrub(log) == 0


async def test_rounds_begin_when_the_interval_has_passed(log: PartitionLog) -> None:
    _flip(log, 70)
    config = Config.for_broker({"penstock.scrub.interval.ms": "0", "penstock.scrub.bytes.per.second": "1e9"})
    scrubber = Scrubber(lambda: [log], config, StillClock())
    task = asyncio.create_task(scrubber.run())
    while not log.damage:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
