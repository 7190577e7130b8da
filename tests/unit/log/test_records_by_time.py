"""Finding records by time, whatever the indexes say."""

from pathlib import Path

from tests.support.logs import THREE_A_SEGMENT, a_batch, a_log, a_log_whose_index_is_wrong, reopen


def test_by_time_the_first_record_at_or_after_it_is_found(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    for offset in range(0, 40, 2):
        log.append([a_batch(offset, count=2, timestamp=1_000 + 10 * offset, leader_epoch=offset // 20)])

    for timestamp, expected in (
        (0, (1_000, 0, 0)),
        (1_020, (1_020, 2, 0)),
        (1_001, (1_001, 1, 0)),
        (1_022, (1_040, 4, 0)),
    ):
        assert log.times.find(timestamp) == expected
    assert log.times.find(1_380) == (1_380, 38, 1)
    assert log.times.find(1_382) is None
    log.high_watermark = 40
    log.retention.advance_start(11)
    assert log.times.find(0) == (1_101, 11, 0)


def test_by_time_every_record_is_found_in_a_log_out_of_order(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0", settings=THREE_A_SEGMENT)
    timestamps = [(offset * 7919) % 1_000 for offset in range(60)]
    for offset, timestamp in enumerate(timestamps):
        log.append([a_batch(offset, timestamp=timestamp, compression=offset % 5)])
    log.flushing.close()

    for held in (log, reopen(log, is_clean=True)):
        for target in range(0, 1_000, 37):
            first = next((offset for offset, timestamp in enumerate(timestamps) if timestamp >= target), None)
            found = held.times.find(target)
            assert (None if found is None else found.offset) == first
        largest = held.times.find_largest()
        assert largest is not None
        assert largest[:2] == (max(timestamps), timestamps.index(max(timestamps)))


async def test_by_time_records_are_found_though_the_index_is_wrong(tmp_path: Path) -> None:
    log = a_log_whose_index_is_wrong(tmp_path)

    assert await log.times.look_up(lambda: log.times.find(1_003)) == (1_003, 3, 0)
    assert log.health.offline_reason is None


def test_an_empty_log_has_no_times(tmp_path: Path) -> None:
    log = a_log(tmp_path / "orders-0")

    assert log.times.find(0) is None
    assert log.times.find_largest() is None
