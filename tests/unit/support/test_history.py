"""The judge of histories, given histories that are right and each way of being wrong."""

import pytest
from tests.support.history import UNTOLD, Ack, Consuming, Entry, History, Producing, Seen, in_order, judge, split


def a_history(**changes: list[Seen]) -> History:
    """Producers a and b with three acknowledged records each in partition 0, and a consumer that has read them all."""
    a = Producing("a", sent=3, acks=[Ack(0, 0, 0), Ack(1, 0, 2), Ack(2, 0, 4)])
    b = Producing("b", sent=3, acks=[Ack(0, 0, 1), Ack(1, 0, 3), Ack(2, 0, 5)])
    seen = changes.get("seen", [Seen(0, offset, value) for offset, value in enumerate(VALUES)])
    return History([a, b], [Consuming("reader", seen)])


VALUES = ["a.0", "b.0", "a.1", "b.1", "a.2", "b.2"]


def a_log(values: list[str]) -> dict[int, list[Entry]]:
    return {0: [Entry(offset, value) for offset, value in enumerate(values)]}


def test_a_history_in_which_all_is_well_has_no_faults() -> None:
    assert judge(a_history(), a_log(VALUES)) == []


def test_an_acknowledged_record_that_is_gone_is_lost() -> None:
    history = a_history(seen=[])
    assert judge(history, a_log(VALUES[:5])) == [
        "lost: b.2 was acknowledged in partition 0 at 5, where nothing is",
    ]


def test_one_that_is_elsewhere_than_acknowledged_is_lost_too() -> None:
    faults = judge(a_history(seen=[]), a_log(["a.0", "b.0", "a.1", "a.2", "b.1", "b.2"]))
    assert faults == [
        "lost: a.2 was acknowledged in partition 0 at 4, where b.1 is",
        "lost: b.1 was acknowledged in partition 0 at 3, where a.2 is",
    ]


def test_one_acknowledged_as_there_already_must_be_there() -> None:
    history = History([Producing("a", sent=1, acks=[Ack(0, 0, UNTOLD)])])
    assert judge(history, a_log(["a.0"])) == []
    assert judge(history, {0: [], 1: [Entry(0, "a.0")]}) == ["lost: a.0 was acknowledged in partition 0"]


def test_a_record_that_is_there_twice_is_found() -> None:
    assert judge(a_history(), a_log([*VALUES, "b.2"])) == ["twice: b.2 is in partition 0 at 5 and 0 at 6"]


def test_twice_counts_over_partitions() -> None:
    log = a_log(VALUES) | {1: [Entry(0, "a.1")]}
    assert judge(a_history(), log) == ["twice: a.1 is in partition 0 at 2 and 1 at 0"]


def test_records_of_one_producer_in_another_order_are_found() -> None:
    history = History([Producing("a", sent=3)])
    assert judge(history, a_log(["a.1", "a.0", "a.2"])) == ["disordered: a.0 in partition 0 at 1 comes after a.1"]


def test_records_of_several_producers_may_come_in_any_order() -> None:
    history = History([Producing("a", sent=2), Producing("b", sent=2)])
    assert judge(history, a_log(["b.0", "b.1", "a.0", "a.1"])) == []


def test_a_record_whose_delivery_failed_may_be_there_or_not() -> None:
    history = History([Producing("a", sent=2, acks=[Ack(0, 0, 0)], failed=[(1, "timed out")])])
    assert judge(history, a_log(["a.0"])) == judge(history, a_log(["a.0", "a.1"])) == []


@pytest.mark.parametrize("value", ["a.3", "c.0", "rubbish", "a.-1"])
def test_what_nobody_sent_is_invented(value: str) -> None:
    faults = judge(a_history(), a_log([*VALUES, value]))
    assert faults == [f"invented: nobody sent {value}, which is in partition 0 at 6"]


def test_a_hole_in_the_log_is_found() -> None:
    history = History([Producing("a", sent=2)])
    log = {0: [Entry(0, "a.0"), Entry(2, "a.1")]}
    assert judge(history, log) == ["hole: partition 0 has 2 where 1 was to come"]


def test_a_consumer_that_reads_something_else_than_is_there_is_told_of() -> None:
    seen = [Seen(0, 0, "a.0"), Seen(0, 1, "a.1")]
    assert judge(a_history(seen=seen), a_log(VALUES)) == ["reader read a.1 in partition 0 at 1: b.0 is there"]


def test_a_consumer_that_read_what_was_never_committed_is_told_of() -> None:
    seen = [Seen(0, 5, "b.2"), Seen(0, 6, "a.2")]
    assert judge(a_history(seen=seen), a_log(VALUES)) == ["reader read a.2 in partition 0 at 6: nothing is there"]


@pytest.mark.parametrize("after", [0, 1, 3, 5])
def test_a_consumer_goes_on_by_one_neither_back_nor_over_anything(after: int) -> None:
    seen = [Seen(0, 0, "a.0"), Seen(0, 1, "b.0"), Seen(0, after, VALUES[after])]
    assert judge(a_history(seen=seen), a_log(VALUES)) == [f"reader, partition 0: {after} came after 1"]


def test_after_an_assignment_a_consumer_may_read_again_but_leave_nothing_out() -> None:
    first = [Seen(0, offset, VALUES[offset]) for offset in range(4)]
    again = [Seen(0, offset, VALUES[offset], run=1) for offset in range(2, 6)]
    assert judge(a_history(seen=first + again), a_log(VALUES)) == []
    skipping = [Seen(0, 5, "b.2", run=1)]
    assert judge(a_history(seen=first + skipping), a_log(VALUES)) == [
        "reader, partition 0: left out what is between 3 and 5 when it was assigned anew"
    ]


def test_partitions_are_judged_each_for_itself() -> None:
    seen = [Seen(0, 0, "a.0"), Seen(1, 0, "c.0"), Seen(0, 1, "b.0"), Seen(1, 1, "c.1")]
    history = a_history(seen=seen)
    history.producers.append(Producing("c", sent=2, acks=[Ack(0, 1, 0), Ack(1, 1, 1)]))
    assert judge(history, in_order([(1, 1, "c.1"), *((0, *entry) for entry in a_log(VALUES)[0]), (1, 0, "c.0")])) == []


def test_of_many_faults_of_a_kind_the_first_ten_are_shown_and_the_rest_counted() -> None:
    history = History([Producing("a", sent=30, acks=[Ack(n, 0, n) for n in range(30)])])
    faults = judge(history, {0: []})
    assert len(faults) == 11 and faults[-1] == "... and 20 more such"


def test_values_are_split_at_their_last_dot() -> None:
    assert (split("a.1"), split("7.12"), split("x"), split("a.b.3")) == (("a", 1), ("7", 12), ("x", -1), ("a.b", 3))
