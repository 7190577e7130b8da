"""How far a batch goes, what it reads and how it is cut: pure, so that figures are in sight."""

from penstock.model import PartitionIndex, TopicPartition
from penstock.pipelines.source.planning import Log, Range, capped, limited, ranges, records_for, settled, split
from penstock.pipelines.source.positions import Position


def part(index: int, topic: str = "t") -> TopicPartition:
    return TopicPartition(topic, PartitionIndex(index))


ZERO, ONE = part(0), part(1)


def test_without_a_limit_a_batch_goes_to_the_ends() -> None:
    assert limited({ZERO: 5}, {ZERO: Log(0, 9), ONE: Log(0, 4)}, None) == {ZERO: 9, ONE: 4}


def test_a_limit_is_shared_by_what_waits() -> None:
    assert limited({ZERO: 0, ONE: 0}, {ZERO: Log(0, 900), ONE: Log(0, 100)}, 100) == {ZERO: 90, ONE: 10}


def test_a_large_partition_does_not_starve_a_small_one() -> None:
    assert limited({ZERO: 0, ONE: 0}, {ZERO: Log(0, 10_000), ONE: Log(0, 1)}, 10) == {ZERO: 9, ONE: 1}


def test_what_was_deleted_does_not_count_against_the_limit() -> None:
    assert limited({ZERO: 0}, {ZERO: Log(500, 1_000)}, 100) == {ZERO: 600}


def test_a_partition_that_is_gone_keeps_its_place() -> None:
    assert limited({ZERO: 5, ONE: 7}, {ZERO: Log(0, 6)}, None) == {ZERO: 6, ONE: 7}


def test_a_bounded_run_stops_at_its_offsets_and_leaves_new_partitions_out() -> None:
    assert capped({ZERO: Log(0, 9), ONE: Log(0, 4)}, {ZERO: 7}) == {ZERO: Log(0, 7)}


def test_ranges_lie_between_two_positions() -> None:
    found, lost = ranges(Position({ZERO: 3}), Position({ZERO: 8, ONE: 2}), {ZERO: Log(0, 9), ONE: Log(0, 2)}, {})
    assert found == [Range(ZERO, 3, 8), Range(ONE, 0, 2)] and lost == []


def test_deleted_offsets_are_a_loss_and_the_rest_is_read() -> None:
    found, lost = ranges(Position({ZERO: 3}), Position({ZERO: 8}), {ZERO: Log(6, 9)}, {})
    assert found == [Range(ZERO, 6, 8)] and [str(each) for each in lost] == ["t-0: the offsets 3 to 5 were deleted"]


def test_a_range_deleted_whole_is_a_loss_of_no_more_than_itself() -> None:
    found, lost = ranges(Position({ZERO: 3}), Position({ZERO: 8}), {ZERO: Log(20, 30)}, {})
    assert found == [] and [str(each) for each in lost] == ["t-0: the offsets 3 to 7 were deleted"]


def test_a_log_that_became_shorter_is_a_loss() -> None:
    found, lost = ranges(Position({ZERO: 3}), Position({ZERO: 8}), {ZERO: Log(0, 5)}, {})
    assert found == [Range(ZERO, 3, 5)] and len(lost) == 1


def test_a_topic_made_anew_after_the_plan_gives_none_of_its_records_to_it() -> None:
    found, lost = ranges(
        Position({ZERO: 3}, {"t": "a"}), Position({ZERO: 8}, {"t": "a"}), {ZERO: Log(0, 99)}, {"t": "b"}
    )
    assert found == [] and len(lost) == 1


def test_a_topic_made_anew_before_the_plan_is_read_from_its_start() -> None:
    found, lost = ranges(
        Position({ZERO: 3}, {"t": "a"}), Position({ZERO: 2}, {"t": "b"}), {ZERO: Log(0, 2)}, {"t": "b"}
    )
    assert found == [Range(ZERO, 0, 2)] and len(lost) == 1


def test_where_a_stream_stands_when_its_topic_changed() -> None:
    stood = Position({ZERO: 5, part(0, "gone"): 4, part(0, "cut"): 9}, {"t": "a", "cut": "c"})
    offsets, lost = settled(stood, {ZERO: Log(0, 9), part(0, "cut"): Log(0, 7)}, {"t": "b", "cut": "c"})
    assert offsets == {ZERO: 0, part(0, "gone"): 4, part(0, "cut"): 7}
    assert [str(loss.partition) for loss in lost] == ["t-0", "gone-0", "cut-0"]


def test_tasks_are_cut_by_records_bytes_and_number() -> None:
    whole = [Range(ZERO, 0, 10)]
    assert [each.records for each in split(whole, record_bytes={}, bytes_max=1, records_max=4)] == [4, 3, 3]
    assert [each.records for each in split(whole, record_bytes={ZERO: 100.0}, bytes_max=500)] == [5, 5]
    assert [each.records for each in split(whole, record_bytes={}, bytes_max=1, partitions_min=3)] == [4, 3, 3]
    assert split(whole, record_bytes={ZERO: 0.0}, bytes_max=1) == whole


def test_a_record_larger_than_the_limit_is_a_task_of_its_own() -> None:
    cut = split([Range(ZERO, 0, 3)], record_bytes={ZERO: 9_000.0}, bytes_max=100)
    assert [each.records for each in cut] == [1, 1, 1]


def test_bytes_become_records_by_the_mean_of_what_waits() -> None:
    logs = {ZERO: Log(0, 300), ONE: Log(0, 100)}
    assert records_for(10_000, {}, logs, {ZERO: 100.0, ONE: 500.0}) == 50  # (300 × 100 + 100 × 500) / 400 = 200 bytes
    assert records_for(10, {}, logs, {ZERO: 100.0}) == 1
