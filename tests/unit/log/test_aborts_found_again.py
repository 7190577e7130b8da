"""Indexes of aborted transactions that are not what was written: noticed, kept from readers, built again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.compaction import a_compacted_log, clean_async, latest, mark, put
from tests.support.compaction import committed as committed_records
from tests.support.logs import StillClock, a_batch, a_log, a_marker, fill, reopen

from penstock.errors import KafkaStorageError
from penstock.log import Flusher, LogHousekeeping, Scrubber
from penstock.log.pace import Stopped
from penstock.log.partition_log import PartitionLog
from penstock.log.segments.abort_sums import FILE_NAME
from penstock.settings.config import Config
from penstock.wire.markers import MarkerType

Break = Callable[[Path], object]

WAYS: dict[str, Break] = {
    "the second entry is gone": lambda path: path.write_bytes(path.read_bytes()[:34]),
    "the file is gone": Path.unlink,
    "another version": lambda path: path.write_bytes(b"\x00\x09" + path.read_bytes()[2:]),
    "offsets that cannot be": lambda path: path.write_bytes(path.read_bytes()[:10] + b"\xff" * 8 + bytes(50)),
}
"""What a lookup comes upon."""


def flip_a_bit(path: Path) -> None:
    """A producer id, which nothing else tells."""
    data = bytearray(path.read_bytes())
    data[9] ^= 1
    path.write_bytes(data)


def abort(log: PartitionLog, *, producer_id: int = 7) -> None:
    sequence = log.end_offset
    batch = a_batch(
        log.end_offset, producer_id=producer_id, producer_epoch=0, base_sequence=sequence, transactional=True
    )
    log.append([batch])
    log.append([a_marker(log.end_offset, MarkerType.ABORT, producer_id=producer_id)])


def aborted(log: PartitionLog) -> list[tuple[int, int]]:
    return [(each.first_offset, each.last_offset) for each in log.aborts.between(0, log.end_offset)]


def index_of(log: PartitionLog, base_offset: int) -> Path:
    return log.folder / f"{base_offset:020d}.txnindex"


async def housekeeping(log: PartitionLog) -> None:
    """As often as it takes for a log that asks for it."""
    flusher = Flusher()
    await LogHousekeeping([log], flusher, Config.for_broker({}), StillClock()).find_aborts_again()  # type: ignore[arg-type]
    await flusher.close()


async def scrub(log: PartitionLog) -> None:
    scrubber = Scrubber(lambda: [log], Config.for_broker({}), StillClock())
    try:
        await scrubber.round()
    finally:
        scrubber.stop()


@pytest.fixture
def log(tmp_path: Path) -> PartitionLog:
    """Transactions at 0 and 2 in its first segment, one that ends in the second, and an active one."""
    made = a_log(tmp_path / "orders-0")
    abort(made)
    abort(made)
    made.append([a_batch(4, producer_id=8, producer_epoch=0, base_sequence=0, transactional=True)])
    made.rolling.roll()
    made.append([a_marker(5, MarkerType.ABORT, producer_id=8)])
    made.rolling.roll()
    fill(made, 2)
    made.flushing.flush()
    return made


ALL = [(0, 1), (2, 3), (4, 5)]


@pytest.mark.parametrize("how", WAYS)
async def test_an_index_that_rots_is_refused_and_then_built_again(log: PartitionLog, how: str) -> None:
    written = index_of(log, 0).read_bytes()
    WAYS[how](index_of(log, 0))

    for _ in range(2):
        with pytest.raises(KafkaStorageError):
            aborted(log)
    await housekeeping(log)

    assert aborted(log) == ALL
    assert index_of(log, 0).read_bytes() == written


@pytest.mark.parametrize("is_clean", [True, False])
async def test_an_index_that_is_refused_stays_so_until_it_is_built_whatever_comes_between(
    log: PartitionLog, is_clean: bool
) -> None:
    """Above all a flush does not write down the sum of what is left of it."""
    index_of(log, 0).write_bytes(index_of(log, 0).read_bytes()[:34])
    with pytest.raises(KafkaStorageError):
        aborted(log)
    abort(log)
    log.rolling.roll()
    log.flushing.close() if is_clean else log.flushing.flush()

    assert aborted(reopen(log, is_clean=is_clean)) == [*ALL, (8, 9)]


async def test_what_lookups_do_not_see_the_scrub_does(log: PartitionLog) -> None:
    flip_a_bit(index_of(log, 0))
    assert aborted(log) == ALL  # of another producer

    await scrub(log)
    with pytest.raises(KafkaStorageError):
        aborted(log)
    await housekeeping(log)

    assert {each.producer_id for each in log.aborts.between(0, 4)} == {7}
    await scrub(log)
    assert not log.aborts.are_doubted


@pytest.mark.parametrize("is_clean", [True, False])
def test_what_lookups_do_not_see_a_start_does(log: PartitionLog, is_clean: bool) -> None:
    if is_clean:
        log.flushing.close()
    flip_a_bit(index_of(log, 0))

    again = reopen(log, is_clean=is_clean)

    assert {each.producer_id for each in again.aborts.between(0, 4)} == {7}


async def test_a_transaction_that_began_in_an_earlier_segment_is_found_again(log: PartitionLog) -> None:
    index_of(log, 5).unlink()
    with pytest.raises(KafkaStorageError):
        aborted(log)
    await housekeeping(log)
    assert aborted(log) == ALL


async def test_it_is_found_again_without_a_snapshot_too(log: PartitionLog) -> None:
    for snapshot in log.folder.glob("*.snapshot"):
        snapshot.unlink()
    index_of(log, 5).unlink()
    with pytest.raises(KafkaStorageError):
        aborted(log)
    await housekeeping(log)
    assert aborted(log) == ALL


async def test_the_active_segment_is_rolled_to_find_its_aborts_again(log: PartitionLog) -> None:
    abort(log)
    index_of(log, 6).write_bytes(b"")
    with pytest.raises(KafkaStorageError):
        aborted(log)
    abort(log)

    await housekeeping(log)

    assert aborted(log) == [*ALL, (8, 9), (10, 11)]
    abort(log)
    log.flushing.close()
    assert aborted(reopen(log, is_clean=True)) == [*ALL, (8, 9), (10, 11), (12, 13)]


def test_aborts_that_a_clean_stop_has_noted_of_the_active_segment_are_missed_later(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    abort(log)
    log.flushing.close()
    again = reopen(log, is_clean=True)
    abort(again)
    again.flushing.flush()
    index_of(log, 0).write_bytes(index_of(log, 0).read_bytes()[34:])

    assert aborted(reopen(again)) == [(0, 1), (2, 3)]


async def test_where_batches_are_damaged_too_nobody_is_told_what_was_not_aborted(log: PartitionLog) -> None:
    path = Path(log.segments[0].file.path)
    sound = path.read_bytes()
    path.write_bytes(sound[:70] + bytes([sound[70] ^ 1]) + sound[71:])
    index_of(log, 0).unlink()

    for each in (log, reopen(log)):
        with pytest.raises(KafkaStorageError):
            aborted(each)
        await housekeeping(each)
        with pytest.raises(KafkaStorageError):
            aborted(each)
    assert log.damage.is_known_in(0)

    path.write_bytes(sound)
    await housekeeping(log)
    assert aborted(log) == ALL


async def test_an_abort_that_could_not_be_written_down_is_not_left_out(
    log: PartitionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its marker is in the log, and what it ended is stable by it."""
    abort(log)
    index = log.active.transactions
    assert index is not None
    with monkeypatch.context() as full:
        full.setattr(index, "path", Path("/dev/full"))
        with pytest.raises(KafkaStorageError):
            abort(log)
    with pytest.raises(KafkaStorageError):
        aborted(log)
    assert aborted(reopen(log)) == [*ALL, (8, 9), (10, 11)]


async def test_compaction_waits_for_an_index_that_is_wrong(tmp_path: Path) -> None:
    """Else what was aborted would be the newest of its key, and what was not would go."""
    log = a_compacted_log(tmp_path)
    put(log, ("a", "kept"))
    put(log, ("a", "aborted"), producer=7, sequence=0, transactional=True)
    mark(log, MarkerType.ABORT, producer=7)
    log.rolling.roll()
    put(log, ("b", "1"))
    log.flushing.flush()
    written = index_of(log, 0).read_bytes()
    index_of(log, 0).write_bytes(b"")

    with pytest.raises(Stopped):
        await clean_async(log)
    assert log.aborts.are_doubted
    await housekeeping(log)
    assert index_of(log, 0).read_bytes() == written
    await clean_async(log)

    assert latest(committed_records(log)) == {b"a": b"kept", b"b": b"1"}


async def test_what_compaction_leaves_of_an_index_is_what_it_should_hold(tmp_path: Path) -> None:
    log = a_compacted_log(tmp_path)
    put(log, ("a", "1"), producer=7, sequence=0, transactional=True)
    mark(log, MarkerType.ABORT, producer=7)
    log.rolling.roll()
    put(log, ("a", "2"), producer=7, sequence=1, transactional=True)
    mark(log, MarkerType.ABORT, producer=7)
    log.rolling.roll()
    put(log, ("a", "3"))
    await clean_async(log)

    before = index_of(log, 0).stat().st_ino
    again = reopen(log)

    assert index_of(log, 0).stat().st_ino == before  # it was not written anew
    assert again.aborts.sums.noted == {0: again.segments[0].transactions.sum}  # type: ignore[union-attr]


def test_a_log_without_aborts_has_no_sums(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")
    fill(log, 3)
    log.rolling.roll()
    log.flushing.close()
    assert not (log.folder / FILE_NAME).exists()


@pytest.mark.parametrize("text", ["", "0\n1\n0 34", "9\n0\n", "\x00\xff", "0\n1\nno number 5\n"])
def test_sums_that_cannot_be_read_are_no_reason_to_read_all(log: PartitionLog, text: str) -> None:
    log.flushing.close()
    (log.folder / FILE_NAME).write_text(text)
    before = index_of(log, 0).stat().st_ino
    again = reopen(log, is_clean=True)
    assert aborted(again) == ALL
    assert index_of(log, 0).stat().st_ino == before  # it was not written anew


@pytest.mark.parametrize("to", [0, 1, 3, 4, 5, 6])
def test_after_a_cut_what_is_left_is_what_should_be(log: PartitionLog, to: int) -> None:
    expected = [each for each in ALL if each[1] < to]
    log.truncation.cut(to=to)
    assert aborted(log) == expected
    abort(log, producer_id=9)
    log.rolling.roll()
    log.flushing.flush()

    assert log.aborts.sums.is_noted(log.segments[-2])
    assert aborted(reopen(log)) == [*expected, (to, to + 1)]


@pytest.mark.parametrize("how", ["the second entry is gone", "the file is gone"])
async def test_a_cut_does_not_make_a_wrong_index_right(tmp_path: Path, how: str) -> None:
    log = a_log(tmp_path / "orders-0")
    abort(log)
    abort(log)
    fill(log, 2)
    WAYS[how](index_of(log, 0))

    log.truncation.cut(to=5)  # no producer's: nothing is replayed

    with pytest.raises(KafkaStorageError):
        aborted(log)
    await housekeeping(log)
    assert aborted(log) == ALL[:2]


def test_a_log_that_begins_anew_is_not_held_to_what_it_had(log: PartitionLog) -> None:
    log.truncation.start_anew(0)
    fill(log, 1)
    assert aborted(log) == []
    abort(log)
    assert aborted(log) == aborted(reopen(log)) == [(1, 2)]
