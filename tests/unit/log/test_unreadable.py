"""Sectors that the disk does not give back: each costs the batches that lie on it, and nobody anything else."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.bad_sectors import SECTOR, BadSectors
from tests.support.compaction import a_compacted_log
from tests.support.logs import StillClock, a_log, base_offsets, fill, headers_in, read_all, reopen

from penstock.errors import CorruptMessage, KafkaStorageError
from penstock.log import (
    CannotCopy,
    LogCopy,
    OfflineFolder,
    convict,
    examine,
    keep_sound,
    look_again,
    look_for_sound,
    repairs,
    suspect,
)
from penstock.log.compaction.cleaner import Cleaner
from penstock.log.damage.scrub import Scrubber
from penstock.log.partition_log import PartitionLog
from penstock.settings.config import Config

BATCHES, VALUE_BYTES = 100, 1000
T = 1_700_000_000_000
SETTINGS = {"index.interval.bytes": "0"}
"""Every batch is in the index: what lies on a bad sector can be told from what does not."""


@pytest.fixture
def bad(tmp_path: Path) -> Iterator[BadSectors]:
    with BadSectors(tmp_path / "bad-sectors") as sectors:
        yield sectors


@pytest.fixture
def log(tmp_path: Path) -> Iterator[PartitionLog]:
    """A closed segment of a hundred batches of about 1 KB, and one that is appended to."""
    made = a_log(tmp_path / "orders-0", settings=SETTINGS)
    for offset in range(BATCHES):
        fill(made, 1, value_bytes=VALUE_BYTES, timestamp=T + offset)
    made.rolling.roll()
    fill(made, 3)
    made.flushing.flush()
    yield made
    made.flushing.close()


def hurt(log: PartitionLog, bad: BadSectors, *, segment: int = 0, sector: int = 10) -> range:
    """The offsets that lie on it, in whole or in part."""
    path = Path(log.segments[segment].file.path)
    begin, end, position, lost = sector * SECTOR, (sector + 1) * SECTOR, 0, []
    for header in headers_in(path.read_bytes()):
        if position < end and position + header.size > begin:
            lost.append(header.base_offset)
        position += header.size
    bad.add(path, begin)
    return range(lost[0], lost[-1] + 1)


def cut_short(log: PartitionLog, *, at_batch: int) -> None:
    path = Path(log.segments[0].file.path)
    sizes = [header.size for header in headers_in(path.read_bytes())]
    os.truncate(path, sum(sizes[:at_batch]))


async def scrub(log: PartitionLog) -> None:
    scrubber = Scrubber(lambda: [log], Config.for_broker({}), StillClock())
    try:
        await scrubber.round()
    finally:
        scrubber.stop()


def served(log: PartitionLog, at_most: int = 1) -> list[int]:
    """Offsets at which a reader gets a batch."""
    found = []
    for offset in range(log.start_offset, log.end_offset):
        try:
            assert base_offsets(log.read(offset, at_most))[0] == offset
        except CorruptMessage:
            continue
        found.append(offset)
    return found


def all_but(log: PartitionLog, lost: range) -> list[int]:
    return [offset for offset in range(log.end_offset) if offset not in lost]


async def test_the_scrub_finds_what_lies_on_a_bad_sector_and_all_else_is_served(
    log: PartitionLog, bad: BadSectors
) -> None:
    lost = hurt(log, bad)
    await scrub(log)
    assert log.health.offline_reason is None
    assert served(log) == all_but(log, lost)
    (known,) = log.damage.ranges[0]
    assert (known.first_offset, known.next_offset) == (lost[0], lost[-1] + 1)


@pytest.mark.parametrize("at_most", [1, 10_000, 1 << 20])
def test_a_reader_finds_it_too(log: PartitionLog, bad: BadSectors, at_most: int) -> None:
    """Whatever a read is of, once it has failed for it every offset but those on the sector is served."""
    lost = hurt(log, bad)
    served(log, at_most)
    assert served(log, at_most) == all_but(log, lost)
    assert log.damage.unsent > 0 or at_most == 1


def test_what_is_known_to_be_bad_is_refused_without_asking_the_disk(log: PartitionLog, bad: BadSectors) -> None:
    """A bad sector keeps whoever asks for it waiting, and on the loop that is everybody."""
    lost = hurt(log, bad)
    served(log)
    log.segments[0].file.path = "/nowhere"
    for offset in lost:
        with pytest.raises(CorruptMessage):
            log.read(offset, 1)


async def test_what_can_be_read_again_is_served_again(log: PartitionLog, bad: BadSectors) -> None:
    hurt(log, bad)
    await scrub(log)
    await look_again(log)
    assert log.damage
    bad.clear()
    await look_again(log)
    assert not log.damage
    assert served(log) == list(range(log.end_offset))


def test_what_follows_a_disk_that_gives_nothing_more_is_refused(log: PartitionLog, bad: BadSectors) -> None:
    first = hurt(log, bad)[0]
    sectors = range(11, log.segments[0].size // SECTOR + 1)
    bad.add(Path(log.segments[0].file.path), *(number * SECTOR for number in sectors))
    served(log, 1 << 20)
    assert served(log) == all_but(log, range(first, BATCHES))


def test_a_batch_that_a_follower_cannot_get_is_looked_into(log: PartitionLog, bad: BadSectors) -> None:
    lost = hurt(log, bad)
    suspected = suspect(log, lost[0])
    assert suspected is not None
    convict(suspected, examine(suspected))
    assert [known.first_offset for known in log.damage.ranges[0]] == [lost[0]]


def test_what_was_cut_off_since_is_no_damage(log: PartitionLog, bad: BadSectors) -> None:
    lost = hurt(log, bad)
    suspected = suspect(log, lost[0])
    assert suspected is not None
    found = examine(suspected)
    log.truncation.cut(to=lost[0] - 2)
    convict(suspected, found)
    assert found and not log.damage


def test_a_cut_forgets_the_damage_that_it_takes_off(log: PartitionLog, bad: BadSectors) -> None:
    lost = hurt(log, bad)
    served(log)
    log.truncation.cut(to=lost[0] - 2)
    bad.clear()
    fill(log, 20, value_bytes=VALUE_BYTES)
    assert not log.damage and not (log.folder / "damaged-batches").exists()
    assert served(log) == list(range(log.end_offset))


async def test_compaction_leaves_a_log_with_a_bad_sector_alone_until_it_is_mended(
    tmp_path: Path, bad: BadSectors
) -> None:
    log = a_compacted_log(tmp_path / "orders-0")
    fill(log, BATCHES, value_bytes=VALUE_BYTES)
    log.rolling.roll()
    log.high_watermark = log.end_offset
    log.flushing.flush()
    log.recovery_point_on_disk = log.recovery_point
    hurt(log, bad)
    cleaner = Cleaner(lambda: [log], Config.for_broker({"log.cleaner.backoff.ms": "0"}), StillClock())
    try:
        assert not await cleaner.clean_one() and cleaner.uncleanable
        assert log.damage
        bad.clear()
        await look_again(log)
        assert await cleaner.clean_one() and not cleaner.uncleanable
    finally:
        cleaner.stop()


async def test_a_copy_to_another_folder_stops_at_it_and_the_log_knows(
    log: PartitionLog, bad: BadSectors, tmp_path: Path
) -> None:
    lost = hurt(log, bad)
    copy = a_log(tmp_path / "copy", settings=SETTINGS)
    copying = LogCopy(log, copy)
    with pytest.raises(CannotCopy):
        while not copying.has_all():
            await copying.copy_piece()
    assert copy.end_offset <= lost[0]
    assert [known.first_offset for known in log.damage.ranges[0]] == [lost[0]]
    copy.flushing.close()


async def test_a_lookup_by_time_finds_it_and_the_log_stays_in_use(log: PartitionLog, bad: BadSectors) -> None:
    lost = hurt(log, bad)
    with pytest.raises(CorruptMessage):
        await log.times.look_up(lambda: log.times.find(T + lost[1]))
    assert log.damage and log.health.offline_reason is None


@pytest.mark.parametrize("is_clean", [True, False])
def test_at_start_a_bad_sector_below_the_recovery_point_is_left_to_its_readers(
    log: PartitionLog, bad: BadSectors, is_clean: bool
) -> None:
    lost = hurt(log, bad)
    log.flushing.close()
    again = reopen(log, is_clean=is_clean)
    assert again.health.offline_reason is None
    served(again)
    assert served(again) == all_but(again, lost)
    again.flushing.close()


def test_above_the_recovery_point_nothing_is_cut_off_for_it(tmp_path: Path, bad: BadSectors) -> None:
    """A torn tail can be read: what cannot may be whole, and acknowledged."""
    log = a_log(tmp_path / "orders-0")
    fill(log, BATCHES, value_bytes=VALUE_BYTES)
    hurt(log, bad)
    log.flushing.close()
    before = Path(log.segments[0].file.path).stat().st_size
    again = reopen(log, is_clean=False, recovery_point=0)
    assert again.health.offline_reason is not None and "cannot be read" in again.health.offline_reason
    assert Path(log.segments[0].file.path).stat().st_size == before
    bad.clear()
    assert base_offsets(read_all(reopen(log, is_clean=False, recovery_point=0))) == list(range(BATCHES))


def test_an_index_that_cannot_be_read_is_done_without(log: PartitionLog, bad: BadSectors) -> None:
    log.flushing.close()
    again = reopen(log, is_clean=True)
    bad.add(Path(again.segments[0].path(".index")), 0)
    assert served(again) == list(range(again.end_offset))
    again.flushing.close()


def test_a_file_that_was_cut_short_costs_what_is_missing(log: PartitionLog) -> None:
    """As a file system leaves it that has lost the end of a file."""
    cut_short(log, at_batch=40)
    with pytest.raises(CorruptMessage, match="ends before"):
        log.read(38, 1 << 20)
    assert base_offsets(log.read(38, 1 << 20)) == [38, 39]
    assert served(log) == all_but(log, range(40, BATCHES))
    (repair,) = repairs(log)
    assert (repair.known.first_offset, repair.known.end) == (40, log.segments[0].size)


def test_a_file_that_is_short_at_start_takes_its_log_offline_though_its_damage_was_known(log: PartitionLog) -> None:
    cut_short(log, at_batch=40)
    served(log)
    log.flushing.close()
    again = reopen(log, is_clean=False)
    assert again.health.offline_reason is not None
    clean = reopen(log, is_clean=True)
    with pytest.raises(KafkaStorageError):
        clean.read(45, 1 << 20)


def test_a_person_may_go_on_with_what_comes_before_it(log: PartitionLog, bad: BadSectors) -> None:
    lost = hurt(log, bad)
    sound = look_for_sound(log.folder)
    assert sound.end_offset == lost[0] and "cannot be read" in sound.stopped_by
    keep_sound(OfflineFolder(log.folder.parent), log.partition, sound)
    kept = reopen(log, recovery_point=0)
    assert kept.health.offline_reason is None and served(kept) == list(range(lost[0]))
    kept.flushing.close()


async def test_a_lookup_without_its_index_is_refused_in_words(log: PartitionLog, bad: BadSectors) -> None:
    log.flushing.close()
    again = reopen(log, is_clean=True)
    bad.add(Path(again.segments[0].path(".timeindex")), 0)
    with pytest.raises(KafkaStorageError, match="cannot be looked up"):
        await again.times.look_up(lambda: again.times.find(T + 3))
    again.flushing.close()


@pytest.mark.parametrize("index", ["on a bad sector", "gone"])
def test_segments_age_by_their_batches_where_their_time_index_cannot_be_read(
    tmp_path: Path, bad: BadSectors, index: str
) -> None:
    log = a_log(tmp_path / "orders-0", settings={"retention.ms": "1000"})
    for timestamp in (T, T + 50, T + 20):
        fill(log, 1, timestamp=timestamp)
    log.rolling.roll()
    log.flushing.close()
    again = reopen(log, is_clean=True)
    first = again.segments[0]
    if index == "gone":
        Path(first.path(".timeindex")).unlink()
    else:
        bad.add(Path(first.path(".timeindex")), 0)
    os.utime(first.file.path, (0, 0))
    assert again.retention.delete_old_segments(T + 50 + 1000, 3) == 0
    assert again.retention.delete_old_segments(T + 50 + 1001, 3) == 1
    again.flushing.close()


def test_of_what_may_be_read_nobody_is_told_more_because_of_it(tmp_path: Path, bad: BadSectors) -> None:
    """A reader's limit lies behind a header that cannot be read, in the segment that is appended to."""
    log = a_log(tmp_path / "orders-0", settings={"index.interval.bytes": "1000000"})
    fill(log, 1000, value_bytes=VALUE_BYTES)
    lost = hurt(log, bad, sector=20)
    with pytest.raises(CorruptMessage):
        log.slice(0, at_most=1 << 20, before=lost[-1] + 3)
    log.flushing.close()
