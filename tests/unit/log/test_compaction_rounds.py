"""What one round of compaction leaves of a log."""

from pathlib import Path

import pytest
from tests.support.compaction import (
    DAY_MS,
    NOW,
    a_compacted_log,
    batches,
    clean,
    committed,
    data_records,
    mark,
    pairs,
    put,
    roll,
)
from tests.support.logs import reopen

from penstock.log.file_pool import names_in
from penstock.log.partition_log import PartitionLog
from penstock.log.segments.scan import Damaged
from penstock.settings import Config
from penstock.settings.batch_size import batch_bytes_max
from penstock.wire.markers import MarkerType
from penstock.wire.records import Record, build_batch, check


@pytest.fixture
def log(tmp_path: Path) -> PartitionLog:
    return a_compacted_log(tmp_path)


def test_the_newest_record_of_each_key_stays_at_its_offset(log: PartitionLog) -> None:
    put(log, ("a", "1"), ("b", "1"), ("a", "2"))
    put(log, ("c", "1"), ("b", "2"))
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    assert pairs(log) == [(2, "a", "2"), (3, "c", "1"), (4, "b", "2"), (5, "z", "active")]
    assert log.end_offset == 6


def test_batches_keep_their_first_and_last_offset(log: PartitionLog) -> None:
    put(log, ("a", "1"), ("b", "1"), ("a", "2"), ("b", "2"))
    put(log, ("a", "3"))
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    first = batches(log)[0][0]
    assert (first.base_offset, first.last_offset, first.record_count) == (0, 3, 1)


def test_the_largest_batch_that_a_topic_may_take_is_compacted(log: PartitionLog) -> None:
    size = batch_bytes_max(Config.for_broker())
    beside = len(build_batch([Record(0, NOW, b"large", b"x" * size), Record(1, NOW, b"small", b"1")])) - size
    for digit in "12":
        put(log, ("large", digit * (size - beside)), ("small", digit))
        assert log.size == int(digit) * size
    put(log, ("large", "3"))
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    assert pairs(log) == [(3, "small", "2"), (4, "large", "3"), (5, "z", "active")]


def test_the_active_segment_is_left_alone(log: PartitionLog) -> None:
    put(log, ("a", "1"))
    roll(log)
    put(log, ("a", "2"), ("a", "3"))
    clean(log)
    assert pairs(log) == [(0, "a", "1"), (1, "a", "2"), (2, "a", "3")]


@pytest.mark.parametrize("codec", range(5))
def test_compressed_batches_stay_compressed(log: PartitionLog, codec: int) -> None:
    put(log, ("a", "1" * 500), ("b", "1" * 500), codec=codec)
    put(log, ("a", "2" * 500), codec=codec)
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    assert [key for _, key, _ in pairs(log)] == ["b", "a", "z"]
    assert [header.compression for header, _ in batches(log)] == [codec, codec, 0]
    for _, batch in batches(log):
        check(batch, consecutive=False)


def test_records_without_a_key_go(log: PartitionLog) -> None:
    put(log, (None, "lost"), ("a", "1"))
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    assert pairs(log) == [(1, "a", "1"), (2, "z", "active")]


def test_log_append_time_is_kept(log: PartitionLog) -> None:
    put(log, ("a", "1"), ("b", "1"), log_append_time=NOW + 5)
    put(log, ("a", "2"))
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    assert [record.timestamp for record in data_records(log)] == [NOW + 5, NOW, NOW]


def test_a_tombstone_stays_for_delete_retention_ms_after_it_was_cleaned_first(log: PartitionLog) -> None:
    put(log, ("a", "1"), ("b", "1"))
    put(log, ("a", None))
    put(log, ("c", "1"))
    roll(log)
    put(log, ("z", "active"))

    clean(log, now=NOW)
    assert pairs(log) == [(1, "b", "1"), (2, "a", None), (3, "c", "1"), (4, "z", "active")]
    assert [header.delete_horizon for header, _ in batches(log)] == [None, NOW + DAY_MS, None, None]

    clean(log, now=NOW + DAY_MS - 1)
    assert (2, "a", None) in pairs(log)

    clean(log, now=NOW + DAY_MS)
    assert pairs(log) == [(1, "b", "1"), (3, "c", "1"), (4, "z", "active")]


def test_tombstones_of_a_topic_that_keeps_them_without_end_stay(tmp_path: Path) -> None:
    log = a_compacted_log(tmp_path, delete_retention_ms=str(2**63 - 1))
    put(log, ("a", "1"))
    put(log, ("a", None))
    roll(log)
    put(log, ("z", "active"))
    for now in (NOW, NOW + 1_000 * DAY_MS):
        clean(log, now=now)
        assert pairs(log) == [(1, "a", None), (2, "z", "active")]


def test_a_second_round_changes_nothing(log: PartitionLog) -> None:
    put(log, ("a", "1"), ("b", "1"))
    put(log, ("a", None), ("b", "2"))
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    before = batches(log)
    outcome = clean(log)
    assert batches(log) == before
    assert outcome.bytes_before == outcome.bytes_after


def test_only_the_dirty_part_is_mapped_but_the_clean_part_is_rewritten(log: PartitionLog) -> None:
    put(log, ("a", "1"), ("b", "1"))
    roll(log)
    put(log, ("a", "2"))
    roll(log)
    put(log, ("z", "active"))
    outcome = clean(log, first_dirty=2)
    assert outcome.upto == 3
    assert pairs(log) == [(1, "b", "1"), (2, "a", "2"), (3, "z", "active")]


def test_more_keys_than_fit_take_several_rounds(log: PartitionLog) -> None:
    for n in range(10):
        put(log, (f"key{n}", "old"), (f"key{n}", "new"))
    roll(log)
    put(log, ("z", "active"))
    first = clean(log, keys_max=3)
    assert first.upto == 6
    assert [value for _, _, value in pairs(log)] == ["new"] * 3 + ["old", "new"] * 7 + ["active"]
    upto, rounds = first.upto, 1
    while upto < 20:
        upto, rounds = clean(log, first_dirty=upto, keys_max=3).upto, rounds + 1
    assert rounds == 4
    assert [value for _, _, value in pairs(log)] == ["new"] * 10 + ["active"]


def test_a_map_that_fills_within_a_batch_still_gets_on(log: PartitionLog) -> None:
    put(log, *((f"k{n}", "1") for n in range(5)), *((f"k{n}", "2") for n in range(5)))
    roll(log)
    put(log, ("z", "active"))
    upto = 0
    for _ in range(10):
        upto = clean(log, first_dirty=upto, keys_max=1).upto
    assert [value for _, _, value in pairs(log)] == ["2"] * 5 + ["active"]


def test_small_segments_become_one(tmp_path: Path) -> None:
    log = a_compacted_log(tmp_path, internal_segment_bytes="100000")
    for n in range(8):
        put(log, ("a", str(n)), (f"b{n}", "x"))
        roll(log)
    assert len(log.segments) == 9
    clean(log)
    assert [segment.base_offset for segment in log.segments] == [0, 16]
    assert [key for _, key, _ in pairs(log)] == [f"b{n}" for n in range(7)] + ["a", "b7"]


def test_segments_are_not_merged_past_segment_bytes(tmp_path: Path) -> None:
    log = a_compacted_log(tmp_path, internal_segment_bytes="1000")
    for n in range(8):
        put(log, (f"b{n}", "x" * 300))
        roll(log)
    clean(log)
    assert [segment.base_offset for segment in log.segments] == [0, 2, 4, 6, 8]


def test_a_segment_reaches_to_the_next_one_even_if_nothing_is_left_in_it(log: PartitionLog) -> None:
    put(log, ("a", "1"))
    put(log, ("a", "2"))
    roll(log)
    put(log, ("a", "3" * 2_000_000))
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    headers = [found.header for segment in log.segments for found in log.batches_of(segment)]
    assert [(header.base_offset, header.record_count) for header in headers] == [(1, 0), (2, 1), (3, 1)]
    # Whoever reads is given records, not the emptied batch alone, which some clients take for a record too large.
    assert next(iter(batches(log)))[0].base_offset == 2


def test_reads_below_the_first_record_left_go_on_with_what_comes_next(log: PartitionLog) -> None:
    for n in range(20):
        put(log, ("a", str(n)))
    put(log, ("b", "1"))
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    assert log.read(3, 10_000)[:8] == (19).to_bytes(8, "big")


def test_cleaned_logs_open_again_after_a_crash_and_after_a_clean_stop(log: PartitionLog) -> None:
    for n in range(10):
        put(log, ("a", str(n)), (f"b{n}", "x"), producer=7, sequence=2 * n)
        if n % 3 == 2:
            roll(log)
    clean(log)
    expected, tail = pairs(log), log.producers.last_batches()
    crashed = reopen(log)
    assert crashed.trouble is None
    assert (pairs(crashed), crashed.producers.last_batches()) == (expected, tail)
    crashed.flushing.close()
    again = reopen(crashed, is_clean=True)
    assert (pairs(again), again.producers.last_batches()) == (expected, tail)


def test_only_the_names_of_segments_are_left(log: PartitionLog) -> None:
    put(log, ("a", "1"))
    roll(log)
    put(log, ("a", "2"))
    roll(log)
    clean(log)
    assert sorted(names_in(log.folder)) == [
        "00000000000000000000.index",
        "00000000000000000000.log",
        "00000000000000000000.timeindex",
        "00000000000000000002.log",
        "00000000000000000002.snapshot",
        "leader-epoch-checkpoint",
        "penstock-offset-gaps",
    ]


def test_the_last_batch_of_a_live_producer_stays_though_empty(log: PartitionLog) -> None:
    put(log, ("a", "1"), producer=7, epoch=2, sequence=0)
    put(log, ("a", "2"), producer=7, epoch=2, sequence=1)
    put(log, ("a", "3"))
    put(log, ("b", "1"))
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    rows = [(h.base_offset, h.producer_id, h.producer_epoch, h.base_sequence, h.record_count) for h, _ in batches(log)]
    assert rows == [(1, 7, 2, 1, 0), (2, -1, -1, -1, 1), (3, -1, -1, -1, 1), (4, -1, -1, -1, 1)]


def test_aborted_records_go_and_do_not_displace_older_ones(log: PartitionLog) -> None:
    put(log, ("a", "kept"))
    put(log, ("a", "aborted"), ("b", "aborted"), producer=7, sequence=0, transactional=True)
    mark(log, MarkerType.ABORT, producer=7)
    put(log, ("b", "kept"), producer=7, sequence=2, transactional=True)
    mark(log, MarkerType.COMMIT, producer=7)
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    assert pairs(log) == [(0, "a", "kept"), (4, "b", "kept"), (6, "z", "active")]
    assert [header.base_offset for header, _ in batches(log) if header.is_control] == [3, 5]
    assert [entry.producer_id for entry in log.aborts.between(0, 10)] == [7]


def test_markers_go_a_round_and_delete_retention_ms_after_their_records(log: PartitionLog) -> None:
    put(log, ("a", "aborted"), producer=7, sequence=0, transactional=True)
    mark(log, MarkerType.ABORT, producer=7)
    put(log, ("b", "1"), producer=8, sequence=0, transactional=True)
    mark(log, MarkerType.COMMIT, producer=8)
    put(log, ("b", "2"), ("c", "1"))
    put(log, ("x", "y"), producer=7, sequence=1)
    put(log, ("x", "y"), producer=8, sequence=1)
    roll(log)
    put(log, ("z", "active"))

    def markers() -> list[tuple[int, int | None]]:
        return [(header.base_offset, header.delete_horizon) for header, _ in batches(log) if header.is_control]

    clean(log, now=NOW)
    assert markers() == [(1, None), (3, None)]
    clean(log, now=NOW)
    assert markers() == [(1, NOW + DAY_MS), (3, NOW + DAY_MS)]
    assert log.aborts.between(0, 10) == []
    clean(log, now=NOW + DAY_MS - 1)
    assert len(markers()) == 2
    clean(log, now=NOW + DAY_MS)
    assert markers() == []
    assert [key for _, key, _ in pairs(log)] == ["b", "c", "x", "z"]


def test_a_transaction_that_spans_segments_is_followed(log: PartitionLog) -> None:
    put(log, ("a", "aborted 1"), producer=7, sequence=0, transactional=True)
    put(log, ("a", "kept"))
    roll(log)
    put(log, ("b", "aborted 2"), producer=7, sequence=1, transactional=True)
    put(log, ("b", "kept"))
    roll(log)
    mark(log, MarkerType.ABORT, producer=7)
    roll(log)
    put(log, ("z", "active"))
    clean(log)
    assert [value for _, _, value in pairs(log)] == ["kept", "kept", "active"]
    assert [record.value for record in committed(log)] == [b"kept", b"kept", b"active"]


def test_nothing_at_or_above_an_open_transaction_is_cleaned(log: PartitionLog) -> None:
    put(log, ("a", "1"))
    put(log, ("a", "2"))
    roll(log)
    put(log, ("a", "undecided"), producer=7, sequence=0, transactional=True)
    roll(log)
    put(log, ("a", "3"))
    roll(log)
    outcome = clean(log)
    assert outcome.upto == 2
    assert [value for _, _, value in pairs(log)] == ["2", "undecided", "3"]


def test_a_damaged_batch_stops_the_round_and_leaves_the_log_as_it_was(log: PartitionLog) -> None:
    put(log, ("a", "1"))
    put(log, ("a", "2"))
    roll(log)
    put(log, ("z", "active"))
    path = log.folder / "00000000000000000000.log"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(Damaged):
        clean(log)
    assert path.read_bytes() == data
    assert [name for name in names_in(log.folder) if "cleaned" in name or "swap" in name] == []
