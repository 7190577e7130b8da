"""Records that wait and cannot be read, or not be understood: what is read is what was written, or nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.scheduling import a_home_log

from penstock.delivery.dead_letters.records import records_at
from penstock.delivery.schedules.intake import Intake
from penstock.delivery.schedules.refs import Ref
from penstock.errors import CorruptMessage
from penstock.log import PartitionLog
from penstock.replication import Partition

SECOND_BATCH = 1_000
"""The log has two batches of a thousand records."""


def damage_the_second_batch(partition: Partition) -> None:
    folder = partition.reader.folder
    assert folder is not None
    (path,) = folder.glob("*.log")
    data = bytearray(path.read_bytes())
    data[-2] ^= 1  # in the value of the last record
    path.write_bytes(data)


def test_a_damaged_record_is_not_fired_and_its_log_hears_of_it(tmp_path: Path) -> None:
    with a_home_log(tmp_path, end=2_000, delay_ms=0) as (partition, _, reader):
        damage_the_second_batch(partition)
        with pytest.raises(CorruptMessage):
            asyncio.run(reader.records([5, SECOND_BATCH + 7]))
        assert isinstance(partition.log, PartitionLog)
        assert partition.log.damage.ranges, "it is not served to anybody any more"
        assert list(asyncio.run(reader.records([5]))) == [5], "what is sound is read now that the rest is known"
        with pytest.raises(CorruptMessage):
            asyncio.run(reader.records([SECOND_BATCH + 7]))


def test_a_damaged_record_is_not_taken_in(tmp_path: Path) -> None:
    with a_home_log(tmp_path, end=2_000, delay_ms=0) as (partition, _, reader):
        damage_the_second_batch(partition)
        with pytest.raises(CorruptMessage):
            asyncio.run(reader.plans(0))
        found, end = asyncio.run(reader.plans(0))
        assert (len(found), end) == (SECOND_BATCH, SECOND_BATCH)
        with pytest.raises(CorruptMessage):
            asyncio.run(reader.plans(SECOND_BATCH))


def test_a_dead_letter_that_is_damaged_is_not_written_and_its_log_hears_of_it(tmp_path: Path) -> None:
    with a_home_log(tmp_path, end=2_000, delay_ms=0) as (partition, _, _reader):
        damage_the_second_batch(partition)
        rows = [(SECOND_BATCH - 1, SECOND_BATCH + 7, 4, 1)]
        with pytest.raises(CorruptMessage):
            asyncio.run(records_at(partition, rows))
        assert isinstance(partition.log, PartitionLog)
        assert partition.log.damage.ranges, "so that it is mended from another replica"
        found, upto = asyncio.run(records_at(partition, rows))
        assert (list(found), upto) == ([SECOND_BATCH - 1], SECOND_BATCH), "what is sound in front of it is not held up"


def test_a_record_that_came_back_and_is_not_understood_any_more_is_held(tmp_path: Path) -> None:
    """Its target is gone; a former leader, or one of another version, had understood when it was due."""
    with a_home_log(tmp_path, end=2_000) as (partition, clock, reader):
        intake = Intake(partition, reader, clock, None)
        state = intake.state
        state.back = state.machine.returned([Ref(5)])
        asyncio.run(intake.bring_back())
        assert (state.back, state.unreadable, state.machine.waiting, state.machine.floor()) == ([], 1, 0, 0)
