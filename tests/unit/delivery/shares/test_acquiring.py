"""Giving records out: poison is isolated, gaps are passed over, and what is given out is cut where batches begin."""

import pytest

from penstock.coordinators.shares.states import ShareState, StateBatch
from penstock.delivery.shares.acquiring import BatchSpan, Wanted
from penstock.delivery.shares.machine import SharePartitionMachine
from penstock.delivery.shares.ranges import ACKNOWLEDGED, ARCHIVED, AVAILABLE
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.settling import REJECT, Said

RULES = ShareRules(delivery_limit=5)
Rows = list[tuple[int, int, int]]


def kept(*batches: tuple[int, int, int, int], start: int = 0) -> SharePartitionMachine:
    return SharePartitionMachine(ShareState(0, start, [StateBatch(*each) for each in batches]), start_offset=0)


def take(
    machine: SharePartitionMachine,
    *spans: tuple[int, int],
    most: int = 500,
    size: int = 500,
    strict: bool = False,
    rules: ShareRules = RULES,
) -> Rows:
    asked = machine.read_from(rules)
    assert asked is not None
    found = machine.acquire(
        Wanted("m", most, size, strict),
        rules,
        now=0.0,
        asked_from=asked,
        batches=[BatchSpan(*each) for each in spans],
    )
    return [(each.first, each.last, each.deliveries) for each in found]


@pytest.mark.parametrize(
    ("deliveries", "limit", "expected"),
    [
        (1, 5, (0, 15)),
        (2, 5, (0, 15)),
        (3, 5, (0, 7)),  # from half the limit on in halves
        (4, 5, (0, 0)),  # the last time alone
        (5, 10, (0, 7)),
        (6, 10, (0, 3)),
        (7, 10, (0, 1)),
        (8, 10, (0, 0)),
        (9, 10, (0, 0)),
        (1, 2, (0, 15)),  # with so few tries there is no time for parts
    ],
)
def test_what_came_back_often_is_tried_in_ever_smaller_parts(
    deliveries: int, limit: int, expected: tuple[int, int]
) -> None:
    machine = kept((0, 15, AVAILABLE, deliveries))
    rules = ShareRules(delivery_limit=limit)
    assert take(machine, (0, 15), rules=rules) == [(*expected, deliveries + 1)]


def test_a_record_that_is_tried_for_the_last_time_waits_until_it_can_be_alone() -> None:
    machine = kept((0, 3, AVAILABLE, 1), (4, 4, AVAILABLE, 4), (5, 9, AVAILABLE, 1))
    assert take(machine, (0, 9)) == [(0, 3, 2)]
    assert take(machine, (0, 9)) == [(4, 4, 5)]
    assert take(machine, (0, 9)) == [(5, 9, 2)]


@pytest.mark.parametrize(
    ("size", "expected"),
    [(1, [(0, 1, 1), (2, 4, 1), (5, 9, 1)]), (3, [(0, 4, 1), (5, 9, 1)]), (6, [(0, 9, 1)]), (99, [(0, 9, 1)])],
)
def test_new_records_are_cut_where_batches_begin(size: int, expected: Rows) -> None:
    assert take(kept(), (0, 1), (2, 4), (5, 9), size=size) == expected


def test_the_batch_that_the_limit_lies_in_is_given_whole() -> None:
    machine = kept()
    assert take(machine, (0, 3), (4, 7), (8, 11), most=5) == [(0, 7, 1)]
    assert take(machine, (8, 11), most=1) == [(8, 11, 1)]


def test_gaps_that_compaction_left_are_passed_over() -> None:
    machine = kept((0, 9, AVAILABLE, 1))
    assert machine.read_from(RULES) == 0
    assert take(machine, (4, 5), (20, 21)) == [(4, 9, 2), (10, 21, 1)]
    assert machine.start_offset == 4, "what is not there is done"


def test_what_nobody_answered_a_former_leader_is_given_out_as_new() -> None:
    machine = kept((2, 3, ACKNOWLEDGED, 1), (6, 6, ARCHIVED, 5), (8, 9, AVAILABLE, 2))
    assert take(machine, (0, 3), (4, 9), most=3) == [(0, 1, 1), (4, 5, 1)]
    assert take(machine, (4, 9)) == [(7, 7, 1), (8, 9, 3)]


def test_a_batch_that_is_partly_done_is_read_from_where_the_rest_begins() -> None:
    machine = kept((0, 4, ACKNOWLEDGED, 1))
    assert machine.start_offset == 5 and machine.read_from(RULES) == 5
    assert take(machine, (0, 9)) == [(5, 9, 1)]


def test_ten_thousand_ranges_cost_little() -> None:
    """Not the time, which no test asserts: that neighbours that are done are one range again."""
    machine = kept()
    rules = ShareRules(locks_max=10_000)
    take(machine, *((each, each) for each in range(10_000)), most=10_000, size=1, rules=rules)
    assert len(machine.window.ranges) == 10_000
    for offset in range(9_999, 0, -1):
        machine.commit(machine.acknowledge("m", [Said(offset, offset, [REJECT])], rules, 0.0))
    assert len(machine.window.ranges) == 2
    machine.commit(machine.acknowledge("m", [Said(0, 0, [REJECT])], rules, 0.0))
    assert (machine.window.ranges, machine.start_offset) == ([], 10_000)
