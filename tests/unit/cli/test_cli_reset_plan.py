"""Where `penstock group reset` would move a group."""

import pytest

from penstock.cli.group.reset_plan import (
    Move,
    PartitionOffsets,
    Selection,
    ShiftBy,
    Target,
    ToEarliest,
    ToLatest,
    ToOffset,
    ToTime,
    parse_selection,
    plan_reset,
)

HALF_READ = PartitionOffsets(begin=10, end=100, committed=50, at_time=70)


def move(target: Target, standing: PartitionOffsets = HALF_READ) -> Move:
    (only,) = plan_reset(target, {("orders", 0): standing})
    return only


@pytest.mark.parametrize(
    ("target", "after", "change"),
    [
        (ToOffset(60), 60, 10),
        (ToEarliest(), 10, -40),
        (ToLatest(), 100, 50),
        (ToTime(1_700_000_000_000), 70, 20),
        (ShiftBy(-5), 45, -5),
        (ShiftBy(5), 55, 5),
        (ToOffset(50), 50, 0),
    ],
)
def test_each_target_has_its_offset(target: Target, after: int, change: int) -> None:
    planned = move(target)
    assert (planned.before, planned.after, planned.change, planned.remark) == (50, after, change, "")
    assert planned.does_something is (change != 0)


@pytest.mark.parametrize(
    ("target", "after", "why"),
    [
        (ToOffset(3), 10, "3 asked for, but the partition begins at 10"),
        (ToOffset(500), 100, "500 asked for, but the partition ends at 100"),
        (ShiftBy(-1_000), 10, "-950 asked for, but the partition begins at 10"),
        (ShiftBy(1_000), 100, "1050 asked for, but the partition ends at 100"),
    ],
)
def test_a_plan_stays_within_what_the_partition_holds(target: Target, after: int, why: str) -> None:
    planned = move(target)
    assert (planned.after, planned.remark) == (after, why)


def test_a_time_after_every_record_is_the_end() -> None:
    planned = move(ToTime(1_900_000_000_000), PartitionOffsets(begin=0, end=8, committed=2))
    assert (planned.after, planned.remark) == (8, "no record is that young: the end")


def test_without_a_commit_there_is_no_change_to_tell() -> None:
    planned = move(ToEarliest(), PartitionOffsets(begin=4, end=8, committed=None))
    assert (planned.before, planned.after, planned.change, planned.does_something) == (None, 4, None, True)


def test_without_a_commit_there_is_nothing_to_shift_from() -> None:
    planned = move(ShiftBy(-1), PartitionOffsets(begin=4, end=8, committed=None))
    assert (planned.after, planned.does_something) == (None, False)
    assert "nothing committed" in planned.remark


def test_moves_come_by_topic_and_partition() -> None:
    planned = plan_reset(ToLatest(), {("b", 0): HALF_READ, ("a", 10): HALF_READ, ("a", 2): HALF_READ})
    assert [(each.topic, each.partition) for each in planned] == [("a", 2), ("a", 10), ("b", 0)]


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        ("orders", Selection("orders")),
        ("orders:2", Selection("orders", (2,))),
        ("orders:0,2-4,3", Selection("orders", (0, 2, 3, 4))),
    ],
)
def test_partitions_are_chosen_in_writing(text: str, selection: Selection) -> None:
    assert parse_selection(text) == selection


@pytest.mark.parametrize("text", ["", ":1", "orders:", "orders:a", "orders:1,", "orders:4-2", "orders:0-99999999999"])
def test_a_choice_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="partitions"):
        parse_selection(text)
